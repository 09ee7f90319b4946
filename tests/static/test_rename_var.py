"""A variable of a program under another name."""

import numpy as np
import pytest

import paddle
from paddle import static


def test_the_ops_follow():
    paddle.enable_static()
    try:
        main, startup = static.Program(), static.Program()
        with static.program_guard(main, startup), static.scope_guard(static.Scope()):
            x = static.data("x", [2], "float32")
            y = paddle.scale(x, 3.0)
            z = paddle.scale(y, 2.0)
            renamed = main.global_block()._rename_var(y.name, "middle")
            assert renamed.name == "middle" and main.global_block().has_var("middle")
            out = static.Executor().run(main, {"x": np.ones(2, "float32")}, fetch_list=["middle", z])
            np.testing.assert_array_equal(out, [[3.0, 3.0], [6.0, 6.0]])
            with pytest.raises(ValueError, match="no variable"):
                main.global_block()._rename_var("absent", "other")
    finally:
        paddle.disable_static()
