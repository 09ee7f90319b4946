"""The finder of values that are not finite: with FLAGS_check_nan_inf the results of all ops and of their gradients are checked.

FLAGS_check_nan_inf_level says what happens then: 0 raises at the first bad result, naming the op and its place; 1 reports
the bad ones and goes on; 2 reports also what float16 can't hold; 3 reports every result.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from typing import Any, NoReturn

import numpy as np

from . import dtype as dtypes
from . import flags, hooks
from .autograd import Node, users_frames
from .errors import NotFiniteError, check
from .facts import BY_NAME
from .tensor import Tensor

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_SHORT = {"float16": "fp16", "bfloat16": "bf16", "float32": "fp32", "float64": "fp64"}
_LARGEST = float(np.finfo(np.float16).max)
ABORT, BAD, OVERFLOW, ALL = range(4)  # the levels


def _place() -> tuple[str, list[str]]:
    """(text of the user's line, names of the layers on the way to the op), from the calling frames."""
    frame: Any = sys._getframe(1)
    line, layers = None, []
    while frame is not None:
        me = frame.f_locals.get("self")
        if frame.f_code.co_name == "forward" and hasattr(me, "full_name"):
            layers.append(me.full_name())
        if line is None and not frame.f_code.co_filename.startswith(_PACKAGE):
            line = f"{frame.f_code.co_filename}:{frame.f_lineno}"
        frame = frame.f_back
    return line or "an unknown line", layers


def _note_place(outs: Any) -> None:
    """Let the nodes that an op has just recorded keep the place of the call: a bad gradient is told with it."""
    for out in outs if isinstance(outs, (tuple, list)) else [outs]:
        node = out._edge if isinstance(out, Tensor) else None
        if isinstance(node, Node) and node.where is None:
            node.where = users_frames()


def _arrays(value: Any, plain: bool) -> list[np.ndarray]:
    """The floating arrays in what an op gave: those of Tensors, and plain ones too if asked for."""
    if isinstance(value, (tuple, list)):
        return [a for v in value for a in _arrays(v, plain)]
    array = value._data if isinstance(value, Tensor) else value if plain else None
    if not isinstance(array, np.ndarray):
        return []
    return [array] if array.dtype.kind in "fc" or dtypes.of(array.dtype).is_floating else []


def type_of(op: Any) -> str:
    """Type in files of what a hook is told of: an op, an operator of a program, or a step of backward."""
    if not is_gradient(op):
        return op.type
    forward = BY_NAME.get(op.name.removesuffix("_grad"))
    return op.name if forward is None else forward.type + "_grad"


def is_gradient(op: Any) -> bool:
    """Is a hook told of a step of backward?"""
    return not hasattr(op, "type")


class Numerics:
    """Counts and range of an array's values."""

    def __init__(self, array: np.ndarray) -> None:
        self.size, self.dtype = array.size, dtypes.of(array.dtype).name
        array = array if array.dtype.kind in "fc" else array.astype(np.float32)
        self.nans, self.infs = int(np.isnan(array).sum()), int(np.isinf(array).sum())
        self.zeros = int(array.size - np.count_nonzero(array))
        real = np.abs(array) if array.dtype.kind == "c" else array
        known = real[~np.isnan(real)]
        if not array.size:
            self.max = self.min = self.mean = 0.0
        else:
            self.max, self.min = (float(known.max()), float(known.min())) if known.size else (np.nan, np.nan)
            with np.errstate(all="ignore"):
                self.mean = float(real.mean(dtype=np.float64))

    @property
    def bad(self) -> bool:
        return self.nans + self.infs > 0

    def wanted(self, level: int) -> bool:
        """Is a result with these numbers reported at this level?"""
        return self.bad or level == ALL or level == OVERFLOW and max(abs(self.max), abs(self.min)) > _LARGEST

    def line(self, op_type: str, name: str = "") -> str:
        """The line of a report, in the form that Paddle's tools read."""
        head = "[PRECISION] [ERROR]" if self.bad else "[PRECISION]"
        bad = f"num_nan={self.nans}, num_inf={self.infs}, " if self.bad else ""
        return (f"{head} in [device=cpu, op={op_type}, tensor={name}, dtype={_SHORT.get(self.dtype, self.dtype)}], "
                f"numel={self.size}, {bad}num_zero={self.zeros}, max={self.max:e}, min={self.min:e}, mean={self.mean:e}")


def report(line: str, directory: str | None) -> None:
    """Print a line, or add it to the report in a directory."""
    if not directory:
        print(line)
        return
    os.makedirs(directory, exist_ok=True)
    with open(os.path.join(directory, "worker_cpu"), "a", encoding="utf-8") as file:
        file.write(line + "\n")


class NanFinder(hooks.OpHook):
    """Looks at results and raises or reports.

    Args:
        level: one of ABORT, BAD, OVERFLOW, ALL; None: what FLAGS_check_nan_inf_level says.
        checked, skipped: types of ops to look at (None: all), and not to look at.
        directory: where reports go; None: they are printed.
        places: does an error tell layer and line?
    """

    programs = gradients = True

    def __init__(self, level: int | None = None, checked: Iterable[str] | None = None,
                 skipped: Iterable[str] | None = None, directory: str | None = None, places: bool = True) -> None:
        self.level, self.directory, self.places = level, directory, places
        self.checked, self.skipped = None if checked is None else set(checked), set(skipped or ())

    def after(self, op: Any, args: Any, outs: Any) -> None:
        kind = type_of(op)
        if kind in self.skipped or self.checked is not None and kind not in self.checked:
            return
        level = _level.value if self.level is None else self.level
        if level == ABORT and self.places and not is_gradient(op):
            _note_place(outs)
        for array in _arrays(outs, plain=is_gradient(op)):  # ops that a gradient rule calls on arrays are its own affair
            if level <= BAD and np.isfinite(array).all():
                continue
            numbers = Numerics(array)
            if numbers.wanted(level):
                if level != ABORT or self.directory:
                    report(numbers.line(kind), self.directory)
                if level == ABORT:
                    self.fail(op.name, numbers, array)

    def fail(self, name: str, numbers: Numerics, array: np.ndarray) -> NoReturn:
        """Raise the error for a bad result."""
        text = (f"{name}() gave {'NaN' if numbers.nans else 'Inf'} (There are NAN or INF, num_nan={numbers.nans}, "
                f"num_inf={numbers.infs}, shape {list(array.shape)})")
        if self.places:
            line, layers = _place()
            text += f"{' in layer ' + ' < '.join(layers) if layers else ''}, called at {line}"
        raise NotFiniteError(text)


_current = [NanFinder()]


def watch(finder: NanFinder | None) -> None:
    """Let a finder of other settings do the work of FLAGS_check_nan_inf; None: the one without settings again."""
    _current[0].remove()
    _current[0] = finder or NanFinder()


def _switch(on: bool) -> None:
    _current[0].remove()
    if on:
        _current[0].install()


def _check_level(level: int) -> None:
    check(level in (ABORT, BAD, OVERFLOW, ALL), "set_flags(): FLAGS_check_nan_inf_level must be from 0 to 3, got {}", level)


_level = flags.define("FLAGS_check_nan_inf_level", ABORT, "what FLAGS_check_nan_inf does: see paddle.core.nan", _check_level)
flags.define("FLAGS_check_nan_inf", False, "look for NaN and Inf in the results of ops and gradients", _switch)
