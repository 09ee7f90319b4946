"""x2paddle turns an ONNX file that paddle.onnx.export wrote into code, which runs."""

import sys

import numpy as np
from small_model import saved
from x2paddle.convert import onnx2paddle

import paddle

prefix, x, y, spec, net = saved()
paddle.onnx.export(net, prefix, input_spec=spec, opset_version=13)
onnx2paddle(prefix + ".onnx", prefix + "_code", enable_onnx_checker=False, disable_feedback=True)
sys.path.insert(0, prefix + "_code")
import x2paddle_code  # noqa: E402

made = next(v for v in vars(x2paddle_code).values() if isinstance(v, type) and issubclass(v, paddle.nn.Layer))()
made.set_state_dict(paddle.load(prefix + "_code/model.pdparams"))
made.eval()
error = np.abs(made(paddle.to_tensor(x)).numpy() - y).max()
assert error < 1e-5, error
print(f"differs by {error:.0e}")
