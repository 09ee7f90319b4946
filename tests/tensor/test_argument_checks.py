"""What 2.6.2 refuses while a program is built, and that dynamic code and translated functions are left alone."""

import numpy as np
import pytest

import paddle
import paddle.nn.functional as F
from paddle.core import dtype as dtypes
from paddle.tensor import argument_checks


@pytest.fixture
def static_mode():
    paddle.enable_static()
    with paddle.static.program_guard(paddle.static.Program()):
        yield
    paddle.disable_static()


@pytest.mark.parametrize("call", [
    lambda x: paddle.logit(np.ones(3, "float32")), lambda x: F.softmax(x("int32")), lambda x: paddle.std(x("int64")),
    lambda x: paddle.clip(x("bool"), 0, 1), lambda x: paddle.expand_as(np.ones([3]), x("float32")), lambda x: F.softmax(1.0),
    lambda x: paddle.inner(x("int8"), x("int8")), lambda x: paddle.diagflat(x("bool")), lambda x: paddle.numel([1, 2]),
    lambda x: paddle.maximum(x("float32"), np.ones(3)), lambda x: F.mse_loss([256, 3], x("float32")),
    lambda x: paddle.median(x("int8")),
    lambda x: paddle.where(x("float32"), x("float32"), x("float32")), lambda x: paddle.linalg.svd(x("complex64")),
])
def test_refused(static_mode, call):
    names = iter("abc")
    with pytest.raises(TypeError, match=r"in a program"):
        call(lambda dtype: paddle.static.data(next(names), [3, 3], dtype))


def test_taken(static_mode):
    x = paddle.static.data("x", [3], "int32")
    assert paddle.exp(x).dtype == paddle.float32 and (x + 1.5).shape == (3,)
    assert len(paddle.where(x)) == 1 and paddle.add(paddle.static.data("y", [3]), paddle.ones([3])).shape == (3,)


def test_dynamic_code_converts():
    assert F.softmax([0.0, 0.0]).tolist() == [0.5, 0.5] and paddle.std(paddle.to_tensor([1, 3])).dtype == paddle.float32
    translated = paddle.jit.to_static(lambda x: paddle.std(x) + F.softmax(np.zeros(2, "float32")), full_graph=True)
    assert translated(paddle.to_tensor([1, 3])).shape == [2]


def test_the_table_names_element_types():
    named = {kind for row in argument_checks.table("2.6").values() for _, kinds in row.values() for kind in kinds or ()}
    assert named <= set(dtypes.ALL)
