"""Filling of tensors in place, as Paddle 3 has it after PyTorch: ``paddle.nn.init.normal_(weight)``."""

from ..core.docstrings import documented_like
from ..core.errors import check_type
from ..core.op import Symbolic
from ..core.tensor import Tensor
from . import initializer as fills
from .initializer import calculate_gain  # noqa: F401
from .initializer.base import fans

__all__ = ["uniform_", "normal_", "trunc_normal_", "constant_", "ones_", "zeros_", "dirac_", "eye_", "xavier_uniform_",
           "xavier_normal_", "kaiming_uniform_", "kaiming_normal_", "orthogonal_", "calculate_gain"]


def _calculate_fan_in_and_fan_out(var):
    """How many inputs each output of a weight depends on, and the other way round."""
    return fans(list(var.shape))


def uniform_(tensor, a=0.0, b=1.0):
    """Fill with numbers drawn evenly from [a, b).

    >>> x = paddle.nn.init.uniform_(paddle.zeros([3]), 1.0, 2.0)
    >>> bool((x >= 1).all())
    True
    """
    return fills.Uniform(a, b)(tensor)


def normal_(tensor, mean=0.0, std=1.0):
    """Fill with draws from a normal distribution.

    Args:
        tensor (Tensor): overwritten.
        mean (float): mean of the draws.
        std (float): their standard deviation.
    Returns:
        Tensor: the one that was given.
    Raises:
        TypeError: ``tensor`` is not a Tensor.

    >>> paddle.nn.init.normal_(paddle.empty([2]), std=0.0).tolist()
    [0.0, 0.0]
    """
    return fills.Normal(mean, std)(tensor)


def trunc_normal_(tensor, mean=0.0, std=1.0, a=-2.0, b=2.0):
    """Fill with draws from a normal distribution that lie in [a, b]."""
    return fills.TruncatedNormal(mean, std, a, b)(tensor)


@documented_like(normal_)
def constant_(tensor, val):
    """Fill with one value.

    Args:
        val (float): the value.
    Raises:
        TypeError: ``tensor`` is not a Tensor, or ``val`` is not a number.

    >>> paddle.nn.init.constant_(paddle.zeros([2]), 3.0).tolist()
    [3.0, 3.0]
    """
    return fills.Constant(val)(tensor)


@documented_like(normal_)
def ones_(tensor):
    """Fill with ones.

    >>> paddle.nn.init.ones_(paddle.zeros([2])).tolist()
    [1.0, 1.0]
    """
    return fills.Constant(1.0)(tensor)


@documented_like(normal_)
def zeros_(tensor):
    """Fill with zeros.

    >>> paddle.nn.init.zeros_(paddle.ones([2])).tolist()
    [0.0, 0.0]
    """
    return fills.Constant(0.0)(tensor)


def dirac_(tensor, groups=1):
    """Make a convolution's weight one that hands its input on."""
    return fills.Dirac(groups)(tensor)


def eye_(tensor):
    """Make a matrix the identity.

    >>> paddle.nn.init.eye_(paddle.zeros([2, 2])).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    if len(tensor.shape) != 2:
        raise ValueError(f"eye_(): tensor must have 2 axes, got shape {list(tensor.shape)}")
    return fills.Assign([[float(i == j) for j in range(tensor.shape[1])] for i in range(tensor.shape[0])])(tensor)


@documented_like(normal_)
def xavier_uniform_(tensor, gain=1.0, fan_in=None, fan_out=None):
    """Fill with even draws of the variance that Glorot and Bengio (2010) chose, times ``gain`` squared.

    Args:
        gain (float): factor on the deviation.
        fan_in, fan_out (int or None): numbers of inputs and outputs; found from the shape for None.

    >>> bool((paddle.nn.init.xavier_uniform_(paddle.empty([4, 3])).abs() < 1).all())
    True
    """
    return fills.XavierUniform(fan_in=fan_in, fan_out=fan_out, gain=gain)(tensor)


@documented_like(xavier_uniform_)
def xavier_normal_(tensor, gain=1.0, fan_in=None, fan_out=None):
    """Fill with normal draws of the variance that Glorot and Bengio (2010) chose, times ``gain`` squared.

    >>> paddle.nn.init.xavier_normal_(paddle.empty([4, 3])).shape
    [4, 3]
    """
    return fills.XavierNormal(fan_in=fan_in, fan_out=fan_out, gain=gain)(tensor)


@documented_like(normal_)
def kaiming_uniform_(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu"):
    """Fill with even draws of the variance that He et al. (2015) chose for an activation with negative slope ``a``.

    Args:
        a (float): slope of leaky_relu below zero.
        mode (str): 'fan_in' or 'fan_out', the number that the variance is divided by.
        nonlinearity (str): which activation follows; see ``calculate_gain``.
    Raises:
        TypeError: ``tensor`` is not a Tensor.
        ValueError: ``mode`` or ``nonlinearity`` is unknown.

    >>> paddle.nn.init.kaiming_uniform_(paddle.empty([4, 3])).shape
    [4, 3]
    """
    return fills.KaimingUniform(fan_in=_fan(tensor, mode, "kaiming_uniform_"), negative_slope=a, nonlinearity=nonlinearity)(tensor)


@documented_like(kaiming_uniform_)
def kaiming_normal_(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu"):
    """Fill with normal draws of the variance that He et al. (2015) chose for an activation with negative slope ``a``.

    Raises:
        TypeError: ``tensor`` is not a Tensor.
        ValueError: ``mode`` or ``nonlinearity`` is unknown.

    >>> paddle.nn.init.kaiming_normal_(paddle.empty([4, 3])).shape
    [4, 3]
    """
    return fills.KaimingNormal(fan_in=_fan(tensor, mode, "kaiming_normal_"), negative_slope=a, nonlinearity=nonlinearity)(tensor)


def _fan(tensor, mode, function):
    modes = ("fan_in", "fan_out")
    if mode not in modes:
        raise ValueError(f"{function}(): mode must be one of {list(modes)}, got {mode!r}")
    check_type(tensor, (Tensor, Symbolic), function, "tensor")
    return fans(list(tensor.shape))[modes.index(mode)]


def orthogonal_(tensor, gain=1):
    """Fill with an orthogonal matrix (of the axes but the first taken together), times ``gain``."""
    return fills.Orthogonal(gain)(tensor)
