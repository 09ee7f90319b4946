"""Calls that one of the fast and the plain path refused, and exceptions that named neither function nor argument."""

import inspect

import pytest

import paddle
import paddle.incubate.nn.functional as fused
import paddle.nn.functional as F
from paddle import kernels

X = paddle.ones([2, 3, 4, 4])
W = paddle.ones([4, 4])


def norm(mean=3, var=3, weight=3, bias=3, training=True):
    tensors = [paddle.ones([n]) for n in (mean, var, weight, bias)]
    return F.batch_norm(X, *tensors, training=training)


SAME_ON_BOTH = {
    "adaptive_max_pool1d": (lambda: F.adaptive_max_pool1d(paddle.zeros([2, 3, 0]), 2), "adaptive_max_pool"),
    "adaptive_max_pool2d": (lambda: F.adaptive_max_pool2d(paddle.zeros([2, 3, 0, 4]), 2), "adaptive_max_pool"),
    "adaptive_max_pool3d": (lambda: F.adaptive_max_pool3d(paddle.zeros([2, 3, 2, 0, 4]), 2), "adaptive_max_pool"),
    "local_response_norm of 0": (lambda: F.local_response_norm(X, 0), r"local_response_norm\(\): size"),
    "local_response_norm of -1": (lambda: F.local_response_norm(X, -1), r"local_response_norm\(\): size"),
    **{f"batch_norm, {name}, training {training}": (lambda name=name, training=training: norm(**{name: 1}, training=training),
                                                    rf"batch_norm\(\): \w*{name} must have 3 elements")
       for name in ("mean", "var", "weight", "bias") for training in (True, False)},
}


@pytest.mark.parametrize("fast", [True, False], ids=["kernels", "references"])
@pytest.mark.parametrize("name", SAME_ON_BOTH)
def test_refused_by_both_paths(name, fast):
    call, text = SAME_ON_BOTH[name]
    before = kernels.use(fast)
    try:
        with pytest.raises(ValueError, match=text):
            call()
    finally:
        kernels.use(before)


rotary, feedforward = fused.fused_rotary_position_embedding, fused.fused_feedforward
Q, H = paddle.ones([2, 3, 2, 4]), paddle.ones([2, 3, 4])


@pytest.mark.parametrize("call,error,text", [
    (lambda: rotary(None), TypeError, r"fused_rotary_position_embedding\(\): q must be a Tensor"),
    (lambda: rotary("x"), TypeError, r"fused_rotary_position_embedding\(\): q must be a Tensor"),
    (lambda: rotary(3), ValueError, r"fused_rotary_position_embedding\(\): q must be \["),
    (lambda: rotary(Q, "a"), TypeError, r"fused_rotary_position_embedding\(\): k must be a Tensor"),
    (lambda: rotary(Q, paddle.ones([2])), ValueError, r"fused_rotary_position_embedding\(\): k must be \["),
    (lambda: rotary(Q, sin="a", cos="b"), TypeError, r"fused_rotary_position_embedding\(\): sin must be a Tensor"),
    (lambda: feedforward("x", W, W), TypeError, r"fused_feedforward\(\): x must be a Tensor"),
    (lambda: feedforward(H, W, None), TypeError, r"fused_feedforward\(\): linear2_weight must be a Tensor"),
    (lambda: feedforward(H, W, W, activation=3), ValueError, r"fused_feedforward\(\): activation"),
    (lambda: feedforward(H, W, W, activation="__name__"), ValueError, r"fused_feedforward\(\): activation"),
    (lambda: feedforward(H, W, W, linear1_bias="a"), TypeError, r"fused_feedforward\(\): linear1_bias must be a Tensor"),
    (lambda: paddle.nn.utils.remove_weight_norm(3), TypeError, r"remove_weight_norm\(\): layer must be a Layer"),
    (lambda: paddle.nn.utils.weight_norm(paddle.nn.Linear(2, 2), dim="a"), TypeError, r"weight_norm\(\): dim must be an int"),
    (lambda: paddle.linalg.lstsq(W, W, driver=paddle.ones([2])), ValueError, r"lstsq\(\): driver must be one of"),
    (lambda: F.pad(X, [1, 1], mode=paddle.ones([2])), ValueError, r"pad\(\): mode"),
])
def test_exceptions_name_function_and_argument(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_every_name_of_the_package_can_be_had():
    names = {name for name, _ in inspect.getmembers(paddle)}
    assert "batch" in names and "batch_reader" not in names


def test_distance_of_norm_0_counts():
    """Values and gradients are those of Paddle 2.6.2."""
    x = paddle.to_tensor([[1.0, 0.0, 2.0], [0.0, 0.0, 3.0]], stop_gradient=False)
    out = F.pairwise_distance(x, paddle.zeros([2, 3]), 0.0, epsilon=0.0)
    out.sum().backward()
    assert out.tolist() == [2.0, 1.0] and x.grad.abs().sum().item() == 0
    assert F.normalize(x, p=0).tolist() == [[0.5, 0.0, 1.0], [0.0, 0.0, 3.0]]
