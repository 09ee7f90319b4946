"""Distributions made from others: of transformed draws, and with batch axes counted as one event."""

from ..core.errors import describe
from .distribution import Distribution
from .mapping import sum_last
from .transform import ChainTransform, Transform

__all__ = ["TransformedDistribution", "Independent"]


class TransformedDistribution(Distribution):
    """The distribution of draws from ``base`` after a sequence of transforms.

    >>> from paddle.distribution import ExpTransform, Normal, TransformedDistribution
    >>> d = TransformedDistribution(Normal(paddle.to_tensor(0.0), paddle.to_tensor(1.0)), [ExpTransform()])
    >>> round(float(d.log_prob(paddle.to_tensor(1.0))), 4)
    -0.9189
    """

    def __init__(self, base, transforms):
        if not isinstance(base, Distribution):
            raise TypeError(f"TransformedDistribution(): base must be a Distribution, got {describe(base)}")
        transforms = list(transforms) if isinstance(transforms, (list, tuple)) else transforms
        if not isinstance(transforms, list) or not all(isinstance(t, Transform) for t in transforms):
            raise TypeError(f"TransformedDistribution(): transforms must be a list of Transforms, got {describe(transforms)}")
        chain = ChainTransform(transforms)
        shape = tuple(base.batch_shape) + tuple(base.event_shape)
        if len(shape) < chain.in_rank:
            raise ValueError(f"TransformedDistribution(): the transforms need {chain.in_rank} axes, base has shape "
                             f"{list(shape)}")
        grown = chain.forward_shape(shape)
        rank = chain.out_rank + max(len(base.event_shape) - chain.in_rank, 0)
        self._base, self._transforms = base, transforms
        cut = len(grown) - rank
        super().__init__(grown[:cut], grown[cut:])

    def sample(self, shape=()):
        """Draw ``shape`` times."""
        return self._through(self._base.sample(shape))

    def rsample(self, shape=()):
        """Draw ``shape`` times; gradients flow to the parameters of base."""
        return self._through(self._base.rsample(shape))

    def _through(self, x):
        for t in self._transforms:
            x = t.forward(x)
        return x

    def log_prob(self, value):
        """The logarithm of the density: that of base at the value before, less what the transforms stretch."""
        total, y, rank = 0.0, value, len(self._event_shape)
        for t in reversed(self._transforms):
            x = t.inverse(y)
            rank += t.in_rank - t.out_rank
            total = total - sum_last(t.forward_log_det_jacobian(x), rank - t.in_rank)
            y = x
        return total + sum_last(self._base.log_prob(y), rank - len(self._base.event_shape))


class Independent(Distribution):
    """``base`` with its last ``reinterpreted_batch_rank`` batch axes counted as axes of one event.

    >>> from paddle.distribution import Independent, Normal
    >>> d = Independent(Normal(paddle.zeros([2, 3]), paddle.ones([2, 3])), 1)
    >>> d.batch_shape, d.event_shape
    ((2,), (3,))
    """

    def __init__(self, base, reinterpreted_batch_rank):
        if not isinstance(base, Distribution):
            raise TypeError(f"Independent(): base must be a Distribution, got {describe(base)}")
        if not isinstance(reinterpreted_batch_rank, int) or not 0 < reinterpreted_batch_rank <= len(base.batch_shape):
            raise ValueError(f"Independent(): reinterpreted_batch_rank must be in [1, {len(base.batch_shape)}], "
                             f"got {reinterpreted_batch_rank}")
        self._base, self._rank = base, reinterpreted_batch_rank
        shape = tuple(base.batch_shape) + tuple(base.event_shape)
        cut = len(base.batch_shape) - reinterpreted_batch_rank
        super().__init__(shape[:cut], shape[cut:])

    @property
    def mean(self):
        """The mean of base."""
        return self._base.mean

    @property
    def variance(self):
        """The variance of base."""
        return self._base.variance

    def sample(self, shape=()):
        """Draw ``shape`` times."""
        return self._base.sample(shape)

    def rsample(self, shape=()):
        """Draw ``shape`` times; gradients flow to the parameters of base."""
        return self._base.rsample(shape)

    def log_prob(self, value):
        """The logarithms of base's density, added up over the event."""
        return sum_last(self._base.log_prob(value), self._rank)

    def prob(self, value):
        """The density."""
        return self.log_prob(value).exp()

    def entropy(self):
        """The entropies of base, added up over the event."""
        return sum_last(self._base.entropy(), self._rank)
