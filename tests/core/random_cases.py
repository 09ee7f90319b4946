"""What is drawn after a seed: calls that real Paddle and ours make alike. ``record_random.py`` writes what the real one gives."""

import hashlib

import numpy as np

import paddle

I, F, nn, D = paddle.nn.initializer, paddle.nn.functional, paddle.nn, paddle.distribution


def parameter(initializer, shape=(3, 4), dtype="float32"):
    return paddle.create_parameter(list(shape), dtype, default_initializer=initializer)


def fixed(*shape):
    return paddle.to_tensor(np.random.RandomState(0).randn(*shape).astype("float32"))


def trained(layer, *inputs):
    out = layer(*inputs)
    out = out[0] if isinstance(out, tuple) else out
    out.sum().backward()
    return [out, *[p.grad for p in layer.parameters() if p.grad is not None]]


CALLS = {
    "rand": lambda: paddle.rand([5]),
    "rand float64": lambda: paddle.rand([5], "float64"),
    "rand over blocks": lambda: paddle.rand([700])[-5:],
    "uniform": lambda: paddle.uniform([5], min=-0.3, max=0.7),
    "uniform float64": lambda: paddle.uniform([5], "float64", min=-0.3, max=0.7),
    "uniform with seed": lambda: paddle.uniform([5], min=-1.0, max=1.0, seed=5),
    "uniform with negative seed": lambda: paddle.uniform([5], min=-1.0, max=1.0, seed=-5),
    "randn": lambda: paddle.randn([5]),
    "randn float64": lambda: paddle.randn([6], "float64"),
    "standard_normal": lambda: paddle.standard_normal([5]),
    "normal": lambda: paddle.normal(1.5, 2.5, [5]),
    "normal of tensors": lambda: paddle.normal(paddle.to_tensor([1.0, 2.0, 3.0]), 2.0),
    "gaussian with seed": lambda: paddle.tensor.random.gaussian([5], 1.0, 2.0, seed=9),
    "randint": lambda: paddle.randint(0, 100, [6]),
    "randint int32": lambda: paddle.randint(-7, 9, [6], "int32"),
    "randint wide": lambda: paddle.randint(0, 2 ** 31 - 5, [6]),
    "randint_like": lambda: paddle.randint_like(paddle.zeros([5]), 0, 1000),
    "randperm odd": lambda: paddle.randperm(7),
    "randperm even": lambda: paddle.randperm(8, "int32"),
    "bernoulli": lambda: paddle.bernoulli(paddle.full([12], 0.6)),
    "bernoulli float64": lambda: paddle.bernoulli(paddle.full([12], 0.6, "float64")),
    "multinomial": lambda: paddle.multinomial(paddle.to_tensor([[0.1, 0.4, 0.5, 0.2], [3.0, 0.0, 1.0, 2.0]]), 3),
    "multinomial with replacement": lambda: paddle.multinomial(paddle.to_tensor([0.1, 0.4, 0.5, 0.2]), 8, True),
    "poisson": lambda: paddle.poisson(paddle.to_tensor([4.0, 40.0, 0.5, 12.0, 11.9, 4.0, 300.0])),
    "exponential_": lambda: paddle.zeros([5]).exponential_(2.0),
    "exponential_ float64": lambda: paddle.zeros([5], "float64").exponential_(0.3),
    "uniform_": lambda: paddle.zeros([5]).uniform_(0, 2),
    "normal_": lambda: paddle.zeros([5]).normal_(1, 2),
    "cauchy_": lambda: paddle.zeros([5]).cauchy_(1, 2),
    "geometric_": lambda: paddle.zeros([5]).geometric_(0.3),
    "dropout": lambda: F.dropout(fixed(12), 0.3),
    "dropout float64": lambda: F.dropout(fixed(12).astype("float64"), 0.3),
    "dropout downscale": lambda: F.dropout(fixed(12), 0.3, mode="downscale_in_infer"),
    "dropout axis": lambda: F.dropout(fixed(4, 3), 0.3, axis=0),
    "dropout2d": lambda: F.dropout2d(fixed(2, 4, 1, 2), 0.4),
    "dropout3d": lambda: F.dropout3d(fixed(2, 4, 1, 1, 2), 0.4),
    "alpha_dropout": lambda: F.alpha_dropout(fixed(12), 0.3),
    "rrelu": lambda: F.rrelu(fixed(12)),
    "gumbel_softmax": lambda: F.gumbel_softmax(fixed(2, 4)),
    "XavierUniform": lambda: parameter(I.XavierUniform()),
    "XavierNormal": lambda: parameter(I.XavierNormal()),
    "KaimingUniform": lambda: parameter(I.KaimingUniform()),
    "KaimingNormal float64": lambda: parameter(I.KaimingNormal(), dtype="float64"),
    "Normal": lambda: parameter(I.Normal(0.5, 2.0)),
    "Uniform": lambda: parameter(I.Uniform(-0.3, 0.9)),
    "TruncatedNormal": lambda: parameter(I.TruncatedNormal(0.1, 2.0)),
    "TruncatedNormal float64": lambda: parameter(I.TruncatedNormal(0.1, 2.0), dtype="float64"),
    "Orthogonal": lambda: parameter(I.Orthogonal()),
    "Orthogonal tall": lambda: parameter(I.Orthogonal(), (4, 3)),
    "Linear": lambda: nn.Linear(3, 4).weight,
    "Conv2D": lambda: nn.Conv2D(2, 3, 3, groups=1).weight,
    "Conv2DTranspose": lambda: nn.Conv2DTranspose(2, 3, 3).weight,
    "Embedding": lambda: nn.Embedding(5, 3).weight,
    "GRU": lambda: nn.GRU(3, 2, 2).parameters(),
    "LSTM with dropout": lambda: trained(nn.LSTM(3, 2, 3, dropout=0.4), fixed(2, 4, 3)),
    "attention with dropout": lambda: trained(nn.MultiHeadAttention(4, 2, dropout=0.3), fixed(2, 5, 4)),
    "encoder with dropout": lambda: trained(nn.TransformerEncoderLayer(4, 2, 6, dropout=0.3), fixed(2, 5, 4)),
    "spectral_norm": lambda: nn.utils.spectral_norm(nn.Linear(2, 3)).weight_u,
    "Dirichlet": lambda: D.Dirichlet(paddle.to_tensor([0.5, 2.0, 3.0])).sample([2]),
    "Beta": lambda: D.Beta(2.0, 3.0).sample([4]),
    "Categorical": lambda: D.Categorical(paddle.to_tensor([0.1, 0.2, 0.7])).sample([6]),
    "Bernoulli": lambda: D.Bernoulli(paddle.to_tensor(0.3)).sample([8]),
    "Gumbel": lambda: D.Gumbel(1.0, 2.0).sample([4]),
    "random_split": lambda: [part.indices for part in paddle.io.random_split(list(range(10)), [7, 3])],
    "SubsetRandomSampler": lambda: list(paddle.io.SubsetRandomSampler([3, 5, 7, 11, 13])),
}


def flat(value):
    """At most 24 numbers of a result."""
    parts = value if isinstance(value, (list, tuple)) else [value]
    numbers = [np.asarray(p.numpy() if hasattr(p, "numpy") else p).astype("float64").ravel() for p in parts]
    return np.concatenate(numbers)[:24].tolist()


def eager(name):
    """Numbers of one call after ``paddle.seed(42)``, and the next that the generator gives."""
    paddle.seed(42)
    return [*flat(CALLS[name]()), float(paddle.rand([]))]


def static_run(main_seed, startup_seed):
    """Two runs of a program of random operators, some of whose results nobody reads."""
    static = paddle.static
    paddle.enable_static()
    try:
        main, startup = static.Program(), static.Program()
        main.random_seed, startup.random_seed = main_seed, startup_seed
        paddle.seed(33)
        with static.program_guard(main, startup):
            x = static.data("x", [4, 3])
            made = [parameter(i, (3, 5)) for i in (I.XavierUniform(), I.Normal(), I.TruncatedNormal())]
            paddle.rand([7]), F.dropout(x, 0.2), paddle.randint(0, 5, [3])  # unread, but drawn
            made += [F.dropout(x, 0.5), paddle.rand([3]), paddle.randn([3]), paddle.randint(0, 100, [4]), paddle.randperm(5),
                     paddle.uniform([3], seed=9), paddle.bernoulli(x * 0 + 0.5), F.dropout(x, 0.5, axis=0),
                     paddle.multinomial(x, 2), F.alpha_dropout(x, 0.4), paddle.poisson(x)]
        executor, results = static.Executor(), []
        executor.run(startup)
        for _ in range(2):
            results += executor.run(main, {"x": np.arange(1, 13, dtype="float32").reshape(4, 3)}, made)
        return [flat(r) for r in results]
    finally:
        paddle.disable_static()


SEEDS = [(0, 0), (5, 0), (0, 6), (5, 6)]


def lenet(steps=10):
    """Digests of the initial weights, labels of the first batch, and the losses of a seeded training of LeNet."""
    paddle.seed(2024)
    np.random.seed(2024)
    data = np.random.RandomState(0)
    images, labels = data.rand(256, 1, 28, 28).astype("float32"), data.randint(0, 10, (256, 1)).astype("int64")
    network = paddle.vision.models.LeNet()
    weights = [hashlib.md5(p.numpy().tobytes()).hexdigest() for p in network.parameters()]
    optimizer = paddle.optimizer.Adam(1e-3, parameters=network.parameters())
    loader = paddle.io.DataLoader(paddle.io.TensorDataset([paddle.to_tensor(images), paddle.to_tensor(labels)]),
                                  batch_size=32, shuffle=True)
    first, losses = None, []
    while len(losses) < steps:
        for image, label in loader:
            first = label.numpy().ravel().tolist() if first is None else first
            loss = F.cross_entropy(network(image), label)
            loss.backward()
            optimizer.step()
            optimizer.clear_grad()
            losses.append(float(loss))
    return {"weights": weights, "labels": first, "losses": losses[:steps]}
