"""Writes the functions of core/sizes.py in C: src/capi/sizes.inc, and sizes_declared.inc with their heads.

    python scripts/capi_sizes.py            # after a change there
"""

import ast
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "paddle" / "core" / "sizes.py"
CAPI = ROOT / "src" / "capi"
TYPES = {"int": "index_t ", "bool": "int ", "Sizes": "const sizes_t *"}
OPERATORS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">",
             ast.GtE: ">=", ast.And: "&&", ast.Or: "||", ast.USub: "-", ast.Not: "!"}


class Function:
    """One function on its way to C."""

    def __init__(self, node, known):
        self.node, self.known, self.lines = node, known, []
        self.doc = " ".join(ast.get_docstring(node).split())
        given = [(a.arg, a.annotation.id) for a in node.args.args if a.annotation.id != "str"]
        self.lists = {name for name, kind in given if kind == "Sizes"}  # pointers
        self.own = set()  # lists that are variables here
        self.names = {name for name, _ in given}
        self.gives_list = node.returns.id == "Sizes"
        parameters = [TYPES[kind] + name for name, kind in given] + ["sizes_t *result"] * self.gives_list
        self.head = f"{'int' if self.gives_list else 'index_t'} size_{node.name}({', '.join(parameters)})"

    def text(self):
        """The function in C."""
        self.block(self.node.body[1:], 1)
        return "\n".join([self.head + " {", *self.lines, "}"])

    # ---- statements ----
    def put(self, depth, line):
        self.lines.append("    " * depth + line)

    def block(self, body, depth):
        for statement in body:
            getattr(self, type(statement).__name__)(statement, depth)

    def assign(self, name, value, depth):
        self.put(depth, f"{'' if name in self.names else 'index_t '}{name} = {self.value(value)};")
        self.names.add(name)

    def Assign(self, node, depth):  # noqa: N802 - named like the nodes
        target, = node.targets
        if isinstance(target, ast.Subscript):
            self.put(depth, f"{target.value.id}.at[{self.value(target.slice)}] = {self.value(node.value)};")
        elif isinstance(node.value, ast.Call) and self.known.get(getattr(node.value.func, "id", "")):
            self.own.add(target.id)
            self.put(depth, f"sizes_t {target.id};")
            self.put(depth, f"if ({self.call(node.value, f'&{target.id}')}) return -1;")
        else:
            self.assign(target.id, node.value, depth)

    def AnnAssign(self, node, depth):  # noqa: N802
        self.own.add(node.target.id)
        self.put(depth, f"sizes_t {node.target.id} = {{.count = 0}};")

    def AugAssign(self, node, depth):  # noqa: N802
        self.put(depth, f"{node.target.id} {OPERATORS[type(node.op)]}= {self.value(node.value)};")

    def Expr(self, node, depth):  # noqa: N802 - append is the one that there is
        self.put(depth, f"sizes_append(&{node.value.func.value.id}, {self.value(node.value.args[0])});")

    def If(self, node, depth, word="if"):  # noqa: N802
        self.put(depth, f"{word} ({self.value(node.test)}) {{")
        self.block(node.body, depth + 1)
        if len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
            self.If(node.orelse[0], depth, "} else if")
            return
        if node.orelse:
            self.put(depth, "} else {")
            self.block(node.orelse, depth + 1)
        self.put(depth, "}")

    def While(self, node, depth):  # noqa: N802
        self.put(depth, f"while ({self.value(node.test)}) {{")
        self.block(node.body, depth + 1)
        self.put(depth, "}")

    def For(self, node, depth):  # noqa: N802
        name, ends = node.target.id, [self.value(a) for a in node.iter.args]
        begin, end = ends if len(ends) == 2 else ("0", ends[0])
        self.put(depth, f"for (index_t {name} = {begin}; {name} < {end}; {name}++) {{")
        before = set(self.names)
        self.names.add(name)
        self.block(node.body, depth + 1)
        self.names = before
        self.put(depth, "}")

    def Return(self, node, depth):  # noqa: N802
        value = node.value
        if not self.gives_list:
            self.put(depth, f"return {self.value(value)};")
        elif isinstance(value, ast.List):
            items = ", ".join(map(self.value, value.elts))
            self.put(depth, f"return *result = (sizes_t){{.count = {len(value.elts)}, .at = {{{items}}}}}, 0;")
        else:
            own = value.id in self.own
            self.put(depth, f"return sizes_give(&{value.id}, result);" if own else f"return *result = *{value.id}, 0;")

    def Raise(self, node, depth):  # noqa: N802
        form, values = "", []
        for part in node.exc.args[0].values:
            if isinstance(part, ast.Constant):
                form += part.value.replace("%", "%%")
            elif part.value.id == "function":
                continue
            elif part.value.id in self.lists | self.own:
                form += "%s"
                values.append(f"sizes_text(&(text_t){{0}}, {self.pointer(part.value)})")
            else:
                form += "%td"
                values.append(part.value.id)
        form = re.sub(r"^\w*\(\): ", "", form)  # the executor says which operator it is
        self.put(depth, f"return fail({', '.join([quoted(form), *values])});")

    # ---- values ----
    def pointer(self, node):
        return node.id if node.id in self.lists else f"&{node.id}"

    def call(self, node, *more):
        parts = [a for a in node.args if not (isinstance(a, ast.Name) and a.id == "function")]
        return f"size_{node.func.id}({', '.join([*(self.argument(a) for a in parts), *more])})"

    def argument(self, node):
        return self.pointer(node) if isinstance(node, ast.Name) and node.id in self.lists | self.own else self.value(node)

    def value(self, node):
        """An expression."""
        kind = type(node)
        if kind is ast.Constant:
            return str(int(node.value))
        if kind is ast.Name:
            return node.id
        if kind is ast.Subscript:
            return f"sizes_at({self.pointer(node.value)}, {self.value(node.slice)})"
        if kind is ast.BinOp and isinstance(node.op, ast.FloorDiv):
            return f"floor_divide({self.value(node.left)}, {self.value(node.right)})"
        if kind is ast.BinOp:
            return f"({self.value(node.left)} {OPERATORS[type(node.op)]} {self.value(node.right)})"
        if kind is ast.UnaryOp:
            return f"{OPERATORS[type(node.op)]}{self.value(node.operand)}"
        if kind is ast.BoolOp:
            return "(" + f" {OPERATORS[type(node.op)]} ".join(map(self.value, node.values)) + ")"
        if kind is ast.IfExp:
            return f"({self.value(node.test)} ? {self.value(node.body)} : {self.value(node.orelse)})"
        if kind is ast.Compare and isinstance(node.ops[0], (ast.In, ast.NotIn)):
            found = f"sizes_have({self.pointer(node.comparators[0])}, {self.value(node.left)})"
            return found if isinstance(node.ops[0], ast.In) else f"!{found}"
        if kind is ast.Compare and len(node.ops) == 1:
            return f"({self.value(node.left)} {OPERATORS[type(node.ops[0])]} {self.value(node.comparators[0])})"
        if kind is ast.Call and node.func.id == "len":
            return f"{node.args[0].id}{'->' if node.args[0].id in self.lists else '.'}count"
        if kind is ast.Call and node.func.id in ("max", "min"):
            return f"{node.func.id}_of({', '.join(map(self.value, node.args))})"
        if kind is ast.Call:
            return self.call(node)
        raise NotImplementedError(f"{SOURCE.name}:{node.lineno}: {ast.unparse(node)} has no translation")


def quoted(text):
    """A C string."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def functions():
    """All of them."""
    found = [n for n in ast.parse(SOURCE.read_text(encoding="utf-8")).body if isinstance(n, ast.FunctionDef)]
    known = {n.name: n.returns.id == "Sizes" for n in found}
    return [Function(n, known) for n in found]


FILES = {CAPI / "sizes.inc": lambda: [f.text() + "\n" for f in functions()],
         CAPI / "sizes_declared.inc": lambda: [f"{f.head}; /* {f.doc} */" for f in functions()]}


def content(path):
    """The whole of a file."""
    return "\n".join(["/* Written by scripts/capi_sizes.py from core/sizes.py. */", *FILES[path](), ""])


if __name__ == "__main__":
    for target in FILES:
        target.write_text(content(target), encoding="utf-8")
