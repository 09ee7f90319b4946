"""What hooks leave for retained gradients, and what the seed of the main program decides, as recorded from Paddle 2.6.2."""

import numpy as np
import pytest

import paddle


@pytest.mark.parametrize(("order", "kept", "passed"), [("r3", 1, 6), ("3r", 3, 6), ("3r5", 3, 30), ("r35", 1, 30), ("35r", 15, 30)])
def test_a_retained_gradient_is_what_earlier_hooks_leave(engine, order, kept, passed):
    x = paddle.to_tensor([1.0], stop_gradient=False)
    y = x * 2
    for step in order:
        if step == "r":
            y.retain_grads()
        else:
            y.register_hook(lambda g, factor=float(step): g * factor)
    (y * 1).backward()
    assert (y.grad.tolist(), x.grad.tolist()) == ([kept], [passed])


def test_the_seed_of_the_main_program_begins_every_initializer_and_dropout_anew():
    main = paddle.static.Program()
    main.random_seed = 3
    with paddle.static.program_guard(main):
        first, second = paddle.nn.Linear(2, 2), paddle.nn.Linear(2, 2)
        masks = [paddle.nn.functional.dropout(paddle.ones([6])).tolist() for _ in range(2)]
    np.testing.assert_allclose(first.weight.numpy()[0], [0.14394677, -0.7452236], rtol=1e-6)
    assert first.weight.tolist() == second.weight.tolist() and masks[0] == masks[1] == [2.0, 0.0, 2.0, 0.0, 2.0, 0.0]
