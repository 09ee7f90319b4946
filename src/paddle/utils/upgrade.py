"""What a program of an older generation uses, and its successors in 2.x (``paddle migrate --list FILE``).

The program is read, not run: names are followed through its imports, and methods are found by their names.
"""

import ast
import functools
import json
import pathlib

from ..core import detection

METHODS = {  # methods of tensors, layers and optimizers whose names are older
    "gradient": "Tensor.grad", "clear_gradients": "Optimizer.clear_grad", "clear_gradient": "Tensor.clear_grad",
    "minimize": "Optimizer.step (after loss.backward())", "set_dict": "set_state_dict", "load_dict": "set_state_dict",
    "current_step_lr": "Optimizer.get_lr", "scale_loss": "no longer needed", "apply_collective_grads": "no longer needed",
    "save_inference_model": "paddle.jit.save",
}
KEYWORDS = {  # keywords that only older generations have
    "num_channels": "in_channels", "num_filters": "out_channels", "filter_size": "kernel_size", "param_attr": "weight_attr",
    "use_cudnn": "(leave out)", "act": "a layer or function of its own", "parameter_list": "parameters",
    "regularization": "weight_decay", "keep_dim": "keepdim", "dim": "axis", "input_dim": "in_features",
    "output_dim": "out_features",
}


@functools.lru_cache(maxsize=1)
def _table():
    """What ``scripts/generations.py`` collected: {"names": {name: [generation, successor]}, "changed": {name: successor}}."""
    return json.loads(pathlib.Path(__file__).with_name("successors.json").read_text(encoding="utf-8"))


def look_up(name):
    """(generation, successor) of a full name, or None when it is a name of 2.x (or of no generation)."""
    names, known = _table()["names"], name
    while known not in names:  # a method or an attribute belongs to what it is one of
        known = known.rpartition(".")[0]
        if not known:
            return None
    generation, successor = names[known]
    if known != name and known in _modules():
        return generation, "no such name in any generation"
    return generation, successor


@functools.lru_cache(maxsize=1)
def _modules():
    return {name.rpartition(".")[0] for name in _table()["names"]}


def _changed(name):
    """(generation, successor) of a name that exists in 2.0 alpha and in 2.x with another meaning."""
    successor = _table()["changed"].get(name)
    return None if successor is None else ("2.0 alpha", successor)


class _Reader(detection.PaddleNames):
    """Collects (line, full name) of everything that comes from paddle, and older methods and keywords."""

    def __init__(self):
        super().__init__()
        self.uses, self.others, self.keywords = [], [], []

    def imported(self, node, name):
        if name != "paddle":
            self.uses.append((node.lineno, name))

    def visit_Attribute(self, node):
        name = self.full(node)
        if name is not None:
            self.uses.append((node.lineno, name))
            return
        if node.attr in METHODS:
            self.others.append((node.lineno, "." + node.attr + "()", METHODS[node.attr]))
        self.generic_visit(node)

    def visit_Name(self, node):
        name = self.aliases.get(node.id)
        if name is not None and name.count(".") and isinstance(node.ctx, ast.Load):
            self.uses.append((node.lineno, name))

    def visit_Call(self, node):
        called = self.full(node.func) if isinstance(node.func, (ast.Attribute, ast.Name)) else None
        if called is not None:
            for word in node.keywords:
                if word.arg in KEYWORDS:
                    self.keywords.append((word.value.lineno, called, word.arg))
        self.generic_visit(node)


def report(text, file="<program>"):
    """Rows (name, generation, successor, line numbers) of the older names in a program's text, in order of appearance."""
    reader = _Reader()
    reader.visit(ast.parse(text, file))
    alpha = any(name.startswith(("paddle.imperative", "paddle.enable_imperative")) for _, name in reader.uses)
    rows = {}
    for line, name in sorted(reader.uses):
        known = look_up(name) or (_changed(name) if alpha else None)
        if known is not None:
            rows.setdefault((name, *known), []).append(line)
    for line, called, word in sorted(reader.keywords):
        if alpha or look_up(called) is not None:
            reader.others.append((line, f"{called.rpartition('.')[2]}({word}=)", KEYWORDS[word]))
    for line, name, successor in sorted(reader.others):
        rows.setdefault((name, "older", successor), []).append(line)
    return [(*key, sorted(set(lines))) for key, lines in rows.items()]


def lines(rows, file):
    """The rows of ``report`` as lines of a table."""
    if not rows:
        return [f"{file}: no names of older generations"]
    cells = [("name", "generation", "successor in 2.x", "lines")]
    cells += [(name, generation, successor, ", ".join(map(str, numbers))) for name, generation, successor, numbers in rows]
    widths = [max(len(row[k]) for row in cells) for k in range(3)]
    return ["  ".join([*(cell.ljust(width) for cell, width in zip(row, widths)), row[3]]).rstrip() for row in cells]
