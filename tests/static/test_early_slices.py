"""Slices taken early: less is computed, and nothing else changes."""

import numpy as np
import pytest

import paddle
from paddle import nn, static
from paddle.core.context import process
from paddle.nn import functional as F
from paddle.static.ir import passes
from paddle.static.schedule.frozen import Frozen

pytestmark = pytest.mark.skipif(process.native is None, reason="products with bias are one node only with kernels")


def array(*shape, seed=0):
    return np.random.RandomState(seed).randn(*shape).astype("float32")


def both(function, feed, spec=None):
    """(with the pass, without it) as (Frozen, results)."""
    main = static.Program()
    with static.program_guard(main):
        xs = [static.data(name, (spec or {}).get(name, list(a.shape)), a.dtype.name) for name, a in feed.items()]
        outs = function(*xs)
    names = [o.name for o in (outs if isinstance(outs, (list, tuple)) else [outs])]
    arrays = {name: t._data for name, t in main.captured.items()}
    made = [Frozen(main, list(feed), names, arrays, skip) for skip in (("merge_linear",), ("merge_linear", "early_slices"))]
    return [(f, f(list(feed.values()))) for f in made]


def same(found, tolerance=2e-6):
    (_, a), (_, b) = found
    for x, y in zip(a, b):
        assert x.shape == y.shape
        np.testing.assert_allclose(x, y, rtol=tolerance, atol=tolerance)


def rows(frozen, feed, kinds=("linear_act", "linear_add")):
    """How many rows each product computes."""
    graph, env = frozen.graph, dict(zip(frozen.graph.inputs, map(paddle.to_tensor, feed)))
    graph.run_tensors(env)
    return [int(np.prod(env[n.outs[0]].shape[:-1])) for n in graph.nodes if n.type in kinds]


def encoder(take, layers=2, **more):
    def function(x, *mask):
        layer = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, activation="gelu", **more)
        net = nn.TransformerEncoder(layer, layers)
        net.eval()
        return nn.Linear(16, 3)(take(net(x, *mask)))
    return function


TAKES = {"first": lambda y: y[:, 0], "last": lambda y: y[:, -1], "some": lambda y: y[:, 2:5],
         "from the end": lambda y: y[:, -3:-1], "kept": lambda y: y[:, 0:1]}


@pytest.mark.parametrize("normalize_before", [False, True])
@pytest.mark.parametrize("take", TAKES)
def test_last_layer_computes_what_is_read(take, normalize_before):
    feed = {"x": array(2, 7, 16)}
    found = both(encoder(TAKES[take], normalize_before=normalize_before), feed)
    same(found)
    count = 2 * {"first": 1, "last": 1, "some": 3, "from the end": 2, "kept": 1}[take]
    assert rows(found[1][0], feed.values()) == [14] * 12 + [count]
    assert sorted(rows(found[0][0], feed.values())) == [count] * 5 + [14] * 8  # keys and values of the last layer need all tokens


@pytest.mark.parametrize("take,less", [("first", True), ("last", True), ("some", False)])
def test_lengths_that_are_not_known(take, less):
    """A part of several rows could meet an operand that is repeated, if sizes are unknown; the first or last row can't."""
    feed = {"x": array(2, 7, 16)}
    found = both(encoder(TAKES[take]), feed, {"x": [-1, -1, 16]})
    same(found)
    other = [array(3, 5, 16, seed=1)]
    np.testing.assert_allclose(found[0][0](other)[0], found[1][0](other)[0], rtol=2e-6, atol=2e-6)
    assert (sum(rows(found[0][0], feed.values())) < sum(rows(found[1][0], feed.values()))) or not less


@pytest.mark.parametrize("shape", [(2, 1, 1, 7), (1, 1, 7, 7), (7, 7), (2, 2, 7, 7)])
def test_masks(shape):
    found = both(encoder(TAKES["last"]), {"x": array(2, 7, 16), "mask": array(*shape, seed=1)})
    same(found)
    assert any(n.type == "slice" for n in found[0][0].graph.nodes)


def test_what_others_read_stays_whole():
    def function(x):
        h = F.relu(nn.Linear(4, 6)(x))
        return h[:, 0], h.sum(), nn.Linear(6, 2)(h)[:, 1], nn.Linear(6, 2)(h)[:, 0]
    feed = {"x": array(2, 5, 4)}
    found = both(function, feed)
    same(found)
    assert rows(found[0][0], feed.values()) == [10, 2, 2]


@pytest.mark.parametrize("function", [
    lambda x: F.softmax(nn.Linear(4, 4)(x), axis=1)[:, 0],                      # mixes rows
    lambda x: paddle.cumsum(nn.Linear(4, 4)(x), axis=1)[:, 0],
    lambda x: nn.LayerNorm([5, 4])(nn.Linear(4, 4)(x))[:, 0],
    lambda x: nn.Linear(4, 4)(x)[0],                                            # the batch
    lambda x: nn.Linear(4, 4)(x)[:, :, 1],                                      # columns
    lambda x: paddle.matmul(nn.Linear(4, 4)(x), x, transpose_x=True)[:, :, 1],
    lambda x: nn.Linear(4, 4)(x).reshape([2, 20])[:, 3],
    lambda x: nn.Linear(4, 4)(x).transpose([1, 0, 2])[0],
])
def test_left_alone(function):
    feed = {"x": array(2, 5, 4)}
    found = both(function, feed)
    same(found)
    assert set(rows(found[0][0], feed.values())) == {10}


@pytest.mark.parametrize("function", [
    lambda x: (nn.Linear(4, 4)(x) + paddle.ones([1, 1, 4]))[:, 3],
    lambda x: (nn.Linear(4, 4)(x) * paddle.arange(5, dtype="float32").reshape([5, 1]))[:, 3],
    lambda x: paddle.matmul(nn.Linear(4, 4)(x).transpose([0, 2, 1]), x, transpose_x=True, transpose_y=True)[:, 3],
    lambda x: nn.Linear(4, 4)(x).transpose([0, 2, 1])[:, :, 3],
    lambda x: F.gelu(nn.Linear(4, 4)(x)).reshape([0, 0, 2, 2])[:, 3, 1],
])
def test_through_broadcasts_and_moves(function):
    feed = {"x": array(2, 5, 4)}
    same(both(function, feed))


def test_predictors_use_it():
    assert "early_slices" in passes.FROZEN
