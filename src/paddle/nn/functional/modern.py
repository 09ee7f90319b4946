"""Functions that Paddle 3 added: power-mean and fractional pooling, gated units, margins, adaptive softmax."""

import math

import numpy as np

from ...core.docstrings import documented_like
from ...core.errors import ElementTypeError, check_choice, describe, own_errors
from ...tensor.convert import as_tensor, int_arg, numpy_dtype, real_arg
from ...tensor.creation import to_tensor
from ...tensor.joining import concat
from ...tensor.random import rand
from ...utils import naming
from .activation import log_sigmoid, log_softmax, relu, silu
from .common import linear
from .dropout import dropout
from .pooling import avg_pool1d, avg_pool2d, max_pool1d, max_pool2d
from .vision import pad

__all__ = ["lp_pool1d", "lp_pool2d", "logsigmoid", "swiglu", "rms_norm", "multi_label_margin_loss", "dropout1d",
           "feature_alpha_dropout", "fractional_max_pool2d", "fractional_max_pool3d", "adaptive_log_softmax_with_loss"]
logsigmoid = log_sigmoid


def _each(value, axes, function, argument):
    """One int for every axis."""
    return [int_arg(v, function, argument) for v in (value if isinstance(value, (list, tuple)) else [value] * axes)]


def _power_pool(average, largest, function, x, norm_type, kernel_size, stride, padding, ceil_mode, data_format):
    norm_type = real_arg(norm_type, function, "norm_type")
    if norm_type == 0:
        raise ValueError(f"{function}(): norm_type must not be 0")
    last = data_format in ("NLC", "NHWC")
    axes = 1 if average is avg_pool1d else 2
    check_choice(data_format, ("NCL", "NLC") if axes == 1 else ("NCHW", "NHWC"), function, "data_format")
    x = as_tensor(x, function)
    if last:
        x = x.transpose([0, axes + 1, *range(1, axes + 1)])
    if math.isinf(norm_type):
        out = largest(x, kernel_size, stride, padding, ceil_mode=ceil_mode)
    else:
        raised = x if norm_type == 1 else x ** norm_type
        cells = _each(kernel_size, axes, function, "kernel_size")
        steps = cells if stride is None else _each(stride, axes, function, "stride")
        around = []  # zeros in front and behind, so that all windows are full
        for size, cell, step, before in zip(x.shape[2:], cells, steps, _each(padding, axes, function, "padding")):
            left_over = size + 2 * before - cell
            more = -left_over % step if ceil_mode and (left_over + step - 1) // step * step < size + before else 0
            around = [before, before + more, *around]
        out = average(pad(raised, around, data_format="NCL" if axes == 1 else "NCHW"), cells, steps, 0) * float(np.prod(cells))
        out = out if norm_type == 1 else out ** (1.0 / norm_type)
    return out.transpose([0, *range(2, axes + 2), 1]) if last else out


def lp_pool1d(x, norm_type, kernel_size, stride=None, padding=0, ceil_mode=False, data_format="NCL", name=None):
    """The root of the sum of powers over each window of [N, C, L].

    Args:
        norm_type: the power; infinity for the largest element.

    >>> paddle.nn.functional.lp_pool1d(paddle.to_tensor([[[3., 4., 6., 8.]]]), 2, 2).tolist()
    [[[5.0, 10.0]]]
    """
    out = _power_pool(avg_pool1d, max_pool1d, "lp_pool1d", x, norm_type, kernel_size, stride, padding, ceil_mode, data_format)
    return naming.named(out, name)


@documented_like(lp_pool1d)
def lp_pool2d(x, norm_type, kernel_size, stride=None, padding=0, ceil_mode=False, data_format="NCHW", name=None):
    """The root of the sum of powers over each window of [N, C, H, W].

    >>> paddle.nn.functional.lp_pool2d(paddle.ones([1, 1, 2, 2]), 2, 2).tolist()
    [[[[2.0]]]]
    """
    out = _power_pool(avg_pool2d, max_pool2d, "lp_pool2d", x, norm_type, kernel_size, stride, padding, ceil_mode, data_format)
    return naming.named(out, name)


@own_errors
def swiglu(x, y=None, name=None):
    """silu(x) * y; without y the second half of x's last axis takes its part.

    >>> round(float(paddle.nn.functional.swiglu(paddle.to_tensor([1., 2.]))), 4)
    1.4621
    """
    x = as_tensor(x, "swiglu")
    if y is None:
        if not x.shape or x.shape[-1] % 2:
            raise ValueError(f"swiglu(): the last axis of x must have an even size, got shape {list(x.shape)}")
        x, y = x.chunk(2, -1)
    return naming.named(silu(x) * as_tensor(y, "swiglu", "y"), name)


@own_errors
def rms_norm(input, normalized_shape, weight=None, eps=1e-5, name=None):
    """input divided by the root of the mean of its squares over the last axes, times a weight.

    Args:
        normalized_shape (int or list): sizes of the last axes, which are normalised.
        weight (Tensor or None): scale.
        eps (float): added to the variance.
    Returns:
        Tensor of the shape of x.

    >>> [round(v, 4) for v in paddle.nn.functional.rms_norm(paddle.to_tensor([3., 4.]), 2).tolist()]
    [0.8485, 1.1314]
    """
    x = as_tensor(input, "rms_norm", "input")
    shape = [normalized_shape] if isinstance(normalized_shape, int) else list(normalized_shape)
    if not shape or list(x.shape[-len(shape):]) != shape:
        raise ValueError(f"rms_norm(): normalized_shape {shape} is not the end of the shape {list(x.shape)}")
    mean = (x * x).mean(list(range(len(x.shape) - len(shape), len(x.shape))), keepdim=True)
    out = x * (mean + real_arg(eps, "rms_norm", "eps")).rsqrt()
    return naming.named(out if weight is None else out * weight, name)


def multi_label_margin_loss(input, label, reduction="mean", name=None):
    """The mean over classes of max(0, 1 - (score of a label - score of another class)).

    Args:
        input: scores [N, C].
        label: classes [N, C]; the first negative one ends a row.

    >>> scores, label = paddle.to_tensor([[.1, .2, .4, .8]]), paddle.to_tensor([[3, 0, -1, 1]])
    >>> round(float(paddle.nn.functional.multi_label_margin_loss(scores, label)), 4)
    0.85
    """
    check_choice(reduction, ("mean", "sum", "none"), "multi_label_margin_loss", "reduction")
    x, label = as_tensor(input, "multi_label_margin_loss", "input"), as_tensor(label, "multi_label_margin_loss", "label")
    if len(x.shape) != 2 or list(x.shape) != list(label.shape):
        raise ValueError("multi_label_margin_loss(): input and label must both be [N, C], "
                         f"got {list(x.shape)} and {list(label.shape)}")
    valid = ((label < 0).astype("int64").cumsum(1) == 0).astype(x.dtype)
    classes = label.astype("int64") * valid.astype("int64")
    owned = (classes.unsqueeze(2) == to_tensor(np.arange(x.shape[1]))).astype(x.dtype) * valid.unsqueeze(2)
    none_of_them = 1.0 - owned.max(1)
    score = x.take_along_axis(classes, 1)
    margins = relu(1.0 - score.unsqueeze(2) + x.unsqueeze(1)) * valid.unsqueeze(2) * none_of_them.unsqueeze(1)
    loss = margins.sum([1, 2]) / float(x.shape[1])
    return naming.named(loss.mean() if reduction == "mean" else loss.sum() if reduction == "sum" else loss, name)


@own_errors
def dropout1d(input, p=0.5, training=True, inplace=False):
    """Set whole channels of [N, C, L] or [C, L] to 0 with probability p in training.

    >>> paddle.nn.functional.dropout1d(paddle.ones([1, 2, 3]), training=False).shape
    [1, 2, 3]
    """
    x = as_tensor(input, "dropout1d", "input")
    if len(x.shape) not in (2, 3):
        raise ValueError(f"dropout1d(): input must be [N, C, L] or [C, L], got shape {list(x.shape)}")
    return dropout(x, p, axis=[0] if len(x.shape) == 2 else [0, 1], training=training)


def feature_alpha_dropout(x, p=0.5, training=True, name=None):
    """Alpha dropout of whole channels: mean and variance of inputs that have 0 and 1 are unchanged.

    >>> paddle.nn.functional.feature_alpha_dropout(paddle.ones([2, 3, 2]), training=False).shape
    [2, 3, 2]
    """
    x, p = as_tensor(x, "feature_alpha_dropout"), real_arg(p, "feature_alpha_dropout", "p")
    if not 0 <= p <= 1 or len(x.shape) < 2:
        raise ValueError(f"feature_alpha_dropout(): p must be in [0, 1] and x have two axes, got {p} and {list(x.shape)}")
    if not training or p == 0:
        return x if name is None else naming.named(x, name)
    low = -1.7580993408473766  # where selu ends
    if p == 1:
        return x * 0.0
    scale = ((1 - p) * (1 + p * low * low)) ** -0.5
    keep = (rand([*x.shape[:2], *[1] * (len(x.shape) - 2)]) >= p).astype(x.dtype)
    return naming.named((x * keep + (1.0 - keep) * low) * scale - scale * p * low, name)


def _regions(size, count, kernel, u, function):
    """Where the windows of fractional pooling begin and end along one axis (Graham's pseudo-random sequence)."""
    if not 0 < count <= size:
        raise ValueError(f"{function}(): output_size must be in [1, {size}], got {count}")
    single = np.float32  # Paddle's own precision, which decides where a window ends exactly on a cell
    u = single(u)
    if kernel:
        alpha = single(size - kernel) / single(count - 1) if count > 1 else single(0)
        starts = [int((single(k) + u) * alpha) - int(u * alpha) for k in range(count)]
        starts[-1] = size - kernel
        return starts, [s + kernel for s in starts]
    alpha, base = single(size) / single(count), size // count
    u = u * min(single(base + 2) / alpha - single(1), single(size + 1 - base) / alpha - single(count - 1))
    ends = [int((single(k) + u) * alpha) - int(u * alpha) for k in range(count + 1)]
    return ends[:-1], ends[1:]


def _fractional(function, axes, x, output_size, kernel_size, random_u, return_mask, name):
    x = as_tensor(x, function)
    if len(x.shape) != axes + 2:
        raise ValueError(f"{function}(): x must have {axes + 2} axes, got shape {list(x.shape)}")
    counts = [output_size] * axes if isinstance(output_size, int) else list(output_size)
    counts = [n if c is None else int_arg(c, function, "output_size") for c, n in zip(counts, x.shape[2:])]
    kernels = [kernel_size] * axes if kernel_size is None or isinstance(kernel_size, int) else list(kernel_size)
    u = float(rand([1])) if random_u is None else real_arg(random_u, function, "random_u")
    if not 0 < u < 1:
        raise ValueError(f"{function}(): random_u must be inside (0, 1), got {u}")
    bounds = [_regions(n, c, k, u, function) for n, c, k in zip(x.shape[2:], counts, kernels)]
    width = [max(e - s for s, e in zip(*b)) for b in bounds]
    index, inside = np.zeros([], np.int64), np.ones([], bool)
    for (starts, ends), n, w in zip(bounds, x.shape[2:], width):  # positions of all cells of all windows in the flat picture
        cells = np.array(starts)[:, None] + np.arange(w)
        inside = inside[..., None, None] & (cells < np.array(ends)[:, None])
        index = index[..., None, None] * n + np.minimum(cells, n - 1)
    order = [*range(0, 2 * axes, 2), *range(1, 2 * axes, 2)]
    index, inside = (np.broadcast_to(a, index.shape).transpose(order).reshape(int(np.prod(counts)), -1) for a in (index, inside))
    flat = x.flatten(2)
    windows = flat.index_select(to_tensor(index.ravel()), 2).reshape([*x.shape[:2], *index.shape])
    lowest = float(np.finfo(numpy_dtype(x)).min) if numpy_dtype(x).kind == "f" else None
    if lowest is None:
        raise ElementTypeError(f"{function}(): x must be floating, got {describe(x)}")
    masked = windows + to_tensor(np.where(inside, 0.0, lowest).astype(numpy_dtype(x)))
    out = masked.max(-1).reshape([*x.shape[:2], *counts])
    out = out if name is None else naming.named(out, name)
    if not return_mask:
        return out
    at = masked._data.argmax(-1)
    mask = np.take_along_axis(np.broadcast_to(index, masked.shape), at[..., None], -1)[..., 0]
    return out, to_tensor(mask.reshape([*x.shape[:2], *counts]).astype("int32"))


def fractional_max_pool2d(x, output_size, kernel_size=None, random_u=None, return_mask=False, name=None):
    """Largest element of windows of pseudo-random sizes that cover [N, C, H, W].

    Args:
        output_size (int, list or tuple): how many windows, an int or two.
        kernel_size (int, list, tuple or None): size of all windows, which then overlap; None for windows that do not.
        random_u (float or None): where the sequence starts, in (0, 1); drawn for None.
        return_mask (bool): give the positions of the elements too?
        x (Tensor): [N, C, H, W].
    Returns:
        Tensor [N, C, rows, columns], with ``return_mask`` also the indices.
    Raises:
        ValueError: x has another number of axes, a size of the result is outside x, or ``random_u`` outside (0, 1).
        TypeError: x is not a Tensor, array, list or number, or a size is not an int.

    >>> paddle.nn.functional.fractional_max_pool2d(paddle.ones([1, 1, 5, 5]), 3, random_u=0.3).shape
    [1, 1, 3, 3]
    """
    return _fractional("fractional_max_pool2d", 2, x, output_size, kernel_size, random_u, return_mask, name)


def fractional_max_pool3d(x, output_size, kernel_size=None, random_u=None, return_mask=False, name=None):
    """Largest element of windows of pseudo-random sizes that cover [N, C, D, H, W]; arguments as ``fractional_max_pool2d``.

    Args:
        x (Tensor): [N, C, D, H, W].
        output_size (int, list or tuple): how many windows, an int or three.
        kernel_size (int, list, tuple or None): size of all windows, which then overlap; None for windows that do not.
        random_u (float or None): where the sequence starts, in (0, 1); drawn for None.
        return_mask (bool): give the positions of the elements too?
    Returns:
        Tensor [N, C, depths, rows, columns], with ``return_mask`` also the indices.
    Raises:
        ValueError: x has another number of axes, a size of the result is outside x, or ``random_u`` outside (0, 1).
        TypeError: x is not a Tensor, array, list or number, or a size is not an int.

    >>> paddle.nn.functional.fractional_max_pool3d(paddle.ones([1, 1, 4, 5, 5]), [2, 3, 3], random_u=0.3).shape
    [1, 1, 2, 3, 3]
    """
    return _fractional("fractional_max_pool3d", 3, x, output_size, kernel_size, random_u, return_mask, name)


def adaptive_log_softmax_with_loss(input, label, head_weight, tail_weights, cutoffs, head_bias=None, name=None):
    """Log-probabilities of the labels by a softmax in two levels, and the mean of their negatives: (output, loss).

    Args:
        input: [N, D] or [D].
        label: [N] or [].
        head_weight: [D, first cutoff + number of clusters].
        tail_weights: for each cluster [[D, low], [low, its size]].
        cutoffs: where clusters begin, and the number of classes at the end.
        head_bias: of the head.

    >>> x, label, head = paddle.ones([2, 3]), paddle.to_tensor([0, 1]), paddle.zeros([3, 2])
    >>> out, loss = paddle.nn.functional.adaptive_log_softmax_with_loss(x, label, head, [], [2])
    >>> round(float(loss), 4)
    0.6931
    """
    x = as_tensor(input, "adaptive_log_softmax_with_loss", "input")
    label = as_tensor(label, "adaptive_log_softmax_with_loss", "label")
    single = len(label.shape) == 0
    if single:
        x, label = x.unsqueeze(0), label.unsqueeze(0)
    if len(x.shape) != 2 or len(label.shape) != 1 or x.shape[0] != label.shape[0]:
        raise ValueError("adaptive_log_softmax_with_loss(): input must be [N, D] and label [N], "
                         f"got {list(x.shape)} and {list(label.shape)}")
    numbers = label.numpy()
    if numbers.size and not 0 <= numbers.min() <= numbers.max() < cutoffs[-1]:
        raise ValueError(f"adaptive_log_softmax_with_loss(): labels must be in [0, {cutoffs[-1]})")
    head, first, parts, order = log_softmax(linear(x, head_weight, head_bias), 1), cutoffs[0], [], []
    for cluster, (low, high) in enumerate(zip([0, *cutoffs[:-1]], cutoffs)):
        rows = np.nonzero((numbers >= low) & (numbers < high))[0]
        if not rows.size:
            continue
        chosen = to_tensor(rows)
        logs, own = head.index_select(chosen, 0), to_tensor(numbers[rows] - low)
        if cluster:
            narrow, wide = tail_weights[cluster - 1]
            inner = log_softmax(linear(linear(x.index_select(chosen, 0), narrow), wide), 1)
            value = inner.take_along_axis(own.unsqueeze(1), 1).squeeze(1) + logs[:, first + cluster - 1]
        else:
            value = logs.take_along_axis(own.unsqueeze(1), 1).squeeze(1)
        parts.append(value)
        order.append(rows)
    back = np.argsort(np.concatenate(order)) if order else np.zeros(0, np.int64)
    out = concat(parts).index_select(to_tensor(back), 0)
    loss = (-out).mean()
    out = out.squeeze(0) if single else out
    return naming.named(out, name), loss
