"""Clips of a program: the gradient of one Variable on its way back, and ``set_gradient_clip``. Values are Paddle 2.6.2's."""

import numpy as np
import pytest

import paddle
from paddle import static
from paddle.nn.clip import ErrorClipByValue, set_gradient_clip


@pytest.fixture
def program():
    paddle.enable_static()
    main, startup = static.Program(), static.Program()
    with static.program_guard(main, startup), static.scope_guard(static.Scope()):
        yield main
    paddle.disable_static()


def trained(main, build):
    """The weight [1, 2, 3] after a step of SGD on what ``build`` makes of it."""
    w = static.create_parameter([3], "float32", default_initializer=paddle.nn.initializer.Assign(np.array([1, 2, 3], np.float32)))
    paddle.optimizer.SGD(1.0).minimize(build(w))
    run = static.Executor().run
    run(static.default_startup_program())
    run(main)
    return np.array(static.global_scope().find_var(w.name).get_tensor())


def test_a_variable_clips_its_gradient_on_the_way_back(program):
    def build(w):
        y = w * w  # whose gradient is [1, 10, 100]
        y._set_error_clip(ErrorClipByValue(max=5.0, min=2.0))
        return (y * paddle.assign(np.array([1, 10, 100], np.float32))).sum()
    assert trained(program, build).tolist() == [1 - 2 * 2, 2 - 5 * 4, 3 - 5 * 6]
    assert [op.type for op in program.global_block().ops].count("clip") == 1


def test_what_came_from_several_readers_is_clipped_once_and_together(program):
    def build(w):
        y = w * 1.0
        y.error_clip = ErrorClipByValue(3.0)
        return (y * 2.0).sum() + (y * 2.0).sum()
    assert trained(program, build).tolist() == [-2, -1, 0]


def test_a_program_clips_gradients(program):
    def build(w):
        set_gradient_clip(paddle.nn.ClipGradByValue(0.5))
        return (w * w).sum()
    assert trained(program, build).tolist() == [0.5, 1.5, 2.5]


def test_other_things_are_no_clips(program):
    with pytest.raises(TypeError, match=r"_set_error_clip\(\): error_clip must be an ErrorClipByValue, got"):
        static.data("x", [2])._set_error_clip(1.0)
    with pytest.raises(TypeError, match="set_gradient_clip"):
        set_gradient_clip(1.0)
