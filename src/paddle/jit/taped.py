"""A program run op by op on the tape: how gradients of a traced function's gradients are found."""

import numpy as np

from ..core import random
from ..core.autograd import enable_grad
from ..core.backward import grad as tape_grad
from ..core.tensor import Tensor, wrap
from ..static.ir.lower import Lowering
from ..static.ir.nodes.array import ArrayJoin, ArrayLength, ArrayRead, ArrayWrite
from ..static.ir.nodes.control import ConditionalCall, SelectInput, WhileCall, truth
from ..static.ir.nodes.op import Constant, GradCall, MetaCall, OpCall
from ..tensor.joining import concat, stack


def differentiate(runner, tensors, before, state, wanted, gradients):
    """Gradients of the wanted leaves as Tensors that lead back to the leaves and to the given gradients.

    Args:
        tensors: inputs of the forward call; before: arrays of the captured tensors then; state: of the random generator.
    """
    lowering = Lowering(runner.program.global_block(), runner.inputs).run()
    n = len(tensors)
    leaves, env = [], {}
    for k, value in enumerate([*lowering.graph.inputs, *[lowering.graph.states[n] for n in runner.function.state_names]]):
        tensor = tensors[k] if k < n else runner.captured[k - n]
        if k not in wanted:
            tensor = wrap(tensor._data if k < n else before[k - n])
        env[value] = tensor
        leaves.append(tensor)
    generator = random.default_generator()
    now = generator.get_state()
    try:
        if state is not None:
            generator.set_state(state)
        with enable_grad():
            run(lowering.graph, env)
    finally:
        generator.set_state(now)
    pairs = []
    for name, g in zip(runner.outputs, gradients):
        out = env[lowering.read(name)]
        pairs += [(o, d) for o, d in (zip(out, g) if isinstance(out, list) else [(out, g)] if g is not None else [])
                  if d is not None and not o.stop_gradient]
    asked = [leaves[k] for k in wanted]
    if not pairs:
        return [None] * len(asked)
    return tape_grad([o for o, _ in pairs], asked, [g for _, g in pairs], create_graph=True, retain_graph=True,
                     allow_unused=True)


def run(graph, env):
    """Run a Graph's nodes on Tensors, recording; ``env``: Value -> Tensor (a list for a tensor array)."""
    for node in graph.nodes:
        outs = _call(node.call, [None if v is None else env.get(v) for v in node.ins])
        for value, out in zip(node.outs, outs):
            if value is not None:
                stopped = value.var is not None and value.var.stop_gradient and isinstance(out, Tensor)
                env[value] = out.detach() if stopped else out


def _call(call, ins):
    if isinstance(call, (OpCall, GradCall)):
        return call.run_tensors(ins)
    if isinstance(call, MetaCall):  # the tensor itself has the shape that is asked for
        return [ins[0]]
    if isinstance(call, Constant):
        return [list(call.value) if isinstance(call.value, list) else wrap(np.asarray(call.value))]
    if isinstance(call, ConditionalCall):
        return _conditional(call, ins)
    if isinstance(call, WhileCall):
        return _while(call, ins)
    if isinstance(call, SelectInput):
        return [ins[int(ins[-1])]]
    if isinstance(call, ArrayWrite):
        new, k = list(ins[2] or ()), int(ins[1])
        new += [None] * (k + 1 - len(new))
        new[k] = ins[0]
        return [new]
    if isinstance(call, ArrayRead):
        return [ins[0][int(ins[1])]]
    if isinstance(call, ArrayLength):
        return [wrap(np.asarray([len(ins[0])], np.int64))]
    if isinstance(call, ArrayJoin):
        out = stack(ins[0], call.axis) if call.stacks else concat(ins[0], call.axis)
        return [out, None]
    if any(isinstance(t, Tensor) and not t.stop_gradient for t in ins) and call.differentiable:
        raise NotImplementedError(f"gradients of gradients through the operator {call.type} of a translated function")
    out = call.prepare()(*[t._data if isinstance(t, Tensor) else t for t in ins])
    return [o if o is None else wrap(np.asarray(o)) for o in ([out] if call.single else out or ())]


def _body(body, values):
    lowering = Lowering(body.block, body.names, closed=True).run()
    env = dict(zip(lowering.graph.inputs, values))
    run(lowering.graph, env)
    return [env.get(lowering.values[w]) for w in body.writes]


def _conditional(call, ins):
    condition, *values = ins
    if not truth(condition._data, "conditional_block"):
        return [*[values[call.body.names.index(w)] for w in call.body.writes], None]
    return [*_body(call.body, values), None]


def _while(call, ins):
    values, body = list(ins), call.body
    places = [body.names.index(w) for w in body.writes]
    condition = body.names.index(call.condition)
    while truth(values[condition]._data, "while"):
        for place, new in zip(places, _body(body, values)):
            values[place] = new
    return [*[values[p] for p in places], None]
