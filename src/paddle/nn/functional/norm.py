"""Normalisation functions."""

import math

import numpy as np

from ...core.addresses import lookup as _lookup
from ...core.docstrings import documented_like
from ...core.errors import WrongKindError, check_choice, describe, own_errors
from ...core.op import Symbolic
from ...core.rooms import rooms
from ...core.tensor import Tensor
from ...ops.manipulation import reshape as manip
from ...ops.math import arithmetic, unary
from ...ops.nn import norm, pooling
from ...tensor.attribute import shape as tensor_shape
from ...tensor.convert import as_tensor
from ...utils import naming

__all__ = ["batch_norm", "layer_norm", "instance_norm", "group_norm", "local_response_norm"]

_FORMATS = ("NC", "NCL", "NLC", "NCHW", "NHWC", "NCDHW", "NDHWC")


def batch_norm(x, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.9, epsilon=1e-5,
               data_format="NCHW", use_global_stats=None, name=None):
    """Normalise over all axes but the channels: by the batch's statistics in training (the running ones are then updated in
    place), else by the running ones; then scale and shift. In training a batch with one element for each channel is unchanged.

    Args:
        x (Tensor): batch and channels first (channels last if ``data_format`` says so).
        running_mean (Tensor): running mean of each channel, changed in training.
        running_var (Tensor): running variance of each channel, changed in training.
        weight (Tensor or None): scale of each channel; None is 1.
        bias (Tensor or None): shift of each channel; None is 0.
        training (bool): use mean and variance of the batch.
        momentum (float): fraction of the old running values.
        epsilon (float): added to the variance.
        data_format (str): channels second, as in 'NCHW', or last, as in 'NHWC', with a letter for each axis of x.
        use_global_stats (bool or None): use the running values in training too; None: only outside training.
    Returns:
        Tensor of the shape of x.
    Raises:
        ValueError: x has another number of channels or axes, or ``data_format`` is unknown.
        TypeError: x is not a Tensor, array, list or number.

    >>> x = paddle.ones([2, 3]); mean = paddle.zeros([3]); var = paddle.ones([3])
    >>> paddle.nn.functional.batch_norm(x, mean, var, epsilon=0.).tolist()[0]
    [1.0, 1.0, 1.0]
    """
    return naming.named(normalised(x, running_mean, running_var, weight, bias, training, momentum, epsilon, data_format,
                                   use_global_stats), name)


def normalised(x, running_mean, running_var, weight, bias, training, momentum, epsilon, data_format, use_global_stats, act=""):
    """batch_norm, and a ReLU behind it if one is named: of Tensors only."""
    check_choice(data_format, _FORMATS, "batch_norm", "data_format")
    x = as_tensor(x, "batch_norm")
    if len(x.shape) < 2:
        raise ValueError(f"batch_norm(): x must have at least 2 dimensions, got shape {list(x.shape)}")
    last = data_format[-1] == "C" and len(data_format) > 2 and len(x.shape) > 2
    _check_per_channel("batch_norm", x.shape[-1 if last else 1], running_mean=running_mean, running_var=running_var,
                       weight=weight, bias=bias)
    use_global_stats = not training if use_global_stats is None else use_global_stats
    layout = "NHWC" if data_format[-1] == "C" and len(data_format) > 2 else "NCHW"
    if isinstance(x, Symbolic):
        return _static_batch_norm(x, weight, bias, running_mean, running_var, momentum, epsilon, training, layout, use_global_stats)
    channels_last = layout == "NHWC" and len(x.shape) > 2
    flat = x.transpose([0, len(x.shape) - 1, *range(1, len(x.shape) - 1)]) if channels_last else x
    if use_global_stats:
        given = flat, running_mean.detach(), running_var.detach(), weight, bias, float(epsilon)
        out = norm.batch_norm_affine_act(*given, act) if act else norm.batch_norm_affine(*given)
    else:
        if 0 in flat.shape:
            raise ValueError(f"batch_norm(): no elements to take statistics of, x has shape {list(x.shape)}")
        given = flat, weight, bias, float(epsilon)
        out, mean, var = norm.batch_norm_train_act(*given, act) if act else norm.batch_norm_train(*given)
        if not norm.lone(flat.shape):
            norm.move_running(running_mean, mean, float(momentum))
            norm.move_running(running_var, var, float(momentum))
    return out.transpose([0, *range(2, len(x.shape)), 1]) if channels_last else out


def _check_per_channel(function, channels, **given):
    """Raise unless each of the given tensors is None or holds one element for each channel."""
    for name, t in given.items():
        if t is None and not name.startswith("running_"):
            continue
        if not isinstance(t, (Tensor, Symbolic)):
            raise TypeError(f"{function}(): {name} must be a Tensor, got {describe(t)}")
        if channels >= 0 and -1 not in t.shape and math.prod(t.shape) != channels:
            raise ValueError(f"{function}(): {name} must have {channels} elements (one per channel), got shape {list(t.shape)}")


def _static_batch_norm(x, weight, bias, mean, var, momentum, epsilon, training, layout, use_global_stats):
    """One op whose new running statistics are written over the old ones, as Paddle's files have it; a momentum that is a Variable
    moves them by further ops."""
    if isinstance(momentum, Symbolic):
        y, *new = norm.batch_norm(x, weight, bias, mean, var, 0.0, float(epsilon), not training, layout, bool(use_global_stats),
                                  False)[:3]
        for old, one in zip((mean, var), new) if training and not use_global_stats else ():
            x.block.program.current_block().append_op("assign", {"X": old * momentum + one * (1 - momentum)}, {"Out": old})
        return y
    y, mean_out, var_out, *_ = norm.batch_norm(x, weight, bias, mean, var, float(momentum), float(epsilon), not training, layout,
                                               bool(use_global_stats), False)
    rooms.write_over(MeanOut=(mean_out, mean), VarianceOut=(var_out, var))
    return y


@documented_like(batch_norm)
def layer_norm(x, normalized_shape, weight=None, bias=None, epsilon=1e-5, name=None):
    """Normalise over the last axes, whose sizes are ``normalized_shape``, then scale and shift.

    Args:
        normalized_shape (int or list): sizes of the last axes, which are normalised.
    Raises:
        ValueError: the last axes of x are not ``normalized_shape``.
        TypeError: x is not a Tensor, array, list or number.

    >>> paddle.nn.functional.layer_norm(paddle.to_tensor([[1., -1.]]), 2, epsilon=0.).tolist()
    [[1.0, -1.0]]
    """
    x = as_tensor(x, "layer_norm")
    if not isinstance(normalized_shape, (int, list, tuple)):
        raise WrongKindError(f"layer_norm(): normalized_shape must be an int or a list of ints, got {describe(normalized_shape)}")
    shape = [normalized_shape] if isinstance(normalized_shape, int) else list(normalized_shape)
    begin = len(x.shape) - len(shape)
    if begin < 0 or list(x.shape)[begin:] != shape:
        raise ValueError(f"layer_norm(): the last axes of x {list(x.shape)} must be normalized_shape {shape}")
    if begin == 0:  # one row: the op wants a leading axis
        return naming.named(norm.layer_norm(x.unsqueeze(0), weight, bias, float(epsilon), 1)[0].squeeze(0), name)
    return naming.named(norm.layer_norm(x, weight, bias, float(epsilon), begin)[0], name)


@own_errors
@documented_like(batch_norm)
def instance_norm(x, running_mean=None, running_var=None, weight=None, bias=None, use_input_stats=True, momentum=0.9,
                  eps=1e-5, data_format="NCHW", name=None):
    """Normalise each channel of each sample over its spatial axes, then scale and shift.

    Statistics always come from x: ``running_mean``, ``running_var`` and ``momentum`` are accepted for older programs, and
    change nothing in Paddle either.

    Args:
        use_input_stats (bool): use mean and variance of the input.
        eps (float): added to the variance.
    Raises:
        ValueError: x does not have  one element for each channel.
        TypeError: x is not a Tensor, array, list or number.

    >>> paddle.nn.functional.instance_norm(paddle.to_tensor([[[1., -1.]]]), eps=0.).tolist()
    [[[1.0, -1.0]]]
    """
    x = as_tensor(x, "instance_norm")
    check_channels_first(data_format, "instance_norm")
    if not use_input_stats:
        raise ValueError("instance_norm(): use_input_stats=False is not supported: statistics always come from x")
    if len(x.shape) < 2:
        raise ValueError(f"instance_norm(): x must have at least 2 dimensions, got shape {list(x.shape)}")
    return naming.named(norm.instance_norm(x, weight, bias, float(eps))[0], name)


def check_channels_first(data_format, function):
    """Raise an error for a layout with the channels last, for functions that know only the other; None is their own."""
    check_choice(data_format, (None, "NC", "NCL", "NCHW", "NCDHW"), function, "data_format")


@own_errors
@documented_like(batch_norm)
def group_norm(x, num_groups, epsilon=1e-5, weight=None, bias=None, data_format="NCHW", name=None):
    """Normalise each sample over groups of channels, then scale and shift.

    Args:
        num_groups (int): groups of channels.
    Raises:
        ValueError: the groups do not divide the channels, or ``weight`` or ``bias`` has not one element for each.
        TypeError: x is not a Tensor, array, list or number.

    >>> paddle.nn.functional.group_norm(paddle.ones([1, 4, 2, 2]), 2).shape
    [1, 4, 2, 2]
    """
    check_choice(data_format, _FORMATS, "group_norm", "data_format")
    x = as_tensor(x, "group_norm")
    if len(x.shape) < 2:
        raise ValueError(f"group_norm(): x must have at least 2 dimensions, got shape {list(x.shape)}")
    out = norm.group_norm(x, weight, bias, float(epsilon), int(num_groups), "NHWC" if data_format[-1] == "C" else "NCHW")[0]
    return naming.named(out, name)


@documented_like(batch_norm)
def local_response_norm(x, size, alpha=1e-4, beta=0.75, k=1.0, data_format="NCHW", name=None):
    """x / (k + alpha * mean of squares over ``size`` neighbouring channels)^beta.

    Args:
        size (int): neighbouring channels that count.
        alpha (float): factor on the sum of squares.
        beta (float): exponent.
        k (float): added to the sum.

    >>> paddle.nn.functional.local_response_norm(paddle.ones([1, 4, 2, 2]), 3).shape
    [1, 4, 2, 2]
    """
    check_choice(data_format, _FORMATS[1:], "local_response_norm", "data_format")
    x = as_tensor(x, "local_response_norm")
    if len(x.shape) < 3:
        raise ValueError(f"local_response_norm(): x must have at least 3 dimensions, got shape {list(x.shape)}")
    if not isinstance(size, (int, np.integer)) or size < 1:
        raise ValueError(f"local_response_norm(): size must be an integer of at least 1, got {size!r}")
    last = data_format[-1] == "C"
    n = len(x.shape)
    y = manip.transpose(x, [0, n - 1, *range(1, n - 1)]) if last else x
    rows = unary.square(y).reshape([0, 1, y.shape[1], -1])
    window = pooling.pool2d(rows, (size, 1), (1, 1), (size // 2, (size - 1) // 2, 0, 0), exclusive=False, pooling_type="avg")
    back = window.reshape(tensor_shape(y) if isinstance(y, Symbolic) else y.shape)
    out = arithmetic.divide(y, arithmetic.pow(back * float(alpha) + float(k), float(beta)))
    return naming.named(manip.transpose(out, [0, *range(2, n), 1]) if last else out, name)


__getattr__ = _lookup(__name__)
