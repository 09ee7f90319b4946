"""Show what is in a file: a model (.pdmodel, .json, __model__, .onnx, a folder or a prefix), parameters (.pdparams, .pdiparams,
.safetensors, .npz), or a checkpoint. Nothing in the file is run."""

import collections
import math
import os

from ..core.dtype import ALL
from ..framework.io import load
from ..onnx.proto import DTYPES, ModelProto
from ..serialization import safetensors
from ..serialization.lod_tensor import read_unnamed
from ..serialization.wire import decode
from ..static import draw
from ..static.inference_io import persistable_names
from ..static.model_files import of_folder, of_prefix, read_program, split_ending
from . import onnx_graph

HELP = "show what is in a model, parameter file or checkpoint"


def arguments(parser):
    """What the subcommand takes."""
    parser.add_argument("file", help="file, prefix of a model's files, or folder of a model")
    parser.add_argument("--html", metavar="PICTURE", help="draw the model's graph into this .html or .svg file")


def run(given):
    """Print the contents, or draw the graph."""
    path = given.file
    if given.html:
        print(draw.write(_blocks(path), given.html))
        return
    for line in lines(path):
        print(line)


def _blocks(path):
    """What is drawn of a model."""
    if path.endswith(".onnx"):
        return onnx_graph.blocks(path)
    if os.path.isfile(path) and _kind(path) is not _program_lines:
        raise ValueError(f"{path}: only models have a graph to draw (.pdmodel, .json, __model__, .onnx); "
                         f"paddle show {path} lists what is in this file")
    return draw.read_program(path).blocks


def lines(path):
    """The lines that describe a file."""
    if os.path.isdir(path):
        return _program_lines(of_folder(path, function="show"))
    if not os.path.isfile(path):
        found = of_prefix(path)
        if found is None:
            raise ValueError(f"there is no file {path!r}, and no model of that prefix")
        return _program_lines(found)
    return _kind(path)(path)


def _kind(path):
    """The function of KINDS that describes a file."""
    with open(path, "rb") as file:
        start = file.read(512)
    kind = next((describe for fits, describe in KINDS if fits(path, start)), None)
    if kind is None:
        raise ValueError(f"{path}: unknown file format; it begins with {start[:16]!r}")
    return kind


# ---- models ----
def _program_lines(path):
    program = read_program(path, "show", check=False)
    block = program.global_block()
    ops = [op for b in program.blocks for op in b.ops if op.type not in ("feed", "fetch")]
    inputs = [n for op in block.ops if op.type == "feed" for n in op.output_arg_names]
    outputs = [n for op in block.ops if op.type == "fetch" for n in op.input_arg_names]
    states = [v for v in block.vars.values() if v.persistable and v.kind == 7]
    yield f"{path}: a program, {len(ops)} operators in {_count(len(program.blocks), 'block')}"
    for word, names in (("input", inputs), ("output", outputs)):
        for name in names:
            var = block.find(name)
            yield f"  {word} {name}" + (f": {_form(var.dtype.name, var.shape)}" if var is not None and var.dtype else "")
    yield "operators: " + ", ".join(f"{n} {kind}" for kind, n in collections.Counter(op.type for op in ops).most_common())
    yield from _tree({v.name: (v.dtype.name, list(v.shape), v.dtype.itemsize) for v in states}, "parameters")
    beside = [p for p in (split_ending(path)[0] + ".pdiparams",) if os.path.isfile(p)]
    if beside:
        yield f"parameters are in {beside[0]} ({_size(os.path.getsize(beside[0]))})"


def _onnx_lines(path):
    with open(path, "rb") as file:
        model = decode(ModelProto, file.read())
    names, graph = {code: name for name, code in DTYPES.items()}, model.graph
    if graph is None:
        raise ValueError(f"{path}: an ONNX file without a graph")
    versions = ", ".join(f"{o.domain or 'ai.onnx'} {o.version}" for o in model.opset_import)
    yield f"{path}: an ONNX model, {len(graph.node)} operators, operator set {versions}"
    constants = {t.name for t in graph.initializer}
    for word, values in (("input", graph.input), ("output", graph.output)):
        for value in values:
            tensor = value.type.tensor_type if value.type else None
            if value.name not in constants and tensor is not None and tensor.shape is not None:
                sizes = [d.dim_value if d.dim_value is not None else d.dim_param or "?" for d in tensor.shape.dim]
                yield f"  {word} {value.name}: {_form(names.get(tensor.elem_type, '?'), sizes)}"
    yield "operators: " + ", ".join(f"{n} {kind}" for kind, n in collections.Counter(n.op_type for n in graph.node).most_common())
    kinds = [names.get(t.data_type, "?") for t in graph.initializer]
    yield from _tree({t.name or "?": (kind, list(t.dims), ALL[kind].itemsize if kind in ALL else 0)
                      for t, kind in zip(graph.initializer, kinds)}, "constants")


# ---- arrays by name ----
def _state_lines(path):
    with open(path, "rb") as file:
        torch = file.read(4) == b"PK\3\4" or path.endswith((".pt", ".pth"))
    yield from _tree(_leaves(load(path, return_numpy=True)), f"{path}: saved by {'torch' if torch else 'paddle'}.save")


def _leaves(value, prefix=""):
    """{dotted name: (dtype, shape, bytes of an element) or a plain value} of nested dicts and lists."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, (list, tuple)) else None
    if items is None or not value:
        is_array = hasattr(value, "dtype")
        return {prefix or "value": (value.dtype.name, list(value.shape), value.dtype.itemsize) if is_array else value}
    return {name: leaf for key, below in items for name, leaf in _leaves(below, f"{prefix}.{key}" if prefix else str(key)).items()}


def _safetensors_lines(path):
    tensors, remarks = safetensors.read(path)
    yield from _tree({n: (t.dtype, list(t.array.shape), t.array.itemsize) for n, t in tensors.items()}, f"{path}: safetensors")
    for key, text in remarks.items():
        yield f"  {key}: {text[:100]}"


def _combined_lines(path):
    tensors = read_unnamed(path)
    program = of_prefix(os.path.splitext(path)[0])
    names = sorted(persistable_names(read_program(program, "show", check=False))) if program else []
    if len(names) != len(tensors):
        names = [f"tensor_{k}" for k in range(len(tensors))]
    yield from _tree({n: (t.dtype, list(t.array.shape), t.array.itemsize) for n, t in zip(names, tensors)},
                     f"{path}: parameters without names" if names[:1] == ["tensor_0"] else f"{path}: parameters of {program}")


def _numpy_lines(path):
    import tokenize
    import zipfile
    import zlib

    import numpy as np
    try:
        with open(path, "rb") as file:  # NumPy leaves a damaged file of its own open
            found = np.load(file, allow_pickle=False)
            arrays = {"array": found} if isinstance(found, np.ndarray) else {n: found[n] for n in found.files}
        shapes = {n: (a.dtype.name, list(a.shape), a.itemsize) for n, a in arrays.items()}
    except (ValueError, TypeError, AttributeError, LookupError, EOFError, SyntaxError, MemoryError, RuntimeError,
            zipfile.BadZipFile, zlib.error, tokenize.TokenError) as error:  # NumPy reads the header as Python text
        raise ValueError(f"{path}: damaged, or no file of NumPy arrays: {error}") from error
    yield from _tree(shapes, f"{path}: NumPy arrays")


KINDS = (  # does a file with this name and beginning fit; its description
    (lambda path, start: path.endswith(".onnx"), _onnx_lines),
    (lambda path, start: path.endswith((".pdmodel", ".json")) or os.path.basename(path) == "__model__", _program_lines),
    (lambda path, start: path.endswith(".safetensors") or start[8:9] == b"{", _safetensors_lines),
    (lambda path, start: start[:6] == b"\x93NUMPY" or path.endswith(".npz"), _numpy_lines),
    (lambda path, start: start[:1] == b"\x80" or path.endswith((".pdparams", ".pdopt", ".pt", ".pth")), _state_lines),
    (lambda path, start: start[:4] == b"\0\0\0\0", _combined_lines),
)


# ---- text ----
def _tree(leaves, title):
    """A title with totals, and the names as a tree: one line for each tensor or plain value."""
    tensors = [leaf for leaf in leaves.values() if leaf.__class__ is tuple and len(leaf) == 3]
    numbers = sum(math.prod(shape) for _, shape, _ in tensors)
    size = sum(math.prod(shape) * item for _, shape, item in tensors)
    yield f"{title}: {_count(len(tensors), 'tensor')}, {numbers:,} numbers, {_size(size)}"
    before = []
    for name, leaf in leaves.items():
        parts = name.split(".")
        shared = 0
        while shared < min(len(before), len(parts) - 1) and before[shared] == parts[shared]:
            shared += 1
        for depth in range(shared, len(parts) - 1):
            yield "  " * (depth + 1) + parts[depth]
        before = parts[:-1]
        yield "  " * len(parts) + f"{parts[-1]}: {_leaf(leaf)}"


def _leaf(leaf):
    if leaf.__class__ is tuple and len(leaf) == 3:
        dtype, shape, item = leaf
        return f"{_form(dtype, shape)}  {_size(math.prod(shape) * item)}"
    text = repr(leaf)
    return text if len(text) <= 80 else text[:77] + "..."


def _form(dtype, shape):
    return f"{dtype} [{', '.join(str(n) for n in shape)}]"


def _count(n, word):
    return f"{n:,} {word}{'' if n == 1 else 's'}"


def _size(n):
    for unit in ("B", "KB", "MB"):
        if n < 1000:
            return f"{n:.3g} {unit}" if unit != "B" else f"{n} B"
        n /= 1000
    return f"{n:.3g} GB"
