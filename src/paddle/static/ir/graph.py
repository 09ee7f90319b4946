"""The one structure that gradients, passes and plans work on: a list of nodes over values that are written once.

A block's variables can be written several times; ``lower.py`` gives each write a Value of its own. A Node says what to do
(its Call, see ``calls.py``) with which values; control flow is a Call that holds Graphs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...core.tensor import Tensor

if TYPE_CHECKING:
    from ..program.program import Operator
    from ..program.variable import Variable


class Value:
    """One version of a variable: its name, the Variable it is a version of (None for helpers), who makes it, whether it may be
    SelectedRows rather than an array, and the calls that its gradient goes through (``gradient_hooks.py``)."""

    __slots__ = ("name", "var", "node", "rows", "hooks")

    def __init__(self, name: str, var: Variable | None = None, node: Any = None) -> None:
        self.name, self.var, self.node, self.rows, self.hooks = name, var, node, False, ()

    def __repr__(self) -> Any:
        return f"%{self.name}"


class Node:
    """A call with its input Values (None where an optional one is absent) and output Values (None where not wanted)."""

    __slots__ = ("call", "ins", "outs", "operator")

    def __init__(self, call: Any, ins: list[Any] | tuple[Any, ...], outs: list[Any], operator: Operator | None = None) -> None:
        self.call, self.ins, self.outs, self.operator = call, list(ins), list(outs), operator
        for out in self.outs:
            if out is not None:
                out.node = self

    @property
    def type(self) -> str:
        return self.call.type

    def __repr__(self) -> str:
        outs = ", ".join("_" if v is None else v.name for v in self.outs)
        ins = ", ".join("_" if v is None else v.name for v in self.ins)
        return f"{outs} = {self.call.label()}({ins})"


class Graph:
    """Nodes in an order in which they can run, with inputs and outputs.

    ``inputs`` are the values given by the caller, ``states`` those read from persistent storage (name -> Value), ``outputs``
    what is returned, ``updates`` what goes back to storage (name -> Value).
    """

    def __init__(self, inputs: list[Any] | tuple[Any, ...] = ()) -> None:
        self.inputs, self.outputs, self.nodes = list(inputs), [], []
        self.states, self.updates = {}, {}
        self.exact = False  # are sizes that Variables know certain, because the program was traced just so?

    def add(self, call: Any, ins: list[Any], names: list[Any], operator: Operator | None = None,
            variables: list[Any] | None = None) -> list[Any]:
        """Append a node; returns its output Values. ``names``: one per output, None where it is not wanted."""
        variables = variables or [None] * len(names)
        outs = [None if n is None else Value(n, v) for n, v in zip(names, variables)]
        self.nodes.append(Node(call, ins, outs, operator))
        return outs

    def run_tensors(self, env: Any) -> None:
        """Run the nodes on Tensors, recording them on the tape; ``env``: Value -> Tensor (a list for a tensor array)."""
        for node in self.nodes:
            outs = node.call.run_tensors([None if v is None else env.get(v) for v in node.ins])
            for value, out in zip(node.outs, outs):
                if value is not None:
                    stopped = value.var is not None and value.var.stop_gradient and isinstance(out, Tensor)
                    env[value] = out.detach() if stopped else out

    def results(self) -> list[Any]:
        """All values that must be there at the end: outputs and updates."""
        return [*self.outputs, *self.updates.values()]

    def uses(self) -> dict[Any, Any]:
        """Value -> nodes that read it, in order; outputs count as one more reader (None)."""
        table = {}
        for node in self.nodes:
            for v in {id(v): v for v in node.ins if v is not None}.values():
                table.setdefault(v, []).append(node)
        for v in self.results():
            if v is not None:
                table.setdefault(v, []).append(None)
        return table

    def makers(self) -> dict[Any, Any]:
        """Value -> the node of this graph that makes it (inputs and states have none)."""
        return {v: node for node in self.nodes for v in node.outs if v is not None}

    def replace(self, mapping: dict[Any, Any]) -> None:
        """Put other Values wherever some are read; ``mapping``: old -> new."""
        def new(v: Value | None) -> Value | None:
            while v in mapping:
                v = mapping[v]
            return v
        for node in self.nodes:
            node.ins = [new(v) for v in node.ins]
        self.outputs = [new(v) for v in self.outputs]
        self.updates = {name: new(v) for name, v in self.updates.items()}

    def __repr__(self) -> str:
        lines = [f"  {n!r}" for n in self.nodes]
        head = f"graph({', '.join(v.name for v in self.inputs)}; {', '.join(self.states)})"
        tail = f"  return {', '.join('_' if v is None else v.name for v in self.outputs)}"
        if self.updates:
            tail += "; update " + ", ".join(f"{name} = {v.name}" for name, v in self.updates.items())
        return "\n".join([head, *lines, tail])
