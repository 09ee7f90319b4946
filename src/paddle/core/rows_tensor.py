"""RowsTensor: SelectedRows as a Tensor, what the gradient of a table is to those who look at it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .context import context
from .engine import TensorBase
from .rows import SelectedRows
from .tensor import Tensor, wrap


class RowsTensor(Tensor):
    """A Tensor of selected rows: its array has their values, as in Paddle; what is computed from it is computed from the whole."""

    __slots__ = ("index", "extent")

    def __init__(self, value: SelectedRows) -> None:
        self._data, self.index, self.extent = value.values, value.index, value.extent
        self._edge = self._grad = self._meta = None
        self._version = 0
        self.stop_gradient, self._placed = True, True  # calls with it are ``record``'s

    def _content(self) -> SelectedRows:
        return SelectedRows(self.index, self.extent, self._data)

    def rows(self) -> list[int]:
        """Numbers of the rows."""
        return self._content().rows()

    def record(self, op: Any, args: Sequence[Any]) -> Any:
        """Call an op: on rows where it has a way to and no other argument needs a gradient, else on whole tensors."""
        others = [t for a in args for t in (a if isinstance(a, (list, tuple)) else [a])
                  if isinstance(t, Tensor) and t.__class__ is not RowsTensor]
        if op.facts.on_rows is None or context.grad and not all(t.stop_gradient for t in others):
            return op(*_each(args, lambda t: t.whole() if t.__class__ is RowsTensor else t))
        values = list(op.bind(args, {}))
        values[:op.n_in] = _each(values[:op.n_in], _content)
        values[:op.n_in] = [v if v.__class__ is SelectedRows else op.operand(v, i) for i, v in enumerate(values[:op.n_in])]
        out = op.run_rows(values)
        return packed(out) if op.single else tuple([None if o is None else packed(np.asarray(o)) for o in out])

    def whole(self) -> Tensor:
        """The whole array as a Tensor of its own."""
        whole = wrap(self._content().dense())
        whole.stop_gradient = self.stop_gradient
        return whole


def _content(value: Any) -> Any:
    """What a Tensor holds; anything else is itself."""
    return value._content() if isinstance(value, TensorBase) else value


def _each(values: Sequence[Any], fn: Callable[[Any], Any]) -> list[Any]:
    """The function of every value, and of every member of lists among them."""
    return [[fn(v) for v in a] if isinstance(a, (list, tuple)) else fn(a) for a in values]


def packed(value: Any) -> Tensor:
    """A leaf Tensor over an array or SelectedRows."""
    return RowsTensor(value) if value.__class__ is SelectedRows else wrap(value)


def whole_array(tensor: Any) -> np.ndarray:
    """The array of a tensor, of selected rows that of the whole."""
    return tensor._data if tensor.__class__ is not RowsTensor else tensor._content().dense()
