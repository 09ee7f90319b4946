"""Functions of 2.0 alpha's paddle.*: results bear the names that calls give."""

import numpy as np
import pytest

import paddle
import paddle.fluid as fluid


@pytest.mark.parametrize("call", [
    lambda x: paddle.equal(x, x, name="given"), lambda x: paddle.sum(x, 0, name="given"), lambda x: paddle.max(x, name="given"),
    lambda x: paddle.min(x, 0, name="given"), lambda x: paddle.pow(x, 2, name="given"), lambda x: paddle.add(x, x, name="given"),
    lambda x: paddle.addmm(x, x, x, name="given"), lambda x: paddle.norm(x, name="given"),
    lambda x: paddle.clamp(x, 0, 1, name="given"),
    lambda x: paddle.elementwise_equal(x, x, name="given"), lambda x: paddle.elementwise_sum([x, x], name="given"),
    lambda x: paddle.addcmul(x, x, x, name="given")])
def test_results_bear_the_given_name(call):
    before = paddle.get_generation()
    paddle.set_generation("2.0-alpha")
    try:
        with fluid.program_guard(fluid.Program(), fluid.Program()):
            out = call(fluid.layers.assign(np.array([[3.0, 4.0], [5.0, 6.0]], "float32")))
            assert "given" in out.name
    finally:
        paddle.set_generation(before)
