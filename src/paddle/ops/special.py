"""Special functions, element by element: erf, gamma and Bessel families. Computed in float64, returned in x's dtype."""

import numpy as np

from ..core.op import op
from .fast import native_call
from .unary import exp

_TWO_OVER_ROOT_PI = 2 / np.sqrt(np.pi)


def _in_double(function):
    """The function evaluated in float64 and rounded back to the argument's type."""
    def run(x, *args):
        return np.asarray(function(np.asarray(x, np.float64), *args)).astype(x.dtype)
    return run


def erf_double(x):
    """erf by its series for |x| < 3 and the continued fraction of erfc beyond."""
    a = np.abs(x)
    small = np.minimum(a, 3.0)
    term = small.copy()
    total = term.copy()
    for n in range(1, 60):  # sum of 2^n x^(2n+1) / (2n+1)!!
        term = term * (2 * small * small) / (2 * n + 1)
        total = total + term
    near = _TWO_OVER_ROOT_PI * np.exp(-small * small) * total
    big = np.maximum(a, 3.0)
    fraction = big.copy()
    for k in range(40, 0, -1):
        fraction = big + (k / 2) / fraction
    with np.errstate(under="ignore"):
        far = 1 - np.exp(-big * big) / (fraction * np.sqrt(np.pi))
    return np.where(np.isnan(x), np.nan, np.sign(x) * np.where(a < 3.0, near, far))


@op("erf(X) -> Out", family="same")
def erf(x):
    """The error function."""
    return _in_double(erf_double)(x)


erf.grad(x=lambda g, x: g * exp(-(x * x)) * float(_TWO_OVER_ROOT_PI))
erf.kernel()(native_call(lambda n, x: n.unary("erf", x)))
