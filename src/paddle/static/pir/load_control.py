"""Branches and loops of ``.json`` programs as sub-blocks: what ``static.nn.cond`` and ``while_loop`` make."""

from __future__ import annotations

from ...core import dtype as dtypes
from ...serialization import pir
from ...serialization.errors import FormatError, UnsupportedError
from ..ir.nodes.control import interface
from ..program.program import STEP_SCOPES, Block
from .importer import Importer, builtin


def _sub_block(importer: Importer, parent: Block) -> Block:
    block = Block(importer.program, len(importer.program.blocks), parent.idx)
    importer.program.blocks.append(block)
    return block


def _close(importer: Importer, parent: Block, block: Block, kind: str, condition: str, attrs: dict) -> None:
    """Append the operator that runs a finished sub-block."""
    reads, writes = interface(block)
    scope = parent.new_var(name=importer.fresh("scope"), dtype=None, kind=STEP_SCOPES, stop_gradient=True)
    first, slot, last = ("Condition", "X", "StepScopes") if kind == "while" else ("Cond", "Input", "Scope")
    parent.append_op(kind, {first: condition, slot: [n for n in reads if n != condition]}, {"Out": writes, last: scope},
                     {"sub_block": block, **attrs})


def _assign(block: Block, source: str, target: str) -> None:
    block.append_op("assign", {"X": source}, {"Out": target}, {})


@builtin(1, "if")
def _if(importer: Importer, block: Block, op: pir.Op) -> None:
    if len(op.operands) != 1 or len(op.regions) != 2:
        raise FormatError(f"pd_op.if: takes a condition and two regions, got {len(op.operands)} and {len(op.regions)}")
    condition = importer.one(op, 0)
    negated = block.new_var(name=importer.fresh("logical_not"), shape=block.find(condition).shape, dtype="bool",
                               stop_gradient=True).name
    branches = [_branch(importer, block, op, op.regions[0], condition)]
    block.append_op("logical_not", {"X": condition}, {"Out": negated}, {})
    branches.append(_branch(importer, block, op, op.regions[1], negated))
    mask = block.new_var(name=importer.fresh("cast"), shape=block.find(condition).shape, dtype="int32", stop_gradient=True)
    block.append_op("cast", {"X": condition}, {"Out": mask},
                    {"in_dtype": dtypes.convert("bool").code, "out_dtype": dtypes.convert("int32").code})
    for k, (number, kind) in enumerate(op.results):
        true, false = branches[0][k], branches[1][k]
        if kind.kind == "array":
            if true != false:
                raise UnsupportedError("pd_op.if: branches that return different tensor arrays are not supported")
            importer.bind(number, true, kind)
        elif kind.kind != "null":
            name, = importer.declare(block, op, k, "select_input")
            block.append_op("select_input", {"X": [false, true], "Mask": mask}, {"Out": name}, {})


def _branch(importer: Importer, parent: Block, op: pir.Op, region: pir.Block, condition: str) -> list[str]:
    """One branch; returns the names in the parent that hold what it yields."""
    block = _sub_block(importer, parent)
    yielded = importer.block(region, block)
    if len(yielded) != len(op.results) or any(number and not isinstance(importer.names[number], str) for number in yielded):
        raise FormatError(f"pd_op.if: a branch yields {len(yielded)} values for {len(op.results)} results, or lists of values")
    outer = []
    for k, number in enumerate(yielded):
        name = importer.names.get(number)
        kind = importer.types.get(number)
        if name is not None and kind.kind == "tensor":
            var = importer.variable(parent, kind, importer.fresh("cond"), op.flag("stop_gradient", k, True), "pd_op.if")
            _assign(block, name, var.name)
            name = var.name
        outer.append(name)
    _close(importer, parent, block, "conditional_block", condition, {"is_scalar_condition": True})
    return outer


@builtin(1, "while")
def _while(importer: Importer, block: Block, op: pir.Op) -> None:
    args = op.regions[0].args if len(op.regions) == 1 else []
    if len(op.regions) != 1 or not op.operands or not len(args) == len(op.results) == len(op.operands) - 1:
        raise FormatError("pd_op.while: takes a condition, loop variables, and one region with as many arguments and results")
    condition = _loop_variable(importer, block, op, importer.one(op, 0), importer.types[op.operands[0]], "while_condition")
    targets = []
    for k, ((number, kind), (arg, arg_kind)) in enumerate(zip(op.results, args)):
        initial = importer.one(op, k + 1)
        if kind.kind != "array":
            name, = importer.declare(block, op, k, "loop_variable")
            _assign(block, initial, name)
            initial = name
        importer.bind(number, initial, kind)
        importer.bind(arg, initial, arg_kind)
        targets.append(initial)
    body = _sub_block(importer, block)
    yielded = importer.block(op.regions[0], body)
    if len(yielded) != len(targets) + 1 or not all(isinstance(importer.names.get(number), str) for number in yielded):
        raise FormatError(f"pd_op.while: the region yields {len(yielded)} values for a condition and {len(targets)} variables")
    _store(importer, body, [importer.names[n] for n in yielded], [importer.types[n] for n in yielded], [condition, *targets])
    _close(importer, block, body, "while", condition, {"is_test": False})


def _loop_variable(importer, block, op, initial, kind, hint):
    var = importer.variable(block, kind, importer.fresh(hint), True, op.label)
    _assign(block, initial, var.name)
    return var.name


def _store(importer, body, sources, kinds, targets) -> None:
    """Write the new values of loop variables; one that is another's old value is copied aside first."""
    kept = {}
    for source, target, kind in zip(sources, targets, kinds):
        if source != target and kind.kind == "array":
            raise UnsupportedError("pd_op.while: a loop that replaces a tensor array is not supported")
        if source in targets and source != target and source not in kept:
            kept[source] = importer.variable(body, kind, importer.fresh("loop_value"), True, "pd_op.while").name
            _assign(body, source, kept[source])
    for source, target in zip(sources, targets):
        if source != target:
            _assign(body, kept.get(source, source), target)
