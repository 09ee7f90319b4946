"""3-D convolution against NumPy in double precision."""

import numpy as np
import pytest

from paddle.kernels import conv3d

from .engine import both_floats, engine
from .reference import conv, out_size
from .test_conv import check, values

CASES = {
    "plain": ((2, 3, 5, 6, 7), (4, 3, 3, 3, 3), (1, 1, 1), (0, 0, 0, 0, 0, 0), (1, 1, 1), 1),
    "padded": ((2, 4, 4, 6, 5), (6, 4, 3, 2, 3), (1, 1, 1), (1, 1, 1, 0, 2, 1), (1, 1, 1), 1),
    "strided": ((1, 2, 9, 8, 7), (3, 2, 2, 3, 3), (3, 2, 2), (2, 0, 1, 1, 0, 2), (1, 1, 1), 1),
    "dilated": ((1, 2, 9, 8, 9), (3, 2, 3, 2, 3), (2, 1, 1), (3, 3, 1, 1, 2, 2), (3, 2, 2), 1),
    "groups": ((2, 6, 4, 5, 5), (4, 3, 2, 2, 2), (1, 2, 1), (1, 0, 0, 0, 0, 0), (1, 1, 1), 2),
    "depthwise": ((2, 3, 4, 5, 5), (3, 1, 3, 3, 3), (1, 1, 1), (1, 1, 1, 1, 1, 1), (1, 1, 1), 3),
    "single points": ((2, 4, 3, 5, 5), (6, 2, 1, 1, 1), (2, 1, 1), (0, 0, 0, 0, 0, 0), (1, 1, 1), 2),
    "along depth": ((2, 4, 7, 3, 5), (6, 4, 3, 1, 1), (2, 1, 1), (2, 1, 0, 0, 0, 0), (2, 1, 1), 1),
    "no images": ((0, 2, 3, 3, 3), (5, 2, 2, 2, 2), (1, 1, 1), (0, 0, 0, 0, 0, 0), (1, 1, 1), 1),
}


@both_floats
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_forward_and_gradients(dtype, case):
    xs, ws, stride, padding, dilation, groups = case
    pads = [padding[2 * i:2 * i + 2] for i in range(3)]
    out = tuple(out_size(xs[2 + i], *pads[i], ws[2 + i], stride[i], dilation[i]) for i in range(3))
    x, w, bias = values(dtype, *xs), values(dtype, *ws, seed=1), values(dtype, ws[0], seed=2)
    dy = values(dtype, xs[0], ws[0], *out, seed=3)
    y, dx, dw, db = conv(x, w, bias, dy, stride, pads, dilation, groups)
    with engine(threads=2):
        check(conv3d.forward(x, w, bias, stride, padding, dilation, groups), y)
        check(conv3d.forward(x, w, bias, stride, padding, dilation, groups, act=1), np.maximum(y, 0))
        check(conv3d.backward_data(dy, w, xs[2:], stride, padding, dilation, groups), dx)
        got_dw, got_db = conv3d.backward_weight(x, dy, ws[2:], stride, padding, dilation, groups, bias=True)
        check(got_dw, dw)
        check(got_db, db)


X, W = np.ones((1, 2, 4, 4, 4), np.float32), np.ones((3, 2, 3, 3, 3), np.float32)


@pytest.mark.parametrize("call,text", [
    (lambda: conv3d.forward(X[0], W), r"conv3d\(\): argument 'x'"),
    (lambda: conv3d.forward(X, W, stride=(1, 1)), "'stride' must have 3 integers"),
    (lambda: conv3d.forward(X, W, stride=0), "at least 1"),
    (lambda: conv3d.forward(X, W, dilation=(2, 1, 1)), "larger than the padded depth"),
    (lambda: conv3d.backward_data(X, W, (9, 6, 6)), "does not give the depth"),
    (lambda: conv3d.backward_weight(X, X, (3, 3, 3)), "does not give the depth"),
])
def test_wrong_arguments(call, text):
    with pytest.raises(ValueError, match=text):
        call()
