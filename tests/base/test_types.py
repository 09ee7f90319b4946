"""Element types by the names of C++: VarType of 2.x, DataType of 3.x, and the tables between them."""

import numpy as np
import pytest

import paddle
from paddle.base import core, framework
from paddle.pir import core as pir


def test_var_types_are_of_their_class():
    kinds = core.VarDesc.VarType
    assert isinstance(kinds.FP32, kinds) and isinstance(kinds.LOD_TENSOR, kinds)
    assert kinds.FP32 == paddle.float32 and kinds.FP32 != paddle.float64 and kinds.RAW != paddle.float32


def test_data_types_are_the_element_types():
    assert core.DataType is paddle.dtype is pir.DataType
    assert core.DataType.FLOAT32 is paddle.float32 and core.DataType.BFLOAT16 is paddle.bfloat16
    assert isinstance(paddle.int64, core.DataType)


def test_tables_between_them():
    kinds = core.VarDesc.VarType
    assert pir.vartype_to_datatype[kinds.BF16] is paddle.bfloat16
    assert pir.datatype_to_vartype[paddle.complex64] is kinds.COMPLEX64
    assert framework.paddle_type_to_proto_type[paddle.bool] is kinds.BOOL
    assert framework.convert_np_dtype_to_proto_type(np.float64) is kinds.FP64
    assert len(pir.datatype_to_vartype) == len(pir.vartype_to_datatype) == 12


def test_zero_copy_warns():
    array = np.ones([2], "float32")
    with pytest.warns(UserWarning, match="zero_copy=True has no effect"):
        made = paddle.base.dygraph.to_variable(array, zero_copy=True)
    array[0] = 5.0
    assert made.tolist() == [1.0, 1.0]
