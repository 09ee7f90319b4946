"""Gradients cut to a size, in place."""

import numpy as np

from ...core.autograd import no_grad
from ...core.errors import check_type
from ...core.tensor import Tensor, wrap
from ...ops.math import arithmetic, reduction, unary
from ...tensor.convert import real_arg
from ..clip import widened

__all__ = ["clip_grad_norm_", "clip_grad_value_"]


def _with_gradient(parameters, function):
    given = [parameters] if isinstance(parameters, Tensor) else list(parameters)
    for p in given:
        check_type(p, Tensor, function, "parameters")
    return [p for p in given if p._grad_ivar() is not None]


@no_grad()
def clip_grad_norm_(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False):
    """Scale the gradients of the parameters so that their common norm is at most ``max_norm``; returns the norm before.

    Args:
        parameters (Tensor or iterable of Tensor): whose gradients are scaled, in place.
        max_norm (float or int): the largest norm that is left as it is.
        norm_type (float or int): order of the norm; ``inf`` for the largest element.
        error_if_nonfinite (bool): raise if the norm is NaN or infinite.
    Returns:
        0-D Tensor: the norm before.
    Raises:
        TypeError: an entry of ``parameters`` is not a Tensor.
        RuntimeError: the norm is not finite, and ``error_if_nonfinite`` is True.

    >>> x = paddle.to_tensor([3., 4.], stop_gradient=False)
    >>> (x * x / 2).sum().backward()
    >>> float(paddle.nn.utils.clip_grad_norm_([x], 1.0))
    5.0
    """
    norm_type = float(norm_type)
    if norm_type <= 0:
        raise ValueError(f"clip_grad_norm_(): norm_type must be positive, got {norm_type}")
    found = _with_gradient(parameters, "clip_grad_norm_")
    if not found:
        return wrap(np.zeros((), np.float32))
    if norm_type == float("inf"):
        norms = [reduction.max(unary.abs(widened(p._grad_ivar()))) for p in found]
        total = norms[0]
        for n in norms[1:]:
            total = arithmetic.maximum(total, n)
    else:
        powers = [reduction.sum(arithmetic.pow(unary.abs(widened(p._grad_ivar())), norm_type)) for p in found]
        total = powers[0]
        for n in powers[1:]:
            total = arithmetic.add(total, n)
        total = arithmetic.pow(total, 1 / norm_type)
    value = float(total)
    if error_if_nonfinite and not abs(value) < float("inf"):
        raise RuntimeError(f"clip_grad_norm_(): the norm of order {norm_type} of the gradients is {value}, so they can't be "
                           "clipped; pass error_if_nonfinite=False to scale them by it all the same")
    limit = real_arg(max_norm, "clip_grad_norm_", "max_norm")
    factor = arithmetic.minimum(wrap(total._data * 0 + limit) / (total + 1e-6), wrap(total._data * 0 + 1))
    for p in found:
        g = p._grad_ivar()
        g.replace((g * factor.astype(g.dtype))._data)
    return total


@no_grad()
def clip_grad_value_(parameters, clip_value):
    """Cut every element of the gradients to -clip_value .. clip_value.

    >>> x = paddle.to_tensor([3., -4.], stop_gradient=False)
    >>> (x * x / 2).sum().backward()
    >>> paddle.nn.utils.clip_grad_value_([x], 3.5)
    >>> x.grad.tolist()
    [3.0, -3.5]
    """
    limit = real_arg(clip_value, "clip_grad_value_", "clip_value")
    if limit < 0:
        raise ValueError(f"clip_grad_value_(): clip_value must not be negative, got {clip_value}")
    for p in _with_gradient(parameters, "clip_grad_value_"):
        g = p._grad_ivar()
        g.replace(arithmetic.clip(g, None, None, -limit, limit)._data)
