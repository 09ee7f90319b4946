"""Automatic differentiation: backward, PyLayer, Jacobians and Hessians, a gradient check, saved-tensor hooks."""

from ..core.addresses import lookup as _lookup
from ..core.autograd import HookHandle, enable_grad, is_grad_enabled, no_grad, set_grad_enabled  # noqa: F401
from ..core.backward import backward, grad  # noqa: F401
from .anomaly import detect_anomaly, set_detect_anomaly  # noqa: F401
from .check import gradcheck
from .functional import hessian, jacobian, jvp, vjp
from .py_layer import PyLayer, PyLayerContext
from .saved import saved_tensors_hooks

Function = PyLayer  # PyTorch's name, which Paddle 3 has too

__all__ = ["Function", "jacobian", "hessian", "backward", "PyLayer", "PyLayerContext", "saved_tensors_hooks", "vjp", "jvp",
           "gradcheck",
           "detect_anomaly", "set_detect_anomaly"]


__getattr__ = _lookup(__name__)
