"""Gradients and layer modes as 2.0 alpha had them.

Each ``backward()`` overwrites gradients; a second one through a freed graph, or one from a tensor without gradient, does
nothing; a tensor that was cut off reads zeros once a backward pass has run after the cut.
"""

import numpy as np

from ..core import autograd, engine
from ..core.tensor import Tensor
from ..fluid import state, variables
from ..fluid.dygraph.layers import load_every
from ..nn.layer.layers import Layer

_last_pass = 0  # number of the newest node when the last backward pass ended

_detach = Tensor.detach
_train, _eval = Layer.train, Layer.eval


def backward(self, backward_strategy=None, grad_tensor=None, retain_graph=False):
    """Compute gradients, overwriting those of an earlier pass (2.0 alpha; successor: Tensor.backward, which accumulates)."""
    global _last_pass
    variables.backward(self, backward_strategy, grad_tensor, retain_graph)
    _last_pass = engine.next_number()


def accumulate_grad(self, g, create_graph=False):
    """Put the gradient of this pass in the place of an earlier one."""
    if autograd.mode.depth <= 1 and not create_graph:
        self._grad = None
    variables.accumulate(self, g, create_graph)


def detach(self):
    """The same values cut off from the tape (2.0 alpha; successor: Tensor.detach)."""
    cut = _detach(self)
    if isinstance(cut, Tensor):
        cut.meta().extra = ("cut", engine.next_number())
    return cut


def gradient(self):
    """The gradient as an array, None without one; zeros for a tensor that was cut off before the last backward pass
    (2.0 alpha; successor: Tensor.grad)."""
    if self._grad is None and self.stop_gradient and self._data.dtype.kind in "fc":
        made = _cut_at(self)
        return np.zeros(self._data.shape, self._data.dtype) if made is not None and made < _last_pass else None
    return variables.modern_gradient(self)


def _cut_at(tensor):
    """The number of the node before which the tensor was cut off; None for data."""
    node, _ = autograd.node_of(tensor)
    if node is not None:
        return node.seq
    extra = tensor._meta.extra if tensor._meta is not None else None
    return extra[1] if isinstance(extra, tuple) and extra and extra[0] == "cut" else None


def set_dict(self, stat_dict, include_sublayers=True, use_structured_name=True):
    """Load values by structured name, of sublayers too unless told otherwise; a missing one raises (2.0 alpha; successor:
    Layer.set_state_dict)."""
    load_every(self, stat_dict, include_sublayers, use_structured_name)


def train(self):
    """Training mode; gradients are recorded again (2.0 alpha; successor: Layer.train)."""
    state.set_training(True)
    return _train(self)


def evaluate(self):
    """Evaluation mode; nothing is recorded for gradients (2.0 alpha; successor: Layer.eval)."""
    state.set_training(False)
    return _eval(self)


def table():
    """What replaces what: (class, attribute, function)."""
    return [*((Tensor, f.__name__, f) for f in (backward, accumulate_grad, detach, gradient)),
            (Layer, "set_dict", set_dict), (Layer, "load_dict", set_dict), (Layer, "train", train), (Layer, "eval", evaluate)]


