"""Elementwise chains: how operators are written as steps of the native chain kernel, and the call that runs one."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ....core.context import process
from ....core.formula import Result, Writer
from ....kernels import thresholds
from .op import Call, GradCall, OpCall

if TYPE_CHECKING:
    from ...schedule.binding import Binding
    from ..graph import Node



def steps_of(node: Node) -> Callable[..., Any] | None:
    """What a node does, as a function ``write(emit, registers) -> register``; None if the chain kernel can't."""
    call = node.call
    inner = call.inner if isinstance(call, GradCall) else call
    if not isinstance(inner, OpCall) or inner.op.step is None:
        return None
    write = inner.op.step.forward(inner.values) if inner is call else inner.op.step.backward(inner.values)
    declined = write is not None and write(Writer().emit, [None if v is None else k for k, v in enumerate(node.ins)]) is None
    return None if declined else write  # such as bounds of clip that are tensors


class ChainCall(Call):
    """A chain of elementwise nodes. Arrays that the kernel does not take go through the nodes one by one."""

    type = "chain"

    def __init__(self, nodes: list[Any], inputs: list[Any], results: list[Any]) -> None:
        self.nodes, self.inputs, self.results = list(nodes), list(inputs), list(results)
        self.writer = Writer()
        self.register: dict[Any, Any] = {v: k for k, v in enumerate(inputs)}
        for node in nodes:
            write: Any = steps_of(node)
            self.register[node.outs[0]] = write(self.writer.emit, [self.register.get(v) for v in node.ins])
        taken: set[Any] = set()
        for v in results:  # the kernel writes each of them into memory of its own
            found = self.register[v]
            if not isinstance(found, Result) or found in taken:
                found = self.register[v] = self.writer.again(found)
            taken.add(found)
        self.feeds = self._feeds()

    def _feeds(self) -> list[Any]:
        """For each result, which inputs it depends on (their common shape must be that of the chain)."""
        known = {v: {k} for k, v in enumerate(self.inputs)}
        for node in self.nodes:
            known[node.outs[0]] = set().union(*[known[v] for v in node.ins if v is not None])
        return [sorted(known[v]) for v in self.results]

    def label(self) -> str:
        return "chain{" + ", ".join(n.type for n in self.nodes) + "}"

    def program(self) -> tuple[Any, ...]:
        """(bytes of the steps, constants, registers of the results) for the kernel."""
        return self.writer.program(len(self.inputs), [self.register[v] for v in self.results])

    def prepare(self) -> Callable[..., Any]:
        program, constants, results = self.program()
        slow = self._one_by_one()

        def run(*arrays: Any) -> list[Any] | tuple[Any, ...]:
            if not self._fits(arrays):
                return slow(arrays)
            found = process.native.eltwise_chain(program, [np.ascontiguousarray(a) for a in arrays], constants, results)
            return slow(arrays) if found is NotImplemented else found
        return run

    def _fits(self, arrays: list[Any] | tuple[Any, ...]) -> bool:
        """Has the kernel something to do, and every result the shape of the largest input?"""
        largest = max(a.size for a in arrays)
        if process.native is None or largest < thresholds.CHAIN_ELEMENTS:
            return False
        shape, everything = next(a.shape for a in arrays if a.size == largest), list(range(len(arrays)))
        return all(feed == everything or np.broadcast_shapes(*[arrays[k].shape for k in feed]) == shape for feed in self.feeds)

    def bind(self, note: Binding, ins: list[Any]) -> Any:
        if not self._fits([k.value for k in ins]):
            return self._bind_one_by_one(note, ins)
        chain, (program, constants, results), mark = process.native.eltwise_chain, self.program(), len(note.notes)
        found = note.call(lambda *arrays: chain(program, arrays, constants, results), [k.dense() for k in ins])
        if found is NotImplemented:
            note.back_to(mark)
            return self._bind_one_by_one(note, ins)
        return found

    def _bind_one_by_one(self, note: Binding, ins: list[Any]) -> list[Any]:
        found = {None: note.constant(None), **dict(zip(self.inputs, ins))}
        for node in self.nodes:
            found[node.outs[0]] = node.call.bind(note, [found[v] for v in node.ins])[0]
        return [found[v] for v in self.results]

    def _one_by_one(self) -> Callable[..., Any]:
        places = {v: k for k, v in enumerate(self.inputs)}
        plan = []
        for node in self.nodes:
            places[node.outs[0]] = len(places)
            ins = [None if v is None else places[v] for v in node.ins]
            plan.append((node.call.prepare(), ins, node.call.single))
        wanted = [places[v] for v in self.results]

        def run(arrays: tuple[Any, ...]) -> list[Any]:
            env = list(arrays)
            for call, ins, single in plan:
                result = call(*[None if k is None else env[k] for k in ins])
                env.append(np.asarray(result if single else result[0]))
            return [env[k] for k in wanted]
        return run
