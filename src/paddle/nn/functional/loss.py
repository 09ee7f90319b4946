"""Losses on predictions and targets (cross entropy with softmax is in cross_entropy.py, losses with a margin in margin_loss.py)."""

import math
import warnings

from ...core.addresses import lookup as _lookup
from ...core.docstrings import documented_like
from ...core.errors import OutOfRangeError, check_choice, own_errors
from ...core.generation import generation
from ...core.op import Symbolic
from ...core.tensor import Tensor
from ...ops.linalg import matmul as linalg
from ...ops.loss import elementwise_loss
from ...ops.manipulation.creation import assign
from ...ops.manipulation.gather_scatter import gather, take_along_axis
from ...ops.math import arithmetic, unary
from ...ops.math import reduction as reduction_ops
from ...ops.math.binary import bce_loss
from ...ops.nn import activation
from ...ops.nn.embedding import one_hot
from ...ops.nn.softmax import may_ignore
from ...tensor.convert import as_tensor, cast, numpy_dtype, promote, to_float
from ...utils import naming
from .cross_entropy import softmax_with_cross_entropy

__all__ = ["binary_cross_entropy", "binary_cross_entropy_with_logits", "dice_loss", "gaussian_nll_loss", "kl_div", "l1_loss",
           "log_loss", "mse_loss", "nll_loss", "npair_loss", "poisson_nll_loss", "sigmoid_focal_loss", "smooth_l1_loss",
           "square_error_cost"]


def reduced(loss, reduction, function):
    """The loss summed, averaged, or unchanged."""
    check_choice(reduction, ("mean", "sum", "none"), function, "reduction")
    return reduction_ops.mean(loss) if reduction == "mean" else reduction_ops.sum(loss) if reduction == "sum" else loss


def target(y):
    """What a prediction is compared with, as a constant: the losses of Paddle that call this have no gradient for it."""
    if y.stop_gradient:
        return y
    if not isinstance(y, Symbolic):
        return y.detach()
    y = assign(y)
    y.stop_gradient = True
    return y


def same_shape(x, y, function, names=("input", "label")):
    if [n for n in x.shape if n != -1] != [n for n in y.shape if n != -1] or len(x.shape) != len(y.shape):
        raise ValueError(f"{function}(): {names[0]} and {names[1]} must have one shape, got {list(x.shape)} and "
                         f"{list(y.shape)}")


def pair(x, y, function, names=("input", "label")):
    x, y = to_float(as_tensor(x, function, names[0])), as_tensor(y, function, names[1])
    return x, cast(y, numpy_dtype(x))


def _matched(input, label, function):
    """(input, label) in one dtype. That [4, 1] against [4] gives [4, 4] differences is hardly ever meant: it warns."""
    x, y = promote(input, label, function, ("input", "label"))
    if len(x.shape) != len(y.shape) and len(x.shape) and len(y.shape):
        rank = max(len(x.shape), len(y.shape))
        a, b = ([1] * (rank - len(t.shape)) + list(t.shape) for t in (x, y))
        if any(m == 1 != n for m, n in zip(a, b)) and any(n == 1 != m for m, n in zip(a, b)):
            warnings.warn(f"{function}(): input {list(x.shape)} and label {list(y.shape)} are broadcast to "
                          f"{[max(m, n) if -1 not in (m, n) else -1 for m, n in zip(a, b)]}: every element is compared with every "
                          "other; reshape one of them", stacklevel=3)
    return x, y


@own_errors
def mse_loss(input, label, reduction="mean", name=None):
    """(input - label)^2, averaged, summed or per element.

    Args:
        input (Tensor): predictions.
        label (Tensor): targets.
        reduction ('mean', 'sum' or 'none'): how the elementwise losses are reduced.
    Returns:
        0-D Tensor, or of the shape of the losses for 'none'.
    Raises:
        ValueError: the shapes are incompatible, or ``reduction`` is unknown.
        TypeError: ``input`` or ``label`` is not a Tensor, array, list or number.

    >>> float(paddle.nn.functional.mse_loss(paddle.to_tensor([1., 3.]), paddle.to_tensor([1., 1.])))
    2.0
    """
    out = reduced(unary.square(arithmetic.subtract(*_matched(input, label, "mse_loss"))), reduction, "mse_loss")
    return naming.named(out, name)


@own_errors
def square_error_cost(input, label):
    """(input - label)^2, elementwise.

    Args:
        input, label (Tensor): of shapes that broadcast.

    >>> paddle.nn.functional.square_error_cost(paddle.to_tensor([1., 3.]), paddle.to_tensor([1., 1.])).tolist()
    [0.0, 4.0]
    """
    input, label = promote(input, label, "square_error_cost", ("input", "label"))
    if not isinstance(input, Symbolic):
        return unary.square(arithmetic.subtract(input, label))
    with naming.layer("square_error_cost"):
        return unary.square(arithmetic.subtract(input, label))


@own_errors
@documented_like(mse_loss)
def l1_loss(input, label, reduction="mean", name=None):
    """|input - label|, averaged, summed or per element.

    >>> float(paddle.nn.functional.l1_loss(paddle.to_tensor([1., 3.]), paddle.to_tensor([1., 1.])))
    1.0
    """
    return naming.named(reduced(unary.abs(arithmetic.subtract(*_matched(input, label, "l1_loss"))), reduction, "l1_loss"), name)


@own_errors
def smooth_l1_loss(input, label, reduction="mean", delta=1.0, name=None):
    """Huber's loss: d^2 / 2 where |d| is below delta, else delta * (|d| - delta / 2).

    Args:
        input, label (Tensor): of the same shape; d is their difference.
        reduction (str, 'mean'): 'mean', 'sum' or 'none'.
        delta (float, 1): where the quadratic part becomes linear.
    Returns:
        a Tensor of shape [], or of the input's with 'none'.
    Raises:
        ValueError: the shapes are incompatible, or ``reduction`` is unknown.
        TypeError: ``input`` or ``label`` is not a Tensor, array, list or number.

    >>> float(paddle.nn.functional.smooth_l1_loss(paddle.to_tensor([3.]), paddle.to_tensor([1.])))
    1.5
    """
    loss = elementwise_loss.huber_elements(*map(to_float, _matched(input, label, "smooth_l1_loss")), float(delta))
    return naming.named(reduced(loss, reduction, "smooth_l1_loss"), name)


@own_errors
@documented_like(mse_loss)
def log_loss(input, label, epsilon=1e-4, name=None):
    """-label * log(input + epsilon) - (1 - label) * log(1 - input + epsilon), elementwise.

    Args:
        epsilon (float): avoids log(0) and division by zero.

    >>> round(float(paddle.nn.functional.log_loss(paddle.to_tensor([[0.5]]), paddle.to_tensor([[1.]]))), 3)
    0.693
    """
    p, y = pair(input, label, "log_loss")
    y, eps = target(y), float(epsilon)
    return naming.named(-(y * unary.log(p + eps)) - (1 - y) * unary.log(1 - p + eps), name)


@documented_like(mse_loss)
def binary_cross_entropy(input, label, weight=None, reduction="mean", name=None):
    """Cross entropy of probabilities ``input`` with targets in [0, 1], elementwise, then reduced.

    Args:
        weight (Tensor or None): factor on each loss, or on each class; None is 1.

    >>> float(paddle.nn.functional.binary_cross_entropy(paddle.to_tensor([1.]), paddle.to_tensor([1.])))
    0.0
    """
    p, y = pair(input, label, "binary_cross_entropy")
    same_shape(p, y, "binary_cross_entropy")
    loss = bce_loss(p, target(y))
    if weight is not None:
        loss = arithmetic.multiply(loss, as_tensor(weight, "binary_cross_entropy", "weight"))
    return naming.named(reduced(loss, reduction, "binary_cross_entropy"), name)


@documented_like(binary_cross_entropy)
def binary_cross_entropy_with_logits(logit, label, weight=None, reduction="mean", pos_weight=None, name=None):
    """Cross entropy of sigmoid(logit) with targets in [0, 1], computed without overflow; ``pos_weight`` weighs positives.

    Args:
        logit (Tensor): predictions before the sigmoid.
        pos_weight (Tensor or None): factor on the loss of positive labels.
    Raises:
        ValueError: the shapes are incompatible, or ``reduction`` is unknown.
        TypeError: ``logit`` or ``label`` is not a Tensor, array, list or number.

    >>> round(float(paddle.nn.functional.binary_cross_entropy_with_logits(paddle.zeros([1]), paddle.ones([1]))), 4)
    0.6931
    """
    x, y = pair(logit, label, "binary_cross_entropy_with_logits", ("logit", "label"))
    same_shape(x, y, "binary_cross_entropy_with_logits", ("logit", "label"))
    y = target(y)
    if pos_weight is None:
        loss = elementwise_loss.logits_entropy(x, y)
    else:
        factor = arithmetic.multiply(y, as_tensor(pos_weight, "binary_cross_entropy_with_logits", "pos_weight") - 1.0) + 1.0
        loss = (1 - y) * x - arithmetic.multiply(activation.log_sigmoid(x), factor)
    if weight is not None:
        loss = arithmetic.multiply(loss, as_tensor(weight, "binary_cross_entropy_with_logits", "weight"))
    return naming.named(reduced(loss, reduction, "binary_cross_entropy_with_logits"), name)


@generation("paddle.nn.functional.sigmoid_focal_loss", alpha="paddle.fluid.layers.sigmoid_focal_loss",
            only_modern={"logit", "normalizer", "reduction"})
@own_errors
def sigmoid_focal_loss(logit, label, normalizer=None, alpha=0.25, gamma=2.0, reduction="sum", name=None):
    """Focal loss: cross entropy weighted by (1 - p)^gamma and alpha, divided by ``normalizer`` if given.

    Args:
        logit (Tensor): before the sigmoid; p is the predicted probability of the correct class.
        label (Tensor): as logit, of zeros and ones.
        normalizer (Tensor, None): one element to divide by, as the number of objects found.
        alpha (float, 0.25): weight of label 1; that of label 0 is 1 - alpha.
        gamma (float, 2): how strongly well-classified examples are down-weighted.
        reduction (str, 'sum'): 'mean', 'sum' or 'none'.

    >>> float(paddle.nn.functional.sigmoid_focal_loss(paddle.to_tensor([100.]), paddle.to_tensor([1.])))
    0.0
    """
    x, y = pair(logit, label, "sigmoid_focal_loss", ("logit", "label"))
    loss = binary_cross_entropy_with_logits(x, y, reduction="none")
    p = unary.sigmoid(x)
    hit = p * y + (1 - p) * (1 - y)
    loss = loss * (y * alpha + (1 - y) * (1 - alpha)) * arithmetic.pow(1 - hit, float(gamma))
    if normalizer is not None:
        loss = arithmetic.divide(loss, as_tensor(normalizer, "sigmoid_focal_loss", "normalizer"))
    return naming.named(reduced(loss, reduction, "sigmoid_focal_loss"), name)


@own_errors
@documented_like(mse_loss)
def kl_div(input, label, reduction="mean", name=None):
    """label * (log(label) - input), with input log-probabilities; 'batchmean' divides the sum by the batch size.

    >>> float(paddle.nn.functional.kl_div(paddle.zeros([2]), paddle.ones([2])))
    0.0
    """
    check_choice(reduction, ("mean", "batchmean", "sum", "none"), "kl_div", "reduction")
    x, y = promote(input, label, "kl_div", ("input", "label"))
    loss = elementwise_loss.divergence(x, target(y))
    if reduction == "batchmean" and len(x.shape):
        if x.shape[0] < 0:  # known only when the program runs
            return naming.named(reduction_ops.sum(reduction_ops.mean(loss, 0)), name)
        return naming.named(reduction_ops.sum(loss) / x.shape[0], name)
    return naming.named(reduced(loss, "sum" if reduction == "batchmean" else reduction, "kl_div"), name)


@own_errors
@documented_like(binary_cross_entropy)
def nll_loss(input, label, weight=None, ignore_index=-100, reduction="mean", name=None):
    """-input[label] for log-probabilities [N, C] or [N, C, d1, ...]; the mean is weighted by the classes' weights.

    Labels are [N, d1, ...]; [N, 1, d1, ...] is understood too.

    Args:
        ignore_index (int): label of rows that do not count.
    Raises:
        ValueError: the shapes are incompatible, or ``reduction`` is unknown.
        TypeError: ``input`` or ``label`` is not a Tensor, array, list or number.
        IndexError: a label is neither a class index nor ``ignore_index``.

    >>> float(paddle.nn.functional.nll_loss(paddle.to_tensor([[-1., -2.]]), paddle.to_tensor([1])))
    2.0
    """
    x, y = as_tensor(input, "nll_loss", "input"), as_tensor(label, "nll_loss", "label")
    if len(y.shape) == len(x.shape) > 1 and y.shape[1] == 1:
        y = y.squeeze(1)
    fits = all(-1 in pair or pair[0] == pair[1] for pair in zip([*x.shape[:1], *x.shape[2:]], y.shape))  # -1: known to a run only
    if len(x.shape) < 2 or len(y.shape) != len(x.shape) - 1 or not fits:
        raise ValueError(f"nll_loss(): input must be [N, C, ...] and label [N, ...], got {list(x.shape)} and {list(y.shape)}")
    all_count = weight is None and not may_ignore(y, ignore_index)
    counts = None if all_count else cast(y != ignore_index, numpy_dtype(x))
    safe = y if all_count else arithmetic.multiply(y, cast(counts, numpy_dtype(y)))
    if weight is not None:
        w = as_tensor(weight, "nll_loss", "weight")
        counts = arithmetic.multiply(counts, gather(w, safe.flatten()).reshape(list(y.shape)))
    try:
        picked = take_along_axis(x, safe.unsqueeze(1), 1).squeeze(1)
    except IndexError as error:
        raise OutOfRangeError(f"nll_loss(): a label is outside [0, {x.shape[1]}) and not {ignore_index} ({error})") from None
    loss = -picked if all_count else -arithmetic.multiply(picked, counts)
    if reduction == "mean" and not all_count:
        return naming.named(arithmetic.divide(reduction_ops.sum(loss), reduction_ops.sum(counts)), name)
    return naming.named(reduced(loss, reduction, "nll_loss"), name)


@own_errors
@documented_like(mse_loss)
def poisson_nll_loss(input, label, log_input=True, full=False, epsilon=1e-8, reduction="mean", name=None):
    """Negative log likelihood of counts under a Poisson distribution; ``full`` adds Stirling's term.

    Args:
        log_input (bool): the input is a logarithm.
        full (bool): add the constant terms too.
        epsilon (float): avoids log(0) and division by zero.

    >>> float(paddle.nn.functional.poisson_nll_loss(paddle.zeros([1]), paddle.ones([1])))
    1.0
    """
    x, y = pair(input, label, "poisson_nll_loss")
    if epsilon <= 0:
        raise ValueError(f"poisson_nll_loss(): epsilon must be positive, got {epsilon}")
    loss = unary.exp(x) - y * x if log_input else x - y * unary.log(x + float(epsilon))
    if full:
        above = cast(y > 1, numpy_dtype(y))
        safe = y * above + (1 - above)
        loss = loss + (safe * unary.log(safe) - safe + unary.log(safe * (2 * math.pi)) * 0.5) * above
    return naming.named(reduced(loss, reduction, "poisson_nll_loss"), name)


@documented_like(poisson_nll_loss)
def gaussian_nll_loss(input, label, variance, full=False, epsilon=1e-6, reduction="mean", name=None):
    """Negative log likelihood under normal distributions with mean ``input`` and the given variance.

    Args:
        variance (Tensor): variance of each prediction.

    >>> float(paddle.nn.functional.gaussian_nll_loss(paddle.ones([1]), paddle.ones([1]), paddle.ones([1])))
    0.0
    """
    x, y = pair(input, label, "gaussian_nll_loss")
    var = as_tensor(variance, "gaussian_nll_loss", "variance")
    if list(var.shape) != list(x.shape):
        if list(var.shape) == list(x.shape)[:-1]:
            var = var.unsqueeze(-1)
        elif list(var.shape)[:-1] != list(x.shape)[:-1] or var.shape[-1] != 1:
            raise ValueError(f"gaussian_nll_loss(): variance must have the shape of input {list(x.shape)} or 1 in its last "
                             f"axis, got {list(var.shape)}")
    if isinstance(var, Tensor) and var._data.size and var._data.min() < 0:
        raise ValueError(f"gaussian_nll_loss(): variance must not be negative, got {var._data.min()}")
    var = arithmetic.clip(var, None, None, float(epsilon), None)
    loss = (unary.log(var) + arithmetic.divide(unary.square(x - y), var)) * 0.5
    if full:
        loss = loss + 0.5 * math.log(2 * math.pi)
    return naming.named(reduced(loss, reduction, "gaussian_nll_loss"), name)


@documented_like(log_loss)
def dice_loss(input, label, epsilon=1e-5, name=None):
    """1 - 2 * overlap / (size of prediction + size of label), for class probabilities in the last axis.

    >>> p = paddle.to_tensor([[[0., 1.]]]); y = paddle.to_tensor([[[1]]])
    >>> abs(float(paddle.nn.functional.dice_loss(p, y))) < 1e-4
    True
    """
    x, y = as_tensor(input, "dice_loss", "input"), as_tensor(label, "dice_loss", "label")
    if len(x.shape) != len(y.shape) or y.shape[-1] != 1:
        raise ValueError(f"dice_loss(): label must have the rank of input and 1 in its last axis, got {list(y.shape)} for "
                         f"{list(x.shape)}")
    y = cast(one_hot(y.squeeze(-1), depth=x.shape[-1]), numpy_dtype(x))
    axes = tuple(range(1, len(x.shape)))
    overlap = reduction_ops.sum(x * y, axes)
    out = reduction_ops.mean(1 - arithmetic.divide(overlap * 2,
                                                   reduction_ops.sum(x, axes) + reduction_ops.sum(y, axes) + float(epsilon)))
    return naming.named(out, name)


@own_errors
def npair_loss(anchor, positive, labels, l2_reg=0.002):
    """N-pair loss: cross entropy of anchor-positive similarities plus an L2 term.

    Args:
        anchor (Tensor): samples.
        positive (Tensor): samples of the same kind.
        l2_reg (float): weight of the squared embeddings.
    Returns:
        0-D Tensor, or of the shape of the losses for 'none'.

    >>> x = paddle.ones([2, 3])
    >>> paddle.nn.functional.npair_loss(x, x, paddle.to_tensor([0., 1.])).shape
    []
    """
    a, b = promote(anchor, positive, "npair_loss", ("anchor", "positive"))
    y = as_tensor(labels, "npair_loss", "labels")
    n = y.shape[0]
    same = cast(y.reshape([n, 1]) == y.reshape([1, n]), numpy_dtype(a))
    target = arithmetic.divide(same, reduction_ops.sum(same, 1, True))
    l2 = (reduction_ops.mean(reduction_ops.sum(a * a, 1)) + reduction_ops.mean(reduction_ops.sum(b * b, 1))) * (0.25 * l2_reg)
    ce = softmax_with_cross_entropy(linalg.matmul(a, b, False, True), target, soft_label=True)
    return l2 + reduction_ops.mean(reduction_ops.sum(arithmetic.multiply(target, ce), 0))


__getattr__ = _lookup(__name__)
