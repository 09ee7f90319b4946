"""Write the tables of older names: docs/generations-details.md from "Names and successors" on, and the table that
paddle.utils.upgrade reads (src/paddle/utils/successors.json).

    python scripts/generations.py            # write both
    python scripts/generations.py --check    # fail when one is out of date, or a name does not say its successor

What succeeds a name stands in its docstring, "(1.x; successor: paddle.sum)"; OWN has the names that have no docstring of
their own. A name that 2.x has too, under the same last part, needs none.
"""

import argparse
import importlib
import inspect
import json
import pathlib
import pkgutil
import re
import sys
import types
import warnings

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE, TABLE = ROOT / "docs" / "generations-details.md", ROOT / "src" / "paddle" / "utils" / "successors.json"
HEADING = "## Names and successors\n"
SAYS = re.compile(r"\(?(1\.x|1\.\d|2\.0 alpha);\s+successor:\s*([^)]*(?:\([^)]*\)[^)]*)*)\)")
OURS = re.compile(r"paddle\.(fluid\.(arrays|averages|older_optimizers|state|variables|dygraph\.special|layers\.(common|refused))"
                  r"|imperative\.\w+|dataset\.(idx|matfile)|reader\.(parallel|pump|simple))$")  # modules no generation had
TABLES = ("layers", "dygraph", "optimizer", "initializer", "regularizer", "clip", "io", "metrics", "nets", "profiler", "backward",
          "average", "data_feeder", "lod_tensor", "core", "framework", "executor", "contrib")
PLACES = ("paddle", "paddle.nn", "paddle.static", "paddle.nn.functional", "paddle.io", "paddle.static.nn", "paddle.distributed")
MODULES = {
    "paddle.fluid": "paddle", "paddle.fluid.layers": "paddle, paddle.nn.functional", "paddle.fluid.dygraph": "paddle, paddle.nn",
    "paddle.fluid.optimizer": "paddle.optimizer", "paddle.fluid.initializer": "paddle.nn.initializer",
    "paddle.fluid.regularizer": "paddle.regularizer", "paddle.fluid.core": "paddle", "paddle.fluid.io": "paddle.static",
    "paddle.fluid.dygraph.nn": "paddle.nn", "paddle.fluid.dygraph.base": "paddle", "paddle.imperative": "paddle",
    "paddle.dataset": "paddle.vision.datasets, paddle.text.datasets", "paddle.reader": "paddle.io",
    "paddle.fluid.framework": "paddle.static", "paddle.fluid.param_attr": "paddle", "paddle.fluid.metrics": "paddle.metric",
    "paddle.fluid.clip": "paddle.nn", "paddle.fluid.dygraph_grad_clip": "paddle.nn.ClipGradBy...",
    "paddle.fluid.executor": "paddle.static", "paddle.fluid.compiler": "paddle.static",
    "paddle.fluid.backward": "paddle.static", "paddle.fluid.profiler": "paddle.profiler",
    "paddle.fluid.contrib.reader": "paddle.io", "paddle.incubate.reader": "paddle.io", "paddle.declarative": "paddle.static.nn",
    **{f"paddle.dataset.{name}": f"paddle.vision.datasets.{name.upper() if name in ('mnist', 'voc2012') else name.title()}"
       for name in ("mnist", "cifar", "flowers", "voc2012")},
    **{f"paddle.dataset.{name}": f"paddle.text.datasets.{new}" for name, new in
       {"imdb": "Imdb", "imikolov": "Imikolov", "movielens": "Movielens", "uci_housing": "UCIHousing", "wmt14": "WMT14",
        "wmt16": "WMT16", "conll05": "Conll05st"}.items()},
}
_BOTH = {  # the same names in fluid.dygraph and in paddle.imperative
    "TracedLayer": "paddle.jit.save", "declarative": "paddle.jit.to_static", "dygraph_to_static_output": "paddle.jit.to_static",
    "ProgramTranslator": "paddle.jit.enable_to_static, paddle.jit.save", "ParallelEnv": "paddle.distributed.ParallelEnv",
    "Env": "paddle.distributed.ParallelEnv", "DataParallel": "paddle.DataParallel",
    "prepare_context": "paddle.distributed.init_parallel_env", "no_grad": "paddle.no_grad", "grad": "paddle.grad",
    "BackwardStrategy": "no longer needed", "enabled": "paddle.in_dynamic_mode", "guard": "none needed: 2.x is eager",
    "enable_dygraph": "paddle.disable_static", "disable_dygraph": "paddle.enable_static", "load_persistables": "paddle.load",
}
OWN = {
    "paddle.batch": "paddle.io.DataLoader", "paddle.enable_imperative": "none needed: 2.x is eager",
    "paddle.disable_imperative": "paddle.enable_static", "paddle.Executor": "paddle.static.Executor",
    "paddle.default_main_program": "paddle.static.default_main_program",
    "paddle.default_startup_program": "paddle.static.default_startup_program",
    "paddle.incubate.reader.distributed_batch_reader": "paddle.io.DistributedBatchSampler",
    "paddle.fluid.contrib.reader.distributed_batch_reader": "paddle.io.DistributedBatchSampler",
    "paddle.fluid.default_main_program": "paddle.static.default_main_program (for the seed: paddle.seed)",
    "paddle.fluid.default_startup_program": "paddle.static.default_startup_program (for the seed: paddle.seed)",
    "paddle.fluid.io.PyReader": "paddle.io.DataLoader", "paddle.fluid.io.DataLoader": "paddle.io.DataLoader",
    "paddle.fluid.PyReader": "paddle.io.DataLoader", "paddle.fluid.reader.PyReader": "paddle.io.DataLoader",
    "paddle.fluid.install_check.run_check": "paddle.utils.run_check", "paddle.dataset.common.download": "paddle.utils.download",
    "paddle.fluid.core.VarDesc": "paddle.float32 and the like", "paddle.fluid.core.VarBase": "paddle.Tensor",
    "paddle.fluid.core.LoDTensor": "paddle.Tensor and lengths", "paddle.fluid.core.EnforceNotMet": "Python's own exceptions",
    **{f"paddle.fluid.{m}is_compiled_with_cuda": "paddle.device.is_compiled_with_cuda" for m in ("", "core.", "framework.")},
    **{f"paddle.fluid.{m}in_dygraph_mode": "paddle.in_dynamic_mode" for m in ("", "framework.", "dygraph.base.")},
    "paddle.fluid.LoDTensor": "paddle.Tensor and lengths",
    "paddle.fluid.core.get_cuda_device_count": "paddle.device.cuda.device_count",
    "paddle.fluid.dygraph.Layer": "paddle.nn.Layer", "paddle.fluid.core.Scope": "paddle.static.Scope",
}


def names_of(module):
    """Public names of a module, in its own order."""
    from paddle.core.addresses import REFUSED
    lazy = getattr(module, "_LAZY", None) or getattr(module, "_HOME", None) or {}
    listed = getattr(module, "__all__", None) or [n for n, v in vars(module).items() if _belongs(v, module)]
    refused = {**getattr(module, "_REFUSED", {}), **REFUSED.get(module.__name__, {})}
    names = [n for n in dict.fromkeys([*listed, *lazy, *refused]) if not n.startswith(("_", "*"))]
    layers = sys.modules["paddle.fluid.layers"].__all__  # its modules have helpers besides
    return [n for n in names if n in layers] if module.__name__.startswith("paddle.fluid.layers.") else names


def _belongs(value, module):
    home = getattr(value, "__module__", None) or ""
    return (inspect.isclass(value) or callable(value)) and home.startswith("paddle")


def modules_under(package):
    """Modules of a package that its generation had, by full name."""
    found = {package.__name__: package}
    for item in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        if not OURS.match(item.name):
            found[item.name] = importlib.import_module(item.name)
    return found


def successor_of(full, value):
    """(generation, successor) of a name's value; None for a successor that neither docstring nor table says."""
    generation = "2.0 alpha" if full.startswith(("paddle.imperative", "paddle.declarative")) else "1.x"
    module, _, last = full.rpartition(".")
    if full in OWN or full in MODULES:
        return generation, OWN.get(full) or MODULES[full]
    if module.startswith(("paddle.fluid.dygraph", "paddle.imperative")) and last in _BOTH:
        return generation, _BOTH[last]
    text = getattr(value, "__doc__", None) or ""
    if text.startswith("Refused"):
        return generation, "refused: " + text.partition("): ")[2].strip().rstrip(".")
    match = SAYS.search(text)
    if match:
        said, words = match.group(1), " ".join(match.group(2).split())
        return ("2.0 alpha" if generation == "2.0 alpha" else said), words
    for place in PLACES if not isinstance(value, types.ModuleType) else ():
        found = importlib.import_module(place)
        listed = () if place == "paddle" else getattr(found, "__all__", ())  # load, save: paddle.static has those of fluid
        if last in listed or last in vars(found):
            return generation, f"{place}.{last}"
    while module and module not in MODULES:
        module = module.rpartition(".")[0]
    return generation, MODULES.get(module)


def collect():
    """({full name: [generation, successor]}, names without a successor)."""
    import paddle
    import paddle.dataset
    import paddle.declarative
    import paddle.fluid
    import paddle.reader
    from paddle.imperative.names import NAMES
    table, silent = {}, []

    def add(full, value, generation=None):
        found, words = successor_of(full, value)
        table[full] = [generation or found, words]
        if words is None:
            silent.append(full)

    for package in (paddle.fluid, paddle.imperative, paddle.dataset, paddle.reader):
        for name, module in modules_under(package).items():
            table.setdefault(name, [*successor_of(name, module)])
            for last in names_of(module):
                if f"{name}.{last}" in sys.modules:
                    continue
                try:
                    value = getattr(module, last)
                except NotImplementedError as error:  # a module may refuse a name with an explanation
                    table[f"{name}.{last}"] = ["1.x", "refused: " + str(error).partition(": ")[2]]
                    continue
                if not isinstance(value, types.ModuleType):
                    add(f"{name}.{last}", value)
    for last in names_of(paddle.declarative):
        add(f"paddle.declarative.{last}", getattr(paddle.declarative, last))
    for place, names in NAMES.items():
        for last in names:
            add(f"{place}.{last}", getattr(importlib.import_module(place), last), "2.0 alpha")
    for full in (n for n in OWN if n.count(".") == 1 or n.startswith("paddle.incubate")):
        table[full] = ["1.x" if full == "paddle.batch" else "2.0 alpha", OWN[full]]
    return {name: row for name, row in table.items() if row[1] is not None}, silent


def changed():
    """{full name: what 2.x has instead} of names that 2.0 alpha and 2.x both have, with another meaning."""
    from paddle.core.generation import DECLARED, find
    importlib.import_module("paddle.metric")
    return {name: " ".join(SAYS.search(find(alpha).__doc__).group(2).split()) + ": arguments or results changed"
            for name, alpha in sorted(DECLARED.items())}


def page(table, other):
    """The part of the page below the heading."""
    sections = {f"1.x: `paddle.fluid.{name}`": f"paddle.fluid.{name}" for name in TABLES}
    sections = {"1.x: `paddle.fluid`": "paddle.fluid", **sections, "1.x: `paddle.reader`": "paddle.reader",
                "2.0 alpha: `paddle.imperative`": "paddle.imperative", "2.0 alpha: `paddle.declarative`": "paddle.declarative"}
    lines, inner = [HEADING], {name.rpartition(".")[0] for name in table}
    for title, module in sections.items():
        rows = {name.rpartition(".")[2]: row[1] for name, row in table.items()
                if name.rpartition(".")[0] == module and name not in inner}
        if module == "paddle.fluid":  # the layers of dygraph are there too
            rows = {last: words for last, words in rows.items() if f"paddle.fluid.dygraph.{last}" not in table}
        lines += _table(title, rows)
    for place in ("paddle", "paddle.nn", "paddle.nn.functional", "paddle.optimizer"):
        rows = {name.rpartition(".")[2]: row[1] for name, row in table.items()
                if name.rpartition(".")[0] == place and row[0] == "2.0 alpha"}
        lines += _table(f"2.0 alpha only: `{place}`", rows)
    lines += _table("2.0 alpha and 2.x, with another meaning", other)
    datasets = {name: row[1] for name, row in table.items() if re.fullmatch(r"paddle\.dataset\.\w+", name) and name in inner}
    return "\n".join(lines + _table("1.x: `paddle.dataset`", datasets)) + "\n"


def _table(title, rows):
    """Lines of one section: the table, and a sentence for the names that are refused."""
    ordered = sorted(rows.items(), key=lambda row: row[0].lower())
    refused = {}
    for name, words in ordered:
        if words.startswith("refused: "):
            refused.setdefault(words[len("refused: "):], []).append(f"`{name}`")
    lines = [f"| `{name}` | {words} |" for name, words in ordered if not words.startswith("refused: ")]
    return ([f"### {title}\n", *(["| name | successor |", "|---|---|", *lines, ""] if lines else [])]
            + (["Refused:\n", *(f"- {', '.join(names)}: {why}" for why, names in refused.items()), ""] if refused else []))


def _json(**parts):
    """The parts as JSON, one entry to a line."""
    blocks = (f'"{key}": {{\n' + ",\n".join(f"{json.dumps(n)}: {json.dumps(row)}" for n, row in part.items()) + "\n}"
              for key, part in parts.items())
    return "{" + ",\n".join(blocks) + "}\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing; fail if something is not up to date")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    table, silent = collect()
    other = changed()
    data = _json(names=dict(sorted(table.items())), changed=other)
    above = PAGE.read_text(encoding="utf-8").partition(HEADING)[0]
    text = above + page(table, other).rstrip() + "\n"
    problems = [f"{name} says no successor" for name in silent]
    if options.check:
        for path, wanted in ((PAGE, text), (TABLE, data)):
            if not path.exists() or path.read_text(encoding="utf-8") != wanted:
                problems.append(f"{path.relative_to(ROOT)} is out of date: run python scripts/generations.py")
    else:
        PAGE.write_text(text, encoding="utf-8")
        TABLE.write_text(data, encoding="utf-8")
        print(f"{len(table)} older names, {len(other)} with another meaning")
    print(*problems, sep="\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
