"""Masked softmax in one call, and a loss as it is."""

from ..core.errors import check_choice, own_errors
from ..nn.functional.activation import softmax
from ..ops import message_passing
from ..tensor.convert import as_tensor
from ..tensor.functions import full_like, triu

_REDUCTIONS = {"sum": 0, "mean": 1, "none": 2}
_HIDDEN = -10000.0  # what is added where nothing may be seen


@own_errors
def softmax_mask_fuse(x, mask, name=None):
    """softmax(x + mask) along the last axis; x [N, heads, rows, columns], mask [N, 1, rows, columns].

    >>> x, mask = paddle.zeros([1, 1, 1, 2]), paddle.to_tensor([[[[0., -1e4]]]])
    >>> paddle.incubate.softmax_mask_fuse(x, mask).round().tolist()
    [[[[1.0, 0.0]]]]
    """
    return softmax(as_tensor(x, "softmax_mask_fuse") + as_tensor(mask, "softmax_mask_fuse", "mask"), -1)


@own_errors
def softmax_mask_fuse_upper_triangle(x):
    """softmax along the last axis of x [N, heads, rows, columns], where a row sees the columns up to its own number.

    >>> paddle.incubate.softmax_mask_fuse_upper_triangle(paddle.zeros([1, 1, 2, 2])).numpy().round(6).tolist()
    [[[[1.0, 0.0], [0.5, 0.5]]]]
    """
    x = as_tensor(x, "softmax_mask_fuse_upper_triangle")
    return softmax(x + triu(full_like(x, _HIDDEN), 1), -1)


def identity_loss(x, reduction="none"):
    """x as a loss: its 'sum' (or 0), its 'mean' (1), or as it is ('none', 2).

    >>> paddle.incubate.identity_loss(paddle.to_tensor([1., 3.]), "mean").item()
    2.0
    """
    check_choice(reduction, (*_REDUCTIONS, *_REDUCTIONS.values()), "identity_loss", "reduction")
    return message_passing.identity_loss(as_tensor(x, "identity_loss"), _REDUCTIONS.get(reduction, reduction))
