"""InferenceTranspiler: batch norms of a program for inference become part of the convolutions in front of them."""

import numpy as np

from ...core.errors import check_type
from ...core.place import convert as convert_place
from ...static.program.program import Program
from ...static.scope import Scope, global_scope

__all__ = ["InferenceTranspiler"]
_NEW = "@FOLDED"  # ends the names of parameters that are made: programs that share the old ones keep them


class InferenceTranspiler:
    """Makes programs for inference smaller (1.x; successor: paddle.inference)."""

    def transpile(self, program, place, scope=None):
        """Fold each batch norm in test mode that alone reads a convolution (or the sum of one and a bias) into its weights."""
        check_type(program, Program, "InferenceTranspiler.transpile", "program")
        convert_place(place, "InferenceTranspiler.transpile")
        scope = global_scope() if scope is None else scope
        check_type(scope, Scope, "InferenceTranspiler.transpile", "scope")
        block = program.global_block()
        for norm in [op for op in block.ops if op.type == "batch_norm"]:
            if norm.attrs.get("is_test") or norm.attrs.get("use_global_stats"):
                _fold(block, norm, scope)
        program.touch()


def _maker(block, name):
    """The operator that makes a value which one operator alone reads, or None."""
    makers = [op for op in block.ops if name in op.output_arg_names]
    readers = [op for op in block.ops if name in op.input_arg_names]
    return makers[-1] if len(makers) == 1 and len(readers) == 1 else None


def _fold(block, norm, scope):
    conv = added = _maker(block, norm.input("X")[0])
    if added is not None and added.type == "elementwise_add" and scope.has(added.input("Y")[0]):
        conv = _maker(block, added.input("X")[0])
    else:
        added = None
    if conv is None or conv.type not in ("conv2d", "depthwise_conv2d") or norm.attrs.get("data_layout", "NCHW") != "NCHW":
        return
    weight, scale, shift, mean, variance = (
        scope.get(op.input(slot)[0]) for op, slot in ((conv, "Filter"), (norm, "Scale"), (norm, "Bias"), (norm, "Mean"),
                                                      (norm, "Variance")))
    factor = scale * (variance + norm.attrs.get("epsilon", 1e-5)) ** -0.5
    before = 0.0 if added is None else scope.get(added.input("Y")[0]).reshape(-1)
    bias = _parameter(block, scope, norm.input("Bias")[0], shift + (before - mean) * factor)
    filters = _parameter(block, scope, conv.input("Filter")[0], weight * factor.reshape(-1, 1, 1, 1))
    conv.inputs["Filter"] = [filters]
    if added is not None:
        added.inputs["Y"], added.outputs["Out"], added.attrs["axis"] = [bias], list(norm.output("Y")), 1
        block._remove_op(block.ops.index(norm))
        return
    at = block.ops.index(norm)
    block._remove_op(at)
    block._insert_op(at, "elementwise_add", {"X": norm.input("X"), "Y": [bias]}, {"Out": norm.output("Y")}, {"axis": 1})


def _parameter(block, scope, name, value):
    """The name of a new parameter with that value, named after the one that it takes the place of."""
    made, value = name + _NEW, np.ascontiguousarray(value, np.float32)
    block.new_var(name=made, shape=value.shape, dtype="float32", persistable=True, stop_gradient=True)
    scope.set(made, value)
    return made
