"""The walk back over the tape: ``backward`` accumulates into leaves, ``grad`` returns what it was asked for.

Nodes are numbered as they are made, so taking them from the highest number down is a topological order: a heap is all
that is needed, and no recursion. Gradients are arrays, or Tensors when a graph of them is wanted (create_graph).
"""

import heapq

import numpy as np

from . import autograd, engine, hooks
from . import tensor as core_tensor
from .autograd import Node, enable_grad, no_grad, node_of
from .errors import InplaceError, describe
from .tensor import Tensor, wrap


def _op(name):
    from .op import BY_NAME  # the op module imports the tape, not the other way round
    return BY_NAME[name]


def sum_to(g, shape):
    """Sum a gradient back to the shape that was broadcast."""
    if g.__class__ is not np.ndarray:
        return _op("sum_to")(g, shape)
    extra = g.ndim - len(shape)
    if extra:
        g = g.sum(axis=tuple(range(extra)))
    axes = tuple([i for i, n in enumerate(shape) if n == 1 and g.shape[i] != 1])
    return g.sum(axis=axes, keepdims=True) if axes else g


def _flat(edges):
    for edge in edges:
        if edge.__class__ is list:
            yield from edge
        else:
            yield edge


def _key(edge):
    """Where an edge leads, as a dictionary key: (node, output number), or the leaf's id."""
    if edge.__class__ is Node:
        return (edge, 0)
    return edge if edge.__class__ is tuple else id(edge)


class GradientStep:
    """What hooks see of a step of backward: its name."""

    def __init__(self, name):
        self.name = name


class Walk:
    """One backward pass from some roots to all leaves."""

    def __init__(self, create_graph, retain_graph):
        self.create_graph, self.retain_graph = create_graph, retain_graph
        self.heap, self.grads, self.owned = [], {}, set()
        self.leaves = {}  # id -> [leaf, gradient]
        self.counts = None
        self.watchers = hooks.of_gradients()

    def add(self, a, b, key):
        if self.create_graph:
            return _op("add")(a, b)
        if key in self.owned:  # the sum made here before: nobody else holds it
            a += b
            return a
        self.owned.add(key)
        return np.asarray(a + b)

    def send(self, edge, g):
        """Add a gradient to where an edge leads."""
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
        before = self.grads.get(node)
        if before is None:
            heapq.heappush(self.heap, (-node.seq, node))
        if node.out_metas is None:
            self.grads[node] = g if before is None else self.add(before, g, id(node))
        else:
            if before is None:
                before = self.grads[node] = [None] * len(node.out_metas)
            before[index] = g if before[index] is None else self.add(before[index], g, (id(node), index))

    def run(self):
        while self.heap:
            node = heapq.heappop(self.heap)[1]
            g = self.grads.pop(node)
            if node.hooks or node.retained:
                g = self.pass_by(node, g)
            if self.ends_at(node, g):
                continue
            if node.edges is None:
                self.raise_freed(node)
            if node.out_metas is not None:
                g = self.completed(node, g)
            if node.tensors or node.spoiled:
                node.check_unchanged()
            self.step(node, g)
            if not self.retain_graph:
                node.free()
        for leaf, g in self.leaves.values():
            self.finish_leaf(leaf, g)

    def ends_at(self, node, g):
        """Told of every gradient that arrives; True stops the walk at that node."""
        return False

    def raise_freed(self, node):
        raise RuntimeError(f"backward of {node.plan.name}: this part of the graph was already freed; call the first "
                           "backward with retain_graph=True to go through it twice")

    def step_results(self, node, g):
        """What the node's rules give. A plan with a method ``last`` frees what its node keeps on the way."""
        try:
            last = None if self.retain_graph else getattr(node.plan, "last", None)
            return node.plan(node, g, self.create_graph) if last is None else last(node, g)
        except InplaceError:
            raise
        except Exception as error:
            if node.where is None:
                raise
            raise RuntimeError(f"backward of {node.plan.name} failed: {error}\n\nIts forward call was here:\n"
                               + "".join(node.where)) from error

    def watched_results(self, node, g):
        """What the node's rules give, with hooks told of it under the name of the op and ``_grad``."""
        step = GradientStep(node.plan.name + "_grad")
        for hook in self.watchers:
            hook.before(step, (g,))
        results = self.step_results(node, g)
        for hook in self.watchers:
            hook.after(step, (g,), results)
        return results

    def step(self, node, g):
        """Call the node's rules and send what they return along its edges."""
        results = self.watched_results(node, g) if self.watchers else self.step_results(node, g)
        shapes, counts = node.shapes, self.counts
        for k, edge in enumerate(node.edges):
            gi = results[k]
            if edge.__class__ is list:
                for e, part in zip(edge, gi if gi is not None else ()):
                    if e is not None and part is not None:
                        self.send(e, part)
                        if counts is not None:
                            self.count_down(e)
                continue
            if gi is None:
                continue
            if shapes is not None and tuple(gi.shape) != shapes[k]:
                gi = sum_to(gi, shapes[k])
            if isinstance(gi, np.generic):
                gi = np.asarray(gi)
            self.send(edge, gi)
            if counts is not None:
                self.count_down(edge)

    def completed(self, node, slots):
        """Gradients of all outputs of a node, zeros where none came (None where the output can't have one)."""
        if getattr(node.plan, "partial", False):  # its rule wants to know what is missing
            return tuple(slots)

        def zero(meta):
            if meta is None or meta[1].kind not in "fcV":
                return None
            z = np.zeros(meta[0], meta[1])
            return wrap(z) if self.create_graph else z
        return tuple([zero(m) if g is None else g for g, m in zip(slots, node.out_metas)])

    def pass_by(self, node, g):
        """Hooks and kept gradients of a node's outputs."""
        several = node.out_metas is not None
        outputs = g if several else [g]
        for k, one in enumerate(outputs):
            if one is None:
                continue
            if node.hooks and k in node.hooks:
                one = outputs[k] = self.run_hooks(node.hooks[k], one)
            if node.retained and k in node.retained:
                tensor = node.retained[k]()
                if tensor is not None:
                    self.keep(tensor, one)
        return outputs if several else outputs[0]

    def run_hooks(self, table, g):
        for hook in list(table.values()):
            result = hook(g if isinstance(g, Tensor) else wrap(g))
            if result is not None:
                if not isinstance(result, Tensor):
                    raise TypeError(f"hook {hook!r} must return a Tensor or None, got {describe(result)}")
                g = result if self.create_graph else result._data
        return g

    def keep(self, tensor, g):
        if autograd.mode.retain_all:  # older generations overwrite the gradients of intermediates
            tensor._grad = None
        tensor.accumulate_grad(g, self.create_graph)

    def finish_leaf(self, leaf, g):
        """The leaf's gradient is complete: run its hooks and accumulate."""
        if leaf._meta is not None and leaf._meta.hooks:
            g = self.run_hooks(leaf._meta.hooks, g)
        if not leaf.stop_gradient:
            leaf.accumulate_grad(g, self.create_graph)
            for watcher in autograd.leaf_watchers:
                watcher(leaf)

    def count(self, nodes):
        """Count how many gradients each leaf will receive, so that watchers hear of a leaf as soon as it is complete."""
        self.counts, seen, stack = {}, set(), list(nodes)
        while stack:
            node = stack.pop()
            if node in seen or node.edges is None:
                continue
            seen.add(node)
            for edge in _flat(node.edges):
                if edge.__class__ is Node or edge.__class__ is tuple:
                    stack.append(edge if edge.__class__ is Node else edge[0])
                elif edge is not None:
                    self.counts[id(edge)] = self.counts.get(id(edge), 0) + 1

    def count_down(self, edge):
        left = self.counts.get(id(edge))
        if left is not None:
            self.counts[id(edge)] = left - 1
            if left == 1:
                self.finish_leaf(*self.leaves.pop(id(edge)))


class TargetWalk(Walk):
    """A walk that goes only towards chosen tensors and collects their gradients."""

    def __init__(self, create_graph, retain_graph, targets, blocked, outputs):
        super().__init__(create_graph, retain_graph)
        self.targets, self.blocked = targets, blocked  # keys (see _key) -> position; keys treated as constants
        self.found = {}
        self.needed = self.find_needed(outputs)

    def find_needed(self, outputs):
        """Nodes on some path from the outputs to a target."""
        reached, stack = set(), [node_of(t)[0] for t in outputs if t._edge is not None and _key(t._edge) not in self.blocked]
        while stack:
            node = stack.pop()
            if node in reached or node.edges is None:
                continue
            reached.add(node)
            stack.extend(e if e.__class__ is Node else e[0] for e in _flat(node.edges)
                         if e.__class__ is Node or e.__class__ is tuple)
        self.needed = needed = set()
        for node in sorted(reached, key=lambda n: n.seq):
            if any(e is not None and self.leads_on(e) for e in _flat(node.edges)):
                needed.add(node)
        return needed

    def leads_on(self, edge):
        key = _key(edge)
        if key in self.blocked:
            return False
        return key in self.targets or (key.__class__ is tuple and key[0] in self.needed)

    def send(self, edge, g):
        if self.leads_on(edge):
            super().send(edge, g)

    def ends_at(self, node, g):
        for k, one in enumerate(g if node.out_metas is not None else [g]):
            if one is not None and (node, k) in self.targets:
                self.found[self.targets[(node, k)]] = one
        return node not in self.needed

    def finish_leaf(self, leaf, g):
        if leaf._meta is not None and leaf._meta.hooks:
            g = self.run_hooks(leaf._meta.hooks, g)
        self.found[self.targets[id(leaf)]] = g


def _seed(tensor, grad, function, create_graph):
    if grad is None:
        g = np.ones(tensor._data.shape, tensor._data.dtype)
        return wrap(g) if create_graph else g
    if not isinstance(grad, Tensor):
        raise TypeError(f"{function}(): a gradient must be a Tensor or None, got {describe(grad)}")
    if grad._data.shape != tensor._data.shape:
        raise ValueError(f"{function}(): the gradient's shape {list(grad._data.shape)} is not that of its tensor "
                         f"{list(tensor._data.shape)}")
    if create_graph:
        return grad
    return grad._data.astype(tensor._data.dtype, copy=False)


def _tensor_list(value, function, argument):
    if isinstance(value, Tensor):
        return [value]
    items = value
    if not isinstance(items, (list, tuple, set)) or not all(isinstance(t, Tensor) for t in items):
        raise TypeError(f"{function}(): {argument} must be a Tensor or a list of Tensors, got {describe(value)}")
    return list(items)


def _grad_list(grads, n, function):
    grads = list(grads) if isinstance(grads, (list, tuple)) else [grads] * n if grads is None else [grads]
    if len(grads) != n:
        raise ValueError(f"{function}(): {n} tensors but {len(grads)} gradients")
    return grads


def backward(tensors, grad_tensors=None, retain_graph=False, create_graph=False):
    """Accumulate the gradients of ``tensors`` into the ``grad`` of every leaf they depend on.

    Each root is seeded with its entry of ``grad_tensors``, or with ones of its own shape. Without ``retain_graph`` the
    graph is freed on the way.

    >>> import paddle
    >>> x = paddle.to_tensor([1., 2.], stop_gradient=False)
    >>> paddle.autograd.backward([(x * x).sum()])
    >>> x.grad.tolist()
    [2.0, 4.0]
    """
    if core_tensor.tracer is not None:
        core_tensor.tracer.gradients.backward(tensors, grad_tensors)
        return
    tensors = _tensor_list(tensors, "backward", "tensors")
    roots = []
    for t, g in zip(tensors, _grad_list(grad_tensors, len(tensors), "backward")):
        if t.stop_gradient:
            raise RuntimeError("backward(): this tensor has stop_gradient=True: there is nothing to differentiate "
                               "(set stop_gradient=False on an input before computing it)")
        roots.append((t._edge or t, _seed(t, g, "backward", create_graph)))
    walk = Walk(create_graph, retain_graph or create_graph)
    autograd.mode.depth += 1
    try:
        with enable_grad() if create_graph else no_grad():
            if engine.fast is not None and not (create_graph or autograd.leaf_watchers or autograd.anomaly or walk.watchers):
                engine.fast.run_walk(walk, roots, walk.retain_graph)
            else:
                if autograd.leaf_watchers:
                    walk.count([node_of(t)[0] for t in tensors if t._edge is not None])
                for edge, g in roots:
                    walk.send(edge, g)
                walk.run()
    finally:
        autograd.mode.depth -= 1
    if autograd.end_watchers and not autograd.mode.depth:
        for watcher in list(autograd.end_watchers):
            watcher()


def grad(outputs, inputs, grad_outputs=None, retain_graph=None, create_graph=False, only_inputs=True, allow_unused=False,
         no_grad_vars=None):
    """Gradients of ``outputs`` with respect to ``inputs``, returned instead of accumulated.

    Args:
        outputs, inputs: Tensor or list of Tensors.
        grad_outputs: gradients of the outputs to start with; ones for None.
        retain_graph: keep the tape for another call; what ``create_graph`` says for None.
        create_graph: make gradients that can be differentiated again, as often as wanted.
        only_inputs: must be True: gradients of other leaves are not accumulated.
        allow_unused: give None for an input that no output depends on, instead of raising.
        no_grad_vars: Tensors that are treated as constants.

    >>> import paddle
    >>> x = paddle.to_tensor(3., stop_gradient=False)
    >>> dx, = paddle.grad(x ** 3, x, create_graph=True)
    >>> ddx, = paddle.grad(dx, x)
    >>> float(dx), float(ddx)
    (27.0, 18.0)
    """
    if core_tensor.tracer is not None:
        return core_tensor.tracer.gradients.grad(outputs, inputs, grad_outputs, create_graph, allow_unused, no_grad_vars)
    outputs, inputs = _tensor_list(outputs, "grad", "outputs"), _tensor_list(inputs, "grad", "inputs")
    if not only_inputs:
        raise ValueError("grad(): only_inputs=False is not supported; use backward() to accumulate into leaves")
    targets, positions = {}, []
    for t in inputs:
        if t.stop_gradient:
            raise RuntimeError("grad(): an input has stop_gradient=True; set it to False before computing the outputs")
        positions.append(targets.setdefault(_key(t._edge or t), len(targets)))
    constants = [] if no_grad_vars is None else _tensor_list(no_grad_vars, "grad", "no_grad_vars")
    blocked = {_key(t._edge or t) for t in constants}
    walk = TargetWalk(create_graph, create_graph if retain_graph is None else retain_graph, targets, blocked, outputs)
    with enable_grad() if create_graph else no_grad():
        for t, g in zip(outputs, _grad_list(grad_outputs, len(outputs), "grad")):
            if not t.stop_gradient:
                walk.send(t._edge or t, _seed(t, g, "grad", create_graph))
        walk.run()
    results = []
    for n, (t, p) in enumerate(zip(inputs, positions)):
        g = walk.found.get(p)
        if g is None and not allow_unused:
            raise RuntimeError(f"grad(): no output depends on input {n} (shape {list(t._data.shape)}); "
                               "allow_unused=True gives None for it")
        if g is not None and not create_graph:
            g = wrap(g._data if isinstance(g, Tensor) else g)
        results.append(g)
    return results


if engine.fast is not None:
    engine.fast.setup(Tensor, Node, autograd.mode, hooks.active, sum_to, core_tensor.ZERO)
