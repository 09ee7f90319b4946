"""Declaring functions and classes whose name means something else in another generation.

    @generation("paddle.split", alpha="paddle.fluid.layers.split", only_modern={"x", "axis"})
    def split(x, num_or_sections, axis=0, name=None): ...

The decorator returns the function unchanged: the package itself always calls that one. Programs
get ``split.public`` under the public name, which consults the context in every call (``published``). Nothing is ever rebound.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Iterable
from typing import Any

from . import flags
from .context import context
from .folding import fold

PIR_API = flags.define_following("FLAGS_enable_pir_api", bool, "do jit.save and save_inference_model write .json files? By the "
                                 "generation in force unless set", lambda: context.rules.model_format == "json")
DECLARED: dict[str, str] = {}  # public name -> dotted name of what 2.0 alpha means by it


@functools.cache
def find(home: str) -> Any:
    """What a dotted name stands for, imported when it is first asked for."""
    module, _, name = home.rpartition(".")
    return getattr(importlib.import_module(module), name)


def generation(name: str, alpha: str, only_modern: Iterable[str] = ()) -> Callable[[Any], Any]:
    """Decorator: under this public name programs of 2.0 alpha mean the function ``alpha`` (a dotted name), unless a keyword is
    one that only 2.x has."""
    only_modern = frozenset(only_modern)
    DECLARED[name] = alpha

    def declare(modern: Any) -> Any:
        @functools.wraps(modern)
        def public(*args: Any, **kwargs: Any) -> Any:
            if context.rules.meanings == "modern" or kwargs and not only_modern.isdisjoint(kwargs):
                try:
                    return modern(*args, **kwargs)
                except Exception as error:
                    fold(error)
                    raise
            return find(alpha)(*args, **kwargs)
        modern.public = public
        return modern
    return declare


def published(function: Any) -> Any:
    """What programs get under the function's public name.

    Wrappers copy attributes: what was declared for ``squeeze`` is found on its in-place twin too, and does not count there.
    """
    public = getattr(function, "public", function)
    return public if public.__name__ == function.__name__ else function


def by_rule(fact: str, older: Callable[..., Any]) -> Callable[[Any], Any]:
    """Decorator: the function is ``older`` where the rules in force say ``fact``."""
    def declare(modern: Any) -> Any:
        @functools.wraps(modern)
        def chosen(*args: Any, **kwargs: Any) -> Any:
            return (older if getattr(context.rules, fact) else modern)(*args, **kwargs)
        return chosen
    return declare


def construction(alpha: str, alpha_only: Iterable[str], only_modern: Iterable[str],
                 again: Iterable[str] = ()) -> Callable[[Any], Any]:
    """Class decorator: ``cls(...)`` makes an object of 2.0 alpha's class of that dotted name where a keyword is one that only
    2.0 alpha has, or where its meanings apply and no keyword is one that only 2.x has. ``again``: of 2.0 alpha's keywords those
    that Paddle 3 has again, and under its rules they are the modern class's."""
    alpha_only, only_modern, again = frozenset(alpha_only), frozenset(only_modern), frozenset(again)
    before_3 = alpha_only | again

    def declare(modern: Any) -> Any:
        import inspect  # a predictor starts without it
        both = alpha_only.intersection(inspect.signature(modern.__init__).parameters)
        if both:
            raise TypeError(f"{modern.__name__}: {sorted(both)} are arguments of 2.x too")

        def __new__(cls: Any, *args: Any, **kwargs: Any) -> Any:
            if cls is modern and (args or kwargs) and (
                    not (alpha_only if context.rules.typed_layers else before_3).isdisjoint(kwargs)
                    or context.rules.meanings == "alpha" and only_modern.isdisjoint(kwargs)):
                older = find(alpha)
                # of a subclass Python calls __init__ itself
                return object.__new__(older) if issubclass(older, modern) else older(*args, **kwargs)
            return object.__new__(cls)
        # what help() shows stays as it was
        __new__.__signature__ = inspect.signature(modern.__init__)  # type: ignore[attr-defined]
        modern.__new__ = __new__
        return modern
    return declare
