"""What the rules of operators say of cut axes: which may be cut, and what the results of the parts are."""

from types import SimpleNamespace

import numpy as np
import opcase

from paddle.core.facts import Spec
from paddle.core.op import BY_NAME
from paddle.ops.families import sharding

opcase.load_ops()


def spec(*shape):
    return SimpleNamespace(shape=shape)


def test_means_count_by_their_sizes():
    travel = sharding.averaging(BY_NAME["mean"], [spec(4, 3)], {"axis": [0], "keepdim": False})
    assert travel.inputs == [(0, 1)] and travel.outputs == [(1,)]
    x = np.arange(12.0).reshape(4, 3)
    parts = [travel.run(lambda a: a.mean(0), [part], {0: SimpleNamespace(size=len(part), whole=4)}) for part in (x[:1], x[1:])]
    np.testing.assert_allclose(sum(parts), x.mean(0))
    whole = travel.run(lambda a: a.mean(0), [x], {1: SimpleNamespace(size=1, whole=3)})
    np.testing.assert_allclose(whole, x.mean(0))


def test_sums_of_several_inputs():
    travel = sharding.summing(BY_NAME["sum"], [spec(4, 1, 3), None, None], {"axis": [0], "keepdim": True})
    assert travel.inputs == [(0, None, 2), None, None] and travel.outputs == [(None, None, 2)]


def test_products_with_vectors():
    vector = sharding.product(None, [spec(3), spec(3, 4)], {"transpose_x": True})
    assert vector.inputs == [("inner",), ("inner", "column")] and vector.outputs == [("column",)]
    turned = sharding.product(None, [spec(3, 2), spec(3, 4)], {"transpose_x": True})
    assert turned.inputs == [("inner", "row"), ("inner", "column")] and turned.outputs == [("row", "column")]


def test_axes_that_are_taken_apart_or_indexed():
    unbind, split = (sharding.taken_apart(BY_NAME[name], [spec(2, 3, 4), *[None] * (BY_NAME[name].n_in - 1)], {"axis": 1})
                     for name in ("unbind", "split"))
    assert unbind.outputs == [(0, 2)] and split.outputs == [(0, None, 2)]
    travel = sharding.indexed(None, [spec(2, 3, 4, 5)], {"index": (0, Ellipsis, slice(None), None)})
    assert travel.inputs == [(None, 1, 2, 3)] and travel.outputs == [(1, 2, 3, None)]


def test_classes_are_whole():
    travel = sharding.classified(BY_NAME["softmax_with_cross_entropy"], [spec(4, 1, 5), spec(4, 1, 1)], {"axis": -1})
    assert travel.inputs[0] == (0, None, None)


def test_axes_that_become_one():
    attrs = dict.fromkeys(BY_NAME["reshape"].attr_names) | {"shape": [8, 3]}
    travel = sharding.rearranged(BY_NAME["reshape"], [Spec((2, 4, 3), np.dtype("float32"))], attrs)
    assert travel is not None and travel.inputs[0][0] is not None


def test_axes_of_broadcast_shapes_count_from_the_last():
    assert sharding.aligned((2, 3), (4, 2, 3)) == (1, 2) and sharding.aligned((1, 3), (4, 2, 3)) == (None, 2)


def test_reductions_of_all_axes():
    for whole in ({"flatten": True}, {"asvector": True}):
        travel = sharding.reducing(BY_NAME["max"], [spec(4, 3)], {"axis": [0], "keepdim": False, **whole})
        assert travel.outputs == [()]


def test_numbers_have_no_product():
    assert sharding.product(None, [spec(), spec(3)], {}) is None and sharding.product(None, [spec(3), spec()], {}) is None


def test_axes_of_one_element_are_not_cut():
    assert sharding._blocks((2, 3), (1, 2, 3)) == ((0, 1), (None, 0, 1), {})
    assert sharding._blocks((1, 2, 3), (2, 3)) == ((None, 0, 2), (0, 2), {})
