"""Exceptions and checks whose messages users read: function, argument, what was expected, what came."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import Any

from .folding import fold


class AmbiguousTruthError(ValueError, AssertionError):
    """Several elements were asked for one truth value: an AssertionError in Paddle, a ValueError in NumPy."""


class ArgumentError(ValueError, AssertionError):
    """An argument that Paddle refuses with ``assert``: a ValueError, caught as AssertionError too."""


class AxisError(ValueError, IndexError):
    """There is no such axis: Paddle raises one or the other, as the operator has it; NumPy's error of that name is both."""


class OutOfRangeError(IndexError, ValueError):
    """There is no such row, class or element: Paddle raises one or the other, as the operator has it."""


class WrongKindError(TypeError, ValueError):
    """Something else came where a Tensor, or the name of an element type, must: Paddle raises ValueError in dynamic programs
    and TypeError in static ones."""


class ElementTypeError(TypeError, ValueError, RuntimeError):
    """A tensor of an element type that the operator does not compute with: Paddle raises RuntimeError where it has no kernel,
    ValueError where the kernel looks at the type, TypeError while a program is built."""


class NotFiniteError(FloatingPointError, RuntimeError):
    """NaN or infinity where the program asked for neither: Paddle raises RuntimeError."""


class LeafError(RuntimeError, ValueError):
    """A leaf that receives gradients was to be changed in place: a ValueError in Paddle."""


class UnusedInputError(ValueError, RuntimeError):
    """No output depends on what a gradient was asked for: a ValueError in Paddle, a RuntimeError in PyTorch."""


class CheckError(TypeError, AssertionError):
    """An argument of another type than expected: Paddle asserts that, Python has TypeError."""


class ModeError(RuntimeError, AssertionError):
    """Something of dynamic code was asked of a static Variable: Paddle asserts the mode."""


class StoredShapeError(ValueError, RuntimeError):
    """A value has another shape than the variable that it is for: RuntimeError in Paddle where it comes from a file."""


class NotDefinedError(OSError, NotImplementedError):
    """A method that a subclass must define is not there: Paddle's C++ side reports OSError."""


class InplaceError(RuntimeError):
    """A tensor that backward needs was changed in place after the forward op had saved it."""


def describe(value: Any) -> str:
    """Short text of an argument for an error message, without its data."""
    data = getattr(value, "_data", value)
    shape, dtype = getattr(data, "shape", None), getattr(data, "dtype", None)
    if shape is not None and dtype is not None:
        return f"{type(value).__name__}(shape={list(shape)}, dtype={getattr(dtype, 'name', dtype)})"
    if isinstance(value, (list, tuple)):
        inside = ", ".join(describe(v) for v in value[:4]) + (", ..." if len(value) > 4 else "")
        return f"[{inside}]" if isinstance(value, list) else f"({inside})"
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def renamed(error: Any, inner: Any, outer: Any) -> Any:
    """The same error under the name of the function that was called, where an inner one names itself; others as they are."""
    text = str(error)
    if not text.startswith(inner + "()"):
        return error
    other = type(error)(outer + text[len(inner):])
    for note in getattr(error, "__notes__", ()):
        add_note(other, note)
    return other


def add_note(error: Any, note: str) -> None:
    """Have a traceback end with a note. Python 3.10 has none: there it becomes a line of the message, if that is a plain one."""
    if hasattr(error, "add_note"):
        error.add_note(note)
    elif error.args and str(error) == error.args[0]:
        error.args = (f"{error.args[0]}\n{note}", *error.args[1:])


def check(condition: bool, message: str, *values: Any, error: Any = ValueError) -> None:
    """Raise ``error(message.format(*values))`` unless the condition holds; nothing is formatted when it does."""
    if not condition:
        raise error(message.format(*values))


def check_type(value: Any, kinds: Any, function: str, argument: str) -> None:
    """Raise TypeError naming function and argument unless the value is an instance of ``kinds``."""
    if not isinstance(value, kinds):
        names = " or ".join(k.__name__ for k in (kinds if isinstance(kinds, tuple) else (kinds,)))
        raise WrongKindError(f"{function}(): {argument} must be {names}, got {describe(value)}")


def check_choice(value: str | None, choices: tuple[Any, ...], function: str, argument: str) -> None:
    """Raise ValueError unless the value is one of ``choices``; the nearest choice is suggested."""
    if value.__class__ is str and value in choices:
        return
    if getattr(value, "ndim", 0) or value not in list(choices):  # an array is no choice; a dict would refuse what has no hash
        raise ValueError(f"{function}(): {argument} must be one of {sorted(map(str, choices))}, "
                         f"got {value!r}{suggest(str(value), map(str, choices))}")


# classes that an error keeps when it is raised again in other words
KEPT = (TypeError, ValueError, IndexError, ArgumentError, AxisError, ElementTypeError, OutOfRangeError, WrongKindError)


def own_errors(function: Callable[..., Any], name: str | None = None) -> Callable[..., Any]:
    """The function (under another name, if one is given), whose errors name it where they named one that it is made of."""
    name = name or function.__name__

    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except (TypeError, ValueError, IndexError, OverflowError) as error:
            text = str(error)
            if text.startswith(name + "("):
                fold(error)
                raise
            kind = type(error) if type(error) in KEPT else ValueError
            other = re.match(r"[\w.]+\(\)(?=: | missing | got | takes )", text)
            told = kind(f"{name}()" + (text[other.end():] if other else ": " + text))
            told.__cause__ = error
            raise told from fold(told).__cause__
    run.__name__, run.__qualname__ = name.rpartition(".")[2], name
    return run


def own_method_errors(cls: Any, methods: dict[Any, Any]) -> None:
    """Let errors of a public class's constructor and methods, its own and those of private bases, name class and method.

    ``methods``: name in the class -> name that users call.
    """
    if cls.__name__.startswith("_"):
        return
    for name, public in {"__init__": "", **methods}.items():
        owner = next((c for c in cls.__mro__ if name in c.__dict__), object)
        if owner is cls or owner.__name__.startswith("_"):
            setattr(cls, name, own_errors(owner.__dict__[name], f"{cls.__name__}.{public}".rstrip(".")))


def suggest(name: str, known: Any) -> str:
    """'; did you mean a or b?' for the names nearest to an unknown one, or an empty string."""
    import difflib  # only errors need it
    near = difflib.get_close_matches(name, list(dict.fromkeys(known)), n=3)
    return f"; did you mean {' or '.join(near)}?" if near else ""
