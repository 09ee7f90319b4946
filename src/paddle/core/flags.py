"""Settings by name: ``paddle.set_flags({'FLAGS_check_nan_inf': True})`` or an environment variable of that name."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from . import folding, tuning
from .context import context
from .errors import describe, suggest


class _Flag:
    __slots__ = ("value", "kind", "help", "on_change", "follows")

    def __init__(self, value: Any, help_text: str, on_change: Callable[[Any], Any] | None, follows: Any = None) -> None:
        self.value, self.kind, self.help, self.on_change, self.follows = value, type(value), help_text, on_change, follows

    def current(self) -> Any:
        """The value that was set, or what it follows until then."""
        return self.follows() if self.value is None else self.value


_flags: dict[str, _Flag] = {}
PRIVATE = ("FLAGS_use_mkldnn",)  # neither set nor read by programs of 1.x


def _parse(kind: type, text: Any, name: str) -> Any:
    if kind is bool and isinstance(text, str):
        return text.strip().lower() in ("1", "true", "on", "yes")
    try:
        return kind(text)
    except (TypeError, ValueError):
        raise TypeError(f"set_flags(): {name} takes a {kind.__name__}, got {text!r}") from None


def define(name: str, default: Any, help_text: str, on_change: Callable[[Any], Any] | None = None) -> _Flag:
    """Declare a flag; the environment gives its first value, ``on_change(value)`` runs at each change."""
    flag = _flags[name] = _Flag(default, help_text, on_change)
    if name in os.environ:
        set_flags({name: os.environ[name]})
    return flag


def define_following(name: str, kind: type, help_text: str, follows: Callable[[], Any]) -> _Flag:
    """Declare a flag that is what ``follows()`` says until it is set, in the environment or by set_flags."""
    flag = _flags[name] = _Flag(None, help_text, None, follows)
    flag.kind = kind
    if name in os.environ:
        set_flags({name: os.environ[name]})
    return flag


def _full(name: str) -> str:
    return name if name.startswith("FLAGS_") else "FLAGS_" + name


def _find(name: str, function: str) -> _Flag:
    if _full(name) in PRIVATE and context.rules.is_fluid:
        raise ValueError(f"{function}(): {name} is private in {context.rules.name}")
    if _full(name) not in _flags:
        raise ValueError(f"{function}(): unknown flag {name!r}{suggest(_full(name), _flags)}")
    return _flags[_full(name)]


def names() -> list[str]:
    """The names of all flags."""
    return sorted(_flags)


def set_flags(flags: dict[str, Any]) -> None:
    """Set flags from a dict of name to value; unknown names raise with the nearest known ones.

    >>> paddle.set_flags({'FLAGS_check_nan_inf': False})
    """
    if not isinstance(flags, dict):
        raise TypeError(f"set_flags(): flags must be a dict, got {type(flags).__name__}")
    for name, value in flags.items():
        flag = _find(name, "set_flags")
        before, flag.value = flag.value, _parse(flag.kind, value, name)
        try:
            if flag.on_change:
                flag.on_change(flag.value)
        except Exception:
            flag.value = before
            raise


def get_flags(flags: str | list[str] | tuple[str, ...]) -> dict[str, Any]:
    """Values of the named flags (one name or a list of names) as a dict.

    >>> paddle.get_flags('FLAGS_check_nan_inf')
    {'FLAGS_check_nan_inf': False}
    """
    names = [flags] if isinstance(flags, str) else flags
    if not isinstance(names, (list, tuple)) or not all(isinstance(n, str) for n in names):
        raise TypeError(f"get_flags(): flags must be a name or a list of names, got {describe(flags)}")
    return {n: _find(n, "get_flags").current() for n in names}


def current(name: str) -> Any:
    """What a flag is, a private one too; KeyError for a name that is none."""
    return _flags[_full(name)].current()


def value(name: str) -> Any:
    """The current value of one flag."""
    return _flags[name].value


define("FLAGS_call_stack_level", 1, "2: tracebacks show all frames inside the package, else only the innermost", folding.set_level)


for _name, _default in tuning.DEFAULTS.items():
    define("FLAGS_" + _name, _default, tuning.HELP)
