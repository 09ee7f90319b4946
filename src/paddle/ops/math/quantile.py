"""The inverse error function by rational approximation, in the type of its argument."""

import math

import numpy as np

# Wichura 1988, algorithm AS 241 (PPND16), lowest power first: the normal quantile near the middle, further out, in the tails.
_MIDDLE = ((3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3, 1.3731693765509461125e4,
            4.5921953931549871457e4, 6.7265770927008700853e4, 3.3430575583588128105e4, 2.5090809287301226727e3),
           (1.0, 4.2313330701600911252e1, 6.8718700749205790830e2, 5.3941960214247511077e3, 2.1213794301586595867e4,
            3.9307895800092710610e4, 2.8729085735721942674e4, 5.2264952788528545610e3))
_OUTSIDE = ((1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0, 3.64784832476320460504e0,
             1.27045825245236838258e0, 2.41780725177450611770e-1, 2.27238449892691845833e-2, 7.74545014278341407640e-4),
            (1.0, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1, 1.48103976427480074590e-1,
             1.51986665636164571966e-2, 5.47593808499534494600e-4, 1.05075007164441684324e-9))
_TAIL = ((6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0, 2.96560571828504891230e-1,
          2.65321895265761230930e-2, 1.24266094738807843860e-3, 2.71155556874348757815e-5, 2.01033439929228813265e-7),
         (1.0, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2, 7.86869131145613259100e-4,
          1.84631831751005468180e-5, 1.42151175831644588870e-7, 2.04426310338993978564e-15))


def _ratio(coefficients, r, over, under):
    """Both polynomials of r by Horner's rule, their coefficients scaled, divided."""
    sums = []
    for numbers, scale in zip(coefficients, (over, under)):
        total = r.dtype.type(numbers[-1] * scale)
        for number in numbers[-2::-1]:
            total = total * r + r.dtype.type(number * scale)
        sums.append(total)
    return sums


def erfinv_rational(x):
    """The number whose error function is x, for a float32 or float64 array in (-1, 1); every step is rounded to its type."""
    kind, wide, root = x.dtype.type, x.astype(np.float64), math.sqrt(2)
    over, under = _ratio(_MIDDLE, (0.180625 - 0.25 * wide * wide).astype(kind), 1 / (2 * root), 1)
    middle = x * over / under
    with np.errstate(divide="ignore", invalid="ignore"):
        r = np.sqrt(float(kind(math.log(2))) - np.log(1 - np.abs(wide))).astype(kind)
        ends = []
        for coefficients, start in ((_OUTSIDE, 1.6), (_TAIL, 5.0)):
            over, under = _ratio(coefficients, (r.astype(np.float64) - start).astype(kind), 1, root)
            ends.append(over / under)
    return np.where(np.abs(wide) <= 0.85, middle, np.copysign(np.where(r <= 5, *ends), x))
