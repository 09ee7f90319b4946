"""What tensors do otherwise inside a guard of 1.x: (class, attribute, function) rows, installed by ``state.guard``.

Code of the package itself always gets what 2.x does.
"""

import sys

from ..core import autograd
from ..core.dtype import DType
from ..core.tensor import Parameter, Tensor
from . import state
from .core import var_type

_getitem = Tensor.__getitem__
modern_backward, modern_gradient, accumulate = Tensor.backward, Tensor.gradient, Tensor.accumulate_grad
_KINDS = {"float16": "::paddle::platform::float16", "float32": "float", "float64": "double", "int64": "int64_t", "int32": "int"}


def _from_the_package():
    """Was the function that calls this one called by the package itself?"""
    return sys._getframe(2).f_globals.get("__name__", "").partition(".")[0] == "paddle"


def backward(self, backward_strategy=None, grad_tensor=None, retain_graph=False):
    """Compute the gradients of what this tensor depends on; a tensor without gradient, or a graph that was gone through
    already, is no error (1.x; successor: Tensor.backward). ``backward_strategy`` changes nothing: sums are in order here."""
    if isinstance(backward_strategy, Tensor):
        grad_tensor = backward_strategy
    node, _ = autograd.node_of(self)
    if not self.stop_gradient and (node is None or node.edges is not None):
        modern_backward(self, grad_tensor, retain_graph)


def accumulate_grad(self, g, create_graph=False):
    """Put the gradient of this pass in the place of an earlier one, as 1.5 to 1.8 did; add to it where the program is one of
    1.4, or the parameter that of a layer of 2.x."""
    tracer = state.tracer()
    if tracer is not None and not tracer.adds and autograd.mode.depth <= 1 and not create_graph \
            and (not isinstance(self, Parameter) or tracer.knows(self)):
        self._grad = None
    accumulate(self, g, create_graph)


def gradient(self):
    """The gradient as an array; without one None, or in programs of 1.4 and 1.5 (whose layers have a name_scope) ValueError
    (1.x; successor: Tensor.grad)."""
    found = modern_gradient(self)
    if found is None and state.tracer().scoped and not _from_the_package():
        raise ValueError(f"gradient(): {self.name} has no gradient: no backward() reached it, or its stop_gradient is True")
    return found


def getitem(self, index):
    """Part of the tensor; a single element has shape [1] (1.x; successor: Tensor.__getitem__, which gives shape [])."""
    part = _getitem(self, index)
    return part.reshape([1]) if not part._data.ndim and not _from_the_package() else part


def iterate(self):
    """Parts along the first axis, elements of shape [1] (1.x; successor: Tensor.__iter__)."""
    if not self._data.ndim:
        raise TypeError("iteration over a 0-d tensor")
    parts = (_getitem(self, i) for i in range(self._data.shape[0]))
    return (part if part._data.ndim else part.reshape([1]) for part in parts)


def text(self):
    """The tensor as 1.x printed it (1.x; successor: Tensor.__repr__)."""
    kind = self._data.dtype.name
    values = " ".join(f"{v:.6g}" if self._data.dtype.kind == "f" else str(v) for v in self._data.reshape(-1)[:1000].tolist())
    sizes = ", ".join(map(str, self._data.shape))
    return (f"name {self.name}, dtype: {var_type(self.dtype)!r} shape: {self.shape} \tlod: {{}}\n\tdim: {sizes}\n\tlayout: NCHW\n"
            f"\tdtype: {_KINDS.get(kind, kind)}\n\tdata: [{values}]\n")


def type_text(self):
    """An element type as 1.x printed it, VarType.FP32 (1.x; successor: paddle.float32)."""
    return repr(var_type(self))


def table():
    """What replaces what: (class, attribute, function)."""
    return [*((Tensor, f.__name__, f) for f in (backward, accumulate_grad, gradient)), (Tensor, "__getitem__", getitem),
            (Tensor, "__iter__", iterate), (Tensor, "__str__", text), (DType, "__str__", type_text)]
