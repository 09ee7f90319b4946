"""Random numbers. Every op draws from the generator of its seed: 0 means the global one."""

import math

import numpy as np

from ...core import dtype as dtypes
from ...core.context import process
from ...core.errors import WrongKindError
from ...core.op import op
from ...core.random import numpy_generator
from ..library import by_library
from ..manipulation.creation import checked_shape, dtype_code, fill_any_like
from ..manipulation.reshape import ints_of
from ..math.quantile import erfinv_rational
from . import draws


def _float_type(dtype, function):
    kind = dtypes.convert(dtype, function)
    if not kind.is_floating:
        raise WrongKindError(f"{function}(): dtype must be a floating type, got {kind.name}")
    return kind.dtype


@op("uniform_random(ShapeTensor?, ShapeTensorList*?) -> Out", family="create", layer_name="uniform", to_desc=dtype_code,
    random=True)
def uniform_random(shape_tensor=None, shape_list=None, shape=(), dtype="float32", min=-1.0, max=1.0, seed=0, diag_num=0,
                   diag_step=0, diag_val=1.0):
    """Numbers drawn evenly from [min, max); ``diag_num`` elements, ``diag_step`` + 1 apart, are ``diag_val``."""
    sizes = checked_shape(ints_of(shape, shape_tensor, shape_list), "uniform")
    out = draws.uniform(seed, sizes, min, max, _float_type(dtype, "uniform"))
    if diag_num > 0:
        if (diag_num - 1) * (diag_step + 1) >= out.size:
            raise ValueError(f"uniform(): {diag_num} elements, {diag_step + 1} apart, do not fit into {list(sizes)}")
        out.reshape(-1)[::diag_step + 1][:diag_num] = diag_val
    return out


@op("gaussian_random(ShapeTensor?, ShapeTensorList*?) -> Out", family="create", layer_name="gaussian",
    to_desc=dtype_code, random=True)
def gaussian_random(shape_tensor=None, shape_list=None, shape=(), mean=0.0, std=1.0, seed=0, dtype="float32"):
    """Numbers drawn from the normal distribution with this mean and standard deviation."""
    sizes = checked_shape(ints_of(shape, shape_tensor, shape_list), "normal")
    kind = dtypes.to_numpy(dtype, "normal")
    if kind.kind == "c":
        half = np.dtype(np.float32 if kind == np.complex64 else np.float64)
        drawn = draws.normal(seed, [*sizes, 2], 0.0, std / 2 ** 0.5, half)  # both parts of an element follow one another
        return np.asarray(mean + drawn.view(kind)[..., 0]).astype(kind)
    return draws.normal(seed, sizes, mean, std, _float_type(dtype, "normal"))


def _truncated_to_desc(attrs):
    """Files of 2.6 know the usual borders only, so others are written where they differ."""
    return {k: v for k, v in dtype_code(attrs).items() if (k, v) not in (("a", -2.0), ("b", 2.0))}


@op("truncated_gaussian_random() -> Out", family="create", to_desc=_truncated_to_desc, random=True)
def truncated_gaussian_random(shape=(), mean=0.0, std=1.0, seed=0, dtype="float32", a=-2.0, b=2.0):
    """Normal numbers within a ... b standard deviations of the mean: the normal quantiles of evenly drawn probabilities."""
    sizes, kind = checked_shape(shape, "truncated_normal"), _float_type(dtype, "truncated_normal")
    if not a < b:
        raise ValueError(f"truncated_normal(): a must be less than b, got {a} and {b}")
    drawn = np.float64 if kind == np.float64 else np.float32
    low, high = (drawn((1 + math.erf(x / math.sqrt(2))) / 2) for x in (a, b))
    share = low + (high - low) * draws.uniform(seed, sizes, np.finfo(np.float32).tiny, 1.0, np.dtype(drawn))
    standard = math.sqrt(2) * erfinv_rational(2 * share - 1).astype(np.float64)
    return np.asarray(standard * np.float32(std) + np.float32(mean)).astype(kind)


@op("randint(ShapeTensor?, ShapeTensorList*?) -> Out", family="create", to_desc=dtype_code, random=True)
def randint(shape_tensor=None, shape_list=None, low=0, high=1, shape=(), dtype="int64", seed=0):
    """Integers drawn evenly from [low, high)."""
    if low >= high:
        raise ValueError(f"low must be less than high, got {low} and {high}")
    sizes = checked_shape(ints_of(shape, shape_tensor, shape_list), "randint")
    return draws.integers(seed, sizes, low, high).astype(dtypes.to_numpy(dtype, "randint"))


@op("randperm() -> Out", family="create", to_desc=dtype_code, random=True, shapes="-> n:dtype")
def randperm(n=1, dtype="int64", seed=0):
    """The numbers 0 ... n-1 in random order."""
    if n < 0:
        raise ValueError(f"n must not be negative, got {n}")
    return draws.permutation(seed, n).astype(dtypes.to_numpy(dtype, "randperm"))


@op("bernoulli(X) -> Out", family="same", layer_name="randint", random=True)
def bernoulli(x, seed=0):
    """1 with the probability given by each element of x, else 0."""
    if x.size and not (np.all(x >= 0) and np.all(x <= 1)):
        raise ValueError("every element of x must be a probability in [0, 1]")
    return (draws.uniform(seed, x.shape, 0.0, 1.0, x.dtype) < x).astype(x.dtype)


@op("poisson(X) -> Out", family="same", random=True)
def poisson(x, seed=0):
    """Counts drawn from Poisson distributions whose rates are the elements of x."""
    if x.size and not np.all(x >= 0):
        raise ValueError("every element of x must be a rate >= 0")
    return draws.poisson(seed, x).astype(x.dtype).reshape(x.shape)


poisson.grad(x=lambda g: g * 0)


@op("binomial(count, prob) -> out", family="own", random=True, shapes="*c -> *c:int64")
def binomial(count, prob, seed=0):
    """How many of ``count`` trials succeed, each with probability ``prob``; int64."""
    if prob.size and not (np.all(prob >= 0) and np.all(prob <= 1)):
        raise ValueError("prob must be in [0, 1]")
    if count.size and count.min() < 0:
        raise ValueError("count must not be negative")
    return np.asarray(numpy_generator(seed).binomial(count.astype(np.int64), prob), np.int64)


@op("multinomial(X) -> Out", family="own", random=True, shapes="*b n -> *b num_samples:int64")
def multinomial(x, num_samples=1, replacement=False, seed=0):
    """Positions drawn with probabilities proportional to x, row by row."""
    if x.ndim not in (1, 2) or not x.size:
        raise ValueError(f"x must be 1-d or 2-d and not empty, got shape {list(x.shape)}")
    if num_samples < 1:
        raise ValueError(f"num_samples must be at least 1, got {num_samples}")
    rows = x.reshape(-1, x.shape[-1]).astype(np.float64 if x.dtype == np.float64 else np.float32)
    total = rows.sum(1)
    if not rows.min() >= 0 or not 0 < total.min() or not total.max() < np.inf and not np.all(np.isfinite(rows)):
        raise ValueError("every row of x must hold weights >= 0, not all of them zero")
    if not replacement and np.any((rows > 0).sum(1) < num_samples):
        few = int((rows > 0).sum(1).min())
        raise ValueError(f"{num_samples} different positions can't be drawn from {few} with weight > 0")
    numbers = draws.uniform(seed, (len(rows), num_samples), 0.0, 1.0, rows.dtype)
    if replacement and process.native is not None:
        return process.native.draw_places(rows, numbers).reshape(*x.shape[:-1], num_samples)
    ends = np.cumsum(rows, 1, dtype=rows.dtype)
    ends /= ends[:, -1:].copy()
    ends[:, -1] = 1
    found = _places(ends, numbers) if replacement else _all_different(rows, ends, numbers)
    return found.reshape(*x.shape[:-1], num_samples).astype(np.int64)


def _places(ends, numbers):
    """Where numbers lie among the rows' running sums."""
    if ends.dtype != np.float32:
        return np.stack([np.searchsorted(e, n) for e, n in zip(ends, numbers)])
    row = np.arange(len(ends), dtype=np.float64)[:, None]  # a row's sums behind those of the last: float32 plus a number is exact
    place = np.searchsorted((ends + row).ravel(), (numbers + row).ravel()).reshape(numbers.shape)
    return np.maximum(place - np.arange(len(ends))[:, None] * ends.shape[1], 0)


def _all_different(rows, ends, numbers):
    """One place per row and column of numbers among the rows' running sums; the share of a place drawn is taken out of them.

    Rounding can leave a share of what is taken, or nothing of what is not: then the weights that are left decide anew."""
    each, left, found = np.arange(len(rows)), rows > 0, []
    for number in numbers.T:
        place = (ends < number[:, None]).sum(1)
        for row in np.flatnonzero(~left[each, place]):
            weights = np.cumsum(rows[row] * left[row], dtype=np.float64)
            place[row] = np.searchsorted(weights, number[row] * weights[-1], "right")
        left[each, place] = False
        share = ends[each, place] - np.where(place > 0, ends[each, place - 1], 0)
        ends = ends - np.where(np.arange(ends.shape[1]) >= place[:, None], share[:, None], 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            ends /= (1.0 - share.astype(np.float64)).astype(ends.dtype)[:, None]
        ends[:, -1] = 1
        found.append(place)
    return np.stack(found, 1)


@op("top_p_sampling(x, ps, threshold?) -> out, ids", family="own", random=True, shapes="b n -> b 1, b 1:int64")
def top_p_sampling(x, ps, threshold=None, seed=0):
    """One position per row, drawn among the most probable ones whose probabilities first reach ps; and its probability."""
    if x.ndim != 2 or ps.size != x.shape[0]:
        raise ValueError(f"x must be [rows, classes] and ps have one number per row, got {list(x.shape)} and {list(ps.shape)}")
    order = np.argsort(-x, 1, kind="stable")
    ranked = np.take_along_axis(x, order, 1).astype(np.float64)
    before = np.cumsum(ranked, 1) - ranked
    allowed = before < ps.reshape(-1, 1)
    if threshold is not None:
        allowed &= ranked >= threshold.reshape(-1, 1)
    allowed[:, 0] = True
    ends = np.cumsum(np.where(allowed, ranked, 0), 1)
    wanted = numpy_generator(seed).random((len(x), 1)) * ends[:, -1:]
    place = np.minimum((ends <= wanted).sum(1, keepdims=True), allowed.sum(1, keepdims=True) - 1)
    ids = np.take_along_axis(order, place, 1)
    return np.take_along_axis(x, ids, 1), ids.astype(np.int64)


# ---- in place: the values of x don't matter, its shape and type do ------------------------------------------------------
@op("uniform_random_inplace(X) -> Out", family="same", extra={"diag_num": 0, "diag_step": 0, "diag_val": 1.0}, random=True)
def uniform_random_inplace(x, min=-1.0, max=1.0, seed=0):
    """Numbers drawn evenly from [min, max), in the shape and type of x."""
    return draws.uniform(seed, x.shape, min, max, x.dtype)


@op("gaussian_inplace(x) -> out", family="same", random=True)
def gaussian_inplace(x, mean=0.0, std=1.0, seed=0):
    """Normal numbers in the shape and type of x."""
    return gaussian_random.fn(None, None, x.shape, mean, std, seed, dtypes.of(x).name)


def _log(x):
    """Logarithms rounded once: those of NumPy in float32 are a few units off in the last place."""
    return np.log(x.astype(np.float64)).astype(x.dtype)


@op("exponential(X) -> Out", family="same", lam="lambda", random=True)
def exponential(x, lam=1.0, seed=0):
    """Numbers drawn from the exponential distribution with rate lam, in the shape and type of x."""
    if lam <= 0:
        raise ValueError(f"lam must be positive, got {lam}")
    t = x.dtype.type
    return np.asarray(t(-1) / t(np.float32(lam)) * _log(t(1) - draws.uniform(seed, x.shape, 0.0, 1.0, x.dtype))).astype(x.dtype)


exponential.grad(x=lambda g: fill_any_like(g))  # what it is drawn over does not count


@op("cauchy(X) -> Out", family="same", random=True)
def cauchy(x, loc=0.0, scale=1.0, seed=0):
    """Numbers drawn from the Cauchy distribution, in the shape and type of x.

    As in Paddle they are tangents of normal numbers less a half, where even ones would be right."""
    t = x.dtype.type
    turns = (draws.normal(seed, x.shape, 0.0, 1.0, x.dtype) - t(0.5)) * t(np.pi)
    return np.asarray(np.tan(turns) * t(scale) + t(loc)).astype(x.dtype)


@op("geometric(X, Probs) -> Out", family="same", random=True)
def geometric(x, probs, seed=0):
    """Numbers whose whole part counts trials before a success of probability probs, in the shape and type of x."""
    if probs.size and not (np.all(probs > 0) and np.all(probs <= 1)):
        raise ValueError("probs must be in (0, 1]")
    kind = np.float64 if x.dtype == np.float64 else np.float32
    numbers = draws.uniform(seed, x.shape, np.finfo(kind).tiny, 1.0, x.dtype)
    with np.errstate(divide="ignore"):
        return np.asarray(_log(numbers) / np.log1p(-probs.astype(kind))).astype(x.dtype)


# ---- activations that draw ----------------------------------------------------------------------------------------------
@op("rrelu(X) -> Out, Noise", family="own", random=True, shapes="*x -> *x, *x")
def rrelu(x, lower=1.0 / 8, upper=1.0 / 3, is_test=False):
    """x where not negative, else x times a slope drawn from [lower, upper), their mean when testing; and the slopes, 1 where
    x is not negative."""
    slopes, below = np.ones(x.shape, x.dtype), x < 0
    if is_test:
        slopes[below] = (lower + upper) / 2
    else:
        slopes[below] = draws.uniform(0, (int(np.count_nonzero(below)),), lower, upper, np.dtype(np.float32))
    return x * slopes, slopes


rrelu.vjp(takes_none=True)(lambda needs, g, out: (None if g[0] is None else g[0] * out[1],))


by_library(rrelu)
