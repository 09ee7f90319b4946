"""Gradients of a Graph: the one reverse sweep behind append_backward, gradients, control flow and traced functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..program.registry import find
from ..program.variable import LOD_TENSOR_ARRAY
from .nodes.op import GRAD, OpCall, RowsCall

if TYPE_CHECKING:
    from .graph import Value
    from .lower import Differentiable
    from .nodes.op import Call


def can_have_gradient(value: Value, heed_stops: bool = True) -> bool:
    """Is it a tensor of a floating type that is not marked as stopped (if marks count)?"""
    var = value.var
    if var is None:
        return True
    return not (heed_stops and var.stop_gradient) and (var.dtype is None or var.dtype.is_floating or var.dtype.is_complex)


def _sum(value: Value, n: int, rows: bool) -> Call:
    """The call that adds n gradients of a value, SelectedRows among them if ``rows``."""
    if value.var is not None and value.var.kind == LOD_TENSOR_ARRAY:
        from .nodes.array import ArraySum  # which needs gradients of blocks
        return ArraySum(n)
    call = OpCall(find("sum"), [], [n], 1)
    return RowsCall(call) if rows else call


class Differentiation:
    """Appends gradient nodes to what a Lowering (or any Differentiable) has built.

    Args:
        lowering: its graph's nodes are gone through backwards; its graph gets the new nodes.
        wanted: Values whose gradients are asked for.
        blocked: Values that gradients do not pass.
        taken: names of variables that new ones must not have.
        heed_stops: gradients do not pass variables with ``stop_gradient`` either.
    """

    def __init__(self, lowering: Differentiable, wanted: Any, blocked: set[Any] | tuple[Any, ...] = (), taken: Any = (),
                 heed_stops: bool = True) -> None:
        self.heed_stops = heed_stops
        self.lowering, self.graph = lowering, lowering.graph
        self.wanted, self.blocked, self.taken = set(wanted), set(blocked), set(taken)
        self.forward = list(self.graph.nodes)
        self.parts = {}  # Value -> gradients that have arrived
        self.found = {}  # Value -> its complete gradient
        self.fresh = {}  # gradient made here -> the Value it belongs to
        self.active = self._reach()

    def _reach(self) -> set[Any]:
        """Values that depend on a wanted one in a differentiable way."""
        active = set(self.wanted)
        for node in self.forward:
            if node.call.differentiable and any(node.ins[p] in active for p in node.call.grad_positions()
                                                if node.ins[p] is not None):
                active.update(v for v in node.outs if v is not None and v not in self.blocked
                              and can_have_gradient(v, self.heed_stops))
        return active

    def add(self, value: Value, gradient: Value) -> None:
        """One more gradient of a value."""
        if value in self.active and value not in self.blocked:
            self.parts.setdefault(value, []).append(gradient)

    def run(self) -> dict[Any, Any]:
        """Go back through all nodes; returns Value -> gradient Value for everything that was reached."""
        for node in reversed(self.forward):
            grads = [None if v is None else self.complete(v) for v in node.outs]
            if not any(grads):
                continue
            call = node.call
            wanted = [p for p in sorted(call.grad_positions()) if node.ins[p] is not None and node.ins[p] in self.active
                      and node.ins[p] not in self.blocked and self.has_type(node.ins[p])]
            if not wanted:
                continue
            gradient = call.gradient(wanted, [k for k, g in enumerate(grads) if g is not None])
            ins = self.lowering.with_shapes(gradient, [*node.ins, *node.outs, *grads])
            names = [None if p not in wanted else v.name + GRAD for p, v in enumerate(node.ins)]
            outs = self.graph.add(gradient, ins, names, node.operator)
            for v, g in zip(node.ins, outs):
                if g is not None:
                    g.rows = getattr(gradient, "gives_rows", False)
                    self.fresh[g] = v
                    self.add(v, g)
        for v in list(self.parts):
            self.complete(v)
        return self.found

    def has_type(self, value: Value) -> bool:
        return value in self.wanted or can_have_gradient(value, self.heed_stops)

    def complete(self, value: Value) -> Value | None:
        """The gradient of a value: the only one that arrived, or their sum."""
        if value in self.found:
            return self.found[value]
        parts = self.parts.pop(value, None)
        if not parts:
            return None
        total, name = parts[0], value.name + GRAD
        if len(parts) > 1:
            for k, part in enumerate(parts):
                if part in self.fresh:
                    part.name = self.name(f"{name}@RENAME@block0@{k}")
            total, = self.graph.add(_sum(value, len(parts), any(p.rows for p in parts)), parts, [name])
            total.rows = all(p.rows for p in parts)
            self.fresh[total] = value
        if total.rows and (value.node is not None or self.lowering.closed):  # rules take arrays
            total = self.lowering.whole(total)
            self.fresh[total] = value
        for hook in value.hooks:
            seen = self.lowering.whole(total)
            if seen in self.fresh or seen is not total:
                seen.name, self.fresh[seen] = self.name(name + "@UNHOOKED"), value
            total, = self.graph.add(hook, [seen], [name])
            self.fresh[total] = value
        if total in self.fresh:
            total.name = self.name(name)
        self.found[value] = total
        return total

    def name(self, base: str) -> str:
        """A name that is not taken yet."""
        name, k = base, 0
        while name in self.taken:
            name, k = f"{base}_{k}", k + 1
        self.taken.add(name)
        return name
