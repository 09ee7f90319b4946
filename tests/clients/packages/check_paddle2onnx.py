"""paddle2onnx reads a saved model; onnxruntime runs what it writes."""

import numpy as np
import onnxruntime
import paddle2onnx
from small_model import saved

prefix, x, y, _, _ = saved()
paddle2onnx.export(prefix + ".pdmodel", prefix + ".pdiparams", prefix + ".onnx", opset_version=13)
error = np.abs(onnxruntime.InferenceSession(prefix + ".onnx").run(None, {"x": x})[0] - y).max()
assert error < 1e-5, error
print(f"differs by {error:.0e}")
