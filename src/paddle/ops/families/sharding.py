"""How tensors that are cut over ranks travel through ops of a kind: values of the fact ``sharding`` (see core/sharding.py)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...core.sharding import Travel
from ..arguments import axis_tuple, one_axis


def aligned(shape: Sequence[int], whole: Sequence[int]) -> tuple[Any, ...]:
    """The labels of a shape that is broadcast to another: axes are numbered from the last one, and a size of 1 is not cut."""
    n, ndim = len(shape), len(whole)
    return tuple(None if size == 1 else ndim - n + k for k, size in enumerate(shape))


def elementwise(op: Any, inputs: Sequence[Any], attrs: Mapping[str, Any], linear: str | None = None) -> Travel | None:
    """Element by element, with broadcasting; every output has the common shape."""
    specs = [s for group in inputs if group is not None for s in (group if isinstance(group, list) else [group])]
    axis = attrs.get("axis") if op.unbroadcast else None
    if isinstance(axis, int) and axis != -1 and any(len(s.shape) != len(specs[0].shape) for s in specs):
        return None
    whole = np.broadcast_shapes(*[s.shape for s in specs])
    labels = [None if g is None else [aligned(s.shape, whole) for s in g] if isinstance(g, list) else aligned(g.shape, whole)
              for g in inputs]
    return Travel(labels, [tuple(range(len(whole)))] * max(len(op.outputs), 1), linear)


def linear(op: Any, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> Travel | None:
    """Element by element, of a sum the sum: add, subtract, assign."""
    return elementwise(op, inputs, attrs, "all")


def multilinear(op: Any, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> Travel | None:
    """Element by element, linear in each operand: multiply."""
    return elementwise(op, inputs, attrs, "each")


def quotient(op: Any, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> Travel | None:
    """Element by element, linear in the first operand: divide."""
    return elementwise(op, inputs, attrs, "first")


def scaled(op: Any, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> Travel | None:
    """scale: linear without a bias."""
    return elementwise(op, inputs, attrs, None if attrs.get("bias") else "all")


def converted(op: Any, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> Travel | None:
    """cast: parts of a sum stay what they are between floating types."""
    kept = inputs[0].dtype.kind == "f" and str(getattr(attrs["dtype"], "name", attrs["dtype"])).startswith("float")
    return elementwise(op, inputs, attrs, "all" if kept else None)


def along(op: Any, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> Travel | None:
    """The axes that the attribute ``axis`` (or ``dim``) names are whole, the others free: softmax, cumsum, sort, flip."""
    ndim, axis = len(inputs[0].shape), attrs.get("axis", attrs.get("dim"))
    if attrs.get("flatten") or axis is None or any(s is not None for s in inputs[1:]):
        return None
    axes = {one_axis(a, ndim, op.name) for a in (axis if isinstance(axis, (list, tuple)) else [axis])} if ndim else set()
    labels = tuple(None if k in axes or n == 1 else k for k, n in enumerate(inputs[0].shape))
    return Travel([labels, *[None] * (len(inputs) - 1)], [labels] * len(op.outputs))


def reducing(op: Any, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> Travel:
    """Axes that are reduced are whole, the others free: max, prod, argmax."""
    return _reduced(op, inputs, attrs, False)


def summing(op: Any, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> Travel:
    """sum: every rank adds its part."""
    return _reduced(op, inputs, attrs, True)


def averaging(op: Any, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> Travel:
    """mean: every rank's mean counts as much as it has elements."""
    travel = _reduced(op, inputs, attrs, True)
    kept = set(travel.outputs[0])

    def run(op: Any, args: Sequence[Any], parts: Mapping[Any, Any]) -> Any:
        cut = [part for label, part in parts.items() if label not in kept]
        return op(*args) * math.prod(part.size / part.whole for part in cut) if cut else op(*args)

    return Travel(travel.inputs, travel.outputs, "each", run)


def _reduced(op: Any, inputs: Sequence[Any], attrs: Mapping[str, Any], sums: bool) -> Travel:
    shape = inputs[0].shape
    axis = None if attrs.get("flatten") or attrs.get("asvector") else attrs.get("axis")
    axes = axis_tuple(axis, len(shape), op.name)
    labels = tuple(None if n == 1 or k in axes and not sums else k for k, n in enumerate(shape))
    out = tuple(None if k in axes else label for k, label in enumerate(labels) if attrs.get("keepdim") or k not in axes)
    return Travel([labels, *[None] * (len(inputs) - 1)], [out] * len(op.outputs), "each" if sums else None)


def product(_op: Any, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> Travel | None:
    """matmul: rows, columns and batches may be cut; a cut inner axis leaves parts of a sum."""
    x, y = inputs[:2]
    n, m = len(x.shape), len(y.shape)
    if not n or not m:
        return None
    batch = max(n, m) - 2
    a = [*[("batch", batch - (n - 2) + k) for k in range(n - 2)], *(["row"] if n > 1 else []), "inner"]
    b = [*[("batch", batch - (m - 2) + k) for k in range(m - 2)], "inner", *(["column"] if m > 1 else [])]
    if attrs.get("transpose_x") and n > 1:
        a[-1], a[-2] = a[-2], a[-1]
    if attrs.get("transpose_y") and m > 1:
        b[-1], b[-2] = b[-2], b[-1]
    out = [*[("batch", k) for k in range(batch)], *(["row"] if n > 1 else []), *(["column"] if m > 1 else [])]
    cut = [tuple(None if size == 1 and label[0] == "batch" else label for label, size in zip(labels, spec.shape))
           for labels, spec in ((a, x), (b, y))]
    return Travel(cut, [tuple(out)], "each")


def permuted(_op: Any, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> Travel:
    """transpose: the axes in another order."""
    ndim = len(inputs[0].shape)
    return Travel([tuple(range(ndim))], [tuple(one_axis(a, ndim, "transpose", "perm") for a in attrs["perm"])], "each")


def rearranged(op: Any, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> Travel | None:
    """reshape and its kin: of the axes that become one, or that come from one, the first may be cut."""
    x = inputs[0]
    if any(s is not None for s in inputs[1:]):
        return None
    found = op.facts.shapes(x, *[None] * (op.n_in - 1), *[attrs[name] for name in op.attr_names])
    if found is None:
        return None
    labels, out, units = _blocks(x.shape, found.shape)

    def run(op: Any, args: Sequence[Any], parts: Mapping[Any, Any]) -> Any:
        sizes = [n if label not in parts else parts[label].size * n // parts[label].whole for n, label in zip(found.shape, out)]
        return args[0].reshape(sizes)

    return Travel([labels, *[None] * (op.n_in - 1)], [out], "each", run, units)


def _blocks(before: Sequence[int], after: Sequence[int]) -> tuple[tuple[Any, ...], tuple[Any, ...], dict[Any, int]]:
    """Labels for the axes of two shapes of the same elements, and units: blocks of axes with the same product share a label, on
    their first axes of more than one element."""
    old: list[Any] = [None] * len(before)
    new: list[Any] = [None] * len(after)
    units: dict[Any, int] = {}
    if 0 in before:
        return tuple(old), tuple(new), units
    i = j = 0
    while i < len(before) and j < len(after):
        first, second, a, b = i, j, before[i], after[j]
        i, j = i + 1, j + 1
        while a != b:
            if a < b and i < len(before):
                a, i = a * before[i], i + 1
            elif j < len(after):
                b, j = b * after[j], j + 1
            else:
                return tuple(old), tuple(new), units
        p = next((k for k in range(first, i) if before[k] > 1), None)
        q = next((k for k in range(second, j) if after[k] > 1), None)
        if p is not None and q is not None:
            old[p] = new[q] = first
            if before[p] != after[q]:
                units[first] = math.gcd(before[p], after[q])
    return tuple(old), tuple(new), units


def repeated(op: Any, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> Travel | None:
    """expand: axes that keep their size may be cut."""
    x = inputs[0]
    if any(s is not None for s in inputs[1:]):
        return None
    found = op.facts.shapes(x, *[None] * (op.n_in - 1), *[attrs[name] for name in op.attr_names])
    if found is None:
        return None
    extra = len(found.shape) - len(x.shape)
    labels = tuple(k if n == found.shape[extra + k] and n > 1 else None for k, n in enumerate(x.shape))
    out = (None,) * extra + labels

    def run(op: Any, args: Sequence[Any], parts: Mapping[Any, Any]) -> Any:
        return args[0].expand([parts[label].size if label in parts else n for n, label in zip(found.shape, out)])

    return Travel([labels, *[None] * (op.n_in - 1)], [out], "each", run)


def joined(op: Any, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> Travel | None:
    """concat: the axis of joining is whole."""
    if any(s is not None for s in inputs[1:]):
        return None
    ndim = len(inputs[0][0].shape)
    axis = one_axis(attrs["axis"], ndim, op.name)
    labels = tuple(None if k == axis else k for k in range(ndim))
    return Travel([[labels] * len(inputs[0]), None], [labels], "all")


def stacked(op: Any, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> Travel:
    """stack: the new axis is whole."""
    ndim = len(inputs[0][0].shape)
    labels = tuple(range(ndim))
    axis = one_axis(attrs["axis"], ndim + 1, op.name)
    return Travel([[labels] * len(inputs[0])], [labels[:axis] + (None,) + labels[axis:]], "all")


def taken_apart(op: Any, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> Travel | None:
    """split, unbind, unstack: the axis that is taken apart is whole; the last output stands for all."""
    if any(s is not None for s in inputs[1:]):
        return None
    ndim = len(inputs[0].shape)
    axis = one_axis(attrs["axis"], ndim, op.name)
    labels = tuple(None if k == axis else k for k in range(ndim))
    out = labels if op.name == "split" else labels[:axis] + labels[axis + 1:]
    return Travel([labels, *[None] * (op.n_in - 1)], [out], "each")


def indexed(_op: Any, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> Travel | None:
    """x[index] of ints and slices: axes that are taken whole may be cut."""
    index = attrs["index"] if isinstance(attrs["index"], tuple) else (attrs["index"],)
    ndim = len(inputs[0].shape)
    used = sum(item is not None and item is not Ellipsis for item in index)
    index = index if any(item is Ellipsis for item in index) else (*index, Ellipsis)
    labels: list[Any] = []
    out: list[Any] = []
    for item in index:
        if item is None:
            out.append(None)
        elif item is Ellipsis:
            rest = range(len(labels), len(labels) + ndim - used)
            out += rest
            labels += rest
        else:
            whole = isinstance(item, slice) and item == slice(None)
            labels.append(len(labels) if whole else None)
            if isinstance(item, slice):
                out.append(labels[-1])
    return Travel([tuple(labels)], [tuple(out)], "each")


def sliced(op: Any, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> Travel | None:
    """slice: axes that are not named may be cut."""
    if any(s is not None for s in inputs[1:]):
        return None
    ndim = len(inputs[0].shape)
    axes = {one_axis(a, ndim, op.name) for a in attrs["axes"]}
    gone = {one_axis(a, ndim, op.name) for a in attrs.get("decrease_axis") or ()}
    labels = tuple(None if k in axes else k for k in range(ndim))
    return Travel([labels, *[None] * (op.n_in - 1)], [tuple(n for k, n in enumerate(labels) if k not in gone)], "each")


def rows_normalised(_op: Any, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> Travel:
    """layer_norm: the axes before the normalised ones may be cut; statistics are given where that is the first."""
    shape, begin = inputs[0].shape, attrs["begin_norm_axis"]
    labels = tuple(k if k < begin and n > 1 else None for k, n in enumerate(shape))
    vectors = [None if s is None else (None,) * len(s.shape) for s in inputs[1:]]
    rows = (0,) if begin == 1 else None
    return Travel([labels, *vectors], [labels, rows, rows])


def classified(op: Any, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> Travel:
    """softmax_with_cross_entropy: the axis of classes is whole."""
    shape = inputs[0].shape
    axis = one_axis(attrs["axis"], len(shape), op.name)
    labels = tuple(None if k == axis or n == 1 else k for k, n in enumerate(shape))
    label = labels if len(inputs[1].shape) == len(shape) else labels[:axis] + labels[axis + 1:]
    return Travel([labels, label], [labels, labels])


def looked_up(_op: Any, inputs: Sequence[Any], _attrs: Mapping[str, Any]) -> Travel:
    """embedding: ids and columns of the table may be cut; of cut rows every rank looks up its own, and the sum is what was asked
    for."""
    ids = tuple(("id", k) if n > 1 else None for k, n in enumerate(inputs[0].shape))

    def run(op: Any, args: Sequence[Any], parts: Mapping[Any, Any]) -> Any:
        rows, (at, weight, padding) = parts.get("row"), args[:3]  # gradients of parts are whole
        if rows is None:
            return op(at, weight, padding)
        here = at - rows.start
        inside = (here >= 0).logical_and(here < rows.size)
        if padding >= 0:
            inside = inside.logical_and(at != padding)
        return op(here * inside.astype(here.dtype), weight, -1) * inside.astype(weight.dtype).unsqueeze(-1)

    return Travel([ids, ("row", "column")], [(*ids, "column")], None, run)
