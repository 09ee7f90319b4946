"""Addresses of other generations: module paths and names where Paddle keeps what lives elsewhere here.

``addresses.json`` holds, for every module path, which of our modules has the names that Paddle's module of that path has:
``{"paddle.nn.layer": {"paddle.nn": ["Linear", "here=there", ...]}}``. ``scripts/addresses.py`` writes it from the module trees
of Paddle 1.4 to 2.6. A path that no file of ours has is imported through ``Finder``; a module of ours that also carries
addresses says ``__getattr__ = lookup(__name__)``. Every entry is the object itself, never a copy.
"""

from __future__ import annotations

import builtins
import functools
import importlib
import json
import os
import sys
import types
from collections.abc import Callable, Iterable, Mapping
from importlib.machinery import ModuleSpec
from typing import Any

from .errors import suggest
from .rooms import rooms

Names = dict[str, tuple[str, str | None]]

SERVERS = "parameter servers are not supported; collective jobs are (fleet)"
_RECORDIO = "files of RecordIO, which 1.6 has given up, are not read; use a py_reader or a DataLoader"
_ONEDNN = "passes for oneDNN's int8 kernels are not supported; use paddle.quantization or the quantised programs themselves"
_COMPRESSOR = "training that a file of YAML plans, which 2.0 gave up for the package paddleslim, is not supported; call " \
    "slim.prune.StructurePruner and the passes of slim.quantization in a training loop"
_DISTILLERS = "losses that merge two programs are not supported; build both networks in one program and add the loss to it"
_SEARCH = "the search for architectures is not supported"
_SLIM = "paddle.fluid.contrib.slim"
_ABSENT = "this is a CPU build, without {}"
_GPU = "there are kernels for GPUs only, in Paddle too"
_CONTRIB_LAYERS = {"bilateral_slice": _GPU, "correlation": _GPU, "fused_bn_add_act": _GPU, "_pull_box_extended_sparse": SERVERS,
                   "fused_seqpool_cvm": SERVERS}
REFUSED = {  # names of Paddle's modules that nothing here has, and why; "*" stands for all names of the module
    **dict.fromkeys(("paddle.fluid.incubate.fleet.parameter_server", "paddle.fluid.incubate.fleet.parameter_server.pslib",
                     "paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler",
                     "paddle.fluid.incubate.fleet.utils.fleet_util", "paddle.fluid.distributed.downpour",
                     "paddle.fluid.communicator"), {"*": SERVERS}),
    f"{_SLIM}.quantization": {
        **dict.fromkeys(("QatInt8MkldnnPass", "Qat2Int8MkldnnPass", "QuantInt8MkldnnPass", "Quant2Int8MkldnnPass"), _ONEDNN),
        "QuantizationStrategy": _COMPRESSOR, "MKLDNNPostTrainingQuantStrategy": _COMPRESSOR},
    _SLIM: {"Compressor": _COMPRESSOR},
    f"{_SLIM}.prune": dict.fromkeys(("PruneStrategy", "UniformPruneStrategy", "SensitivePruneStrategy", "AutoPruneStrategy"),
                                    _COMPRESSOR),
    **{f"{_SLIM}.{module}": {"*": reason} for reason, modules in {
        _COMPRESSOR: ("core", "core.compressor", "core.config", "core.strategy", "prune.prune_strategy",
                      "prune.auto_prune_strategy", "quantization.quantization_strategy",
                      "quantization.mkldnn_post_training_strategy"),
        _ONEDNN: [f"quantization.{module}_int8_mkldnn_pass" for module in ("qat", "qat2", "quant", "quant2")],
        _DISTILLERS: ("distillation", "distillation.distiller", "distillation.distillation_strategy"),
        _SEARCH: ("nas", "nas.controller_server", "nas.light_nas_strategy", "nas.lock", "nas.search_agent", "nas.search_space",
                  "searcher", "searcher.controller")}.items() for module in modules},
    "paddle.distributed.fleet": dict.fromkeys((
        "BoxPSDataset", "init_server", "run_server", "save_inference_model", "save_persistables", "save_cache_model",
        "save_one_table", "save_dense_params", "save_cache_table", "load_model", "load_inference_model", "load_one_table",
        "check_save_pre_patch_done", "shrink"), SERVERS),
    "paddle.fluid.layers.nn": {"_pull_box_sparse": SERVERS, "_pull_gpups_sparse": SERVERS, "_pull_sparse": SERVERS},
    "paddle.fluid.contrib": {**_CONTRIB_LAYERS, "Compressor": _COMPRESSOR,
                             "quantize": "quantisation of programs is not supported; use paddle.quantization"},
    **dict.fromkeys(("paddle.fluid.contrib.layers", "paddle.fluid.contrib.layers.nn"), _CONTRIB_LAYERS),
    "paddle.incubate.nn": {"FusedMultiTransformer": _GPU},
    "paddle.incubate.nn.functional": {"fused_multi_transformer": _GPU},
    "paddle.device": {"MLUPlace": _ABSENT.format("MLUs"), "NPUPlace": _ABSENT.format("NPUs")},
    "paddle.static": {"npu_places": _ABSENT.format("NPUs"), "mlu_places": _ABSENT.format("MLUs")},
    **dict.fromkeys(("paddle.fluid.layers", "paddle.fluid.layers.io"), dict.fromkeys(("open_files", "Preprocessor"), _RECORDIO)),
}


@functools.cache
def table() -> dict[str, Names]:
    """{module: {name: (home, name there)}}; a name of None there means the module ``home`` itself."""
    with open(os.path.join(os.path.dirname(__file__), "addresses.json"), encoding="utf8") as file:
        homes = json.load(file)
    return {module: names_of(places) for module, places in homes.items()}


def names_of(places: Mapping[str, Iterable[str]], module: str = "") -> Names:
    """{name: (home, name there)} of {home: names}. A home that begins with a dot lies below ``module``, and "." has the names of
    modules below it."""
    return {name.partition("=")[0]: (module + home + name, None) if home == "." else
            (module + home if home.startswith(".") else home, name.rpartition("=")[2] or None)
            for home, names in places.items() for name in names}


@functools.cache
def _paths() -> set[str]:
    """All module paths of the table and of what is refused, with the packages above them."""
    return {".".join(parts[:n]) for parts in (module.split(".") for module in {**table(), **REFUSED})
            for n in range(1, len(parts) + 1)}


def find(module: str, name: str, known: Iterable[str] = ()) -> Any:
    """What Paddle has as ``module.name``; AttributeError with the nearest names where the table has no such address."""
    here = sys.modules[module]
    if "_namesake" in vars(here):
        package, value = vars(here).pop("_namesake")
        setattr(package, module.rpartition(".")[2], value)
    names = {} if name.startswith("__") else table().get(module, {})
    if name in names:
        return _fetched(module, name, *names[name])
    if not name.startswith("_") and f"{module}.{name}" in _paths():
        return importlib.import_module(f"{module}.{name}")
    reasons = REFUSED.get(module, {})
    if name in reasons or "*" in reasons and not name.startswith("_"):
        raise NotImplementedError(f"{module}.{name}: {reasons.get(name) or reasons['*']}")
    later = None if name.startswith("__") else _later(module)
    if later is not None and (name in dir(later) or name in table().get(later.__name__, {})):
        return getattr(later, name)
    near = "" if name.startswith("_") else suggest(name, [*known, *names])
    raise AttributeError(f"module {module!r} has no attribute {name!r}{near}")


def _later(module: str) -> types.ModuleType | None:
    """The module of ``paddle.base``, which 2.6 calls 2.5's fluid, that stands for one of fluid; None where there is none."""
    if not (module + ".").startswith("paddle.fluid."):
        return None
    path = "paddle.base" + module.removeprefix("paddle.fluid")
    try:
        return importlib.import_module(path)
    except ModuleNotFoundError as missing:
        if missing.name is None or not (path + ".").startswith(missing.name + "."):
            raise
        return None


def _fetched(module: str, name: str, home: str, there: str | None) -> Any:
    """The value of a name that lives elsewhere, from now on in the module too."""
    value = importlib.import_module(home) if there is None else getattr(importlib.import_module(home), there)
    if not hasattr(builtins, name):  # the code of the module itself goes on to call Python's all(), min(), ...
        setattr(sys.modules[module], name, value)
    return value


def lookup(module: str) -> Callable[[str], Any]:
    """The ``__getattr__`` of a module: its names that live elsewhere, found when first asked for."""
    return late(module, {})[0]


def late(module: str, names: Names, alpha: bool = False) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """``__getattr__`` and ``__dir__`` of a module some of whose own names are imported when first asked for (see ``names_of``).

    Args:
        alpha: look for names of 2.0 alpha too.
    """
    def __getattr__(name: str) -> Any:
        if name in names:
            return _fetched(module, name, *names[name])
        if name.startswith("__"):
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        here = vars(sys.modules[module])
        known = here.get("__all__") or [n for n in here if not n.startswith("_")]
        return (rooms.older_name if alpha else find)(module, name, [*known, *names])

    def __dir__() -> list[str]:
        return sorted({*vars(sys.modules[module]), *names})
    return __getattr__, __dir__


class _Function(types.ModuleType):
    """A module whose path is the name of a function too; whoever imported the path calls the function by it."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._function(*args, **kwargs)


class Finder:
    """Imports paths of the table that no file of ours has. It stands last, so it is asked only after the files."""

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if not fullname.startswith("paddle.") or fullname not in _paths():
            return None
        is_package = any(p.startswith(fullname + ".") for p in _paths())
        return ModuleSpec(fullname, self, is_package=is_package)  # type: ignore[arg-type]  # importlib.abc would be one more import

    def create_module(self, spec: ModuleSpec) -> None:
        return None

    def exec_module(self, module: Any) -> None:
        above, _, name = module.__name__.rpartition(".")
        package = sys.modules[above]
        try:
            value = getattr(package, name, None)
        except NotImplementedError:  # refused as a whole; the path has what does exist of it
            value = None
        if value is not None:
            # Python binds the module in its package when it is loaded; what had that name comes back at the first look-up
            module._namesake = package, value
            if callable(value):
                module.__class__, module._function = _Function, value
        module.__doc__ = f"{module.__name__}: names that live elsewhere here (see core/addresses.py)."
        module.__getattr__ = lookup(module.__name__)
        module.__all__ = sorted(name for name in table().get(module.__name__, {}) if not name.startswith("_"))
        module.__dir__ = lambda: module.__all__
