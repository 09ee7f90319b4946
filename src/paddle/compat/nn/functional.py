"""Functions of Paddle's names with PyTorch's arguments, order of axes and defaults."""

from ...core.addresses import lookup as _lookup
from ...core.errors import describe
from ...nn import functional as F
from ...nn.functional import vision
from ...nn.functional.activation import softmax as modern_softmax
from ...nn.functional.attention import additive, attend, same_heads
from ...tensor.convert import as_tensor, int_arg, numpy_dtype

__all__ = ["linear", "pad", "scaled_dot_product_attention", "softmax", "unfold"]
_FORMATS = {2: "NCL", 4: "NCHW", 6: "NCDHW"}  # by the number of widths, for modes other than constant


def linear(input, weight, bias=None):
    """input @ weight^T + bias, with weight [out_features, in_features].

    >>> paddle.compat.nn.functional.linear(paddle.to_tensor([1., 2.]), paddle.to_tensor([[1., 1.], [0., 2.]])).tolist()
    [3.0, 4.0]
    """
    out = as_tensor(input, "linear", "input").matmul(as_tensor(weight, "linear", "weight"), transpose_y=True)
    return out if bias is None else out + bias


def pad(input, pad, mode="constant", value=0.0):
    """input with pairs of widths added, the first pair at the last axis, the second at the one before, and so on.

    Args:
        mode: "constant", "reflect", "replicate" or "circular"; the last three take batches with channels only.

    >>> paddle.compat.nn.functional.pad(paddle.to_tensor([[1., 2.]]), [1, 0, 0, 1]).tolist()
    [[0.0, 1.0, 2.0], [0.0, 0.0, 0.0]]
    """
    x = as_tensor(input, "pad", "input")
    widths = [int(width) for width in (pad.tolist() if hasattr(pad, "tolist") else pad)]
    axes = len(widths) // 2
    if len(widths) % 2 or axes > len(x.shape):
        raise ValueError(f"pad(): pad must be pairs for at most {len(x.shape)} axes, got {widths}")
    if mode == "constant":
        pairs = [widths[2 * i:2 * i + 2] for i in range(axes)]
        pairs += [[0, 0]] * (len(x.shape) - axes)
        return vision.pad(x, [width for pair in reversed(pairs) for width in pair], mode="constant", value=value)
    if len(widths) not in _FORMATS or len(x.shape) not in (axes + 1, axes + 2):
        raise ValueError(f"pad(): mode {mode!r} pads the last 1, 2 or 3 axes behind the channels; got shape {list(x.shape)} "
                         f"and widths {widths}")
    batched = x if len(x.shape) == axes + 2 else x.unsqueeze(0)
    out = vision.pad(batched, widths, mode=mode, value=value, data_format=_FORMATS[len(widths)])
    return out if batched is x else out.squeeze(0)


def softmax(input, dim=None, dtype=None, *, out=None):
    """Softmax along ``dim``; without one the first axis of 0, 1 and 3 dimensions, else the second, as in PyTorch.

    >>> paddle.compat.nn.functional.softmax(paddle.zeros([2, 4])).tolist()[0]
    [0.25, 0.25, 0.25, 0.25]
    """
    x = as_tensor(input, "softmax", "input")
    if dim is None:
        dim = 0 if len(x.shape) in (0, 1, 3) else 1
    result = modern_softmax(x, int_arg(dim, "softmax", "dim"), dtype)
    return result if out is None else out.become(result, "softmax", reshapes=True)


def unfold(input, kernel_size, dilation=1, padding=0, stride=1):
    """The patches of [batch, channels, height, width] as columns.

    >>> paddle.compat.nn.functional.unfold(paddle.ones([1, 2, 3, 3]), 2).shape
    [1, 8, 4]
    """
    return F.unfold(input, kernel_size, stride, padding, dilation)


def scaled_dot_product_attention(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False):
    """softmax(query key^T scale + mask) value, for [batch, heads, length, size].

    Args:
        attn_mask: booleans (True: may look) or numbers to add.
        dropout_p: share of the weights set to 0, in evaluation too.
        is_causal: may a query look only at keys up to its own place?
        scale: 1 / sqrt(size) by default.
        enable_gqa: may query have a multiple of the heads of key and value?

    >>> q = paddle.ones([1, 2, 3, 4])
    >>> paddle.compat.nn.functional.scaled_dot_product_attention(q, q, q).shape
    [1, 2, 3, 4]
    """
    who = "scaled_dot_product_attention"
    query, key, value = (as_tensor(t, who, n) for t, n in ((query, "query"), (key, "key"), (value, "value")))
    for tensor, name in ((query, "query"), (key, "key"), (value, "value")):
        if len(tensor.shape) != 4:
            raise ValueError(f"{who}(): {name} must be [batch, heads, length, size], got shape {list(tensor.shape)}")
    if attn_mask is not None and is_causal:
        raise ValueError(f"{who}(): attn_mask and is_causal exclude each other")
    if not isinstance(dropout_p, (int, float)) or not 0 <= dropout_p <= 1:
        raise ValueError(f"{who}(): dropout_p must be in [0, 1], got {describe(dropout_p)}")
    key, value = same_heads(query, key, value, 1, enable_gqa, who)
    mask = None if attn_mask is None else additive(as_tensor(attn_mask, who, "attn_mask"), numpy_dtype(query))
    scale = query.shape[-1] ** -0.5 if scale is None else float(scale)
    return attend(query, key, value, mask, scale, bool(is_causal), dropout_p, True)[0]


__path__ = []  # a package in Paddle: the paths below it are addresses
__getattr__ = _lookup(__name__)
