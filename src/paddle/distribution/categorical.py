"""Draws from categories, and counts of such draws."""

from ..core.autograd import no_grad
from ..core.context import context
from ..core.errors import describe
from ..nn.functional import one_hot
from ..ops.math import special
from ..tensor.convert import as_tensor, cast, numpy_dtype
from ..tensor.creation import arange, zeros_like
from ..tensor.gather_scatter import index_select, take_along_axis, where
from ..tensor.manipulation import reshape, transpose
from ..tensor.random import multinomial
from ..tensor.shapes import ints
from .distribution import Distribution, parameter

__all__ = ["Categorical", "Multinomial"]


class Categorical(Distribution):
    """One of K categories. As in Paddle, ``logits`` are weights for ``probs`` and ``log_prob`` (probabilities are
    proportional to them), and log-probabilities up to a constant for draws, ``entropy`` and ``kl_divergence``.

    >>> d = paddle.distribution.Categorical(paddle.to_tensor([1., 3.]))
    >>> d.probs(paddle.to_tensor([1])).tolist()
    [0.75]
    """

    def __init__(self, logits, name=None):
        self.logits = parameter("Categorical", "logits", logits)
        if not len(self.logits.shape):
            raise ValueError("Categorical(): logits must have at least one axis, got a 0-d tensor")
        self.name = name or "Categorical"
        self._prob = self.logits / self.logits.sum(-1, keepdim=True)
        super().__init__(self.logits.shape[:-1])

    def sample(self, shape=()):
        """Draw ``shape`` times: numbers of categories (int64)."""
        sizes = ints(shape, "Categorical.sample", "shape")
        n = 1
        for s in sizes:
            n *= s
        with no_grad():
            batch, weights = list(self._batch_shape), self.logits if context.rules.drawn_weights else self._log_softmax().exp()
            if not batch:
                return reshape(multinomial(weights, n, True), sizes)
            rows = multinomial(reshape(weights, [-1, weights.shape[-1]]), n, True)
            return reshape(transpose(rows, [1, 0]), sizes + batch)

    def _log_softmax(self):
        return self.logits - self.logits.logsumexp(-1, keepdim=True)

    def entropy(self):
        """The entropy of the softmax of the logits."""
        log = self._log_softmax()
        return -(log.exp() * log).sum(-1, keepdim=context.rules.drawn_weights)

    def probs(self, value):
        """The probabilities of categories (of the same ones for every row of a batch of logits, if value is a vector)."""
        value = as_tensor(value, "Categorical.probs", "value")
        if numpy_dtype(value).kind not in "iu":
            raise TypeError(f"Categorical.probs(): value must hold integers, got {describe(value)}")
        if len(self._prob.shape) == 1:
            return reshape(index_select(self._prob, reshape(value, [-1])), list(value.shape))
        if len(value.shape) == 1:
            value = value.reshape([1] * len(self._batch_shape) + [-1]) + zeros_like(
                self._prob[..., :1]).astype(value.dtype)
        return take_along_axis(self._prob, value, -1, broadcast=False)

    def prob(self, value):
        """The probabilities of categories."""
        return self.probs(value)

    def log_prob(self, value):
        """The logarithms of the probabilities of categories."""
        return self.probs(value).log()


class Multinomial(Distribution):
    """How often each category occurs in ``total_count`` draws with probabilities proportional to ``probs``.

    >>> d = paddle.distribution.Multinomial(10, paddle.to_tensor([0.25, 0.75]))
    >>> d.mean.tolist()
    [2.5, 7.5]
    """

    def __init__(self, total_count, probs):
        if not isinstance(total_count, int) or total_count < 1:
            raise ValueError(f"Multinomial(): total_count must be a positive int, got {describe(total_count)}")
        given = parameter("Multinomial", "probs", probs)
        if not len(given.shape):
            raise ValueError("Multinomial(): probs must have at least one axis, got a 0-d tensor")
        self.probs = given / given.sum(-1, keepdim=True)
        self.total_count = total_count
        self._categorical = Categorical(self.probs.log())
        super().__init__(given.shape[:-1], given.shape[-1:])

    @property
    def mean(self):
        """total_count probs."""
        return self.probs * float(self.total_count)

    @property
    def variance(self):
        """total_count probs (1 - probs)."""
        return float(self.total_count) * self.probs * (1 - self.probs)

    def log_prob(self, value):
        """The logarithm of the probability of these counts."""
        value = self._value(value, self.probs)
        logs = where((value == 0) & (self.probs == 0), zeros_like(self.probs), self.probs.log())
        total = special.lgamma(value.sum(-1) + 1)
        return total - special.lgamma(value + 1).sum(-1) + (value * logs).sum(-1)

    def sample(self, shape=()):
        """Draw counts ``shape`` times."""
        with no_grad():
            draws = self._categorical.sample([self.total_count, *ints(shape, "Multinomial.sample", "shape")])
            return cast(one_hot(draws, self.probs.shape[-1]), numpy_dtype(self.probs)).sum(0)

    def entropy(self):
        """The exact entropy, by summing over all counts of each category."""
        n = float(self.total_count)
        counts = arange(0, self.total_count + 1, dtype=self.probs.dtype).reshape([-1] + [1] * len(self.probs.shape))
        log_choose = special.lgamma(counts * 0 + n + 1) - special.lgamma(counts + 1) - special.lgamma(n - counts + 1)
        p = self.probs
        chance = log_choose + counts * p.log() + (n - counts) * (1 - p).log()
        hidden = (chance.exp() * special.lgamma(counts + 1)).sum([0, -1])
        single = -(p * p.log()).sum(-1)
        return n * single - special.lgamma(counts[0].reshape([]) * 0 + n + 1) + hidden
