"""Loss scaling in programs, step by step: gradients divided by the scale, and the scale that follows what they are like."""

from ...core.errors import check_type, describe
from ...core.op import Symbolic
from ...tensor import functions as tensor

_FLOATS = ("float16", "float32", "float64", "bfloat16")


def check_finite_and_unscale(x, scale, name=None, float_status=None):
    """Divide tensors by a scale, each in its place; where one of them holds NaN or infinity, all are multiplied by 0.

    Args:
        x (list or tuple): the tensors.
        scale: a tensor of one element.
        float_status: of another device: None.
    Returns:
        x, and a bool tensor of one element: was there a number that is not finite?

    >>> x = paddle.to_tensor([2., 4.])
    >>> _, found = paddle.static.amp.amp_nn.check_finite_and_unscale([x], paddle.to_tensor([2.]))
    >>> x.tolist(), found.tolist()
    ([1.0, 2.0], [False])
    """
    _check(x, "check_finite_and_unscale")
    if float_status is not None:
        raise ValueError("check_finite_and_unscale(): float_status must be None: it belongs to another device")
    finite = tensor.stack([tensor.isfinite(each).all() for each in x]).all()
    factor = tensor.where(finite, 1 / scale.reshape([]), tensor.zeros([], scale.dtype))
    for each in x:
        _store((each.astype(scale.dtype) * factor).astype(each.dtype), each)
    return x, tensor.logical_not(finite).reshape([1])


def update_loss_scaling(x, found_inf, prev_loss_scaling, num_good_steps, num_bad_steps, incr_every_n_steps,
                        decr_every_n_nan_or_inf, incr_ratio, decr_ratio, stop_update=False, name=None):
    """Let the scale of the loss grow after so many good steps, and shrink (not below 1) after so many bad ones. After a bad step
    the tensors become 0. All is changed in its place.

    Args:
        x (list or tuple): the gradients.
        found_inf: bool tensor of one element: was this step a bad one?
        prev_loss_scaling: tensor of one element, the scale.
        num_good_steps, num_bad_steps: int32 tensors of one element, counted since the scale changed last.
        incr_every_n_steps, decr_every_n_nan_or_inf: how many steps change the scale.
        incr_ratio, decr_ratio: by which factor.
        stop_update: True, or a true tensor: the scale and the counts stay.
    Returns:
        x.

    >>> x, scale = paddle.to_tensor([2., 4.]), paddle.to_tensor([8.])
    >>> steps = [paddle.zeros([1], 'int32'), paddle.zeros([1], 'int32')]
    >>> _ = paddle.static.amp.amp_nn.update_loss_scaling([x], paddle.to_tensor([True]), scale, *steps, 2, 1, 2., .5)
    >>> x.tolist(), scale.tolist()
    ([0.0, 0.0], [4.0])
    """
    _check(x, "update_loss_scaling")
    kinds = {"float32" if each.dtype.name in ("float16", "bfloat16") else each.dtype.name for each in x}
    if kinds != {prev_loss_scaling.dtype.name}:
        raise AssertionError(f"update_loss_scaling(): prev_loss_scaling must be of {' and '.join(sorted(kinds))} as x is, "
                             f"got {prev_loss_scaling.dtype.name}")
    scale, zero = prev_loss_scaling, tensor.zeros_like(num_good_steps)
    good, bad = num_good_steps + 1, num_bad_steps + 1
    grows, shrinks = good == int(incr_every_n_steps), bad == int(decr_every_n_nan_or_inf)
    grown, smaller = scale * float(incr_ratio), tensor.maximum(scale * float(decr_ratio), tensor.ones_like(scale))
    states = [(scale, tensor.where(found_inf, tensor.where(shrinks, smaller, scale),
                                   tensor.where(tensor.logical_and(grows, tensor.isfinite(grown)), grown, scale))),
              (num_good_steps, tensor.where(tensor.logical_or(found_inf, grows), zero, good)),
              (num_bad_steps, tensor.where(tensor.logical_and(found_inf, tensor.logical_not(shrinks)), bad, zero))]
    for state, value in states if stop_update is not True else ():
        _store(value if stop_update is False else tensor.where(stop_update, state, value), state)
    for each in x:
        _store(tensor.where(found_inf.reshape([]), tensor.zeros_like(each), each), each)
    return x


def _check(x, function):
    check_type(x, (list, tuple), function, "x")
    for each in x:
        if each.dtype.name not in _FLOATS:
            raise TypeError(f"{function}(): x must hold floating tensors, got {describe(each)}")


def _store(value, target):
    """Let a tensor or a variable of a program have a value from here on."""
    if isinstance(target, Symbolic):
        tensor.assign(value, target)
    else:
        target.replace(value._data)
