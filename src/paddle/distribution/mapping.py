"""What transforms of random variables have in common."""

import enum

from ..core.errors import describe, own_method_errors
from ..tensor.convert import is_tensor_like
from . import variable


class Type(enum.Enum):
    """How the results of a transform belong to its arguments."""

    BIJECTION = "bijection"
    INJECTION = "injection"
    SURJECTION = "surjection"
    OTHER = "other"

    @classmethod
    def is_injective(cls, kind):
        """Do different arguments have different results?"""
        return kind in (cls.BIJECTION, cls.INJECTION)


def sum_last(x, n):
    """x summed over its last n axes."""
    return x.sum(list(range(-n, 0))) if n > 0 else x


class Transform:
    """Base of transforms. Subclasses write ``_forward``, ``_inverse`` and ``_forward_log_det_jacobian`` (or that of the
    inverse). ``_domain`` and ``_codomain`` say what variables it is for and what it gives, ``_type`` how they belong together.

    >>> t = paddle.distribution.ExpTransform()
    >>> t(paddle.to_tensor([0.0])).tolist()
    [1.0]
    """

    _type = Type.INJECTION
    _domain = _codomain = variable.real

    @classmethod
    def _is_injective(cls):
        return Type.is_injective(cls._type)

    @property
    def in_rank(self):
        """How many last axes one event has before."""
        return self._domain.event_rank

    @property
    def out_rank(self):
        """How many last axes one event has after."""
        return self._codomain.event_rank

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        own_method_errors(cls, {"_" + name: name for name in ("forward", "inverse", "forward_log_det_jacobian",
                                                              "inverse_log_det_jacobian", "forward_shape", "inverse_shape")})

    def __call__(self, other):
        """Transform a Tensor, a Distribution (giving a TransformedDistribution), or after another Transform (a chain)."""
        from .distribution import Distribution  # distributions are made of mappings
        if isinstance(other, Distribution):
            from .transformed import TransformedDistribution  # likewise
            return TransformedDistribution(other, [self])
        if isinstance(other, Transform):
            from .combining import ChainTransform  # a mapping made of mappings
            return ChainTransform([self, other])
        return self.forward(other)

    def _tensor(self, x, method):
        if not is_tensor_like(x):
            raise TypeError(f"{type(self).__name__}.{method}(): needs a Tensor, got {describe(x)}")
        return x

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
        if not self._is_injective():
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
        return shape

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
