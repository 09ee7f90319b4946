"""Tensor(...) with arguments in the orders of C++, which programs of 2.x use (core.eager.Tensor is the same class there)."""

import numpy as np
import pytest

import paddle
from paddle.base import core

CPU = core.CPUPlace()
VALUES = np.arange(4, dtype=np.float32)


def facts(t):
    return t.numpy().tolist(), t.persistable, t.stop_gradient


def test_after_the_place():
    made = core.eager.Tensor(VALUES, CPU, True, False, "of_the_place", False)
    assert facts(made) == (VALUES.tolist(), True, False) and made.name == "of_the_place"
    assert facts(core.eager.Tensor(VALUES, CPU)) == (VALUES.tolist(), False, True)
    assert facts(paddle.Tensor(VALUES, CPU, True, stop_gradient=False)) == (VALUES.tolist(), True, False)
    assert core.eager.Tensor(made, CPU, "again").name == "again"


def test_by_names():
    made = core.eager.Tensor(value=VALUES, place=CPU, persistable=True, zero_copy=False, name="by_names", stop_gradient=False)
    assert facts(made) == (VALUES.tolist(), True, False) and made.name == "by_names"


def test_zero_copy_shares_the_array():
    array = VALUES.copy()
    shared, copied = (paddle.Tensor(value=array, place=CPU, zero_copy=flag) for flag in (True, False))
    array[0] = 9
    assert shared.tolist() == [9, 1, 2, 3] and copied.tolist() == [0, 1, 2, 3]


def test_of_sizes():
    kinds = core.VarDesc.VarType
    made = core.eager.Tensor(kinds.INT64, [4, 2], "of_sizes", kinds.LOD_TENSOR, True)
    assert (made.shape, made.dtype, made.name, made.persistable) == ([4, 2], paddle.int64, "of_sizes", True)
    made = core.eager.Tensor(dtype=kinds.FP32, dims=[3], name="by_dims", type=kinds.LOD_TENSOR, persistable=False)
    assert (made.shape, made.dtype, made.name, made.persistable) == ([3], paddle.float32, "by_dims", False)
    with pytest.raises(NotImplementedError, match="selected rows"):
        core.eager.Tensor(kinds.FP32, [4, 2], "rows", kinds.SELECTED_ROWS, True)


def test_too_many_arguments():
    with pytest.raises(TypeError, match="takes"):
        paddle.Tensor(VALUES, CPU, True, persistable=True)
