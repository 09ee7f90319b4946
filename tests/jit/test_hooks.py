"""Hooks on gradients inside translated functions and static programs: what the eager function does."""

import numpy as np
import pytest

import paddle
from paddle import static


def hooked(seen):
    def function(x):
        def double(g):
            seen.append(float(g.sum()))
            return 2 * g
        y = x + 4
        both = y + x
        z = both ** 2
        y.register_hook(double)
        both.register_hook(double)
        x.register_hook(double)
        return z
    return function


def gradient_of(function):
    x = paddle.to_tensor([2., 3.], stop_gradient=False)
    function(x).sum().backward()
    return x.grad.tolist()


def test_hooks_registered_after_the_use():
    eager, translated = [], []
    static_function = paddle.jit.to_static(hooked(translated), full_graph=True)
    assert gradient_of(hooked(eager)) == [192., 240.]  # as real Paddle has it
    for runs in (1, 2):
        assert gradient_of(static_function) == [192., 240.] and translated == eager * runs


def test_hook_of_a_gradient_with_a_graph():
    def function(x):
        y = x * x
        y.register_hook(lambda g: g * 3)
        return y * y
    found = []
    for run in (function, paddle.jit.to_static(function, full_graph=True)):
        x = paddle.to_tensor([2., 3.], stop_gradient=False)
        dx, = paddle.grad(run(x).sum(), x, create_graph=True)
        dx.sum().backward()
        found.append([dx.tolist(), x.grad.tolist()])
    assert found[0] == found[1] and found[0][0] == [96., 324.]


def test_hook_in_a_branch_and_in_a_training_step():
    def branch(x):
        y = x * 2
        if x.sum() > 0:
            z = y * 3
            z.register_hook(lambda g: g * 10)
            y = z + y
        return y

    def step(x):
        loss = branch(x).sum()
        loss.backward()
        return loss.detach()
    assert gradient_of(paddle.jit.to_static(branch, full_graph=True)) == gradient_of(branch) == [62., 62.]
    x = paddle.to_tensor([2., 3.], stop_gradient=False)
    paddle.jit.to_static(step, full_graph=True)(x)
    assert x.grad.tolist() == [62., 62.]


def test_hook_in_a_program_and_its_removal():
    paddle.enable_static()
    try:
        main = static.Program()
        with static.program_guard(main):
            x = static.data("x", [2])
            x.stop_gradient = False
            y = x * 3
            handle = y.register_hook(lambda g: np.asarray(g) + 1)
            dx, = static.gradients(y, x)
        run = static.Executor().run
        feed = {"x": np.ones(2, "float32")}
        assert run(main, feed, [dx])[0].tolist() == [6., 6.]
        assert handle.remove() and run(main, feed, [dx])[0].tolist() == [3., 3.]
        with static.program_guard(main):
            with pytest.raises(RuntimeError, match="stop_gradient=True"):
                static.data("z", [2]).register_hook(lambda g: g)
            with pytest.raises(TypeError, match="hook must be callable"):
                x.register_hook(3)
    finally:
        paddle.disable_static()


def test_the_hook_of_a_program_from_elsewhere_is_not_known():
    paddle.enable_static()
    try:
        main = static.Program()
        with static.program_guard(main):
            x = static.data("x", [2])
            x.stop_gradient = False
            x.register_hook(lambda g: g * 2)
            static.gradients(x * 3, x)
        for op in main.global_block().ops:
            if op.type == "gradient_hook":
                op._set_attr("process", "another")
        with pytest.raises(NotImplementedError, match="is not known here"):
            static.Executor().run(main, {"x": np.ones(2, "float32")}, ["x@GRAD"])
    finally:
        paddle.disable_static()


def test_what_a_hook_returns_is_checked():
    def function(x):
        y = x * 2
        y.register_hook(lambda g: g.sum())
        return y
    with pytest.raises(ValueError, match="keep the gradient's shape"):
        gradient_of(paddle.jit.to_static(function, full_graph=True))


def test_the_file_of_a_function_has_no_hooks(tmp_path):
    class Net(paddle.nn.Layer):
        def forward(self, x):
            y = x * 2
            y.register_hook(lambda g: g * 2)
            return y + 1
    path = str(tmp_path / "net")
    spec = static.InputSpec([2])
    spec.stop_gradient = False
    paddle.jit.save(Net(), path, [spec])
    loaded = paddle.jit.load(path)
    assert loaded(paddle.ones([2])).tolist() == [3., 3.]
    assert not any("hook" in op.type for op in loaded.program().global_block().ops)
