"""What the text of a program says by itself: names, literals, which names hold layers."""

import ast

import libcst as cst

from .rules import REQUIRED


def dotted(node):
    return f"{dotted(node.value)}.{node.attr.value}" if isinstance(node, cst.Attribute) else node.value


def literal(node):
    """The value of a literal; REQUIRED, which equals nothing, for another expression."""
    try:
        return ast.literal_eval(cst.Module([]).code_for_node(node))
    except ValueError:
        return REQUIRED


def is_scope(arg):
    """Is an argument a scope for names: ``self.full_name()``, ``name_scope`` or a text?"""
    value = arg.value
    if arg.keyword is not None:
        return arg.keyword.value == "name_scope"
    return isinstance(value, cst.SimpleString) or isinstance(value, cst.Name) and value.value == "name_scope" or (
        isinstance(value, cst.Call) and isinstance(value.func, cst.Attribute) and value.func.attr.value == "full_name")


def short(name):
    return name.removeprefix("paddle.")


def is_none(node):
    return isinstance(node, cst.Name) and node.value == "None"


def aliases_of(text):
    """{name in the program: full name} of what it imports from paddle, anywhere."""
    found = {}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            for item in node.names:
                if item.name.split(".")[0] == "paddle":
                    found[item.asname or "paddle"] = item.name if item.asname else "paddle"
        elif isinstance(node, ast.ImportFrom) and not node.level and (node.module or "").split(".")[0] == "paddle":
            found.update({item.asname or item.name: f"{node.module}.{item.name}" for item in node.names if item.name != "*"})
    return found


def classes_of(text):
    """Names of classes that are layers, or may be: those that the program derives from Layer, and what it imports from its other
    files under a name with a capital letter."""
    found = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ClassDef) and any(ast.unparse(base).endswith("Layer") for base in node.bases):
            found.add(node.name)
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] != "paddle":
            found |= {item.asname or item.name for item in node.names if item.name[:1].isupper()}
    return found


def gradient_reads(text):
    """{line of a statement ``x.backward()``: [expressions set before it whose gradient() the same scope reads]}."""
    found = {}
    tree = ast.parse(text)
    for scope in [tree, *(node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))]:
        set_at, reads, backwards = {}, {}, []
        for node in _within(scope):
            if isinstance(node, ast.Assign):
                for name in (n for target in node.targets for n in ast.walk(target) if isinstance(n, ast.Name)):
                    set_at.setdefault(name.id, node.lineno)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "gradient":
                root = node.func.value
                while isinstance(root, ast.Attribute):
                    root = root.value
                if isinstance(root, ast.Name):
                    reads[ast.unparse(node.func.value)] = root.id
            if isinstance(node, ast.Expr) and ast.unparse(node).split("(")[0].endswith(".backward"):
                backwards.append(node.lineno)
        for line in backwards:
            known = [read for read, root in reads.items() if set_at.get(root, line) < line]
            if known:
                found[line] = known
    return found


def _within(scope):
    """The nodes of a scope without those of functions and classes inside it."""
    for child in ast.iter_child_nodes(scope):
        if not isinstance(child, (ast.FunctionDef, ast.ClassDef)):
            yield child
            yield from _within(child)


def carried_states(text):
    """Lines ``state = new`` of training loops: ``new`` is a result of a call that got ``state`` in the same turn."""
    found = set()
    for loop in ast.walk(ast.parse(text)):
        if not isinstance(loop, (ast.For, ast.While)) or ".backward(" not in ast.unparse(loop):
            continue
        made = {}  # result: the arguments of its call
        for node in ast.walk(loop):
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
                arguments = {n.id for a in node.value.args for n in ast.walk(a) if isinstance(n, ast.Name)}
                made.update({n.id: arguments for t in node.targets for n in ast.walk(t) if isinstance(n, ast.Name)})
        for node in ast.walk(loop):
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Name) and isinstance(node.targets[0], ast.Name):
                if node.targets[0].id in made.get(node.value.id, ()):
                    found.add(node.lineno)
    return found


def computed(function):
    """Names that a function computes with by operators."""
    found = set()

    class Operands(cst.CSTVisitor):
        def visit_BinaryOperation(self, node):
            found.update(side.value for side in (node.left, node.right) if isinstance(side, cst.Name))
    function.visit(Operands())
    return found


def layers_of(scope, classes, line_of):
    """Names that get an object of a class of layers in a module or function (without those inside it) before it first minimizes."""
    found, minimized = {}, []

    class Scan(cst.CSTVisitor):
        def visit_FunctionDef(self, node):
            return node is scope

        def visit_ClassDef(self, node):
            return False

        def visit_Call(self, node):
            if isinstance(node.func, cst.Attribute) and node.func.attr.value == "minimize":
                minimized.append(line_of(node))

        def visit_Assign(self, node):
            value, target = node.value, node.targets[0].target
            pairs = [(value, target)]
            if isinstance(value, cst.Tuple) and isinstance(target, cst.Tuple):
                pairs = [(v.value, t.value) for v, t in zip(value.elements, target.elements)]
            for made, name in pairs:
                if _makes(made, classes) and isinstance(name, cst.Name):
                    found.setdefault(name.value, line_of(node))
    scope.visit(Scan())
    return [name for name, line in found.items() if not minimized or line < minimized[0]]


def _makes(value, classes):
    """Is it a call of one of these classes, or of what looks like a class in a module?"""
    if not isinstance(value, cst.Call):
        return False
    if isinstance(value.func, cst.Attribute):
        module = value.func.value
        known = isinstance(module, cst.Name) and module.value not in ("self", "paddle", "fluid")
        return known and value.func.attr.value[:1].isupper()
    return isinstance(value.func, cst.Name) and value.func.value in classes
