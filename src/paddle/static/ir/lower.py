"""From a program's block to a Graph: every write of a variable becomes a Value of its own.

Types without an op (control flow, arrays, feed and fetch ...) register a function in ``SPECIAL``.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ...core.attributes import VarName, from_file
from ...core.errors import suggest
from ...core.op import OPS
from ...serialization.program_desc import AttrType
from ..program import op_table
from ..program.registry import declared, find
from ..program.variable import LOD_TENSOR_ARRAY, SELECTED_ROWS
from .graph import Graph, Value
from .nodes.op import GRAD, Call, Constant, GradCall, MetaCall, OpCall, RowsCall

if TYPE_CHECKING:
    from ...core.op import Op
    from ..program.program import Block, Operator, Program

class ByType(dict[str, Callable[..., Any]]):
    """Functions by the type of operator that they are for."""

    def of(self, *types: str) -> Callable[..., Any]:
        """Decorator: the function is for operators of these types."""
        def register(function: Callable[..., Any]) -> Callable[..., Any]:
            self.update(dict.fromkeys(types, function))
            return function
        return register


SPECIAL = ByType()  # type -> function(lowering, operator); of those of HOMES from the first operator on
HOMES = {kind: module for module, kinds in {  # types whose functions are imported when an operator of them comes
    ".nodes.array": ("write_to_array", "read_from_array", "lod_array_length", "tensor_array_to_tensor", "array_sum",
                     "write_to_array_grad", "read_from_array_grad", "tensor_array_to_tensor_grad"),
    ".nodes.beam": ("beam_search_decode",),
    ".nodes.control": ("conditional_block", "conditional_block_infer", "while", "conditional_block_grad", "while_grad",
                       "select_input", "select_input_grad", "select_output", "select_output_grad"),
    ".nodes.steps": ("lod_tensor_to_array", "array_to_lod_tensor", "lod_tensor_to_array_grad", "array_to_lod_tensor_grad"),
    "..debug": ("print", "print_grad", "assert", "load", "py_func", "py_func_grad"),
    "..gradient_hooks": ("register_hook", "gradient_hook"),
    "..nn.pylayer": ("pylayer", "pylayer_grad"),
}.items() for kind in kinds}
special = SPECIAL.of
EMPTY = "@EMPTY@"  # stands for an absent member of a list slot


def is_special(op_type: str) -> bool:
    """Are operators of a type lowered by a function of their own?"""
    return op_type in SPECIAL or op_type in HOMES


def op_of(op_type: str) -> Op | None:
    """The op that operators of a type, or their gradients, run; None for those that are lowered by a function of their own."""
    return None if is_special(op_type) else declared(op_type)[0]


class Differentiable:
    """A Graph to which gradient calls can be added (see ``differentiate.py``)."""

    closed = False  # is it a part of another one, which takes gradients as arrays?

    def __init__(self, graph: Graph) -> None:
        self.graph, self.metas = graph, {}

    def whole(self, value: Value) -> Value:
        """A value that is an array for certain."""
        if value is None or not value.rows:
            return value
        return self.graph.add(RowsCall(OpCall(find("assign"), [], [None], 1)), [value], [value.name + ".whole"])[0]

    def with_shapes(self, call: Any, ins: list[Any]) -> list[Any]:
        """A gradient call's inputs: those of which only the shape is needed give just that, and need not be kept."""
        ins = call.trim(ins)
        for p in getattr(call, "needs_shape", ()):
            v = ins[p]
            if v is not None:
                if v not in self.metas:
                    self.metas[v], = self.graph.add(MetaCall(), [v], [v.name + ".shape"])
                ins[p] = self.metas[v]
        return ins


class Lowering(Differentiable):
    """Builds the Graph of one block. ``inputs``: names given by the caller; names nobody gives become states."""

    def __init__(self, block: Block, inputs: list[Any], closed: bool = False) -> None:
        self.block, self.closed = block, closed  # closed: a sub-block, whose outside values all come as inputs
        super().__init__(Graph())
        self.graph.exact = block.program.exact_shapes and not closed
        self.values = {}
        for name in inputs:
            value = Value(name, block.find(name))
            self.graph.inputs.append(value)
            self.values[name] = value

    # ---- values by name ----
    def known(self, name: Any) -> Any:
        """Does the name have a value here already?"""
        return name in self.values

    def read(self, name: str) -> Value:
        """The current Value of a name."""
        value = self.values.get(name)
        if value is None:
            var = self.block.find(name)
            if var is not None and var.kind == LOD_TENSOR_ARRAY and not var.persistable:
                value, = self.graph.add(Constant([]), [], [name], variables=[var])
            elif self.closed:
                raise RuntimeError(f"variable {name!r} is read in block {self.block.idx} before anything writes it")
            else:
                value = self.graph.states[name] = Value(name, var)
                value.rows = var is not None and var.kind == SELECTED_ROWS
            self.values[name] = value
        return value

    def maybe(self, name: str) -> Value | None:
        """The current Value of a name, or None if it has none yet."""
        if name in self.values:
            return self.values[name]
        var = self.block.find(name)
        if var is not None and (var.persistable or var.kind == LOD_TENSOR_ARRAY):
            return self.read(name)
        return None

    def write(self, name: str, value: Value) -> None:
        """Let a name stand for another Value from here on."""
        self.values[name] = value

    def add(self, call: Call, ins: list[Any], names: list[Any], operator: Operator | None = None) -> list[Any]:
        """A node whose outputs take these names (None: not wanted)."""
        names = [None if n in (None, EMPTY) else n for n in names]
        variables = [None if n is None else self.block.find(n) for n in names]
        outs = self.graph.add(call, ins, names, operator, variables)
        for name, out in zip(names, outs):
            if out is not None:
                out.rows = getattr(call, "gives_rows", False)
                self.write(name, self.whole(out) if self.closed else out)
        return outs

    # ---- operators ----
    def operator(self, operator: Operator) -> Any:
        """Add what one operator does."""
        if is_special(operator.type):
            if operator.type not in SPECIAL:
                importlib.import_module(HOMES[operator.type], __package__)
            return SPECIAL[operator.type](self, operator)
        op, level = declared(operator.type)
        if op is None:
            raise NotImplementedError(f"operator {operator.type!r} is not known{suggest(operator.type, OPS)}{place(operator)}")
        if level == 0:
            return self.forward(op, operator)
        return self.gradient(op, level, operator)

    def forward(self, op: Op, operator: Operator) -> None:
        """An operator that is an op's call."""
        call, names, outs = op_call(op, operator)
        ins = [None if n in (None, EMPTY) else self.read(n) for n in names]
        if isinstance(call, DynamicCall):
            ins = [None if v is None else self.whole(v) for v in ins]
        elif any(v is not None and v.rows for v in ins):
            call = RowsCall(call)
        self.add(call, ins + [self.read(n) for n in getattr(call, "variables", ())], outs, operator)

    def gradient(self, op: Op, level: int, operator: Operator) -> None:
        """An operator that is the gradient of an op's call (or of that gradient, and so on)."""
        call, names, outs = grad_call(op, level, operator)
        ins = [None if n in (None, EMPTY) else self.whole(self.read(n)) for n in names]
        self.add(call, self.with_shapes(call, ins), outs, operator)

    def run(self) -> Lowering:
        """Lower all operators of the block."""
        for operator in self.block.ops:
            self.operator(operator)
        return self


def place(operator: Any) -> str:
    """Where the user's program made an operator, as the end of a message."""
    return f" (added at {operator.where[0]}:{operator.where[1]})" if operator is not None and operator.where else ""


class DynamicCall(Call):
    """An op some of whose attributes are variables: they follow the tensors as further inputs."""

    differentiable = property(lambda self: self.op.differentiable)

    def __init__(self, op: Any, attrs: Any, layout: Any, n_outs: Any) -> None:
        self.op, self.attrs, self.layout = op, attrs, layout
        self.type, self.single = op.type, op.single
        self.slots_of, self.variables = [], []
        for name, value in attrs.items():
            many = isinstance(value, (list, tuple))
            names = list(value) if many else [value]
            if any(isinstance(n, VarName) for n in names):
                kind = op_table.attr_type(op.type, name, [])
                self.slots_of.append((name, many or kind in (AttrType.INTS, AttrType.LONGS), len(names)))
                self.variables += names
        tensors = OpCall(op, [None] * len(op.attr_names), layout, n_outs)
        self.nest, self.positions, self.out_slots = tensors.nest, tensors.grad_positions(), tensors.out_slots
        self.in_slots = [*tensors.in_slots, ("AttributeVariables", len(self.variables), True)]
        self.n_tensors = sum(1 if k is None else k for k in layout)

    def grad_positions(self) -> Any:
        return self.positions

    def named(self, ins: list[Any]) -> list[Any]:
        return ins[:self.n_tensors] + [None] * len(self.variables)  # the attributes name the others

    def _values(self, variables: list[Any]) -> list[Any]:
        """The op's attribute values of a run."""
        attrs, rest = dict(self.attrs), list(variables)
        for name, many, count in self.slots_of:
            numbers = np.concatenate([np.ravel(a) for a in rest[:count]]).tolist()
            attrs[name] = numbers if many or len(numbers) > 1 else numbers[0]
            del rest[:count]
        return from_file(self.op, attrs)

    def prepare(self) -> Any:
        op, n = self.op, self.n_tensors
        return lambda *flat: op.run_arrays([*self.nest(flat[:n]), *self._values(flat[n:])])

    def run_tensors(self, ins: Any) -> Any:
        """Run on Tensors, recording on the tape; returns flat outputs."""
        numbers = [getattr(v, "_data", v) for v in ins[self.n_tensors:]]
        out = self.op(*self.nest(ins[:self.n_tensors]), *self._values(numbers))
        return [out] if self.single else list(out)

    def gradient(self, wanted: Any, given: Any) -> GradCall:
        if self.op.facts.random:  # the gradient would draw once more
            raise NotImplementedError(f"{self.type}: a random operator with Variables as attributes has no gradient")
        return GradCall(self, wanted, given)


def _is_dynamic(value: Any) -> bool:
    return isinstance(value, VarName) or isinstance(value, (list, tuple)) and any(isinstance(v, VarName) for v in value)


def _inputs(op: Op, operator: Operator, table: dict[Any, Any]) -> tuple[Any, ...]:
    """(layout, flat names) of an op's input slots in one of the operator's tables."""
    layout: list[int | None] = []
    flat = []
    for slot in op.inputs:
        names = table.get(slot.name, [])
        if slot.is_list:
            layout.append(len(names))
            flat += names
        else:
            layout.append(None)
            flat.append(names[0] if names else None)
    return layout, flat


def op_call(op: Op, operator: Operator) -> tuple[Any, ...]:
    """(call, flat input names, flat output names) of an operator."""
    layout, ins = _inputs(op, operator, operator.inputs)
    for slot in op.inputs:
        if not slot.optional and not operator.input(slot.name):
            raise ValueError(f"operator {operator.type}: the input {slot.name} is missing{place(operator)}")
    known = {*(s.name for s in op.inputs), *(op.facts.numbers or ())}
    attrs, extra = _attrs(op, operator), [s for s, names in operator.inputs.items() if names and s not in known]
    if extra:
        raise NotImplementedError(f"operator {operator.type}: the input {extra[0]} is not supported{place(operator)}")
    outs = []
    for slot in op.outputs:
        names = operator.output(slot.name)
        outs += names if slot.is_list else [names[0] if names else None]
    if any(_is_dynamic(v) for v in attrs.values()):
        return DynamicCall(op, attrs, layout, len(outs)), ins, outs
    try:
        values = from_file(op, operator.attrs)
    except (ValueError, TypeError, KeyError) as error:
        raise ValueError(f"operator {operator.type}: {error}{place(operator)}") from error
    return OpCall(op, values, layout, len(outs), operator.attrs), ins, outs


def _attrs(op: Op, operator: Operator) -> dict[str, Any]:
    """The attributes of an operator, or of its gradient's, with the variables that give some of them through input slots."""
    return {**operator.attrs, **{name: VarName(operator.inputs[slot][0]) for slot, name in (op.facts.numbers or {}).items()
                                 if operator.inputs.get(slot)}}


def _take(slots: list[Any], table: dict[Any, Any], suffix: str = "") -> list[Any]:
    """Flat names (None where absent) of slots in one of an operator's tables."""
    flat = []
    for name, n, _ in slots:
        names = table.get(name + suffix, [])
        flat += [names[k] if k < len(names) and names[k] != EMPTY else None for k in range(n)]
    return flat


def grad_call(op: Op, level: int, operator: Operator) -> tuple[Any, ...]:
    """(call, flat input names, flat output names) of a gradient operator; its slots follow from the call's below it."""
    inputs, outputs = operator.inputs, operator.outputs
    layout = [max(len(inputs.get(s.name, [])), len(outputs.get(s.name + GRAD, [])) if level == 1 else 0)
              if s.is_list else None for s in op.inputs]
    n_outs = sum(max(len(inputs.get(s.name, [])), len(inputs.get(s.name + GRAD, []))) if s.is_list else 1
                 for s in op.outputs)
    attrs = _attrs(op, operator)
    if any(_is_dynamic(v) for v in attrs.values()):
        call: Any = DynamicCall(op, attrs, layout, n_outs)
    else:
        call = OpCall(op, from_file(op, operator.attrs), layout, n_outs, operator.attrs)
    for k in range(1, level + 1):
        suffix = GRAD if k == 1 else f"{GRAD}{k}"
        given = [i for i, n in enumerate(_take(call.out_slots, inputs, suffix)) if n]
        table = outputs if k == level else inputs
        wanted = [i for i, n in enumerate(_take(call.in_slots, table, suffix)) if n]
        call = GradCall(call, wanted, given)
    return call, _take(call.in_slots, inputs), _take(call.out_slots, outputs)


def lower(program: Program, inputs: list[Any], fetches: list[Any]) -> Graph:
    """The Graph of a program's block 0: fed names in, fetched names out, persistable variables read and written."""
    lowering = Lowering(program.global_block(), inputs).run()
    graph = lowering.graph
    graph.outputs = [lowering.whole(lowering.read(name)) for name in fetches]
    graph.updates = persistent_writes(lowering)
    return graph


def persistent_writes(lowering: Lowering) -> dict[Any, Any]:
    """Name -> Value of the persistable variables that the block writes."""
    graph, block = lowering.graph, lowering.block
    given = set(graph.inputs)  # what is fed is written only if an operator writes it
    return {name: value for name, value in lowering.values.items() if name in block.vars and block.vars[name].persistable
            and value is not graph.states.get(name) and value not in given}


@special("feed")
def _feed(lowering: Any, operator: Any) -> None:
    for name in operator.output("Out"):
        if not lowering.known(name):
            raise ValueError(f"the program has the input {name!r}, which was not fed")


@special("fetch")
def _fetch(lowering: Any, operator: Any) -> None:
    """Results are fetched by name."""


@special("moving_average_abs_max_scale")
def _measure(lowering: Any, operator: Any) -> None:
    """In tests what is measured passes, and the scale that a program keeps stays: no input holds it, so the op can't give it on."""
    if operator.attr("is_test"):
        for name in operator.output("Out"):
            lowering.write(name, lowering.read(operator.input("X")[0]))
    else:
        lowering.forward(find(operator.type), operator)
