"""fluid.io: parameters, persistables and inference models in folders; loaders over generators."""

import os
import warnings

import numpy as np

from ..core.addresses import lookup as _lookup
from ..core.errors import describe
from ..io.generator_loader import PyReader  # noqa: F401
from ..io.reader import DataLoader  # noqa: F401
from ..reader import *  # noqa: F403  (fluid.io.batch, shuffle ... of 1.8)
from ..static import load, load_program_state, save, set_program_state  # noqa: F401
from ..static.inference_io import load_inference_model as _load_inference_model
from ..static.inference_io import program_bytes, save_to_file, write_inference_folder
from ..static.io import (  # noqa: F401
    get_program_parameter,
    get_program_persistable_vars,
    is_parameter,
    is_persistable,
    load_params,
    load_persistables,
    load_vars,
    save_params,
    save_persistables,
    save_vars,
)
from ..static.program.program import Program, default_main_program, program_guard
from ..static.program.transform import normalize_program
from .layers.tensor import scale

__all__ = ["save_vars", "save_params", "save_persistables", "load_vars", "load_params", "load_persistables",
           "save_inference_model", "load_inference_model", "save", "load", "load_program_state", "set_program_state",
           "get_program_parameter", "get_program_persistable_vars", "is_parameter", "is_persistable", "is_belong_to_optimizer",
           "DataLoader", "PyReader"]


def is_belong_to_optimizer(var):
    """Is a variable kept between runs and no parameter (1.x; successor: none)?"""
    return is_persistable(var) and not is_parameter(var) and not var.desc.need_check_feed()


def save_inference_model(dirname, feeded_var_names, target_vars, executor, main_program=None, model_filename=None,
                         params_filename=None, export_for_deployment=True, program_only=False):
    """Write what ``target_vars`` need to a folder: ``__model__`` and one file per parameter, or one for all; returns the
    names of the targets (1.x; successor: paddle.static.save_inference_model)."""
    names = [feeded_var_names] if isinstance(feeded_var_names, str) else list(feeded_var_names)
    targets = list(target_vars) if isinstance(target_vars, (list, tuple)) else [target_vars]
    program = default_main_program() if main_program is None else getattr(main_program, "_program", main_program)
    if not isinstance(program, Program):
        raise TypeError(f"save_inference_model(): main_program must be a Program, got {type(program).__name__}")
    program = program.clone()
    block = program.global_block()
    with program_guard(program):
        targets = [scale(block.var(t if isinstance(t, str) else t.name), 1.0, name=f"save_infer_model/scale_{k}")
                   for k, t in enumerate(targets)]
    pruned = normalize_program(program, [block.var(n) for n in names], targets)
    if not any(is_persistable(var) for var in pruned.list_vars()):
        warnings.warn("save_inference_model(): the model has no parameters: only its program is written", stacklevel=2)
    if program_only:
        os.makedirs(dirname, exist_ok=True)
        save_to_file(os.path.join(dirname, model_filename or "__model__"), program_bytes(pruned))
    else:
        write_inference_folder(pruned, dirname, model_filename, params_filename)
    return [t.name for t in targets]


def load_inference_model(dirname, executor, model_filename=None, params_filename=None, pserver_endpoints=None):
    """[program, names of its inputs, its outputs] of a folder (1.x; successor: paddle.static.load_inference_model)."""
    chosen = {"model_filename": model_filename, "params_filename": params_filename, "pserver_endpoints": pserver_endpoints}
    return _load_inference_model(dirname, executor, **{k: v for k, v in chosen.items() if v is not None})


def get_parameter_value(para, executor):
    """The array of a parameter (1.x; successor: Variable.get_value)."""
    if not is_parameter(para):
        raise AssertionError(f"get_parameter_value(): para must be a parameter, got {describe(para)}")
    return np.array(para.get_value())


def get_parameter_value_by_name(name, executor, program=None):
    """The array of the parameter of that name (1.x; successor: Variable.get_value)."""
    return get_parameter_value((default_main_program() if program is None else program).global_block().var(name), executor)


__getattr__ = _lookup(__name__)
