"""A Graph made ready to run: numbered registers, prepared calls, and what to forget after each."""

from operator import itemgetter

import numpy as np

from ..core import hooks
from ..core.tensor import wrap
from .calls import Constant, OpCall
from .lower import place

_EXPECTED = (ValueError, TypeError, IndexError, ZeroDivisionError, KeyError, AttributeError, np.linalg.LinAlgError)


def _getter(registers):
    if not registers:
        return lambda env: ()
    if len(registers) == 1:
        r, = registers
        return lambda env: (env[r],)
    return itemgetter(*registers)


def _with_env(get):
    return lambda env: (env, *get(env))


class _Watched:
    """What hooks see of a step: its name."""

    __slots__ = ("name", "type")

    def __init__(self, node):
        op = getattr(node.call, "op", None)
        self.name, self.type = node.type if op is None else op.name, node.type


def _shown(value):
    return wrap(value) if value.__class__ is np.ndarray else wrap(np.asarray(value)) if isinstance(value, np.generic) else value


class Plan:
    """Runs a Graph: ``plan(inputs, states) -> (outputs, updates)``, lists in the order of the graph's own.

    It keeps nothing between runs, so threads can share it.
    """

    def __init__(self, graph):
        self.graph = graph
        self.state_names, self.update_names = list(graph.states), list(graph.updates)
        register = {None: 0}

        def number(v):
            return register.setdefault(v, len(register))
        self.n_in = len(graph.inputs) + len(graph.states)
        for v in [*graph.inputs, *graph.states.values()]:
            number(v)
        kept = set(map(id, graph.results()))
        last = {}
        for k, node in enumerate(graph.nodes):
            for v in [*node.ins, *node.outs]:
                if v is not None:
                    last[v] = k
        dying = {}
        for v, k in last.items():
            if id(v) not in kept and not (v.node is not None and isinstance(v.node.call, Constant)):
                dying.setdefault(k, []).append(v)
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
                outs = number(node.outs[0])
            else:
                outs = tuple([(number(v), i) for i, v in enumerate(node.outs) if v is not None])
            self.steps.append((node.call.prepare(), get, outs, tuple([number(v) for v in dying.get(k, ())])))
        self.get_outputs = _getter([number(v) for v in graph.outputs])
        self.get_updates = _getter([number(v) for v in graph.updates.values()])
        self.template = [constants.get(r) for r in range(len(register))]
        over = {node.ins[p] for node in graph.nodes for p in node.call.overwritten()}
        self.overwritten = {name for name, v in graph.states.items() if v in over}  # states whose memory is written into

    def __call__(self, inputs, states=()):
        env = self.template.copy()
        env[1:1 + self.n_in] = (*inputs, *states)
        if hooks.active:
            watchers = [h for h in hooks.active if h.programs]
            if watchers:
                self._run_watched(env, watchers)
                return self.get_outputs(env), self.get_updates(env)
        array, scalar = np.ndarray, np.generic
        step = None
        try:
            for step in self.steps:
                run, get, outs, dying = step
                if outs.__class__ is int:
                    r = run(*get(env))
                    env[outs] = r if r.__class__ is array or not isinstance(r, scalar) else np.asarray(r)
                    r = None
                else:
                    results = run(*get(env))
                    for register, i in outs:
                        r = results[i]
                        env[register] = r if r.__class__ is array or not isinstance(r, scalar) else np.asarray(r)
                    results = r = None
                for register in dying:
                    env[register] = None
        except _EXPECTED as error:
            raise self._explain(error, step, env) from error
        return self.get_outputs(env), self.get_updates(env)

    def _run_watched(self, env, watchers):
        """The same, telling hooks of every step."""
        for node, step in zip(self.nodes, self.steps):
            run, get, outs, dying = step
            args = get(env)
            shown, watched = [_shown(a) for a in args if not isinstance(a, list)], _Watched(node)
            for hook in watchers:
                hook.before(watched, shown)
            try:
                results = run(*args)
            except _EXPECTED as error:
                raise self._explain(error, step, env) from error
            results = [results] if outs.__class__ is int else list(results)
            try:
                for hook in watchers:
                    hook.after(watched, shown, tuple(_shown(r) for r in results))
            except FloatingPointError as error:
                raise FloatingPointError(f"{error}\n\n  in the program's operator {node.type}{place(node.operator)}") from error
            for register, i in ((outs, 0),) if outs.__class__ is int else outs:
                r = results[i]
                env[register] = np.asarray(r) if isinstance(r, np.generic) else r
            for register in dying:
                env[register] = None

    def _explain(self, error, step, env):
        node = self.nodes[self.steps.index(step)]
        if getattr(error, "explained", False):
            return error
        if isinstance(node.call, OpCall):
            error = node.call.op.explain(error, [*node.call.nest(step[1](env)), *node.call.values])
        kind = type(error) if type(error) in (ValueError, TypeError, IndexError, RuntimeError) else ValueError
        explained = kind(f"{error}\n\n  in the program's operator {node.type}{place(node.operator)}")
        explained.explained = True
        return explained

    def __repr__(self):
        return repr(self.graph)
