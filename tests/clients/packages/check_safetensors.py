"""Seven element types through safetensors.paddle."""

from safetensors.paddle import load, save

import paddle

TYPES = ["float32", "int64", "float16", "bfloat16", "bool", "uint8", "float64"]
for dtype in TYPES:
    x = paddle.to_tensor([1.0, 0.0]).astype(dtype)
    y = load(save({"x": x}))["x"]
    assert y.dtype == x.dtype and y.astype("float32").tolist() == [1.0, 0.0], (dtype, y)
print(", ".join(TYPES))
