"""The text of a variable's description, as real Paddle 2.6.2 gave it."""

import pytest

import paddle

X = """name: "x"
type {
  type: LOD_TENSOR
  lod_tensor {
    tensor {
      data_type: FP64
      dims: -1
      dims: 3
    }
    lod_level: 1
  }
}
persistable: false
need_check_feed: true
stop_gradient: true
"""
W = """name: "w"
type {
  type: LOD_TENSOR
  lod_tensor {
    tensor {
      data_type: FP32
      dims: 2
      dims: 3
    }
  }
}
persistable: true
is_parameter: true
stop_gradient: false
"""
DETAILS = """error_clip: None
trainable: True
optimize_attr: {'learning_rate': 1.0}
regularizer: None
do_model_average: True
need_clip: True
"""


@pytest.fixture(autouse=True)
def static_mode():
    paddle.enable_static()
    with paddle.static.program_guard(paddle.static.Program(), paddle.static.Program()):
        yield
    paddle.disable_static()


def test_descriptions_as_text():
    x, w = paddle.static.data("x", [-1, 3], "float64", lod_level=1), paddle.static.create_parameter([2, 3], "float32", name="w")
    assert (x.to_string(True), x.to_string(True, True)) == (X, X + "error_clip: None\n")
    assert (w.to_string(True), w.to_string(True, True)) == (W, W + DETAILS)
    assert str(w) == "persist trainable param w : LOD_TENSOR.shape(2, 3).dtype(float32).stop_gradient(False)"


@pytest.mark.parametrize("method", ["numpy", "backward", "gradient", "clear_gradient"])
def test_what_dynamic_tensors_alone_have(method):
    with pytest.raises(AssertionError, match="x is a static Variable"):
        getattr(paddle.static.data("x", [2]), method)()
