"""Random numbers. Every op draws from the generator of its seed: 0 means the global one."""

import numpy as np

from ..core import dtype as dtypes
from ..core.op import op
from ..core.random import numpy_generator
from .create import checked_shape, dtype_code
from .manip import ints_of


def _float_type(dtype, function):
    kind = dtypes.convert(dtype, function)
    if not kind.is_floating:
        raise TypeError(f"{function}(): dtype must be a floating type, got {kind.name}")
    return kind.dtype


def _uniform(shape, low, high, seed, kind):
    """Numbers in [low, high); float32 is drawn as such (rounding a double could give ``high`` itself)."""
    generator = numpy_generator(seed)
    if kind == np.float64:
        return low + (high - low) * generator.random(shape)
    draws = generator.random(shape, np.float32)
    return (draws * np.float32(high - low) + np.float32(low)).astype(kind, copy=False)


@op("uniform_random(ShapeTensor?, ShapeTensorList*?) -> Out", family="create", to_desc=dtype_code,
    extra={"diag_num": 0, "diag_step": 0, "diag_val": 1.0})
def uniform_random(shape_tensor=None, shape_list=None, shape=(), dtype="float32", min=-1.0, max=1.0, seed=0):
    """Numbers drawn evenly from [min, max)."""
    sizes = checked_shape(ints_of(shape, shape_tensor, shape_list), "uniform")
    return np.asarray(_uniform(sizes, min, max, seed, _float_type(dtype, "uniform")))


@op("gaussian_random(ShapeTensor?, ShapeTensorList*?) -> Out", family="create", to_desc=dtype_code)
def gaussian_random(shape_tensor=None, shape_list=None, shape=(), mean=0.0, std=1.0, seed=0, dtype="float32"):
    """Numbers drawn from the normal distribution with this mean and standard deviation."""
    sizes = checked_shape(ints_of(shape, shape_tensor, shape_list), "normal")
    kind = dtypes.to_numpy(dtype, "normal")
    if kind.kind == "c":
        half = np.float32 if kind == np.complex64 else np.float64
        parts = [_normal(sizes, 0.0, std / 2 ** 0.5, seed, np.dtype(half)) for _ in range(2)]
        return np.asarray(mean + parts[0] + 1j * parts[1]).astype(kind)
    return np.asarray(_normal(sizes, mean, std, seed, _float_type(dtype, "normal")))


def _normal(shape, mean, std, seed, kind):
    draws = numpy_generator(seed).standard_normal(shape, np.float64 if kind == np.float64 else np.float32)
    return (draws * draws.dtype.type(std) + draws.dtype.type(mean)).astype(kind, copy=False)


def _truncated_to_desc(attrs):
    """Files of 2.6 know the usual borders only, so others are written where they differ."""
    return {k: v for k, v in dtype_code(attrs).items() if (k, v) not in (("a", -2.0), ("b", 2.0))}


@op("truncated_gaussian_random() -> Out", family="create", to_desc=_truncated_to_desc)
def truncated_gaussian_random(shape=(), mean=0.0, std=1.0, seed=0, dtype="float32", a=-2.0, b=2.0):
    """Normal numbers drawn again until they lie within a ... b standard deviations of the mean."""
    generator, sizes = numpy_generator(seed), checked_shape(shape, "truncated_normal")
    if not a < b:
        raise ValueError(f"truncated_normal(): a must be less than b, got {a} and {b}")
    draws = generator.standard_normal(sizes)
    outside = (draws < a) | (draws > b)
    while np.any(outside):
        draws = np.where(outside, generator.standard_normal(sizes), draws)
        outside = (draws < a) | (draws > b)
    return np.asarray(draws * std + mean).astype(_float_type(dtype, "truncated_normal"))


@op("randint(ShapeTensor?, ShapeTensorList*?) -> Out", family="create", to_desc=dtype_code)
def randint(shape_tensor=None, shape_list=None, low=0, high=1, shape=(), dtype="int64", seed=0):
    """Integers drawn evenly from [low, high)."""
    if low >= high:
        raise ValueError(f"low must be less than high, got {low} and {high}")
    sizes = checked_shape(ints_of(shape, shape_tensor, shape_list), "randint")
    return np.asarray(numpy_generator(seed).integers(low, high, sizes)).astype(dtypes.to_numpy(dtype, "randint"))


@op("randperm() -> Out", family="create", to_desc=dtype_code)
def randperm(n=1, dtype="int64", seed=0):
    """The numbers 0 ... n-1 in random order."""
    if n < 0:
        raise ValueError(f"n must not be negative, got {n}")
    return numpy_generator(seed).permutation(n).astype(dtypes.to_numpy(dtype, "randperm"))


@op("bernoulli(X) -> Out", family="same")
def bernoulli(x, seed=0):
    """1 with the probability given by each element of x, else 0."""
    if x.size and not (np.all(x >= 0) and np.all(x <= 1)):
        raise ValueError("every element of x must be a probability in [0, 1]")
    return (numpy_generator(seed).random(x.shape) < x).astype(x.dtype)


@op("poisson(X) -> Out", family="same")
def poisson(x, seed=0):
    """Counts drawn from Poisson distributions whose rates are the elements of x."""
    if x.size and not np.all(x >= 0):
        raise ValueError("every element of x must be a rate >= 0")
    return np.asarray(numpy_generator(seed).poisson(x)).astype(x.dtype)


poisson.grad(x=lambda g: g * 0)


@op("binomial(count, prob) -> out", family="probe")
def binomial(count, prob, seed=0):
    """How many of ``count`` trials succeed, each with probability ``prob``; int64."""
    if prob.size and not (np.all(prob >= 0) and np.all(prob <= 1)):
        raise ValueError("prob must be in [0, 1]")
    if count.size and count.min() < 0:
        raise ValueError("count must not be negative")
    return np.asarray(numpy_generator(seed).binomial(count.astype(np.int64), prob), np.int64)


@op("multinomial(X) -> Out", family="probe")
def multinomial(x, num_samples=1, replacement=False, seed=0):
    """Positions drawn with probabilities proportional to x, row by row."""
    if x.ndim not in (1, 2) or not x.size:
        raise ValueError(f"x must be 1-d or 2-d and not empty, got shape {list(x.shape)}")
    if num_samples < 1:
        raise ValueError(f"num_samples must be at least 1, got {num_samples}")
    rows = x.reshape(-1, x.shape[-1]).astype(np.float64)
    if not np.all(rows >= 0) or not np.all(np.isfinite(rows)) or np.any(rows.sum(1) <= 0):
        raise ValueError("every row of x must hold weights >= 0, not all of them zero")
    if not replacement and np.any((rows > 0).sum(1) < num_samples):
        few = int((rows > 0).sum(1).min())
        raise ValueError(f"{num_samples} different positions can't be drawn from {few} with weight > 0")
    draws = numpy_generator(seed)
    if replacement:
        ends = np.cumsum(rows, 1)
        wanted = draws.random((len(rows), num_samples)) * ends[:, -1:]
        found = np.stack([np.searchsorted(e, w, "right") for e, w in zip(ends, wanted)])
    else:  # the largest of log-weights plus Gumbel noise are a draw without replacement
        with np.errstate(divide="ignore"):
            keys = np.log(rows) + draws.gumbel(size=rows.shape)
        found = np.argsort(-keys, 1)[:, :num_samples]
    return found.reshape(*x.shape[:-1], num_samples).astype(np.int64)


@op("top_p_sampling(x, ps, threshold?) -> out, ids", family="probe")
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
@op("uniform_random_inplace(X) -> Out", family="same", extra={"diag_num": 0, "diag_step": 0, "diag_val": 1.0})
def uniform_random_inplace(x, min=-1.0, max=1.0, seed=0):
    """Numbers drawn evenly from [min, max), in the shape and type of x."""
    return np.asarray(_uniform(x.shape, min, max, seed, x.dtype))


@op("gaussian_inplace(x) -> out", family="same")
def gaussian_inplace(x, mean=0.0, std=1.0, seed=0):
    """Normal numbers in the shape and type of x."""
    return gaussian_random.fn(None, None, x.shape, mean, std, seed, dtypes.of(x).name)


@op("exponential(X) -> Out", family="same", lam="lambda")
def exponential(x, lam=1.0, seed=0):
    """Numbers drawn from the exponential distribution with rate lam, in the shape and type of x."""
    if lam <= 0:
        raise ValueError(f"lam must be positive, got {lam}")
    return np.asarray(numpy_generator(seed).exponential(1.0 / lam, x.shape)).astype(x.dtype)


@op("cauchy(X) -> Out", family="same")
def cauchy(x, loc=0.0, scale=1.0, seed=0):
    """Numbers drawn from the Cauchy distribution, in the shape and type of x."""
    return np.asarray(loc + scale * numpy_generator(seed).standard_cauchy(x.shape)).astype(x.dtype)


@op("geometric(X, Probs) -> Out", family="same")
def geometric(x, probs, seed=0):
    """Numbers whose whole part counts trials before a success of probability probs, in the shape and type of x."""
    if probs.size and not (np.all(probs > 0) and np.all(probs <= 1)):
        raise ValueError("probs must be in (0, 1]")
    draws = numpy_generator(seed).random(x.shape)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log1p(-draws) / np.log1p(-probs.astype(np.float64))).astype(x.dtype)
