"""paddle.onnx.export: layers and programs as ONNX files. They are written by our own codec; only checking needs a package."""

import os
import tempfile
import warnings

from .. import jit
from ..core.errors import check_type, describe, own_errors
from ..serialization.atomic import atomic_open
from ..static.inference_io import persistable_names, read_inference
from ..static.program.program import Program
from ..static.program.transform import feed_fetch_names
from ..version import dygraph_version
from . import elementwise, layers, picking, quantized, reductions, shapes, vision  # noqa: F401  (they register their converters)
from .builder import CONVERTERS, Builder, View
from .proto import GraphProto, ModelProto, OperatorSetId, ValueInfoProto

OPSET, IR_VERSION = 13, 7


@own_errors
def export(layer, path, input_spec=None, opset_version=9, **configs):
    """Write a layer as an ONNX file ``path.onnx``.

    Args:
        layer (Layer or function): a Layer (in ``eval()`` mode), or a function decorated with to_static.
        path (str): file name without its ending; folders are made.
        input_spec (list or None): list of InputSpec or example Tensors for the inputs of ``forward``.
        opset_version (int): the lowest version of ONNX's operators to use; 13 is used for anything below, and up to 16 where an
            operator of the program needs it (``tril``, ``grid_sample``, ``scatter_nd_add`` ...).
        output_spec (list or None): Variables or InputSpecs that choose outputs.
        enable_onnx_checker (bool): have the file checked by the package onnx (``pip install 'dygraph[onnx]'``); warns if it is
            absent.
    Returns:
        str: name of the file.
    Raises:
        TypeError: ``layer`` is neither a Layer nor a function.
        ValueError: ``opset_version`` is not 7 to 17, or there is no ``input_spec``.
        NotImplementedError: the program has operators that ONNX cannot say; all are named.

    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     spec = [paddle.static.InputSpec([None, 2], "float32", "x")]
    ...     os.path.basename(paddle.onnx.export(paddle.nn.Linear(2, 1), folder + "/net", input_spec=spec))
    'net.onnx'
    """
    if not isinstance(opset_version, int) or not 7 <= opset_version <= 17:
        raise ValueError(f"export(): opset_version must be an int from 7 to 17, got {describe(opset_version)}")
    known = {"output_spec", "enable_onnx_checker"}
    unknown = set(configs) - known
    if unknown:
        raise TypeError(f"export(): unknown argument {sorted(unknown)[0]!r}")
    given = {"output_spec": configs["output_spec"]} if configs.get("output_spec") is not None else {}
    with tempfile.TemporaryDirectory() as folder:
        prefix = os.path.join(folder, "model")
        jit.save(layer, prefix, input_spec=input_spec, **given)
        program, arrays = read_inference(prefix)
    target = export_program(program, path, arrays, max(opset_version, OPSET))
    if configs.get("enable_onnx_checker"):
        _check(target)
    return target


def _check(target):
    try:
        from onnx import checker
    except ImportError:
        warnings.warn(f"export(): {target} was not checked: that needs the package onnx (pip install 'dygraph[onnx]')",
                      stacklevel=3)
    else:
        checker.check_model(target, full_check=True)


def export_program(program, path, arrays, opset=OPSET):
    """Write an inference program (with feed and fetch operators) and its parameters as ``path.onnx``."""
    check_type(program, Program, "export", "program")
    target = os.fspath(path) + ("" if os.fspath(path).endswith(".onnx") else ".onnx")
    if os.path.dirname(target):
        os.makedirs(os.path.dirname(target), exist_ok=True)
    data = convert(program, arrays, opset).to_bytes()
    with atomic_open(target) as file:
        file.write(data)
    return target


def convert(program, arrays, opset=OPSET):
    """The ModelProto of an inference program; operators without a converter raise, all named at once."""
    block = program.global_block()
    unknown = sorted({op.type for b in program.blocks for op in b.ops if op.type not in CONVERTERS
                      and op.type not in ("feed", "fetch")})
    if unknown:
        raise NotImplementedError(f"export(): ONNX forms are not known for the operators {', '.join(unknown)}")
    feeds, fetches = feed_fetch_names(program)
    builder = Builder(block, opset)
    for name in persistable_names(program):
        builder.constant(arrays[name], name=name)
    for op in block.ops:
        if op.type not in ("feed", "fetch"):
            view = View(builder, op)
            if any(block._var_recursive(n).dtype.name.startswith("complex") for n in op.input_arg_names + op.output_arg_names
                   if block._find_var_recursive(n) is not None):
                view.unsupported("complex numbers, which ONNX has not")
            CONVERTERS[op.type](builder, view)
    outputs, computed = [], {n for node in builder.nodes for n in node.output}
    for name in fetches:  # an output must be made by a node
        made = name in computed
        if not made and name not in feeds and name not in builder.constants:
            raise NotImplementedError(f"export(): the output {name} has no ONNX form, other results of its operator have")
        outputs.append(name if made else builder.node("Identity", [name]))

    def info(name, like):
        var = block.var(like)
        return ValueInfoProto.of(name, var.shape, var.dtype.name)
    graph = GraphProto(node=builder.nodes, name="dygraph", initializer=list(builder.constants.values()),
                       input=[info(n, n) for n in feeds], output=[info(n, f) for n, f in zip(outputs, fetches)])
    return ModelProto(ir_version=IR_VERSION, producer_name="dygraph", producer_version=dygraph_version, graph=graph,
                      opset_import=[OperatorSetId(domain="", version=builder.opset)])
