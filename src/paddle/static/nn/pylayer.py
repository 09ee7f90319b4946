"""static_pylayer: a part of a program with a gradient of the user's own."""

import numpy as np

from ...core.context import context
from ...core.errors import WrongKindError, describe
from ...core.op import Symbolic
from ...core.tensor import Tensor
from ...utils import unique_name
from ..ir import passes
from ..ir.lower import EMPTY, Lowering, special
from ..ir.nodes.control import INNER, Body, interface
from ..ir.nodes.op import GRAD, Call
from ..program import program
from ..program.record import as_variable, user_line
from ..program.registry import find
from ..schedule.plan import Plan
from ..structure import flatten, pack
from ..sub_block import SubBlock


class PyLayerCall(Call):
    """pylayer: the forward block as a function. Inputs: those with gradients, then the outer names the blocks read."""

    type = "pylayer"

    def __init__(self, attrs, n_in):
        self.attrs, self.n_in, self.body = attrs, n_in, Body(attrs["blocks"][0])
        self.differentiable = len(attrs["blocks"]) > 1
        behind = interface(attrs["blocks"][1])[0] if self.differentiable else []
        self.names = sorted({*self.body.names, *behind})
        self.in_slots = [("X", n_in, True), ("Outer", len(self.names), True)]
        self.out_slots = [("Out", len(self.body.writes), True)]

    def prepare(self):
        plan, places = self.body.plan(), [self.n_in + self.names.index(n) for n in self.body.names]
        return lambda *flat: plan([flat[k] for k in places])[0]

    def grad_positions(self):
        return range(self.n_in)

    def gradient(self, wanted, given):
        return PyLayerGrad(self, wanted)


class PyLayerGrad(Call):
    """The user's backward block: gradients of the outputs -> gradients of the inputs."""

    type = "pylayer_grad"

    def __init__(self, inner, wanted):
        self.inner, self.attrs, self.wanted = inner, inner.attrs, wanted
        self.in_slots = [*inner.in_slots, *inner.out_slots, *[(s + GRAD, n, many) for s, n, many in inner.out_slots]]
        self.out_slots = [(s + GRAD, n, many) for s, n, many in inner.in_slots]

    def trim(self, ins):
        return list(ins)

    def prepare(self):
        inner, block = self.inner, self.attrs["blocks"][1]
        lowering = Lowering(block, [*self.attrs["backward_inputs"], *inner.names], closed=True).run()
        lowering.graph.outputs = [lowering.read(n) for n in self.attrs["backward_outputs"]]
        plan = Plan(passes.apply(lowering.graph, INNER))
        n, m, k = inner.n_in, len(inner.names), len(inner.body.writes)
        order = [inner.body.writes.index(w) for w in self.attrs["forward_outputs"]]
        # what forward computes is read behind it, everything else before
        made = inner.body.writes
        places = [n + m + made.index(name) if name in made else n + i for i, name in enumerate(inner.names)]

        def run(*flat):
            outs, grads = flat[n + m:n + m + k], flat[n + m + k:]
            grads = [np.zeros_like(outs[i]) if grads[i] is None else grads[i] for i in order]
            return [*plan([*grads, *[flat[i] for i in places]])[0], *[None] * m]
        return run


@special("pylayer")
def _lower(lowering, operator):
    names = operator.input("X")
    call = PyLayerCall(operator.attrs, len(names))
    outer = [lowering.read(n) if n not in call.body.writes else lowering.maybe(n) for n in call.names]
    lowering.add(call, [*[lowering.read(n) for n in names], *outer], call.body.writes, operator)


@special("pylayer_grad")
def _lower_grad(lowering, operator):
    inner = PyLayerCall(operator.attrs, len(operator.input("X")))
    call = PyLayerGrad(inner, ())
    names = [name for slot, n, _ in call.in_slots for name in (operator.input(slot) or [EMPTY] * n)]
    outs = [name for slot, n, _ in call.out_slots for name in (operator.output(slot) or [EMPTY] * n)]
    lowering.add(call, [None if n == EMPTY else lowering.maybe(n) for n in names], outs, operator)


def static_pylayer(forward_fn, inputs, backward_fn=None, name=None):
    """forward_fn(*inputs), whose gradients are backward_fn(*gradients of the outputs).

    Args:
        forward_fn: function of the inputs that returns Variables.
        inputs: list of Variables.
        backward_fn: function of the outputs' gradients that returns one gradient per input; None: no gradient passes.
    """
    if not callable(forward_fn) or (backward_fn is not None and not callable(backward_fn)):
        raise TypeError(f"static_pylayer(): forward_fn and backward_fn must be callable, got {describe(forward_fn)}, "
                        f"{describe(backward_fn)}")
    inputs = list(inputs)
    for x in inputs:
        if not isinstance(x, Symbolic):
            raise TypeError(f"static_pylayer(): inputs must be Variables, got {describe(x)}")
    parent = program.default_main_program().current_block()
    with SubBlock() as block:
        result = forward_fn(*inputs)
        outs = [_handed_out(as_variable(leaf, block), parent, block, backward_fn is None) for leaf in flatten(result)]
    _append(parent, inputs, block, outs, [], backward_fn)
    return pack(result, outs)


def record_layer(layer, ctx, args, kwargs):
    """``layer.apply(*args, **kwargs)`` of a PyLayer with Variables among its arguments, in the program that is being built."""
    parent = program.default_main_program().current_block()
    given = [as_variable(a, parent) if isinstance(a, (Symbolic, Tensor)) else a for a in (*args, *kwargs.values())]
    inputs = [a for a in given if isinstance(a, Symbolic)]
    frozen = not context.grad or all(x.stop_gradient for x in inputs)
    with SubBlock() as block:
        result = layer.forward(ctx, *given[:len(args)], **dict(zip(kwargs, given[len(args):])))
        leaves = list(result) if isinstance(result, (tuple, list)) else [result]
        outs = [leaf if not isinstance(leaf, Symbolic) else
                _handed_out(leaf, parent, block, frozen or id(leaf) in ctx._not_differentiable) for leaf in leaves]
        made = [out for out in outs if isinstance(out, Symbolic)]
        if not made:
            raise WrongKindError(f"{layer.__name__}.forward() must return at least one Tensor, got {describe(result)}")
        kept = [] if frozen else _keep(ctx, dict(zip(map(id, leaves), outs)), parent, block)

    def backward(*grads):
        found = layer.backward(ctx, *grads)
        found = list(found) if isinstance(found, (tuple, list)) else [found]
        return [find("fill_any_like")(x, 0.0) if g is None else g for g, x in zip(found, inputs)] + found[len(inputs):]
    _append(parent, inputs, block, made, kept, None if frozen else backward)
    return type(result)(outs) if isinstance(result, (tuple, list)) else outs[0]


def _handed_out(value, parent, block, frozen):
    """A variable of the block around that the forward block writes a value to."""
    made = parent.new_var(name=unique_name.generate("_generated_var"), shape=value.shape, dtype=value.dtype, stop_gradient=frozen)
    block.append_op("assign", {"X": value}, {"Out": made})
    return made


def _keep(ctx, outs, parent, block):
    """Let a context hold variables that the backward block can read in place of those of the forward block; returns them."""
    kept = []

    def outside(value):
        if isinstance(value, (list, tuple)):
            return type(value)(outside(v) for v in value)
        if id(value) in outs:
            return outs[id(value)]
        if isinstance(value, Symbolic) and value.block is block:
            outs[id(value)] = _handed_out(value, parent, block, True)
            kept.append(outs[id(value)])
            return kept[-1]
        return value
    for name, value in list(vars(ctx).items()):
        setattr(ctx, name, outside(value))
    return kept


def _append(parent, inputs, block, outs, kept, backward_fn):
    attrs = {"blocks": [block], "forward_outputs": [v.name for v in outs]}
    if backward_fn is not None:
        attrs.update(_backward(backward_fn, inputs, outs, attrs["blocks"]))
    parent.append_op("pylayer", {"X": inputs}, {"Out": sorted([*outs, *kept], key=lambda v: v.name)}, attrs, user_line())


def _backward(backward_fn, inputs, outs, blocks):
    with SubBlock() as block:
        seeds = [block.new_var(name=v.name + GRAD + "@IN", shape=v.shape, dtype=v.dtype) for v in outs]
        found = flatten(backward_fn(*seeds))
        if len(found) != len(inputs):
            raise ValueError(f"static_pylayer(): backward_fn returned {len(found)} gradients for {len(inputs)} inputs")
        found = [as_variable(g, block) for g in found]
    blocks.append(block)
    return {"backward_inputs": [v.name for v in seeds], "backward_outputs": [v.name for v in found]}
