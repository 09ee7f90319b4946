"""Built-in functions that look into their arguments: as Python has them, and for tensors of the program."""

import builtins

from ..core.op import Symbolic
from ..core.tensor import Tensor
from .arrays import TensorList
from .branching import choose
from .calls import REPLACED
from .convert import and_, cast, length, not_, or_
from .effects import print_
from .iterate import enumerate_, range_, zip_
from .looping import join
from .values import graph_value


def all_(iterable):
    """``all``."""
    result = True
    for item in iterable:
        if not graph_value(item) and not item:
            return False
        result = and_(result, lambda item=item: as_flag(item))
    return result


def any_(iterable):
    """``any``."""
    result = False
    for item in iterable:
        if not graph_value(item) and item:
            return True
        result = or_(result, lambda item=item: as_flag(item))
    return result


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


REPLACED.update({
    len: length, print: print_, all: all_, any: any_, sum: sum_, isinstance: isinstance_, type: type_,
    max: _extreme(max, lambda a, b: a > b), min: _extreme(min, lambda a, b: a < b),
    range: range_, enumerate: enumerate_, zip: zip_, **{kind: cast(kind) for kind in (int, float, bool)}})
