"""Inference models in files: ``.pdmodel`` or ``.json`` + ``.pdiparams``, and the folders of 1.x."""

import io
import os

import numpy as np

from ..core.errors import check_type, describe
from ..core.generation import PIR_API
from ..core.tensor import wrap
from ..framework.inference_files import load_folder
from ..framework.loaded import tensor_of, to_stored
from ..serialization import lod_tensor
from ..serialization import program_desc as pd
from ..serialization.atomic import atomic_open, together
from ..serialization.errors import FormatError
from .model_files import of_folder, of_prefix, parse, read_program, split_ending
from .program import program as program_module
from .program.desc import to_desc
from .program.transform import feed_fetch_names, normalize_program
from .scope import global_scope


def persistable_names(program):
    """Names of the persistable tensors of a program, in the order of a combined file."""
    return sorted({v.name for v in program.list_vars() if v.persistable and v.kind == program_module.LOD_TENSOR})


def value_of(program, name, scope=None):
    """The array of a persistable variable: that of the eager tensor it stands for, or the scope's."""
    tensor = program.captured.get(name)
    return tensor._data if tensor is not None else (scope or global_scope()).get(name)


def _stored(program, names, scope=None):
    return {name: to_stored(wrap(value_of(program, name, scope))) for name in names}


def _main(program, function):
    program = program_module.default_main_program() if program is None else getattr(program, "_program", program)
    check_type(program, program_module.Program, function, "program")
    return program


# ---------------------------------------------------------------- bytes

def serialize_program(feed_vars, fetch_vars, **kwargs):
    """The bytes of an inference program (a ``.pdmodel`` file) from inputs to outputs.

    Args:
        feed_vars, fetch_vars: Variable or list of Variables.
        program: the program; the default main program if not given.

    >>> main = paddle.static.Program()
    >>> with paddle.static.program_guard(main):
    ...     x = paddle.static.data('x', [None, 2])
    ...     data = paddle.static.serialize_program(x, paddle.exp(x))
    >>> paddle.static.deserialize_program(data).num_blocks
    1
    """
    program = _only(kwargs, "serialize_program")
    return program_bytes(normalize_program(program, feed_vars, fetch_vars))


def _only(kwargs, function):
    program = kwargs.pop("program", None)
    kwargs.pop("legacy_format", None)
    if kwargs:
        raise TypeError(f"{function}(): unknown argument {next(iter(kwargs))!r}")
    return _main(program, function)


def program_bytes(program, kind="pdmodel"):
    """The bytes of a program file of either kind; operators without a counterpart in Paddle raise NotImplementedError."""
    if kind == "json":
        from .pir import bytes_of  # see model_files.parse
        return bytes_of(program)
    return pd.write(to_desc(program, strict=True))


def check_format(given, function):
    """The kind of program file that was asked for: 'pdmodel' or 'json'; by FLAGS_enable_pir_api for None."""
    if given is None:
        return "json" if PIR_API.current() else "pdmodel"
    if given not in ("pdmodel", "json"):
        raise ValueError(f"{function}(): format must be 'pdmodel' (Paddle 2) or 'json' (Paddle 3), got {describe(given)}")
    return given


def serialize_persistables(feed_vars, fetch_vars, executor, **kwargs):
    """The bytes of the parameters (a ``.pdiparams`` file) that an inference program needs."""
    program = normalize_program(_only(kwargs, "serialize_persistables"), feed_vars, fetch_vars)
    return persistable_bytes(program)


def persistable_bytes(program, scope=None):
    """The bytes of all persistable tensors of a program, in the order of their names."""
    file = io.BytesIO()
    lod_tensor.write_combined(file, _stored(program, persistable_names(program), scope))
    return file.getvalue()


def deserialize_program(data):
    """A program from the bytes of a ``.pdmodel`` or ``.json`` file."""
    check_type(data, (bytes, bytearray, memoryview), "deserialize_program", "data")
    try:
        return parse(bytes(data))
    except FormatError as error:
        raise error.within("deserialize_program()") from error


def deserialize_persistables(program, data, executor):
    """Put the parameters in the bytes of a ``.pdiparams`` file into the global scope."""
    check_type(data, (bytes, bytearray, memoryview), "deserialize_persistables", "data")
    names = persistable_names(program)
    if names:
        arrays = lod_tensor.read_combined(io.BytesIO(bytes(data)), names)
        set_values(program, {name: tensor_of(t.array, None, t.dtype)._data for name, t in arrays.items()})


def set_values(program, arrays, scope=None):
    """Put arrays into a scope; one that does not fit its variable's shape raises ValueError."""
    scope = scope or global_scope()
    for name, array in arrays.items():
        var = program.global_block().find(name)
        expected = None if var is None or not var.shape and array.size == 1 else var.shape
        scope.set(name, np.array(array, order="C"), expected)
        if name in program.captured:
            program.captured[name].replace(scope.values.pop(name))


def save_to_file(path, content):
    """Write bytes to a file; folders are made, an older file stays whole until the new one is complete."""
    check_type(content, bytes, "save_to_file", "content")
    _make_folder(path)
    with atomic_open(path) as file:
        file.write(content)


def load_from_file(path):
    """The bytes of a file."""
    with open(path, "rb") as file:
        return file.read()


# ---------------------------------------------------------------- files

def save_inference_model(path_prefix, feed_vars, fetch_vars, executor, **kwargs):
    """Write what computes the outputs from the inputs: ``path_prefix.pdmodel`` (or ``.json``) and ``path_prefix.pdiparams``.

    Real Paddle reads the files, with ``load_inference_model`` and with Paddle Inference.

    Args:
        path_prefix (str): file names without their endings; folders are made.
        feed_vars, fetch_vars (Variable or list): what is fed and what is fetched.
        executor (Executor): the Executor that ran the program.
        program (Program): the program; the default main program if not given.
        format (str): 'pdmodel', which Paddle 2 reads, or 'json', which Paddle 3 reads.
    Returns:
        None.
    Raises:
        ValueError: the path has no file name.
        TypeError: ``feed_vars`` or ``fetch_vars`` are not Variables.

    >>> with paddle.static.program_guard(paddle.static.Program()):  # doctest: +SKIP
    ...     x = paddle.static.data("x", [None, 3])
    ...     paddle.static.save_inference_model("model", [x], [paddle.static.nn.fc(x, 2)], paddle.static.Executor())
    """
    kwargs.pop("clip_extra", None)
    kind = check_format(kwargs.pop("format", None), "save_inference_model")
    program = _only(kwargs, "save_inference_model")
    prefix = os.fspath(path_prefix)
    if not os.path.basename(prefix):
        raise ValueError(f"save_inference_model(): path_prefix must end with a file name, got {path_prefix!r}")
    write_inference(normalize_program(program, feed_vars, fetch_vars), f"{prefix}.{kind}", prefix + ".pdiparams")


def write_inference(program, model_path, params_path, scope=None):
    """Write a program that has feed and fetch operators (the path's ending says how), and its parameters in one file, if any."""
    data = program_bytes(program, "json" if os.fspath(model_path).endswith(".json") else "pdmodel")
    names = persistable_names(program)
    _make_folder(model_path)
    with together():
        if names:
            lod_tensor.write_combined(params_path, _stored(program, names, scope))
        save_to_file(model_path, data)


def write_inference_folder(program, folder, model_filename=None, params_filename=None, scope=None):
    """Write a program and its parameters as 1.x does: ``__model__`` and one file per parameter, or one for all."""
    data = program_bytes(program)
    os.makedirs(folder, exist_ok=True)
    stored = _stored(program, persistable_names(program), scope)
    with together():
        if params_filename is not None:
            lod_tensor.write_combined(os.path.join(folder, params_filename), stored)
        else:
            write_tensors(folder, stored)
        save_to_file(os.path.join(folder, model_filename or "__model__"), data)


def write_tensors(folder, stored):
    """Write tensors, each to the file of a folder that has its name; the parts of a name are folders."""
    with together():
        for name, tensor in stored.items():
            path = os.path.join(folder, *name.split("/"))
            _make_folder(path)
            lod_tensor.write_tensor(path, tensor)


def _make_folder(path):
    folder = os.path.dirname(os.fspath(path))
    if folder:
        os.makedirs(folder, exist_ok=True)


def load_inference_model(path_prefix, executor, **kwargs):
    """Read an inference model; returns [program, names of its inputs, its output Variables].

    Args:
        path_prefix: of ``.pdmodel`` or ``.json`` and ``.pdiparams`` files; or a folder: of a 1.x model (``__model__`` and
            parameters), or with one such pair; or None when the two below are the contents of the files.
        executor: the Executor that will run it.
        model_filename, params_filename: names of the files in a folder.
        pserver_endpoints: where operators that ask parameter servers are to find them; a model with such operators is refused.

    >>> import tempfile, numpy as np
    >>> paddle.enable_static()
    >>> x = paddle.static.data('load_x', [None, 2])
    >>> y, exe = paddle.scale(x, 3.0), paddle.static.Executor()
    >>> path = tempfile.mkdtemp() + '/model'
    >>> paddle.static.save_inference_model(path, [x], [y], exe)
    >>> program, names, outputs = paddle.static.load_inference_model(path, exe)
    >>> exe.run(program, {names[0]: np.ones((1, 2), 'float32')}, outputs)[0].tolist()
    [[3.0, 3.0]]
    >>> paddle.disable_static()
    """
    model, params = kwargs.pop("model_filename", None), kwargs.pop("params_filename", None)
    endpoints = kwargs.pop("pserver_endpoints", None)
    if kwargs:
        raise TypeError(f"load_inference_model(): unknown argument {next(iter(kwargs))!r}")
    program, arrays = read_inference(path_prefix, model, params)
    if endpoints and any(op.has_attr("epmap") for block in program.blocks for op in block.ops):
        raise NotImplementedError("load_inference_model(): pserver_endpoints: the model asks parameter servers, which are not "
                                  "supported")
    set_values(program, arrays)
    feeds, fetches = feed_fetch_names(program)
    return [program, feeds, [program.global_block().var(name) for name in fetches]]


def read_inference(path_prefix, model=None, params=None):
    """(program, arrays by name) of an inference model; see load_inference_model."""
    if path_prefix is None:
        if not isinstance(model, bytes):
            raise ValueError("load_inference_model(): without path_prefix, model_filename and params_filename must be the "
                             f"contents of the files (bytes), got {describe(model)}")
        program = deserialize_program(model)
        return program, _combined(io.BytesIO(params or b""), persistable_names(program), "params_filename")
    prefix = os.fspath(path_prefix)
    if os.path.isdir(prefix) and of_prefix(prefix) is None:
        return _read_folder(prefix, model, params)
    if model is not None or params is not None:
        folder = os.path.dirname(prefix) if not os.path.isdir(prefix) else prefix
        program = read_program(os.path.join(folder, model) if model else of_prefix(prefix) or prefix + ".pdmodel")
        path = os.path.join(folder, params) if params else prefix + ".pdiparams"
    else:
        found = of_prefix(prefix)
        if found is None:
            raise ValueError(f"load_inference_model(): there is no file {prefix + '.pdmodel'!r}, and no {prefix + '.json'!r}")
        program, path = read_program(found), split_ending(found)[0] + ".pdiparams"
    return program, read_parameters(program, path)


def _read_folder(folder, model, params):
    """(program, arrays by name) of the model in a folder: 1.x's, or one with a program and its ``.pdiparams``."""
    model_path = of_folder(folder, model)
    program = read_program(model_path)
    if not persistable_names(program):
        return program, {}
    prefix, ending = split_ending(model_path)
    if params is None and ending and os.path.isfile(prefix + ".pdiparams"):
        return program, read_parameters(program, prefix + ".pdiparams")
    if ending == ".json":
        return program, read_parameters(program, os.path.join(folder, params) if params else prefix + ".pdiparams")
    if params is None and not _has_separate(folder, program) and os.path.isfile(os.path.join(folder, "__params__")):
        params = "__params__"
    return program, load_folder(folder, os.path.basename(model_path), params)


def read_parameters(program, path):
    """The arrays of a program's persistable tensors from a combined file."""
    names = persistable_names(program)
    if not names:
        return {}
    if not os.path.isfile(path):
        raise FileNotFoundError(f"load_inference_model(): the program has {len(names)} parameters, but there is no {path!r}")
    return _combined(path, names, path)


def _combined(origin, names, label):
    if not names:
        return {}
    try:
        return {name: tensor_of(t.array, None, t.dtype)._data for name, t in lod_tensor.read_combined(origin, names).items()}
    except FormatError as error:
        raise error.within(f"load_inference_model(): {label}") from error


def _has_separate(folder, program):
    names = persistable_names(program)
    return bool(names) and os.path.isfile(os.path.join(folder, *names[0].split("/")))
