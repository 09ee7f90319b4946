"""Functions as layers (``paddle.nn.quant``): each computes what the function of its name computes."""

import numpy as np
import pytest

import paddle
from paddle.nn import quant

X, Y = np.arange(6, dtype=np.float32).reshape(2, 3), np.full((2, 3), 2.0, np.float32)


@pytest.mark.parametrize("name, args, expected", [
    ("add", (Y,), X + Y), ("subtract", (Y,), X - Y), ("multiply", (Y,), X * Y), ("divide", (Y,), X / Y),
    ("reshape", ([3, 2],), X.reshape(3, 2)),
    ("transpose", ([1, 0],), X.T), ("flatten", (), X.ravel()), ("matmul", (Y, False, True), X @ Y.T)])
def test_layers(name, args, expected):
    layer = getattr(quant, name)()
    assert isinstance(layer, quant.FloatFunctionalLayer) and isinstance(layer, paddle.nn.Layer)
    args = [paddle.to_tensor(a) if isinstance(a, np.ndarray) else a for a in args]
    assert np.array_equal(layer(paddle.to_tensor(X), *args).numpy(), expected)


def test_joining():
    assert quant.concat()([paddle.to_tensor(X), paddle.to_tensor(Y)], 1).shape == [2, 6]


def test_convolutions_of_no_channels_are_refused():
    main = paddle.static.Program()
    with paddle.static.program_guard(main), pytest.raises(ValueError, match="number of channels must be known and positive"):
        paddle.static.nn.conv2d(paddle.static.data("x", [1, 0, 4, 4]), 2, 3)
