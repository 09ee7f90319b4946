"""auto_cast: a hook on every op that chooses the type of its floating inputs."""

import functools
import logging
import threading

import numpy as np

from ..core import dtype as dtypes
from ..core import place
from ..core.addresses import lookup as _lookup
from ..core.context import context
from ..core.errors import check_choice
from ..core.hooks import OpHook
from ..core.op import BY_NAME, OPS
from ..core.tensor import Tensor
from ..static.program.op_table import knows
from ..static.program.registry import load_all

__all__ = ["auto_cast", "is_float16_supported", "is_bfloat16_supported"]

def is_float16_supported(device=None):
    """Does mixed precision use float16 on a device? Not on a CPU, which stands in for all others here.

    >>> paddle.amp.is_float16_supported('cpu')
    False
    """
    if device is not None:
        place.convert(device, "is_float16_supported")
    return False


def is_bfloat16_supported(device=None):
    """Does mixed precision use bfloat16 on a device? Where the package ml-dtypes is installed.

    >>> paddle.amp.is_bfloat16_supported() in (True, False)
    True
    """
    if device is not None:
        place.convert(device, "is_bfloat16_supported")
    try:
        return dtypes.to_numpy("bfloat16") is not None
    except TypeError:
        return False


@functools.cache
def _say_once(dtype):
    why = "the package ml-dtypes is not installed" if dtype == "bfloat16" else "it is not used on CPUs"
    logging.getLogger("paddle.amp").warning("mixed precision with %s was asked for, but %s: float32 is used", dtype, why)


def usable(dtype, function):
    """Is this short type used here? Says so once in the log if not."""
    check_choice(dtype, ("float16", "bfloat16"), function, "dtype")
    supported = is_bfloat16_supported() if dtype == "bfloat16" else is_float16_supported()
    if not supported:
        _say_once(dtype)
    return supported


# level -> what ops say of themselves (the fact ``amp``) that run in float32 there
BLACK = {"O1": ("black", "norm", "float32"), "O2": ("float32",), "OD": ()}


def _listed(levels):
    """{short type: {level: types of the ops of Paddle that say one of these of themselves}}, as Paddle's lists are nested."""
    load_all()
    return {dtype: {level: {op.type for op in OPS.values() if op.facts.amp in said and knows(op.type)}
                    for level, said in levels.items()} for dtype in ("float16", "bfloat16")}


def white_list():
    """The ops that run in a short type in mixed precision, by that type and the level.

    >>> 'conv2d' in paddle.amp.white_list()['bfloat16']['O1']
    True
    """
    return _listed(dict.fromkeys(BLACK, ("white",)))


def black_list():
    """The ops that run in float32 in mixed precision, by the short type and the level.

    >>> 'softmax' in paddle.amp.black_list()['bfloat16']['O1']
    True
    """
    return _listed(BLACK)


class Caster(OpHook):
    """The hook: O1 casts what is on the white list down and what is on the black list up; O2 casts all but the latter."""

    def __init__(self, dtype, level, white=(), black=(), promote=True):
        self.short, self.level, self.promote = np.dtype(dtypes.to_numpy(dtype)), level, promote
        self.name = dtypes.of(self.short)
        self.white, self.black = set(white), set(black)  # the user's; they win over the built-in lists

    def before(self, op, args):
        """The arguments with floating tensors cast."""
        if op.facts.amp == "never":
            return args
        floats = self._floats(args[:op.n_in])
        chosen = self.choose(op, floats) if floats else None
        return args if chosen is None else self._cast(op, args, *chosen)

    def choose(self, op, floats):
        """(type to cast, type to cast it to, how many of the inputs) for an op whose inputs have these floating types; None: they
        are unchanged."""
        said, names = op.facts.amp, {op.type, op.name}
        black = bool(names & self.black or said in BLACK[self.level] and not names & self.white)
        white = bool(names & self.white or said == "white" and not names & self.black)
        if white or (self.level == "O2" and not black):
            first = 1 if said == "norm" else op.n_in  # statistics, scales and shifts stay as they are
            return np.dtype(np.float32), self.short, first
        short = any(d == self.short for d in floats)
        mixed = short and any(d == np.float32 for d in floats)
        if short and (black or self.level == "OD" or (mixed and self.promote)):
            return self.short, np.dtype(np.float32), op.n_in
        return None

    def unites(self, *kinds):
        """Are these float32 and the short type, of which every op gets one?"""
        return (self.promote or self.level != "O1") and {*kinds} <= {np.dtype(np.float32), self.short}

    def _floats(self, values):
        found = []
        for v in values:
            if isinstance(v, Tensor):
                if v._data.dtype == np.float32 or v._data.dtype == self.short:
                    found.append(v._data.dtype)
            elif isinstance(v, (list, tuple)):
                found += self._floats(v)
        return found

    @staticmethod
    def _cast(op, args, old, new, first):
        """The arguments with the tensors among the first so many cast."""
        kind = dtypes.of(new)

        def one(v):
            if isinstance(v, Tensor):
                return BY_NAME["cast"](v, kind) if v._data.dtype == old else v
            return type(v)([one(x) for x in v]) if isinstance(v, (list, tuple)) else v
        return (*[one(v) for v in args[:first]], *args[first:])


class _Outer(threading.local):
    """What the blocks around a block do, one entry for each time that a thread is in it."""

    def __init__(self):
        self.casters = []


class auto_cast:
    """Run ops in a short float type inside a ``with`` block where that is safe.

    Args:
        enable (bool): do anything at all?
        custom_white_list, custom_black_list (set, list or None): op types to run in the short type, or not to; None leaves the
            usual lists as they are.
        level (str): 'O1' (what is on the white list), 'O2' (all but what is on the black list), 'OD' (only what is on the white
            list, all else in float32), 'O0' (nothing).
        dtype (str): 'float16' or 'bfloat16' (see the module's text for which are used).
        use_promote (bool): run an op on mixed inputs in float32 (else as the op likes).
    Raises:
        ValueError: ``level`` or ``dtype`` is unknown, or an operator is on both lists.

    >>> with paddle.amp.auto_cast(enable=False):
    ...     y = paddle.ones([2, 2]) @ paddle.ones([2, 2])
    >>> y.dtype
    paddle.float32
    """

    def __init__(self, enable=True, custom_white_list=None, custom_black_list=None, level="O1", dtype="float16",
                 use_promote=True):
        check_choice(level, ("O0", "OD", "O1", "O2"), "auto_cast", "level")
        white, black = set(custom_white_list or ()), set(custom_black_list or ())
        if white & black:
            raise ValueError(f"auto_cast(): {sorted(white & black)} are on both custom lists")
        self._hook, self._outer = None, _Outer()
        if enable and level != "O0" and usable(dtype, "auto_cast"):
            self._hook = Caster(dtype, level, white, black, use_promote)

    def __enter__(self):
        outer = _caster()
        self._outer.casters.append(outer)
        if outer is not None:
            outer.remove()  # the innermost block alone decides, one that is switched off too
        if self._hook is not None:
            self._hook.install()
        return self

    def __exit__(self, *exc):
        if self._hook is not None:
            self._hook.remove()
        outer = self._outer.casters.pop()
        if outer is not None:
            outer.install()

    def __call__(self, function):
        @functools.wraps(function)
        def inside(*args, **kwargs):
            with self:
                return function(*args, **kwargs)
        return inside


def autocast(device_type, dtype="float16", enabled=True, cache_enabled=True):
    """auto_cast at level O1 with PyTorch's arguments; only the device 'cpu' is here.

    >>> with paddle.autocast('cpu', enabled=False):
    ...     paddle.is_autocast_enabled()
    False
    """
    place.convert(device_type, "autocast")
    return auto_cast(enabled, dtype=dtypes.convert(dtype, "autocast").name)


def _caster():
    return next((hook for hook in reversed(context.hooks) if isinstance(hook, Caster)), None)


def amp_state():
    """What the innermost block of auto_cast that changes types does, or None outside of any."""
    return _caster()


class AMPGlobalState:
    """What the process computes in: ``amp_dtype``, the short type of the block of auto_cast in force, 'float32' outside of any."""

    @property
    def amp_dtype(self):
        return "float32" if _caster() is None else get_autocast_dtype()


_STATE = AMPGlobalState()


def amp_global_state():
    """The object that tells the type of mixed precision."""
    return _STATE


def is_autocast_enabled(device_type=None):
    """Is a block of auto_cast in force that changes types?

    >>> paddle.is_autocast_enabled()
    False
    """
    place.convert(device_type, "is_autocast_enabled")
    return _caster() is not None


def get_autocast_dtype(device_type=None):
    """The short type of the block of auto_cast in force; 'float16' outside.

    >>> paddle.get_autocast_dtype()
    'float16'
    """
    place.convert(device_type, "get_autocast_dtype")
    caster = _caster()
    return "float16" if caster is None else caster.name.name


__getattr__ = _lookup(__name__)
