"""Draws have the moments that the formulas give; densities add up to 1; gradients reach parameters; errors name the class.

Values and gradients of densities are compared with the real package in tests/oracle (cases/distributions.py).
"""

import math

import numpy as np
import pytest

import paddle
import paddle.distribution as distribution

N = 20000


def t(*values):
    return paddle.to_tensor(np.array(values, "float64"))


CONTINUOUS = {
    "Normal": lambda: distribution.Normal(t(0.5, -1.0), t(1.0, 2.0)),
    "LogNormal": lambda: distribution.LogNormal(t(0.1, -0.4), t(0.3, 0.5)),
    "Uniform": lambda: distribution.Uniform(t(0.0, -1.0), t(1.0, 3.0)),
    "Laplace": lambda: distribution.Laplace(t(0.5, -1.0), t(1.0, 0.5)),
    "Gumbel": lambda: distribution.Gumbel(t(0.5, -1.0), t(1.0, 0.5)),
    "Beta": lambda: distribution.Beta(t(2.0, 0.7), t(3.0, 1.5)),
}
DISCRETE = {
    "Bernoulli": lambda: distribution.Bernoulli(t(0.3, 0.8)),
    "Geometric": lambda: distribution.Geometric(t(0.3, 0.8)),
}


@pytest.mark.parametrize("name", [*CONTINUOUS, *DISCRETE])
def test_draws_have_the_moments(name):
    paddle.seed(7)
    d = {**CONTINUOUS, **DISCRETE}[name]()
    draws = d.sample([N]).numpy()
    assert draws.shape == (N, 2) and draws.dtype == np.float64
    deviation = np.sqrt(d.variance.numpy())
    assert np.all(np.abs(draws.mean(0) - d.mean.numpy()) < 5 * deviation / math.sqrt(N))
    np.testing.assert_allclose(draws.std(0), deviation, rtol=0.1)


@pytest.mark.parametrize("name", CONTINUOUS)
def test_densities_add_up(name):
    d = CONTINUOUS[name]()
    grid = np.linspace(*((1e-6, 1 - 1e-6) if name == "Beta" else (1e-6, 30.0) if name == "LogNormal" else (-25.0, 25.0)), 400001)
    density = np.exp(d.log_prob(paddle.to_tensor(np.stack([grid, grid], 1))).numpy())
    total = (density * (grid[1] - grid[0])).sum(0)
    np.testing.assert_allclose(total, 1, atol=2e-3)


@pytest.mark.parametrize("name", ["Normal", "LogNormal", "Uniform", "Laplace", "Gumbel"])
def test_entropy_is_the_mean_of_minus_log_density(name):
    paddle.seed(3)
    d = CONTINUOUS[name]()
    found = -d.log_prob(d.sample([N])).numpy().mean(0)
    np.testing.assert_allclose(found, d.entropy().numpy(), atol=0.05)


def test_cauchy_quartiles():
    paddle.seed(1)
    d = distribution.Cauchy(t(1.0), t(2.0))
    np.testing.assert_allclose(np.quantile(d.sample([N]).numpy(), [0.25, 0.5, 0.75]), [-1.0, 1.0, 3.0], atol=0.15)
    for what in ("mean", "variance", "stddev"):
        with pytest.raises(ValueError, match=what):
            getattr(d, what)


def test_categorical_and_multinomial_draws():
    paddle.seed(5)
    weights = t(0.1, 0.6, 0.3)
    draws = distribution.Categorical(weights.log()).sample([N]).numpy()
    np.testing.assert_allclose(np.bincount(draws, minlength=3) / N, weights.numpy(), atol=0.02)
    batch = distribution.Categorical(paddle.to_tensor(np.log([[0.9, 0.1], [0.2, 0.8]])))
    drawn = batch.sample([N]).numpy()
    assert drawn.shape == (N, 2)
    np.testing.assert_allclose(drawn.mean(0), [0.1, 0.8], atol=0.02)
    counts = distribution.Multinomial(10, weights).sample([2000]).numpy()
    assert counts.shape == (2000, 3) and np.all(counts.sum(-1) == 10)
    np.testing.assert_allclose(counts.mean(0), 10 * weights.numpy(), atol=0.2)


def test_multinomial_entropy_by_listing_all_counts():
    d = distribution.Multinomial(3, t(0.2, 0.5, 0.3))
    lists = [(a, b, 3 - a - b) for a in range(4) for b in range(4 - a)]
    logs = d.log_prob(paddle.to_tensor(np.array(lists, "float64"))).numpy()
    np.testing.assert_allclose(np.exp(logs).sum(), 1)
    np.testing.assert_allclose(float(d.entropy()), -(np.exp(logs) * logs).sum())


def test_dirichlet_draws():
    paddle.seed(2)
    d = distribution.Dirichlet(t(1.0, 2.0, 3.0))
    draws = d.sample([N]).numpy()
    np.testing.assert_allclose(draws.sum(-1), 1)
    np.testing.assert_allclose(draws.mean(0), d.mean.numpy(), atol=0.01)
    np.testing.assert_allclose(draws.var(0), d.variance.numpy(), atol=0.005)


@pytest.mark.parametrize("name", ["Normal", "Laplace", "Gumbel", "Cauchy", "Uniform"])
def test_gradients_reach_parameters_through_rsample(name):
    a, b = t(0.5), t(2.0)
    a.stop_gradient = b.stop_gradient = False
    paddle.seed(4)
    d = getattr(distribution, name)(a, b)
    draws = d.rsample([5])
    draws.sum().backward()
    np.testing.assert_allclose(a.grad.numpy() + (b.grad.numpy() if name == "Uniform" else 0), [5.0])
    assert not np.isnan(b.grad.numpy()).any()
    assert d.sample([5]).stop_gradient


def test_same_seed_same_draws():
    d = distribution.Normal(t(0.0), t(1.0))
    paddle.seed(9)
    first = d.sample([4]).numpy()
    paddle.seed(9)
    np.testing.assert_array_equal(first, d.sample([4]).numpy())


def kl_by_integral(p, q, grid):
    x = paddle.to_tensor(grid[:, None])
    log_p, log_q = p.log_prob(x).numpy(), q.log_prob(x).numpy()
    return (np.exp(log_p) * (log_p - log_q)).sum(0) * (grid[1] - grid[0])


@pytest.mark.parametrize("name", ["Normal", "Laplace", "Gumbel"])
def test_divergence_by_integration(name):
    make = getattr(distribution, name)
    p, q = make(t(0.3), t(0.8)), make(t(-0.2), t(1.1))
    grid = np.linspace(-12.0, 25.0, 200001)
    np.testing.assert_allclose(distribution.kl_divergence(p, q).numpy(), kl_by_integral(p, q, grid), rtol=1e-4)


def test_transforms_invert_and_measure_themselves():
    """The log-determinant against finite differences, element by element."""
    x = np.array([0.3, 0.7, 1.2])
    for make in (distribution.ExpTransform, distribution.SigmoidTransform, distribution.TanhTransform,
                 lambda: distribution.PowerTransform(t(2.0)),
                 lambda: distribution.AffineTransform(t(0.5), t(-3.0))):
        transform = make()
        y = transform.forward(paddle.to_tensor(x))
        np.testing.assert_allclose(transform.inverse(y).numpy(), x, rtol=1e-9)
        step = 1e-6
        slope = (transform.forward(paddle.to_tensor(x + step)).numpy() - transform.forward(paddle.to_tensor(x - step)).numpy())
        measured = np.log(np.abs(slope / (2 * step)))
        np.testing.assert_allclose(transform.forward_log_det_jacobian(paddle.to_tensor(x)).numpy() + 0 * x, measured, atol=1e-6)
        np.testing.assert_allclose(transform.inverse_log_det_jacobian(y).numpy() + 0 * x, -measured, atol=1e-6)


def test_stick_breaking_measures_itself():
    x, transform = np.array([0.3, -0.7]), distribution.StickBreakingTransform()
    columns = []
    for k in range(2):
        moved = [transform.forward(paddle.to_tensor(x + s * 1e-6 * np.eye(2)[k])).numpy() for s in (1, -1)]
        columns.append(((moved[0] - moved[1]) / 2e-6)[:2])
    wanted = np.log(abs(np.linalg.det(np.stack(columns, 1))))
    np.testing.assert_allclose(float(transform.forward_log_det_jacobian(paddle.to_tensor(x))), wanted, atol=1e-6)
    assert transform.forward_shape((5, 2)) == (5, 3) and transform.inverse_shape((5, 3)) == (5, 2)


def test_entropy_of_exponential_families_from_the_normaliser():
    for d in (distribution.Bernoulli(t(0.3)),):
        np.testing.assert_allclose(distribution.ExponentialFamily.entropy(d).numpy(), d.entropy().numpy(), rtol=1e-9)


@pytest.mark.parametrize("call, words", [
    (lambda: distribution.Normal("a", 1.0), "Normal"),
    (lambda: distribution.Categorical(t(1.0)[0]), "Categorical"),
    (lambda: distribution.Multinomial(0, t(1.0)), "Multinomial"),
    (lambda: distribution.Independent(distribution.Normal(t(0.0), t(1.0)), 2), "Independent"),
    (lambda: distribution.TransformedDistribution(distribution.Normal(t(0.0), t(1.0)), [1]), "TransformedDistribution"),
    (lambda: distribution.kl_divergence(distribution.Normal(t(0.0), t(1.0)), distribution.Laplace(t(0.0), t(1.0))),
     "kl_divergence"),
    (lambda: distribution.kl_divergence(1, 2), "kl_divergence"),
    (lambda: distribution.register_kl(int, int), "register_kl"),
    (lambda: distribution.AffineTransform(1.0, 2.0), "AffineTransform"),
    (lambda: distribution.ReshapeTransform([2], [3]), "ReshapeTransform"),
    (lambda: distribution.StackTransform([distribution.ExpTransform()]).forward(t(1.0, 2.0)), "StackTransform"),
    (lambda: distribution.AbsTransform().forward_log_det_jacobian(t(1.0)), "AbsTransform"),
    (lambda: distribution.Distribution().sample(), "Distribution"),
])
def test_errors_name_who_raises_them(call, words):
    with pytest.raises((ValueError, TypeError, NotImplementedError), match=words):
        call()


@pytest.mark.parametrize("make", [lambda x: distribution.Normal(x, 1.0), lambda x: distribution.LogNormal(0.0, x),
                                  lambda x: distribution.Gumbel(x, 1.0),
                                  lambda x: distribution.Beta(x, 2.0), distribution.Dirichlet, distribution.Categorical,
                                  distribution.Bernoulli])
def test_errors_of_constructors_name_the_class(make):
    name = type(make(paddle.to_tensor([0.5, 0.5]))).__name__
    for wrong in ("text", None, {}, object(), [[1.0], [1.0, 2.0]], 1j, ["a"]):
        with pytest.raises((TypeError, ValueError), match=rf"^{name}\(\): "):
            make(wrong)


def test_errors_of_methods_name_class_and_method():
    with pytest.raises(ValueError, match=r"^Normal\.log_prob\(\): "):
        distribution.Normal(paddle.zeros([2]), paddle.ones([2])).log_prob(paddle.zeros([3]))
    with pytest.raises(ValueError, match=r"^Normal\.sample\(\): "):
        distribution.Normal(0.0, 1.0).sample([-1])
    with pytest.raises(TypeError, match=r"^ExpTransform\.forward\(\): "):
        distribution.ExpTransform().forward("text")


def test_exponential_families_in_programs():
    class Exponential(paddle.distribution.ExponentialFamily):
        def __init__(self, rate):
            self.rate = rate
            super().__init__(rate.shape)

        _natural_parameters = property(lambda self: (-self.rate,))
        _mean_carrier_measure = 0

        def _log_normalizer(self, x):
            return -paddle.log(-x)

    rate, other = np.array([0.5, 2.0, 3.0], "float32"), np.array([3.0, 0.5, 3.0], "float32")
    paddle.enable_static()
    try:
        with paddle.static.program_guard(paddle.static.Program()):
            p, q = [Exponential(paddle.static.data(name, [3])) for name in ("rate", "other")]
            found, divergence = paddle.static.Executor().run(
                feed={"rate": rate, "other": other}, fetch_list=[p.entropy(), paddle.distribution.kl_divergence(p, q)])
    finally:
        paddle.disable_static()
    np.testing.assert_allclose(found, 1 - np.log(rate), rtol=1e-6)
    np.testing.assert_allclose(divergence, np.log(rate / other) + other / rate - 1, rtol=1e-5, atol=1e-6)


def test_what_is_nearly_certain_keeps_its_digits():
    """log(p) of p = 1 - eps is -eps; the difference of two logarithms of the odds would be 0."""
    d = distribution.Bernoulli(paddle.to_tensor([1.0, 0.999999, 0.3]))
    p = d.probs.numpy().astype("float64")
    np.testing.assert_allclose(d.log_prob(paddle.ones([3])), np.log(p), rtol=1e-6)
    np.testing.assert_allclose(d.log_prob(paddle.zeros([3])), np.log1p(-p), rtol=1e-6)
    np.testing.assert_allclose(d.entropy(), -p * np.log(p) - (1 - p) * np.log1p(-p), rtol=1e-5)
    other = distribution.Bernoulli(paddle.to_tensor([0.5, 0.5, 0.9]))
    q = other.probs.numpy().astype("float64")
    divergence = p * np.log(p / q) + (1 - p) * np.log((1 - p) / (1 - q))
    np.testing.assert_allclose(distribution.kl_divergence(d, other), divergence, rtol=1e-5)
