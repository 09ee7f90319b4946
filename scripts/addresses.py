"""Writes src/paddle/core/addresses.json: where each module path of Paddle 1.4 to 3.3 finds its names here.

    REAL scripts/addresses.py record 2.6.json                        with the Python of an environment that has real Paddle 2.6.2
    python scripts/addresses.py read MIRROR TAG 1.8.json             for each older tag, from a git directory of Paddle's sources
    python scripts/addresses.py build RECORD...                      with this package; earlier files win

The order of the table as it is: 2.6.2; 1.8.5, 1.7.2, 1.6.3, 1.5.2, 1.4.1, 2.0.0-alpha0; 2.0.2, 2.1.3, 2.2.2, 2.3.2, 2.4.2, 2.5.2;
2.0.0-beta0; 3.0.0-beta1, and 3.3.1 recorded as 2.6.2 was.

A record is ``{module: {name: key}}``; the key says where the object is defined, so two addresses with one key are the same object
there. An address that does not resolve here points to one with the same key that does, or that has its name in the module that
followed (``_RENAMED``), or is called otherwise here (``_CALLED``): no entry of the table is written by hand. Addresses that no
object of ours answers are counted, not invented.
"""

import ast
import functools
import importlib
import inspect
import io
import json
import os
import subprocess
import sys
import tarfile
import types
import warnings
from collections import defaultdict

_ROOMS_OF_FLUID = {  # module of ours (most of fluid) -> modules of 2.x that hold things of it as they were
    "paddle.fluid.layers": ("paddle.nn.clip", "paddle.nn.decode", "paddle.nn.functional.loss", "paddle.optimizer.lr",
                            "paddle.static.nn.", "paddle.tensor.random", "paddle.tensor.manipulation", "paddle.incubate.layers."),
    "paddle.fluid.contrib.layers": ("paddle.incubate.layers.",),
    "paddle.fluid.optimizer": ("paddle.incubate.optimizer.",),
    "paddle.fluid.io": ("paddle.base.reader",),
    "paddle.base.log_helper": ("paddle.static.log_helper",)}
_TEXT = tuple(f"paddle.imperative.hapi.text.{module}" for module in ("transformer", "recurrent", "cells", "tagging"))
_RENAMED = {  # module of an earlier release, or a package with what is below it -> where a later release has its
    # names, or ours: one place or several
    "paddle.fluid.dataloader": "paddle.io.dataloader", "paddle.fluid.reader": "paddle.io.reader",
    "paddle.fluid.dygraph.layers": "paddle.nn.layer.layers", "paddle.fluid.dygraph.amp": "paddle.amp",
    "paddle.fluid.dygraph.parallel": "paddle.distributed.parallel", "paddle.fluid.initializer": "paddle.nn.initializer",
    "paddle.fluid.dygraph.parallel_helper": "paddle.distributed.parallel_helper", "paddle.fluid.clip": "paddle.nn.clip",
    "paddle.fluid.dygraph.dygraph_to_static": "paddle.jit.dy2static", "paddle.fluid.dygraph.container": "paddle.nn",
    "paddle.fluid.optimizer": "paddle.optimizer.optimizer", "paddle.fluid.contrib.sparsity": "paddle.incubate.asp",
    "paddle.fluid.contrib.optimizer": "paddle.fluid.optimizer", "paddle.nn.clip": "paddle.static.clips",
    "paddle.fluid.contrib.slim.quantization": "paddle.static.quantization", "paddle.fluid.lazy_init": "paddle.nn.lazy_init",
    "paddle.fluid.contrib.slim.quantization.imperative": "paddle.quantization",
    "paddle.nn.initializer.lazy_init": "paddle.nn.lazy_init", "paddle.distributed.communication.group": "paddle.distributed.group",
    "paddle.fluid.incubate.data_generator": "paddle.static.slot_lines",
    "paddle.distributed.fleet.data_generator.data_generator": "paddle.static.slot_lines",
    "paddle.fluid.contrib.sparsity.asp": "paddle.incubate.asp",
    "paddle.fluid.contrib.sparsity.utils": "paddle.incubate.asp", "paddle.static.sparsity": "paddle.incubate.asp",
    "paddle.fluid.dataset": "paddle.static.slots", "paddle.base.dataset": "paddle.static.slots",
    "paddle.distributed.fleet.dataset.dataset": "paddle.static.slots",
    "paddle.incubate.hapi": ("paddle.imperative.hapi", "paddle.imperative.hapi.model", "paddle.hapi", "paddle.hapi.model"),
    "paddle.incubate.hapi.vision": ("paddle.imperative.hapi.transforms", "paddle.imperative.hapi.networks", "paddle.vision"),
    "paddle.incubate.hapi.datasets": ("paddle.imperative.hapi.datasets", "paddle.vision.datasets"),
    "paddle.incubate.hapi.distributed": ("paddle.io", "paddle.hapi.model"),
    "paddle.incubate.hapi.download": "paddle.utils.download",
    **dict.fromkeys(("paddle.incubate.hapi.text.text", "paddle.text.text"), _TEXT),
    **dict.fromkeys(("paddle.vision.transforms.transforms", "paddle.vision.transforms.functional"),
                    "paddle.imperative.hapi.transforms"), "paddle.nn.layer.pooling": "paddle.nn.layer.beta",
    "paddle.jit.sot.utils.envs": "paddle.jit.sot.utils",
    "paddle.incubate.asp.supported_layer_list": "paddle.incubate.asp.pruning",
    "paddle.jit.dy2static.logging_utils": "paddle.jit", "paddle.tensor.array": "paddle.static.array",
    **dict.fromkeys(("paddle.jit.dy2static.logical_transformer", "paddle.jit.dy2static.transformers.logical_transformer"),
                    "paddle.jit.dy2static.utils"),
    "paddle.static.quantization.cal_kl_threshold": "paddle.ops.nn.calibration",
    **{f"{package}.complex.tensor.{module}": "paddle.tensor.complex_functions" for package in ("paddle", "paddle.incubate")
       for module in ("math", "manipulation", "linalg")},
    "paddle.quantization.imperative.fuse_utils": "paddle.quantization.fuse_utils",
    "paddle.quantization.observers.abs_max": "paddle.quantization.observers",
    "paddle.quantization.observers.groupwise": "paddle.quantization.observers",
    "paddle.quantization.quanters.abs_max": "paddle.quantization.quanters",
    "paddle.distributed.communication.reduce": "paddle.distributed.collective",
    "paddle.distributed.fleet.recompute.recompute": "paddle.distributed.fleet.recompute",
    "paddle.decomposition.decomp": "paddle.decomposition", "paddle.fluid": "paddle.base"}
_SHARDING = "paddle.distributed.fleet.meta_optimizers.dygraph_optimizer.dygraph_sharding_optimizer"
_STAGES = "paddle.distributed.fleet.meta_parallel.sharding.group_sharded"
_UNRECORDED = {  # compiled modules, constants, variables that are set while programs run: {module: (where, names or None for all)}
    "paddle.fluid.core_avx": ("paddle.fluid.core", None), "paddle.fluid.core_noavx": ("paddle.fluid.core", None),
    "paddle.fluid.proto.framework_pb2": ("paddle.base.proto.framework_pb2", [
        "AttrType", "BLOCK", "BLOCKS", "BOOLEAN", "BOOLEANS", "BlockDesc", "Complex", "FLOAT", "FLOAT64", "FLOAT64S", "FLOATS",
        "INT", "INTS", "LONG", "LONGS", "OpDesc", "OpProto", "OpVersion", "OpVersionMap", "ProgramDesc", "SCALAR", "SCALARS",
        "STRING", "STRINGS", "Scalar", "VAR", "VARS", "VarDesc", "VarType", "Version"]),
    "paddle.base.reader": ("paddle.io.reader", ["_convert_places", "use_pinned_memory"]),
    "paddle.distributed.fleet.base.topology": ("paddle.distributed.fleet.topology", ["_HYBRID_PARALLEL_GROUP"]),
    **dict.fromkeys(("paddle.fluid.dygraph.io", "paddle.jit.translated_layer"), ("paddle.jit.save_load", [
        f"INFER_{what}_SUFFIX" for what in ("MODEL", "PARAMS", "PARAMS_INFO")]))}
_CALLED = {  # objects that have another name here
    "paddle.base.variable_index:_getitem_static": ("paddle.tensor.indexing", "getitem"),
    "paddle.base.variable_index:_setitem_static": ("paddle.tensor.indexing", "setitem"),
    "paddle.jit.sot.utils.exceptions:InnerError": ("paddle.jit.errors", "Untranslatable"),
    "paddle.distributed.communication.group:_get_global_group": ("paddle.distributed.group", "world"),
    "paddle.distributed.collective:_get_global_group": ("paddle.distributed.group", "world"),
    f"{_SHARDING}:DygraphShardingOptimizerV2": (_SHARDING, "DygraphShardingOptimizer"),
    f"{_STAGES}_optimizer_stage2:GroupShardedOptimizerStage2": (f"{_STAGES}_stage2", "GroupShardedOptimizerStage2"),
    "paddle.distributed.auto_parallel.static.engine:Engine": ("paddle.hapi.engine", "Engine"),
    **{f"paddle.tensor.manipulation:{name}": ("paddle.tensor.slicing", name) for name in (
        "fill_diagonal_tensor", "fill_diagonal_tensor_")},
    "paddle.nn.functional.extension:diag_embed": ("paddle", "diag_embed"),
    **{f"paddle.optimizer.lr_scheduler:{name}": ("paddle.optimizer.lr", now) for name, now in {
        "LinearLrWarmup": "LinearWarmup", "ReduceLROnPlateau": "ReduceOnPlateau", "_LRScheduler": "LRScheduler", **{
            f"{kind}LR": f"{kind}Decay" for kind in ("CosineAnnealing", "Exponential", "InverseTime", "Lambda", "MultiStep",
                                                     "NaturalExp", "Noam", "Piecewise", "Polynomial", "Step")}}.items()},
    **{f"paddle.nn.layer.norm:{kind}{n}d": ("paddle.nn", f"{kind}{n}D") for n in (1, 2, 3)
       for kind in ("BatchNorm", "InstanceNorm")},
    **{f"paddle.nn.layer.conv:ConvTranspose{n}d": ("paddle.nn", f"Conv{n}DTranspose") for n in (1, 2, 3)},
    **{f"paddle.nn.functional.conv:conv_transpose{n}d": ("paddle.nn.functional", f"conv{n}d_transpose") for n in (1, 2, 3)},
    **{f"paddle.nn.layer.common:{kind}": ("paddle.nn", kind[:-1] + "D") for kind in (
        "Dropout2d", "Dropout3d", "UpsamplingBilinear2d", "UpsamplingNearest2d", "ZeroPad2d")}}
TABLE = os.path.join(os.path.dirname(__file__), "..", "src", "paddle", "core", "addresses.json")


def record(target):
    """The names of every importable module of the Paddle that this interpreter has."""
    import paddle
    root = os.path.dirname(paddle.__file__)
    found = {}
    for folder, below, files in os.walk(root):
        below[:] = [d for d in below if d not in ("libs", "include", "__pycache__", "tests")]
        for file in files:
            if file.endswith(".py") and file != "__main__.py":
                path = os.path.relpath(os.path.join(folder, file), os.path.dirname(root))[:-3].replace(os.sep, ".")
                name = path.removesuffix(".__init__")
                try:
                    found[name] = importlib.import_module(name)
                except (Exception, SystemExit):  # modules for other machines: their names are not missed
                    continue
    paths = {id(module): name for name, module in found.items()}  # some modules carry another's __name__
    json.dump({name: _names(module, paths) for name, module in found.items()}, open(target, "w"), indent=0, sort_keys=True)


def _names(module, paths):
    names = {}
    for name, value in vars(module).items():
        if isinstance(value, types.ModuleType):
            path = paths.get(id(value), value.__name__)
            if path.split(".")[0] == "paddle":
                names[name] = "module " + path
        elif hasattr(value, "__qualname__") and "paddle" in (getattr(value, "__module__", None) or ""):
            names[name] = f"{value.__module__}:{value.__qualname__}"
    return names


class Tree:
    """The names of every module of a tagged source tree, by reading it."""

    def __init__(self, mirror, tag):
        command = ["git", f"--git-dir={mirror}", "archive", "--format=tar", tag, "python/paddle"]
        self.sources, self.packages, self.known, self.bodies = {}, set(), {}, {}
        with tarfile.open(fileobj=io.BytesIO(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)) as archive:
            for member in archive:
                name = member.name.removesuffix(".in")
                if member.isfile() and name.endswith(".py") and "/tests/" not in name:
                    module = name.removeprefix("python/")[:-3].replace("/", ".")
                    if module.endswith(".__main__"):
                        continue  # a command: importing it runs it
                    if module.endswith(".__init__"):
                        module = module.removesuffix(".__init__")
                        self.packages.add(module)
                    self.sources[module] = archive.extractfile(member).read().decode("utf8", "replace")

    def names(self, module):
        """({name: key}, names in __all__) of a module."""
        if module not in self.known:
            self.known[module] = names, public = {}, []  # import cycles see what has been read so far
            self._read(module, self.body(module), names, public)
            for name in public:
                names.setdefault(name, f"{module}:{name}")
        return self.known[module]

    def body(self, module):
        """The statements of a module; none where the source is Python 2 only."""
        if module not in self.bodies:
            try:
                self.bodies[module] = ast.parse(self.sources.get(module, "")).body
            except SyntaxError:
                self.bodies[module] = []
        return self.bodies[module]

    def _read(self, module, body, names, public):
        for node in body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                names[node.name] = f"{module}:{node.name}"
            elif isinstance(node, ast.ImportFrom):
                self._import(module, node, names)
            elif isinstance(node, ast.Import):
                names.update({a.asname: f"module {a.name}" for a in node.names if a.asname and a.name.startswith("paddle.")})
            elif isinstance(node, (ast.Assign, ast.AugAssign)):
                self._assign(module, node, names, public)
            elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and node.value.args \
                    and ast.unparse(node.value.func).startswith("__all__."):
                self._export(node.value.args[0], names, public)
            elif isinstance(node, (ast.If, ast.Try)):
                self._read(module, node.body + node.orelse, names, public)

    def _import(self, module, node, names):
        source = node.module or ""
        if node.level:
            parts = module.split(".")[:len(module.split(".")) - node.level + (module in self.packages)]
            source = ".".join([*parts, *([node.module] if node.module else [])])
        if source.split(".")[0] != "paddle":
            return
        theirs, exported = self.names(source)
        for alias in node.names:
            if alias.name == "*":
                names.update({n: theirs[n] for n in exported or [n for n in theirs if not n.startswith("_")] if n in theirs})
            else:
                inner = f"module {source}.{alias.name}" if f"{source}.{alias.name}" in self.sources else f"{source}:{alias.name}"
                names[alias.asname or alias.name] = theirs.get(alias.name, inner)

    def _assign(self, module, node, names, public):
        for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
            if not isinstance(target, ast.Name):
                continue
            if target.id == "__all__":
                self._export(node.value, names, public)
            elif isinstance(node.value, ast.Name) and node.value.id in names:
                names[target.id] = names[node.value.id]
            elif not isinstance(node.value, ast.Constant) and not target.id.startswith("__"):
                names[target.id] = f"{module}:{target.id}"

    def _export(self, value, names, public):
        if isinstance(value, (ast.List, ast.Tuple)):
            public += [e.value for e in value.elts if isinstance(e, ast.Constant)]
        elif isinstance(value, ast.BinOp):
            self._export(value.left, names, public)
            self._export(value.right, names, public)
        elif isinstance(value, ast.Attribute) and isinstance(value.value, ast.Name):
            module = names.get(value.value.id, "")
            public += self.names(module.removeprefix("module "))[1]


def read(mirror, tag, target):
    """The record of a tagged source tree."""
    tree = Tree(mirror, tag)
    found = {module: dict(tree.names(module)[0]) for module in sorted(tree.sources)}
    for module in tree.sources:
        package, _, name = module.rpartition(".")
        if package in found:
            found[package].setdefault(name, "module " + module)
    json.dump(found, open(target, "w"), indent=0, sort_keys=True)


def build(*records):
    """The table, from the records; run with this package."""
    warnings.simplefilter("ignore")
    with open(TABLE, "w", encoding="utf8") as file:  # before paddle reads it: only what our files hold counts
        file.write("{}")
    table, missing, seen = defaultdict(dict), defaultdict(set), set()
    for path in records:
        _add(json.load(open(path)), table, missing, seen)
    for module, (home, names) in _UNRECORDED.items():
        here = importlib.import_module(home)
        for name in names or [n for n in [*vars(here), *here._INFERENCE] if not n.startswith("_")]:
            table[module].setdefault(name, (home, name))
    text = {module: _grouped(names) for module, names in sorted(table.items())}
    with open(TABLE, "w", encoding="utf8") as file:
        file.write("{\n" + ",\n".join(f"{json.dumps(m)}: {json.dumps(homes)}" for m, homes in text.items()) + "\n}\n")
    print(f"{len(table)} modules, {sum(map(len, table.values()))} addresses; {len(missing)} objects have no counterpart")
    return missing


def _add(record, table, missing, seen):
    """Entries for the addresses of one record that do not resolve yet and that no earlier record had.

    What a module merely imports is taken from it too, by packages.
    """
    places, loose = defaultdict(list), defaultdict(dict)
    for module, names in record.items():
        for name, key in names.items():
            places[key].append((module, name))
    places.pop("module paddle", None)
    meeting = {module for module, names in record.items() if _meets(record, module, names)}
    for key, where in places.items():
        if key.startswith("module "):
            _add_elsewhere(record, key.removeprefix("module "), where, table)
        home = next((place for place in sorted(where, key=_preference) if _found(*place, key)), None) or _moved(key)
        if key.startswith("module ") and home is not None:
            home = _found(*home, key).__name__, None
        for module, name in where:
            written = module in meeting or key.startswith(module + ":")
            if (module, name) in seen or _answers(module, name) or not _possible(module):
                continue
            if home is None:
                missing[key].add(f"{module}.{name}")
                continue  # a later release may have an object there that we have
            seen.add((module, name))
            if _carries(module) or written and (_module(module) is None or hasattr(_module(module), "__getattr__")):
                table[module][name] = home
            elif _module(module) is None:
                loose[module][name] = home
    for module in loose.keys() & table.keys():
        table[module] = {**loose[module], **table[module]}
    for module in [m for m, names in table.items() if not names]:
        del table[module]


def _moved(key):
    """Where an object is that a release moved, as it was: from fluid into a module of 2.x, or with its module; None for others."""
    if key in _CALLED:
        return _CALLED[key]
    module, _, name = key.partition(":")
    for older in sorted(_RENAMED, key=len, reverse=True):
        if name and f"{module}.".startswith(older + "."):
            homes = (_RENAMED[older],) if isinstance(_RENAMED[older], str) else _RENAMED[older]
            for home in (place + rest for place in homes for rest in (module.removeprefix(older), "")):
                if _found(home, name, f"{home}:{name}") is not None:
                    return home, name
    for older, rooms in _ROOMS_OF_FLUID.items():
        if module.startswith(rooms):
            room = importlib.import_module(older)
            value = getattr(room, name) if name in room.__all__ else None
            if inspect.isfunction(value) or inspect.isclass(value):
                return older, name
    return None


def _add_elsewhere(record, path, where, table):
    """Entries for a module whose path no file of ours has, where a public name stands for it: its names are in that one of ours."""
    if _module(path) is not None or path not in record:
        return
    here = next((getattr(_module(module), name) for module, name in where if _answers(module, name)
                 and inspect.ismodule(getattr(_module(module), name))), None)
    for name in record[path] if here is not None else ():
        if name in getattr(here, "__all__", vars(here)) and not name.startswith("_"):
            table[path].setdefault(name, (here.__name__, name))


def _preference(place):
    """Public modules first, then short paths."""
    module, name = place
    return any(part.startswith("_") for part in module.split(".")), module.count("."), len(module), name


def _meets(record, module, names):
    """Do programs take imported names from this module: is it a package, or a public module that defines nothing and is there
    for its imports only?"""
    package = any(other.startswith(module + ".") for other in record)
    return package or not (module.rpartition(".")[2].startswith("_") or any(k.startswith(module + ":") for k in names.values()))


@functools.cache
def _module(path):
    """Our module of that path, or None: a missing one is looked for once, not once for each of its names."""
    try:
        return importlib.import_module(path)
    except (ImportError, NotImplementedError):
        return None


@functools.cache
def _possible(module):
    """Can there be a module of that path: is what is above it a package here, or nothing yet?"""
    above = _module(module.rpartition(".")[0]) if "." in module else None
    return above is None or hasattr(above, "__path__")


def _carries(module):
    """Is there a file of ours for this path, and does it look names up in the table?"""
    values = vars(_module(module)).values() if _module(module) is not None else ()
    return any(getattr(value, "__qualname__", "").startswith("late.<locals>") for value in values)


def _answers(module, name):
    """Does the address give anything here already?"""
    try:
        return getattr(_module(module), name, None) is not None
    except (ImportError, NotImplementedError):
        return False


def _found(module, name, key):
    """What our package offers at an address, or None: the module of the key's own path, or an object that the module at hand
    defines or exports (a function that it merely imports may share no more than the name)."""
    if key.startswith("module "):
        return _module(key.removeprefix("module "))
    home = _module(module)
    try:
        value = getattr(home, name)
    except (ImportError, AttributeError, NotImplementedError):
        return None
    if f"{module}.".startswith("paddle.fluid.") and name not in (*vars(home), *getattr(home, "_LAZY", ())):
        return None  # fluid answers with what base has, which is where to take it from
    origin = getattr(value, "__module__", None) or ""
    ours = inspect.isclass(value) or module in ("paddle", key.partition(":")[0]) or f"{origin}.".startswith(module + ".") or any(
        name in getattr(home, names, ()) for names in ("__all__", "_LAZY"))
    return value if ours and not inspect.ismodule(value) else None


def _grouped(names):
    homes = defaultdict(list)
    for name, (home, there) in sorted(names.items()):
        homes[home].append(name if there == name else f"{name}={there or ''}")
    return dict(sorted(homes.items()))


if __name__ == "__main__":
    {"record": record, "read": read, "build": build}[sys.argv[1]](*sys.argv[2:])
