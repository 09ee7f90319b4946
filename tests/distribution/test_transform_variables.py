"""What transforms say of the variables before and after, and the constraints of those (as Paddle 2.6.2 has them)."""

import pytest

import paddle
from paddle.distribution import constraint, transform, variable


@pytest.mark.parametrize(("made", "before", "after", "ranks"), [
    (transform.AbsTransform(), variable.Real, variable.Positive, (0, 0)),
    (transform.ExpTransform(), variable.Real, variable.Positive, (0, 0)),
    (transform.TanhTransform(), variable.Real, variable.Variable, (0, 0)),
    (transform.SoftmaxTransform(), variable.Independent, variable.Variable, (1, 1)),
    (transform.ReshapeTransform([2, 3], [6]), variable.Independent, variable.Independent, (2, 1)),
    (transform.IndependentTransform(transform.ExpTransform(), 2), variable.Independent, variable.Independent, (2, 2)),
    (transform.StackTransform([transform.ExpTransform()], -1), variable.Stack, variable.Stack, (1, 1)),
    (transform.ChainTransform([transform.ReshapeTransform([6], [2, 3]), transform.ExpTransform()]), variable.Independent,
     variable.Independent, (1, 2)),
], ids=lambda value: type(value).__name__)
def test_domains(made, before, after, ranks):
    assert isinstance(made._domain, before) and isinstance(made._codomain, after)
    assert (made._domain.event_rank, made._codomain.event_rank) == ranks


def test_a_transform_of_a_users_own():
    """Its domain, codomain and type are what Paddle's documentation lets subclasses set."""
    class Double(transform.Transform):
        _type = transform.Type.BIJECTION
        _domain = _codomain = variable.Independent(variable.real, 1)

        def _forward(self, x):
            return x * 2

        def _forward_log_det_jacobian(self, x):
            return paddle.full([*x.shape[:-1]], 0.5)

    chain = transform.ChainTransform([transform.ExpTransform(), Double()])
    x = paddle.to_tensor([[0.0, 1.0]])
    assert chain.forward_log_det_jacobian(x).tolist() == [1.5]  # the sum over an event of exp's, and its own
    assert Double()._is_injective() and not transform.AbsTransform()._is_injective()
    with pytest.raises(TypeError, match=r"Double.forward\(\): needs a Tensor"):
        Double().forward([1.0])
    with pytest.raises(ValueError, match="needs at least 1 axes"):
        Double().forward(paddle.to_tensor(1.0))


def test_constraints():
    assert constraint.Real()(1.0) and constraint.Range(0, 1)(0.5) and not constraint.Range(0, 1)(2)
    assert constraint.Positive()(1) and not constraint.positive(-1)
    assert bool(constraint.simplex(paddle.to_tensor([0.5, 0.5]))) and not bool(constraint.simplex(paddle.to_tensor([-0.5, 1.5])))
    with pytest.raises(NotImplementedError):
        constraint.Constraint()(1.0)
    rows = paddle.to_tensor([[1.0, 2.0], [1.0, -2.0]])
    assert variable.Independent(variable.positive, 1).constraint(rows).tolist() == [True, False]
    assert variable.Stack([variable.real, variable.positive], 1).constraint(rows).tolist() == [[True, True], [True, False]]
    with pytest.raises(ValueError, match="at least 3 axes"):
        variable.Independent(variable.real, 3).constraint(rows)
    with pytest.raises(ValueError, match="no axis 5"):
        variable.Stack([variable.real], 5).constraint(rows)


@pytest.mark.parametrize(("call", "error"), [
    (lambda: paddle.distribution.Bernoulli(1.5), ValueError), (lambda: paddle.distribution.Geometric(0.0), ValueError),
    (lambda: paddle.distribution.Geometric([0.5]), TypeError), (lambda: paddle.distribution.Geometric(0.5).pmf([1]), TypeError),
    (lambda: paddle.distribution.Cauchy([0.0], 1.0), TypeError),
    (lambda: paddle.distribution.Cauchy(0.0, 1.0).sample(5), TypeError),
])
def test_what_paddle_refuses(call, error):
    with pytest.raises(error):
        call()


def test_values_of_another_type_are_warned_of():
    value = paddle.to_tensor([1.0], dtype="float64")
    with pytest.warns(UserWarning, match="value is float64"):
        assert paddle.distribution.Bernoulli(0.25).log_prob(value).dtype == paddle.float32


def test_relaxed_draws_have_gradients():
    p = paddle.to_tensor([0.25, 0.5], stop_gradient=False)
    d = paddle.distribution.Bernoulli(p)
    slope, = paddle.grad(d.rsample([3]).sum(), [d.probs])
    assert slope.numpy() == pytest.approx([3 / (0.25 * 0.75), 3 / 0.25], rel=1e-5)
