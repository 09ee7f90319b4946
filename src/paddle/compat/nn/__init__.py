"""Layers of Paddle's names with PyTorch's arguments, parameters and defaults."""

from ...core import place as places
from ...nn import Layer, ParamAttr
from ...nn import functional as F
from ...nn.functional import vision
from ...nn.functional.attention import additive, attend
from ...nn.initializer import Constant, Uniform, XavierNormal, XavierUniform
from ...tensor.convert import as_tensor, numpy_dtype
from ...tensor.creation import zeros
from ...tensor.joining import concat
from . import functional

__all__ = ["AvgPool1D", "AvgPool1d", "AvgPool2D", "AvgPool2d", "AvgPool3D", "AvgPool3d", "Linear", "MultiheadAttention", "Softmax",
           "Unfold"]


class _AvgPool(Layer):
    """Means of windows; those of the padding count as zeros unless ``count_include_pad`` is False."""

    def __init__(self, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True):
        super().__init__()
        self.kernel_size, self.stride, self.padding = kernel_size, kernel_size if stride is None else stride, padding
        self.ceil_mode, self.count_include_pad = ceil_mode, count_include_pad

    def extra_repr(self):
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AvgPool1D(_AvgPool):
    """Means of windows of [batch, channels, length] or [channels, length].

    >>> paddle.compat.nn.AvgPool1D(2)(paddle.to_tensor([[[1., 3., 5., 7.]]])).tolist()
    [[[2.0, 6.0]]]
    """

    def forward(self, input):
        return _batched(input, 1, lambda x: F.avg_pool1d(x, self.kernel_size, self.stride, self.padding, not self.count_include_pad,
                                                         self.ceil_mode))


class AvgPool2D(_AvgPool):
    """Means of windows of [batch, channels, height, width] or [channels, height, width].

    >>> paddle.compat.nn.AvgPool2D(2)(paddle.ones([1, 1, 4, 4])).shape
    [1, 1, 2, 2]
    """

    _axes, _pool = 2, staticmethod(F.avg_pool2d)

    def __init__(self, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None):
        super().__init__(kernel_size, stride, padding, ceil_mode, count_include_pad)
        self.divisor_override = divisor_override

    def forward(self, input):
        return _batched(input, self._axes, lambda x: self._pool(x, self.kernel_size, self.stride, self.padding, self.ceil_mode,
                                                                not self.count_include_pad, self.divisor_override))


class AvgPool3D(AvgPool2D):
    """Means of windows of [batch, channels, depth, height, width], or of one without a batch.

    >>> paddle.compat.nn.AvgPool3D(2)(paddle.ones([1, 1, 4, 4, 4])).shape
    [1, 1, 2, 2, 2]
    """

    _axes, _pool = 3, staticmethod(F.avg_pool3d)


AvgPool1d, AvgPool2d, AvgPool3d = AvgPool1D, AvgPool2D, AvgPool3D


def _batched(input, axes, pool):
    """The pool of a batch, or of one sample without the axis of the batch."""
    x = as_tensor(input, "avg_pool", "input")
    return pool(x.unsqueeze(0)).squeeze(0) if len(x.shape) == axes + 1 else pool(x)


class Linear(Layer):
    """y = x @ weight^T + bias, with weight [out_features, in_features], both uniform up to 1 / sqrt(in_features).

    >>> layer = paddle.compat.nn.Linear(3, 2)
    >>> layer.weight.shape, layer(paddle.ones([4, 3])).shape
    ([2, 3], [4, 2])
    """

    def __init__(self, in_features, out_features, bias=True, device=None, dtype=None):
        super().__init__()
        if device is not None:
            places.convert(device, "Linear")
        self.in_features, self.out_features = in_features, out_features
        bound = in_features ** -0.5 if in_features else 0.0
        start = ParamAttr(initializer=Uniform(-bound, bound))
        self.weight = self.create_parameter([out_features, in_features], start, dtype)
        self.bias = self.create_parameter([out_features], start, dtype, is_bias=True) if bias else None

    def forward(self, input):
        return functional.linear(input, self.weight, self.bias)

    def extra_repr(self):
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"


class Softmax(Layer):
    """Softmax along ``dim``; without one as compat.nn.functional.softmax chooses.

    >>> paddle.compat.nn.Softmax(-1)(paddle.zeros([2])).tolist()
    [0.5, 0.5]
    """

    def __init__(self, dim=None):
        super().__init__()
        self.dim = dim

    def forward(self, input):
        return functional.softmax(input, self.dim)

    def extra_repr(self):
        return f"dim={self.dim}"


class Unfold(Layer):
    """The patches of [batch, channels, height, width] as columns.

    >>> paddle.compat.nn.Unfold(2)(paddle.ones([1, 2, 3, 3])).shape
    [1, 8, 4]
    """

    def __init__(self, kernel_size, dilation=1, padding=0, stride=1):
        super().__init__()
        self.kernel_size, self.dilation, self.padding, self.stride = kernel_size, dilation, padding, stride

    def forward(self, input):
        return functional.unfold(input, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self):
        return f"kernel_size={self.kernel_size}, dilation={self.dilation}, padding={self.padding}, stride={self.stride}"


class MultiheadAttention(Layer):
    """Attention of several heads, with PyTorch's parameters: in_proj_weight [3 embed_dim, embed_dim] where key and value have the
    size of the query, else one matrix each; inputs are [length, batch, size] unless ``batch_first``.

    >>> layer = paddle.compat.nn.MultiheadAttention(4, 2, batch_first=True)
    >>> x = paddle.ones([1, 3, 4])
    >>> [t.shape for t in layer(x, x, x)]
    [[1, 3, 4], [1, 3, 3]]
    """

    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True, add_bias_kv=False, add_zero_attn=False, kdim=None, vdim=None,
                 batch_first=False, device=None, dtype=None):
        super().__init__()
        if embed_dim <= 0 or num_heads <= 0 or embed_dim % num_heads:
            raise ValueError(f"MultiheadAttention(): embed_dim must be a multiple of num_heads, got {embed_dim} and {num_heads}")
        self.embed_dim, self.num_heads, self.dropout, self.batch_first = embed_dim, num_heads, dropout, batch_first
        self.kdim, self.vdim = kdim or embed_dim, vdim or embed_dim
        self.head_dim, self.add_zero_attn = embed_dim // num_heads, add_zero_attn
        self._same_sizes = self.kdim == self.vdim == embed_dim
        spread, none = ParamAttr(initializer=XavierUniform()), ParamAttr(initializer=Constant(0.0))
        if self._same_sizes:
            self.in_proj_weight = self.create_parameter([3 * embed_dim, embed_dim], spread, dtype)
        else:
            for name, size in (("q", embed_dim), ("k", self.kdim), ("v", self.vdim)):
                setattr(self, f"{name}_proj_weight", self.create_parameter([embed_dim, size], spread, dtype))
        self.in_proj_bias = self.create_parameter([3 * embed_dim], none, dtype, is_bias=True) if bias else None
        self.out_proj = Linear(embed_dim, embed_dim, bias, device, dtype)
        if bias:
            self.out_proj.bias.set_value(zeros([embed_dim], dtype or self._dtype))
        further = ParamAttr(initializer=XavierNormal())
        self.bias_k = self.create_parameter([1, 1, embed_dim], further, dtype) if add_bias_kv else None
        self.bias_v = self.create_parameter([1, 1, embed_dim], further, dtype) if add_bias_kv else None

    def _projected(self, inputs):
        """Query, key and value behind their matrices."""
        weights = self.in_proj_weight.chunk(3) if self._same_sizes else (self.q_proj_weight, self.k_proj_weight, self.v_proj_weight)
        biases = (None,) * 3 if self.in_proj_bias is None else self.in_proj_bias.chunk(3)
        return [functional.linear(*one) for one in zip(inputs, weights, biases)]

    def _heads(self, x):
        batch, length = x.shape[:2]
        return x.reshape([batch, length, self.num_heads, self.head_dim]).transpose([0, 2, 1, 3])

    def forward(self, query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None, average_attn_weights=True,
                is_causal=False):
        """(attention, weights or None).

        Args:
            key_padding_mask: [batch, keys], True (or a number to add) where a key is not looked at.
            attn_mask: [queries, keys] or [batch * heads, queries, keys], True (or a number to add) where a query does not look.
            is_causal: says that attn_mask is the causal one, which must be given.
        """
        if is_causal and attn_mask is None:
            raise ValueError("MultiheadAttention(): is_causal needs attn_mask too, it only says what that is")
        inputs = [as_tensor(t, "MultiheadAttention", n) for t, n in ((query, "query"), (key, "key"), (value, "value"))]
        single = len(inputs[0].shape) == 2
        if single:
            inputs = [t.unsqueeze(0) for t in inputs]
        elif not self.batch_first:
            inputs = [t.transpose([1, 0, 2]) for t in inputs]
        q, k, v = self._projected(inputs)
        mask = self._mask(key_padding_mask, attn_mask, q, single)
        k, v, mask = self._extended(k, v, mask)
        heads = map(self._heads, (q, k, v))
        out, share = attend(*heads, mask, self.head_dim ** -0.5, False, self.dropout, self.training, need_weights)
        out = self.out_proj(out.transpose([0, 2, 1, 3]).reshape([q.shape[0], q.shape[1], self.embed_dim]))
        if share is not None and average_attn_weights:
            share = share.mean(1)
        if single:
            return out.squeeze(0), None if share is None else share.squeeze(0)
        return out if self.batch_first else out.transpose([1, 0, 2]), share

    def _mask(self, padding, mask, query, single):
        """Both masks as one to add to the scores, or None."""
        dtype, total = numpy_dtype(query), None
        if padding is not None:
            padding = _hiding(as_tensor(padding, "MultiheadAttention", "key_padding_mask"), dtype)
            total = padding.unsqueeze([0, 1, 2] if single else [1, 2])
        if mask is not None:
            mask = _hiding(as_tensor(mask, "MultiheadAttention", "attn_mask"), dtype)
            if len(mask.shape) == 3:
                mask = mask.reshape([query.shape[0], self.num_heads, *mask.shape[1:]])
            total = mask if total is None else total + mask
        return total

    def _extended(self, key, value, mask):
        """Keys and values with those of add_bias_kv and add_zero_attn behind them, and a mask that shows them."""
        further = []
        if self.bias_k is not None:
            further.append([t.expand([key.shape[0], 1, self.embed_dim]) for t in (self.bias_k, self.bias_v)])
        if self.add_zero_attn:
            further.append([zeros([key.shape[0], 1, self.embed_dim], key.dtype)] * 2)
        for k, v in further:
            key, value = concat([key, k], 1), concat([value, v], 1)
            mask = None if mask is None else vision.pad(mask, pad=[0, 0] * (len(mask.shape) - 1) + [0, 1])
        return key, value, mask


def _hiding(mask, dtype):
    """PyTorch's mask (True: may not look) as one to add."""
    return additive(mask.logical_not(), dtype) if numpy_dtype(mask).kind == "b" else additive(mask.astype(dtype), dtype)
