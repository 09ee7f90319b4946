"""EagerParamBase, a parameter that programs make from its sizes."""

import copy

import numpy as np
import pytest

import paddle
from paddle.base.framework import EagerParamBase


def test_a_parameter_is_made_filled_and_trained():
    p = EagerParamBase(shape=[2, 3], dtype="float32", name="mine", optimize_attr={"learning_rate": 0.5}, need_clip=False)
    assert (p.name, p.shape, p.dtype) == ("mine", [2, 3], paddle.float32)
    assert p.trainable and p.persistable and not p.need_clip
    p.value().get_tensor().set(np.full([2, 3], 4.0, "float32"), paddle.CPUPlace())
    optimizer = paddle.optimizer.SGD(0.5, parameters=[p])
    (p * 2).sum().backward()
    optimizer.step()
    np.testing.assert_array_equal(p.numpy(), np.full([2, 3], 3.5))


def test_every_parameter_is_an_instance_and_layers_take_it():
    class Marked(EagerParamBase):
        def __init__(self, shape):
            super().__init__(shape, "float32", trainable=False)
            self.tag = 1

    layer, mark = paddle.nn.Linear(2, 2), Marked([2])
    layer.extra = EagerParamBase([2], paddle.float64)
    assert all(isinstance(p, EagerParamBase) for p in (*layer.parameters(), mark, copy.deepcopy(layer.extra)))
    assert len(layer.parameters()) == 3 and issubclass(type(layer.weight), EagerParamBase)
    assert not isinstance(paddle.ones([2]), EagerParamBase) and not isinstance(layer.weight, Marked)
    assert mark.stop_gradient and mark.tag == 1 and mark.name.startswith("_eager_param_base_")


@pytest.mark.parametrize("shape, dtype, text", [([-1, 2], "float32", "shape must be"), (None, "float32", "shape must be"),
                                                ([2], None, "dtype must be")])
def test_sizes_and_type_are_needed(shape, dtype, text):
    with pytest.raises(ValueError, match=rf"EagerParamBase\(\): {text}"):
        EagerParamBase(shape, dtype)
