"""The tape: nodes recorded by ops, hooks on gradients, and the switch that turns recording off.

A Tensor references the Node that made it, a Node the nodes (or leaf Tensors) of its inputs; there are no references in the other
direction, so reference counting alone frees a graph. ``walk.py`` traverses it.
"""

from __future__ import annotations

import functools
import itertools
import os
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from . import engine
from .context import context
from .errors import InplaceError
from .tensor import Tensor, wrap

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


class BackwardRecipe:
    """How backward goes through a node. The node holds what belongs to one call, the recipe what is done with it."""

    __slots__ = ()
    name: str | None = None  # what was called, for errors
    takes_none = False  # of several outputs: does it take None where no gradient came, rather than zeros?

    def gradients(self, node: Node, g: Any, create_graph: bool, final: bool) -> Sequence[Any]:
        """Gradients (or None) for each edge of the node, given that of its output, a tuple of them for several.

        Arrays, or Tensors under ``create_graph``. ``final``: the node is not needed any more, so what it holds may go.
        """
        raise RuntimeError(f"backward of {self.name}: there is no way back")

    def reads_output(self, index: int) -> bool:
        """Does going back look at this output of the call, where outputs are kept?"""
        return True


class Node(engine.NodeBase):
    """One recorded call: how to go back (``recipe``), where to (``edges``), and what that needs."""

    __slots__ = ("__weakref__",)  # and the fields of NodeBase

    def __init__(self, recipe: Any, edges: Any, saved: Any = (), tensors: Any = (), out: Any = None) -> None:
        self.recipe, self.edges, self.saved, self.tensors, self.out = recipe, edges, saved, tensors, out
        if engine.fast is None:  # fields in C are None and 0 by themselves
            self.out_metas = self.shapes = self.hooks = self.retained = self.spoiled = self.where = None
            self.version = 0
        self.seq = engine.next_number()
        if tensors:
            self.version = _version_sum(tensors)
        if context.anomaly:
            self.where = users_frames()

    def rewrap(self, out: Any) -> Any:
        """Saved output arrays as Tensors that lead back to this node (for gradients of gradients)."""
        def one(array: Any, k: int) -> Any:
            t = wrap(array)
            t.stop_gradient, t._edge = False, self if k == 0 else (self, k)
            return t
        if isinstance(out, (tuple, list)):
            return tuple(None if o is None else one(o, k) for k, o in enumerate(out))
        return one(out, 0)

    def check_unchanged(self) -> None:
        version = _version_sum(self.tensors)
        if version != self.version or self.spoiled:
            raise InplaceError(f"backward of {self.recipe.name}: a tensor it saved was changed in place"
                               f"{' by ' + self.spoiled if self.spoiled else ''} after the forward call; "
                               "use a copy (x.clone()) before changing it "
                               f"(received tensor_version:{version} != wrapper_version_snapshot:{self.version})")

    def free(self) -> None:
        self.saved = self.tensors = self.out = self.edges = None


def users_frames(most: int = 8) -> list[str]:
    """The innermost frames outside this package, as text."""
    import traceback  # only errors and FLAGS_check_nan_inf need it
    outside = [f for f in traceback.extract_stack() if not f.filename.startswith(_PACKAGE)]
    return traceback.format_list(outside[-most:])


def _version_sum(tensors: Any) -> int:
    """Sum of the in-place counters: it differs as soon as any of the tensors was changed."""
    total = 0
    for t in tensors:
        if isinstance(t, Tensor):
            total += t._version
        elif t.__class__ is engine.Storage:
            total += t.version
        elif t.__class__ is list or t.__class__ is tuple:
            total += _version_sum(t)
    return total


def attach(tensor: Any, node: Node, index: int = 0, any_kind: bool = False) -> Any:
    """Make a fresh output tensor lead back to its node, if its type can have a gradient: a number, and, where a node has
    several outputs, no integer (those are positions). ``any_kind``: whatever the type."""
    kind = tensor._data.dtype.kind
    if any_kind or kind in "fcV" or kind in "iu" and node.out_metas is None:
        tensor.stop_gradient = False
        tensor._edge = node if index == 0 else (node, index)
        if context.retain_all:
            retain(tensor)
    return tensor


def node_of(tensor: Any) -> tuple[Any, int]:
    """(node, output number) that made the tensor; (None, 0) for a leaf."""
    edge = tensor._edge
    return edge if edge.__class__ is tuple else (edge, 0)


def retain(tensor: Any) -> None:
    """Keep the gradient of a non-leaf tensor when backward passes it, as the hooks registered so far leave it."""
    node, index = node_of(tensor)
    if node is not None:
        if node.retained is None:
            node.retained = {}
        node.retained[index] = weakref.ref(tensor), next(HookHandle._keys)


def add_hook(tensor: Any, hook: Callable[[Any], Any]) -> HookHandle:
    """Call hook(grad) when the tensor's gradient is known; what it returns (if not None) replaces it."""
    if tensor.stop_gradient:
        raise RuntimeError("register_hook(): this tensor has stop_gradient=True, so no gradient will pass it")
    node, index = node_of(tensor)
    if node is None:
        table = tensor.meta().hooks
    else:
        if node.hooks is None:
            node.hooks = {}
        table = node.hooks.setdefault(index, {})
    return HookHandle(table, hook)


class HookHandle:
    """What register_hook returns; ``remove()`` takes the hook off."""

    __slots__ = ("_hook_id", "_table")
    _keys = itertools.count()

    def __init__(self, table: dict[int, Any], hook: Any = None) -> None:
        self._table, self._hook_id = table, next(self._keys)
        if hook is not None:  # else the caller enters one under this number
            table[self._hook_id] = hook

    def remove(self) -> bool:
        """Take the hook off; True if it was still there."""
        return self._table.pop(self._hook_id, None) is not None


class _grad_mode:
    """Base of no_grad and enable_grad: context manager, decorator (functions and generators), or plain call."""

    value = True

    def __new__(cls, func: Any = None) -> Any:
        self = super().__new__(cls)
        return self if func is None else self(func)

    def __enter__(self) -> Any:
        self._before = context.grad
        context.grad = self.value
        return self

    def __exit__(self, *exc: Any) -> None:
        context.grad = self._before

    def __call__(self, func: Any) -> Any:
        import inspect  # a predictor starts without it
        cls = type(self)
        if inspect.isgeneratorfunction(func):
            @functools.wraps(func)
            def wrapped(*args: Any, **kwargs: Any) -> Iterator[Any]:
                generator = func(*args, **kwargs)
                while True:
                    with cls():
                        try:
                            item = next(generator)
                        except StopIteration as stop:
                            return stop.value
                    yield item
        else:
            value = cls.value

            @functools.wraps(func)
            def wrapped(*args: Any, **kwargs: Any) -> Any:
                before, context.grad = context.grad, value
                try:
                    return func(*args, **kwargs)
                finally:
                    context.grad = before
        if inspect.isfunction(func):
            wrapped.__signature__ = inspect.signature(func)  # type: ignore[attr-defined]
        return wrapped


class no_grad(_grad_mode):
    """Context manager and decorator: nothing inside is recorded for gradients.

    Args:
        func (callable): what to wrap when used as ``@paddle.no_grad`` or ``@paddle.no_grad()``; generators are wrapped too.

    >>> x = paddle.ones([2]); x.stop_gradient = False
    >>> with paddle.no_grad():
    ...     y = x * 2
    >>> y.stop_gradient
    True
    """

    value = False


class enable_grad(_grad_mode):
    """Context manager and decorator: recording is on inside, also within ``no_grad``.

    >>> x = paddle.to_tensor(2., stop_gradient=False)
    >>> with paddle.no_grad(), paddle.enable_grad():
    ...     (x * x).stop_gradient
    False
    """

    value = True


class set_grad_enabled(_grad_mode):
    """Turn recording on or off, at once and until the end of a ``with`` block if used as one.

    Args:
        mode: on (True) or off.

    >>> x = paddle.to_tensor(2., stop_gradient=False)
    >>> with paddle.set_grad_enabled(False):
    ...     (x * x).stop_gradient
    True
    """

    def __new__(cls, mode: Any) -> Any:
        return object.__new__(cls)

    def __init__(self, mode: Any) -> None:
        self._before, self.value = context.grad, bool(mode)
        context.grad = self.value

    def __enter__(self) -> Any:
        return self

    def __call__(self, func: Any) -> Any:
        """The function with recording on or off while it runs; what was on before the decoration stays."""
        context.grad = self._before
        return (enable_grad if self.value else no_grad)()(func)


def is_grad_enabled() -> bool:
    """Is recording for gradients on? Static programs record none.

    >>> paddle.is_grad_enabled()
    True
    """
    return context.grad and not context.static_mode
