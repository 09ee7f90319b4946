"""Passes that record themselves (create_graph), in both builds of the tape."""

import numpy as np
import pytest

import paddle
from paddle.core.backward import backward


def leaf(*values):
    return paddle.to_tensor(np.array(values, "float32"), stop_gradient=False)


def test_gradients_of_gradients(engine):
    """Saved inputs and outputs, broadcasting, several outputs, sums at leaves and nodes, hooks: third derivatives by hand."""
    x, w, seen = leaf(0.3, -0.7), leaf(0.5), []
    parts = paddle.unstack(x * w)  # several outputs, of which one gets no gradient
    y = paddle.tanh(parts[1]) + paddle.exp(x).sum() * w
    y.register_hook(lambda g: seen.append(g.stop_gradient))
    first, = paddle.grad(y, x, create_graph=True)
    t, e = np.tanh(-0.35), np.exp([0.3, -0.7])
    np.testing.assert_allclose(first, e * 0.5 + [0, (1 - t * t) * 0.5], rtol=1e-6)
    second, = paddle.grad((first * first).sum(), w, create_graph=True)
    slope, bend = 1 - t * t, -2 * t * (1 - t * t)
    inner = e * 0.5 + [0, slope * 0.5]
    moved = e + [0, slope - 0.7 * 0.5 * bend]
    np.testing.assert_allclose(second.item(), 2 * (inner * moved).sum(), rtol=1e-5)
    third, = paddle.grad(second, w)
    step = 1e-4

    def second_at(v):
        t = np.tanh(-0.7 * v)
        slope, bend = 1 - t * t, -2 * t * (1 - t * t)
        return 2 * ((e * v + [0, slope * v]) * (e + [0, slope - 0.7 * v * bend])).sum()

    np.testing.assert_allclose(third.item(), (second_at(0.5 + step) - second_at(0.5 - step)) / (2 * step), rtol=1e-4)
    assert seen


def test_a_graph_of_gradients_accumulates_in_leaves(engine):
    x = leaf(3.0)
    backward([x ** 3], create_graph=True)
    assert not x.grad.stop_gradient
    again = x.grad * x.grad
    x._grad = None
    again.backward()
    assert float(x.grad) == 2 * 27.0 * 18.0


def test_only_some_inputs_and_constants(engine):
    x, y = leaf(2.0), leaf(3.0)
    middle = x * y
    out = middle * middle * y
    found, = paddle.grad(out, x, create_graph=True, no_grad_vars=[y])
    assert float(found) == 2 * 6.0 * 3.0 * 3.0
    one, two = paddle.grad(out, [middle, y], create_graph=True, allow_unused=True)
    assert (float(one), float(two)) == (36.0, 108.0)
    with pytest.raises(RuntimeError, match="no output depends"):
        paddle.grad(out, leaf(1.0))
