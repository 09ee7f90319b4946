"""What all distributions share."""

import numbers
import warnings

import numpy as np

from ..core.autograd import enable_grad
from ..core.backward import grad
from ..core.context import in_dynamic_mode
from ..core.errors import describe, own_errors, own_method_errors
from ..core.op import Symbolic
from ..static.backward import gradients
from ..tensor.convert import SCALARS, as_tensor, cast, is_tensor_like, numpy_dtype, promote, real_arg, to_float
from ..tensor.creation import as_array, to_tensor
from ..tensor.joining import broadcast_tensors
from ..tensor.shapes import dims, ints

__all__ = ["Distribution", "ExponentialFamily"]


class Distribution:
    """Base of all distributions: ``batch_shape`` counts independent ones, ``event_shape`` is the shape of one draw.

    >>> paddle.distribution.Normal(paddle.zeros([3]), paddle.ones([3])).batch_shape
    (3,)
    """

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        own_method_errors(cls, {name: name for name in ("sample", "rsample", "log_prob", "prob", "probs", "cdf", "icdf")})

    def __init__(self, batch_shape=(), event_shape=()):
        self._batch_shape, self._event_shape = tuple(batch_shape), tuple(event_shape)

    @property
    def batch_shape(self):
        """The shape of the batch of independent distributions."""
        return self._batch_shape

    @property
    def event_shape(self):
        """The shape of one draw from one distribution."""
        return self._event_shape

    def _absent(self, what):
        return NotImplementedError(f"{type(self).__name__} has no {what}")

    @property
    def mean(self):
        """The mean."""
        raise self._absent("mean")

    @property
    def variance(self):
        """The variance."""
        raise self._absent("variance")

    def sample(self, shape=()):
        """Draw ``shape`` times; no gradient flows to the parameters."""
        raise self._absent("sample()")

    def rsample(self, shape=()):
        """Draw ``shape`` times so that gradients flow to the parameters."""
        raise self._absent("rsample()")

    def entropy(self):
        """The (differential) entropy."""
        raise self._absent("entropy()")

    def kl_divergence(self, other):
        """The Kullback-Leibler divergence of another distribution from this one."""
        from .kl import kl_divergence  # formulas of pairs of the classes that build on this one
        return kl_divergence(self, other)

    def log_prob(self, value):
        """The logarithm of the probability (density) of a value."""
        raise self._absent("log_prob()")

    def prob(self, value):
        """The probability (density) of a value."""
        return self.log_prob(value).exp()

    def probs(self, value):
        """The probability (density) of a value (another name of ``prob``)."""
        return self.prob(value)

    def _full_shape(self, shape):
        """The shape of ``shape`` draws; sizes that only a run knows are those of a parameter of that shape."""
        own = (*self._batch_shape, *self._event_shape)
        if isinstance(shape, numbers.Number):
            raise TypeError(f"{type(self).__name__}.sample(): shape must be a list, tuple or Tensor of ints, got {describe(shape)}")
        if -1 in own:
            like = next(v for v in vars(self).values() if is_tensor_like(v) and tuple(v.shape) == own)
            own = dims(like)
        return [*ints(shape, f"{type(self).__name__}.sample", "shape"), *own]

    def _extend_shape(self, sample_shape):
        """The shape of so many draws, as a tuple."""
        return (*sample_shape, *self._batch_shape, *self._event_shape)

    def _value(self, value, like):
        """A value in the type of a parameter; another floating type than the parameter's is warned of."""
        if not in_dynamic_mode() and not is_tensor_like(value):
            raise TypeError(f"{type(self).__name__}.log_prob(): value must be a Variable in a program, got {describe(value)}")
        value = as_tensor(value, f"{type(self).__name__}.log_prob", "value")
        if numpy_dtype(value) == numpy_dtype(like):
            return value
        if value.dtype.is_floating:
            warnings.warn(f"{type(self).__name__}: value is {value.dtype.name} and the parameters are {like.dtype.name}; it is "
                          f"converted to {like.dtype.name}", stacklevel=4)
        return cast(value, numpy_dtype(like))


def parameters(owner, **given):
    """Parameters as floating tensors of one type and shape."""
    tensors = [parameter(owner, name, value) for name, value in given.items()]
    for k in range(1, len(tensors)):
        tensors[0], tensors[k] = promote(tensors[0], tensors[k], owner)
    return own_errors(broadcast_tensors, owner)(tensors) if len({tuple(t.shape) for t in tensors}) > 1 else tensors


def batch_of(tensor, *given):
    """The shape of as many distributions as the given parameters make: Python's numbers make one, also where numbers are tensors of
    shape [1]."""
    return () if all(isinstance(value, SCALARS) for value in given) else tensor.shape


def parameter(owner, name, value):
    """One parameter as a floating tensor; a number is 0-d."""
    if is_tensor_like(value):
        return to_float(value)
    if isinstance(value, SCALARS):
        return to_tensor(real_arg(value, owner, name), dtype=_kind(value))
    if isinstance(value, (list, tuple, np.ndarray)):
        return to_tensor(as_array(value, _kind(value), owner))
    raise TypeError(f"{owner}(): {name} must be a number, array or Tensor, got {describe(value)}")


def _kind(value):
    kind = getattr(value, "dtype", None)
    return "float64" if kind == np.float64 and not isinstance(value, SCALARS) else "float32"


class ExponentialFamily(Distribution):
    """Base of distributions of the exponential family: their entropy follows from the log-normaliser's gradient.

    Args:
        batch_shape: shape of the parameters that make distributions of their own.
        event_shape: shape of one draw.

    >>> isinstance(paddle.distribution.Beta(1.0, 2.0), paddle.distribution.ExponentialFamily)
    True
    """

    @property
    def _natural_parameters(self):
        """The natural parameters, a tuple of Tensors."""
        raise self._absent("natural parameters")

    def _log_normalizer(self, *parameters):
        """The logarithm of the normaliser as a function of the natural parameters."""
        raise self._absent("log-normaliser")

    @property
    def _mean_carrier_measure(self):
        """The mean of the logarithm of the carrier measure."""
        raise self._absent("carrier measure")

    def _normalizer_slopes(self):
        """(natural parameters, the log-normaliser, its derivatives by them); gradients go on through all three."""
        parameters = list(self._natural_parameters)
        if any(isinstance(p, Symbolic) for p in parameters):
            natural = [p.detach() if p.stop_gradient else p for p in parameters]
            for p in natural:
                p.stop_gradient = False
            normalizer = self._log_normalizer(*natural)
            return natural, normalizer, gradients(normalizer.sum(), natural)
        with enable_grad():
            natural = [p.detach() for p in parameters]
            for p in natural:
                p.stop_gradient = False
            normalizer = self._log_normalizer(*natural)
            return natural, normalizer, grad(normalizer.sum(), natural, create_graph=True)

    def entropy(self):
        """The entropy, by Bregman's divergence of the log-normaliser."""
        carrier = self._mean_carrier_measure  # what has none says so before it derives
        natural, normalizer, slopes = self._normalizer_slopes()
        out = normalizer - carrier
        for p, slope in zip(natural, slopes):
            term = p * slope
            axes = list(range(len(normalizer.shape), len(term.shape)))
            out = out - (term.sum(axes) if axes else term)
        return out
