"""Which faults there are: one changed expression of one file each."""

import ast
import random
import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
TARGETS = {"ops": ("src/paddle/ops", "*.py"), "kernels": ("src/paddle/kernels/native", "*.[ci]*"),
           "pickle": ("src/paddle/serialization", "pickle*.py")}
SHARES = (("ops", 0.73), ("kernels", 0.17), ("pickle", 0.1))  # of all mutants


@dataclass(frozen=True)
class Mutant:
    """One place of one file, with what is to stand there."""

    room: str
    path: str  # from the project's root
    start: int  # bytes
    stop: int
    old: str
    new: str
    line: int  # of its first byte
    text: str  # that line: with old and new it finds the mutant again where lines have moved

    @property
    def place(self):
        return self.path, self.text, self.old, self.new


# ---- Python ----
SWAPPED = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Lt: ast.LtE, ast.LtE: ast.Lt,
           ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.And: ast.Or, ast.Or: ast.And}
LEFT_ALONE = (ast.Raise, ast.JoinedStr, ast.Assert, ast.Import, ast.ImportFrom)  # texts, and what only tells of an error


def changes(node):
    """The expressions that a fault may make of an expression."""
    if isinstance(node, ast.BinOp) and type(node.op) in SWAPPED:
        yield ast.BinOp(node.left, SWAPPED[type(node.op)](), node.right)
        if isinstance(node.op, (ast.Add, ast.Sub)):
            yield node.left  # a term dropped
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.Not)):
        yield node.operand
    elif isinstance(node, ast.Compare) and type(node.ops[0]) in SWAPPED:
        yield ast.Compare(node.left, [SWAPPED[type(node.ops[0])](), *node.ops[1:]], node.comparators)
    elif isinstance(node, ast.BoolOp):
        yield ast.BoolOp(SWAPPED[type(node.op)](), node.values)
    elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant) and type(node.slice.value) is int:
        yield ast.Subscript(node.value, ast.Constant(node.slice.value + 1), node.ctx)


def python_mutants(room, path, source):
    text = source.read_text(encoding="utf-8")
    lines, starts = text.split("\n"), [0]
    for line in lines:
        starts.append(starts[-1] + len(line.encode()) + 1)

    def walk(node):
        if isinstance(node, LEFT_ALONE):
            return
        for new in changes(node):
            start, stop = starts[node.lineno - 1] + node.col_offset, starts[node.end_lineno - 1] + node.end_col_offset
            yield Mutant(room, path, start, stop, ast.unparse(node), f"({ast.unparse(new)})", node.lineno,
                         lines[node.lineno - 1].strip())
        for child in ast.iter_child_nodes(node):
            yield from walk(child)
    return [m for m in walk(ast.parse(text)) if f"({m.old})" != m.new]


# ---- C ----
C_CHANGES = ((r" \+ ", " - "), (r" - ", " + "), (r" \* ", " + "), (r" < ", " <= "), (r" <= ", " < "), (r" > ", " >= "),
             (r" >= ", " > "), (r" == ", " != "), (r" != ", " == "), (r" && ", " || "), (r"\b1\b", "2"), (r" \+= ", " -= "))


def c_mutants(room, path, source, compiled):
    """Those of the lines that the instruction set at hand is compiled from."""
    found, offset = [], 0
    for number, line in enumerate(source.read_text(encoding="utf-8").split("\n"), 1):
        code = re.sub(r"/\*.*?\*/", lambda m: "@" * len(m.group()), line).partition("//")[0].partition("/*")[0]
        if number in compiled and not re.match(r"\s*(#|\*)", code) and '"' not in code and not code.endswith("\\"):
            for pattern, new in C_CHANGES:
                for match in re.finditer(pattern, code):
                    found.append(Mutant(room, path, offset + len(line[:match.start()].encode()),
                                        offset + len(line[:match.end()].encode()), match.group(), new, number, line.strip()))
        offset += len(line.encode()) + 1
    return found


def draw(number, seed, tree, compiled):
    """Of each room as many mutants as its share, and as many again to take the place of those that do not compile."""
    chosen = {}
    for room, share in SHARES:
        folder, pattern = TARGETS[room]
        everything = []
        for file in sorted((tree / folder).rglob(pattern)):
            path = str(file.relative_to(tree))
            everything += (c_mutants(room, path, file, compiled.get(path, ())) if room == "kernels" else
                           python_mutants(room, path, file))
        wanted = round(number * share)
        chosen[room] = random.Random(f"mutants {seed} {room}").sample(everything, min(len(everything), 2 * wanted)), wanted
    return chosen
