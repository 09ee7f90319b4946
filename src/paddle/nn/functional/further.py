"""What Paddle 3 added to functions that 2.6 has: each takes the arguments of its namesake and the new keywords (see
``tensor/further.py``)."""

from ...core.autograd import no_grad
from ...core.errors import check_choice, describe
from ...core.op import Symbolic
from ...core.tensor import Tensor
from ...ops.loss.ctc import IMPOSSIBLE
from ...ops.math import unary
from ...ops.nn.interpolate import resample
from ...tensor.convert import as_tensor, cast, numpy_dtype, promote
from ...tensor.creation import zeros_like
from ...tensor.gather_scatter import where
from ...tensor.search import unique
from ...tensor.stat import bincount
from ...utils import naming
from . import activation, input, loss, sequence_loss, vision
from .dropout import dropout as dropped
from .loss import reduced


def _named(out, name):
    return naming.named(out, name)


def _stored(x, out, inplace, function):
    """The result, in x itself if ``inplace``."""
    return x.become(out, function) if inplace and isinstance(x, Tensor) else out


def kl_div(input, label, reduction="mean", log_target=False, name=None):
    """The divergence from a distribution, or from its logarithm if ``log_target``."""
    if not log_target:
        return loss.kl_div(input, label, reduction, name)
    x, y = promote(input, label, "kl_div", ("input", "label"))
    y = loss.target(y)
    each = unary.exp(y) * (y - x)
    if reduction == "batchmean":
        return _named(each.sum() / x.shape[0], name)
    return _named(reduced(each, reduction, "kl_div"), name)


def smooth_l1_loss(input, label, reduction="mean", delta=1.0, is_huber=True, name=None):
    """Huber's loss, divided by delta unless ``is_huber``."""
    out = loss.smooth_l1_loss(input, label, reduction, delta)
    return _named(out if is_huber else out / float(delta), name)


def ctc_loss(log_probs, labels, input_lengths, label_lengths, blank=0, reduction="mean", norm_by_times=False, zero_infinity=False):
    """CTC, with 0 (and no gradient) for labels that no path spells if ``zero_infinity``."""
    each = sequence_loss.ctc_loss(log_probs, labels, input_lengths, label_lengths, blank, "none", norm_by_times)
    if zero_infinity:
        each = where(each < -0.5 * IMPOSSIBLE, each, zeros_like(each))
    if reduction == "mean":
        return (each / cast(as_tensor(label_lengths, "ctc_loss", "label_lengths"), numpy_dtype(each))).mean()
    return reduced(each, reduction, "ctc_loss")


def silu(x, inplace=False, name=None):
    """x * sigmoid(x), in x itself if ``inplace``."""
    return _stored(x, activation.silu(x, name), inplace, "silu")


def dropout(x, p=0.5, axis=None, training=True, inplace=False, mode="upscale_in_train", name=None):
    """As dropout, in x itself if ``inplace``."""
    return _stored(x, dropped(x.snapshot() if inplace and isinstance(x, Tensor) else x, p, axis, training, mode, name),
                   inplace, "dropout")


def embedding(x, weight, padding_idx=None, max_norm=None, norm_type=2.0, sparse=False, scale_grad_by_freq=False, name=None):
    """As embedding.

    Args:
        max_norm: rows that are looked up and whose norm is greater are scaled down to it, in ``weight`` itself.
        norm_type: the order of that norm.
        scale_grad_by_freq: divide the gradient of a row by how often it was looked up.
    """
    if max_norm is not None and (isinstance(weight, Symbolic) or isinstance(x, Symbolic)):
        raise NotImplementedError("embedding(): max_norm is not supported in static programs")
    if max_norm is not None:
        _limit(as_tensor(x, "embedding"), weight, max_norm, norm_type)
    out = input.embedding(x, weight, padding_idx, sparse, name)
    if scale_grad_by_freq and not out.stop_gradient:
        ids = as_tensor(x, "embedding").detach()
        often = cast(bincount(ids.flatten()).gather(ids.flatten()).reshape(ids.shape), numpy_dtype(out)).unsqueeze(-1)
        scaled = out / often
        out = out.detach() + (scaled - scaled.detach())  # the same values
    return out


@no_grad()
def _limit(ids, weight, max_norm, norm_type):
    if isinstance(max_norm, bool) or not isinstance(max_norm, (int, float)) or max_norm < 0:
        raise ValueError(f"embedding(): max_norm must be a number of at least 0, got {describe(max_norm)}")
    ids = unique(ids.flatten())
    rows = weight.gather(ids)
    norms = rows.norm(norm_type, 1, True)
    factor = where(norms > max_norm, max_norm / (norms + 1e-7), norms * 0.0 + 1.0)
    weight[ids] = rows * factor


def interpolate(x, size=None, scale_factor=None, mode="nearest", align_corners=False, align_mode=0, data_format="NCHW",
                recompute_scale_factor=None, antialias=False, name=None):
    """As interpolate.

    Args:
        recompute_scale_factor: take the ratio of the rounded sizes instead of the given scale.
        antialias: of 'bilinear' and 'bicubic': let every cell of an image that shrinks count, as filters of images do.
    """
    if recompute_scale_factor and scale_factor is None:
        raise ValueError("interpolate(): recompute_scale_factor needs scale_factor")
    if recompute_scale_factor:
        x = as_tensor(x, "interpolate")
        axes = list(x.shape[1:-1] if data_format and data_format[-1] == "C" else x.shape[2:])
        scales = [scale_factor] * len(axes) if isinstance(scale_factor, (int, float)) else list(scale_factor)
        size, scale_factor = [int(n * float(s)) for n, s in zip(axes, scales)], None
    if antialias:
        return _named(_smooth(as_tensor(x, "interpolate"), size, scale_factor, mode, align_corners, data_format or "NCHW"), name)
    return vision.interpolate(x, size, scale_factor, mode, align_corners, align_mode, data_format or "NCHW", name)


def _smooth(x, size, scale_factor, mode, align_corners, data_format):
    mode = mode.lower() if isinstance(mode, str) else mode
    check_choice(mode, ("bilinear", "bicubic"), "interpolate", "mode of antialias=True")
    if len(x.shape) != 4 or (size is None) == (scale_factor is None):
        raise ValueError(f"interpolate(): antialias needs x with 4 axes and either size or scale_factor, got {list(x.shape)}, "
                         f"{describe(size)} and {describe(scale_factor)}")
    last = data_format[-1] == "C"
    x = x.transpose([0, 3, 1, 2]) if last else x
    if size is not None:
        outs, scales = vision.ints(size, "interpolate", "size"), (0.0, 0.0)
    else:
        scales = vision.scales_of(scale_factor, 2)
        outs = [int(n * s) for n, s in zip(x.shape[2:], scales)]
    out = resample(x, tuple(outs), tuple(scales), f"smooth_{mode}", bool(align_corners), 0)
    return out.transpose([0, 2, 3, 1]) if last else out


def pad(x, pad, mode="constant", value=0.0, data_format="NCHW", pad_from_left_axis=True, name=None):
    """As pad; a pair for every axis begins with the first axis, or with the last one unless ``pad_from_left_axis``."""
    x = as_tensor(x, "pad")
    if not pad_from_left_axis and mode == "constant" and isinstance(pad, (list, tuple)) and len(pad) == 2 * len(x.shape):
        pad = [width for at in range(len(pad) - 2, -1, -2) for width in pad[at:at + 2]]
    return vision.pad(x, pad, mode, value, data_format or "NCHW", name)
