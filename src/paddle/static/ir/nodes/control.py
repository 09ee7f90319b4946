"""How control flow runs: a sub-block is a function of the outer names it reads, returning the ones it writes.

Gradients come from the sub-block itself (``split.py``): the forward keeps, in the operator's ``Scope`` output, what the
backward needs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ...program.transform import sub_blocks
from ...schedule.plan import Plan
from .. import passes
from ..lower import EMPTY, Lowering, special
from ..split import Forward
from .op import GRAD, Call

if TYPE_CHECKING:
    from ...program.program import Block, Operator
    from .op import Meta

KEEPS = ("write_to_array",)  # operators that read the variables they write
INNER = ("group_updates",)  # passes for whole programs only: a body must not write into the memory of outer values


def interface(block: Block) -> tuple[Any, ...]:
    """(names a block reads from outside, outer names it writes), in order of appearance."""
    reads, writes, local = {}, {}, set()
    for op in block.ops:
        inputs = list(op.input_arg_names)
        if op.type in KEEPS:
            inputs += op.output_arg_names
        outputs = list(op.output_arg_names)
        for inner in sub_blocks(op):
            if op.type.endswith("_grad"):
                continue
            r, w = interface(inner)
            inputs += [*r, *w]
            outputs += w
        for name in inputs:
            if name not in local and name not in block.vars and name != EMPTY:
                reads[name] = True
        for name in outputs:
            local.add(name)
            if name not in block.vars and name != EMPTY and block.find(name) is not None:
                writes[name] = True
    return list(reads), list(writes)


class Body:
    """A sub-block as a function, and its gradient when asked for."""

    def __init__(self, block: Block) -> None:
        self.block = block
        self.reads, self.writes = (sorted(names) for names in interface(block))  # sorted: files may reorder slots
        self.names = sorted({*self.reads, *self.writes})
        self._forward: Any = None

    @property
    def forward(self) -> Any:
        """The body as a function from ``names`` to ``writes``."""
        if self._forward is None:
            lowering = Lowering(self.block, self.names, closed=True).run()
            self._forward = Forward(lowering, [lowering.read(w) for w in self.writes])
        return self._forward

    def run_tensors(self, values: Any) -> Any:
        """Tensors of ``writes`` for those of ``names``, recorded on the tape."""
        lowering = Lowering(self.block, self.names, closed=True).run()
        env = dict(zip(lowering.graph.inputs, values))
        lowering.graph.run_tensors(env)
        return [env.get(lowering.values[w]) for w in self.writes]

    def plan(self) -> Plan:
        """Plan of values of ``names`` -> values of ``writes``, then what gradients need."""
        return Plan(passes.apply(self.forward.graph(), INNER))


def zeros(meta: Meta | None) -> Any:
    """Zeros like a value of which shape and dtype are known; an empty list for a tensor array."""
    if meta is None:
        return None
    if meta.shape is None:
        return []
    return np.zeros(meta.shape, meta.dtype)


def add(a: list[Any] | np.ndarray | None, b: list[Any] | np.ndarray | None) -> list[Any] | np.ndarray | None:
    """The sum of two gradients, of which None is zero; tensor arrays are added member by member."""
    if a is None or b is None:
        return b if a is None else a
    if isinstance(a, list):
        return [add(a[k] if k < len(a) else None, b[k] if k < len(b) else None) for k in range(max(len(a), len(b)))]
    return a + b


class ControlCall(Call):
    """Base: inputs are the condition and the outer names, outputs the written names and what the backward needs."""

    differentiable = True
    first: int  # position of the first outer name among the inputs

    def __init__(self, body: Body, attrs: dict[Any, Any]) -> None:
        self.body, self.attrs = body, attrs
        self.effect = any(op.type in ("print", "assert", "py_func") for op in body.block.ops)

    def label(self) -> Any:
        return f"{self.type}{{block {self.body.block.idx}}}"

    def position(self, name: Any) -> Any:
        """Position of an outer name among the inputs."""
        return self.first + self.body.names.index(name)

    def grad_positions(self) -> Any:
        return range(self.first, self.first + len(self.body.names))


class ConditionalCall(ControlCall):
    """conditional_block: run the body if the condition holds, else keep what the written names had before."""

    type, first = "conditional_block", 1

    @property
    def in_slots(self) -> list[Any]:
        return [("Cond", 1, True), ("Input", len(self.body.names), True)]

    @property
    def out_slots(self) -> list[Any]:
        return [("Out", len(self.body.writes), True), ("Scope", 1, True)]

    def prepare(self) -> Callable[..., Any]:
        body, plan = self.body, self.body.plan()
        n, olds = len(body.writes), [body.names.index(w) for w in body.writes]

        def run(condition: np.ndarray, *values: Any) -> Any:
            if not truth(condition, "conditional_block"):
                return [*[values[k] for k in olds], None]
            outputs, _ = plan(values)
            return [*outputs[:n], outputs[n:]]
        return run

    def run_tensors(self, ins: Any) -> Any:
        condition, *values = ins
        if not truth(condition._data, "conditional_block"):
            return [*[values[self.body.names.index(w)] for w in self.body.writes], None]
        return [*self.body.run_tensors(values), None]

    def gradient(self, wanted: list[Any], given: list[Any]) -> ConditionalGradCall:
        return ConditionalGradCall(self, wanted, given)


class ConditionalGradCall(Call):
    """Gradients of a conditional_block: those of its body if it ran."""

    type = "conditional_block_grad"

    def __init__(self, inner: Any, wanted: list[Any], given: list[Any]) -> None:
        self.inner, self.wanted = inner, tuple(wanted)
        self.attrs = inner.attrs
        body = inner.body
        n = len(body.writes)
        self.given = [k for k in given if k < n]
        self.backward = body.forward.differentiate(self.given, [w - 1 for w in wanted])
        body.forward.backwards.append(self.backward)
        self.n_in, self.n_out = 1 + len(body.names), n + 1
        self.needs_shape = {*wanted, *[self.n_in + k for k in self.given]}

    @property
    def in_slots(self) -> list[Any]:
        inner = self.inner
        return [*inner.in_slots, *inner.out_slots, *[(s + GRAD, n, many) for s, n, many in inner.out_slots]]

    @property
    def out_slots(self) -> list[Any]:
        return [(s + GRAD, n, many) for s, n, many in self.inner.in_slots]

    def trim(self, ins: list[Any]) -> list[Any]:
        scope = self.n_in + self.n_out - 1
        return [v if p in self.needs_shape or p == scope or p >= self.n_in + self.n_out else None for p, v in enumerate(ins)]

    def named(self, ins: list[Any]) -> list[Any]:
        """Only these are named in the program: the rest is known from the operator whose gradient this is."""
        scope = self.n_in + self.n_out - 1
        return [v if p >= scope else None for p, v in enumerate(ins)]

    def prepare(self) -> Callable[..., Any]:
        plan, body = Plan(passes.apply(self.backward.graph, INNER)), self.inner.body
        first, last = body.forward.kept_by(self.backward)
        n_in, n_out, wanted, given = self.n_in, self.n_out, self.wanted, self.given
        passed = {1 + body.names.index(w): k for k, w in enumerate(body.writes)}

        def run(*flat: Any) -> Any:
            kept, grads = flat[n_in + n_out - 1], flat[n_in + n_out:]
            result = [None] * n_in
            if kept is None:  # not taken: written names kept their old values, so their gradients pass
                for w in wanted:
                    passing = grads[passed[w]] if w in passed and passed[w] in given else None
                    result[w] = zeros(flat[w]) if passing is None else passing
                return result
            seeds = [zeros(flat[n_in + k]) if grads[k] is None else grads[k] for k in given]
            found, _ = plan([*kept[first:last], *seeds])
            for w, g in zip(wanted, found):
                result[w] = zeros(flat[w]) if g is None else g
            return result
        return run


class WhileCall(ControlCall):
    """while: run the body again and again while the condition, which it writes anew, holds."""

    type, first = "while", 0

    def __init__(self, body: Body, attrs: dict[Any, Any], condition: str) -> None:
        super().__init__(body, attrs)
        if condition not in body.names:
            body.names.append(condition)
            body.reads.append(condition)
        self.condition = condition

    @property
    def in_slots(self) -> list[Any]:
        return [("X", len(self.body.names), True)]

    @property
    def out_slots(self) -> list[Any]:
        return [("Out", len(self.body.writes), True), ("StepScopes", 1, True)]

    def prepare(self) -> Callable[..., Any]:
        body, plan = self.body, self.body.plan()
        n, condition = len(body.writes), body.names.index(self.condition)
        places = [(k, body.names.index(w)) for k, w in enumerate(body.writes)]
        keeping = bool(body.forward.backwards)

        def run(*given: Any) -> Any:
            values, kept = list(given), []
            while truth(values[condition], "while"):
                outputs, _ = plan(values)
                for k, place in places:
                    values[place] = outputs[k]
                if keeping:
                    kept.append(outputs[n:])
            return [*[values[place] for _, place in places], kept]
        return run

    def run_tensors(self, ins: Any) -> Any:
        values, names = list(ins), self.body.names
        places = [names.index(w) for w in self.body.writes]
        while truth(values[names.index(self.condition)]._data, "while"):
            for place, new in zip(places, self.body.run_tensors(values)):
                values[place] = new
        return [*[values[p] for p in places], None]

    def gradient(self, wanted: list[Any], given: list[Any]) -> WhileGradCall:
        return WhileGradCall(self, wanted, given)


class WhileGradCall(ConditionalGradCall):
    """Gradients of a while: the body's, from the last iteration to the first; values that every one reads add up."""

    type = "while_grad"

    def __init__(self, inner: Any, wanted: list[Any], given: list[Any]) -> None:
        self.inner, self.attrs, self.wanted = inner, inner.attrs, tuple(wanted)
        body = inner.body
        n = len(body.writes)
        carried = {body.names.index(w): k for k, w in enumerate(body.writes)}
        flowing = {k for k in given if k < n}
        real = {p for p, k in carried.items() if (dtype := body.block.find(body.writes[k]).dtype) is not None
                and (dtype.is_floating or dtype.is_complex)}
        while True:  # which written names carry gradients from iteration to iteration, be their first values wanted or not
            inputs = sorted({*wanted, *real})
            found = body.forward.differentiate(sorted(flowing), inputs).results
            more = {carried[p] for p, g in zip(inputs, found) if g is not None and p in carried}
            if more <= flowing:
                break
            flowing |= more
        inputs = sorted({*wanted, *[body.names.index(body.writes[k]) for k in flowing]})
        self.backward = body.forward.differentiate(sorted(flowing), inputs)
        body.forward.backwards.append(self.backward)
        self.given, self.inputs, self.carried = sorted(flowing), inputs, carried
        self.n_in, self.n_out = len(body.names), n + 1
        self.needs_shape = {*wanted, *[self.n_in + k for k in self.given],
                            *[body.names.index(body.writes[k]) for k in self.given]}

    def prepare(self) -> Callable[..., Any]:
        plan = Plan(passes.apply(self.backward.graph, INNER))
        first, last = self.inner.body.forward.kept_by(self.backward)
        n_in, n_out, given, inputs, carried = self.n_in, self.n_out, self.given, self.inputs, self.carried

        def run(*flat: Any) -> Any:
            turns, grads = flat[n_in + n_out - 1], flat[n_in + n_out:]
            flowing = {k: zeros(flat[n_in + k]) if grads[k] is None else grads[k] for k in given}
            total = dict.fromkeys(inputs)
            for kept in reversed(turns):
                found, _ = plan([*kept[first:last], *[flowing[k] for k in given]])
                for p, g in zip(inputs, found):
                    if p not in carried:
                        total[p] = add(total[p], g)
                    elif carried[p] in flowing:
                        before = flowing[carried[p]]
                        flowing[carried[p]] = _nothing(before) if g is None else g
            result = [None] * n_in
            for p in self.wanted:
                g = flowing[carried[p]] if p in carried and carried[p] in flowing else total.get(p)
                result[p] = zeros(flat[p]) if g is None else g
            return result
        return run


def _nothing(like: Any) -> Any:
    return [] if isinstance(like, list) else np.zeros_like(like)


def truth(condition: np.ndarray, function: str) -> bool:
    """The truth of a one-element condition."""
    if condition is None or condition.size != 1:
        what = "nothing" if condition is None else f"shape {list(condition.shape)}"
        raise ValueError(f"{function}(): the condition must have one element, got {what}")
    return bool(condition.reshape(()))


# ---- lowering ------------------------------------------------------------------------------------------------------------
def _outer_values(lowering: Lowering, body: Body) -> list[Any]:
    return [lowering.read(n) if n in body.reads else lowering.maybe(n) for n in body.names]


@special("conditional_block", "conditional_block_infer")
def _conditional(lowering: Lowering, operator: Operator) -> None:
    if not operator.attrs.get("is_scalar_condition", False):
        raise NotImplementedError("conditional_block: a condition that is not one element (is_scalar_condition=False) is not "
                                  "supported")
    body = Body(operator.attrs["sub_block"])
    condition, = [lowering.read(n) for n in operator.input("Cond")]
    scope = operator.output("Scope")
    lowering.add(ConditionalCall(body, operator.attrs), [condition, *_outer_values(lowering, body)],
                 [*body.writes, scope[0] if scope else None], operator)


@special("while")
def _while(lowering: Lowering, operator: Operator) -> None:
    body = Body(operator.attrs["sub_block"])
    call = WhileCall(body, operator.attrs, operator.input("Condition")[0])
    if call.condition not in body.reads:
        body.reads.append(call.condition)  # written by the body, but looked at before it runs
    scopes = operator.output("StepScopes")
    lowering.add(call, _outer_values(lowering, body), [*body.writes, scopes[0] if scopes else None], operator)


@special("conditional_block_grad", "while_grad")
def _control_grad(lowering: Lowering, operator: Operator) -> None:
    slot = "Scope" if operator.type.startswith("cond") else "StepScopes"
    forward = lowering.read(operator.input(slot)[0]).node
    if forward is None or not isinstance(forward.call, ControlCall):
        raise NotImplementedError(f"{operator.type}: the operator it belongs to is not in the program")
    inner = forward.call
    outs = _row(operator.outputs, inner.in_slots)
    given = _row(operator.inputs, inner.out_slots)
    call = inner.gradient([p for p, n in enumerate(outs) if n], [k for k, n in enumerate(given) if n])
    ins = [*forward.ins, *forward.outs, *[None if n is None else lowering.read(n) for n in given]]
    lowering.add(call, lowering.with_shapes(call, ins), outs, operator)


def _row(table: dict[Any, Any], slots: list[Any]) -> list[Any]:
    flat = []
    for name, n, _ in slots:
        names = table.get(name + GRAD, [])
        flat += [names[k] if k < len(names) and names[k] != EMPTY else None for k in range(n)]
    return flat


# ---- choosing ------------------------------------------------------------------------------------------------------------
class SelectInput(Call):
    """select_input: the value that the mask numbers."""

    type, single, differentiable = "select_input", True, True

    def __init__(self, n: int) -> None:
        self.n = n
        self.in_slots, self.out_slots = [("X", n, True), ("Mask", 1, False)], [("Out", 1, False)]

    def key(self) -> tuple[Any, ...]:
        return ("select_input", self.n)

    def prepare(self) -> Callable[..., Any]:
        return lambda *flat: flat[int(flat[-1].reshape(()))]

    def run_tensors(self, ins: Any) -> Any:
        return [ins[int(ins[-1])]]

    def grad_positions(self) -> Any:
        return range(self.n)

    def gradient(self, wanted: list[Any], given: list[Any]) -> SelectInputGrad:
        return SelectInputGrad(self, wanted)


class SelectInputGrad(Call):
    """Gradients of select_input: all of it to the chosen value, zeros to the others."""

    type = "select_input_grad"

    def __init__(self, inner: Any, wanted: list[Any]) -> None:
        self.inner, self.wanted, self.needs_shape = inner, tuple(wanted), set(wanted)
        self.in_slots = [*inner.in_slots, *inner.out_slots, ("Out" + GRAD, 1, False)]
        self.out_slots = [("X" + GRAD, inner.n, True), ("Mask" + GRAD, 1, False)]

    def trim(self, ins: list[Any]) -> list[Any]:
        return [v if p in self.needs_shape or p in (self.inner.n, self.inner.n + 2) else None for p, v in enumerate(ins)]

    def prepare(self) -> Callable[..., Any]:
        n, wanted = self.inner.n, self.wanted

        def run(*flat: Any) -> Any:
            chosen, g = int(flat[n].reshape(())), flat[n + 2]
            return [(g if k == chosen else zeros(flat[k])) if k in wanted else None for k in range(n)] + [None]
        return run


@special("select_input")
def _select_input(lowering: Lowering, operator: Operator) -> None:
    names = operator.input("X")
    values = [lowering.maybe(n) for n in names]
    lowering.add(SelectInput(len(names)), [*values, lowering.read(operator.input("Mask")[0])], operator.output("Out"), operator)


@special("select_input_grad")
def _select_input_grad(lowering: Lowering, operator: Operator) -> None:
    names, outs = operator.input("X"), operator.output("X" + GRAD)
    inner = SelectInput(max(len(names), len(outs)))
    call = SelectInputGrad(inner, [k for k, n in enumerate(outs) if n != EMPTY])
    values = [None if n == EMPTY else lowering.maybe(n) for n in names]
    ins = [*values, lowering.read(operator.input("Mask")[0]), None, lowering.read(operator.input("Out" + GRAD)[0])]
    lowering.add(call, lowering.with_shapes(call, ins), [*outs, None], operator)


class SelectOutput(Call):
    """select_output: the value goes to the output that the mask numbers; the others get nothing."""

    type, single, differentiable = "select_output", False, True

    def __init__(self, n: int) -> None:
        self.n = n
        self.in_slots, self.out_slots = [("X", 1, False), ("Mask", 1, False)], [("Out", n, True)]

    def prepare(self) -> Callable[..., Any]:
        n = self.n
        return lambda x, mask: [x if k == int(mask.reshape(())) else None for k in range(n)]

    def grad_positions(self) -> Any:
        return range(1)

    def gradient(self, wanted: list[Any], given: list[Any]) -> SelectOutputGrad:
        return SelectOutputGrad(self)


class SelectOutputGrad(Call):
    """The gradient of select_output: that of the output which got the value."""

    type = "select_output_grad"

    def __init__(self, inner: Any) -> None:
        self.inner = inner
        self.in_slots = [*inner.in_slots, *inner.out_slots, ("Out" + GRAD, inner.n, True)]
        self.out_slots = [("X" + GRAD, 1, False), ("Mask" + GRAD, 1, False)]

    def trim(self, ins: list[Any]) -> list[Any]:
        return [v if p < 2 or p >= 2 + self.inner.n else None for p, v in enumerate(ins)]

    def prepare(self) -> Callable[..., Any]:
        first = 2 + self.inner.n

        def run(*flat: Any) -> Any:
            g = flat[first + int(flat[1].reshape(()))]
            return [zeros(flat[0]) if g is None else g, None]
        return run


@special("select_output")
def _select_output(lowering: Lowering, operator: Operator) -> None:
    outs = operator.output("Out")
    lowering.add(SelectOutput(len(outs)), [lowering.read(operator.input(s)[0]) for s in ("X", "Mask")], outs, operator)


@special("select_output_grad")
def _select_output_grad(lowering: Lowering, operator: Operator) -> None:
    given = operator.input("Out" + GRAD)
    inner = SelectOutput(len(given))
    ins = [*[lowering.read(operator.input(s)[0]) for s in ("X", "Mask")], *[None] * len(given),
           *[None if n == EMPTY else lowering.maybe(n) for n in given]]
    lowering.add(SelectOutputGrad(inner), ins, [*operator.output("X" + GRAD), None], operator)
