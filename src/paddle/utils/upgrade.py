"""python -m paddle.utils.upgrade FILE: what a program of an older generation uses, and its successors in 2.x.

The program is read, not run: names are followed through its imports, and methods are found by their names.
"""

import argparse
import ast
import importlib
import re
import sys

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
MODULES = {  # names of their own, where a docstring can't say it
    "paddle.fluid": "paddle", "paddle.fluid.layers": "paddle, paddle.nn.functional", "paddle.fluid.dygraph": "paddle, paddle.nn",
    "paddle.fluid.optimizer": "paddle.optimizer", "paddle.fluid.initializer": "paddle.nn.initializer",
    "paddle.fluid.regularizer": "paddle.regularizer", "paddle.fluid.core": "paddle", "paddle.fluid.io": "paddle.static",
    "paddle.fluid.dygraph.nn": "paddle.nn", "paddle.fluid.dygraph.base": "paddle", "paddle.imperative": "paddle",
    "paddle.dataset.mnist": "paddle.vision.datasets.MNIST", "paddle.dataset": "paddle.vision.datasets, paddle.text.datasets",
    "paddle.reader": "paddle.io", "paddle.fluid.framework": "paddle.static", "paddle.fluid.param_attr": "paddle",
}
NAMES = {
    "paddle.batch": ("1.x", "paddle.io.DataLoader"), "paddle.enable_imperative": ("2.0 alpha", "none needed: 2.x is eager"),
    "paddle.disable_imperative": ("2.0 alpha", "paddle.enable_static"), "paddle.Executor": ("2.0 alpha", "paddle.static.Executor"),
    "paddle.default_main_program": ("2.0 alpha", "paddle.static.default_main_program"),
    "paddle.default_startup_program": ("2.0 alpha", "paddle.static.default_startup_program"),
    "paddle.incubate.reader.distributed_batch_reader": ("2.0 alpha", "paddle.io.DistributedBatchSampler"),
    "paddle.fluid.dygraph.load_persistables": ("1.x", "paddle.load"),
    "paddle.fluid.CPUPlace": ("1.x", "paddle.CPUPlace"),
    "paddle.fluid.CUDAPlace": ("1.x", "paddle.CUDAPlace"), "paddle.fluid.Program": ("1.x", "paddle.static.Program"),
    "paddle.fluid.Executor": ("1.x", "paddle.static.Executor"),
    "paddle.fluid.default_main_program": ("1.x", "paddle.static.default_main_program (for the seed: paddle.seed)"),
    "paddle.fluid.default_startup_program": ("1.x", "paddle.static.default_startup_program (for the seed: paddle.seed)"),
    "paddle.fluid.core.is_compiled_with_cuda": ("1.x", "paddle.device.is_compiled_with_cuda"),
}
_BOTH = {  # the same names in fluid.dygraph and in paddle.imperative
    "TracedLayer": "paddle.jit.save", "declarative": "paddle.jit.to_static", "dygraph_to_static_output": "paddle.jit.to_static",
    "ProgramTranslator": "paddle.jit.enable_to_static, paddle.jit.save", "ParallelEnv": "paddle.distributed.ParallelEnv",
    "Env": "paddle.distributed.ParallelEnv", "DataParallel": "paddle.DataParallel",
    "prepare_context": "paddle.distributed.init_parallel_env", "no_grad": "paddle.no_grad", "grad": "paddle.grad",
    "BackwardStrategy": "no longer needed", "enabled": "paddle.in_dynamic_mode", "enable_dygraph": "paddle.disable_static",
    "disable_dygraph": "paddle.enable_static", "guard": "none needed: 2.x is eager",
}
NAMES.update({"paddle.fluid.dygraph." + name: ("1.x", successor) for name, successor in _BOTH.items()})
NAMES.update({"paddle.imperative." + name: ("2.0 alpha", successor) for name, successor in _BOTH.items()
              if not name.endswith("_dygraph")})
_PROSE = re.compile(r"\(?(1\.x|1\.\d|2\.0 alpha); successor:\s*([^)]*(?:\([^)]*\)[^)]*)*)\)")


def look_up(name):
    """(generation, successor) of a full name, or None when it is a name of 2.x (or of no generation)."""
    if name in NAMES:
        return NAMES[name]
    if name in MODULES:
        return _generation(name), MODULES[name]
    module, _, last = name.rpartition(".")
    found = _resolve(module, last)
    if found is None:
        return (_generation(name), "no such name in any generation") if _generation(name) else None
    match = _PROSE.search(getattr(found, "__doc__", None) or "")
    if match and (_generation(name) or _only_alpha(module, last)):
        generation = match.group(1) if _generation(name) else "2.0 alpha"
        return generation, " ".join(match.group(2).split())
    if _generation(name):
        home = getattr(found, "__module__", None) or ""
        return _generation(name), _same_name(last) or MODULES.get(module, home)
    return None


def _changed(name):
    """(generation, successor) of a name that exists in 2.0 alpha and in 2.x with another meaning."""
    changed = importlib.import_module("paddle.imperative.functions")._OLD  # the tool reads every generation's tables
    module, _, last = name.rpartition(".")
    if (module, last) not in changed:
        return None
    match = _PROSE.search(changed[module, last][0].__doc__)
    return "2.0 alpha", " ".join(match.group(2).split()) + ": arguments or results changed"


def _generation(name):
    if name.startswith("paddle.fluid"):
        return "1.x"
    return "2.0 alpha" if name.startswith(("paddle.imperative", "paddle.declarative")) else \
        "1.x" if name.startswith(("paddle.dataset", "paddle.reader")) else None


def _only_alpha(module, last):
    return last in importlib.import_module("paddle.imperative.names").NAMES.get(module, ())


def _same_name(last):
    for module in ("paddle", "paddle.nn", "paddle.static", "paddle.nn.functional"):
        place = importlib.import_module(module)
        if last in getattr(place, "__all__", ()) or last in vars(place):
            return f"{module}.{last}"
    return None


def _resolve(module, last):
    try:
        parts = module.split(".")
        place = importlib.import_module(parts[0])
        for part in [*parts[1:], last]:
            place = getattr(place, part)
        return place
    except (AttributeError, ImportError, NotImplementedError):
        return None


class _Reader(ast.NodeVisitor):
    """Collects (line, full name) of everything that comes from paddle, and older methods and keywords."""

    def __init__(self):
        self.aliases, self.uses, self.others, self.keywords = {}, [], [], []

    def visit_Import(self, node):
        for item in node.names:
            if item.name.split(".")[0] == "paddle":
                self.aliases[item.asname or "paddle"] = item.name if item.asname else "paddle"
                if item.name != "paddle":
                    self.uses.append((node.lineno, item.name))

    def visit_ImportFrom(self, node):
        if (node.module or "").split(".")[0] == "paddle" and not node.level:
            for item in node.names:
                self.aliases[item.asname or item.name] = f"{node.module}.{item.name}"
                self.uses.append((node.lineno, f"{node.module}.{item.name}"))

    def visit_Attribute(self, node):
        name = self._full(node)
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
        called = self._full(node.func) if isinstance(node.func, (ast.Attribute, ast.Name)) else None
        if called is not None:
            for word in node.keywords:
                if word.arg in KEYWORDS:
                    self.keywords.append((word.value.lineno, called, word.arg))
        self.generic_visit(node)

    def _full(self, node):
        parts = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name) or node.id not in self.aliases:
            return None
        return ".".join([self.aliases[node.id], *reversed(parts)])


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


def main(arguments=None):
    """Print the table for a file; returns 0, or 1 when the file is no Python program."""
    parser = argparse.ArgumentParser(prog="python -m paddle.utils.upgrade", description=__doc__.splitlines()[0])
    parser.add_argument("file", help="a Python program of an older generation")
    file = parser.parse_args(arguments).file
    try:
        with open(file, encoding="utf-8") as source:
            rows = report(source.read(), file)
    except (OSError, SyntaxError, UnicodeDecodeError) as error:
        print(f"upgrade: {file}: {error}", file=sys.stderr)
        return 1
    if not rows:
        print(f"{file}: no names of older generations")
        return 0
    cells = [("name", "generation", "successor in 2.x", "lines")]
    cells += [(name, generation, successor, ", ".join(map(str, lines))) for name, generation, successor, lines in rows]
    widths = [max(len(row[k]) for row in cells) for k in range(3)]
    for row in cells:
        print("  ".join([*(cell.ljust(width) for cell, width in zip(row, widths)), row[3]]).rstrip())
    return 0


if __name__ == "__main__":
    sys.exit(main())
