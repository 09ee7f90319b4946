"""The backward traversal of the tape.

Nodes are numbered in the order of their creation, so visiting them by decreasing number is a reverse topological order: a heap
suffices, without recursion. Gradients are arrays, or Tensors if they are recorded themselves (create_graph).

A Walk describes one pass; its loop is in ``walk.c``, or PythonLoop if that was not built.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from . import autograd, engine, hooks
from .autograd import Node
from .context import context, process
from .errors import InplaceError, NotFiniteError, describe
from .facts import BY_NAME
from .rows import SelectedRows
from .rows_tensor import packed
from .steps import contiguous, written_out
from .tensor import ZERO, Parameter, Tensor, wrap


def forward_call(node: Node) -> str:
    """Where a node was recorded, as the end of a message."""
    return "\n\nIts forward call was here:\n" + "".join(node.where)


def sum_to(g: Any, shape: Any) -> Any:
    """Sum a gradient back to the shape that was broadcast."""
    if g.__class__ is not np.ndarray:
        return BY_NAME["sum_to"](g, shape)
    return summed_back(g, shape)


def summed_back(g: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """An array summed over the axes that broadcasting from ``shape`` added or stretched, by the op ``sum``."""
    extra = g.ndim - len(shape)
    axes = (*range(extra), *[i + extra for i, n in enumerate(shape) if n == 1 and g.shape[i + extra] != 1])
    return BY_NAME["sum"](g, axes, False).reshape(shape) if axes else g


def add_many(a: Any, b: Any, into_first: bool = False) -> Any:
    """The sum of two gradients, by all threads where they are large arrays; into the first one if nobody else has that."""
    native = process.native
    if native is not None and a.__class__ is np.ndarray and b.__class__ is np.ndarray and a.dtype.char in "fd":
        b = b if b.flags.c_contiguous else contiguous(b)  # which would give one number an axis
        out = native.binary("add", a, b, a) if into_first and a.flags.c_contiguous else native.binary("add", a, b)
        if out is not NotImplemented:
            return out
    if into_first:
        a += b
        return a
    total = a + b
    return np.asarray(total) if isinstance(total, np.generic) else total


def _flat(edges: Iterable[Any]) -> Iterator[Any]:
    for edge in edges:
        if edge.__class__ is list:
            yield from edge
        else:
            yield edge


def key_of(edge: Any) -> Any:
    """Where an edge leads, as a dictionary key: (node, output number), or the leaf's id."""
    if edge.__class__ is Node:
        return (edge, 0)
    return edge if edge.__class__ is tuple else id(edge)


def accumulate(tensor: Any, g: Any, create_graph: bool = False) -> None:
    """Add an array or SelectedRows (or, for graphs of gradients, a Tensor) to a tensor's gradient."""
    if context.rules.accumulates != "all" and context.depth <= 1 and not create_graph and _overwrites_grad(tensor):
        tensor._grad = None
    before = tensor._grad
    if isinstance(g, Tensor) and not create_graph:
        g = g._content()
    if before is None or before is ZERO:
        tensor._grad = g if isinstance(g, Tensor) else packed(written_out(g))
    elif create_graph:
        tensor._grad = before + g
    else:
        tensor._grad = packed(add_many(before._content(), g))


def _overwrites_grad(tensor: Any) -> bool:
    """Does a backward pass put its gradient in the place of an earlier one, in a generation that did so? Parameters of
    layers of 2.x are added to where that generation has layers of its own."""
    return (context.rules.accumulates == "none" or not isinstance(tensor, Parameter)
            or context.guard is not None and context.guard.knows(tensor))


class GradientStep:
    """What hooks see of a step of backward: its name."""

    def __init__(self, name: str) -> None:
        self.name = name


class Route:
    """Towards chosen tensors only: their keys (see ``key_of``) with a position each, keys that are taken for constants, the
    nodes on some path to a target, what was found by position, and a freed node that hides what lies behind it (or None)."""

    __slots__ = ("targets", "blocked", "needed", "found", "freed")

    def __init__(self, targets: dict[Any, int], blocked: set[Any], outputs: Iterable[Any]) -> None:
        self.targets, self.blocked, self.needed, self.found, self.freed = targets, blocked, set(), {}, None
        roots = [t._edge for t in outputs if t._edge is not None and key_of(t._edge) not in blocked]
        if engine.run_walk is None:
            self._find_needed(roots)
        else:
            self.freed = engine.fast.find_needed(roots, targets, blocked, self.needed)

    def _find_needed(self, roots: Iterable[Any]) -> None:
        reached, stack = set(), list(roots)
        while stack:
            edge = stack.pop()
            node = edge[0] if edge.__class__ is tuple else edge
            if node.__class__ is not Node or node in reached:
                continue
            if node.edges is None:
                self.freed = node
                continue
            reached.add(node)
            stack.extend(_flat(node.edges))
        for node in sorted(reached, key=lambda n: n.seq):
            if any(e is not None and self.leads_on(e) for e in _flat(node.edges)):
                self.needed.add(node)

    def leads_on(self, edge: Any) -> bool:
        """Does an edge lead to a target?"""
        key = key_of(edge)
        if key in self.blocked:
            return False
        return key in self.targets or (key.__class__ is tuple and key[0] in self.needed)


class Walk:
    """What one backward pass does, to all leaves or along a Route; both loops ask it for what is rare."""

    __slots__ = ("create_graph", "retain_graph", "route", "watchers", "counts")

    def __init__(self, create_graph: bool, retain_graph: bool, route: Route | None = None) -> None:
        self.create_graph, self.retain_graph, self.route = create_graph, retain_graph, route
        self.watchers = hooks.of_gradients()
        self.counts: dict[int, int] | None = None  # id of a leaf -> gradients that are still to come (see count)

    def run(self, roots: Sequence[tuple[Any, Any]]) -> None:
        """Go back from roots, a list of (edge, gradient); what is computed is recorded if a graph of it is wanted."""
        before, context.grad = context.grad, bool(self.create_graph)
        context.depth += 1
        try:
            if engine.run_walk is None:
                PythonLoop(self).run(roots)
            else:
                engine.run_walk(self, roots, self.create_graph, self.retain_graph, self.route, self.counts, bool(self.watchers))
        finally:
            context.depth -= 1
            context.grad = before

    def raise_freed(self, node: Node) -> None:
        """Refuse to go through a node that an earlier pass used up; where generations end there, do nothing."""
        if context.rules.used_graph == "ends" and self.route is None:
            return
        raise RuntimeError(f"backward of {node.recipe.name}: this part of the graph was already freed; call the first "
                           "backward with retain_graph=True to go through it twice")

    def step_results(self, node: Node, g: Any) -> Any:
        """What the node's recipe gives, with hooks told of it under the name of the op and ``_grad``."""
        step = GradientStep(node.recipe.name + "_grad") if self.watchers else None
        for hook in self.watchers:
            hook.before(step, (g,))
        try:
            results = node.recipe.gradients(node, g, self.create_graph, not self.retain_graph)
        except (InplaceError, MemoryError):
            raise
        except Exception as error:
            if node.where is None:
                raise
            raise RuntimeError(f"backward of {node.recipe.name} failed: {error}{forward_call(node)}") from error
        try:
            for hook in self.watchers:
                hook.after(step, (g,), results)
        except NotFiniteError as error:
            if node.where is None:
                raise
            raise NotFiniteError(f"{error}{forward_call(node)}") from error
        return results

    def completed(self, node: Any, slots: Sequence[Any]) -> tuple[Any, ...]:
        """Gradients of all outputs of a node, zeros where none came (None where the output can't have one)."""
        if node.recipe.takes_none:  # its rule wants to know what is missing
            return tuple(slots)

        # integers beside others are positions; where one of them has a gradient, all do: the parts of an integer tensor
        parts = any(g is not None and m is not None and m[1].kind in "iu" for g, m in zip(slots, node.out_metas))
        kinds = "fcViu" if parts else "fcV"

        def zero(meta: Any) -> Any:
            if meta is None or meta[1].kind not in kinds:
                return None
            z = np.zeros(meta[0], meta[1])
            return wrap(z) if self.create_graph else z
        return tuple([zero(m) if g is None else g for g, m in zip(slots, node.out_metas)])

    def pass_by(self, node: Node, g: Any) -> Any:
        """Hooks and kept gradients of a node's outputs."""
        several = node.out_metas is not None
        if node.retained and not node.hooks and not several and g is not None:  # as a rule where all gradients are kept
            tensor = node.retained[0][0]()
            if tensor is not None:
                self.keep(tensor, g)
            return g
        outputs = list(self.completed(node, g)) if several else [g]  # who looks at an output sees zeros where nothing came
        for k, one in enumerate(outputs):
            if one is None:
                continue
            hooks = node.hooks[k] if node.hooks and k in node.hooks else {}
            if node.retained and k in node.retained:
                tensor, key = node.retained[k]
                one = outputs[k] = self.run_hooks({n: hook for n, hook in hooks.items() if n < key}, one)
                hooks = {n: hook for n, hook in hooks.items() if n > key}
                if tensor() is not None:
                    self.keep(tensor(), one)
            outputs[k] = self.run_hooks(hooks, one)
        return outputs if several else outputs[0]

    def run_hooks(self, table: dict[int, Any], g: Any) -> Any:
        for hook in list(table.values()):
            result = hook(g if isinstance(g, Tensor) else packed(g))
            if result is not None:
                if not isinstance(result, Tensor):
                    raise TypeError(f"hook {hook!r} must return a Tensor or None, got {describe(result)}")
                g = result if self.create_graph else result._content()
        return g

    def keep(self, tensor: Any, g: Any) -> None:
        if context.retain_all:  # older generations overwrite the gradients of intermediates
            tensor._grad = None
        accumulate(tensor, g, self.create_graph)

    def finish_leaf(self, leaf: Any, g: Any) -> None:
        """The leaf's gradient is complete: run its hooks, then accumulate it or note it as found."""
        if leaf._meta is not None and leaf._meta.hooks:
            g = self.run_hooks(leaf._meta.hooks, written_out(g))
        if self.route is not None:
            self.route.found[self.route.targets[id(leaf)]] = g
        elif not leaf.stop_gradient:
            accumulate(leaf, g, self.create_graph)
            for watcher in process.leaf_watchers:
                watcher(leaf)

    def count(self, nodes: Iterable[Node]) -> None:
        """Count how many gradients each leaf will receive, so that watchers hear of a leaf as soon as it is complete."""
        counts, seen, stack = {}, set(), list(nodes)
        self.counts = counts
        while stack:
            node = stack.pop()
            if node in seen or node.edges is None:
                continue
            seen.add(node)
            for edge in _flat(node.edges):
                if edge.__class__ is tuple:
                    stack.append(edge[0])
                elif edge.__class__ is Node:
                    stack.append(edge)
                elif edge is not None:
                    counts[id(edge)] = counts.get(id(edge), 0) + 1


class PythonLoop:
    """The loop of a Walk in Python."""

    __slots__ = ("walk", "create_graph", "route", "counts", "heap", "grads", "owned", "leaves")

    def __init__(self, walk: Walk) -> None:
        self.walk, self.create_graph, self.route, self.counts = walk, walk.create_graph, walk.route, walk.counts
        self.heap, self.grads, self.owned = [], {}, set()
        self.leaves = {}  # id -> [leaf, gradient]

    def add(self, a: Any, b: Any, key: Any) -> Any:
        if self.create_graph:
            return BY_NAME["add"](a, b)
        if key in self.owned and b.__class__ is not SelectedRows:  # the sum made here before: nobody else holds it
            a += b
            return a
        self.owned.add(key)
        total = a + b
        return total if total.__class__ is SelectedRows else np.asarray(total)

    def send(self, edge: Any, g: Any) -> None:
        """Add a gradient to where an edge leads."""
        if self.route is not None and not self.route.leads_on(edge):
            return
        if edge.__class__ is Node:
            node, index = edge, 0
        elif edge.__class__ is tuple:
            node, index = edge
        else:
            entry = self.leaves.get(id(edge))
            if entry is None:
                self.leaves[id(edge)] = [edge, g]
            else:
                entry[1] = self.add(entry[1], g, id(edge))
            return
        if g.__class__ is SelectedRows:  # rules take arrays
            g = g.dense()
        before = self.grads.get(node)
        if before is None:
            heapq.heappush(self.heap, (-node.seq, node))
        if node.out_metas is None:
            self.grads[node] = g if before is None else self.add(before, g, id(node))
        else:
            if before is None:
                before = self.grads[node] = [None] * len(node.out_metas)
            before[index] = g if before[index] is None else self.add(before[index], g, (id(node), index))

    def run(self, roots: Iterable[tuple[Any, Any]]) -> None:
        walk = self.walk
        for edge, g in roots:
            self.send(edge, g)
        while self.heap:
            node = heapq.heappop(self.heap)[1]
            g = self.grads.pop(node)
            if node.hooks or node.retained:
                g = walk.pass_by(node, g)
            if self.route is not None and self.ends_at(node, g):
                continue
            edges = node.edges
            if edges is None:
                walk.raise_freed(node)
                continue
            if node.out_metas is not None:
                g = walk.completed(node, g)
            if node.tensors or node.spoiled:
                node.check_unchanged()
            self.send_results(edges, node.shapes, walk.step_results(node, g))
            if not walk.retain_graph:
                node.free()
        for leaf, g in self.leaves.values():
            walk.finish_leaf(leaf, g)

    def ends_at(self, node: Node, g: Any) -> bool:
        """Note the gradients of outputs that are targets; True where the walk ends."""
        route: Any = self.route
        for k, one in enumerate(g if node.out_metas is not None else [g]):
            if one is not None and (node, k) in route.targets:
                route.found[route.targets[node, k]] = one
        return node not in route.needed

    def send_results(self, edges: Sequence[Any], shapes: Any, results: Sequence[Any]) -> None:
        """Send what a node's recipe gave along its edges."""
        for k, edge in enumerate(edges):
            g = results[k]
            if g is None or edge is None:
                continue
            if edge.__class__ is list:
                for e, part in zip(edge, g):
                    if e is not None and part is not None:
                        self.send_counted(e, part)
                continue
            if shapes is not None and tuple(g.shape) != shapes[k]:
                g = sum_to(g, shapes[k])
            self.send_counted(edge, np.asarray(g) if isinstance(g, np.generic) else g)

    def send_counted(self, edge: Any, g: Any) -> None:
        """Send a gradient; a leaf that all have come to is complete."""
        self.send(edge, g)
        if self.counts is not None and id(edge) in self.counts:
            self.counts[id(edge)] -= 1
            if not self.counts[id(edge)]:
                self.walk.finish_leaf(*self.leaves.pop(id(edge)))


if engine.fast is not None:
    engine.fast.setup(Tensor, Node, sum_to, ZERO, SelectedRows, autograd.users_frames, add_many, written_out)
