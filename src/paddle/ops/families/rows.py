"""What is done with SelectedRows: updates of the rows that have a gradient, sums, products with a number."""

from __future__ import annotations

import functools
import operator
from typing import Any

import numpy as np

from ...core.context import process
from ...core.rows import SelectedRows

BLOCK = 1 << 18  # elements of a whole gradient that exist at a time where an update changes all rows


def step_rows(update: Any, values: list[Any]) -> Any:
    """The results of an update op whose gradient is SelectedRows (the fact ``on_rows``); what it is given stays as it is."""
    if update.facts.whole:
        return NotImplemented
    values = list(values)
    for k in update.updates:
        values[k] = None if values[k] is None else np.array(values[k], order="C")
    step_in_place(update, values)
    results = tuple([values[k] for k in update.updates])
    return results[0] if update.single else results


def step_in_place(update: Any, values: list[Any]) -> None:
    """Run an update op in the memory of the parameter and its states, among its bound arguments; the gradient may be SelectedRows,
    a state that the attributes leave unused None.

    Where rows without a gradient stay as they are, the others alone are touched; else the whole gradient is made, a block of rows
    at a time.
    """
    names = [slot.name for slot in update.inputs]
    grad, param = names.index("Grad"), values[update.updates[0]]
    attrs, lazy = dict(zip(update.attr_names, values[update.n_in:])), update.facts.lazy
    given = list(values[:update.n_in])
    if values[grad].__class__ is not SelectedRows:
        given[grad] = np.ascontiguousarray(values[grad], param.dtype)
        _run(update, given, attrs, names)
        return
    rows = values[grad].merged()
    rows = rows.with_values(rows.values.astype(param.dtype, copy=False))
    tall = [k for k in update.updates if values[k] is not None and values[k].shape == param.shape]
    if attrs[lazy] if isinstance(lazy, str) else lazy:
        given[grad] = rows.values
        for k in tall:
            given[k] = values[k][rows.index]
        _run(update, given, attrs, names)
        for k in tall:
            values[k][rows.index] = given[k]
        return
    size = max(1, BLOCK // max(1, param[:1].size))
    block = np.zeros_like(param[:size])
    for first in range(0, len(param), size):
        part = slice(first, first + size)
        low, high = np.searchsorted(rows.index, [first, first + size])
        own = rows.index[low:high] - first
        block[own] = rows.values[low:high]
        given[grad] = block[:len(param) - first]
        for k in update.updates:  # numbers such as powers change once, though every block needs what they were
            given[k] = values[k][part] if k in tall else None if values[k] is None else values[k].copy()
        _run(update, given, attrs, names)
        block[own] = 0
    for k in update.updates:
        values[k] = values[k] if k in tall else given[k]


def _run(update: Any, given: list[Any], attrs: dict[str, Any], names: list[str]) -> None:
    """Run an update op on arrays and write its results into those that they replace."""
    native = None if update.group is None else getattr(process.native, update.group[0], None)
    columns = [[given[k]] for k in update.updates]
    if native is not None and columns[0][0].dtype.char in "fd":
        rate = float(given[names.index("LearningRate")].reshape(()))
        update.group[1](native, columns[0], [given[names.index("Grad")]], columns[1:], [rate], attrs)
        return
    results = update.run_arrays([*given, *attrs.values()])
    for (old,), new in zip(columns, results if isinstance(results, tuple) else (results,)):
        if old is not None:
            old[...] = new


def added(_add_n: Any, values: list[Any]) -> Any:
    """The sum of arrays and SelectedRows: rows if there are no arrays."""
    return functools.reduce(operator.add, values[0])


def each_value(op: Any, values: list[Any]) -> Any:
    """What an op that takes zeros to zeros, or looks at the length of all, makes of SelectedRows: the same of their values."""
    rows = values[0].merged()
    return rows.with_values(op.run_arrays([rows.values, *values[1:]]))


def scaled_rows(scale: Any, values: list[Any]) -> Any:
    """SelectedRows times a number: the same rows; with a bias, which the other rows have too, NotImplemented."""
    x, factor, bias, *_ = values
    return NotImplemented if bias else x.with_values(scale.run_arrays([x.values, factor, bias, True]))


def times(multiply: Any, values: list[Any]) -> Any:
    """The product of SelectedRows and a number: the same rows; of arrays that are more, NotImplemented."""
    x, y, *rest = values
    if x.__class__ is not SelectedRows or y.__class__ is SelectedRows or np.size(y) != 1:
        return NotImplemented
    return x.with_values(multiply.run_arrays([x.values, np.reshape(y, ()).astype(x.dtype), *rest]))
