"""Layers over packed sequences (LoD): inputs are Variables with sequence lengths, from ``data(..., lod_level=1)``."""

from ...nn.activations import activate
from ...nn.initializer import XavierUniform
from ...ops.sequence import sequence_ops
from ..program import lod
from .parameters import Parameters

__all__ = ["sequence_conv", "sequence_softmax", "sequence_pool", "sequence_concat", "sequence_first_step", "sequence_last_step",
           "sequence_slice", "sequence_expand", "sequence_expand_as", "sequence_pad", "sequence_unpad", "sequence_reshape",
           "sequence_scatter", "sequence_enumerate", "sequence_reverse"]


def sequence_conv(input, num_filters, filter_size=3, filter_stride=1, padding=True, padding_start=None, bias_attr=None,
                  param_attr=None, act=None, name=None):
    """Convolution along each sequence, zeros beyond its ends, with a new filter and bias.

    Args:
        filter_stride: only 1.
        padding: of no effect: sequences keep their lengths.
        padding_start: first row of the window, relative to the row itself; the window is centred for None.
    """
    lod.need(input, "sequence_conv")
    if filter_stride != 1:
        raise ValueError(f"sequence_conv(): filter_stride must be 1, got {filter_stride}")
    with Parameters("sequence_conv", name, input.dtype) as make:
        w = make(param_attr, [filter_size * input.shape[1], num_filters], default=XavierUniform())
        start = -int(filter_size // 2) if padding_start is None else int(padding_start)
        out = sequence_ops.sequence_conv(input, None, w, context_length=int(filter_size), context_start=start)
        b = make(bias_attr, [num_filters], is_bias=True)
        return activate(out if b is None else out + b, act, "sequence_conv")


def sequence_softmax(input, use_cudnn=False, name=None):
    """Softmax over the rows of each sequence, [rows, 1] or [rows]."""
    lod.need(input, "sequence_softmax")
    return sequence_ops.sequence_softmax(input)


def sequence_pool(input, pool_type, is_test=False, pad_value=0.0):
    """One row for each sequence.

    Args:
        pool_type: 'average', 'sum', 'sqrt' (sum over the root of the length), 'max', 'first' or 'last'.
        is_test: of no effect.
        pad_value: what an empty sequence gives.
    """
    lod.need(input, "sequence_pool")
    if not isinstance(pool_type, str):
        raise TypeError(f"sequence_pool(): pool_type must be text, got {pool_type!r}")
    return sequence_ops.sequence_pool(input, None, pool_type.upper(), float(pad_value))


def sequence_first_step(input):
    """The first row of each sequence."""
    return sequence_pool(input, "first")


def sequence_last_step(input):
    """The last row of each sequence."""
    return sequence_pool(input, "last")


def sequence_concat(input, name=None):
    """The sequences of several inputs joined: the first ones, then the second ones, and so on."""
    for x in input:
        lod.need(x, "sequence_concat")
    return sequence_ops.sequence_concat(list(input))[0]


def sequence_slice(input, offset, length, name=None):
    """``length`` rows of each sequence from its row ``offset`` on; both are integer tensors [sequences, 1]."""
    lod.need(input, "sequence_slice")
    return sequence_ops.sequence_slice(input, offset, length)[0]


def sequence_expand(x, y, ref_level=-1, name=None):
    """Each sequence of x (each row, if x has no lengths) as often as y has entries there on level ``ref_level``."""
    lod.need(y, "sequence_expand", "y")
    return sequence_ops.sequence_expand(x, y, ref_level=int(ref_level))[0]


def sequence_expand_as(x, y, name=None):
    """Each row of x as often as the sequence of y with its number has rows."""
    lod.need(y, "sequence_expand_as", "y")
    return sequence_ops.sequence_expand_as(x, y)


def sequence_pad(x, pad_value, maxlen=None, name=None):
    """Sequences as [sequences, longest (or maxlen), ...] filled up with a value, and their lengths (int64)."""
    lod.need(x, "sequence_pad", "x")
    return sequence_ops.sequence_pad(x, pad_value, padded_length=-1 if maxlen is None else int(maxlen))


def sequence_unpad(x, length, name=None):
    """The first ``length`` rows of each sequence of x [sequences, longest, ...], packed."""
    return sequence_ops.sequence_unpad(x, length)[0]


def sequence_reshape(input, new_dim):
    """The numbers of each sequence in rows of another width."""
    lod.need(input, "sequence_reshape")
    return sequence_ops.sequence_reshape(input, new_dim=int(new_dim))[0]


def sequence_scatter(input, index, updates, name=None):
    """input with the updates of sequence i added to its row i, at the columns that index names."""
    lod.need(index, "sequence_scatter", "index")
    return sequence_ops.sequence_scatter(input, index, updates)


def sequence_enumerate(input, win_size, pad_value=0, name=None):
    """For each id the ``win_size`` ids from it on, ``pad_value`` beyond the end of its sequence."""
    lod.need(input, "sequence_enumerate")
    return sequence_ops.sequence_enumerate(input, win_size=int(win_size), pad_value=int(pad_value))


def sequence_reverse(x, name=None):
    """Each sequence from its last row to its first."""
    lod.need(x, "sequence_reverse", "x")
    return sequence_ops.sequence_reverse(x)
