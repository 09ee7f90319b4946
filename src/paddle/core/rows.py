"""SelectedRows: some rows of a tall array that is zero elsewhere. The gradient of an embedding's table is one where that is asked
for, so that a step costs what the rows cost that were looked up, not what the table costs."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from .facts import BY_NAME
from .rooms import rooms


class SelectedRows:
    """``values[k]`` belongs to row ``index[k]`` of an array of ``extent`` rows; what belongs to one row is added up.

    Args:
        rows: numbers of the rows.
        height: how many rows the whole array has.
        values: an array with one row for each number.
    """

    __slots__ = ("index", "values", "extent")
    __array_ufunc__ = None  # array + SelectedRows is for __radd__

    def __init__(self, rows: Any = (), height: int = 0, values: Any = None) -> None:
        self.index, self.extent = np.asarray(rows, np.int64).reshape(-1), int(height)
        self.values = np.zeros([0], np.float32) if values is None else values

    def __repr__(self) -> str:
        return f"SelectedRows(rows={self.rows()}, height={self.extent}, values={list(self.values.shape)} {self.values.dtype.name})"

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the whole array."""
        return (self.extent, *self.values.shape[1:])

    @property
    def dtype(self) -> Any:
        """The element type."""
        return self.values.dtype

    def merged(self) -> SelectedRows:
        """The same with every row once, in order."""
        if (self.index[1:] > self.index[:-1]).all():
            return self
        rows, where = np.unique(self.index, return_inverse=True)
        return SelectedRows(rows, self.extent, self._added(where.reshape(-1), len(rows)))

    def dense(self) -> Any:
        """The whole array."""
        return self._added(self.index, self.extent)

    def with_values(self, values: Any) -> SelectedRows:
        """The same rows with other values."""
        return SelectedRows(self.index, self.extent, values)

    def _given(self) -> Any:
        """The values that belong to rows: memory set aside may have more."""
        return self.values[:len(self.index)]

    def _added(self, index: Any, height: int) -> Any:
        flat = np.ascontiguousarray(self._given()).reshape(len(index), math.prod(self.values.shape[1:]))
        return BY_NAME["embedding_grad"](index, flat, height, -1).reshape(height, *self.values.shape[1:])

    def __add__(self, other: Any) -> Any:
        """The rows of both; an array if the other one is an array."""
        if other.__class__ is SelectedRows:
            joined = np.concatenate([self.index, other.index]), np.concatenate([self._given(), other._given()])
            return SelectedRows(joined[0], self.extent, joined[1]).merged()
        if other.__class__ is not np.ndarray:
            return NotImplemented
        total, mine = np.array(other, order="C"), self.merged()
        total[mine.index] += mine._given()
        return total

    __radd__ = __add__

    # ---- as Paddle's class has it ----
    def rows(self) -> list[int]:
        """Numbers of the rows."""
        return [int(n) for n in self.index]

    def height(self) -> int:
        """How many rows the whole array has."""
        return self.extent

    def set_rows(self, rows: Iterable[int]) -> None:
        """Set the numbers of the rows."""
        self.index = np.asarray(list(rows), np.int64)

    def set_height(self, height: int) -> None:
        """Set how many rows the whole array has."""
        self.extent = int(height)

    def numel(self) -> int:
        """The number of values."""
        return int(self.values.size)

    def sync_index(self) -> None:
        """Nothing: rows are found by their numbers here, without a table of them."""

    def get_tensor(self) -> Any:
        """The values: ``np.array(holder)``, ``holder.set(array, place)``."""
        return rooms.rows_values(self)


def has_rows(values: Any) -> bool:
    """Are there SelectedRows among values, or in lists among them?"""
    return any(v.__class__ is SelectedRows or v.__class__ is list and has_rows(v) for v in values)


def whole(value: Any) -> Any:
    """A value with whole arrays in place of SelectedRows, in lists too."""
    if value.__class__ is SelectedRows:
        return value.dense()
    return [whole(v) for v in value] if value.__class__ is list else value
