"""What the tests of this folder read: the package's own files, parsed."""

import ast
import functools
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "paddle"


@functools.cache
def modules() -> dict[str, ast.Module]:
    """Parsed modules by path relative to the package: "core/tensor.py"."""
    return {path.relative_to(PACKAGE).as_posix(): ast.parse(path.read_text(encoding="utf-8"), str(path))
            for path in sorted(PACKAGE.rglob("*.py"))}


def dotted(node: ast.AST) -> str:
    """The text of a name or attribute: "os.path.join"; "" for anything else."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and (base := dotted(node.value)):
        return f"{base}.{node.attr}"
    return ""


def imports(path: str) -> list[tuple[int, str]]:
    """Line and room of every import of another part of the package: (12, "core"). Imports inside functions count."""
    package = path.split("/")[:-1]
    found = []
    for node in ast.walk(modules()[path]):
        if isinstance(node, ast.Import):
            targets = [alias.name.split(".")[1:] for alias in node.names if alias.name.split(".")[0] == "paddle"]
        elif isinstance(node, ast.ImportFrom) and node.level:
            base = package[:len(package) - node.level + 1] + (node.module.split(".") if node.module else [])
            targets = [base] if base else [[alias.name] for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "paddle":
            base = node.module.split(".")[1:]
            targets = [base] if base else [[alias.name] for alias in node.names]
        else:
            continue
        found += [(node.lineno, target[0] if target else "paddle") for target in targets]
    return found
