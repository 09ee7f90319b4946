"""Cross entropy with softmax."""

import numpy as np

from ...core.errors import WrongKindError, check_choice, describe, own_errors, renamed
from ...core.generation import generation
from ...ops.manipulation.gather_scatter import gather
from ...ops.math import arithmetic
from ...ops.math import reduction as reduction_ops
from ...ops.nn import softmax
from ...tensor.convert import as_tensor, cast, numpy_dtype, to_float
from ...utils import naming

__all__ = ["cross_entropy", "softmax_with_cross_entropy"]


@own_errors
def softmax_with_cross_entropy(logits, label, soft_label=False, ignore_index=-100, numeric_stable_mode=True,
                               return_softmax=False, axis=-1):
    """Per-row loss -log softmax(logits)[label], of size 1 along the axis; with ``return_softmax`` also the softmax.

    Args:
        logits (Tensor): classes along ``axis``.
        label (Tensor): class numbers with size 1 along the axis, or a distribution as large as logits if ``soft_label``.
        soft_label (bool, False): whether label holds distributions.
        ignore_index (int, -100): class number of rows whose loss is 0.
        numeric_stable_mode (bool, True): the largest logit is subtracted first in any case.
        return_softmax (bool, False): return (loss, softmax).
        axis (int, -1): of the classes.

    >>> loss = paddle.nn.functional.softmax_with_cross_entropy(paddle.zeros([1, 2]), paddle.to_tensor([[1]]))
    >>> round(float(loss), 4)
    0.6931
    """
    logits, label = as_tensor(logits, "softmax_with_cross_entropy", "logits"), as_tensor(
        label, "softmax_with_cross_entropy", "label")
    if not soft_label and len(label.shape) == len(logits.shape) - 1:
        label = label.unsqueeze(axis)
    if not soft_label and numpy_dtype(label).kind == "f":
        label = cast(label, np.dtype(np.int64))  # class numbers that were read as floats
    p, loss = softmax.softmax_with_cross_entropy(logits, label, bool(soft_label), True, ignore_index, axis)
    return (loss, p) if return_softmax else loss


@generation("paddle.nn.functional.cross_entropy", alpha="paddle.fluid.layers.cross_entropy",
            only_modern={"axis", "label_smoothing", "reduction", "use_softmax", "weight"})
def cross_entropy(input, label, weight=None, ignore_index=-100, reduction="mean", soft_label=False, axis=-1,
                  use_softmax=True, label_smoothing=0.0, name=None):
    """Cross entropy between logits (or, with ``use_softmax=False``, probabilities) and labels.

    Args:
        input (Tensor): logits, classes along ``axis``.
        label (Tensor): class numbers ([N] or [N, 1] for input [N, C]), or a distribution if ``soft_label``.
        weight (Tensor or None): weight of each class, [C]; None is 1.
        ignore_index (int): label of rows that do not count.
        reduction (str): 'mean' (over rows that count, weighted), 'sum' or 'none'.
        label_smoothing (float): mix this much of the uniform distribution into the labels.
        soft_label (bool): labels are distributions of the shape of ``input``.
        axis (int): where the classes are.
        use_softmax (bool): False says that ``input`` holds probabilities already.
    Returns:
        0-D Tensor for 'mean' and 'sum', else the losses, of the shape of ``label``.
    Raises:
        ValueError: the shapes are incompatible, or ``reduction`` is unknown.
        IndexError: a label is neither a class index nor ``ignore_index``.

    >>> loss = paddle.nn.functional.cross_entropy(paddle.zeros([3, 2]), paddle.to_tensor([0, 1, 1]))
    >>> round(float(loss), 4)
    0.6931
    """
    input, label = as_tensor(input, "cross_entropy", "input"), as_tensor(label, "cross_entropy", "label")
    _check(input, reduction, label_smoothing, soft_label, ignore_index)
    dims = len(input.shape)
    axis = axis % dims if -dims <= axis < dims else axis
    if label_smoothing > 0:
        soft_label = _are_rows(label, input, axis, soft_label)
    squeezed = not soft_label and len(label.shape) == dims - 1
    if squeezed:
        label = label.unsqueeze(axis)
    if not soft_label and numpy_dtype(label).kind == "f":
        label = cast(label, np.dtype(np.int64))  # class numbers that were read as floats
    hard = label
    if label_smoothing > 0:
        if not soft_label:
            # one-hot rows are float32, whatever the input is, and are smoothed so
            label, soft_label = cast(softmax.label_rows(input, label, ignore_index, axis), np.dtype(np.float32)), True
        label = cast(to_float(label) * (1 - label_smoothing) + label_smoothing / input.shape[axis], numpy_dtype(input))
        squeezed = False  # losses of rows over the classes have an axis of one, wherever the rows come from
    try:
        _, loss = softmax.softmax_with_cross_entropy(input, label, bool(soft_label), bool(use_softmax), ignore_index, axis)
    except (ValueError, TypeError, IndexError) as error:
        raise renamed(error, "softmax_with_cross_entropy", "cross_entropy") from error.__cause__
    numbered = numpy_dtype(hard).kind in "iu" and (hard is not label or not soft_label)
    counts = cast(hard != ignore_index, numpy_dtype(input)) if numbered and softmax.may_ignore(hard, ignore_index) else None
    if weight is not None:
        counts = _row_weights(as_tensor(weight, "cross_entropy", "weight"), input, label, axis, counts)
        loss = arithmetic.multiply(loss, counts)
    elif hard is not label and counts is not None:
        loss = arithmetic.multiply(loss, counts)  # smoothing must not revive ignored rows
    if reduction == "none":
        out = loss.squeeze(axis) if squeezed else loss
    elif reduction == "sum":
        out = reduction_ops.sum(loss)
    else:
        out = reduction_ops.mean(loss) if counts is None else _weighted_mean(loss, counts, weight is None)
    return naming.named(out, name)


def _check(input, reduction, label_smoothing, soft_label, ignore_index):
    check_choice(reduction, ("mean", "sum", "none"), "cross_entropy", "reduction")
    if len(input.shape) == 0:
        raise ValueError("cross_entropy(): input must have at least 1 dimension, got a 0-d tensor")
    if numpy_dtype(input).kind in "iub":
        raise WrongKindError(f"cross_entropy(): input must be logits of a floating-point type, got {describe(input)}; are input "
                             "and label swapped?")
    if not 0 <= label_smoothing <= 1:
        raise ValueError(f"cross_entropy(): label_smoothing must be in [0, 1], got {label_smoothing}")
    if soft_label and ignore_index >= 0:
        raise ValueError("cross_entropy(): ignore_index does not apply to soft labels")


def _weighted_mean(loss, counts, whole):
    """The sum of losses over what their rows count, together; of rows that count nothing, 0. ``whole``: they count 1 or 0."""
    total = reduction_ops.sum(counts)
    if whole:
        total = arithmetic.clip(total, min=1.0)
    else:
        total = arithmetic.add(total, cast(total == 0, numpy_dtype(loss)))
    return arithmetic.divide(reduction_ops.sum(loss), total)


def _are_rows(label, input, axis, soft_label):
    """Are labels to be smoothed rows over the classes? Integers without an axis for the classes are numbers of them, even if
    ``soft_label`` was said."""
    if soft_label and numpy_dtype(label).kind == "f":
        return True
    if len(label.shape) != len(input.shape):
        return False
    return label.shape[axis] == input.shape[axis] and (bool(soft_label) or (
        tuple(label.shape) == tuple(input.shape) and input.shape[axis] != 1))


def _row_weights(weight, input, label, axis, counts):
    """Weight of each row: of its class, or of its distribution over classes, smoothed or given."""
    classes = input.shape[axis]
    if list(weight.shape) != [classes]:
        raise ValueError(f"cross_entropy(): weight must have shape [{classes}], got {list(weight.shape)}")
    if numpy_dtype(label).kind in "iu":
        safe = label if counts is None else arithmetic.multiply(label, cast(counts, numpy_dtype(label)))
        rows = gather(weight, safe.flatten()).reshape(list(label.shape))
    else:
        shape = [1] * len(input.shape)
        shape[axis] = classes
        rows = reduction_ops.sum(arithmetic.multiply(label, weight.reshape(shape)), axis, True)
    return rows if counts is None else arithmetic.multiply(rows, counts)
