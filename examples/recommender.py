"""A recommender: ratings of films from embeddings of users and films (matrix factorisation with biases and a small network).

The ratings are made up: hidden tastes of users meet hidden qualities of films, with some noise; a tenth is kept for testing.
"""

import argparse

import numpy as np

import paddle
from paddle import nn

USERS, FILMS, TASTES, RATINGS = 200, 100, 4, 6000


def ratings(seed=0):
    """(users, films, ratings from 1 to 5)."""
    random = np.random.RandomState(seed)
    taste, quality = random.randn(USERS, TASTES), random.randn(FILMS, TASTES)
    users, films = random.randint(0, USERS, RATINGS), random.randint(0, FILMS, RATINGS)
    score = 3 + 0.6 * (taste[users] * quality[films]).sum(1) + 0.2 * random.randn(RATINGS)
    return users.astype("int64"), films.astype("int64"), np.clip(score, 1, 5).astype("float32")


class Recommender(nn.Layer):
    """A product of embeddings, biases, and what a small network makes of both embeddings."""

    def __init__(self, width=8):
        super().__init__()
        small = paddle.ParamAttr(initializer=nn.initializer.Normal(0.0, 0.3))
        self.users, self.films = nn.Embedding(USERS, width, weight_attr=small), nn.Embedding(FILMS, width, weight_attr=small)
        self.user_bias, self.film_bias = nn.Embedding(USERS, 1), nn.Embedding(FILMS, 1)
        self.inner = nn.Sequential(nn.Linear(2 * width, 16), nn.ReLU(), nn.Linear(16, 1))

    def forward(self, users, films):
        user, film = self.users(users), self.films(films)
        biases = self.user_bias(users) + self.film_bias(films) + self.inner(paddle.concat([user, film], axis=-1))
        return 3 + (user * film).sum(-1) + biases.squeeze(-1)

    def best(self, user, number=5):
        """The films that a user would rate highest."""
        scores = self(paddle.full([FILMS], user, "int64"), paddle.arange(FILMS))
        return paddle.topk(scores, number)[1].tolist()


def main(epochs=25):
    """Train; returns the mean squared error on ratings that were not seen (guessing the mean gives about 1.1)."""
    paddle.seed(0)
    users, films, scores = ratings()
    test = RATINGS // 10
    data = paddle.io.TensorDataset([users[test:], films[test:], scores[test:]])
    loader = paddle.io.DataLoader(data, batch_size=200, shuffle=True)
    model = Recommender()
    optimizer = paddle.optimizer.Adam(0.01, parameters=model.parameters(), weight_decay=1e-4)
    for epoch in range(epochs):
        for user, film, score in loader:
            loss = nn.functional.mse_loss(model(user, film), score)
            loss.backward()
            optimizer.step()
            optimizer.clear_grad()
        print(f"step {epoch:3}  loss {float(loss):.4f}")
    with paddle.no_grad():
        guesses = model(paddle.to_tensor(users[:test]), paddle.to_tensor(films[:test]))
        error = float(nn.functional.mse_loss(guesses, paddle.to_tensor(scores[:test])))
        print(f"squared error on new ratings: {error:.3f}; films for user 7: {model.best(7)}")
    return error


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=25)
    main(parser.parse_args().epochs)
