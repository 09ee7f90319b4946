"""A Graph made ready to run: numbered registers, prepared calls, and what to forget after each."""

from __future__ import annotations

from collections.abc import Callable
from operator import itemgetter
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...core import hooks
from ...core.context import process
from ...core.routine import form_of
from ...core.tensor import wrap
from ..ir.lower import place
from ..ir.nodes.op import Constant, OpCall
from .binding import Binding, failed

if TYPE_CHECKING:
    from ..ir.graph import Graph, Node, Value

MOST_ROUTINES = 64  # forms of inputs that a plan is ready for at a time: images of changing widths have dozens

_EXPECTED = (ValueError, TypeError, IndexError, ZeroDivisionError, KeyError, AttributeError, np.linalg.LinAlgError)


def _source(operator: Any) -> str:
    """The line of the user's program that made an operator."""
    import linecache  # only this error needs it
    return f"\n    {linecache.getline(*operator.where).strip()}" if operator is not None and operator.where else ""


def _getter(registers: list[Any] | tuple[Any, ...]) -> Any:
    if not registers:
        return lambda env: ()
    if len(registers) == 1:
        r, = registers
        return lambda env: (env[r],)
    return itemgetter(*registers)


def _with_env(get: Any) -> Callable[..., Any]:
    return lambda env: (env, *get(env))


def _shown(value: np.ndarray) -> Any:
    return wrap(value) if value.__class__ is np.ndarray else wrap(np.asarray(value)) if isinstance(value, np.generic) else value


class _Watcher:
    """Tells hooks of a plan's steps."""

    def __init__(self, installed: list[Any]) -> None:
        self.hooks = installed

    def before(self, node: Node, args: tuple[Any, ...]) -> Callable[..., Any]:
        """A step is about to run; returns what to call with its results."""
        op = getattr(node.call, "op", None)
        step = SimpleNamespace(name=node.type if op is None else op.name, type=node.type)
        shown = [_shown(a) for a in args if not isinstance(a, list)]
        for hook in self.hooks:
            hook.before(step, shown)

        def after(results: list[Any]) -> None:
            try:
                for hook in self.hooks:
                    hook.after(step, shown, tuple(_shown(r) for r in results))
            except FloatingPointError as error:
                text = f"{error}\n\n  in the program's operator {node.type}{place(node.operator)}"
                raise FloatingPointError(f"{text}{_source(node.operator)}") from error
        return after


def _dying(graph: Graph) -> dict[int, list[Value]]:
    """Number of a node -> values that nobody needs after it."""
    kept, last, dying = set(map(id, graph.results())), {}, {}
    for k, node in enumerate(graph.nodes):
        for v in [*node.ins, *node.outs]:
            if v is not None:
                last[v] = k
    for v, k in last.items():
        if id(v) not in kept and not (v.node is not None and isinstance(v.node.call, Constant)):
            dying.setdefault(k, []).append(v)
    return dying


class Plan:
    """Runs a Graph: ``plan(inputs, states) -> (outputs, updates)``, tuples in the order of the graph's own.

    The first run on values of some form (dtype, shape, layout) goes step by step, the second makes a Routine for them
    (``binding.py``), further ones run that. Nothing else is kept between runs, so threads can share a plan.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.state_names, self.update_names = list(graph.states), list(graph.updates)
        self.register: dict[Value | None, int] = {None: 0}
        register = self.register

        def number(v: Value | None) -> int:
            return register.setdefault(v, len(register))
        self.n_in = len(graph.inputs) + len(graph.states)
        for v in [*graph.inputs, *graph.states.values()]:
            number(v)
        dying = _dying(graph)
        self.steps, self.nodes, constants = [], [], {}
        for k, node in enumerate(graph.nodes):
            if isinstance(node.call, Constant):
                if node.outs[0] is not None:
                    constants[number(node.outs[0])] = node.call.value
                continue
            self.nodes.append(node)
            get = _getter([number(v) for v in node.ins])
            if node.call.wants_env:
                get = _with_env(get)
            if node.call.single and node.outs[0] is not None:
                outs: Any = number(node.outs[0])
            else:
                outs = tuple([(number(v), i) for i, v in enumerate(node.outs) if v is not None])
            self.steps.append((node.call.prepare(), get, outs, tuple([number(v) for v in dying.get(k, ())])))
        self.outputs = tuple([number(v) for v in graph.outputs])
        self.updates = tuple([number(v) for v in graph.updates.values()])
        self.get_outputs, self.get_updates = _getter(self.outputs), _getter(self.updates)
        self.template = [constants.get(r) for r in range(len(register))]
        over = {node.ins[p] for node in graph.nodes for p in node.call.overwritten()}
        self.overwritten = {name for name, v in graph.states.items() if v in over}  # states whose memory is written into
        self.routines, self.seen, self.engine = (), set(), process.native
        self.packed = {}  # weights that native functions read faster, by the constants they were made from

    def __call__(self, inputs: Any, states: list[Any] | tuple[Any, ...] = (),
                 take: bool = False) -> tuple[Any, ...]:
        """(outputs, updates). With ``take`` the inputs are a list that is emptied: each goes when it is no longer needed."""
        installed = hooks.installed()
        watchers = [h for h in installed if h.programs] if installed else None
        if self.engine is not process.native:  # fast kernels were turned on or off
            self.routines, self.seen, self.engine = (), set(), process.native
        try:
            if watchers:
                return self._go_on(0, self._registers(inputs, states), _Watcher(watchers))
            for routine in self.routines:
                found = routine(inputs, states, take)
                if found is not None:
                    if routine is not self.routines[0]:
                        self.routines = (routine, *[r for r in self.routines if r is not routine])
                    return found if found.__class__ is tuple else self._go_on(*found)
            return self._without_routine(inputs, states, take)
        except _EXPECTED as error:
            raise self._explain(error) from error

    def _without_routine(self, inputs: Any, states: list[Any] | tuple[Any, ...],
                         take: bool) -> tuple[Any, ...]:
        """Run on values of a form that there is no routine for; the second time, make one."""
        forms = tuple([form_of(v) for v in (*inputs, *states)])
        if forms in self.seen:
            binding = Binding(self, inputs, states)
            self.routines = (binding.routine(), *self.routines[:MOST_ROUTINES - 1])
            return binding.results()
        if len(self.seen) >= 4 * MOST_ROUTINES:
            self.seen.clear()
        self.seen.add(forms)
        env = self._registers(inputs, states)
        if take:
            inputs.clear()
        return self._go_on(0, env)

    def _registers(self, inputs: list[Any] | tuple[Any, ...], states: list[Any] | tuple[Any, ...]) -> list[Any]:
        env = self.template.copy()
        env[1:1 + self.n_in] = (*inputs, *states)
        return env

    def _go_on(self, first: int, env: list[Any], watcher: Any = None) -> tuple[Any, ...]:
        """Run the steps from a number on; a watcher is told of every one."""
        array, scalar = np.ndarray, np.generic
        for k in range(first, len(self.steps)):
            run, get, outs, dying = self.steps[k]
            after = None if watcher is None else watcher.before(self.nodes[k], get(env))
            try:
                results = run(*get(env))
            except _EXPECTED as error:
                failed(error, k, get(env))
                raise
            if after is not None:
                after([results] if outs.__class__ is int else list(results))
            for register, i in ((outs, None),) if outs.__class__ is int else outs:
                r = results if i is None else results[i]
                env[register] = r if r.__class__ is array or not isinstance(r, scalar) else np.asarray(r)
            results = r = after = None
            for register in dying:
                env[register] = None
        return self.get_outputs(env), self.get_updates(env)

    def _explain(self, error: Any) -> Any:
        """The error to raise: naming the operator and the user's line."""
        if getattr(error, "explained", False) or not hasattr(error, "failure"):
            return error
        step, args = error.failure
        node = self.nodes[step]
        if isinstance(node.call, OpCall) and len(args) == len(node.ins):
            error = node.call.op.explain(error, [*node.call.nest(args), *node.call.values])
        kind = type(error) if type(error) in (ValueError, TypeError, IndexError, RuntimeError) else ValueError
        explained: Any = kind(f"{error}\n\n  in the program's operator {node.type}{place(node.operator)}")
        explained.explained = True
        return explained

    def __repr__(self) -> Any:
        return repr(self.graph)
