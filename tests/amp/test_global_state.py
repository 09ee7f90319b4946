"""The type of mixed precision, as networks of packages ask for it."""

import paddle
from paddle.amp.auto_cast import amp_global_state


def test_the_type_in_force():
    assert amp_global_state().amp_dtype == "float32"
    with paddle.amp.auto_cast(dtype="bfloat16"):
        assert amp_global_state().amp_dtype == "bfloat16"
        with paddle.amp.auto_cast(enable=False):
            assert amp_global_state().amp_dtype == "float32"
    assert amp_global_state().amp_dtype == "float32"


def test_the_innermost_block_decides():
    x = paddle.ones([2, 2])
    outer, off = paddle.amp.auto_cast(dtype="bfloat16"), paddle.amp.auto_cast(enable=False)
    with outer:
        assert (x @ x).dtype == paddle.bfloat16
        with off:
            assert (x @ x).dtype == paddle.float32
            with outer, off:
                assert (x @ x).dtype == paddle.float32
            with outer:
                assert (x @ x).dtype == paddle.bfloat16
        with paddle.amp.auto_cast(level="O0"):
            assert (x @ x).dtype == paddle.float32
        with paddle.amp.auto_cast(custom_black_list={"matmul_v2"}, dtype="bfloat16"):
            assert (x @ x).dtype == paddle.float32
        assert (x @ x).dtype == paddle.bfloat16
    assert (x @ x).dtype == paddle.float32
