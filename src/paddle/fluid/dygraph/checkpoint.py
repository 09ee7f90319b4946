"""Saving and loading of fluid's dygraph: folders of one file per parameter (1.4, 1.5) and .pdparams files (1.6 on)."""

import os
import warnings

from ...core.errors import describe
from ...core.tensor import Tensor, wrap
from ...framework.io import load as _load
from ...framework.io import save as _save
from ...serialization import lod_tensor
from ...serialization.stored import StoredTensor
from .. import state

__all__ = ["save_persistables", "load_persistables", "save_dygraph", "load_dygraph"]


def save_persistables(model_dict, dirname="save_dir", optimizers=None):
    """Write every parameter of a state dict to ``dirname/<its name>`` (1.x; successor: paddle.save)."""
    if not isinstance(model_dict, dict):
        raise TypeError(f"save_persistables(): model_dict must be a state dict, got {describe(model_dict)}")
    for key, value in model_dict.items():
        name = value.name if isinstance(value, Tensor) else key
        path = os.path.join(dirname, *name.split("/"))
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        lod_tensor.write_tensor(path, StoredTensor(value._data if isinstance(value, Tensor) else value))
    for optimizer in optimizers if isinstance(optimizers, (list, tuple)) else [optimizers] if optimizers is not None else []:
        decay = getattr(optimizer, "_decay", None)
        if decay is None:
            warnings.warn("save_persistables(): the optimizer has a constant learning rate, there is nothing of it to save",
                          stacklevel=2)
            continue
        _save(decay.state_dict(), os.path.join(dirname, "optimizers", optimizer._saved_name))


def load_persistables(*args, **kwargs):
    """Read what ``save_persistables`` wrote: ``(dirname)`` returns (parameters, optimizers) as in 1.5,
    ``(state_dict, dirname)``, and in 1.4 ``(dirname)``, the parameters."""
    first = args[0] if args else kwargs.get("vardict", kwargs.get("dirname", "save_dir"))
    if isinstance(first, dict):
        state.seems("1.4")
        dirname = args[1] if len(args) > 1 else kwargs.get("dirname", "save_dir")
        wanted = [v.name if isinstance(v, Tensor) else k for k, v in first.items()]
        return {name: _read(dirname, name) for name in wanted}
    found, optimizers = _read_folder(first)
    return (found, optimizers) if state.rules_of_fluid().persistables_pair else found


def _read(dirname, name):
    path = os.path.join(dirname, *name.split("/"))
    if not os.path.isfile(path):
        raise FileNotFoundError(f"load_persistables(): no file for parameter {name} in {dirname}")
    t = wrap(lod_tensor.read_tensor(path).array)
    t.name, t.meta().persistable = name, True
    return t


def _read_folder(dirname):
    if not os.path.isdir(dirname):
        raise FileNotFoundError(f"load_persistables(): no folder {dirname!r}")
    found, optimizers = {}, {}
    for folder, _, files in sorted(os.walk(dirname)):
        for file in sorted(files):
            path = os.path.relpath(os.path.join(folder, file), dirname)
            name = path.replace(os.sep, "/")
            if name.startswith("optimizers/"):
                optimizers[name[len("optimizers/"):]] = _load(os.path.join(dirname, path))
            else:
                found[name] = _read(dirname, name)
    if not optimizers:
        print("No optimizer loaded. If you didn't save optimizer, please ignore this. The program can still work with new "
              "optimizer. ")
    return found, optimizers


def _is_optimizer_state(entries):
    endings = ("_moment1_0", "_moment2_0", "_pow_acc_0", "_velocity_0", "_moment_0", "_mean_square_0", "_mean_grad_0",
               "_momentum_0", "_inf_norm_0")
    return bool(entries) and any(str(k).endswith(endings) or k in ("global_step", "LR_Scheduler") for k in entries)


def save_dygraph(state_dict, model_path):
    """Write a state dict to ``<model_path>.pdparams`` (or ``.pdopt`` for an optimizer's) (1.x; successor: paddle.save)."""
    if not isinstance(state_dict, dict):
        raise TypeError(f"save_dygraph(): state_dict must be a dict, got {describe(state_dict)}")
    if not os.path.basename(model_path):
        raise ValueError(f"save_dygraph(): model_path must end in a file name, got {model_path!r}")
    optimizer = _is_optimizer_state(state_dict) or not any(isinstance(v, Tensor) for v in state_dict.values())
    _save(state_dict, model_path + (".pdopt" if optimizer else ".pdparams"))


def load_dygraph(model_path, keep_name_table=False):
    """(parameters, optimizer state or None) of what ``save_dygraph`` wrote (1.x; successor: paddle.load)."""
    for ending in (".pdparams", ".pdopt"):
        if model_path.endswith(ending):
            model_path = model_path[:-len(ending)]
    parts = []
    for ending in (".pdparams", ".pdopt"):
        path = model_path + ending
        parts.append(_load(path, keep_name_table=keep_name_table) if os.path.isfile(path) else None)
    if parts[0] is None and parts[1] is None:
        raise FileNotFoundError(f"load_dygraph(): neither {model_path}.pdparams nor {model_path}.pdopt exists")
    return parts[0], parts[1]
