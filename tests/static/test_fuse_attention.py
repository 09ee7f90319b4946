"""Attention as one node: the same values as its parts, and the graphs that stay as they are."""

import numpy as np
import pytest

import paddle
from paddle import static
from paddle.nn.functional import softmax
from paddle.static.ir import passes

from .test_passes import array, built, check, needs_kernels, types

Q, K, V, MASK = array(2, 3, 5, 4), array(2, 3, 7, 4, seed=1), array(2, 3, 7, 6, seed=2), array(2, 1, 5, 7, seed=3)


def scores(q, k):
    return paddle.matmul(q, k, transpose_y=True)


def applied(function, **feed):
    graph, expected, run = built(function, feed)
    passes.apply(graph, skip=set(passes.names()) - {"dead_code", "fuse_attention"}, frozen=True)
    check(graph, expected, run, 1e-5)
    return types(graph)


ONE = {"plain": lambda q, k, v, mask: softmax(scores(q, k)) @ v,
       "scaled query": lambda q, k, v, mask: softmax(scores(q * 0.5, k)) @ v,
       "scaled scores": lambda q, k, v, mask: softmax(paddle.scale(scores(q, k), 0.5)) @ v,
       "both, and a mask": lambda q, k, v, mask: softmax(paddle.scale(scores(q * 2.0, k), 0.3) + mask) @ v}


@needs_kernels
@pytest.mark.parametrize("name", ONE)
def test_one_node(name):
    assert applied(ONE[name], q=Q, k=K, v=V, mask=MASK) == ["dot_attention"]


@needs_kernels
def test_a_scaled_query_that_others_read_stays():
    def function(q, k, v):
        scaled = q * 0.5
        return [softmax(scores(scaled, k)) @ v, scaled]
    assert applied(function, q=Q, k=K, v=V) == ["scale", "dot_attention"]


@needs_kernels
@pytest.mark.parametrize("function", [
    lambda q, k, v: [softmax(scores(q, k)) @ v, softmax(scores(q, k))],      # weights that are asked for, twice computed
    lambda q, k, v: softmax(scores(q, k), 2) @ v,                             # over another axis
    lambda q, k, v: softmax(paddle.scale(scores(q, k), 0.5, 1.0)) @ v,        # a shift of all scores
    lambda q, k, v: paddle.matmul(softmax(scores(q, k)), v[:, :, :5], True),  # turned weights
    lambda q, k, v: softmax(scores(q[0], k[0])) @ v[0],                       # three axes
], ids=["read", "axis", "shift", "turned", "three axes"])
def test_what_is_something_else(function):
    kinds = applied(function, q=Q, k=K, v=V)
    assert kinds.count("softmax") >= 1


@needs_kernels
def test_operands_that_repeat():
    """Keys of one batch for all, and a mask that makes a batch of one into several: sizes that are known when they come."""
    assert applied(ONE["plain"], q=Q, k=K[:1], v=V[:1], mask=MASK) == ["dot_attention"]
    assert applied(ONE["both, and a mask"], q=Q[:1], k=K[:1], v=V[:1], mask=MASK) == ["dot_attention"]


@needs_kernels
def test_only_where_nothing_is_trained():
    graph, _, _ = built(lambda q, k, v: static.gradients(paddle.sum(softmax(scores(q, k)) @ v), [q]), {"q": Q, "k": K, "v": V})
    assert "dot_attention" not in types(passes.apply(graph))
    assert "fuse_attention" in passes.FROZEN


@needs_kernels
def test_predictor_of_a_transformer(tmp_path):
    net = paddle.nn.TransformerEncoderLayer(8, 2, 16, 0.0)
    net.eval()
    x = array(2, 300, 8)
    paddle.jit.save(net, str(tmp_path / "net"), input_spec=[static.InputSpec([None, None, 8], "float32")])
    predictor = paddle.inference.create_predictor(paddle.inference.Config(str(tmp_path / "net")))
    given = paddle.to_tensor(x)
    np.testing.assert_allclose(predictor.run([given])[0].numpy(), net(given).numpy(), rtol=1e-4, atol=1e-5)
