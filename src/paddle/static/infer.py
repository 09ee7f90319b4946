"""Shapes and dtypes of an op's outputs before it runs; unknown sizes are -1.

Families with rules that understand -1 are ``same``, ``broadcast``, ``compare``, ``matmul``; convolutions and ops whose output
shape is given by a tensor have rules by type (``infer_rules.py``). Everything else is probed: the op runs on zeros whose
unknown sizes are filled in twice with different numbers; output sizes that differ between the two runs are unknown.
"""

import numpy as np

from ..core import dtype as dtypes
from ..core.errors import describe
from ..core.random import trial


class Spec:
    """Shape (tuple, -1 unknown), NumPy dtype, and the value (a small array) where it is known already."""

    __slots__ = ("shape", "dtype", "known")

    def __init__(self, shape, dtype, known=None):
        self.shape, self.dtype, self.known = tuple(shape), np.dtype(dtype), known

    def __repr__(self):
        return f"Spec({list(self.shape)}, {self.dtype.name})"


def infer(op, inputs, attrs):
    """Specs of the op's outputs; inputs are Specs, None or lists of Specs, attrs the attribute values in order."""
    from .infer_rules import BY_TYPE
    from .infer_sequences import probe_sequences
    by_family = probe_sequences if op.family == "sequence" else _RULES.get(op.family)
    for rule in (BY_TYPE.get(op.type), by_family):
        found = None if rule is None else rule(op, inputs, dict(zip(op.attr_names, attrs)))
        if found is not None:
            return found
    return probe(op, inputs, attrs)


def _same(op, inputs, attrs):
    first = inputs[0][0] if isinstance(inputs[0], list) else inputs[0]
    if not op.single or first is None:
        return None
    given = attrs.get("dtype")  # full_like(x, dtype=...)
    return [Spec(first.shape, first.dtype if given in (None, -1) else dtypes.to_numpy(given))]


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
        if other is None:
            return None
        shape = broadcast_dims(shape, _aligned(shape, other.shape, attrs.get("axis")), op.name)
        kind = np.promote_types(kind, other.dtype)
    return [Spec(shape, kind)]


def _compare(op, inputs, attrs):
    return [Spec(_broadcast(op, inputs, attrs)[0].shape, bool)]


def _matmul(op, inputs, attrs):
    if op.type != "matmul_v2":
        return None
    x, y = inputs
    a, b = list(x.shape), list(y.shape)
    if not a or not b:
        return None
    if attrs["transpose_x"] and len(a) > 1:
        a[-1], a[-2] = a[-2], a[-1]
    if attrs["transpose_y"] and len(b) > 1:
        b[-1], b[-2] = b[-2], b[-1]
    inner = b[-2] if len(b) > 1 else b[0]
    if a[-1] != inner and -1 not in (a[-1], inner):
        raise ValueError(f"{op.name}(): inner sizes differ: x {list(x.shape)} and y {list(y.shape)} ({a[-1]} vs {inner})")
    batch = broadcast_dims(a[:-2], b[:-2], op.name)
    return [Spec((*batch, *a[-2:-1], *(b[-1:] if len(b) > 1 else ())), np.promote_types(x.dtype, y.dtype))]


def sized(spec, fill):
    """A spec with its unknown sizes filled in."""
    if spec is None:
        return None
    if isinstance(spec, list):
        return [sized(s, fill) for s in spec]
    return Spec([n if n >= 0 else fill[0] if i == 0 else fill[1] for i, n in enumerate(spec.shape)], spec.dtype)


_RULES = {"same": _same, "broadcast": _broadcast, "compare": _compare, "matmul": _matmul}

_FILLS = ((2, 48), (3, 80)), ((4, 64), (4, 128)), ((1, 1), (1, 1))  # (first axis, other axes), twice


def probe(op, inputs, attrs):
    """Output specs found by running the op on zeros."""
    known = all(-1 not in s.shape for s in flat(inputs))
    error = None
    for first, second in _FILLS:
        try:
            a = run(op, inputs, attrs, first)
            b = a if known else run(op, inputs, attrs, second)
        except (ValueError, TypeError, IndexError, ZeroDivisionError, np.linalg.LinAlgError) as failure:
            error = error or failure
            continue
        return [merge(p, q, op.family == "dynamic") for p, q in zip(a, b)]
    raise op.explain(error, [describe(i) for i in inputs])


def run(op, inputs, attrs, fill):
    def zeros(spec):
        return np.zeros(sized(spec, fill).shape, spec.dtype) if spec.known is None else spec.known
    values = [None if s is None else [zeros(i) for i in s] if isinstance(s, list) else zeros(s) for s in inputs]
    with np.errstate(all="ignore"), trial():
        out = op.run_arrays([*values, *attrs])
    return [out] if op.single else list(out)


def merge(a, b, dynamic):
    if a is None:
        return None
    a, b = np.asarray(a), np.asarray(b)
    return Spec([-1 if dynamic or p != q else p for p, q in zip(a.shape, b.shape)], a.dtype)


def flat(inputs):
    for s in inputs:
        if isinstance(s, list):
            yield from s
        elif s is not None:
            yield s
