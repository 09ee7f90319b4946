"""Gradient clipping: by value, by norm, by the norm of all gradients together."""

import math
import numbers

import numpy as np

from ..core.addresses import lookup as _lookup
from ..core.autograd import no_grad
from ..core.context import context, process
from ..core.errors import ArgumentError, describe
from ..core.rows_tensor import RowsTensor, packed
from ..core.tensor import Tensor, wrap
from ..ops.math import arithmetic, reduction, unary
from ..ops.nn import embedding
from ..utils import naming

SELECTED_ROWS = 8  # kind of the Variable of a sparse gradient


class ClipGradBase:
    """Base of clips: called with a list of (parameter, gradient) pairs, returns the clipped list. Derived classes may say it
    themselves: ``_dygraph_clip(pairs)`` for Tensors, ``_static_clip(pairs)`` for Variables of a program."""

    def __call__(self, params_grads):
        pairs = list(params_grads)
        eager = all(g is None or isinstance(g, Tensor) for _, g in pairs)
        return self._dygraph_clip(pairs) if eager else self._static_clip(pairs)

    def _static_clip(self, params_grads):
        return self._clip(list(params_grads))

    @no_grad()
    def _dygraph_clip(self, params_grads):
        pairs = list(params_grads)
        sparse = {k: g._content().merged() for k, (_, g) in enumerate(pairs) if g.__class__ is RowsTensor}
        if not sparse:
            return self._clip(pairs)
        for k, rows in sparse.items():  # what is true of the values is true of the whole, which is zero elsewhere
            pairs[k] = pairs[k][0], wrap(rows.values)
        return [(p, packed(sparse[k].with_values(g._data)) if k in sparse else g) for k, (p, g) in enumerate(self._clip(pairs))]

    def _clip(self, pairs):
        return [(p, g if g is None or not getattr(p, "need_clip", True) else self._clip_one(g)) for p, g in pairs]

    def _clip_one(self, g):
        raise NotImplementedError(f"{type(self).__name__} must define _clip_one(gradient)")


class ClipGradByValue(ClipGradBase):
    """Limit every element of the gradients to [min, max]; min is -max unless given.

    >>> paddle.nn.ClipGradByValue(max=1.0)
    Clip Gradient By Value, min = -1.000000, max=1.000000
    """

    def __init__(self, max, min=None):
        if min is None:
            if max <= 0:
                raise ArgumentError(f"ClipGradByValue(): max must be positive when min is not given, got {max}")
            min = -max
        self.max, self.min = float(max), float(min)

    def __repr__(self):
        return f"Clip Gradient By Value, min = {self.min:f}, max={self.max:f}"

    def _clip_one(self, g):
        if self.min > self.max:
            raise ValueError(f"ClipGradByValue(): min {self.min} is above max {self.max}")
        return arithmetic.clip(g, None, None, self.min, self.max)


class ClipGradByNorm(ClipGradBase):
    """Scale each gradient on its own so that its L2 norm is at most ``clip_norm``.

    >>> paddle.nn.ClipGradByNorm(1.0)
    Gradient Clip By Norm, clip_norm=1.000000
    """

    def __init__(self, clip_norm):
        self.clip_norm = _positive(clip_norm, "ClipGradByNorm")

    def __repr__(self):
        return f"Gradient Clip By Norm, clip_norm={self.clip_norm:f}"

    def _clip_one(self, g):
        norm = unary.sqrt(_squared_l2_norm(g))
        return g * (self.clip_norm / arithmetic.clip(norm, None, None, self.clip_norm, None)).astype(g.dtype)


class ClipGradByGlobalNorm(ClipGradBase):
    """Scale all gradients by one factor so that the norm of them together is at most ``clip_norm``.

    Args:
        group_name: a label; programs group clips by it in Paddle, here a clip clips what it is given.
        auto_skip_clip: leave the gradients as they are, not multiplied by 1, where the norm is small enough.

    >>> paddle.nn.ClipGradByGlobalNorm(1.0)
    Gradient Clip By GlobalNorm, global_norm=1.000000
    """

    def __init__(self, clip_norm, group_name="default_group", auto_skip_clip=False):
        self.clip_norm, self.group_name = _positive(clip_norm, "ClipGradByGlobalNorm"), group_name
        self.auto_skip_clip = bool(auto_skip_clip)

    def __repr__(self):
        return f"Gradient Clip By GlobalNorm, global_norm={self.clip_norm:f}"

    def factor(self, arrays):
        """The factor for a list of gradient arrays, in one native pass per type."""
        wide = [a if a.dtype.char in "fd" else a.astype(np.float32) for a in arrays]
        total = sum(process.native.sum_squares(same) for same in ([a for a in wide if a.dtype.char == c] for c in "fd") if same)
        return self.clip_norm / max(math.sqrt(total), self.clip_norm)

    def _clip(self, pairs):
        chosen = [g for p, g in pairs if g is not None and getattr(p, "need_clip", True)]
        if not chosen:
            return pairs
        squares = [_squared_l2_norm(g) for g in chosen]
        kind = max((s.dtype for s in squares), key=lambda d: d.itemsize)
        if getattr(squares[0], "_placed", False):
            squares = squares[0].meeting(squares)
        total = arithmetic.add_n([s.astype(kind) for s in squares])
        factor = self.clip_norm / arithmetic.clip(unary.sqrt(total), None, None, self.clip_norm, None)
        if self.auto_skip_clip and isinstance(factor, Tensor) and float(factor) == 1.0:
            return pairs
        return [(p, g if g is None or not getattr(p, "need_clip", True) else arithmetic.multiply(g, _beside(g, factor)))
                for p, g in pairs]


def _squared_l2_norm(x):
    """The sum of the squares of all elements, in float32 where they have 16 bits."""
    return reduction.sum(unary.square(widened(x)))


def _beside(g, factor):
    """The factor in the type of a gradient, and on the ranks that have it."""
    return (g.beside(factor) if getattr(g, "_placed", False) else factor).astype(g.dtype)


def merge_selected_rows(x, name=None):
    """Selected rows with those of one number added up; other tensors as they are.

    Args:
        x: Tensor or Variable, such as the gradient of an embedding with ``sparse=True``.
        name: of the result in programs.
    """
    merged = naming.named(embedding.merge_selected_rows(x), name)
    if getattr(x, "kind", None) == SELECTED_ROWS:
        merged.kind = SELECTED_ROWS
    return merged


def get_tensor_from_selected_rows(x, name=None):
    """The values of selected rows as a tensor; other Tensors as they are.

    Args:
        x: Tensor, or Variable of selected rows.
        name: of the result in programs.
    Raises:
        TypeError: x is another Variable, or an array while a program is built.
    """
    if context.rules.checks and context.static_mode and getattr(x, "kind", None) != SELECTED_ROWS and not isinstance(x, Tensor):
        raise TypeError(f"get_tensor_from_selected_rows(): x must be selected rows, got {describe(x)}")
    return naming.named(embedding.get_tensor_from_selected_rows(x), name)


def widened(g):
    """The elements of a gradient, or of its selected rows, in a type that holds their squares: float32 for 16-bit ones."""
    if getattr(g, "kind", None) == SELECTED_ROWS:
        g = get_tensor_from_selected_rows(merge_selected_rows(g))
    return g.astype("float32") if g.dtype.itemsize <= 2 else g


def _positive(value, who):
    if not isinstance(value, numbers.Real) or value <= 0:
        raise ValueError(f"{who}(): clip_norm must be a positive number, got {describe(value)}")
    return float(value)


__getattr__ = _lookup(__name__)
