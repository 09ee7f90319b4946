"""The dropout family."""

from ...core.context import context
from ...core.docstrings import documented_like
from ...core.errors import check_choice, describe
from ...core.generation import generation
from ...core.op import Symbolic
from ...core.random import program_seed
from ...core.tensor import Tensor
from ...ops.manipulation.creation import assign
from ...ops.math import arithmetic
from ...ops.nn import dropout as dropout_ops
from ...tensor.attribute import shape as shape_of
from ...tensor.convert import as_tensor, real_arg
from ...tensor.random import uniform
from ...utils import naming

__all__ = ["dropout", "dropout2d", "dropout3d", "alpha_dropout"]


def _checked(x, p, function):
    """x as a Tensor, and p as a number; a Variable stays one."""
    if isinstance(p, Tensor):
        p = real_arg(p, function, "p")
    if not isinstance(p, Symbolic) and (not isinstance(p, (int, float)) or isinstance(p, bool)):
        raise TypeError(f"{function}(): p must be a number in [0, 1], got {describe(p)}")
    if not isinstance(p, Symbolic) and not 0 <= p <= 1:
        raise ValueError(f"{function}(): p must be a number in [0, 1], got {p}")
    return as_tensor(x, function), p


@generation("paddle.nn.functional.dropout", alpha="paddle.fluid.layers.dropout", only_modern={"axis", "mode", "p", "training"})
def dropout(x, p=0.5, axis=None, training=True, mode="upscale_in_train", name=None):
    """Set elements to 0 with probability p in training; with ``axis`` the choice is shared over the other axes.

    ``upscale_in_train`` divides the kept elements by 1 - p, ``downscale_in_infer`` multiplies by 1 - p when not training.

    Args:
        x (Tensor): of any shape.
        p (float): probability of being dropped.
        axis (int, list or None): axes along which the choice is made, shared over the others; None for all axes.
        training (bool): False drops nothing.
        mode (str): 'upscale_in_train' or 'downscale_in_infer': when elements are scaled.
    Returns:
        Tensor of the shape of x.
    Raises:
        ValueError: ``p`` is not a number from 0 to 1, ``mode`` is none of the two, or the axis is out of range.
        TypeError: x is not a Tensor, array, list or number.

    >>> paddle.nn.functional.dropout(paddle.ones([2]), 1.0).tolist()
    [0.0, 0.0]
    """
    if context.rules.inplace_second and isinstance(mode, bool):  # inplace, the fifth argument of Paddle 3
        if mode and isinstance(x, Tensor):
            return x.become(dropout(x.snapshot(), p, axis, training, name=name), "dropout")
        mode = "upscale_in_train"
    check_choice(mode, ("upscale_in_train", "downscale_in_infer"), "dropout", "mode")
    x, p = _checked(x, p, "dropout")
    fed = isinstance(p, Symbolic)
    mode = "downgrade_in_infer" if mode == "downscale_in_infer" else mode
    if axis is None and not fed:
        if training and p == 0:
            return x
        if not training and mode == "upscale_in_train" and not isinstance(x, Symbolic):
            return naming.named(assign(x), name)  # without the mask of ones that programs have
        seed = program_seed("main") if x.__class__ is Tensor else 0
        out = dropout_ops.dropout(x, p=real_arg(p, "dropout", "p"), is_test=not training, mode=mode, seed=seed)[0]
        return naming.named(out, name)
    if not training:
        return naming.named(x if mode == "upscale_in_train" else x * (1 - p), name)
    axes = [axis] if isinstance(axis, int) else list(range(len(x.shape)) if axis is None else axis)
    if any(not 0 <= a < len(x.shape) for a in axes):
        raise ValueError(f"dropout(): axis must be in [0, {len(x.shape) - 1}] for x {list(x.shape)}, got {axis}")
    shape = [n if i in axes else 1 for i, n in enumerate(x.shape)]
    some = fed or p < 1
    out = arithmetic.multiply(x, _kept(x, shape, p)) if some else x * 0
    if mode == "upscale_in_train" and some:
        out = out / (1 - p)
    return naming.named(out, name)


def _kept(x, shape, p):
    """1 where a number drawn evenly from [0, 1) is not below p, else 0, in the type of x; sizes of -1 are those of x."""
    if -1 in shape:  # sizes that are known only when the program runs
        sizes = shape_of(x)
        shape = [sizes[i] if n < 0 else n for i, n in enumerate(shape)]
    return (uniform(shape, "float32", 0.0, 1.0) >= p).cast(x.dtype)


@documented_like(dropout)
def dropout2d(x, p=0.5, training=True, data_format="NCHW", name=None):
    """Set whole channels of [N, C, H, W] to 0 with probability p in training.

    Args:
        data_format (str): channels second, as in 'NCHW', or last, as in 'NHWC', with a letter for each axis of x.

    >>> paddle.nn.functional.dropout2d(paddle.ones([1, 2, 2, 2]), training=False).shape
    [1, 2, 2, 2]
    """
    check_choice(data_format, ("NCHW", "NHWC"), "dropout2d", "data_format")
    x = as_tensor(x, "dropout2d")
    if len(x.shape) != 4:
        raise ValueError(f"dropout2d(): x must have 4 dimensions, got shape {list(x.shape)}")
    return naming.named(dropout(x, p, [0, 1] if data_format == "NCHW" else [0, 3], training), name)


@documented_like(dropout2d)
def dropout3d(x, p=0.5, training=True, data_format="NCDHW", name=None):
    """Set whole channels of [N, C, D, H, W] to 0 with probability p in training.

    >>> paddle.nn.functional.dropout3d(paddle.ones([1, 2, 2, 2, 2]), training=False).shape
    [1, 2, 2, 2, 2]
    """
    check_choice(data_format, ("NCDHW", "NDHWC"), "dropout3d", "data_format")
    x = as_tensor(x, "dropout3d")
    if len(x.shape) != 5:
        raise ValueError(f"dropout3d(): x must have 5 dimensions, got shape {list(x.shape)}")
    return naming.named(dropout(x, p, [0, 1] if data_format == "NCDHW" else [0, 4], training), name)


@documented_like(dropout)
def alpha_dropout(x, p=0.5, training=True, name=None):
    """Dropout for SELU networks: dropped elements take SELU's lowest value, then mean and variance are restored.

    >>> paddle.nn.functional.alpha_dropout(paddle.ones([2]), training=False).tolist()
    [1.0, 1.0]
    """
    x, p = _checked(x, p, "alpha_dropout")
    if isinstance(p, Symbolic):
        raise TypeError(f"alpha_dropout(): p must be a number, got {describe(p)}")
    if not training or p == 0:
        return x
    if p == 1:
        return naming.named(x * 0, name)
    low = -1.0507009873554805 * 1.6732632423543772
    keep = _kept(x, list(x.shape), p)
    a = ((1 - p) * (1 + p * low ** 2)) ** -0.5
    return naming.named((arithmetic.multiply(x, keep) + (1 - keep) * low) * a + (-a * low * p), name)
