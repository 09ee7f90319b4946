"""``backward`` accumulates gradients into leaves, ``grad`` returns those it was asked for; ``walk.py`` goes back over the tape."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import flags
from .autograd import node_of
from .context import context, process
from .errors import ArgumentError, CheckError, UnusedInputError, describe
from .rows_tensor import packed
from .tensor import Tensor, wrap
from .walk import Route, Walk, key_of

_strict = flags.define("FLAGS_strict_backward", False, "raise where backward() is called on a tensor that needs no gradient")


def _seed(tensor: Any, grad: Any, function: str, create_graph: bool) -> Any:
    if grad is None:
        g = np.empty(tensor._data.shape, tensor._data.dtype)
        g.fill(1)
        return wrap(g) if create_graph else g
    if not isinstance(grad, Tensor):
        raise TypeError(f"{function}(): a gradient must be a Tensor or None, got {describe(grad)}")
    if tensor._placed:
        grad = tensor.own_gradient(grad)
    if grad._data.size == tensor._data.size == 1 and grad._data.ndim <= 1 >= tensor._data.ndim:
        grad = grad.reshape(tensor._data.shape)  # [1] for [], as in programs of the time before 0-d tensors
    if grad._data.shape != tensor._data.shape:
        raise ValueError(f"{function}(): the gradient's shape {list(grad._data.shape)} is not that of its tensor "
                         f"{list(tensor._data.shape)}")
    if create_graph:
        return grad
    return grad._data.astype(tensor._data.dtype, copy=False)


def _tensor_list(value: Any, function: str, argument: str) -> list[Any]:
    if isinstance(value, Tensor):
        return [value]
    if value.__class__ is list and len(value) == 1 and isinstance(value[0], Tensor):
        return value
    items = value
    if not isinstance(items, (list, tuple, set)) or not all(isinstance(t, Tensor) for t in items):
        raise CheckError(f"{function}(): {argument} must be a Tensor or a list of Tensors, got {describe(value)}")
    return list(items)


def _grad_list(grads: Any, n: int, function: str) -> list[Any]:
    grads = list(grads) if isinstance(grads, (list, tuple)) else [grads] * n if grads is None else [grads]
    if len(grads) != n:
        raise ArgumentError(f"{function}(): {n} tensors but {len(grads)} gradients")
    return grads


def backward(tensors: Any, grad_tensors: Any = None, retain_graph: bool = False, create_graph: bool = False, *,
             dump_backward_graph_path: Any = None) -> None:
    """Accumulate the gradients of ``tensors`` into the ``grad`` of every leaf they depend on.

    Each root is seeded with its entry of ``grad_tensors``, or with ones of its own shape. Without ``retain_graph`` the
    graph is freed on the way. Tensors that need no gradient are passed over (FLAGS_strict_backward: they raise).

    >>> x = paddle.to_tensor([1., 2.], stop_gradient=False)
    >>> paddle.autograd.backward([(x * x).sum()])
    >>> x.grad.tolist()
    [2.0, 4.0]
    """
    if dump_backward_graph_path is not None:
        raise NotImplementedError("backward(): dump_backward_graph_path is not supported; paddle.static's programs can be drawn")
    if context.trace is not None:
        context.trace.gradients.backward(tensors, grad_tensors)
        return
    tensors = _tensor_list(tensors, "backward", "tensors")
    roots = []
    for t, g in zip(tensors, _grad_list(grad_tensors, len(tensors), "backward")):
        if t.stop_gradient:
            if _strict.value:
                raise RuntimeError("backward(): this tensor has stop_gradient=True: there is nothing to differentiate "
                                   "(set stop_gradient=False on an input before computing it)")
            continue
        roots.append((t._edge or t, _seed(t, g, "backward", create_graph)))
    if not roots:
        return
    walk = Walk(create_graph, bool(retain_graph or create_graph))
    if process.leaf_watchers:
        walk.count([node_of(t)[0] for t in tensors if t._edge is not None and not t.stop_gradient])
    walk.run(roots)
    if process.end_watchers and not context.depth:
        for watcher in list(process.end_watchers):
            watcher()


def grad(outputs: Any, inputs: Any, grad_outputs: Any = None, retain_graph: bool | None = None, create_graph: bool = False,
         only_inputs: bool = True, allow_unused: bool = False, no_grad_vars: Any = None, *,
         dump_backward_graph_path: Any = None) -> list[Any]:
    """Gradients of ``outputs`` with respect to ``inputs``, returned instead of accumulated.

    Args:
        outputs, inputs (Tensor or list): what is differentiated, and with respect to what.
        grad_outputs (Tensor, list or None): gradients of the outputs to start with; ones for None.
        retain_graph (bool or None): keep the tape for another call; what ``create_graph`` says for None.
        create_graph (bool): make gradients that can be differentiated again, as often as wanted.
        only_inputs (bool): must be True: gradients of other leaves are not accumulated.
        allow_unused (bool): give None for an input that no output depends on, instead of raising.
        no_grad_vars (Tensor, list, set or None): Tensors that are treated as constants.
        dump_backward_graph_path (None): not supported, must be None.
    Returns:
        list of Tensors, one for each input; None where ``allow_unused`` let one pass.
    Raises:
        RuntimeError: an input takes no part in the outputs, and ``allow_unused`` is False.

    >>> x = paddle.to_tensor(3., stop_gradient=False)
    >>> dx, = paddle.grad(x ** 3, x, create_graph=True)
    >>> ddx, = paddle.grad(dx, x)
    >>> float(dx), float(ddx)
    (27.0, 18.0)
    """
    if dump_backward_graph_path is not None:
        raise NotImplementedError("grad(): dump_backward_graph_path is not supported; paddle.static's programs can be drawn")
    if context.trace is not None:
        return context.trace.gradients.grad(outputs, inputs, grad_outputs, create_graph, allow_unused, no_grad_vars)
    outputs, inputs = _tensor_list(outputs, "grad", "outputs"), _tensor_list(inputs, "grad", "inputs")
    if not only_inputs:
        raise ValueError("grad(): only_inputs=False is not supported; use backward() to accumulate into leaves")
    constants = [] if no_grad_vars is None else _tensor_list(no_grad_vars, "grad", "no_grad_vars")
    seeds = _grad_list(grad_outputs, len(outputs), "grad")
    targets, positions = {}, []
    for t in inputs:
        if t.stop_gradient:
            raise RuntimeError("grad(): an input has stop_gradient=True; set it to False before computing the outputs")
        positions.append(targets.setdefault(key_of(t._edge or t), len(targets)))
    blocked = {key_of(t._edge or t) for t in constants}
    roots = [(t._edge or t, _seed(t, g, "grad", create_graph))
             for t, g in zip(outputs, seeds) if not t.stop_gradient]
    route = Route(targets, blocked, outputs)
    walk = Walk(create_graph, bool(create_graph if retain_graph is None else retain_graph), route)
    walk.run(roots)
    results = []
    for n, (t, p) in enumerate(zip(inputs, positions)):
        g = route.found.get(p)
        if g is None and route.freed is not None:
            walk.raise_freed(route.freed)
        if g is None and not allow_unused:
            raise UnusedInputError(f"grad(): no output depends on input {n} (shape {list(t._data.shape)}); "
                                   "allow_unused=True gives None for it")
        results.append(None if g is None else _found(t, g, create_graph))
    return results


def _found(tensor: Any, g: Any, create_graph: bool) -> Any:
    """What the walk found as the gradient of a tensor, as ``grad`` returns it."""
    if not create_graph:
        g = packed(g._content() if isinstance(g, Tensor) else g)
    elif g.stop_gradient:  # a constant, but asked for as something to differentiate
        g.stop_gradient = False
    return tensor.whole_gradient(g) if tensor._placed else g
