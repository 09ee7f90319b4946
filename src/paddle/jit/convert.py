"""What translated code calls, as ``__jit__``: its control flow, and built-in functions that look into their arguments.

Each does what Python does, unless a tensor of the program decides.
"""

import builtins
import sys

from ..core import dtype as dtypes
from ..core.context import context
from ..core.op import Symbolic
from ..core.tensor import Tensor
from ..ops.manipulation.reshape import reshape
from ..ops.nn.embedding import get_tensor_from_selected_rows
from ..static.array import array_length, is_array
from ..static.program.variable import SELECTED_ROWS
from .arrays import TensorList
from .branching import (  # noqa: F401  (translated code calls them by these names)
    and_,
    both,
    choose,
    compare,
    either,
    going,
    have,
    if_,
    is_,
    is_not,
    not_,
    or_,
    result,
    returning,
)
from .calls import REPLACED, call, helpers  # noqa: F401  (likewise)
from .effects import assert_, print_
from .errors import Unset
from .errors import Unset as unset  # noqa: F401  (likewise)
from .iterate import enumerate_, graph_iterable, range_, zip_
from .looping import for_, join, while_  # noqa: F401  (likewise)
from .reads import go_through, look_into, member, read, touch  # noqa: F401  (likewise)
from .values import condition, graph_value, shape, truth, unmoved, variable  # noqa: F401  (likewise)


def length(value):
    """``len(value)``."""
    if value.__class__ is TensorList:
        return value.length
    if is_array(value):
        return array_length(value)
    if isinstance(value, Symbolic):
        if not value.shape:
            raise TypeError("len() of a 0-d tensor")
        if value.kind == SELECTED_ROWS:  # of which the rows that are there count, not the tensor they are part of
            value = get_tensor_from_selected_rows(value)
        return shape(value)[0]
    source = graph_iterable(value)
    return len(go_through(value)) if source is None else source.length()


def check(test, message=None):
    """``assert``."""
    test = truth(test)
    if graph_value(test):
        assert_(condition(variable(test), "assert"), None if message is None else message())
    elif not test:
        if message is None:
            raise AssertionError
        raise AssertionError(message())


def cast(kind):
    """The function that ``int``, ``float`` or ``bool`` is in translated code."""
    def convert(*args):
        if len(args) == 1 and graph_value(args[0]):
            value = variable(args[0])
            several = any(n not in (1, -1) for n in value.shape)
            if several and not context.trace.values_stay:
                raise TypeError(f"{kind.__name__}(): only a one-element tensor converts, this one has shape "
                                f"{list(value.shape)}")
            to = {int: "int64", float: dtypes.get_default_dtype(), bool: "bool"}[kind]
            value = value.detach() if value.dtype.name == to else value.astype(to)
            value = value if not value.shape or several else reshape(value, None, None, [])
            value.stop_gradient = True
            return value
        return kind(*args)
    return convert


def attribute(base, name):
    """The value of an attribute that a branch or loop may set; Unset if there is none."""
    try:
        return getattr(base(), name)
    except (AttributeError, NameError):
        return Unset(name)


def set_attribute(base, name, value):
    """Set an attribute back, or take it away."""
    try:
        owner = base()
    except (AttributeError, NameError):
        return
    if value.__class__ is Unset:
        if name in getattr(owner, "__dict__", ()):
            delattr(owner, name)
    elif owner.__class__ is not Unset and getattr(owner, name, None) is not value:
        if value.__class__ is TensorList:  # in place of the list, until the trace ends
            touch(owner, name)
        setattr(owner, name, value)


def all_(iterable):
    """``all``."""
    outcome = True
    for item in iterable:
        if not graph_value(item) and not item:
            return False
        outcome = and_(outcome, lambda item=item: as_flag(item))
    return outcome


def any_(iterable):
    """``any``."""
    outcome = False
    for item in iterable:
        if not graph_value(item) and item:
            return True
        outcome = or_(outcome, lambda item=item: as_flag(item))
    return outcome


def as_flag(value):
    """Is a value true?"""
    return not_(not_(value))


def _extreme(function, better):
    def choice(*args, **options):
        items = list(args[0]) if len(args) == 1 else list(args)
        if options or not any(graph_value(item) for item in items):
            return function(items, **options) if len(args) == 1 else function(*args, **options)
        best = items[0]
        for item in items[1:]:
            best = choose(better(item, best), lambda item=item: item, lambda best=best: best)
        return best
    return choice


def sum_(iterable, start=0):
    """``sum``."""
    if iterable.__class__ is TensorList and isinstance(iterable.length, Symbolic):
        return join(iterable, 0, stacks=True).sum(0) + start
    return builtins.sum(iterable, start)


def getattr_(owner, name, *default):
    """``getattr``."""
    try:
        return read(owner, name)
    except AttributeError:
        if not default:
            raise
        look_into(owner)
        return default[0]


def isinstance_(value, kinds):
    """``isinstance``: tensors of the program are Tensors to the user, and their lists are lists."""
    found = isinstance(value, kinds)
    if found or not isinstance(value, (Symbolic, TensorList)):
        return found
    kinds = kinds if isinstance(kinds, tuple) else (kinds,)
    stands_for = Tensor if isinstance(value, Symbolic) else list
    return any(k is stands_for for k in kinds)


def type_(*args):
    """``type``."""
    if len(args) == 1 and isinstance(args[0], (Symbolic, TensorList)):
        return Tensor if isinstance(args[0], Symbolic) else list
    return type(*args)


def own_names(names):
    """``locals()`` of a function: without what the translator added to it."""
    return {name: value for name, value in names.items() if not name.startswith("__jit_") and value.__class__ is not Unset}


def own_dir(names):
    """``dir()`` in a function."""
    return sorted(own_names(names))


REPLACED.update({
    len: length, print: print_, all: all_, any: any_, sum: sum_, isinstance: isinstance_, type: type_, getattr: getattr_,
    max: _extreme(max, lambda a, b: a > b), min: _extreme(min, lambda a, b: a < b),
    range: range_, enumerate: enumerate_, zip: zip_, **{kind: cast(kind) for kind in (int, float, bool)}})
helpers.append(sys.modules[__name__])
