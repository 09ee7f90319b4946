"""Softmax, log-softmax and the softmax cross entropy."""

import numpy as np

from ...core import tensor
from ...core.context import context
from ...core.errors import ElementTypeError, OutOfRangeError
from ...core.op import op
from ...core.steps import dense
from ..arguments import one_axis
from ..families.reduce import reduced
from ..families.sharding import along, classified
from ..math import reduction as reduce
from ..math.unary import exp
from ..short import through_float32


def _fast(x, axis):
    return (x.dtype.char in "fd" and x.size and x.flags.c_contiguous
            and axis in (-1, x.ndim - 1) and x.ndim)


@op("softmax(X) -> Out", family="same", amp="black", sharding=along)
def softmax(x, axis=-1):
    """exp(x) / sum of exp(x) along the axis, computed from x minus its maximum, and from that at least -64, as in Paddle:
    no probability is 0, so that losses which take its logarithm stay finite."""
    axis = one_axis(axis, x.ndim, "softmax")
    if x.ndim == 0:
        return np.ones_like(x)
    e = np.exp(np.maximum(x - x.max(axis=axis, keepdims=True, initial=-np.inf if x.size == 0 else None), x.dtype.type(-64)))
    return e / e.sum(axis=axis, keepdims=True)


@op("log_softmax(X) -> Out", family="same", amp="black", sharding=along)
def log_softmax(x, axis=-1):
    """x - log of the sum of exp(x) along the axis."""
    axis = one_axis(axis, x.ndim, "log_softmax")
    if x.ndim == 0:
        return np.zeros_like(x)
    z = x - x.max(axis=axis, keepdims=True, initial=-np.inf if x.size == 0 else None)
    return z - np.log(np.exp(z).sum(axis=axis, keepdims=True))


def _sum_along(x, axis):
    return reduce.sum(x, axis, True) if len(x.shape) else x


@op("softmax_input_grad(Out, G) -> GX", family="same")
def softmax_input_grad(out_, grad, axis=-1):
    """The gradient of softmax: out * (grad - sum of grad * out along the axis)."""
    return out_ * (grad - (grad * out_).sum(axis=axis, keepdims=True)) if out_.ndim else out_ * 0


@softmax_input_grad.vjp
def _(needs, g, out_, grad, axis):
    total = _sum_along(g * out_, axis)
    d_out = g * (grad - _sum_along(grad * out_, axis)) - grad * total if needs[0] else None
    return d_out, out_ * (g - total) if needs[1] else None


@op("log_softmax_input_grad(Out, G) -> GX", family="same")
def log_softmax_input_grad(out_, grad, axis=-1):
    """The gradient of log_softmax: grad - exp(out) * sum of grad along the axis."""
    return grad - np.exp(out_) * grad.sum(axis=axis, keepdims=True) if out_.ndim else grad * 0


@log_softmax_input_grad.vjp
def _(needs, g, out_, grad, axis):
    share = exp(out_) * g
    d_out = -(share * _sum_along(grad, axis)) if needs[0] else None
    return d_out, g - _sum_along(share, axis) if needs[1] else None


softmax.grad(x=lambda g, out, axis: softmax_input_grad(out, g, axis))
log_softmax.grad(x=lambda g, out, axis: log_softmax_input_grad(out, g, axis))


@softmax.kernel(when=_fast)
def _(k, x, axis):
    return k.softmax(x)


@log_softmax.kernel(when=_fast)
def _(k, x, axis):
    return k.log_softmax(x)


@softmax_input_grad.kernel(when=lambda out_, grad, axis: _fast(out_, axis) and grad.flags.c_contiguous)
def _(k, out_, grad, axis):
    return k.softmax_backward(out_, grad)


@log_softmax_input_grad.kernel(when=lambda out_, grad, axis: _fast(out_, axis) and grad.flags.c_contiguous)
def _(k, out_, grad, axis):
    return k.log_softmax_backward(out_, grad)


# ---- softmax cross entropy -----------------------------------------------------------------------------------------

def _labels(logits, label, axis, ignore_index, function="softmax_with_cross_entropy"):
    """Label indices along ``axis`` (size 1 there) and where they count; a label out of range raises IndexError."""
    if label.dtype.kind not in "iu":
        raise ElementTypeError(f"{function}(): hard labels must be integers, got {label.dtype.name}")
    expected = list(logits.shape)
    expected[axis] = 1
    if list(label.shape) != expected:
        raise ValueError(f"{function}(): label must have shape {expected} for logits {list(logits.shape)}, "
                         f"got {list(label.shape)}")
    counts = label != ignore_index
    bad = counts & ((label < 0) | (label >= logits.shape[axis]))
    if bad.any():
        raise OutOfRangeError(f"{function}(): label {int(label[bad].flat[0])} is out of range [0, {logits.shape[axis]}) "
                              f"and not ignore_index {ignore_index}")
    return np.where(counts, label, 0), counts


@op("softmax_with_cross_entropy(Logits, Label) -> Softmax, Loss", family="own", sharding=classified, rows="keep", amp="black",
    shapes=lambda logits, axis: (logits, reduced(logits, axis, True, "softmax_with_cross_entropy")))
def softmax_with_cross_entropy(logits, label, soft_label=False, use_softmax=True, ignore_index=-100, axis=-1):
    """(softmax, -log softmax[label]) along the axis, of size 1 in the loss; ``use_softmax=False`` takes probabilities."""
    axis = one_axis(axis, logits.ndim, "softmax_with_cross_entropy")
    tiny = np.finfo(logits.dtype).tiny
    if use_softmax:
        logp = log_softmax.fn(logits, axis)
        p = np.exp(logp)
    else:
        p = logits
        logp = np.log(np.maximum(p, tiny))
    if soft_label:
        if label.shape != logits.shape:
            raise ValueError(f"softmax_with_cross_entropy(): soft labels must have the shape of the logits "
                             f"{list(logits.shape)}, got {list(label.shape)}")
        return p, -(label * logp).sum(axis=axis, keepdims=True)
    at, counts = _labels(logits, label, axis, ignore_index)
    return p, np.where(counts, -np.take_along_axis(logp, at, axis), logits.dtype.type(0))


def _rows_fast(x, axis):
    """Is it dense, of a type that kernels take, and with such an axis?"""
    return x.dtype.char in "fd" and x.size and x.flags.c_contiguous and -x.ndim <= axis < x.ndim


def _hard_fast(logits, label, soft_label, use_softmax, ignore_index, axis):
    return (use_softmax and not soft_label and _rows_fast(logits, axis) and label.dtype.kind == "i" and label.itemsize >= 4
            and label.ndim == logits.ndim and label.shape[axis] == 1)


@softmax_with_cross_entropy.kernel(when=_hard_fast, noted=False)
def _(k, logits, label, soft_label, use_softmax, ignore_index, axis):
    try:
        loss, p = k.softmax_cross_entropy(logits, dense(label), ignore_index, axis)
    except (IndexError, ValueError):
        return NotImplemented  # the reference names the argument in its error
    return p, loss.reshape(label.shape)


def _soft_fast(logits, label, soft_label, use_softmax, ignore_index, axis):
    return use_softmax and soft_label and _fast(logits, axis) and label.dtype == logits.dtype and label.shape == logits.shape


@softmax_with_cross_entropy.kernel(when=_soft_fast)
def _(k, logits, label, soft_label, use_softmax, ignore_index, axis):
    loss, p = k.soft_cross_entropy(logits, dense(label))
    return p, loss.reshape([*logits.shape[:-1], 1])


@op("cross_entropy_logits_grad(Softmax, Label, G) -> GX", family="same")
def cross_entropy_logits_grad(softmax_, label, grad, ignore_index=-100, axis=-1):
    """(softmax - one hot label) * grad, 0 in ignored rows: the gradient of the hard-label loss."""
    axis = one_axis(axis, softmax_.ndim, "softmax_with_cross_entropy")
    at, counts = _labels(softmax_, label, axis, ignore_index)
    out = softmax_ * np.where(counts, grad, softmax_.dtype.type(0))
    np.put_along_axis(out, at, np.take_along_axis(out, at, axis) - np.where(counts, grad, softmax_.dtype.type(0)), axis)
    return out


@cross_entropy_logits_grad.kernel(when=lambda p, label, grad, ignore_index, axis: _rows_fast(p, axis) and label.itemsize >= 4)
def _(k, p, label, grad, ignore_index, axis):
    return k.softmax_cross_entropy_backward(p, dense(label), dense(grad), ignore_index, None, axis)


@op("soft_entropy_logits_grad(Softmax, Label, G) -> GX", family="same")
def soft_entropy_logits_grad(softmax_, label, grad, axis=-1):
    """(softmax - label) * grad: the gradient of the loss of labels that add up to 1. Paddle takes it for all others, too."""
    return (softmax_ - label) * grad


@soft_entropy_logits_grad.kernel(when=lambda p, label, grad, axis: _fast(p, axis) and label.dtype == p.dtype == grad.dtype)
def _(k, p, label, grad, axis):
    return k.soft_cross_entropy_backward(p, dense(label), dense(grad))


@soft_entropy_logits_grad.vjp
def _(needs, g, softmax_, label, grad, axis):
    return g * grad if needs[0] else None, None, _sum_along(g * (softmax_ - label), axis) if needs[2] else None


@op("label_rows(X, Label) -> Out", family="same")
def label_rows(x, label, ignore_index=-100, axis=-1):
    """1 at each row's label (0 everywhere in ignored rows), in the shape and dtype of x."""
    at, counts = _labels(x, label, one_axis(axis, x.ndim, "cross_entropy"), ignore_index)
    out = np.zeros_like(x)
    np.put_along_axis(out, at, counts.astype(x.dtype), axis)
    return out


def may_ignore(label, ignore_index):
    """False if it is known already that no label is ignored: then a mean over the rows that count is a plain mean."""
    known = isinstance(label, tensor.Tensor) and context.trace is None
    return not known or bool((label._data == ignore_index).any())


@cross_entropy_logits_grad.vjp
def _(needs, g, softmax_, label, grad, ignore_index, axis):
    hot = label_rows(softmax_, label, ignore_index, axis)
    counts = _sum_along(hot, axis)
    d_softmax = g * (grad * counts) if needs[0] else None
    return d_softmax, None, _sum_along(g * (softmax_ - hot), axis) * counts if needs[2] else None


@softmax_with_cross_entropy.vjp(takes_none=True)
def _(needs, g, out, logits, label, soft_label, use_softmax, ignore_index, axis):
    g_softmax, g_loss = g
    p, parts = out[0], []
    if g_loss is not None and not use_softmax:
        weight = label if soft_label else label_rows(p, label, ignore_index, axis)
        parts.append(-(weight / p * g_loss))
    elif g_loss is not None and soft_label:
        parts.append(soft_entropy_logits_grad(p, label, g_loss, axis))
    elif g_loss is not None:
        parts.append(cross_entropy_logits_grad(p, label, g_loss, ignore_index, axis))
    if g_softmax is not None:
        parts.append(softmax_input_grad(p, g_softmax, axis) if use_softmax else g_softmax)
    return (parts[0] + parts[1] if len(parts) == 2 else parts[0]), None


softmax_with_cross_entropy.grad(label=None)  # as in Paddle: labels are constants
soft_entropy_logits_grad.grad(label=None)
through_float32(softmax, log_softmax, softmax_input_grad, log_softmax_input_grad, softmax_with_cross_entropy,
                cross_entropy_logits_grad, soft_entropy_logits_grad)
