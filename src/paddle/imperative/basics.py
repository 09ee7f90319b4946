"""to_variable, save, load and the like, as 2.0 alpha named them."""

from ..core import autograd
from ..fluid.dygraph import base
from ..fluid.dygraph.base import BackwardStrategy  # noqa: F401
from ..fluid.dygraph.checkpoint import load_dygraph, save_dygraph

no_grad = autograd.no_grad
grad = base.grad


def to_variable(value, name=None, zero_copy=None):
    """A Tensor from an array, without gradient unless ``stop_gradient`` is set to False (2.0 alpha; successor:
    paddle.to_tensor)."""
    t = base.to_variable(value, name=name, zero_copy=zero_copy)
    if t is not value:
        t.stop_gradient = True
    return t


def save(state_dict, model_path):
    """Write a state dict to ``<model_path>.pdparams``, an optimizer's to ``.pdopt`` (2.0 alpha; successor: paddle.save)."""
    return save_dygraph(state_dict, model_path)


def load(model_path, keep_name_table=False):
    """(parameters, optimizer state or None) of what ``save`` wrote (2.0 alpha; successor: paddle.load)."""
    return load_dygraph(model_path, keep_name_table)
