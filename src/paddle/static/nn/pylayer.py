"""static_pylayer: a part of a program with a gradient of the user's own."""

import numpy as np

from ...core.errors import describe
from ...core.op import Symbolic
from ...utils import unique_name
from ..ir import passes
from ..ir.lower import EMPTY, Lowering, special
from ..ir.nodes.control import INNER, Body, interface
from ..ir.nodes.op import GRAD, Call
from ..program import program
from ..program.record import as_variable, user_line
from ..schedule.plan import Plan
from ..structure import flatten, pack
from .control_flow import _SubBlock


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

        def run(*flat):
            outs, grads = flat[n + m:n + m + k], flat[n + m + k:]
            grads = [np.zeros_like(outs[i]) if grads[i] is None else grads[i] for i in order]
            return [*plan([*grads, *flat[n:n + m]])[0], *[None] * m]
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
    outs = []
    with _SubBlock() as block:
        result = forward_fn(*inputs)
        for leaf in flatten(result):
            v = as_variable(leaf, block)
            made = parent.new_var(name=unique_name.generate("_generated_var"), shape=v.shape, dtype=v.dtype,
                                     stop_gradient=backward_fn is None)
            block.append_op("assign", {"X": v}, {"Out": made})
            outs.append(made)
    attrs = {"blocks": [block], "forward_outputs": [v.name for v in outs]}
    if backward_fn is not None:
        attrs.update(_backward(backward_fn, inputs, outs, attrs["blocks"]))
    parent.append_op("pylayer", {"X": inputs}, {"Out": sorted(outs, key=lambda v: v.name)}, attrs, user_line())
    return pack(result, outs)


def _backward(backward_fn, inputs, outs, blocks):
    with _SubBlock() as block:
        seeds = [block.new_var(name=v.name + GRAD + "@IN", shape=v.shape, dtype=v.dtype) for v in outs]
        found = flatten(backward_fn(*seeds))
        if len(found) != len(inputs):
            raise ValueError(f"static_pylayer(): backward_fn returned {len(found)} gradients for {len(inputs)} inputs")
        found = [as_variable(g, block) for g in found]
    blocks.append(block)
    return {"backward_inputs": [v.name for v in seeds], "backward_outputs": [v.name for v in found]}
