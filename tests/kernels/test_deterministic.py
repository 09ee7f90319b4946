"""With one seed, the same bits: whatever the number of threads, and however a program is run."""

import numpy as np
import pytest

import paddle
from paddle import nn, static
from paddle.kernels import built, threads


class Small(nn.Layer):
    """Convolution, normalisation, products and reductions of sizes that are split over threads."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2D(3, 8, 3, padding=1)
        self.norm = nn.BatchNorm2D(8)
        self.head = nn.Linear(8 * 16 * 16, 10)

    def forward(self, x):
        x = nn.functional.max_pool2d(nn.functional.relu(self.norm(self.conv(x))), 2)
        return self.head(x.flatten(1))


def data():
    random = np.random.RandomState(0)
    return random.randn(32, 3, 32, 32).astype("float32"), random.randint(0, 10, [32, 1])


def trained(layer_of=lambda layer: layer):
    """Losses and parameters after three steps."""
    paddle.seed(5)
    model = Small()
    run = layer_of(model)
    optimizer = paddle.optimizer.Adam(0.01, parameters=model.parameters())
    x, y = map(paddle.to_tensor, data())
    losses = []
    for _ in range(3):
        loss = nn.functional.cross_entropy(run(x), y)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        losses.append(loss.numpy())
    rows = paddle.to_tensor(np.random.RandomState(1).randn(1000, 700).astype("float32"))
    sums = [rows.sum(), rows.mean(0), rows.std(1), paddle.cumsum(rows, 0), rows.T @ rows]
    return [np.asarray(losses), *[p.numpy() for p in model.parameters()], *[s.numpy() for s in sums]]


@pytest.fixture
def deterministic():
    before = threads.get_num_threads()
    paddle.set_flags({"FLAGS_deterministic": True})
    yield
    paddle.set_flags({"FLAGS_deterministic": False})
    threads.set_num_threads(before)


@pytest.mark.skipif(not built(), reason="needs the C kernels")
def test_any_number_of_threads(deterministic):
    results = []
    for count in (1, 2, 3, 4):
        threads.set_num_threads(count)
        assert threads.get_num_threads() == count
        results.append(trained())
    for other in results[1:]:
        for a, b in zip(results[0], other):
            np.testing.assert_array_equal(a, b)


@pytest.mark.skipif(not built(), reason="needs the C kernels")
def test_the_flag_holds_the_pool_to_one_thread_and_gives_it_back():
    from paddle import kernels
    before = threads.get_num_threads()
    try:
        threads.set_num_threads(3)
        paddle.set_flags({"FLAGS_deterministic": True})
        assert "1 threads" in kernels.describe()
        threads.set_num_threads(4)
        assert "1 threads" in kernels.describe()
        paddle.set_flags({"FLAGS_deterministic": False})
        assert "4 threads" in kernels.describe()
    finally:
        paddle.set_flags({"FLAGS_deterministic": False})
        threads.set_num_threads(before)


def test_twice_the_same(deterministic):
    for a, b in zip(trained(), trained()):
        np.testing.assert_array_equal(a, b)


def test_to_static_computes_what_eager_does(deterministic):
    for a, b in zip(trained(), trained(paddle.jit.to_static)):
        np.testing.assert_array_equal(a, b)


def test_a_program_computes_what_eager_does(deterministic):
    """The forward pass, four runs: kernels are chosen anew in the second and third."""
    paddle.seed(5)
    model = Small()
    model.eval()
    x, _ = data()
    expected = model(paddle.to_tensor(x)).numpy()
    state = {k: v.numpy() for k, v in model.state_dict().items()}
    paddle.enable_static()
    try:
        main, startup = static.Program(), static.Program()
        with static.program_guard(main, startup):
            given = static.data("x", [32, 3, 32, 32])
            other = Small()
            other.eval()
            out = other(given)
        executor = static.Executor()
        executor.run(startup)
        other.set_state_dict(state)
        for _ in range(4):
            found, = executor.run(main, feed={"x": x}, fetch_list=[out])
            np.testing.assert_array_equal(found, expected)
    finally:
        paddle.disable_static()
