"""Windows of Paddle 3: values recorded from 3.3.1."""

import numpy as np
import pytest

import paddle

RECORDED = [  # name, further arguments, values
    ("hann", {}, [0, 0.345491, 0.904508, 0.904508, 0.345491]),
    ("hann", {"periodic": False}, [0, 0.5, 1, 0.5, 0]),
    ("hamming", {}, [0.08, 0.397852, 0.912148, 0.912148, 0.397852]),
    ("hamming", {"periodic": False}, [0.08, 0.54, 1, 0.54, 0.08]),
    ("hamming", {"alpha": 0.5, "beta": 0.5}, [0, 0.345491, 0.904508, 0.904508, 0.345491]),
    ("blackman", {}, [0, 0.20077, 0.84923, 0.84923, 0.20077]),
    ("blackman", {"periodic": False}, [0, 0.34, 1, 0.34, 0]),
    ("bartlett", {}, [0, 0.4, 0.8, 0.8, 0.4]),
    ("bartlett", {"periodic": False}, [0, 0.5, 1, 0.5, 0]),
    ("kaiser", {}, [5.3e-05, 0.10172, 0.792939, 0.792939, 0.10172]),
    ("kaiser", {"periodic": False}, [5.3e-05, 0.215673, 1, 0.215673, 5.3e-05]),
    ("kaiser", {"beta": 14.0}, [7.726866e-06, 0.068153724, 0.76150906, 0.76150906, 0.068153724]),
]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("number", range(len(RECORDED)))
def test_recorded(number, dtype):
    name, arguments, values = RECORDED[number]
    out = getattr(paddle, name + "_window")(5, dtype=dtype, **arguments)
    assert out.dtype.name == dtype and out.stop_gradient
    np.testing.assert_allclose(out.numpy(), values, atol=2e-6)


@pytest.mark.parametrize("name", ["hann", "hamming", "blackman", "bartlett", "kaiser"])
def test_arguments(name):
    window = getattr(paddle, name + "_window")
    assert window(0).tolist() == [] and window(1).tolist() == [1.0]
    assert window(4, requires_grad=True, device="cpu").stop_gradient is False
    for length in (-1, 2.5, True):
        with pytest.raises(ValueError, match="window_length must be an int"):
            window(length)
    with pytest.raises(TypeError, match="dtype must be a float type"):
        window(4, dtype="int64")
    with pytest.raises(RuntimeError, match="pin_memory"):
        window(4, pin_memory=True)
    with pytest.raises(NotImplementedError, match="layout"):
        window(4, layout="sparse")
