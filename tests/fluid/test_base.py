"""paddle.base: internals of 2.6 by name, with the meanings of 2.x."""

import numpy as np
import pytest

import paddle
from paddle import base


def test_every_name_resolves():
    for name in base.__all__:
        assert getattr(base, name) is not None, name
    assert base.core.VarDesc.VarType.FP32 == paddle.float32 and base.core.eager.Tensor is paddle.Tensor
    with pytest.raises(AttributeError, match="did you mean Executor"):
        base.Executer  # noqa: B018


def test_guard_keeps_the_meanings_of_2x():
    for _ in range(2):
        with base.dygraph.guard(base.CPUPlace()):
            x = base.dygraph.to_variable(np.ones([2, 3], "float32"))
            assert x.stop_gradient and x.sum().shape == []
            layer = paddle.nn.Linear(3, 1)
            assert layer.weight.name == "linear_0.w_0"
            y = layer(x)
            y.sum().backward()
            assert y.grad is None and layer.weight.grad is not None


def test_static_mode_by_its_inner_names():
    base.disable_dygraph()
    try:
        assert not base.in_dygraph_mode()
        main = base.Program()
        with base.program_guard(main):
            out = base.data("x", [2], "float32") * 2
        found, = base.Executor(base.CPUPlace()).run(main, feed={"x": np.ones([2], "float32")}, fetch_list=[out])
    finally:
        base.enable_dygraph()
    assert found.tolist() == [2, 2] and base.in_dygraph_mode()
