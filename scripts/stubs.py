"""Writes the type stubs of what is put together at import: packages with lazy or collected names, the methods of Tensor.

    python scripts/stubs.py            # after adding or changing a public function
    python scripts/stubs.py --keep     # the same, without the minute that observing results takes
    python scripts/stubs.py --check    # are they current? (part of `make test`)

Parameters come from the functions' signatures. What a function returns is observed: the cases recorded for the comparison
with real Paddle (tests/oracle) are run, and every call of a public function is noted. The options keep what
the stubs say.
"""

import ast
import contextlib
import functools
import importlib
import inspect
import io
import keyword
import re
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np

import paddle
import paddle.tensor  # the methods of Tensor come with it
from paddle.core.engine import TensorBase
from paddle.core.tensor import Tensor

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "paddle"
TENSOR = PACKAGE / "core" / "tensor.pyi"

HEAD = '"""Written by scripts/stubs.py; change the functions, not this file."""\n\n'
# What definitions in stubs are written with, and where it comes from.
WORDS = {"collections.abc": ("Callable", "Iterator", "Sequence"), "typing": ("Any",), "paddle.core.dtype": ("DType",),
         "paddle.core.tensor": ("DTypeLike", "IntsLike", "Tensor", "TensorLike")}
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
FIELDS = {"_data": "np.ndarray[Any, Any]", "_version": "int", "_placed": "bool"}  # for the package's own typed rooms
BINARY = {f"__{side}{name}__" for side in ("", "r") for name in
          ("add", "sub", "mul", "matmul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor")}
BINARY |= {"__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"}
UNARY = {"__neg__", "__pos__", "__invert__", "__abs__"}
PROTOCOL = {"__len__": "int", "__bool__": "bool", "__int__": "int", "__float__": "float", "__index__": "int", "__hash__": "int",
            "__repr__": "str", "__str__": "str", "__contains__": "bool", "__iter__": "Iterator[Tensor]",
            "__getitem__": "Tensor", "__setitem__": "None", "__array__": "np.ndarray[Any, Any]",
            "__complex__": "complex", "__format__": "str", "__init__": "None"}
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


def packages() -> dict[Path, str]:
    """Stub and name of every package whose public names mypy cannot read from its __init__.py."""
    found = {}
    for path in sorted(PACKAGE.rglob("__init__.py")):
        text = path.read_text(encoding="utf-8")
        if "globals()" in text or "def __getattr__(" in text:
            name = ".".join(("paddle", *path.parent.relative_to(PACKAGE).parts))
            found[path.with_suffix(".pyi")] = name
    return found


def submodules(module) -> set:
    """The modules that a package offers as attributes without naming them in __all__: what its text imports as ``from . import x``,
    and those that it imports when asked."""
    tree = ast.parse(Path(module.__file__).read_text(encoding="utf-8"))
    own = [node for node in tree.body if isinstance(node, ast.ImportFrom) and node.level == 1 and not node.module]
    named = {alias.asname or alias.name for node in own for alias in node.names}
    return {name for name in {*named, *vars(module).get("_ROOMS", ())} if inspect.ismodule(getattr(module, name, None))}


def public(module) -> dict:
    """The public names of a package with their values; parts that aren't there or can't be imported are left out."""
    names = vars(module).get("__all__") or dir(module)
    found = {}
    for name in sorted({*names, *submodules(module)}):
        if not name.startswith("_") and not keyword.iskeyword(name):
            try:
                found[name] = getattr(module, name)
            except (AttributeError, ImportError):
                continue
    return found


def methods() -> dict:
    """The public and protocol methods of Tensor by name; not the look-up of attributes that programs of 1.4 to 1.6 set, which
    would hide every misspelt name from a type checker."""
    return {name: value for name, value in sorted(vars(Tensor).items()) if inspect.isroutine(value)
            and (not name.startswith("_") or re.fullmatch(r"__\w+__", name)) and name != "__getattr__"}


def is_typed_here(value) -> bool:
    """Whether a function gets its definition in the stub: those that compute, which carry no annotations."""
    return inspect.isfunction(value) and value.__module__.startswith(("paddle.tensor", "paddle.nn.functional"))


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

    for owner in (paddle, paddle.nn.functional):
        for name, value in public(owner).items():
            if is_typed_here(value):
                setattr(owner, name, watched(name, value))
    for name, function in methods().items():
        if not name.startswith("_"):
            setattr(Tensor, name, watched(name, function))
    cases = [case for group in oracle_table.load_cases().values() for case in group.values()]
    for case in cases:
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                oracle_run.Run(case)()
        except Exception as error:  # a case that isn't for us; what it would show is missing, nothing else
            print(f"passed over: {case.id}: {error}", file=sys.stderr)
    return {name: kinds.pop() if len(kinds) == 1 else "Any" for name, kinds in seen.items()}


def written() -> dict[str, str]:
    """What the stubs say that functions return."""
    text = "".join(path.read_text(encoding="utf-8") for path in (TENSOR, *packages()) if path.exists())
    return {name: re.sub(r"\b_(?=[a-z])", "", kind) for name, kind in re.findall(r"^ *def (\w+)\(.*\) -> (.*): \.\.\.", text, re.M)}


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
    if name in BINARY:  # some are made in C and have no signature
        return f"def {name}(self, y: TensorLike) -> {returns}: ..."
    parts, star = [], False
    for position, p in enumerate(inspect.signature(function).parameters.values()):
        if p.kind == p.KEYWORD_ONLY and not star:
            parts.append("*")
        star = star or p.kind in (p.KEYWORD_ONLY, p.VAR_POSITIONAL)
        parts.append("self" if method and position == 0 else parameter(p))
    return f"def {name}({', '.join(parts)}) -> {returns}: ..."


def result_of(name: str, returns: dict[str, str]) -> str:
    """What a function or method returns; operators give tensors, in-place methods their own."""
    tensor = name in BINARY | UNARY or (name.endswith("_") and not name.startswith("_"))
    return PROTOCOL.get(name) or FIXED.get(name) or returns.get(name) or ("Tensor" if tensor else "Any")


def tensor_stub(returns: dict[str, str]) -> str:
    """The stub of core/tensor.py."""
    fields = [name for name in sorted(vars(TensorBase)) if name[:2].count("_") == 1]
    lines = ["class Tensor:", *(f"    {name}: {FIELDS.get(name, 'Any')}" for name in fields), "    def _content(self) -> Any: ..."]
    for name, value in sorted(inspect.getmembers_static(Tensor)):
        if (isinstance(value, property) and not name.startswith("_")) or name == "stop_gradient":
            lines.append(f"    {name}: {PROPERTIES.get(name, 'Any')}")
    for name, function in methods().items():
        note = "  # type: ignore[override]" if name in ("__eq__", "__ne__") else ""
        lines.append("    " + definition(name, function, result_of(name, returns), True) + note)
    lines += ["", "class Parameter(Tensor):", "    trainable: bool", "    def __getattr__(self, name: str) -> Any: ...", "",
              "ZERO: Any", "def wrap(array: np.ndarray[Any, Any]) -> Tensor: ..."]
    hidden = [name for name in ("bool", "int", "float", "complex", "str") if name in vars(Tensor)]  # by methods of that name
    lines = [re.sub(rf"(?<!def )\b({'|'.join(hidden)})\b", r"_\1", line) for line in lines]
    text = TYPES + "".join(f"_{name} = {name}\n" for name in hidden) + "\n" + "\n".join(lines) + "\n"
    return HEAD + imported(text, {k: v for k, v in WORDS.items() if k != "paddle.core.tensor"}) + "\n\n" + text


def imported(text: str, words: dict) -> str:
    """The imports of what a text is written with."""
    used = {module: [n for n in names if re.search(rf"\b{n}\b", text)] for module, names in words.items()}
    lines = [f"from {module} import {', '.join(names)}" for module, names in used.items() if names]
    return "\n".join(lines + (["import numpy as np"] if "np." in text else []))


def package_stub(package: str, returns: dict[str, str]) -> str:
    """The stub of a package's __init__.py."""
    imports, definitions, known = [], [], {}
    if package == "paddle":
        imports += ["from .version import __version__ as __version__", "from .tensor import *  # all of it is here too"]
        known = public(paddle.tensor)
    for name, value in public(importlib.import_module(package)).items():
        if value is Tensor:
            imports.append(f"from paddle.core.tensor import Tensor as {name}")
        elif name in known and (value is known[name] or is_typed_here(value)):
            continue
        elif inspect.ismodule(value):
            if value.__name__ == f"{package}.{name}":
                imports.append(f"from . import {name} as {name}")
            elif value.__name__.startswith("paddle."):
                imports.append(f"import {value.__name__} as {name}")
        elif isinstance(value, paddle.dtype):
            definitions.append(f"{name}: DType")
        elif is_typed_here(value):
            definitions.append(definition(name, value, result_of(name, returns), False))
        else:
            home, own = getattr(value, "__module__", ""), getattr(value, "__name__", "")
            found = home.startswith("paddle.") and home != package and own.isidentifier()
            if found and getattr(sys.modules.get(home), own, None) is value:
                imports.append(f"from {home} import {own} as {name}")
            else:
                definitions.append(f"{name}: Any")
    text = "\n".join(definitions)
    offered = {line.rpartition(" ")[2] for line in imports}
    words = {module: [n for n in names if n not in offered] for module, names in WORDS.items()}
    parts = [part for part in ("\n".join(filter(None, [imported(text, words), *imports])), text) if part]
    return HEAD + "\n\n".join(parts) + "\n"


def main() -> None:
    check = "--check" in sys.argv[1:]
    texts = {TENSOR: "", **packages()}
    returns = written() if check or "--keep" in sys.argv[1:] else observe()
    stale = []
    for path, package in texts.items():
        text = package_stub(package, returns) if package else tensor_stub(returns)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            stale.append(str(path.relative_to(ROOT)))
            if not check:
                path.write_text(text, encoding="utf-8")
    if check and stale:
        sys.exit("not current, run scripts/stubs.py: " + ", ".join(stale))


if __name__ == "__main__":
    main()
