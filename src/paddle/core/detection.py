"""Detecting from its source which version of Paddle a program was written for.

``find(path)`` reads a program and the local modules that it imports, without running anything. Every name of Paddle that only
some versions had, every such keyword, and the patterns that this module looks for are evidence for those versions; the version
with the fewest contradictions wins, of several the one nearest to 1.8. Names and keywords are in versions.json, which
scripts/versions.py makes from the sources of the versions.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import json
import os
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from . import rules

# the versions that the table knows
CODES = {"4": "1.4", "5": "1.5", "6": "1.6", "7": "1.7", "8": "1.8", "a": "2.0-alpha", "0": "2.0", "2": "2.2", "9": "2.4"}
NEAREST = "8756a4029"  # ties go to the first of these: what is near to 1.8 and had many programs
FILES = 40  # a program with more modules of its own is read no further
BYTES = 2_000_000

SCOPED = "456"  # versions whose layers and whose Layer itself take a name_scope first
METHODS = {  # methods whose names tell, however the object is called
    "set_dict": "678a029", "set_state_dict": "029", "clear_grad": "029", "set_lr": "8a029", "_stop_gradient": "456",
}


@dataclasses.dataclass(frozen=True)
class Evidence:
    """A line of a program that only some versions would have run."""

    file: str
    line: int
    text: str  # what tells, as in ``fluid.dygraph.FC`` or ``Conv2D(num_channels=)``
    codes: str  # the versions that had it

    def versions(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(CODES[code] for code in self.codes)


@dataclasses.dataclass(frozen=True)
class Finding:
    """What a program's source tells: the versions that contradict it least, the most likely first, and why. There are none where
    it does not use Paddle's older modules."""

    versions: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()

    @property
    def version(self) -> str | None:
        """The most likely version, or None."""
        return self.versions[0] if self.versions else None

    def is_modern(self) -> bool:
        """Is it a program of 2.0 or later, where paddle.fluid runs at once as paddle does? False where nothing tells."""
        versions = self.versions[:1] or judge(self.evidence)
        return bool(self.evidence) and not any(name.startswith("1.") for name in versions) and self.version != "2.0-alpha"

    def reasons(self) -> list[Evidence]:
        """The evidence that speaks for the version."""
        return [item for item in self.evidence if any(CODES[code] == self.version for code in item.codes)]

    def rules(self) -> rules.Rules | None:
        """The rules to go by where no generation was chosen; None for a program of 2.x, whose own calls tell what it means."""
        if self.version is None or not self.version.startswith(("1.", "2.0-alpha")):
            return None
        likely = [rules.find(name) for name in self.versions]
        return rules.common([one for one in likely if one.is_fluid is likely[0].is_fluid and one.number <= likely[0].number])


@functools.lru_cache(maxsize=1)
def _table() -> dict[str, Any]:
    with open(os.path.join(os.path.dirname(__file__), "versions.json"), encoding="utf8") as file:
        return json.load(file)


class PaddleNames(ast.NodeVisitor):
    """Follows the names of Paddle through the imports of a program: ``imported`` is told of each."""

    def __init__(self) -> None:
        self.aliases = {}

    def imported(self, node: ast.AST, name: str) -> None:
        """A name of Paddle is imported."""

    def imported_elsewhere(self, node: ast.AST, names: Iterable[str]) -> None:
        """Names of other packages, or of the program's own, are imported."""

    def visit_Import(self, node: ast.Import) -> None:
        for item in node.names:
            if item.name.split(".")[0] == "paddle":
                self.aliases[item.asname or "paddle"] = item.name if item.asname else "paddle"
                self.imported(node, item.name)
            else:
                self.imported_elsewhere(node, [item.name])

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        module = node.module or ""
        names = [f"{module}.{item.name}" for item in node.names]
        if module.split(".")[0] != "paddle" or node.level:
            self.imported_elsewhere(node, [module, *(name.strip(".") for name in names)])
            return
        for item, name in zip(node.names, names):
            self.aliases[item.asname or item.name] = name
            self.imported(node, name)

    def full(self, node: ast.AST) -> str | None:
        """The dotted name of an expression that begins with something imported from Paddle, or None."""
        parts = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name) or node.id not in self.aliases:
            return None
        return ".".join([self.aliases[node.id], *reversed(parts)])


class _Reader(PaddleNames):
    """Collects the evidence of one file."""

    def __init__(self, file: str) -> None:
        super().__init__()
        self.file, self.evidence, self.imports, self.older = file, [], [], False

    def add(self, node: Any, text: str, codes: str) -> None:
        self.evidence.append(Evidence(self.file, node.lineno, text, codes))

    # ---- names ----
    def imported(self, node: ast.AST, name: str) -> None:
        self._name(node, name)

    def imported_elsewhere(self, node: ast.AST, names: Iterable[str]) -> None:
        self.imports += names

    def visit_Attribute(self, node: ast.Attribute) -> None:
        name = self.full(node)
        if name is None:
            if node.attr in METHODS:
                self.add(node, "." + node.attr, METHODS[node.attr])
            self.generic_visit(node)
        else:
            self._name(node, name)

    def _name(self, node: ast.AST, name: str) -> None:
        self.older |= f"{name}.".startswith(("paddle.fluid.", "paddle.imperative."))
        while name and name != "paddle":
            if name in _table():
                codes = _table()[name][0]
                if len(codes) < len(CODES):
                    self.add(node, name, codes)
                return
            name = name.rpartition(".")[0]

    # ---- calls ----
    def visit_Call(self, node: ast.Call) -> None:
        name = self.full(node.func) if isinstance(node.func, (ast.Attribute, ast.Name)) else None
        row: Any = _table().get(name, ()) if name else ()
        if name and len(row) > 1:
            short = name.rpartition(".")[2]
            for word in node.keywords:
                if word.arg in row[1]:
                    self.add(node, f"{short}({word.arg}=)", row[1][word.arg])
            if "name_scope" in row[1] and node.args:
                scoped = _is_scope(node.args[0])
                self.add(node, f"{short}({'scope' if scoped else 'size'}, ...)",
                         row[1]["name_scope"] if scoped else "".join(c for c in row[0] if c not in row[1]["name_scope"]))
        self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> None:
        if isinstance(node.value, ast.Call) and (self.full(node.value.func) or "").endswith(".load_persistables"):
            pair = isinstance(node.targets[0], ast.Tuple)
            self.add(node, "load_persistables() gives " + ("two results" if pair else "one result"), "5" if pair else "4")
        self.generic_visit(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        bases = [self.full(base) for base in node.bases if isinstance(base, (ast.Attribute, ast.Name))]
        if any(base and base.endswith(".Layer") for base in bases):
            for method in node.body:
                if isinstance(method, ast.FunctionDef):
                    self._method(method, any(base and base.startswith("paddle.nn.") for base in bases))
        self.generic_visit(node)

    def _method(self, method: ast.FunctionDef, modern: bool) -> None:
        """Evidence in how a class of a program extends Layer, or (``modern``) paddle.nn.Layer."""
        if method.name == "build_once":
            self.add(method, "def build_once", "4")
        elif method.name == "_build_once" and not modern:
            self.add(method, "def _build_once", "56")
        elif method.name == "__init__":
            for call in ast.walk(method):
                if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "__init__" \
                        and isinstance(call.func.value, ast.Call) and getattr(call.func.value.func, "id", "") == "super":
                    scoped = call.args or any(word.arg == "name_scope" for word in call.keywords)
                    self.add(call, "Layer.__init__(scope)" if scoped else "Layer.__init__()", SCOPED if scoped else "78a029")


def _is_scope(node: ast.AST) -> bool:
    """Is an argument the name of a scope: a string, ``self.full_name()``, or a variable called so?"""
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Attribute) and node.func.attr == "full_name"
    if isinstance(node, ast.Name):
        return "scope" in node.id or node.id == "name"
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _beside(folder: str, name: str) -> str | None:
    """The file of a module that lies beside the program, or None."""
    path = os.path.join(folder, *name.split("."))
    return next((file for file in (path + ".py", os.path.join(path, "__init__.py")) if os.path.isfile(file)), None)


def _read(path: str) -> list[_Reader]:
    """The readers of a program and of the modules beside it that it imports, program first."""
    folder, waiting, seen, size, readers = os.path.dirname(os.path.abspath(path)), [os.path.abspath(path)], set(), 0, []
    while waiting and len(seen) < FILES and size < BYTES:
        file = waiting.pop(0)
        if file in seen:
            continue
        seen.add(file)
        try:
            with open(file, "rb") as source:
                text = source.read(BYTES)
            reader = _Reader(file)
            reader.visit(ast.parse(text, file))
        except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):  # what can't be read tells nothing
            continue
        size += len(text)
        readers.append(reader)
        for name in reader.imports:
            found = _beside(os.path.dirname(file), name) or _beside(folder, name)
            if found is not None:
                waiting.append(found)
    return readers


def judge(evidence: Sequence[Evidence]) -> tuple[str, ...]:
    """The names of the versions that the evidence contradicts least; each thing counts once, however often it occurs."""
    distinct = {item.text: item.codes for item in evidence}
    counts = {code: sum(code in codes for codes in distinct.values()) for code in NEAREST}
    return tuple(CODES[code] for code in NEAREST if counts[code] == max(counts.values()))


def find(path: str) -> Finding:
    """What the source of a program tells about its version, with the modules beside it."""
    return _finding(_read(path))


def of_text(text: str, file: str = "<program>") -> Finding:
    """What a text alone tells."""
    reader = _Reader(file)
    reader.visit(ast.parse(text, file))
    return _finding([reader])


def _finding(readers: Sequence[_Reader]) -> Finding:
    evidence = tuple(item for reader in readers for item in reader.evidence)
    return Finding(judge(evidence) if any(reader.older for reader in readers) else (), evidence)


@functools.lru_cache(maxsize=1)
def of_main() -> Finding:
    """What the source of the main program tells; of an interactive session nothing is known."""
    path = getattr(sys.modules.get("__main__"), "__file__", None)
    return find(path) if isinstance(path, str) else Finding()
