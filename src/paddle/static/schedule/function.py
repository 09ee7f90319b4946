"""A program as one node of the tape: a function of Tensors whose forward and backward are two plans."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from ...core import autograd, random
from ...core.autograd import BackwardRecipe, Node, enable_grad
from ...core.backward import grad as tape_grad
from ...core.collection import uncollected
from ...core.context import context
from ...core.tensor import Tensor, wrap
from ..backward import gradients
from ..ir import passes
from ..ir.differentiate import Differentiation
from ..ir.graph import Graph, Value
from ..ir.lower import Lowering, lower, op_of, persistent_writes
from ..ir.nodes.op import GRAD, Constant, MetaCall
from ..ir.passes import dead_code
from ..scope import global_scope
from .compile import run
from .plan import Plan

LATE = ("fuse_elementwise", "group_updates")  # passes for forward and backward apart


class Runner:
    """Calls a program with Tensors; gradients reach its inputs and the tensors that it captured.

    Its leaves are the inputs (positions 0 ... n-1), then the captured tensors that it reads (``state_names``). Plans are made once
    for each set of leaves that need gradients, when it is first asked for.

    Args:
        program: its ``captured`` tensors are read, and written where it updates them.
        inputs, outputs: names of variables.
        name: shown in errors of backward.
        skip: names of passes to leave out.
    """

    def __init__(self, program: Any, inputs: Any, outputs: Any, name: str, skip: Any = ()) -> None:
        self.program, self.inputs, self.outputs, self.name, self.skip = program, list(inputs), list(outputs), name, skip
        graph = lower(program, self.inputs, self.outputs)
        dead_code.run(graph)
        self.state_names = list(graph.states)
        missing = [n for n in self.state_names if n not in program.captured]
        if missing:
            raise ValueError(f"{name}: the program reads {missing[0]!r}, which nothing gives a value")
        self.captured = [program.captured[n] for n in self.state_names]
        self.draws = any(_draws(op.type) for block in program.blocks for op in block.ops)
        block = program.global_block()
        constants = {n for op in block.ops if not op.input_arg_names for n in op.output_arg_names if not block.var(n).stop_gradient}
        self.leaves = [k for k, n in enumerate(self.outputs) if n in constants]  # made by the program, to receive gradients
        self.recordings = {}  # which leaves have stop_gradient -> Recording, or None if no output depends on the others
        self.pairs = {}  # wanted leaves -> _Pair

    def __call__(self, tensors: list[Tensor]) -> list[Any]:
        """Output Tensors (lists of them for tensor arrays) for input Tensors."""
        if context.grad:
            stopped = tuple([t.stop_gradient for t in tensors] + [t.stop_gradient for t in self.captured])
            try:
                recording = self.recordings[stopped]
            except KeyError:
                recording = self.recordings[stopped] = self.prepare(tensors)
            results = self.unrecorded(tensors) if recording is None else recording.run(tensors)
            for k in self.leaves:
                results[k].stop_gradient = False
            return results
        return self.unrecorded(tensors)

    def unrecorded(self, tensors: list[Tensor]) -> list[Any]:
        """Output Tensors, with nothing kept for gradients."""
        return [_wrapped(o) for o in run(self.plan, self.program, [t._data for t in tensors], global_scope())]

    @functools.cached_property
    def plan(self) -> Plan:
        """The plan of calls that keep nothing for gradients."""
        with uncollected():
            return Plan(passes.apply(lower(self.program, self.inputs, self.outputs), self.skip))

    @property
    def forward_program(self) -> Any:
        """The program that is called."""
        return self.program

    @property
    def backward_program(self) -> Any:
        """The program with the operators of the gradients of its outputs with respect to its inputs."""
        program = self.program.clone()
        block = program.global_block()
        inputs = [block.var(n) for n in self.inputs if block.has_var(n)]
        for variable in inputs:
            variable.stop_gradient = False
        targets = [block.var(n) for n in self.outputs if block.var(n).dtype.is_floating or block.var(n).dtype.is_complex]
        if targets and inputs:
            gradients(targets, inputs)
        return program

    train_program = backward_program

    def prepare(self, tensors: list[Tensor]) -> Recording | None:
        """How to run where these tensors (and the captured ones) are to get gradients."""
        wanted = tuple([k for k, t in enumerate([*tensors, *self.captured])
                        if not t.stop_gradient and t._data.dtype.kind in "fcV"])
        if wanted and wanted not in self.pairs:
            self.pairs[wanted] = _Pair(self, wanted)
        return Recording(self, wanted, self.pairs[wanted]) if wanted and self.pairs[wanted].given else None


class _Pair:
    """Forward and backward plans for one set of wanted leaves."""

    @uncollected()
    def __init__(self, runner: Runner, wanted: tuple[int, ...]) -> None:
        graph, seeds = self._joint(runner, wanted)
        rest = tuple(name for name in passes.names() if name not in LATE)
        passes.apply(graph, (*runner.skip, *LATE))
        n = len(runner.outputs)
        outputs, results = graph.outputs[:n], graph.outputs[n:]
        late = set(seeds)
        before, after = [], []
        for node in graph.nodes:
            if any(v in late for v in node.ins if v is not None):
                late.update(v for v in node.outs if v is not None)
                after.append(node)
            else:
                before.append(node)
        early = {v for node in before for v in node.outs} | set(graph.inputs) | set(graph.states.values())
        kept, constants = dict[Any, None](), {}
        for v in [v for node in after for v in node.ins] + results:
            if v is None or v in late or v not in early:
                continue
            if v.node is not None and isinstance(v.node.call, Constant):
                constants[v.node] = True
            else:
                kept[v] = None
        metas = Graph()
        for v in (outputs[k] for k in self.given):
            metas.add(MetaCall(), [v], [v.name + ".shape"])
        forward = Graph([v for v in graph.inputs if v not in late])
        forward.nodes, forward.states, forward.updates = [*before, *metas.nodes], graph.states, graph.updates
        forward.outputs = [*outputs, *[node.outs[0] for node in metas.nodes], *kept]
        backward = Graph([*kept, *seeds])
        backward.nodes, backward.outputs = [*constants, *after], results
        for part in (forward, backward):  # what joins neighbours must not join the two
            passes.apply(part, (*runner.skip, *rest))
        self.forward, self.backward = Plan(forward), Plan(backward)

    def gradients(self, kept: Any, gradients: Any, take: Any = False) -> Any:
        """Gradients of the wanted leaves from those of the outputs (None: zeros) and what ``forward`` kept.

        With ``take``, ``kept`` is a list that is emptied.
        """
        seeds = [_nothing(meta) if gradients[k] is None else gradients[k] for meta, k in zip(kept, self.given)]
        inputs = [*kept[len(seeds):], *seeds]
        if take:
            kept.clear()
        return self.backward(inputs, (), True)[0]

    def _joint(self, runner: Runner, wanted: tuple[int, ...]) -> Any:
        """Forward and backward as one graph, with the gradients of the outputs as further inputs."""
        program = runner.program
        lowering = Lowering(program.global_block(), runner.inputs).run()
        graph = lowering.graph
        outputs = [lowering.whole(lowering.read(name)) for name in runner.outputs]
        updates = persistent_writes(lowering)
        states = [graph.states[name] for name in runner.state_names]
        leaves = [*graph.inputs, *states]
        d = Differentiation(lowering, {leaves[w] for w in wanted})
        self.given = [k for k, v in enumerate(outputs) if v in d.active]
        seeds = [Value(outputs[k].name + GRAD, outputs[k].var) for k in self.given]
        for k, seed in zip(self.given, seeds):
            d.add(outputs[k], seed)
        found = d.run()
        for gradient, value in d.fresh.items():
            gradient.var = value.var  # shape and dtype, for the passes
        graph.inputs = [*graph.inputs, *seeds]
        graph.outputs = [*outputs, *[found.get(leaves[w]) for w in wanted]]
        graph.updates = updates
        return graph, seeds


class Trainer(Runner):
    """Calls a program that is a training step: it goes back by itself, and its results lead nowhere."""

    def __init__(self, training: Any, *args: Any) -> None:
        super().__init__(*args)
        self.training = training

    def __call__(self, tensors: list[Tensor]) -> list[Any]:
        if self.training.goes_back and not context.grad:
            raise RuntimeError(f"backward() in {self.name}: nothing was recorded, because it was called under no_grad")
        for action in self.training.before:
            action()
        outputs = self.unrecorded(tensors)
        if self.training.spent:
            node = Node(Ended(self.name), [])
            node.free()
            for k in self.training.spent:
                autograd.attach(outputs[k], node)
        return outputs


class Ended(BackwardRecipe):
    """What a freed node shows of itself."""

    takes_none = True

    def __init__(self, name: str) -> None:
        self.name = name


class Recording(BackwardRecipe):
    """Runs a program forward and puts one node on the tape, whose way back this is too (``node.recipe``)."""

    takes_none = True  # it is told None for outputs that no gradient reached

    def __init__(self, runner: Runner, wanted: tuple[int, ...], pair: _Pair) -> None:
        self.runner, self.wanted, self.pair, self.name = runner, wanted, pair, runner.name
        captured, forward, n = runner.program.captured, pair.forward, len(runner.inputs)
        self.updated = [captured[name] for name in forward.update_names]
        self.states = None if forward.state_names == runner.state_names else [captured[n] for n in forward.state_names]
        self.inputs_wanted = [k for k in wanted if k < n]
        self.captured_wanted = [runner.captured[k - n] for k in wanted if k >= n]
        self.single = len(runner.outputs) == 1 and list(pair.given) == [0]

    def run(self, tensors: list[Tensor]) -> list[Any]:
        """Output Tensors that lead back to one node."""
        runner, pair = self.runner, self.pair
        state = random.default_generator().get_state() if runner.draws else None
        before = [t._data for t in runner.captured]
        arrays = [t._data for t in tensors]
        if pair.forward.overwritten:
            values = run(pair.forward, runner.program, arrays, global_scope())
        else:
            values, updates = pair.forward(arrays, before if self.states is None else [t._data for t in self.states])
            for tensor, array in zip(self.updated, updates):
                tensor.replace(array)
        n = len(runner.outputs)
        outputs, kept = values[:n], values[n:]
        node = Node(self, [t._edge or t for t in [*[tensors[k] for k in self.inputs_wanted], *self.captured_wanted]])
        if self.single and outputs[0].__class__ is not list:
            node.saved = kept, None, tensors, before, state
            return [autograd.attach(wrap(outputs[0]), node)]
        slots, results = [], list[Any]()  # one slot (output, member of a tensor array or None) per gradient
        for k, out in enumerate(outputs):
            if out.__class__ is list:
                results.append([self.output(array, node, (k, j), slots) for j, array in enumerate(out)])
            else:
                results.append(self.output(out, node, (k, None), slots))
        node.saved = kept, [slot for slot, _ in slots], tensors, before, state
        node.out_metas = [meta for _, meta in slots]
        return results

    def output(self, array: Any, node: Node, slot: Any, slots: list[Any]) -> Tensor:
        """One output Tensor, leading back to the node."""
        tensor = wrap(array)
        if slot[0] in self.pair.given:
            autograd.attach(tensor, node, len(slots))
        slots.append((slot, (array.shape, array.dtype)))
        return tensor

    def gradients(self, node: Any, g: Any, create_graph: bool, final: bool) -> Any:
        """Gradients of the wanted leaves; what the node kept goes on the way where it is not needed any more."""
        kept, slots, tensors, before, state = node.saved
        gradients = [g] if slots is None else self.grouped(slots, g)
        if create_graph:
            return differentiate(self.runner, tensors, before, state, self.wanted, gradients)
        if final:
            kept, node.saved = list(kept), None
        return self.pair.gradients(kept, gradients, final)

    def grouped(self, slots: Any, g: Any) -> list[Any]:
        """Gradients by output, those of a tensor array's members in a list."""
        gradients = [None] * len(self.runner.outputs)
        for (k, j), one in zip(slots, g):
            gradients[k] = one if j is None else [*(gradients[k] or []), one]
        return gradients


def differentiate(runner: Runner, tensors: Any, before: Any, state: Any, wanted: tuple[int, ...], gradients: Any) -> Any:
    """Gradients of the wanted leaves as Tensors that lead back to the leaves and to the given gradients: the program is run once
    more, operator by operator on the tape.

    Args:
        tensors: inputs of the forward call; before: arrays of the captured tensors then; state: of the random generator.
    """
    lowering = Lowering(runner.program.global_block(), runner.inputs).run()
    n = len(tensors)
    leaves, env, hooks = [], {}, []
    for k, value in enumerate([*lowering.graph.inputs, *[lowering.graph.states[n] for n in runner.state_names]]):
        tensor = tensors[k] if k < n else runner.captured[k - n]
        if k not in wanted:
            tensor = wrap(tensor._data if k < n else before[k - n])
        env[value] = tensor
        leaves.append(tensor)
        hooks.append(value.hooks)
    generator = random.default_generator()
    now = generator.get_state()
    try:
        if state is not None:
            generator.set_state(state)
        with enable_grad():
            lowering.graph.run_tensors(env)
    finally:
        generator.set_state(now)
    for value in [v for node in lowering.graph.nodes for v in node.outs if v is not None and v.hooks]:
        if not env[value].stop_gradient:
            for hook in value.hooks:
                autograd.add_hook(env[value], hook.on_tensor)
    pairs = []
    for name, g in zip(runner.outputs, gradients):
        out = env[lowering.read(name)]
        pairs += [(o, d) for o, d in (zip(out, g) if isinstance(out, list) else [(out, g)] if g is not None else [])
                  if d is not None and not o.stop_gradient]
    asked = [leaves[k] for k in wanted]
    if not pairs:
        return [None] * len(asked)
    found = tape_grad([o for o, _ in pairs], asked, [g for _, g in pairs], create_graph=True, retain_graph=True,
                      allow_unused=True)
    for place, k in enumerate(wanted):  # the leaves are the caller's own tensors, so they get no hooks
        for hook in hooks[k] if found[place] is not None else ():
            found[place] = hook.on_tensor(found[place])
    return found


def _wrapped(value: Any) -> Any:
    return [_wrapped(v) for v in value] if isinstance(value, list) else wrap(value)


def _draws(op_type: str) -> bool:
    op = op_of(op_type)
    return op is not None and bool(op.facts.random)


def _nothing(meta: Any) -> Any:
    """A gradient of zeros; an empty list for a tensor array's."""
    return [] if meta.shape is None else np.zeros(meta.shape, meta.dtype)
