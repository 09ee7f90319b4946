"""Conditions of numbers: real Paddle 2.6.2 takes them in dynamic code where the shapes have to be made equal first."""

import numpy as np
import pytest

import paddle


@pytest.mark.parametrize("condition, x, y, expected", [
    (np.float32([0.5, 0, -1]), np.ones(1, "float32"), np.zeros(1, "float32"), [1.0, 0.0, 1.0]),
    (np.float32([0.5, 0, -1]), np.ones(3, "float32"), 0.5, [1.0, 0.5, 1.0]),
    (np.float32([0.5, 0, -1]), np.ones(1, "int64"), np.zeros(1, "int64"), [0, 0, 1]),  # 0.5 becomes 0 in the type of x
    (np.int64([[2], [0]]), np.ones(3, "float32"), np.zeros(3, "float32"), [[1.0] * 3, [0.0] * 3]),
    (np.float32([1, 0, 2]), 1.0, 2.0, [1.0, 2.0, 1.0])])
def test_as_recorded_of_real_paddle(condition, x, y, expected):
    x, y = (paddle.to_tensor(v) if isinstance(v, np.ndarray) else v for v in (x, y))
    assert paddle.where(paddle.to_tensor(condition), x, y).tolist() == expected


def test_equal_shapes_programs_and_paddle_3_refuse_them():
    with pytest.raises(TypeError, match="must be of type bool"):
        paddle.where(paddle.ones([3]), paddle.ones([3]), paddle.ones([3]))
    paddle.enable_static()
    try:
        with paddle.static.program_guard(paddle.static.Program()), pytest.raises(TypeError, match="bool"):
            paddle.where(paddle.static.data("c", [3], "float32"), 1.0, 2.0)
    finally:
        paddle.disable_static()
