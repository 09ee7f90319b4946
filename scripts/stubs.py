"""Writes the type stubs of what is put together at import: `paddle` itself and the methods of Tensor.

    python scripts/stubs.py            # after adding or changing a public function
    python scripts/stubs.py --check    # are they current? (part of `make test`)

Parameters come from the functions' signatures. What a function returns is observed: the cases recorded for the comparison
with real Paddle (tests/oracle) are run, and every call of a public function is noted. `--check` keeps what the stubs say.
"""

import functools
import inspect
import keyword
import re
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np

import paddle
from paddle.core.tensor import Tensor

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "paddle"
TOP, TENSOR = PACKAGE / "__init__.pyi", PACKAGE / "core" / "tensor.pyi"

HEAD = '''"""Written by scripts/stubs.py; change the functions, not this file."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

'''
TYPES = '''TensorLike = Tensor | np.ndarray[Any, Any] | np.generic | complex | Sequence[Any]
DTypeLike = str | DType | np.dtype[Any] | type
IntsLike = int | Sequence[int | Tensor] | Tensor

'''

# What parameters of these names accept wherever they occur.
BY_NAME = {
    "x": "TensorLike", "y": "TensorLike", "input": "TensorLike", "other": "TensorLike", "index": "Any",
    "dtype": "DTypeLike | None", "shape": "IntsLike", "axis": "IntsLike | None", "dim": "IntsLike | None",
    "name": "str | None", "keepdim": "bool", "stop_gradient": "bool",
}
PROPERTIES = {"shape": "list[int]", "ndim": "int", "size": "int", "dtype": "DType", "grad": "Tensor | None", "name": "str",
              "stop_gradient": "bool", "is_leaf": "bool", "persistable": "bool", "T": "Tensor"}
PROTOCOL = {"__len__": "int", "__bool__": "bool", "__int__": "int", "__float__": "float", "__index__": "int", "__hash__": "int",
            "__repr__": "str", "__str__": "str", "__contains__": "bool", "__iter__": "Iterator[Tensor]",
            "__getitem__": "Tensor", "__setitem__": "None", "__array__": "np.ndarray[Any, Any]",
            "__complex__": "complex", "__format__": "str"}
FIXED = {"numpy": "np.ndarray[Any, Any]", "backward": "None", "tolist": "Any", "item": "Any", "clear_grad": "None"}


def kind(value) -> str:
    """The type of a result as a stub writes it."""
    if isinstance(value, Tensor):
        return "Tensor"
    if isinstance(value, np.ndarray):
        return "np.ndarray[Any, Any]"
    if isinstance(value, list) and value and all(isinstance(item, Tensor) for item in value):
        return "list[Tensor]"
    if isinstance(value, tuple) and value and all(isinstance(item, Tensor) for item in value):
        return "tuple[" + ", ".join(["Tensor"] * len(value)) + "]"
    if value is None or type(value) in (bool, int, float, str):
        return "None" if value is None else type(value).__name__
    return "Any"


def observe() -> dict[str, str]:
    """What each public function returned in the recorded cases; "Any" for those that returned several kinds."""
    sys.path[:0] = [str(ROOT / "tests" / "oracle")]
    import oracle_run
    import oracle_table

    seen = defaultdict(set)

    def watched(name, function):
        @functools.wraps(function)
        def call(*args, **kwargs):
            result = function(*args, **kwargs)
            seen[name].add(kind(result))
            return result

        return call

    for name, function in functions(paddle).items():
        setattr(paddle, name, watched(name, function))
    for name, function in functions(Tensor).items():
        if not name.startswith("__"):
            setattr(Tensor, name, watched(name, function))
    cases = [case for group in oracle_table.load_cases().values() for case in group.values()]
    for case in cases:
        try:
            oracle_run.Run(case)()
        except Exception as error:  # a case for another version; what it shows is missing, nothing else
            print(f"passed over: {case.id}: {error}", file=sys.stderr)
    return {name: kinds.pop() if len(kinds) == 1 else "Any" for name, kinds in seen.items()}


def written() -> dict[str, str]:
    """What the stubs say that functions return."""
    text = "".join(path.read_text(encoding="utf-8") for path in (TOP, TENSOR) if path.exists())
    return dict(re.findall(r"^ *def (\w+)\(.*\) -> (.*): \.\.\.$", text, re.M))


def functions(owner) -> dict:
    """The public functions of `paddle`, or the methods of Tensor, by name."""
    names = sorted(vars(owner)) if owner is Tensor else paddle.tensor.__all__
    found = {name: inspect.getattr_static(owner, name, None) for name in names}
    return {name: value for name, value in found.items() if inspect.isfunction(value)
            and (not name.startswith("_") or name in PROTOCOL or owner is Tensor and re.fullmatch(r"__\w+__", name))}


def parameter(p: inspect.Parameter) -> str:
    """One parameter with its type."""
    if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD):
        return ("*" if p.kind == p.VAR_POSITIONAL else "**") + f"{p.name}: Any"
    text = BY_NAME.get(p.name, "Any")
    if text == "Any" and type(p.default) in (bool, str):
        text = type(p.default).__name__
    if p.default is None and text != "Any" and "None" not in text:
        text += " | None"
    return f"{p.name}: {text}" + ("" if p.default is p.empty else " = ...")


def definition(name: str, function, returns: str, method: bool) -> str:
    """`def name(...) -> ...: ...`"""
    parts, star = [], False
    for position, p in enumerate(inspect.signature(function).parameters.values()):
        if p.kind == p.KEYWORD_ONLY and not star:
            parts.append("*")
        star = star or p.kind in (p.KEYWORD_ONLY, p.VAR_POSITIONAL)
        parts.append("self" if method and position == 0 else parameter(p))
    return f"def {name}({', '.join(parts)}) -> {returns}: ..."


def tensor_stub(returns: dict[str, str]) -> str:
    """The stub of core/tensor.py."""
    lines = ["class Tensor:"]
    for name, value in sorted(inspect.getmembers_static(Tensor)):
        if isinstance(value, property) and not name.startswith("_") or name == "stop_gradient":
            lines.append(f"    {name}: {PROPERTIES.get(name, 'Any')}")
    for name, function in functions(Tensor).items():
        if name == "__init__":
            result = "None"
        else:
            result = PROTOCOL.get(name) or FIXED.get(name) or returns.get(name) or ("Tensor" if name.endswith("_") else "Any")
        note = "  # type: ignore[override]" if name in ("__eq__", "__ne__") else ""
        lines.append("    " + definition(name, function, result, method=True) + note)
    lines.append("    def __getattr__(self, name: str) -> Any: ...") if hasattr(Tensor, "__getattr__") else None
    lines += ["", "class Parameter(Tensor):", "    trainable: bool", "    def __getattr__(self, name: str) -> Any: ...", "",
              "def wrap(array: np.ndarray[Any, Any]) -> Tensor: ..."]
    return HEAD + "from .dtype import DType\n\n" + TYPES + "\n".join(lines) + "\n"


def top_stub(returns: dict[str, str]) -> str:
    """The stub of paddle/__init__.py."""
    lines = ["from .core.dtype import DType", "from .core.tensor import Tensor as Tensor",
             "from .version import __version__ as __version__"]
    modules, definitions = [], []
    for name in sorted(set(dir(paddle))):
        if name.startswith("_") or keyword.iskeyword(name):
            continue
        try:
            value = getattr(paddle, name)
        except ImportError:
            continue  # a part that isn't there
        if name in ("Tensor", "dtype"):
            continue
        if inspect.ismodule(value):
            if value.__name__.startswith("paddle."):
                modules.append(name)
        elif isinstance(value, paddle.dtype):
            definitions.append(f"{name}: DType")
        elif name in paddle.tensor.__all__ and inspect.isfunction(value):
            definitions.append(definition(name, value, FIXED.get(name) or returns.get(name, "Any"), method=False))
        elif inspect.isfunction(value) or inspect.isclass(value):
            module = inspect.getmodule(value)
            if module is not None and module.__name__.startswith("paddle.") and value.__name__.isidentifier():
                path = "." + module.__name__.removeprefix("paddle.")
                shown = value.__name__ if getattr(module, value.__name__, None) is value else name
                lines.append(f"from {path} import {shown} as {name}")
            else:
                definitions.append(f"{name}: Any")
        else:
            definitions.append(f"{name}: Any")
    lines += [f"from . import {name} as {name}" for name in modules]
    return HEAD + "\n".join(lines) + "\n\n" + TYPES + "dtype = DType\n" + "\n".join(definitions) + "\n"


def main() -> None:
    check = "--check" in sys.argv[1:]
    returns = written()
    if not check:
        returns |= observe()
    stale = [path for path, text in ((TENSOR, tensor_stub(returns)), (TOP, top_stub(returns)))
             if not path.exists() or path.read_text(encoding="utf-8") != text]
    if check and stale:
        sys.exit("not current, run scripts/stubs.py: " + ", ".join(str(path.relative_to(ROOT)) for path in stale))
    if not check:
        TENSOR.write_text(tensor_stub(returns), encoding="utf-8")
        TOP.write_text(top_stub(returns), encoding="utf-8")


if __name__ == "__main__":
    main()
