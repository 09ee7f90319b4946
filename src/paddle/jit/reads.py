"""What translated code tells the journal: what it reads and changes around itself, and what code that is not translated looks at.

Names, attributes and members that are read become guards, and so does what small containers and arrays hold that are at hand: no
rewrite sees every way to look into them (``a, b = names``, ``x in names``, ``numbers * x``). What is given to a function that is
not translated counts with all that it holds.
"""

import array
import collections
import dis
import functools
import sys
import types

import numpy as np

from ..core.context import context
from ..core.op import Symbolic
from ..core.tensor import Tensor
from ..nn.layer.layers import Layer
from . import settings
from .arrays import TensorList
from .errors import Unset
from .places import PLAIN, Attribute, Bound, Cell, Global, Inherited, Item, Length, Members
from .transforms.build import HELPER

MUTATORS = {"append", "pop", "insert", "extend", "remove", "clear", "update", "setdefault", "sort", "reverse", "add", "discard",
            "popitem", "appendleft", "popleft"}
_VALUES = (Symbolic, Tensor, TensorList, Unset)
_OPAQUE = (*PLAIN, *_VALUES, Layer, type, types.ModuleType, types.FunctionType, types.BuiltinFunctionType)
_CONTAINERS = (list, dict, set, collections.deque, bytearray, array.array)
_KNOWN_MODULES = settings.LIBRARIES | sys.stdlib_module_names | {__name__.partition(".")[0]}
SMALL, DEEP = 64, 4  # members that count because their container is at hand; how far one container is looked for in another


# ---- changes -------------------------------------------------------------------------------------------------------------
def touch(owner, attribute=None):
    """An attribute of an object, or the members of a container, are about to change."""
    trace = context.trace
    if trace is None or isinstance(owner, (*_VALUES, types.ModuleType, type)):
        return
    if attribute is not None:
        if isinstance(owner, Layer):
            trace.journal.meet(owner)
        trace.journal.touch((id(owner), attribute), Attribute, owner, attribute)
    elif isinstance(owner, (list, dict, set)) or hasattr(owner, "popleft"):
        trace.journal.touch_container(owner)


def touch_scopes(function, journal):
    """A function that may assign names of other scopes is about to be called."""
    cells, names, _ = scopes(function.__code__)
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
        if name in cells:
            journal.touch(id(cell), Cell, cell, name)
    for name in names:
        journal.touch((id(function.__globals__), name), Global, function.__globals__, name)


# ---- reads ---------------------------------------------------------------------------------------------------------------
def read(owner, name):
    """``owner.name``."""
    trace = context.trace
    if trace is None or isinstance(owner, _VALUES):
        return getattr(owner, name)
    getter = getattr(_of_class(owner, name), "fget", None)
    if isinstance(getter, types.FunctionType) and not _is_known(getter):
        try:
            return trace.convert(getter)(owner)
        except AttributeError:
            return getattr(owner, name)  # which may have another way to find it
    value = getattr(owner, name)
    if isinstance(value, Symbolic):
        return value
    if isinstance(owner, Layer):
        trace.journal.meet(owner)
    elif not trace.journal.touched((id(owner), name)):
        if isinstance(value, PLAIN) or not isinstance(owner, (type, types.ModuleType)):
            _note_attribute(trace.journal, owner, name)
    mention(value, trace.journal)
    return value


def _of_class(owner, name):
    """What the class of an object has under a name."""
    return next((cls.__dict__[name] for cls in type(owner).__mro__ if name in cls.__dict__), None)


def _is_known(thing):
    """Is it from a library, whose names stand for the same all the time?"""
    return (getattr(thing, "__module__", None) or "").partition(".")[0] in _KNOWN_MODULES


def _note_attribute(journal, owner, name):
    """Note an attribute that is kept in a plain way, but for those of libraries' modules."""
    if isinstance(owner, types.ModuleType) and owner.__name__.partition(".")[0] in _KNOWN_MODULES:
        return
    table = getattr(owner, "__dict__", None)
    if table is not None and name in table:
        journal.read((id(owner), name), Item, owner, table, name)
    elif isinstance(_of_class(owner, name), PLAIN):
        journal.read((id(owner), name), Inherited, owner, name)


def member(owner, key):
    """``owner[key]``."""
    trace = context.trace
    if trace is None or isinstance(owner, _VALUES):
        return owner[key]
    value = owner[key]
    if owner.__class__ not in (list, dict):
        look_into(owner)
    elif not trace.journal.touched(id(owner)) and not isinstance(value, Symbolic) and not isinstance(key, (Symbolic, slice)):
        trace.journal.read((id(owner), key), Item, owner, owner, key)
    mention(value, trace.journal)
    return value


def go_through(owner):
    """All members of a container are about to be read; returns it."""
    trace = context.trace
    if trace is None or isinstance(owner, _OPAQUE):
        return owner
    if owner.__class__ not in (list, dict):
        look_into(owner)
    elif not trace.journal.touched(id(owner)):
        trace.journal.read((id(owner), Length), Length, owner, "a length")
        for key in owner if isinstance(owner, dict) else range(len(owner)):
            member(owner, key)
    return owner


def mention(value, journal, most=SMALL):
    """A container or an array is at hand: what it holds counts, unless it is long or the function changes it."""
    if isinstance(value, np.ndarray):
        journal.read((id(value), Members), Members, value, "an array")
    elif isinstance(value, _CONTAINERS) and len(value) <= most and not journal.touched(id(value)):
        if not any(isinstance(v, _VALUES) for v in (value.values() if isinstance(value, dict) else value)):
            journal.read((id(value), Members), Members, value, f"a {type(value).__name__}")


def look_into(value, depth=0):
    """Code that is not translated is about to look at a value."""
    trace = context.trace
    if trace is None or isinstance(value, _OPAQUE) or depth > DEEP:
        return
    if isinstance(value, (np.ndarray, *_CONTAINERS)):
        mention(value, trace.journal, sys.maxsize)
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple, set, collections.deque)) else ()
    for part in inner:
        look_into(part, depth + 1)
    table = getattr(value, "__dict__", None)
    if table.__class__ is dict and not _is_known(type(value)):
        trace.journal.read((id(table), Length), Length, table, "attributes")
        for name in list(table):
            if not trace.journal.touched((id(value), name)):
                trace.journal.read((id(value), name), Item, value, table, name)
                look_into(table[name], depth + 1)


def watched(function):
    """A function that is not translated: what it is given is noted."""
    @functools.wraps(function, updated=())
    def call(*args, **kwargs):
        for value in (*args, *kwargs.values()):
            look_into(value)
        return function(*args, **kwargs)
    return call


# ---- names ---------------------------------------------------------------------------------------------------------------
def outer_places(function):
    """(Places of the plain values and tensors that a function reads from its globals and closure, Bounds of other things there).

    Names that it assigns are left out: see ``touch_scopes``.
    """
    code = function.__code__
    cells, assigned, loaded = scopes(code)
    table = function.__globals__
    found = [Global(table, name) for name in loaded - assigned if name in table and not name.startswith("__")]
    if HELPER not in code.co_freevars:  # else made by translated code: what it shares with that code is no outer value
        found += [Cell(cell, name) for name, cell in zip(code.co_freevars, function.__closure__ or ()) if name not in cells]
    plain = [isinstance(place.before[0], (*PLAIN, Tensor)) for place in found]
    others = [place for place, is_plain in zip(found, plain)
              if not is_plain and not isinstance(place.before[0], (types.ModuleType, Unset))]
    return [place for place, is_plain in zip(found, plain) if is_plain], [Bound(place) for place in others]


_scopes = {}


def scopes(code):
    """(names of enclosing functions that a code object assigns, global ones, global ones that it reads), or functions inside it."""
    found = _scopes.get(code)
    if found is None:
        cells, names, loaded = set(), set(), set()
        for instruction in dis.get_instructions(code):
            if instruction.opname in ("STORE_DEREF", "DELETE_DEREF"):
                cells.add(instruction.argval)
            elif instruction.opname in ("STORE_GLOBAL", "DELETE_GLOBAL"):
                names.add(instruction.argval)
            elif instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
                loaded.add(instruction.argval)
        for inner in code.co_consts:
            if isinstance(inner, types.CodeType):
                more = scopes(inner)
                cells |= more[0] & set(inner.co_freevars)
                names |= more[1]
                loaded |= more[2]
        found = _scopes[code] = (cells & set(code.co_freevars), names, loaded)
    return found
