"""Arguments that hold integers: shapes, axes, sections; given as numbers, tensors, or lists of both."""

import numpy as np

from ..core.errors import WrongKindError, describe
from ..core.op import Symbolic
from ..core.tensor import Tensor
from .argument_checks import check_plain
from .convert import int_arg, known_value


def ints(values, function, argument):
    """A list of ints from a list, tuple, integer Tensor or array; items may be one-element Tensors."""
    if isinstance(values, Symbolic):
        values = known_value(values, function, argument)
    if isinstance(values, (Tensor, np.ndarray)):
        array = np.asarray(values)
        if array.dtype.kind not in "iu":
            raise WrongKindError(f"{function}(): {argument} must hold integers, got {describe(values)}")
        return array.ravel().tolist()
    if isinstance(values, (list, tuple)):
        return [int_arg(v, function, argument) for v in values]
    if isinstance(values, (int, np.integer)) and not isinstance(values, bool):
        return [int_arg(values, function, argument)]
    raise WrongKindError(f"{function}(): {argument} must be a list, tuple or Tensor of ints, got {describe(values)}")


def dims(x):
    """The sizes of x: ints, and one-element Variables where a static Variable's size is known only when it runs."""
    if -1 not in x.shape:
        return list(x.shape)
    from .attribute import shape  # it needs the arguments of this module
    sizes = shape(x)
    return [sizes[k] if n < 0 else n for k, n in enumerate(x.shape)]


def known(x, function, argument="x"):
    """The shape of x as a list, or ValueError if a size is known only when the program runs."""
    if -1 in x.shape:
        raise ValueError(f"{function}(): the shape of {argument} must be known, got {list(x.shape)}")
    return list(x.shape)


def split_ints(values, function, argument):
    """What ops with slots for run-time integers take: (tensor or None, list of tensors or None, attribute)."""
    if not isinstance(values, (list, tuple)):
        check_plain(values, function, argument)
    if isinstance(values, Symbolic):
        return values, None, ()
    if isinstance(values, (list, tuple)) and any(isinstance(v, Symbolic) for v in values):
        items = [v if isinstance(v, Symbolic) else int_arg(v, function, argument) for v in values]
        return None, items, [-1 if isinstance(v, Symbolic) else v for v in items]
    return None, None, ints(values, function, argument)
