"""Programs made from programs: clones, parts, and the form that inference files have."""

import copy

from ...core.attributes import named_in
from ...core.errors import describe, suggest
from ...core.op import Symbolic
from .program import BACKWARD, FORWARD, LOSS, OPTIMIZE, SCHEDULE, Block, Operator, Program, Variable

FEED_MINIBATCH, FETCH_LIST = 9, 10  # kinds of the variables that feed and fetch operators name


def clone(program, for_test=False):
    """A copy of a program; ``for_test``: without backward and update operators and what only updates need, with dropout and norms
    in test mode."""
    new, left_out = Program(), _for_updates(program) if for_test else ()
    new._seed, new.captured, new.loaders = program._seed, dict(program.captured), list(program.loaders)
    new.blocks = [Block(new, b.idx, b.parent_idx) for b in program.blocks]
    for block, old in zip(new.blocks, program.blocks):
        block.forward_block_idx = old.forward_block_idx
        for name, var in old.vars.items():
            made = copy.copy(var)
            made.block = block
            block.vars[name] = made
        for op in old.ops:
            if not (for_test and (_role(op) in (BACKWARD, OPTIMIZE, SCHEDULE) or op in left_out)):
                block.ops.append(_copied(op, block))
    if for_test:
        for block in new.blocks:
            for op in block.ops:
                if "is_test" in op.attrs:
                    op.attrs["is_test"] = True
                _forget_unused(op)
        _drop_unused_vars(new)
    else:
        new.learning_rates = dict(program.learning_rates)
    return new


def _role(op):
    role = op.attrs.get("op_role", 0) & ~LOSS
    return SCHEDULE if role & SCHEDULE else role


def _for_updates(program):
    """The forward operators that only updates need: those of a learning rate that a program computes and counts itself."""
    ops = program.global_block().ops
    rates = set().union(*(reads(op) for op in ops if _role(op) in (OPTIMIZE, SCHEDULE)))
    needed, found = set().union(*(reads(op) for op in ops if _role(op) == BACKWARD)), set()
    for op in reversed(ops):
        if _role(op) == FORWARD:
            made = writes(op)
            if made & rates and not made & needed and not op.attrs.get("op_role", 0) & LOSS:
                found.add(op)
                rates |= reads(op)
            else:
                needed |= reads(op)
    return found


def _copied(op, block):
    attrs = {}
    for name, value in op.attrs.items():
        if isinstance(value, Block):
            value = block.program.blocks[value.idx]
        elif isinstance(value, list) and value and isinstance(value[0], Block):
            value = [block.program.blocks[b.idx] for b in value]
        attrs[name] = value
    made = Operator(block, op.type, op.inputs, op.outputs, attrs, op.where)
    return made


def sub_blocks(op):
    """The blocks that an operator's attributes refer to."""
    found = []
    for value in op.attrs.values():
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, Block):
                found.append(item)
    return found


def _forget_unused(op):
    """Take what no operator of its block reads or writes any more from the lists of a branch or loop."""
    inside = [inner for block in sub_blocks(op) for inner in block.ops]
    if op.type not in ("conditional_block", "while") or not inside:
        return
    written = set().union(*(writes(inner) for inner in inside))
    read = written.union(*(reads(inner) for inner in inside))  # what a loop writes it also takes in
    for table, slot, names in ((op.inputs, "Input", read), (op.inputs, "X", read), (op.outputs, "Out", written)):
        if slot in table:
            table[slot] = [name for name in table[slot] if name in names]


def reads(op):
    """Names that an operator reads, its sub-blocks included."""
    names = {*op.input_arg_names, *named_in(op.attrs)}
    for block in sub_blocks(op):
        for inner in block.ops:
            names |= reads(inner)
    return names


def writes(op):
    """Names that an operator writes, its sub-blocks included."""
    names = set(op.output_arg_names)
    for block in sub_blocks(op):
        for inner in block.ops:
            names |= writes(inner)
    return names


def _inline_layers(program):
    """Put the forward blocks of PyLayers in place of their operators: a program without backward needs no gradient of its own."""
    if any(op.type == "pylayer_grad" for block in program.blocks for op in block.ops):
        return
    for block in reversed(program.blocks):  # inner ones first
        for op in [op for op in block.ops if op.type == "pylayer"]:
            inner = op.attrs["blocks"][0]
            at = block.ops.index(op)
            block.ops[at:at + 1] = [_copied(one, block) for one in inner.ops]
            for var in inner.vars.values():
                var.block = block
            block.vars.update(inner.vars)
            for left in op.attrs["blocks"]:
                left.ops, left.vars = [], {}


def updates(program):
    """The numbers of the operators by which optimizers update the program's variables."""
    return [k for k, op in enumerate(program.global_block().ops) if op.attrs.get("op_role", 0) & OPTIMIZE]


def prune(program, feeds, targets, steps=None):
    """A copy with only the operators that the targets need, given the fed names.

    A fed name stands for the operators that compute it; those that overwrite what was fed are kept. ``steps``: numbers of the
    ``updates`` to keep, with what they need; by default they are operators like others.
    """
    new = clone(program)
    others = set() if steps is None else {new.global_block().ops[k] for k in updates(program) if k not in steps}
    chosen = {new.global_block().ops[k] for k in steps or ()}
    _inline_layers(new)
    block, needed, kept = new.global_block(), set(targets), []
    given = set(feeds) - _overwritten(block.ops, feeds)
    for op in reversed(block.ops):
        made = writes(op)
        if op not in chosen and (op.type in ("feed", "fetch") or op in others or not made & needed or made <= given):
            continue
        kept.append(op)
        needed |= reads(op) - given
    block.ops, new.loaders = kept[::-1], []
    _drop_unused_vars(new, keep={*feeds, *targets})
    new.learning_rates = {n: s for n, s in program.learning_rates.items() if n in block.vars}
    return new


def _overwritten(ops, names):
    """Which of some names are read before an operator writes them."""
    seen, written = set(), set()
    for op in ops:
        if op.type not in ("feed", "fetch"):
            seen |= reads(op) - written
            written |= writes(op)
    return seen & written & set(names)


def _drop_unused_vars(program, keep=()):
    used = set(keep)
    for block in program.blocks:
        for op in block.ops:
            used.update((*op.input_arg_names, *named_in(op.attrs), *op.output_arg_names))
    for block in program.blocks:
        for name in [n for n, v in block.vars.items() if n not in used and not v.is_data]:
            del block.vars[name]


def normalize_program(program, feed_vars, fetch_vars, **kwargs):
    """A copy for inference: only what the fetched variables need, in test mode, with feed and fetch operators.

    Args:
        feed_vars, fetch_vars: Variable or list of Variables.
        skip_prune_program: keep operators that the fetched variables do not need.

    >>> main = paddle.static.Program()
    >>> with paddle.static.program_guard(main):
    ...     x = paddle.static.data('x', [None, 2])
    ...     y, other = paddle.exp(x), paddle.sin(x)
    >>> [op.type for op in paddle.static.normalize_program(main, [x], [y]).global_block().ops]
    ['feed', 'exp', 'fetch']
    """
    if not isinstance(program, Program):
        raise TypeError(f"normalize_program(): program must be a Program, got {describe(program)}")
    skip = kwargs.pop("skip_prune_program", False)
    kwargs.pop("legacy_format", None)
    if kwargs:
        raise TypeError(f"normalize_program(): unknown argument {next(iter(kwargs))!r}")
    feeds, fetches = _names(program, feed_vars, "feed_vars"), _names(program, fetch_vars, "fetch_vars")
    test = clone(program, for_test=True)
    new = clone(test) if skip else prune(test, feeds, fetches)
    block, new.loaders = new.global_block(), []
    block.ops = [op for op in block.ops if op.type not in ("feed", "fetch")]
    for name in ("feed", "fetch"):
        block.vars.pop(name, None)
    _check_inputs(new, feeds)
    used = {name for b in new.blocks for op in b.ops for name in (*op.input_arg_names, *named_in(op.attrs))}.union(fetches)
    unused = [] if skip else [name for name in feeds if name not in used]
    if unused:
        raise ValueError(f"normalize_program(): {unused[0]!r} of feed_vars is not involved in the target_vars calculation; "
                         "leave it out")
    add_feed_fetch(new, feeds, fetches)
    return new


def _names(program, given, argument):
    names = []
    for item in given if isinstance(given, (list, tuple)) else [given]:
        if not isinstance(item, (Symbolic, str)):
            raise TypeError(f"normalize_program(): {argument} must be a Variable or a list of them, got {describe(item)}")
        name = item if isinstance(item, str) else item.name
        if program.global_block().find(name) is None:
            raise ValueError(f"normalize_program(): the program has no variable {name!r}"
                             f"{suggest(name, program.global_block().vars)}")
        names.append(name)
    return names


def _check_inputs(program, feeds):
    """Raise if the program needs inputs that are not fed."""
    known = {*feeds, *[offsets for name in feeds for offsets in program.global_block().vars[name].lod]}
    for op in program.global_block().ops:
        for name in (*op.input_arg_names, *named_in(op.attrs)):
            var = program.global_block().vars.get(name)
            if var is not None and var.is_data and name not in known:
                raise ValueError(f"normalize_program(): the fetched variables need the input {name!r}, "
                                 f"which is not among feed_vars {feeds}")


def add_feed_fetch(program, feeds, fetches):
    """Put feed operators in front and fetch operators behind, as inference files have them."""
    block = program.global_block()
    for name, kind in (("feed", FEED_MINIBATCH), ("fetch", FETCH_LIST)):
        block.vars[name] = Variable(block, name, (), None, persistable=True, kind=kind)
    for k, name in enumerate(feeds):  # the last one first: Paddle's jit.load takes inputs in the reverse order of these operators
        block._insert_op(0, "feed", {"X": "feed"}, {"Out": name}, {"col": k})
    for k, name in enumerate(fetches):
        block.append_op("fetch", {"X": name}, {"Out": "fetch"}, {"col": k})


def feed_fetch_names(program):
    """(fed names, fetched names) of a program that has feed and fetch operators, in the order of their columns."""
    ops = program.global_block().ops
    feeds = sorted((op.attrs.get("col", 0), op.output("Out")[0]) for op in ops if op.type == "feed")
    fetches = sorted((op.attrs.get("col", 0), op.input("X")[0]) for op in ops if op.type == "fetch")
    return [name for _, name in feeds], [name for _, name in fetches]
