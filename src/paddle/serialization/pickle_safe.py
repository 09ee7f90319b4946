"""Reading pickles without running their code: plain data, NumPy arrays, and what the caller expressly allows."""

import collections
import contextlib
import math
import re
import reprlib

import numpy as np

from .errors import UnpicklingError
from .pickle_machine import Machine, check_key
from .source import open_source

_DTYPE = re.compile(r"[<>|=]?([a-zA-Z])(\d*)")
_RENAMED = {"__builtin__": "builtins", "copy_reg": "copyreg"}  # Python 2's names
_registered = {}


def load(origin, encoding="latin1", safe_globals=()):
    """Rebuild the object of a pickle: a path, bytes or a binary file object.

    Args:
        origin: what to read.
        encoding: how 8-bit strings written by Python 2 are decoded; "bytes" leaves them as bytes.
        safe_globals: classes and functions that this pickle may use besides the built-in list; see `add_safe_globals`.
    Raises:
        UnpicklingError: the data is damaged or cut short, with the position, or it names a class that is not allowed.
    """
    with open_source(origin) as source:
        builder = Builder({**_registered, **_by_name(safe_globals)}, source.remaining)
        return Machine(source, encoding, builder).run()


def add_safe_globals(items):
    """Allow classes or functions in every pickle that is loaded from now on.

    Rebuilding an object calls its class with arguments from the file, so allow only what is harmless then.
    An item is a class or function, or a pair of it and the full name under which files know it.
    """
    _registered.update(_by_name(items))


def get_safe_globals():
    """The classes and functions allowed by `add_safe_globals`, by full name."""
    return dict(_registered)


def clear_safe_globals():
    """Take back everything that `add_safe_globals` allowed."""
    _registered.clear()


@contextlib.contextmanager
def safe_globals(items):
    """Allow classes or functions inside a `with` block."""
    before = dict(_registered)
    add_safe_globals(items)
    try:
        yield
    finally:
        _registered.clear()
        _registered.update(before)


def _by_name(items):
    table = {}
    for item in items:
        value, name = item if isinstance(item, tuple) else (item, None)
        if not callable(value) or not (name is None or isinstance(name, str)):
            raise TypeError(f"safe_globals: expected classes or functions, got {item!r}")
        table[name or f"{value.__module__}.{value.__qualname__}"] = value
    return table


class Builder:
    """Finds the globals a pickle names and makes their objects, with checked arguments only.

    Args:
        allowed: full name -> class or function that the caller trusts.
        size: bytes of the pickle; copies made on its behalf may not take much more.
    """

    def __init__(self, allowed, size):
        self.allowed = allowed
        self.trusted = {id(value) for value in allowed.values()}
        self.room = 4 * size + (1 << 20)

    def find(self, module, name):
        """The class or stand-in for a global, if it is allowed."""
        module = _RENAMED.get(module, module)
        full = f"{module}.{name}"
        if full in self.allowed:
            return self.allowed[full]
        if full in _GLOBALS:
            return _GLOBALS[full]
        raise UnpicklingError(
            f"the file names {full}, which is not rebuilt from files because doing so can run code. If you trust the "
            f"file and know that class, pass safe_globals=[{full}] or call "
            f"paddle.serialization.pickle_safe.add_safe_globals([{full}]) first")

    def call(self, function, arguments, keywords, new):
        """Make an object as a pickle asks: `function(*arguments)`, or `__new__` of a trusted class."""
        if id(function) in self.trusted:
            if new:
                return function.__new__(function, *arguments, **keywords)
            return function(*arguments, **keywords)
        make = _MAKERS.get(id(function))
        if make is None or keywords:
            raise UnpicklingError(f"the pickle calls {reprlib.repr(function)}, which is not allowed")
        return make(self, *arguments)

    def persistent(self, key):
        """What lies outside of the pickle under a key: nothing, unless a file's format says where."""
        raise UnpicklingError("the pickle uses a persistent id, which is not supported")

    def set_state(self, instance, state, shared):
        """Fill an object with the state that a pickle gives it."""
        kind = type(instance)
        if kind is np.ndarray:
            self._fill_array(instance, state, shared)
        elif isinstance(instance, np.dtype):
            _set_byte_order(instance, state)
        else:
            self.check_instance(instance, "state is given")
            if hasattr(instance, "__setstate__"):
                instance.__setstate__(state)
                return
            plain, slots = state if isinstance(state, tuple) and len(state) == 2 else (state, None)
            if plain:
                instance.__dict__.update(plain)
            for name, value in (slots or {}).items():
                setattr(instance, name, value)

    def check_instance(self, instance, what):
        """Refuse to touch objects of classes that the caller did not allow."""
        if id(type(instance)) not in self.trusted:
            raise UnpicklingError(f"{what} to a {type(instance).__name__}, which is not allowed")

    def spend(self, size):
        """Account for memory that a call copies, so that a small file cannot ask for a lot of it."""
        self.room -= size
        if self.room < 0:
            raise UnpicklingError("the pickle copies its own parts over and over: refused")

    # ---------------------------------------------------------------- arrays

    def _fill_array(self, array, state, shared):
        if type(state) is not tuple or len(state) not in (4, 5):
            raise UnpicklingError("an array's state is not a tuple of five")
        shape, dtype, fortran, raw = state[-4:]
        raw = _raw_bytes(raw)
        shape = _checked_shape(shape, dtype, len(raw))
        self.spend(len(raw))
        if id(raw) in shared:
            raw = bytes(bytearray(raw))  # the array takes over the memory of its bytes
        array.__setstate__((1, shape, dtype, bool(fortran), raw))

    def make_shell(self, kind, shape=(0,), code=b"b"):
        """The empty array that a later state fills."""
        if kind is not np.ndarray or shape != (0,) or code not in (b"b", "b"):
            raise UnpicklingError("an array begins in an unknown way")
        return np.empty((0,), np.int8)

    def make_scalar(self, dtype, raw=None):
        """A NumPy scalar."""
        raw = _raw_bytes(raw)
        _checked_shape((), dtype, len(raw))
        return np.frombuffer(raw, dtype)[0]

    def make_from_buffer(self, raw, dtype, shape, order):
        """An array of pickle protocol 5."""
        shape = _checked_shape(shape, dtype, len(raw))
        self.spend(len(raw))
        return np.frombuffer(bytes(raw), dtype).reshape(shape, order=order).copy(order)

    def make_dtype(self, code, *_):
        """An element type; only plain numbers and fixed-width texts exist in files."""
        if isinstance(code, bytes):
            code = code.decode("ascii")
        match = _DTYPE.fullmatch(code) if isinstance(code, str) else None
        if match is None or match[1] not in "biufcSU":
            objects = match is not None and match[1] == "O"
            what = "they hold arbitrary Python objects" if objects else "not a plain type"
            raise UnpicklingError(f"arrays of dtype {reprlib.repr(code)} are not read from files: {what}")
        return np.dtype(np.dtype(code), copy=True)

    # ---------------------------------------------------------------- built-in types

    def make_tuple(self, items=()):
        return items if type(items) is tuple else tuple(self._sequence(items))

    def make_list(self, items=()):
        return list(self._sequence(items))

    def make_set(self, items=()):
        for item in self._sequence(items):
            check_key(item)
        return set(items)

    def make_frozenset(self, items=()):
        return frozenset(self.make_set(items))

    def _sequence(self, items):
        if type(items) not in (list, tuple):
            raise UnpicklingError(f"a sequence was expected, not a {type(items).__name__}")
        self.spend(16 * len(items))
        return items

    def make_dict(self):
        return {}

    def make_ordered_dict(self, pairs=()):
        result = collections.OrderedDict()
        for pair in self._sequence(pairs):
            key, value = self._sequence(pair)
            check_key(key)
            result[key] = value
        return result

    def make_bytes(self, text="", encoding="latin1"):
        if type(text) is bytes:
            return text
        return self.encode(text, encoding)

    def make_bytearray(self, data=b"", encoding="latin1"):
        if type(data) is not bytes:
            return bytearray(self.encode(data, encoding))
        self.spend(len(data))
        return bytearray(data)

    def make_complex(self, real, imag=0.0):
        return complex(float(real), float(imag))

    def make_slice(self, *parts):
        if any(type(part) not in (int, type(None)) for part in parts):
            raise UnpicklingError("a slice has parts that are not numbers")
        return slice(*parts)

    def encode(self, text, encoding="latin1"):
        """Bytes that Python 3 wrote as a text, because protocol 2 has no bytes."""
        if type(text) is not str or encoding not in ("latin1", "latin-1"):
            raise UnpicklingError("bytes are not given as Latin-1 text")
        self.spend(len(text))
        return text.encode("latin1")

    def make_plain_instance(self, kind, base, state):
        """An instance of a trusted class as pickle protocols 0 and 1 begin it."""
        if id(kind) not in self.trusted or base is not object or state is not None:
            raise UnpicklingError("an object begins in an unknown way")
        return object.__new__(kind)

    def make_lod_tensor(self, expression, names):
        """Paddle's static mode stores an array as the expression `data` over {'data': array}; nothing else is meant."""
        if expression != "data" or type(names) is not dict or type(names.get("data")) is not np.ndarray:
            raise UnpicklingError("the file asks to evaluate Python code: refused")
        return names["data"]


def _raw_bytes(raw):
    if type(raw) is str:  # an array pickled by Python 2
        return raw.encode("latin1")
    if type(raw) is not bytes:
        raise UnpicklingError(f"an array's data is a {type(raw).__name__}, not bytes (object arrays are refused)")
    return raw


def _checked_shape(shape, dtype, size):
    if not isinstance(dtype, np.dtype) or dtype.hasobject:
        raise UnpicklingError("an array has no plain element type")
    if type(shape) is not tuple or any(type(length) is not int or length < 0 for length in shape):
        raise UnpicklingError(f"impossible shape {reprlib.repr(shape)}")
    needed = math.prod(shape) * dtype.itemsize
    if needed != size:
        raise UnpicklingError(f"an array of {dtype.name} {reprlib.repr(shape)} needs {needed} bytes, {size} are given")
    return shape


def _set_byte_order(dtype, state):
    order = state[1] if type(state) is tuple and len(state) >= 2 else None
    order = order.decode("ascii") if type(order) is bytes else order
    if order not in ("<", ">", "|", "=") or any(part is not None for part in state[2:5]):
        raise UnpicklingError("an element type has an unknown state (structured types are refused)")
    if order == ">":
        own = dtype.__reduce__()[2]
        dtype.__setstate__((own[0], order, *own[2:]))


def _stand_in(module, name):
    """What a pickled function becomes: it can only be called through its checked maker."""
    def refuse(*_):
        raise UnpicklingError(f"{module}.{name} cannot be called")
    refuse.__name__ = refuse.__qualname__ = name
    return refuse


def _make_tables():
    types = {
        "numpy.ndarray": (np.ndarray, None), "numpy.dtype": (np.dtype, Builder.make_dtype),
        "builtins.tuple": (tuple, Builder.make_tuple), "builtins.list": (list, Builder.make_list),
        "builtins.dict": (dict, Builder.make_dict), "builtins.set": (set, Builder.make_set),
        "builtins.frozenset": (frozenset, Builder.make_frozenset), "builtins.bytes": (bytes, Builder.make_bytes),
        "builtins.bytearray": (bytearray, Builder.make_bytearray), "builtins.complex": (complex, Builder.make_complex),
        "builtins.object": (object, None), "builtins.slice": (slice, Builder.make_slice),
        "collections.OrderedDict": (collections.OrderedDict, Builder.make_ordered_dict),
    }
    functions = {"_codecs.encode": Builder.encode, "builtins.eval": Builder.make_lod_tensor,
                 "copyreg._reconstructor": Builder.make_plain_instance}
    for core in ("numpy.core", "numpy._core"):
        functions[core + ".multiarray._reconstruct"] = Builder.make_shell
        functions[core + ".multiarray.scalar"] = Builder.make_scalar
        functions[core + ".numeric._frombuffer"] = Builder.make_from_buffer
    names = {full: kind for full, (kind, _) in types.items()}
    makers = {id(kind): make for kind, make in types.values() if make is not None}
    for full, make in functions.items():
        names[full] = _stand_in(*full.rsplit(".", 1))
        makers[id(names[full])] = make
    return names, makers


_GLOBALS, _MAKERS = _make_tables()
