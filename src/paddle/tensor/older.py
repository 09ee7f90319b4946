"""What tensors did otherwise before 2.0, where the rules in force say so (see core/rules.py)."""

import numpy as np

from ..core import autograd, backward, engine
from ..core import dtype as dtypes
from ..core.context import context
from ..core.rooms import rooms
from ..core.tensor import Parameter, Tensor

_KINDS = {"float16": "::paddle::platform::float16", "float32": "float", "float64": "double", "int64": "int64_t", "int32": "int"}


def run_backward(self, backward_strategy=None, grad_tensor=None, retain_graph=False):
    """Compute the gradients of what this tensor depends on; where the rules are lenient, a tensor without gradient or a graph
    that was gone through already is no error. ``backward_strategy`` changes nothing: sums are in order here."""
    if isinstance(backward_strategy, Tensor):
        grad_tensor = backward_strategy
    node, _ = autograd.node_of(self)
    if not context.rules.lenient_backward or not self.stop_gradient and (node is None or node.edges is not None):
        backward.backward([self], [grad_tensor], retain_graph)
    if context.guard is not None:
        context.guard.last_pass = engine.next_number()


def missing_gradient(self):
    """What gradient() gives for a tensor that has none."""
    how = context.rules.missing_gradient
    if how == "raises":
        raise ValueError(f"gradient(): {self.name} has no gradient: no backward() reached it, or its stop_gradient is True")
    node, _ = autograd.node_of(self)
    if context.rules.retains_all and node is not None and node.edges is None and not self.stop_gradient:
        return np.zeros(self._data.shape, self._data.dtype)  # backward() went through the operator, for another of its results
    if how != "none" and context.guard is not None and self._data.dtype.kind in "fc":
        made = _cut_at(self) if self.stop_gradient else 0 if how == "zeros" and isinstance(self, Parameter) else None
        if made is not None and made < context.guard.last_pass:
            return np.zeros(self._data.shape, self._data.dtype)
    return None


def note_cut(tensor):
    """Remember when a tensor was cut off from the tape."""
    tensor.meta().extra = ("cut", engine.next_number())


def _cut_at(tensor):
    """The number of the node before which the tensor was cut off; None for data, in 2.0 alpha also for what stop_gradient cut."""
    node, _ = autograd.node_of(tensor)
    if node is not None:
        return node.seq
    extra = tensor._meta.extra if tensor._meta is not None else None
    return extra[1] if isinstance(extra, tuple) and extra and extra[0] == "cut" else None


def text(self):
    """The tensor as 1.x printed it."""
    kind = self._data.dtype.name
    values = " ".join(f"{v:.6g}" if self._data.dtype.kind == "f" else str(v) for v in self._data.reshape(-1)[:1000].tolist())
    sizes = ", ".join(map(str, self._data.shape))
    return (f"name {self.name}, dtype: {dtypes.old_text(self.dtype)} shape: {self.shape} \tlod: {{}}\n\tdim: {sizes}\n\t"
            f"layout: NCHW\n\tdtype: {_KINDS.get(kind, kind)}\n\tdata: [{values}]\n")


def block():
    """The global block of the main program: what 1.x gave for the block of a tensor too."""
    return rooms.default_main_program().global_block()
