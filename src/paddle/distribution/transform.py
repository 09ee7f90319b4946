"""Transforms of random variables: forward, inverse, and how much they stretch."""

import math

from ..core.errors import describe
from ..ops.nn.activation import log_sigmoid
from ..tensor.convert import is_tensor_like
from ..tensor.creation import arange, full_like, ones, zeros_like
from ..tensor.cumulative import part
from ..tensor.joining import broadcast_shape, concat
from . import constraint, variable
from .combining import ChainTransform, IndependentTransform, StackTransform
from .mapping import Transform, Type

__all__ = ["Transform", "AbsTransform", "AffineTransform", "ChainTransform", "ExpTransform", "IndependentTransform",
           "PowerTransform", "ReshapeTransform", "SigmoidTransform", "SoftmaxTransform", "StackTransform",
           "StickBreakingTransform", "TanhTransform"]


class AbsTransform(Transform):
    """y = |x|; its inverse is the pair (-y, y).

    >>> [v.tolist() for v in paddle.distribution.AbsTransform().inverse(paddle.to_tensor([2.0]))]
    [[-2.0], [2.0]]
    """

    _type = Type.SURJECTION
    _codomain = variable.positive

    def _forward(self, x):
        return x.abs()

    def _inverse(self, y):
        return -y, y

    def _inverse_log_det_jacobian(self, y):
        return zeros_like(y), zeros_like(y)


class AffineTransform(Transform):
    """y = loc + scale * x.

    >>> t = paddle.distribution.AffineTransform(paddle.to_tensor(1.0), paddle.to_tensor(2.0))
    >>> float(t.forward(paddle.to_tensor(3.0)))
    7.0
    """

    _type = Type.BIJECTION

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

    >>> float(paddle.distribution.ExpTransform().forward_log_det_jacobian(paddle.to_tensor(3.0)))
    3.0
    """

    _type = Type.BIJECTION
    _codomain = variable.positive

    def _forward(self, x):
        return x.exp()

    def _inverse(self, y):
        return y.log()

    def _forward_log_det_jacobian(self, x):
        return x


class PowerTransform(Transform):
    """y = x ** power for positive x.

    >>> float(paddle.distribution.PowerTransform(paddle.to_tensor(2.0)).forward(paddle.to_tensor(3.0)))
    9.0
    """

    _type = Type.BIJECTION
    _codomain = variable.positive

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

    >>> float(paddle.distribution.SigmoidTransform().forward(paddle.to_tensor(0.0)))
    0.5
    """

    _type = Type.BIJECTION
    _codomain = variable.Variable(False, 0, constraint.Range(0.0, 1.0))

    def _forward(self, x):
        return x.sigmoid()

    def _inverse(self, y):
        return y.log() - (-y).log1p()

    def _forward_log_det_jacobian(self, x):
        return log_sigmoid(x) + log_sigmoid(-x)


class TanhTransform(Transform):
    """y = tanh(x).

    >>> float(paddle.distribution.TanhTransform().forward(paddle.to_tensor(0.0)))
    0.0
    """

    _type = Type.BIJECTION
    _codomain = variable.Variable(False, 0, constraint.Range(-1.0, 1.0))

    def _forward(self, x):
        return x.tanh()

    def _inverse(self, y):
        return y.atanh()

    def _forward_log_det_jacobian(self, x):
        # log(1 - tanh(x)^2) without losing digits far from 0
        return 2.0 * (math.log(2.0) - x + log_sigmoid(2.0 * x))


class SoftmaxTransform(Transform):
    """y = softmax(x) over the last axis; the inverse gives log(y), which is x up to a constant.

    >>> paddle.distribution.SoftmaxTransform().forward(paddle.zeros([2])).tolist()
    [0.5, 0.5]
    """

    _type = Type.OTHER
    _domain = variable.Independent(variable.real, 1)
    _codomain = variable.Variable(False, 1, constraint.simplex)

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

    >>> paddle.distribution.ReshapeTransform([2, 3], [6]).forward(paddle.ones([5, 2, 3])).shape
    [5, 6]
    """

    _type = Type.BIJECTION

    def __init__(self, in_event_shape, out_event_shape):
        for value, what in ((in_event_shape, "in_event_shape"), (out_event_shape, "out_event_shape")):
            if not isinstance(value, (list, tuple)):
                raise TypeError(f"ReshapeTransform(): {what} must be a list or tuple of ints, got {describe(value)}")
        if math.prod(in_event_shape) != math.prod(out_event_shape):
            raise ValueError(f"ReshapeTransform(): {list(in_event_shape)} and {list(out_event_shape)} differ in size")
        self._in, self._out = tuple(in_event_shape), tuple(out_event_shape)

    @property
    def _domain(self):
        return variable.Independent(variable.real, len(self._in))

    @property
    def _codomain(self):
        return variable.Independent(variable.real, len(self._out))

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


class StickBreakingTransform(Transform):
    """K numbers to K + 1 probabilities: each takes a fraction of what the ones before left of a stick.

    >>> paddle.distribution.StickBreakingTransform().forward(paddle.zeros([1])).tolist()
    [0.5, 0.5]
    """

    _type = Type.BIJECTION
    _domain = variable.Independent(variable.real, 1)
    _codomain = variable.Variable(False, 1, constraint.simplex)

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
