"""PyTorch's spellings of keywords, which Paddle 3 takes besides its own: ``paddle.add(input=x, other=y)``, ``paddle.ones(2, 3)``.

``spellings.json`` is the one table: for every function, method and constructor that takes them in Paddle 3.3.1, each further
keyword with the argument that it means. ``out``, ``device``, ``requires_grad`` and ``pin_memory`` are no arguments of the function:
they say what becomes of the result. The key ``*`` names the argument whose ints may come one by one. ``+name`` says that the
keyword is one that Paddle 3 added, and that this function (a dotted name below paddle) takes it besides the others.

A public function with an entry is published as a ``Spelled`` object around it, in C where that was compiled: a call whose keywords
are the function's own goes straight through. Only a call with another keyword is translated.
"""

from __future__ import annotations

import functools
import importlib
import json
import os
from collections.abc import Callable
from typing import Any

from . import place as places
from .context import context
from .engine import fast
from .errors import describe
from .generation import find
from .signature import arguments
from .symbolic import Symbolic
from .tensor import Tensor

RESULT = ("out", "device", "requires_grad", "pin_memory")  # what concerns the result
_MADE = {"device": "device", "out": "out", "stop_gradient": "stop_gradient"}
_INPUT = {"input": "x", "out": "out"}
ALPHA: dict[str, Any] = {  # keywords of 2.0 alpha, where the function is otherwise that of 2.x
    **dict.fromkeys(("allclose", "cross"), {"input": "x", "other": "y", "dim": "axis"}),
    **dict.fromkeys(("ones", "zeros", "eye", "full", "linspace", "rand", "randn", "randint", "randperm"), _MADE),
    **dict.fromkeys(("ones_like", "zeros_like", "full_like"), {"input": "x", **_MADE}),
    **dict.fromkeys(("div", "divide", "kron", "log1p", "mm", "stack", "squeeze", "unsqueeze"), {"out": "out"}),
    **dict.fromkeys(("inverse", "tril", "triu", "nonzero"), _INPUT),
    **dict.fromkeys(("gather_nd", "scatter", "strided_slice"), {"input": "x"}),
    **dict.fromkeys(("not_equal", "less_than", "less_equal", "greater_than", "greater_equal", "is_empty"),
                    {"cond": "out", "out": "out"}),
    **dict.fromkeys(("flip", "roll"), {"input": "x", "dims": "axis"}),
    **dict.fromkeys(("nn.functional.relu", "nn.functional.sigmoid"), {"input": "x", "inplace": "inplace"}),
    "diag": {"diagonal": "x"}, "scatter_nd_add": {"ref": "x"}, "nn.functional.softshrink": {"alpha": "threshold"},
    "index_select": {"input": "x", "dim": "axis"},
    "nn.functional.interpolate": "paddle.fluid.layers.image_resize",  # all of it means another function
    "logsumexp": {"out": "out", "dim": "axis"}, "trace": {**_INPUT, "dim1": "axis1", "dim2": "axis2"},
}


@functools.cache
def table() -> dict[str, Any]:
    """{name below paddle: {keyword: argument}}."""
    with open(os.path.join(os.path.dirname(__file__), "spellings.json"), encoding="utf8") as file:
        return json.load(file)


class Entry:
    """What translate() needs to know of one function."""

    __slots__ = ("name", "renamed", "result", "sizes", "position", "swaps", "further", "alpha")

    def __init__(self, name: str, row: dict[str, str], own: tuple[str, ...]) -> None:
        self.name, self.alpha = name.rpartition(".")[2], ALPHA.get(name, {})
        # a function of ours may have the further spelling as its own: then Paddle's own is the further one
        self.renamed = {}
        self.further = {k: "paddle." + there[1:] for k, there in row.items() if there[0] == "+" and k not in own}
        for keyword, argument in row.items():
            if argument[0] != "+" and keyword not in ("*", *RESULT):
                here, there = (keyword, argument) if argument in own else (argument, keyword)
                self.renamed[here] = there
        self.result = frozenset(k for k in RESULT if k in row and k not in own)
        self.sizes = row.get("*")
        self.position = own.index(self.sizes) if self.sizes in own else -1
        self.swaps = "dim0" in row


def _swapped(x: Any, first: int, second: int) -> list[int]:
    """The order of axes that exchanges two of them."""
    order = list(range(len(x.shape)))
    order[first], order[second] = order[second], order[first]
    return order


def _gathered(entry: Entry, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Arguments in which ints that came one by one are one list."""
    at = entry.position
    if at < 0:
        return args
    end = at
    while end < len(args) and type(args[end]) is int:
        end += 1
    if end - at < 2:
        return args
    sizes = _swapped(args[0], *args[at:end]) if entry.swaps and end - at == 2 else list(args[at:end])
    return (*args[:at], sizes, *args[end:])


def translate(function: Callable[..., Any], entry: Entry, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call the function with its own keywords, and do with the result what the others ask for."""
    if context.rules.meanings != "modern":  # 2.0 alpha has keywords of its own
        return _as_alpha(function, entry, args, kwargs)
    own, result = {}, {}
    if entry.swaps and len(pair := [kwargs.pop(k) for k in ("dim0", "axis0", "dim1", "axis1") if k in kwargs]) == 2:
        x = args[0] if args else kwargs.get("x", kwargs.get("input"))
        own["perm"] = _swapped(x, *pair)
    for keyword, value in kwargs.items():
        if keyword in entry.result:
            result[keyword] = value
            continue
        if keyword in entry.further:
            function = find(entry.further[keyword])
        argument = entry.renamed.get(keyword, keyword)
        if argument in own:
            raise TypeError(f"{entry.name}(): {argument} was given twice, the second time as {keyword}")
        own[argument] = value
    if result.get("pin_memory"):
        raise RuntimeError(f"{entry.name}(): pin_memory=True needs a GPU, this is a CPU build")
    if result.get("device") is not None:
        places.convert(result["device"], entry.name)
    value = function(*_gathered(entry, args), **own)
    if result.get("out") is not None:
        value = _stored(result["out"], value, entry.name)
    if result.get("requires_grad"):
        value.stop_gradient = False
    return value


def _as_alpha(function: Callable[..., Any], entry: Entry, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call the function with the keywords of 2.0 alpha."""
    if isinstance(entry.alpha, str):
        return find(entry.alpha)(*args, **kwargs)
    meant = {entry.alpha.get(keyword, keyword): value for keyword, value in kwargs.items()}
    result = {k: meant.pop(k) for k in ("out", "device", "stop_gradient", "inplace") if entry.alpha.get(k) == k and k in meant}
    if result.get("device") not in (None, "cpu", "gpu"):
        raise ValueError(f"{entry.name}(): device must be 'cpu' or 'gpu', got {result['device']!r}")
    value = function(*args, **meant)
    if result.get("out") is not None:
        value = _stored(result["out"], value, entry.name)
    if "stop_gradient" in result:
        value.stop_gradient = bool(result["stop_gradient"])
    return value


def _stored(out: Any, value: Any, name: str) -> Any:
    """``out`` with the value in it, of whatever shape it was; pairs go into pairs."""
    if isinstance(value, (list, tuple)):
        if not isinstance(out, (list, tuple)) or len(out) != len(value):
            raise TypeError(f"{name}(): out must be {len(value)} Tensors, got {describe(out)}")
        made = [_stored(o, v, name) for o, v in zip(out, value)]
        return type(value)(*made) if hasattr(value, "_fields") else type(value)(made)
    if isinstance(out, Symbolic):
        return find("paddle.assign")(value, out)
    if not isinstance(out, Tensor):
        raise TypeError(f"{name}(): out must be a Tensor, got {describe(out)}")
    return out.become(value, name, reshapes=True)


class PythonSpelled:
    """The same in Python, where C was not compiled."""

    def __init__(self, function: Any, known: frozenset[str], entry: Entry, translate: Callable[...,
                 Any], name: str, sizes: int) -> None:
        self.__wrapped__, self.spelling = function, entry
        self.__doc__, self.__module__ = function.__doc__, function.__module__
        self._known, self._translate, self._name, self._sizes = known, translate, name, sizes

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        at = self._sizes
        if kwargs and not self._known.issuperset(kwargs) or (
                at >= 0 and len(args) > at + 1 and type(args[at]) is int and type(args[at + 1]) is int):
            return self._translate(self.__wrapped__, self.spelling, args, kwargs)
        return self.__wrapped__(*args, **kwargs)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else functools.partial(self, instance)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__wrapped__, name)

    __class__: Any = property(lambda self: type(self.__wrapped__))  # as in C: inspect takes it for the function

    def __reduce__(self) -> tuple[Any, ...]:
        return restore, (self._name,)


Spelled = PythonSpelled if fast is None else fast.Spelled


def restore(name: str) -> Any:
    """The object of a dotted name, for pickles."""
    owner, _, last = name.rpartition(".")
    if owner == "paddle.Tensor":
        return getattr(Tensor, last)
    return getattr(importlib.import_module(owner), last)


def spelled(name: str, function: Any, public: str | None = None) -> Any:
    """What programs get as ``paddle.<name>``: the function, taking further spellings if the table has some for it.

    Args:
        name: name in the table.
        function: what it means.
        public: dotted name under which it is found again, if another one than paddle.<name>.
    """
    row = table().get(name, {} if name in ALPHA else None)
    if row is None or isinstance(function, Spelled):
        return function
    own = tuple(arguments(function))
    entry = Entry(name, row, own)
    return Spelled(function, frozenset(own), entry, translate, public or "paddle." + name, entry.position)
