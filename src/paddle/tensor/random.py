"""Random tensors. ``paddle.seed`` makes them repeatable."""

from ..core import dtype as dtypes
from ..core.addresses import lookup as _lookup
from ..core.context import context
from ..core.docstrings import documented_like
from ..core.errors import WrongKindError, describe, own_errors
from ..core.generation import generation
from ..core.op import Symbolic
from ..core.rooms import rooms
from ..core.tensor import Tensor
from ..ops.random import sampling
from ..utils import naming
from .attribute import shape
from .convert import as_tensor, int_arg, promote, real_arg
from .creation import full_like
from .manipulation import cast, written_over
from .shapes import split_ints

__all__ = ["rand", "randn", "randint", "randint_like", "randperm", "uniform", "uniform_", "normal", "normal_",
           "gaussian",
           "standard_normal", "bernoulli", "bernoulli_", "poisson", "binomial", "multinomial", "exponential_",
           "cauchy_",
           "geometric_", "log_normal", "log_normal_", "rand_like", "randn_like"]
METHODS = ["uniform_", "normal_", "bernoulli_", "exponential_", "cauchy_", "geometric_", "log_normal_", "multinomial"]
_LOW = float("-1.0")  # an object of its own: where nobody chose a bound, the generation in force does


def _shape(shape, function):
    return split_ints(shape, function, "shape")


def _float_name(dtype, function):
    name = dtypes.get_default_dtype() if dtype is None else dtypes.convert(dtype, function).name
    if not dtypes.ALL[name].is_floating:
        raise WrongKindError(f"{function}(): dtype must be a floating type, got {name}")
    return name


def _number(value, function, argument):
    """A float from a real number or a one-element Tensor."""
    return real_arg(value.item() if isinstance(value, Tensor) and value._data.size == 1 else value, function, argument)


def _own(x, function):
    if not isinstance(x, Tensor):
        raise TypeError(f"{function}(): x must be a Tensor, got {describe(x)}")
    return x


@own_errors
def uniform(shape, dtype=None, min=_LOW, max=1.0, seed=0, name=None):
    """Draw numbers evenly from [min, max).

    Args:
        shape (list, tuple or Tensor): the sizes; items may be Tensors.
        dtype (str, dtype or None): floating type, the default type for None.
        min, max (float): bounds; in a program they may be Variables of one element.
        seed (int): a separate random stream if not 0, else the global one.
    Returns:
        Tensor of the given shape.
    Raises:
        ValueError: a size is negative.
        TypeError: a size is not an int, or ``dtype`` is not a floating-point type.

    >>> x = paddle.uniform([100], min=2., max=3.)
    >>> bool((x >= 2).all()), bool((x < 3).all())
    (True, True)
    """
    min = context.rules.uniform_low if min is _LOW else min
    if isinstance(min, Symbolic) or isinstance(max, Symbolic):  # bounds that a run knows
        return naming.named(uniform(shape, dtype, 0.0, 1.0, seed) * (max - min) + min, name)
    return naming.named(sampling.uniform_random(*_shape(shape, "uniform"), _float_name(dtype, "uniform"),
                             _number(min, "uniform", "min"),
                             _number(max, "uniform", "max"), int_arg(seed, "uniform", "seed")), name)


@own_errors
def rand(shape, dtype=None, name=None):
    """Draw numbers evenly from [0, 1).

    Args:
        shape (list, tuple or Tensor): the sizes; items may be Tensors.
        dtype (str, dtype or None): floating type, the default type for None.
    Returns:
        Tensor of the given shape and type.
    Raises:
        ValueError: a size is negative.
        TypeError: a size is not an int, or ``dtype`` is not a floating-point type.

    >>> paddle.rand([2, 3]).shape
    [2, 3]
    """
    return naming.named(sampling.uniform_random(*_shape(shape, "rand"), _float_name(dtype, "rand"), 0.0, 1.0, 0), name)


@own_errors
def gaussian(shape, mean=0.0, std=1.0, seed=0, dtype=None, name=None):
    """Draw numbers from the normal distribution with this mean and standard deviation.

    >>> paddle.tensor.random.gaussian([2, 3], mean=1.).shape
    [2, 3]
    """
    return naming.named(sampling.gaussian_random(
        *_shape(shape, "gaussian"), _number(mean, "gaussian", "mean"), _number(std, "gaussian", "std"),
        int_arg(seed, "gaussian", "seed"), _float_name(dtype, "gaussian")), name)


@own_errors
@documented_like(rand)
def standard_normal(shape, dtype=None, name=None):
    """Draw numbers from the normal distribution with mean 0 and standard deviation 1.

    >>> paddle.standard_normal([2, 3]).shape
    [2, 3]
    """
    return naming.named(gaussian(shape, dtype=dtype), name)


@own_errors
@documented_like(rand)
def randn(shape, dtype=None, name=None):
    """Draw numbers from the normal distribution with mean 0 and standard deviation 1.

    Returns:
        Tensor of the given shape and type.

    >>> paddle.randn([2, 3]).shape
    [2, 3]
    """
    return naming.named(gaussian(shape, dtype=dtype), name)


@own_errors
def normal(mean=0.0, std=1.0, shape=None, name=None):
    """Draw numbers from normal distributions, one mean and deviation for all or one for each element.

    Args:
        mean, std (float or Tensor): numbers, or Tensors of which the result takes the shape.
        shape (list, tuple, Tensor or None): for numbers only; None gives one number, shape [1].
    Returns:
        Tensor of the given shape.
    Raises:
        ValueError: a size is negative.
        TypeError: ``mean`` or ``std`` is not a number, or a size is not an int.

    >>> paddle.normal(paddle.zeros([3]), 0.).tolist()
    [0.0, 0.0, 0.0]
    """
    if isinstance(mean, (Tensor, Symbolic)) or isinstance(std, (Tensor, Symbolic)):
        mean, std = promote(mean, std, "normal")
        noise = sampling.gaussian_inplace(mean + std * 0.0)
        return naming.named(mean + noise * std, name)
    return naming.named(gaussian([1] if shape is None else shape, mean, std), name)


@own_errors
def log_normal(mean=1.0, std=2.0, shape=None, name=None):
    """Draw numbers whose logarithms are normal with this mean and standard deviation.

    >>> bool((paddle.log_normal(shape=[5]) > 0).all())
    True
    """
    return naming.named(normal(mean, std, shape).exp(), name)


@generation("paddle.randint", alpha="paddle.fluid.layers.randint")
def randint(low=0, high=None, shape=(1,), dtype=None, name=None):
    """Draw integers evenly from [low, high), or from [0, low) if high is None.

    Args:
        low (int): smallest integer; the bound, counted from 0, if ``high`` is None.
        high (int or None): bound, not included; None draws from [0, low).
        shape (list, tuple or Tensor): the sizes; items may be Tensors.
        dtype (str, dtype or None): int32 or int64 (for None).
    Returns:
        Tensor of the given shape and type.
    Raises:
        ValueError: ``low`` is not below ``high``, or a size is negative.
        TypeError: a size is not an int, or ``dtype`` is not int32 or int64.

    >>> paddle.randint(3, 4, [2]).tolist()
    [3, 3]
    """
    low, high = _bounds(low, high, "randint")
    kind = "int64" if dtype is None else dtypes.convert(dtype, "randint").name
    if kind not in ("int32", "int64"):
        raise WrongKindError(f"randint(): dtype must be int32 or int64, got {kind}")
    tensor, items, sizes = _shape(shape, "randint")
    return naming.named(sampling.randint(tensor, items, low, high, sizes, kind, 0), name)


def _bounds(low, high, function):
    low = int_arg(low, function, "low")
    if high is None:
        if low <= 0:
            raise ValueError(f"{function}(): without high, low must be positive, got {low}")
        return 0, low
    high = int_arg(high, function, "high")
    if low >= high:
        raise ValueError(f"{function}(): low must be less than high, got {low} and {high}")
    return low, high


@own_errors
def randint_like(x, low=0, high=None, dtype=None, name=None):
    """Draw integers evenly from [low, high) in the shape of x, and in its data type unless ``dtype`` is given.

    >>> paddle.randint_like(paddle.zeros([2]), 3, 4).tolist()
    [3.0, 3.0]
    """
    x = as_tensor(x, "randint_like")
    low, high = _bounds(low, high, "randint_like")
    draws = sampling.randint(*_like(x), low, high, _sizes(x), "int64", 0)
    return naming.named(cast(draws, x.dtype if dtype is None else dtype), name)


def _like(x):
    """Slots for the shape of a static Variable with unknown sizes."""
    return (shape(x), None) if -1 in x.shape else (None, None)


def _sizes(x):
    return [] if -1 in x.shape else list(x.shape)


def rand_like(x, dtype=None, name=None):
    """Draw numbers evenly from [0, 1) in the shape of x, and in its data type unless ``dtype`` is given.

    >>> paddle.rand_like(paddle.zeros([2, 3])).shape
    [2, 3]
    """
    x = as_tensor(x, "rand_like")
    return naming.named(sampling.uniform_random(*_like(x), _sizes(x), _float_name(x.dtype if dtype is None else dtype, "rand_like"),
                             0.0, 1.0, 0), name)


def randn_like(x, dtype=None, name=None):
    """Draw standard normal numbers in the shape of x, and in its data type unless ``dtype`` is given.

    Args:
        x (Tensor): whose shape to take.
        dtype (str or dtype, None): a floating type; x's if None.

    >>> paddle.randn_like(paddle.zeros([2, 3])).shape
    [2, 3]
    """
    x = as_tensor(x, "randn_like")
    kind = _float_name(x.dtype if dtype is None else dtype, "randn_like")
    return naming.named(sampling.gaussian_random(*_like(x), _sizes(x), 0.0, 1.0, 0, kind), name)


@generation("paddle.randperm", alpha="paddle.fluid.layers.randperm", only_modern={"name"})
def randperm(n, dtype="int64", name=None):
    """Make the numbers 0 ... n-1 in random order.

    Args:
        n: how many.
        dtype: data type.

    >>> sorted(paddle.randperm(4).tolist())
    [0, 1, 2, 3]
    """
    n = int_arg(n, "randperm", "n")
    if n < 0:
        raise ValueError(f"randperm(): n must not be negative, got {n}")
    return naming.named(sampling.randperm(n, dtypes.convert(dtype, "randperm").name, 0), name)


def bernoulli(x, name=None):
    """Draw 1 with the probability given by each element of x, else 0.

    Args:
        x (Tensor): probabilities between 0 and 1, float32 or float64.
    Returns:
        zeros and ones as x; no gradient goes through it.
    Raises:
        ValueError: an element is outside [0, 1].
        TypeError: x is not a Tensor, array, list or number.

    >>> paddle.bernoulli(paddle.to_tensor([0., 1.])).tolist()
    [0.0, 1.0]
    """
    return naming.named(sampling.bernoulli(as_tensor(x, "bernoulli"), 0), name)


@own_errors
def bernoulli_(x, p=0.5, name=None):
    """Fill x with ones with probability p, a number or a tensor that can be expanded to x, and zeros otherwise.

    >>> paddle.zeros([2]).bernoulli_(1.).tolist()
    [1.0, 1.0]
    """
    shares = p.astype(x.dtype).expand(list(x.shape)) if isinstance(p, Tensor) else full_like(x, p)
    return naming.named(_own(x, "bernoulli_").become(written_over(x, sampling.bernoulli(shares, 0)), "bernoulli_"), name)


def poisson(x, name=None):
    """Draw counts from Poisson distributions whose rates are the elements of x.

    >>> paddle.poisson(paddle.zeros([2])).tolist()
    [0.0, 0.0]
    """
    return naming.named(sampling.poisson(as_tensor(x, "poisson"), 0), name)


def binomial(count, prob, name=None):
    """Draw how many of ``count`` trials succeed, each with probability ``prob``.

    >>> paddle.binomial(paddle.to_tensor([3]), paddle.to_tensor([1.])).tolist()
    [3]
    """
    return naming.named(sampling.binomial(as_tensor(count, "binomial", "count"), as_tensor(prob, "binomial", "prob"), 0), name)


def multinomial(x, num_samples=1, replacement=False, name=None):
    """Draw positions with probabilities proportional to x, for a vector or row by row.

    Args:
        x: weights [N] or [B, N], none negative.
        num_samples: how many positions to draw per row.
        replacement: may a position be drawn again?

    >>> paddle.multinomial(paddle.to_tensor([0., 1.])).tolist()
    [1]
    """
    count = int_arg(num_samples, "multinomial", "num_samples", late=True)
    return naming.named(sampling.multinomial(as_tensor(x, "multinomial"), count, bool(replacement), 0), name)


def uniform_(x, min=_LOW, max=1.0, seed=0, name=None):
    """Fill x with numbers drawn evenly from [min, max).

    Args:
        x: Tensor.
        min, max: bounds.
        seed: a separate random stream if not 0, else the global one.

    >>> paddle.zeros([2]).uniform_(3., 3.).tolist()
    [3.0, 3.0]
    """
    min = context.rules.uniform_low if min is _LOW else min
    draws = sampling.uniform_random_inplace(_own(x, "uniform_"), _number(min, "uniform_", "min"),
                                            _number(max, "uniform_", "max"), int_arg(seed, "uniform_", "seed"))
    return naming.named(x.become(written_over(x, draws), "uniform_"), name)


def normal_(x, mean=0.0, std=1.0, name=None):
    """Fill x with numbers drawn from the normal distribution.

    Args:
        x: Tensor.
        mean: mean.
        std: standard deviation.

    >>> paddle.zeros([2]).normal_(3., 0.).tolist()
    [3.0, 3.0]
    """
    draws = sampling.gaussian_inplace(_own(x, "normal_"), _number(mean, "normal_", "mean"), _number(std, "normal_", "std"), 0)
    return naming.named(x.become(written_over(x, draws), "normal_"), name)


@own_errors
def gaussian_(x, mean=0.0, std=1.0, seed=0, name=None):
    """Fill x with numbers drawn from the normal distribution, with a seed of their own if one is given; see ``normal_``.

    >>> paddle.tensor.random.gaussian_(paddle.zeros([2]), 3., 0.).tolist()
    [3.0, 3.0]
    """
    draws = sampling.gaussian_inplace(_own(x, "gaussian_"), _number(mean, "gaussian_", "mean"), _number(std, "gaussian_", "std"),
                                      int_arg(seed, "gaussian_", "seed"))
    return naming.named(x.become(written_over(x, draws), "gaussian_"), name)


@own_errors
def log_normal_(x, mean=1.0, std=2.0, name=None):
    """Fill x with numbers whose logarithms are normal.

    >>> paddle.zeros([2]).log_normal_(0., 0.).tolist()
    [1.0, 1.0]
    """
    draws = sampling.gaussian_inplace(_own(x, "log_normal_"), _number(mean, "log_normal_", "mean"),
                                      _number(std, "log_normal_", "std"), 0)
    return naming.named(x.become(written_over(x, draws.exp()), "log_normal_"), name)


def exponential_(x, lam=1.0, name=None):
    """Fill x with numbers drawn from the exponential distribution with rate lam.

    >>> bool((paddle.zeros([5]).exponential_(2.) >= 0).all())
    True
    """
    rate = _number(lam, "exponential_", "lam")
    if isinstance(x, Symbolic) and context.trace is None:  # of all that fill in place, the one whose operator programs have
        rooms.write_over(Out=(sampling.exponential(x, rate, 0), x))
        x.known = None
        return x if name is None else naming.named(x, name)
    draws = sampling.exponential(x if isinstance(x, Symbolic) else _own(x, "exponential_"), rate, 0)
    return naming.named(x.become(written_over(x, draws), "exponential_"), name)


def cauchy_(x, loc=0, scale=1, name=None):
    """Fill x with numbers drawn from the Cauchy distribution.

    Args:
        x: Tensor.
        loc: median.
        scale: half the distance of the quartiles.

    >>> paddle.zeros([2]).cauchy_(3., 0.).tolist()
    [3.0, 3.0]
    """
    draws = sampling.cauchy(_own(x, "cauchy_"), _number(loc, "cauchy_", "loc"), _number(scale, "cauchy_", "scale"), 0)
    return naming.named(x.become(written_over(x, draws), "cauchy_"), name)


def geometric_(x, probs, name=None):
    """Fill x with draws of the geometric distribution: their whole part counts trials before a success.

    Args:
        x: Tensor.
        probs: probability of success: a number or a Tensor that broadcasts to x.

    >>> bool((paddle.zeros([5]).geometric_(0.5) >= 0).all())
    True
    """
    draws = sampling.geometric(_own(x, "geometric_"), as_tensor(probs, "geometric_", "probs"), 0)
    return naming.named(x.become(written_over(x, draws), "geometric_"), name)


__getattr__ = _lookup(__name__)
