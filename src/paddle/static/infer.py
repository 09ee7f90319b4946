"""Shapes and dtypes of an op's outputs before it runs; unknown sizes are -1.

``same``, ``broadcast`` and ``compare`` have rules. Everything else is probed: the op runs on zeros whose unknown sizes are
filled in twice with different numbers; output sizes that differ between the two runs are unknown.
"""

import numpy as np

from ..core.errors import describe


class Spec:
    """Shape (tuple, -1 unknown) and NumPy dtype."""

    __slots__ = ("shape", "dtype")

    def __init__(self, shape, dtype):
        self.shape, self.dtype = tuple(shape), np.dtype(dtype)

    def __repr__(self):
        return f"Spec({list(self.shape)}, {self.dtype.name})"


def infer(op, inputs, attrs):
    """Specs of the op's outputs; inputs are Specs, None or lists of Specs, attrs the attribute values in order."""
    rule = _RULES.get(op.family)
    if rule is not None:
        found = rule(op, inputs, dict(zip(op.attr_names, attrs)))
        if found is not None:
            return found
    return probe(op, inputs, attrs)


def _same(op, inputs, attrs):
    if len(op.outputs) != 1 or op.outputs[0].is_list or op.single is False:
        return None
    first = inputs[0][0] if isinstance(inputs[0], list) else inputs[0]
    return [Spec(first.shape, first.dtype)]


def broadcast_dims(a, b, function):
    """The common shape of two shapes with unknown sizes."""
    n = max(len(a), len(b))
    a, b = (1,) * (n - len(a)) + tuple(a), (1,) * (n - len(b)) + tuple(b)
    out = []
    for p, q in zip(a, b):
        if p == q or q == 1:
            out.append(p)
        elif p == 1 or p == -1:
            out.append(q)
        elif q == -1:
            out.append(p)
        else:
            raise ValueError(f"{function}(): shapes {list(a)} and {list(b)} do not broadcast together")
    return tuple(out)


def _aligned(x, y, axis):
    """The shape that y takes next to x when files give an ``axis`` (see ops.math.align)."""
    if axis in (None, -1) or len(x) == len(y):
        return y
    y = list(y)
    while y and y[-1] == 1 and axis + len(y) > len(x):
        y.pop()
    return tuple(y) + (1,) * (len(x) - axis - len(y))


def _broadcast(op, inputs, attrs):
    shape, kind = inputs[0].shape, inputs[0].dtype
    for other in inputs[1:]:
        shape = broadcast_dims(shape, _aligned(shape, other.shape, attrs.get("axis")), op.name)
        kind = np.promote_types(kind, other.dtype)
    return [Spec(shape, kind)]


def _compare(op, inputs, attrs):
    return [Spec(_broadcast(op, inputs, attrs)[0].shape, bool)]


_RULES = {"same": _same, "broadcast": _broadcast, "compare": _compare}

_FILLS = ((2, 48), (3, 80)), ((4, 64), (4, 128)), ((1, 1), (1, 1))  # (first axis, other axes), twice


def probe(op, inputs, attrs):
    """Output specs found by running the op on zeros."""
    known = all(-1 not in s.shape for s in _flat(inputs))
    error = None
    for first, second in _FILLS:
        try:
            a = _run(op, inputs, attrs, first)
            b = a if known else _run(op, inputs, attrs, second)
        except (ValueError, TypeError, IndexError, ZeroDivisionError, np.linalg.LinAlgError) as failure:
            error = error or failure
            continue
        return [_merge(p, q, op.family == "dynamic") for p, q in zip(a, b)]
    raise op.explain(error, [describe(i) for i in inputs])


def _run(op, inputs, attrs, fill):
    def zeros(spec):
        shape = [n if n >= 0 else fill[0] if i == 0 else fill[1] for i, n in enumerate(spec.shape)]
        return np.zeros(shape, spec.dtype)
    values = [None if s is None else [zeros(i) for i in s] if isinstance(s, list) else zeros(s) for s in inputs]
    with np.errstate(all="ignore"):
        out = op.run_arrays([*values, *attrs])
    return [out] if op.single else list(out)


def _merge(a, b, dynamic):
    if a is None:
        return None
    a, b = np.asarray(a), np.asarray(b)
    return Spec([-1 if dynamic or p != q else p for p, q in zip(a.shape, b.shape)], a.dtype)


def _flat(inputs):
    for s in inputs:
        if isinstance(s, list):
            yield from s
        elif s is not None:
            yield s
