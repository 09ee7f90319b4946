"""Transforms of random variables: forward, inverse, and how much they stretch."""

import math

from ..core.errors import describe, own_method_errors
from ..ops.nn.activation import log_sigmoid
from ..tensor.convert import as_tensor, is_tensor_like
from ..tensor.creation import arange, full_like, ones, zeros_like
from ..tensor.cumulative import part
from ..tensor.joining import broadcast_shape, concat, stack, unstack

__all__ = ["Transform", "AbsTransform", "AffineTransform", "ChainTransform", "ExpTransform", "IndependentTransform",
           "PowerTransform", "ReshapeTransform", "SigmoidTransform", "SoftmaxTransform", "StackTransform",
           "StickBreakingTransform", "TanhTransform"]


def sum_last(x, n):
    """x summed over its last n axes."""
    return x.sum(list(range(-n, 0))) if n > 0 else x


class Transform:
    """Base of transforms. Subclasses write ``_forward``, ``_inverse`` and ``_forward_log_det_jacobian`` (or that of the
    inverse). ``in_rank`` and ``out_rank`` say how many last axes one event has before and after.

    >>> import paddle
    >>> t = paddle.distribution.ExpTransform()
    >>> t(paddle.to_tensor([0.0])).tolist()
    [1.0]
    """

    in_rank = out_rank = 0
    injective = True

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        own_method_errors(cls, {"_" + name: name for name in ("forward", "inverse", "forward_log_det_jacobian",
                                                              "inverse_log_det_jacobian", "forward_shape", "inverse_shape")})

    def __call__(self, other):
        """Transform a Tensor, a Distribution (giving a TransformedDistribution), or after another Transform (a chain)."""
        from .distribution import Distribution
        if isinstance(other, Distribution):
            from .transformed import TransformedDistribution
            return TransformedDistribution(other, [self])
        if isinstance(other, Transform):
            return ChainTransform([self, other])
        return self.forward(other)

    def _tensor(self, x, method):
        return as_tensor(x, f"{type(self).__name__}.{method}")

    def _check_rank(self, x, rank, method):
        if len(x.shape) < rank:
            raise ValueError(f"{type(self).__name__}.{method}(): needs at least {rank} axes, got shape {list(x.shape)}")

    def forward(self, x):
        """The transformed numbers."""
        x = self._tensor(x, "forward")
        self._check_rank(x, self.in_rank, "forward")
        return self._forward(x)

    def inverse(self, y):
        """The numbers before the transform."""
        y = self._tensor(y, "inverse")
        self._check_rank(y, self.out_rank, "inverse")
        return self._inverse(y)

    def forward_log_det_jacobian(self, x):
        """The logarithm of the absolute determinant of the transform's derivative at x."""
        x = self._tensor(x, "forward_log_det_jacobian")
        self._check_rank(x, self.in_rank, "forward_log_det_jacobian")
        if not self.injective:
            raise NotImplementedError(f"{type(self).__name__} is not injective: its log_det_jacobian is not defined")
        return self._forward_log_det_jacobian(x)

    def inverse_log_det_jacobian(self, y):
        """The logarithm of the absolute determinant of the inverse's derivative at y."""
        y = self._tensor(y, "inverse_log_det_jacobian")
        self._check_rank(y, self.out_rank, "inverse_log_det_jacobian")
        return self._inverse_log_det_jacobian(y)

    def forward_shape(self, shape):
        """The shape of the result for numbers of this shape."""
        return self._forward_shape(self._shape(shape, "forward_shape"))

    def inverse_shape(self, shape):
        """The shape before the transform for results of this shape."""
        return self._inverse_shape(self._shape(shape, "inverse_shape"))

    def _shape(self, shape, method):
        if not isinstance(shape, (list, tuple)):
            raise TypeError(f"{type(self).__name__}.{method}(): shape must be a list or tuple of ints, got {describe(shape)}")
        return tuple(shape)

    def _forward(self, x):
        raise NotImplementedError(f"{type(self).__name__} has no forward transform")

    def _inverse(self, y):
        raise NotImplementedError(f"{type(self).__name__} has no inverse transform")

    def _forward_log_det_jacobian(self, x):
        if type(self)._inverse_log_det_jacobian is Transform._inverse_log_det_jacobian:
            raise NotImplementedError(f"{type(self).__name__} has no log_det_jacobian")
        return -self._inverse_log_det_jacobian(self._forward(x))

    def _inverse_log_det_jacobian(self, y):
        if type(self)._forward_log_det_jacobian is Transform._forward_log_det_jacobian:
            raise NotImplementedError(f"{type(self).__name__} has no log_det_jacobian")
        return -self._forward_log_det_jacobian(self._inverse(y))

    def _forward_shape(self, shape):
        return shape

    def _inverse_shape(self, shape):
        return shape


class AbsTransform(Transform):
    """y = |x|; its inverse is the pair (-y, y).

    >>> import paddle
    >>> [v.tolist() for v in paddle.distribution.AbsTransform().inverse(paddle.to_tensor([2.0]))]
    [[-2.0], [2.0]]
    """

    injective = False

    def _forward(self, x):
        return x.abs()

    def _inverse(self, y):
        return -y, y

    def _inverse_log_det_jacobian(self, y):
        return zeros_like(y), zeros_like(y)


class AffineTransform(Transform):
    """y = loc + scale * x.

    >>> import paddle
    >>> t = paddle.distribution.AffineTransform(paddle.to_tensor(1.0), paddle.to_tensor(2.0))
    >>> float(t.forward(paddle.to_tensor(3.0)))
    7.0
    """

    def __init__(self, loc, scale):
        for value, what in ((loc, "loc"), (scale, "scale")):
            if not is_tensor_like(value):
                raise TypeError(f"AffineTransform(): {what} must be a Tensor, got {describe(value)}")
        self._loc, self._scale = loc, scale

    @property
    def loc(self):
        """What is added."""
        return self._loc

    @property
    def scale(self):
        """What is multiplied with."""
        return self._scale

    def _forward(self, x):
        return self._loc + self._scale * x

    def _inverse(self, y):
        return (y - self._loc) / self._scale

    def _forward_log_det_jacobian(self, x):
        return self._scale.abs().log()

    def _grown(self, shape):
        return tuple(broadcast_shape(broadcast_shape(shape, self._loc.shape), self._scale.shape))

    _forward_shape = _inverse_shape = _grown


class ExpTransform(Transform):
    """y = exp(x).

    >>> import paddle
    >>> float(paddle.distribution.ExpTransform().forward_log_det_jacobian(paddle.to_tensor(3.0)))
    3.0
    """

    def _forward(self, x):
        return x.exp()

    def _inverse(self, y):
        return y.log()

    def _forward_log_det_jacobian(self, x):
        return x


class PowerTransform(Transform):
    """y = x ** power for positive x.

    >>> import paddle
    >>> float(paddle.distribution.PowerTransform(paddle.to_tensor(2.0)).forward(paddle.to_tensor(3.0)))
    9.0
    """

    def __init__(self, power):
        if not is_tensor_like(power):
            raise TypeError(f"PowerTransform(): power must be a Tensor, got {describe(power)}")
        self._power = power

    @property
    def power(self):
        """The exponent."""
        return self._power

    def _forward(self, x):
        return x.pow(self._power)

    def _inverse(self, y):
        return y.pow(1 / self._power)

    def _forward_log_det_jacobian(self, x):
        return (self._power * x.pow(self._power - 1)).abs().log()

    def _grown(self, shape):
        return tuple(broadcast_shape(shape, self._power.shape))

    _forward_shape = _inverse_shape = _grown


class SigmoidTransform(Transform):
    """y = 1 / (1 + exp(-x)).

    >>> import paddle
    >>> float(paddle.distribution.SigmoidTransform().forward(paddle.to_tensor(0.0)))
    0.5
    """

    def _forward(self, x):
        return x.sigmoid()

    def _inverse(self, y):
        return y.log() - (-y).log1p()

    def _forward_log_det_jacobian(self, x):
        return log_sigmoid(x) + log_sigmoid(-x)


class TanhTransform(Transform):
    """y = tanh(x).

    >>> import paddle
    >>> float(paddle.distribution.TanhTransform().forward(paddle.to_tensor(0.0)))
    0.0
    """

    def _forward(self, x):
        return x.tanh()

    def _inverse(self, y):
        return y.atanh()

    def _forward_log_det_jacobian(self, x):
        # log(1 - tanh(x)^2) without losing digits far from 0
        return 2.0 * (math.log(2.0) - x + log_sigmoid(2.0 * x))


class SoftmaxTransform(Transform):
    """y = softmax(x) over the last axis; the inverse gives log(y), which is x up to a constant.

    >>> import paddle
    >>> paddle.distribution.SoftmaxTransform().forward(paddle.zeros([2])).tolist()
    [0.5, 0.5]
    """

    in_rank = out_rank = 1
    injective = False

    def _forward(self, x):
        return (x - x.logsumexp(-1, keepdim=True)).exp()

    def _inverse(self, y):
        return y.log()

    def _check(self, shape):
        if not shape:
            raise ValueError("SoftmaxTransform: the shape needs at least one axis")
        return shape

    _forward_shape = _inverse_shape = _check


class ReshapeTransform(Transform):
    """Events of one shape in another shape with as many elements.

    Args:
        in_event_shape: shape of an event before, list of ints.
        out_event_shape: shape of an event after, with as many elements.

    >>> import paddle
    >>> paddle.distribution.ReshapeTransform([2, 3], [6]).forward(paddle.ones([5, 2, 3])).shape
    [5, 6]
    """

    def __init__(self, in_event_shape, out_event_shape):
        for value, what in ((in_event_shape, "in_event_shape"), (out_event_shape, "out_event_shape")):
            if not isinstance(value, (list, tuple)):
                raise TypeError(f"ReshapeTransform(): {what} must be a list or tuple of ints, got {describe(value)}")
        if math.prod(in_event_shape) != math.prod(out_event_shape):
            raise ValueError(f"ReshapeTransform(): {list(in_event_shape)} and {list(out_event_shape)} differ in size")
        self._in, self._out = tuple(in_event_shape), tuple(out_event_shape)
        self.in_rank, self.out_rank = len(self._in), len(self._out)

    @property
    def in_event_shape(self):
        """The shape of events before."""
        return self._in

    @property
    def out_event_shape(self):
        """The shape of events after."""
        return self._out

    def _swap(self, shape, old, new):
        shape = tuple(shape)
        cut = len(shape) - len(old)
        if cut < 0 or shape[cut:] != old:
            raise ValueError(f"ReshapeTransform: the shape {list(shape)} does not end with {list(old)}")
        return shape[:cut] + new

    def _forward(self, x):
        return x.reshape(list(self._swap(x.shape, self._in, self._out)))

    def _inverse(self, y):
        return y.reshape(list(self._swap(y.shape, self._out, self._in)))

    def _forward_shape(self, shape):
        return self._swap(shape, self._in, self._out)

    def _inverse_shape(self, shape):
        return self._swap(shape, self._out, self._in)

    def _forward_log_det_jacobian(self, x):
        return full_like(x, 0.0).sum(list(range(-self.in_rank, 0))) if self.in_rank else zeros_like(x)


class IndependentTransform(Transform):
    """``base`` with its last ``reinterpreted_batch_rank`` axes counted as axes of one event.

    >>> import paddle
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
        self._base, self._rank, self.injective = base, reinterpreted_batch_rank, base.injective
        self.in_rank, self.out_rank = base.in_rank + self._rank, base.out_rank + self._rank

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

    >>> import paddle
    >>> from paddle.distribution import AffineTransform, ChainTransform, ExpTransform
    >>> t = ChainTransform([AffineTransform(paddle.to_tensor(0.0), paddle.to_tensor(2.0)), ExpTransform()])
    >>> round(float(t.forward(paddle.to_tensor(0.5))), 4)
    2.7183
    """

    def __init__(self, transforms):
        if not isinstance(transforms, (list, tuple)) or not all(isinstance(t, Transform) for t in transforms):
            raise TypeError(f"ChainTransform(): transforms must be a list of Transforms, got {describe(transforms)}")
        self.transforms = list(transforms)
        self.injective = all(t.injective for t in self.transforms)
        rank = 0
        for t in reversed(self.transforms):
            rank = max(rank - t.out_rank + t.in_rank, t.in_rank) if rank > t.out_rank else t.in_rank
        self.in_rank = rank
        for t in self.transforms:
            rank = max(rank - t.in_rank + t.out_rank, t.out_rank)
        self.out_rank = rank

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

    >>> import paddle
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
        self.injective = all(t.injective for t in transforms)

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


class StickBreakingTransform(Transform):
    """K numbers to K + 1 probabilities: each takes a share of what the ones before left of a stick.

    >>> import paddle
    >>> paddle.distribution.StickBreakingTransform().forward(paddle.zeros([1])).tolist()
    [0.5, 0.5]
    """

    in_rank = out_rank = 1

    def _offset(self, x):
        """log of K, K - 1, ... 1 for x with K numbers: with it 0 means equal shares."""
        k = x.shape[-1]
        return (float(k) - arange(0, k, dtype=x.dtype)).log()

    def _forward(self, x):
        share = (x - self._offset(x)).sigmoid()
        left = (1 - share).cumprod(-1)
        one = ones([*x.shape[:-1], 1], x.dtype)
        return concat([share, one], -1) * concat([one, left], -1)

    def _inverse(self, y):
        first = part(y, len(y.shape) - 1, 0, -1)
        left = 1 - first.cumsum(-1)
        return first.log() - left.log() + self._offset(first)

    def _forward_log_det_jacobian(self, x):
        y = self.forward(x)
        x = x - self._offset(x)
        return (-x + log_sigmoid(x) + part(y, len(y.shape) - 1, 0, -1).log()).sum(-1)

    def _forward_shape(self, shape):
        if not shape:
            raise ValueError("StickBreakingTransform: the shape needs at least one axis")
        return (*shape[:-1], shape[-1] + 1)

    def _inverse_shape(self, shape):
        if not shape:
            raise ValueError("StickBreakingTransform: the shape needs at least one axis")
        return (*shape[:-1], shape[-1] - 1)
