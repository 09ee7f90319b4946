"""Distributions of vectors and matrices that Paddle 3 added: MultivariateNormal, LKJCholesky."""

import math

from ..core.autograd import no_grad
from ..tensor.convert import as_tensor, real_arg
from ..tensor.creation import arange, to_tensor, zeros
from ..tensor.joining import concat, stack
from ..tensor.linalg import cholesky, inverse, triangular_solve
from ..tensor.product import matmul
from ..tensor.random import randn
from .dirichlet import Beta
from .distribution import Distribution

__all__ = ["MultivariateNormal", "LKJCholesky"]


class MultivariateNormal(Distribution):
    """The normal distribution of vectors.

    Args:
        loc: the mean [..., D].
        covariance_matrix, precision_matrix, scale_tril: one of them, [..., D, D]: the covariance, its inverse, its factor.

    >>> d = paddle.distribution.MultivariateNormal(paddle.to_tensor([1.0, 2.0]), paddle.to_tensor([[2.0, 0.5], [0.5, 1.0]]))
    >>> round(float(d.entropy()), 4)
    3.1177
    """

    def __init__(self, loc, covariance_matrix=None, precision_matrix=None, scale_tril=None):
        given = [m for m in (covariance_matrix, precision_matrix, scale_tril) if m is not None]
        if len(given) != 1:
            raise ValueError("MultivariateNormal(): give one of covariance_matrix, precision_matrix and scale_tril")
        self.loc = as_tensor(loc, "MultivariateNormal", "loc")
        matrix = as_tensor(given[0], "MultivariateNormal", "covariance_matrix")
        if len(self.loc.shape) < 1 or len(matrix.shape) < 2 or matrix.shape[-1] != self.loc.shape[-1]:
            raise ValueError(f"MultivariateNormal(): loc must be [..., D] and the matrix [..., D, D], "
                             f"got {list(self.loc.shape)} and {list(matrix.shape)}")
        self.covariance_matrix, self.precision_matrix, self.scale_tril = covariance_matrix, precision_matrix, scale_tril
        self._factor = (matrix if scale_tril is not None else
                        cholesky(matrix if precision_matrix is None else inverse(matrix)))
        super().__init__(self.loc.shape[:-1], self.loc.shape[-1:])

    @property
    def mean(self):
        """loc."""
        return self.loc

    @property
    def variance(self):
        """The diagonal of the covariance."""
        return (self._factor * self._factor).sum(-1).expand(list(self.loc.shape))

    def sample(self, shape=()):
        """Draw ``shape`` times."""
        with no_grad():
            return self.rsample(shape)

    def rsample(self, shape=()):
        """Draw ``shape`` times; gradients flow to the parameters."""
        draws = randn([*shape, *self.loc.shape], self.loc.dtype)
        return self.loc + matmul(self._factor, draws.unsqueeze(-1)).squeeze(-1)

    def _half_log_det(self):
        return self._factor.diagonal(0, -2, -1).log().sum(-1)

    def _squared(self, away):
        """Mahalanobis' distance from the mean, squared."""
        z = triangular_solve(self._factor, away.unsqueeze(-1), upper=False).squeeze(-1)
        return (z * z).sum(-1)

    def log_prob(self, value):
        """The logarithm of the density."""
        size = self.loc.shape[-1]
        return -0.5 * (size * math.log(2 * math.pi) + self._squared(value - self.loc)) - self._half_log_det()

    def prob(self, value):
        """The density."""
        return self.log_prob(value).exp()

    def entropy(self):
        """D (1 + log 2 pi) / 2 + log det(factor)."""
        return 0.5 * self.loc.shape[-1] * (1 + math.log(2 * math.pi)) + self._half_log_det()


class LKJCholesky(Distribution):
    """Cholesky factors of correlation matrices with density proportional to det^(concentration - 1).

    Args:
        dim: size of the matrices, at least 2.
        concentration: 1 for even density; larger ones prefer the identity.
        sample_method: 'onion' or 'cvine'.

    >>> paddle.distribution.LKJCholesky(3, 1.5).sample([2]).shape
    [2, 3, 3]
    """

    def __init__(self, dim=2, concentration=1.0, sample_method="onion"):
        if not isinstance(dim, int) or dim < 2:
            raise ValueError(f"LKJCholesky(): dim must be an int of at least 2, got {dim!r}")
        if sample_method not in ("onion", "cvine"):
            raise ValueError(f"LKJCholesky(): sample_method must be 'onion' or 'cvine', got {sample_method!r}")
        self.dim, self.sample_method = dim, sample_method
        self.concentration = (concentration if hasattr(concentration, "stop_gradient")
                              else to_tensor(real_arg(concentration, "LKJCholesky", "concentration")))
        if not bool((self.concentration > 0).all()):
            raise ValueError("LKJCholesky(): concentration must be positive")
        super().__init__(self.concentration.shape, [dim, dim])

    def sample(self, shape=()):
        """Draw ``shape`` times; both methods draw from one distribution, by the onion's layers."""
        with no_grad():
            full = [*shape, *self.concentration.shape]
            kind = self.concentration.dtype
            rows = [concat([zeros([*full, 1], kind) + 1.0, zeros([*full, self.dim - 1], kind)], -1)]
            for k in range(1, self.dim):
                second = (self.concentration + 0.5 * (self.dim - 1 - k)).expand(full) if full else \
                    self.concentration + 0.5 * (self.dim - 1 - k)
                share = Beta(second * 0 + 0.5 * k, second).sample().unsqueeze(-1)  # the squared length off the diagonal
                direction = randn([*full, k], kind)
                direction = direction / (direction * direction).sum(-1, keepdim=True).sqrt()
                parts = [share.sqrt() * direction, (1.0 - share).sqrt()]
                if k < self.dim - 1:
                    parts.append(zeros([*full, self.dim - 1 - k], kind))
                rows.append(concat(parts, -1))
            return stack(rows, -2)

    def log_prob(self, value):
        """The logarithm of the density at a factor."""
        size, eta = self.dim, self.concentration
        order = arange(2, size + 1, dtype=eta.dtype)
        powers = 2.0 * (eta - 1.0).unsqueeze(-1) + float(size) - order
        unnormalized = (powers * value.diagonal(0, -2, -1)[..., 1:].log()).sum(-1)
        alpha = eta + 0.5 * (size - 1)
        volume = (alpha - 0.5 * arange(1, size, dtype=eta.dtype)).lgamma().sum(-1) if not len(eta.shape) else \
            (alpha.unsqueeze(-1) - 0.5 * arange(1, size, dtype=eta.dtype)).lgamma().sum(-1)
        return unnormalized - (0.25 * size * (size - 1) * math.log(math.pi) + volume - alpha.lgamma() * (size - 1))
