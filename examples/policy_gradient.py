"""REINFORCE on a corridor: the agent starts in the middle and is paid for reaching the right end; the left end costs."""

import argparse

import numpy as np

import paddle
from paddle import nn

LENGTH, MOST = 9, 30


def episode(policy, random):
    """One walk: ([places], [moves], reward)."""
    place, places, moves = LENGTH // 2, [], []
    while 0 < place < LENGTH - 1 and len(moves) < MOST:
        with paddle.no_grad():
            right = float(nn.functional.softmax(policy(one_hot([place])), -1)[0, 1])
        places.append(place)
        moves.append(int(random.rand() < right))
        place += 2 * moves[-1] - 1
    return places, moves, 1.0 if place == LENGTH - 1 else -1.0 if place == 0 else 0.0


def one_hot(places):
    """Rows with a 1 at each place."""
    return nn.functional.one_hot(paddle.to_tensor(places, "int64"), LENGTH)


def main(updates=40, episodes=8):
    """Train; returns the share of the last walks that reached the right end."""
    paddle.seed(0)
    random = np.random.RandomState(0)
    policy = nn.Sequential(nn.Linear(LENGTH, 16), nn.Tanh(), nn.Linear(16, 2))
    optimizer = paddle.optimizer.Adam(0.03, parameters=policy.parameters())
    average, rewards = 0.0, []
    for update in range(updates):
        places, moves, weights = [], [], []
        for _ in range(episodes):
            visited, made, reward = episode(policy, random)
            rewards.append(reward)
            places, moves, weights = places + visited, moves + made, weights + [reward - average] * len(made)
            average = 0.95 * average + 0.05 * reward
        loss = nn.functional.cross_entropy(policy(one_hot(places)), paddle.to_tensor(moves), reduction="none")
        (loss.flatten() * paddle.to_tensor(weights, "float32")).mean().backward()
        optimizer.step()
        optimizer.clear_grad()
        if update % 10 == 0:
            print(f"update {update:3}  mean reward {np.mean(rewards[-episodes:]):+.2f}")
    share = float(np.mean([reward == 1.0 for reward in rewards[-40:]]))
    print(f"of the last 40 walks {share:.0%} reached the right end")
    return share


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--updates", type=int, default=40)
    main(parser.parse_args().updates)
