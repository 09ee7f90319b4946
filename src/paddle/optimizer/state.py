"""What an optimizer keeps for each parameter, and what its settings are made of."""

import numpy as np

from ..core.dtype import of_bits
from ..core.errors import WrongKindError, describe
from ..core.op import Symbolic
from ..core.tensor import Tensor
from ..regularizer import L2Decay, WeightDecayRegularizer
from .lr import LRScheduler

Number = float | Tensor  # a setting: a number, or a tensor that holds one
Rate = Number | LRScheduler


class State:
    """One value kept per parameter: op slot, accumulator name, initial value (a number, or a function of the optimizer and
    the group), whether it is one number, and how many copies of the parameter's shape it holds (None: just that shape)."""

    __slots__ = ("slot", "name", "initial", "scalar", "copies")

    def __init__(self, slot, name, initial=0.0, scalar=False, copies=None):
        self.slot, self.name, self.initial, self.scalar, self.copies = slot, name, initial, scalar, copies

    def start(self, optimizer, group):
        """The value that every element of the state starts from."""
        return self.initial(optimizer, group) if callable(self.initial) else self.initial

    def shape(self, optimizer, param_shape):
        """Shape of the state of a parameter."""
        if self.scalar:
            return [1]
        return list(param_shape) if self.copies is None else [self.copies(optimizer), *param_shape]


def from_option(name, unknown=None):
    """Initial value of a state: what the group says for an option, or ``unknown`` where that is a Variable of a program."""
    return lambda optimizer, group: unknown if isinstance(group[name], Symbolic) else group[name]


def as_number(value, who, argument):
    """`value` as a float."""
    try:
        return float(value)
    except (TypeError, ValueError):
        raise WrongKindError(f"{who}(): {argument} must be a number, got {describe(value)}") from None


def state_dtype(dtype):
    """Type that the states of a parameter of a type have and its update is computed in: the same, or float32 for 16-bit ones."""
    return np.dtype(np.float32) if dtype.itemsize <= 2 else dtype


def decay_from(value, who):
    """The regularizer that a weight_decay argument means, or None."""
    if value is None or isinstance(value, WeightDecayRegularizer):
        return value
    if isinstance(value, (int, float)):
        return L2Decay(float(value)) if value else None
    raise TypeError(f"{who}(): weight_decay must be a number or a regularizer, got {describe(value)}")


def array_of(value):
    """The array of a value in a state dict: a Tensor, an array, or (name, array) as older files hold it."""
    if isinstance(value, Tensor):
        return value.whole()._data if value._placed else value._data
    return of_bits(np.asarray(value[1] if isinstance(value, tuple) else value))


def load_into(t, value, name):
    """Put a loaded value into a state."""
    array = array_of(value)
    if array.size != t.size:
        raise ValueError(f"set_state_dict(): {name} has shape {list(t.shape)}, the loaded value {list(array.shape)}")
    if t._placed:
        t.set_value(np.array(array, t._data.dtype).reshape(t.shape))
        return
    t.replace(np.array(array, t._data.dtype).reshape(t._data.shape))

