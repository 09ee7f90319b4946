"""Who looks at an output of an operator with several sees zeros where no gradient came to it, as in real Paddle 2.6.2."""

import numpy as np

import paddle


def test_a_kept_gradient_is_zeros(engine):
    x = paddle.to_tensor(np.ones([2, 2]), stop_gradient=False)
    used, unused = paddle.split(x * 3, 2)
    unused.retain_grads()
    seen = []
    unused.register_hook(lambda g: seen.append(g.tolist()))
    used.sum().backward()
    assert unused.grad.tolist() == [[0.0, 0.0]] == seen[0]
    assert x.grad.tolist() == [[3.0, 3.0], [0.0, 0.0]]


def test_of_an_integer_output_there_is_none(engine):
    x = paddle.to_tensor([3.0, 1.0, 2.0], stop_gradient=False)
    values, places = paddle.topk(x, 2)
    values.sum().backward()
    assert places.grad is None
    assert x.grad.tolist() == [1.0, 0.0, 1.0]
