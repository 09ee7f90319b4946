"""Distributions that Paddle 3 added; values recorded from Paddle 3.3.1, and moments of draws."""

import numpy as np
import pytest

import paddle

D = paddle.distribution


def t(*values):
    return paddle.to_tensor(list(values))


COVARIANCE = paddle.to_tensor([[2.0, 0.5], [0.5, 1.0]])
OTHER = paddle.to_tensor([[1.0, 0.5], [0.5, 1.0]])
FACTOR = paddle.to_tensor([[1.0, 0, 0], [0.6, 0.8, 0], [0.2, 0.3, 0.9327379]])
RECORDED = [
    (lambda: D.Binomial(10, t(.3)).log_prob(t(3.)), -1.3211515), (lambda: D.Binomial(10, t(.3)).entropy(), 1.7790790),
    (lambda: D.Chi2(t(3.)).log_prob(t(2.)), -1.5723649),
    (lambda: D.ContinuousBernoulli(t(.2, .5)).log_prob(t(.3, .3)), [0.1984280, 0]),
    (lambda: D.ContinuousBernoulli(t(.2, .5)).mean, [0.3880142, 0.5]),
    (lambda: D.ContinuousBernoulli(t(.2, .5)).variance, [0.0758978, 0.0833333]),
    (lambda: D.ContinuousBernoulli(t(.2, .5)).entropy(), [-0.0764145, 0]),
    (lambda: D.ContinuousBernoulli(t(.2, .5)).cdf(t(.3, .3)), [0.4536615, 0.3]),
    (lambda: D.ContinuousBernoulli(t(.2, .5)).icdf(t(.3, .3)), [0.1838659, 0.3]),
    (lambda: D.Exponential(t(2.)).log_prob(t(1.)), -1.3068528), (lambda: D.Exponential(t(2.)).entropy(), 0.3068528),
    (lambda: D.Exponential(t(2.)).cdf(t(1.)), 0.8646647), (lambda: D.Exponential(t(2.)).icdf(t(.5)), 0.3465736),
    (lambda: D.Gamma(t(2.), t(3.)).log_prob(t(1.)), -0.8027754), (lambda: D.Gamma(t(2.), t(3.)).entropy(), 0.4786035),
    (lambda: D.Gamma(t(2.), t(3.)).prob(t(1.)), 0.4480836),
    (lambda: D.Poisson(t(3.)).log_prob(t(2.)), -1.4959226), (lambda: D.Poisson(t(3.)).entropy(), 1.9314703),
    (lambda: D.StudentT(t(5.), t(1.), t(2.)).log_prob(t(2.)), -1.8081371),
    (lambda: D.StudentT(t(5.), t(1.), t(2.)).entropy(), 2.3206489), (lambda: D.StudentT(t(5.), t(1.), t(2.)).variance, 6.6666665),
    (lambda: D.MultivariateNormal(t(1., 2.), COVARIANCE).log_prob(t(0., 1.)), -2.6891134),
    (lambda: D.MultivariateNormal(t(1., 2.), COVARIANCE).entropy(), 3.1176848),
    (lambda: D.MultivariateNormal(t(1., 2.), COVARIANCE).variance, [2, 1]),
    (lambda: D.LKJCholesky(3, 1.5).log_prob(FACTOR), -1.5428650),
    (lambda: D.kl_divergence(D.Gamma(t(2.), t(3.)), D.Gamma(t(1.), t(2.))), 0.1615826),
    (lambda: D.kl_divergence(D.Exponential(t(2.)), D.Exponential(t(1.))), 0.1931472),
    (lambda: D.kl_divergence(D.Poisson(t(2.)), D.Poisson(t(1.))), 0.3862943),
    (lambda: D.kl_divergence(D.Binomial(5, t(.2)), D.Binomial(5, t(.4))), 0.4575810),
    (lambda: D.kl_divergence(D.ContinuousBernoulli(t(.2)), D.ContinuousBernoulli(t(.4))), 0.0378490),
    (lambda: D.kl_divergence(D.MultivariateNormal(t(1., 2.), COVARIANCE), D.MultivariateNormal(t(0., 2.), OTHER)), 0.9096843),
]


@pytest.mark.parametrize("number", range(len(RECORDED)))
def test_value_recorded_from_paddle_3(number):
    function, wanted = RECORDED[number]
    np.testing.assert_allclose(function().numpy().ravel(), np.ravel(wanted), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", ["Binomial", "Chi2", "ContinuousBernoulli", "Exponential", "Gamma", "Poisson", "StudentT"])
def test_draws_have_the_moments(name):
    given = {"Binomial": (10, t(.3)), "Chi2": (t(3.),), "ContinuousBernoulli": (t(.2),), "Exponential": (t(2.),),
             "Gamma": (t(2.), t(3.)), "Poisson": (t(3.),), "StudentT": (t(9.), t(1.), t(2.))}[name]
    paddle.seed(5)
    d = getattr(D, name)(*given)
    draws = d.sample([20000]).numpy()
    assert draws.shape == (20000, 1)
    np.testing.assert_allclose(draws.mean(), float(d.mean), atol=4 * float(d.variance) ** 0.5 / 140)
    np.testing.assert_allclose(draws.var(), float(d.variance), rtol=0.12)


def test_draws_of_vectors_and_matrices():
    paddle.seed(5)
    draws = D.MultivariateNormal(t(1., 2.), precision_matrix=COVARIANCE).sample([20000]).numpy()
    np.testing.assert_allclose(np.cov(draws.T), np.linalg.inv(COVARIANCE.numpy()), atol=0.03)
    for dim, eta in ((2, 1.0), (3, 2.5)):
        factors = D.LKJCholesky(dim, eta).sample([5000]).numpy().astype("float64")
        correlations = factors @ factors.transpose(0, 2, 1)
        np.testing.assert_allclose(correlations.diagonal(0, 1, 2), 1, atol=1e-5)
        # every correlation r has (r + 1) / 2 ~ Beta(a, a) with a = eta - 1 + dim / 2: variance of r is 1 / (2a + 1)
        a = eta - 1 + dim / 2
        np.testing.assert_allclose(correlations[:, 0, dim - 1].var(), 1 / (2 * a + 1), rtol=0.08)


def test_gradients_reach_the_parameters():
    rate = paddle.to_tensor([2.0], stop_gradient=False)
    D.Exponential(rate).rsample([100]).mean().backward()
    assert float(rate.grad) < 0
    loc = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    D.MultivariateNormal(loc, COVARIANCE).rsample([3]).sum().backward()
    assert loc.grad.tolist() == [3.0, 3.0]


def test_bad_parameters():
    with pytest.raises(ValueError, match="one of"):
        D.MultivariateNormal(t(1., 2.))
    with pytest.raises(ValueError, match="total_count"):
        D.Binomial(0, t(.5))
    with pytest.raises(ValueError, match="dim"):
        D.LKJCholesky(1)
