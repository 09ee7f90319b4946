"""append_backward and gradients: gradient operators added to a program."""

import types

from ..core.attributes import to_file
from ..core.context import context
from ..core.errors import describe
from ..core.op import Symbolic
from ..core.tensor import Tensor
from . import primitive
from .ir.differentiate import Differentiation
from .ir.lower import EMPTY, Lowering
from .ir.nodes.op import GRAD, GradCall, MetaCall, OpCall, RowsCall
from .program import lod
from .program.program import BACKWARD, LOD_TENSOR, LOSS
from .program.registry import find
from .program.variable import SELECTED_ROWS
from .recompute import recompute


def append_backward(loss, parameter_list=None, no_grad_set=None, callbacks=None, checkpoints=None, distop_context=None):
    """Add the operators that compute the gradients of a loss; returns pairs (parameter, its gradient).

    Args:
        loss: a Variable with one element.
        parameter_list: parameters (or names) to be returned; all trainable ones of the program for None.
        no_grad_set: Variables (or names) that gradients do not pass.
        callbacks: functions called as ``callback(block, {...})`` for every gradient operator that is added.
        checkpoints: Variables (or names) to keep; what lies between them is freed and computed again for the gradients.

    >>> main = paddle.static.Program()
    >>> with paddle.static.program_guard(main):
    ...     x = paddle.static.data('x', [None, 2]); x.stop_gradient = False
    ...     loss = paddle.mean(x * x)
    ...     _ = paddle.static.append_backward(loss)
    >>> main.global_block().has_var('x@GRAD')
    True
    """
    if not isinstance(loss, Symbolic):
        raise TypeError(f"append_backward(): loss must be a Variable, got {describe(loss)}")
    program, block = loss.block.program, loss.block
    if any(n not in (1, -1) for n in loss.shape):
        raise ValueError(f"append_backward(): loss must have one element, got shape {list(loss.shape)}")
    lowering, forward = _lowered(block), list(block.ops)
    value = lowering.read(loss.name)
    wanted = _trainable_leaves(lowering, program) or _intermediates(lowering)
    _mark_loss(value)
    with program.with_role(BACKWARD):
        found = append(lowering, [value], [None], wanted, _names(no_grad_set, "append_backward", "no_grad_set"), callbacks)
    if checkpoints:
        recompute(block, forward, set(_names(checkpoints, "append_backward", "checkpoints")))
    found = _by_name(lowering, wanted, found)
    parameters = program.all_parameters() if parameter_list is None else [
        block._var_recursive(n) for n in _names(parameter_list, "append_backward", "parameter_list")]
    pairs = []
    for p in parameters:
        gradient = found.get(p.name)
        if gradient is not None and (parameter_list is not None or p.trainable):
            pairs.append((p, block.var(gradient.name)))
    return pairs


def _lowered(block):
    """The graph of a block, with what the blocks around it have computed so far in front: gradients go through all of it."""
    around, outer = [], block
    while outer.parent_idx >= 0:
        outer = outer.program.block(outer.parent_idx)
        around = [*outer.ops, *around]
    lowering = Lowering(block, [])
    for operator in around:
        lowering.operator(operator)
    return lowering.run()


def gradients(targets, inputs, target_gradients=None, no_grad_set=None):
    """Add the operators that compute d(sum of targets)/d(inputs); returns the gradients, None for inputs without one.

    Args:
        targets: Variable or list of them.
        inputs: Variable or list of them, also in the middle of the graph.
        target_gradients: gradients that come in at the targets, of their shapes; ones for None.
        no_grad_set: Variables (or names) that gradients do not pass.

    >>> main = paddle.static.Program()
    >>> with paddle.static.program_guard(main):
    ...     x = paddle.static.data('x', [2]); x.stop_gradient = False
    ...     dx, = paddle.static.gradients(x * x, x)
    >>> dx.name
    'x@GRAD'
    """
    return add_gradients(targets, inputs, target_gradients, no_grad_set)


def add_gradients(targets, inputs, target_gradients=None, no_grad_set=None, heed_stops=True):
    """``gradients``; with ``heed_stops`` False also through what has ``stop_gradient``."""
    targets, inputs = _list(targets, "targets"), _list(inputs, "inputs")
    seeds = [None] * len(targets) if target_gradients is None else list(
        target_gradients if isinstance(target_gradients, (list, tuple)) else [target_gradients])
    for seed in seeds:
        if seed is not None and not isinstance(seed, Symbolic):
            raise TypeError(f"gradients(): target_gradients must be Variables or None, got {describe(seed)}")
    if len(seeds) != len(targets):
        raise ValueError(f"gradients(): {len(targets)} targets but {len(seeds)} target_gradients")
    block = targets[0].block.program.global_block()
    for t, s in zip(targets, seeds):
        if s is not None and len(s.shape) != len(t.shape):
            raise ValueError(f"gradients(): target_gradients for {t.name} must have shape {list(t.shape)}, got {list(s.shape)}")
    lowering = Lowering(block, []).run()
    values = [lowering.read(t.name) for t in targets]
    wanted = {lowering.read(v.name) for v in inputs if not (heed_stops and v.stop_gradient)}
    blocked = _names(no_grad_set, "gradients", "no_grad_set")
    with block.program.with_role(BACKWARD):
        found = append(lowering, values, [None if s is None else lowering.read(s.name) for s in seeds], wanted, blocked,
                       heed_stops=heed_stops)
    found = _by_name(lowering, wanted, found)
    return [block.var(found[v.name].name) if v.name in found else None for v in inputs]


def tangents(outputs, inputs, directions, heed_stops=False):
    """How outputs change as inputs go along directions, unless ``heed_stops`` whatever is marked as stopped; None for outputs that
    do not.

    Gradients are linear in the weights of the outputs, so the derivative by those, weighted with the directions, is wanted.
    """
    weights = [find("fill_any_like")(y, 0.0) for y in outputs]
    for weight in weights:
        weight.stop_gradient = False
    found = add_gradients(outputs, inputs, weights, heed_stops=heed_stops)
    slopes = [(g, d) for g, d in zip(found, directions) if g is not None]
    if not slopes:
        return [None] * len(outputs)
    return add_gradients([g for g, _ in slopes], weights, [d for _, d in slopes], heed_stops=heed_stops)


def _list(value, argument):
    values = list(value) if isinstance(value, (list, tuple)) else [value]
    for v in values:
        if not isinstance(v, Symbolic):
            raise TypeError(f"gradients(): {argument} must be Variables, got {describe(v)}")
    return values


def _names(given, function, argument):
    """Names from a set or list of Variables, captured Tensors and names."""
    if given is not None and not isinstance(given, (set, frozenset, list, tuple, dict, types.GeneratorType)):
        raise TypeError(f"{function}(): {argument} must be a set, list or tuple of Variables or names, got {describe(given)}")
    names = []
    for item in given or ():
        if not isinstance(item, (str, Symbolic, Tensor)):
            raise TypeError(f"{function}(): {argument} must hold Variables or names, got {describe(item)}")
        names.append(item if isinstance(item, str) else item.name)
    return names


def _trainable_leaves(lowering, program):
    """What gradients are computed for: parameters, inputs that are not marked as stopped, and what a program that has these
    computes from stopped variables or from nothing and says itself to be in need of a gradient."""
    leaves = {v for v in [*lowering.graph.states.values(), *lowering.graph.inputs] if _takes_gradients(v)}
    if leaves and context.rules.stops_spread:
        leaves |= {v for node in lowering.graph.nodes if node.operator is not None
                   and not any(i is not None and i.var is not None and not i.var.stop_gradient for i in node.ins)
                   for v in node.outs if v is not None and _takes_gradients(v)}
    return leaves


def _takes_gradients(value):
    var = value.var
    return var is not None and not var.stop_gradient and var.dtype is not None and (var.dtype.is_floating or var.dtype.is_complex)


def _intermediates(lowering):
    """The results of a program that trains nothing: their gradients can be fetched by name all the same."""
    return {v for node in lowering.graph.nodes for v in node.outs
            if v is not None and v.var is not None and v.var.dtype is not None and v.var.dtype.is_floating}


def _mark_loss(value):
    if value.node is not None and value.node.operator is not None:
        operator = value.node.operator
        operator.attrs["op_role"] = operator.attrs.get("op_role", 0) | LOSS


def append(lowering, values, seeds, wanted, blocked=(), callbacks=None, heed_stops=True):
    """Differentiate, write the new nodes into the program as operators; returns Value -> its gradient's Value."""
    block = lowering.block
    blocked_values = {lowering.read(n) for n in blocked if block.find(n) is not None}
    d = Differentiation(lowering, wanted, blocked_values, taken=block.vars, heed_stops=heed_stops)
    first = len(lowering.graph.nodes)
    for value, seed in zip(values, seeds):
        d.add(value, _ones(lowering, d, value) if seed is None else seed)
    found = d.run()
    writer = Writer(lowering, d.fresh, callbacks)
    for node in lowering.graph.nodes[first:]:
        writer.write(node)
    return found


def _by_name(lowering, wanted, found):
    result = {name: found[value] for name, value in lowering.values.items() if value in found}
    result.update({value.name: found[value] for value in wanted if value in found})
    return result


def _ones(lowering, d, value):
    """The gradient that starts it all."""
    var = value.var
    if -1 in var.shape:
        call, ins = OpCall(find("fill_any_like"), [1.0, None], [None], 1), [value]
    else:
        op = find("fill_constant")
        attrs = op.bind((), {"shape": list(var.shape), "dtype": var.dtype, "value": 1.0})[op.n_in:]
        call, ins = OpCall(op, attrs, [None, None, 0], 1), [None, None]
    seed, = lowering.graph.add(call, ins, [value.name + GRAD])
    d.fresh[seed] = value
    return seed


class Writer:
    """Writes nodes of a Graph into the block it was lowered from, as operators."""

    def __init__(self, lowering, like, callbacks=None):
        self.lowering, self.block, self.callbacks = lowering, lowering.block, list(callbacks or ())
        self.like = like  # new Value -> the Value it has the shape of
        self.kept = {}  # overwritten Value -> name of the copy made of it

    def write(self, node):
        """Append the operator of a node, and variables for its outputs."""
        if isinstance(node.call, MetaCall):
            return
        call = node.call
        if primitive.backward.value and isinstance(call, GradCall) and isinstance(call.inner, OpCall) and self.compose(node):
            return
        inputs = by_slot(call.in_slots, [self.name_of(v) for v in call.named(node.ins)])
        outputs = by_slot(call.out_slots, [None if v is None else v.name for v in node.outs])
        for out in node.outs:
            if out is not None and out.var is None:
                self.variable(out)
        attrs = to_file(call.op, call.values) if isinstance(call, (OpCall, RowsCall)) else dict(call.attrs)
        attrs.pop("op_role", None)
        where = node.operator.where if node.operator is not None else None
        added = self.block.append_op(call.type, inputs, outputs, attrs, where)
        for callback in self.callbacks:
            callback(self.block, {"op": added})

    def compose(self, node):
        """Append the operators that the rules of a gradient are made of; False where they need values or unknown sizes."""
        names = [self.name_of(v) for v in node.call.trim(node.ins)]
        ins = [None if n is None else self.block.var(n) for n in names]
        if any(v is not None and -1 in v.shape for v in ins):
            return False
        found = primitive.recorded(self.block, lambda: node.call.run_tensors(ins))
        if found is None:
            return False
        made, results = found
        first = len(self.block.ops)
        self.block.ops += made
        for out, result in zip(node.outs, results):
            if out is not None:
                self.variable(out)
                self.block.append_op("assign", {"X": [result.name]}, {"Out": [out.name]}, {})
        for operator in self.block.ops[first:]:
            for callback in self.callbacks:
                callback(self.block, {"op": operator})
        return True

    def variable(self, value):
        """Make the variable of a new Value."""
        like = self.like[value].var
        value.var = self.block.new_var(name=value.name, shape=like.shape, dtype=like.dtype,
                                       kind=SELECTED_ROWS if value.rows else like.kind)
        if like.lod and like.kind == LOD_TENSOR:
            lod.give(value.var, like.lod)  # a gradient has the sequence lengths of what it belongs to
        self.lowering.values[value.name] = value

    def name_of(self, value):
        """The name under which a Value can be read at the end of the block."""
        if value is None:
            return None
        if value.node is not None and isinstance(value.node.call, MetaCall):
            value = value.node.ins[0]
        if self.lowering.values.get(value.name, value) is value:
            return value.name
        return self.kept.get(value) or self.keep(value)

    def keep(self, value):
        """Copy a Value that is overwritten later, right after it is made."""
        at = 0 if value.node is None else self.block.ops.index(value.node.operator) + 1
        copy = self.block.new_var(name=f"{value.name}@KEPT{len(self.kept)}", shape=value.var.shape, dtype=value.var.dtype,
                                     stop_gradient=True)
        self.block._insert_op(at, "assign", {"X": value.name}, {"Out": copy}, {"op_role": BACKWARD})
        self.kept[value] = copy.name
        return copy.name


def by_slot(slots, names):
    """Flat names (None: absent) as an operator's table of slots."""
    table, k = {}, 0
    for slot, n, many in slots:
        part = names[k:k + n]
        k += n
        if many and any(part):
            table[slot] = [EMPTY if p is None else p for p in part]
        elif not many and part[0] is not None:
            table[slot] = part
    return table

