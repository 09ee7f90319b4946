"""Transforms of transforms: over more axes, one after the other, side by side."""

from ..core.errors import describe
from ..tensor.joining import stack, unstack
from . import variable
from .mapping import Transform, sum_last


class IndependentTransform(Transform):
    """``base`` with its last ``reinterpreted_batch_rank`` axes counted as axes of one event.

    >>> t = paddle.distribution.IndependentTransform(paddle.distribution.ExpTransform(), 1)
    >>> float(t.forward_log_det_jacobian(paddle.to_tensor([1.0, 2.0])))
    3.0
    """

    def __init__(self, base, reinterpreted_batch_rank):
        if not isinstance(base, Transform):
            raise TypeError(f"IndependentTransform(): base must be a Transform, got {describe(base)}")
        if not isinstance(reinterpreted_batch_rank, int) or reinterpreted_batch_rank <= 0:
            raise ValueError("IndependentTransform(): reinterpreted_batch_rank must be a positive int, "
                             f"got {describe(reinterpreted_batch_rank)}")
        self._base, self._rank = base, reinterpreted_batch_rank

    def _is_injective(self):
        return self._base._is_injective()

    @property
    def _domain(self):
        return variable.Independent(self._base._domain, self._rank)

    @property
    def _codomain(self):
        return variable.Independent(self._base._codomain, self._rank)

    def _forward(self, x):
        return self._base.forward(x)

    def _inverse(self, y):
        return self._base.inverse(y)

    def _forward_log_det_jacobian(self, x):
        return sum_last(self._base.forward_log_det_jacobian(x), self._rank)

    def _forward_shape(self, shape):
        return self._base.forward_shape(shape)

    def _inverse_shape(self, shape):
        return self._base.inverse_shape(shape)


class ChainTransform(Transform):
    """Transforms one after the other, the first of the list first.

    Args:
        transforms: list of Transforms.

    >>> from paddle.distribution import AffineTransform, ChainTransform, ExpTransform
    >>> t = ChainTransform([AffineTransform(paddle.to_tensor(0.0), paddle.to_tensor(2.0)), ExpTransform()])
    >>> round(float(t.forward(paddle.to_tensor(0.5))), 4)
    2.7183
    """

    def __init__(self, transforms):
        if not isinstance(transforms, (list, tuple)) or not all(isinstance(t, Transform) for t in transforms):
            raise TypeError(f"ChainTransform(): transforms must be a list of Transforms, got {describe(transforms)}")
        self.transforms = list(transforms)

    def _is_injective(self):
        return all(t._is_injective() for t in self.transforms)

    @property
    def _domain(self):
        """What the first is for, with the axes that the others want besides."""
        first, rank = self.transforms[0]._domain, self.transforms[-1].out_rank
        for t in reversed(self.transforms):
            rank = max(rank - t.out_rank + t.in_rank, t.in_rank)
        return variable.Independent(first, rank - first.event_rank)

    @property
    def _codomain(self):
        """What the last gives, with the axes that the others give besides."""
        last, rank = self.transforms[-1]._codomain, self.transforms[0].in_rank
        for t in self.transforms:
            rank = max(rank - t.in_rank + t.out_rank, t.out_rank)
        return variable.Independent(last, rank - last.event_rank)

    def _forward(self, x):
        for t in self.transforms:
            x = t.forward(x)
        return x

    def _inverse(self, y):
        for t in reversed(self.transforms):
            y = t.inverse(y)
        return y

    def _forward_log_det_jacobian(self, x):
        total, rank = 0.0, self.in_rank
        for t in self.transforms:
            total = total + sum_last(t.forward_log_det_jacobian(x), rank - t.in_rank)
            x = t.forward(x)
            rank += t.out_rank - t.in_rank
        return total

    def _forward_shape(self, shape):
        for t in self.transforms:
            shape = t.forward_shape(shape)
        return shape

    def _inverse_shape(self, shape):
        for t in reversed(self.transforms):
            shape = t.inverse_shape(shape)
        return shape


class StackTransform(Transform):
    """A transform of its own for every slice along an axis.

    Args:
        transforms: list of Transforms, one per slice.
        axis: the axis.

    >>> t = paddle.distribution.StackTransform([paddle.distribution.ExpTransform(), paddle.distribution.AbsTransform()])
    >>> t.forward(paddle.to_tensor([0.0, -2.0])).tolist()
    [1.0, 2.0]
    """

    def __init__(self, transforms, axis=0):
        if not isinstance(transforms, (list, tuple)) or not transforms or not all(isinstance(t, Transform) for t in transforms):
            raise TypeError(f"StackTransform(): transforms must be a list of Transforms, got {describe(transforms)}")
        if not isinstance(axis, int):
            raise TypeError(f"StackTransform(): axis must be an int, got {describe(axis)}")
        self._transforms, self._axis = list(transforms), axis

    def _is_injective(self):
        return all(t._is_injective() for t in self._transforms)

    @property
    def _domain(self):
        return variable.Stack([t._domain for t in self._transforms], self._axis)

    @property
    def _codomain(self):
        return variable.Stack([t._codomain for t in self._transforms], self._axis)

    @property
    def transforms(self):
        """The transforms, slice by slice."""
        return self._transforms

    @property
    def axis(self):
        """The axis of the slices."""
        return self._axis

    def _each(self, x, method):
        if not -len(x.shape) <= self._axis < len(x.shape) or x.shape[self._axis] != len(self._transforms):
            raise ValueError(f"StackTransform.{method}(): axis {self._axis} of shape {list(x.shape)} must have "
                             f"{len(self._transforms)} elements, one per transform")
        pieces = unstack(x, self._axis)
        return stack([getattr(t, method)(piece) for t, piece in zip(self._transforms, pieces)], self._axis)

    def _forward(self, x):
        return self._each(x, "forward")

    def _inverse(self, y):
        return self._each(y, "inverse")

    def _forward_log_det_jacobian(self, x):
        return self._each(x, "forward_log_det_jacobian")
