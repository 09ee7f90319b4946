"""Sub-blocks as the regions of ``.json`` programs: branches yield what they write, loops carry it from turn to turn."""

from __future__ import annotations

from ...serialization.pir.model import Block, Op, Type
from ..ir.nodes.control import interface
from ..program.program import LOD_TENSOR_ARRAY
from .exporter import Exporter, Frame, is_tensor, writer
from .types import ANYWHERE, dtype_attr

_LISTED = {"while": "X", "conditional_block": "Input"}  # slots that repeat what the operators of a sub-block read


def _read_elsewhere(frame: Frame, inside: list, chosen: tuple | list = ()) -> set[str]:
    """Names that operators outside of some sub-blocks read, in whatever block; ``chosen``: operators that do not count."""
    own = {id(op) for block in inside for op in _all_ops(block)} | set(map(id, chosen))
    names: set[str] = set()
    for block in frame.block.program.blocks:
        for op in block.ops:
            if id(op) not in own:
                names.update(n for slot, given in op.inputs.items() if slot != _LISTED.get(op.type) for n in given)
    return names


def _all_ops(block):
    for op in block.ops:
        yield op
        for value in op.attrs.values():
            if type(value) is type(block):
                yield from _all_ops(value)


def _placeholder(exporter: Exporter, frame: Frame, kind: Type) -> int:
    """A value for a name that has none on one way through the program, and is not read then."""
    return exporter.full(frame, [n if n >= 0 else 1 for n in kind.dims], 0, kind.dtype, ANYWHERE)


def _yield(frame: Frame, numbers: list[int]) -> Block:
    frame.done.ops.append(Op(2, "yield", numbers, []))
    return frame.done


def _value(exporter: Exporter, frame: Frame, name: str, kind: Type) -> int:
    return frame.values[name] if name in frame.values else _placeholder(exporter, frame, kind)


def _follows(op, frame: Frame):
    """(logical_not, conditional_block): the other branch of a condition, if it comes right behind this one."""
    ops = frame.block.ops
    k = next(i for i, other in enumerate(ops) if other is op) + 1
    negation = ops[k] if k < len(ops) else None
    if negation is None or negation.type != "logical_not" or negation.input("X") != op.input("Cond"):
        return None
    other = ops[k + 1] if k + 1 < len(ops) else None
    if other is None or not other.type.startswith("conditional_block") or other.input("Cond") != negation.output("Out"):
        return None
    return negation, other


@writer("conditional_block", "conditional_block_infer")
def _conditional(exporter: Exporter, frame: Frame, op) -> None:
    if not op.attrs.get("is_scalar_condition", False):
        raise NotImplementedError("conditional_block: a condition that is not one element can't be written to a .json program")
    condition = exporter.read(frame, op.input("Cond")[0], "conditional_block")
    pair = _follows(op, frame)
    blocks = [op.attrs["sub_block"]]
    if pair is not None:
        exporter.operator(frame, pair[0])
        blocks.append(pair[1].attrs["sub_block"])
        frame.skipped.update(map(id, pair))
    writes = [set(interface(block)[1]) for block in blocks] + [set()] * (2 - len(blocks))
    chosen = _choices(frame, writes) if pair is not None else []
    frame.skipped.update(id(select) for select in chosen)
    wanted = _kept(frame, blocks, writes, chosen)
    branches = [exporter.block(frame.inner(block)) for block in blocks]
    if len(branches) == 1:
        branches.append(frame.inner(frame.block))
    targets = [select.output("Out")[0] for select in chosen] + wanted
    if not targets:
        _for_effects(exporter, frame, condition, branches)
        return
    regions = []
    for k, branch in enumerate(branches):
        names = [(select.input("X")[1 - k], select.output("Out")[0]) for select in chosen] + [(n, n) for n in wanted]
        regions.append(_yield(branch, [_value(exporter, branch, n, exporter.type_of(frame, out)) for n, out in names]))
    numbers = exporter.add(frame, "if", [condition], [exporter.type_of(frame, n) for n in targets],
                           stop=[exporter.stops(frame, n) for n in targets], regions=regions)
    for name, number in zip(targets, numbers):
        exporter.bind(frame, name, number)


_EFFECTS = ("array_write_", "assign_out_", "assert", "print")


def _has_effects(block: Block) -> bool:
    return any(op.name in _EFFECTS or any(map(_has_effects, op.regions)) for op in block.ops)


def _for_effects(exporter: Exporter, frame: Frame, condition: int, branches: list[Frame]) -> None:
    """A condition from which nothing comes back: Paddle 3 wants a result of it, and without effects it is nothing."""
    if any(_has_effects(branch.done) for branch in branches):
        regions = [_yield(branch, [exporter.full(branch, [1], 0, "bool")]) for branch in branches]
        exporter.add(frame, "if", [condition], [Type("tensor", "bool", [1])], regions=regions)


def _choices(frame: Frame, writes: list[set[str]]) -> list:
    """The select_input operators that choose between what the two branches wrote."""
    return [op for op in frame.block.ops if op.type == "select_input" and len(op.input("X")) == 2
            and op.input("X")[0] in writes[1] and op.input("X")[1] in writes[0]]


def _kept(frame: Frame, blocks: list, writes: list[set[str]], chosen: list) -> list[str]:
    """Names that branches write and something else than the choices reads."""
    used = _read_elsewhere(frame, blocks, chosen)
    return sorted(n for n in writes[0] | writes[1] if is_tensor(frame.block.find(n))
                  and (n in used or n in frame.values and frame.block.find(n).persistable))


@writer("select_input")
def _select_input(exporter: Exporter, frame: Frame, op) -> None:
    """A choice whose branches were not found: made when the program runs."""
    mask = exporter.read(frame, op.input("Mask")[0], "select_input")
    kind = Type("tensor", "bool", list(frame.types[mask].dims))
    condition, = exporter.add(frame, "cast", [mask], [kind], {"dtype": dtype_attr("bool")})
    out, names = op.output("Out")[0], op.input("X")
    regions = [_yield(frame.inner(frame.block), [exporter.read(frame, n, "select_input")]) for n in (names[1], names[0])]
    number, = exporter.add(frame, "if", [condition], [exporter.type_of(frame, out)], stop=[exporter.stops(frame, out)],
                           regions=regions)
    exporter.bind(frame, out, number)


def _initial(exporter: Exporter, frame: Frame, name: str, kind: Type, is_read: bool) -> int:
    """The first value of a loop variable; one of another type that the body overwrites unread only held the place."""
    found = frame.types.get(frame.values.get(name))
    if found is not None and not is_read and (found.dtype, len(found.dims)) != (kind.dtype, len(kind.dims)):
        return _placeholder(exporter, frame, kind)
    return _value(exporter, frame, name, kind)


@writer("while")
def _while(exporter: Exporter, frame: Frame, op) -> None:
    block, condition = op.attrs["sub_block"], op.input("Condition")[0]
    inputs, writes = interface(block)
    outside = _read_elsewhere(frame, [block])
    carried = [n for n in sorted(writes) if (var := frame.block.find(n)) is not None and var.kind != LOD_TENSOR_ARRAY
               and is_tensor(var) and (n != condition or n in inputs) and (n in frame.values or n in outside)]
    kinds = [exporter.type_of(frame, n) for n in carried]
    initial = [_initial(exporter, frame, n, kind, n in inputs) for n, kind in zip(carried, kinds)]
    first = exporter.read(frame, condition, "while")
    body = frame.inner(block)
    for name, kind in zip(carried, kinds):
        number = -next(exporter.arguments)
        body.done.args.append((number, kind))
        body.types[number] = kind
        body.values[name] = number
    exporter.block(body)
    region = _yield(body, [exporter.read(body, n, "while") for n in (condition, *carried)])
    stops = [exporter.stops(frame, n) for n in carried]
    numbers = exporter.add(frame, "while", [first, *initial], kinds, stop=stops, regions=[region])
    for name, number in zip(carried, numbers):
        exporter.bind(frame, name, number)


