"""The head of a migrated program: one import of paddle, the mode, and the helpers that it uses."""

import libcst as cst

from .helpers import HELPERS
from .scan import dotted

# Paddle 3 reads it when it is imported; its own programs have no clone(for_test=True), and static.nn.batch_norm cannot add to them
_OPERATORS = 'import os\n\nos.environ["FLAGS_enable_pir_api"] = "0"  # programs of operators, as before Paddle 3\n'


def with_head(module, rewriter):
    """The statements of a module with its imports of paddle replaced by one, the mode set, and the helpers that are used."""
    body, place = [], None
    for statement in module.body:
        kept = without_paddle(statement, rewriter)
        if kept is None:
            if place is None:
                place = len(body)
            continue
        body.append(kept)
    if place is None and not rewriter.changed:
        return module.body
    if place is None:  # imported inside functions only
        place = next((k for k, s in enumerate(body) if is_import(s)), 1 if module.get_docstring() else 0)
    head = [cst.parse_statement("import paddle\n")]
    if any(n in module.code for n in ("Executor(", "dygraph.guard(", "disable_static(", "data(")):
        head.append(cst.parse_statement("\npaddle.enable_static()\n"))
    for name in sorted(_with_those_they_use(rewriter.used)):
        head += cst.parse_module(HELPERS[name]).body[:1]
    defined = cst.FunctionDef, cst.ClassDef
    head = [h.with_changes(leading_lines=[cst.EmptyLine()] * 2) if isinstance(h, defined) else h for h in head]
    future = next((k for k, s in enumerate(body) if "__future__" in cst.Module([s]).code), -1)
    place = max(place, future + 1)
    last = next((k for k in range(place, len(body)) if not is_import(body[k])), len(body))
    rest = body[last:]
    if rest and isinstance(head[-1], defined):  # two empty lines behind a definition
        lines = [line for line in rest[0].leading_lines if line.comment is not None]
        rest[0] = rest[0].with_changes(leading_lines=[cst.EmptyLine()] * 2 + lines)
    body = [*body[:place], head[0], *body[place:last], *head[1:], *rest]
    if rewriter.to == "3" and "Executor(" in module.code and not rewriter.is_mixed:
        first = next(k for k in range(future + 1, len(body)) if is_import(body[k]))
        body[first:first] = cst.parse_module(_OPERATORS).body
    return body


def _with_those_they_use(used):
    """The names of helpers, with the helpers that they call."""
    return used | {name for name in HELPERS if any(f"{name}(" in HELPERS[user].partition("(")[2] for user in used)}


def is_import(statement):
    parts = statement.body if isinstance(statement, cst.SimpleStatementLine) else ()
    return any(isinstance(part, (cst.Import, cst.ImportFrom)) for part in parts)


def without_paddle(statement, rewriter):
    """A statement without its imports of paddle; None if nothing is left."""
    if not is_import(statement):
        return statement
    parts = []
    for part in statement.body:
        if isinstance(part, cst.Import):
            names = [n for n in part.names if dotted(n.name).split(".")[0] != "paddle"]
            if names:
                names[-1] = names[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
                parts.append(part.with_changes(names=names))
        elif isinstance(part, cst.ImportFrom) and not part.relative and dotted(part.module).split(".")[0] == "paddle":
            if isinstance(part.names, cst.ImportStar) or any(
                    f"{dotted(part.module)}.{n.name.value}" in rewriter.left for n in part.names):
                parts.append(part)
        else:
            parts.append(part)
    return statement.with_changes(body=parts) if parts else None
