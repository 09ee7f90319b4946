"""Methods of optimizers and schedulers that programs call beside step(): what 2.6 gives and refuses."""

import numpy as np
import pytest

import paddle


def test_decay_is_added_to_gradients():
    p = paddle.create_parameter([2], "float32", default_initializer=paddle.nn.initializer.Assign([2.0, -4.0]))
    grad = paddle.ones([2])
    (same, decayed), = paddle.optimizer.Adam(parameters=[p]).append_regularization_ops(
        [(p, grad)], paddle.regularizer.L2Decay(0.5))
    assert same is p and decayed.tolist() == [2.0, -1.0]


def test_decay_of_a_program_is_two_operators():
    main = paddle.static.Program()
    paddle.enable_static()
    try:
        with paddle.static.program_guard(main):
            x = paddle.static.data("x", [3, 2])
            out = paddle.static.nn.fc(x, 1, weight_attr=paddle.ParamAttr(regularizer=paddle.regularizer.L1Decay(0.5)),
                                      bias_attr=False)
            pairs = paddle.static.append_backward(out.mean())
        before = len(main.global_block().ops)
        paddle.optimizer.SGD().append_regularization_ops(pairs)  # outside the guard: the parameter's own program
        assert [op.type for op in main.global_block().ops[before:]] == ["sign", "scale", "sum"]
    finally:
        paddle.disable_static()


@pytest.mark.parametrize("make", [lambda rate: paddle.optimizer.lr.MultiStepDecay(rate, [20, 30]),
                                  lambda rate: paddle.optimizer.lr.ExponentialDecay(rate, 0.9)])
def test_rates_are_not_negative(make):
    with pytest.raises(ValueError, match="learning_rate must not be negative, got -1"):
        make(-1)
    assert np.isclose(make(0)(), 0)
