"""Elementwise chains: how operators are written as steps of the native chain kernel, and the call that runs one."""

import functools

import numpy as np

from .. import kernels
from .calls import Call, GradCall, OpCall

SMALLEST = 1 << 5  # elements below which the operators one by one are quicker

_UNARY = ("relu", "relu6", "sigmoid", "tanh", "exp", "sqrt", "rsqrt", "square", "abs", "silu", "erf")
_BINARY = {"elementwise_add": "add", "elementwise_sub": "sub", "elementwise_mul": "mul", "elementwise_div": "div",
           "elementwise_max": "max", "elementwise_min": "min"}
_SAVED = {"relu": "out", "relu6": "out", "sigmoid": "out", "tanh": "out", "exp": "out", "sqrt": "out", "silu": "x"}


def steps_of(node):
    """What a node does, as a function ``write(emit, registers) -> register``; None if the chain kernel can't."""
    call = node.call
    if isinstance(call, GradCall):
        return _gradient_steps(call)
    kind, values = call.type, dict(zip(call.op.attr_names, call.values))
    if kind in _UNARY:
        return lambda emit, ins: emit(kind, ins[0])
    if kind in _BINARY:
        return (lambda emit, ins: emit(_BINARY[kind], ins[0], ins[1])) if values.get("axis", -1) == -1 else None
    if kind == "gelu":
        return lambda emit, ins: emit("gelu_tanh" if values["approximate"] else "gelu", ins[0])
    if kind == "leaky_relu":
        return lambda emit, ins: emit("leaky_relu", ins[0], float(values["negative_slope"]))
    if kind == "scale":
        return _scale_steps(values)
    if kind == "sum":
        return lambda emit, ins: functools.reduce(lambda a, b: emit("add", a, b), ins)
    return None


def _scale_steps(values):
    factor, bias = float(values["scale"]), float(values["bias"])
    if not values["bias_after_scale"]:
        return lambda emit, ins: emit("mul", emit("add", ins[0], bias), factor)
    if bias == 0:
        return lambda emit, ins: emit("mul", ins[0], factor)
    if factor == 1:
        return lambda emit, ins: emit("add", ins[0], bias)
    return lambda emit, ins: emit("add", emit("mul", ins[0], factor), bias)


def _gradient_steps(call):
    kind = call.inner.type
    if not isinstance(call.inner, OpCall):
        return None
    if kind == "scale":
        factor = float(call.inner.values[call.inner.op.attr_names.index("scale")])
        return lambda emit, ins: emit("mul", ins[-1], factor)
    if kind not in _SAVED:
        return None
    saved = 0 if _SAVED[kind] == "x" else 1
    return lambda emit, ins: emit(kind + "_grad", ins[saved], ins[-1])


class ChainCall(Call):
    """A chain of elementwise nodes. Arrays that the kernel does not take go through the nodes one by one."""

    type = "chain"

    def __init__(self, nodes, inputs, results):
        self.nodes, self.inputs, self.results = list(nodes), list(inputs), list(results)
        self.constants, self.steps = [], []
        self.register = {v: k for k, v in enumerate(inputs)}
        for node in nodes:
            self.register[node.outs[0]] = steps_of(node)(self._emit, [self.register.get(v) for v in node.ins])
        self.feeds = self._feeds()

    def _emit(self, name, *operands):
        """Note a step; operands are registers (ints) or constants (floats). Returns a stand-in for its result."""
        self.steps.append((name, operands))
        return _Step(len(self.steps) - 1)

    def _feeds(self):
        """For each result, which inputs it depends on (their common shape must be that of the chain)."""
        known = {v: {k} for k, v in enumerate(self.inputs)}
        for node in self.nodes:
            known[node.outs[0]] = set().union(*[known[v] for v in node.ins if v is not None])
        return [sorted(known[v]) for v in self.results]

    def label(self):
        return "chain{" + ", ".join(n.type for n in self.nodes) + "}"

    def program(self):
        """(bytes of the steps, constants, registers of the results) for the kernel."""
        codes = kernels.native.chain_ops()
        constants, first = [], len(self.inputs)
        for _, operands in self.steps:
            constants += [c for c in operands if isinstance(c, float) and c not in constants]
        behind = first + len(constants)

        def number(operand):
            if isinstance(operand, _Step):
                return behind + operand.number
            return first + constants.index(operand) if isinstance(operand, float) else operand
        data = bytearray()
        for name, operands in self.steps:
            data += bytes([codes[name][0], *[number(o) for o in operands], *[0] * (3 - len(operands))])
        return bytes(data), constants, [number(self.register[v]) for v in self.results]

    def prepare(self):
        program, constants, results = self.program()
        slow = self._one_by_one()

        def run(*arrays):
            if not self._fits(arrays):
                return slow(arrays)
            found = kernels.native.eltwise_chain(program, [np.ascontiguousarray(a) for a in arrays], constants, results)
            return slow(arrays) if found is NotImplemented else found
        return run

    def _fits(self, arrays):
        """Has the kernel something to do, and every result the shape of the largest input?"""
        largest = max(a.size for a in arrays)
        if kernels.native is None or largest < SMALLEST:
            return False
        shape, everything = next(a.shape for a in arrays if a.size == largest), list(range(len(arrays)))
        return all(feed == everything or np.broadcast_shapes(*[arrays[k].shape for k in feed]) == shape for feed in self.feeds)

    def bind(self, note, ins):
        if not self._fits([k.value for k in ins]):
            return super().bind(note, ins)
        chain, (program, constants, results) = kernels.native.eltwise_chain, self.program()
        mark = note.mark()
        dense = [k if k.value.flags.c_contiguous else note(np.ascontiguousarray, k) for k in ins]
        found = note.several(lambda *arrays: chain(program, arrays, constants, results), *dense)
        if found is None:
            note.back_to(mark)
            return super().bind(note, ins)
        return found

    def _one_by_one(self):
        places = {v: k for k, v in enumerate(self.inputs)}
        plan = []
        for node in self.nodes:
            places[node.outs[0]] = len(places)
            ins = [None if v is None else places[v] for v in node.ins]
            plan.append((node.call.prepare(), ins, node.call.single))
        wanted = [places[v] for v in self.results]

        def run(arrays):
            env = list(arrays)
            for call, ins, single in plan:
                result = call(*[None if k is None else env[k] for k in ins])
                env.append(np.asarray(result if single else result[0]))
            return [env[k] for k in wanted]
        return run


class _Step:
    """The result of a step, before registers are numbered."""

    __slots__ = ("number",)

    def __init__(self, number):
        self.number = number
