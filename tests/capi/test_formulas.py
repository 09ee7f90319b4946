"""Elementwise operators whose attributes decide by which steps they are computed: both texts of every alternative, against NumPy in
double; what no alternative is there for is refused."""

import numpy as np
import pytest
from capi.library import Failed, Model
from capi.test_calls import operator, program

from paddle.core.attributes import from_file
from paddle.static.program.registry import find

X = np.linspace(-9, 9, 997).astype("float32").reshape(-1, 1)


def soft(x):
    return np.logaddexp(0, x)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


WAYS = {  # type: [(attributes, function)]
    "celu": [({"alpha": 1.0}, lambda x: np.where(x > 0, x, np.expm1(x))),
             ({"alpha": 0.5}, lambda x: np.where(x > 0, x, np.expm1(x / 0.5) / 2))],
    "gelu": [({"approximate": True}, lambda x: 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x ** 3))))],
    "hard_swish": [({}, lambda x: x * np.clip(x + 3, 0, 6) / 6),
                   ({"threshold": 6.0, "scale": 6.0, "offset": 2.0}, lambda x: x * np.clip(x + 2, 0, 6) / 6),
                   ({"threshold": 5.0, "scale": 7.0, "offset": 2.0}, lambda x: x * np.clip(x + 2, 0, 5) / 7)],
    "hard_sigmoid": [({"slope": 0.25, "offset": 0.125}, lambda x: np.clip(x / 4 + 0.125, 0, 1))],
    "logit": [({"eps": 0.25}, lambda x: np.log(np.clip(x, 0.25, 0.75) / (1 - np.clip(x, 0.25, 0.75)))),
              ({"eps": 0.0}, lambda x: np.log(x / (1 - x)))],
    "mish": [({"threshold": 20.0}, lambda x: x * np.tanh(soft(x))),
             ({"threshold": 2.0}, lambda x: x * np.tanh(np.where(x > 2, x, soft(x))))],
    "pow": [({"factor": 2.0}, np.square), ({"factor": 3.0}, lambda x: x ** 3), ({"factor": 0.5}, np.sqrt),
            ({"factor": -1.5}, lambda x: x ** -1.5)],
    "relu6": [({"threshold": 6.0}, lambda x: np.clip(x, 0, 6)), ({"threshold": 2.5}, lambda x: np.clip(x, 0, 2.5))],
    "soft_relu": [({"threshold": 3.0}, lambda x: soft(np.clip(x, -3, 3)))],
    "softplus": [({"beta": 1.0, "threshold": 20.0}, soft), ({"beta": 1.0, "threshold": 3.0}, lambda x: np.where(x > 3, x, soft(x))),
                 ({"beta": 2.0, "threshold": 4.0}, lambda x: np.where(2 * x > 4, x, soft(2 * x) / 2))],
    "softshrink": [({"lambda": 1.5}, lambda x: np.sign(x) * np.maximum(np.abs(x) - 1.5, 0)), ({"lambda": 0.0}, lambda x: x)],
    "swish": [({"beta": 1.0}, lambda x: x * sigmoid(x)), ({"beta": 1.5}, lambda x: x * sigmoid(1.5 * x))],
    "thresholded_relu": [({"threshold": 2.0, "value": 0.5}, lambda x: np.where(x > 2, x, 0.5))],
}


def in_c(type_, attrs, x):
    return Model(program({"x": x}, [operator(type_, {"X": "x"}, {"Out": "y"}, **attrs)], ["y"]))(x)[0]


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
@pytest.mark.parametrize("type_, attrs, function", [(type_, *way) for type_, ways in WAYS.items() for way in ways])
def test_every_alternative(type_, attrs, function, dtype):
    x = X.astype(dtype)
    with np.errstate(all="ignore"):
        exact = function(x.astype("float64"))
        op = find(type_)
        mine = op.run_arrays([x, *from_file(op, attrs)])
    got = in_c(type_, attrs, x)
    assert got.dtype == mine.dtype == x.dtype
    digits = {"float16": 2e-3, "float32": 2e-6, "float64": 2e-7}[dtype]  # attributes are float32
    np.testing.assert_allclose(got, exact, digits, digits)
    np.testing.assert_allclose(mine, exact, digits, digits)
    if dtype != "float16":
        np.testing.assert_array_equal(got, mine)


def test_a_negative_softshrink_is_refused():
    with pytest.raises(Failed, match="softshrink"):
        in_c("softshrink", {"lambda": -1.0}, X)
