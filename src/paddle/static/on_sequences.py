"""An operator that runs at once on Tensors of which some have sequence lengths: a program of that one operator."""

from __future__ import annotations

import numpy as np

from ..core.context import context
from .executor import Executor
from .lod_tensor import LoDTensor
from .program.lod_files import complete
from .program.program import Program
from .program.registry import declared
from .scope import Scope


def run(kind, inputs, outputs, attrs) -> None:
    """Run the operator of a type on lists of Tensors by slot; its results, with their lengths, go into the given output Tensors.
    No gradients are recorded; where some are asked for this is refused."""
    if context.grad and any(not t.stop_gradient and t.dtype.is_floating for values in inputs.values() for t in values):
        raise NotImplementedError(f"append_op(): {kind} of sequences records no gradients; use paddle.no_grad() or a program")
    program, feed, targets = Program(), {}, {}
    block = program.global_block()

    def entered(name, tensor):
        lengths = tensor.recursive_sequence_lengths()
        feed[name] = LoDTensor(tensor._data, lengths)
        var = block.new_var(name=name, shape=tensor.shape, dtype=tensor.dtype, lod_level=len(lengths))
        var.is_data = var.need_check_feed = bool(lengths)
        return var

    def awaited(name, tensor):
        targets[name] = tensor
        return block.create_var(name=name, shape=None, dtype=None)

    given = {slot: [entered(f"{slot}.{k}", t) for k, t in enumerate(values)] for slot, values in inputs.items()}
    results = {slot: [awaited(f"{slot}.{k}.out", t) for k, t in enumerate(values)] for slot, values in outputs.items()}
    block.append_op(kind, given, results, attrs)
    complete(program)
    known = {slot.name for slot in declared(kind)[0].outputs}
    made = [name for name in targets if name.partition(".")[0] in known]
    for name, result in zip(made, Executor().run(program, feed, made, scope=Scope(), return_numpy=False)):
        targets[name].replace(np.asarray(result))
        targets[name].set_recursive_sequence_lengths(result.recursive_sequence_lengths())
