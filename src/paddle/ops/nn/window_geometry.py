"""Geometry that convolution and pooling share: sizes, padding, windows."""

import numpy as np
from numpy.lib.stride_tricks import as_strided

from ...core.sizes import behind_end, same_padding, window_count


def channels_last(data_format):
    """Is it NHWC, NDHWC or NLC?"""
    return data_format[-1] == "C" and data_format[1] != "C"


def per_axis(value, n, function, argument, lowest=1):
    """A tuple of n ints from an int or a list of n ints."""
    values = (value,) * n if isinstance(value, (int, np.integer)) else tuple(value)
    if len(values) == 1:
        values *= n
    if len(values) != n or any(not isinstance(v, (int, np.integer)) for v in values):
        raise ValueError(f"{function}(): {argument} must be an int or {n} ints, got {value!r}")
    if any(v < lowest for v in values):
        raise ValueError(f"{function}(): {argument} must be at least {lowest}, got {value!r}")
    return tuple(int(v) for v in values)


def pad_pairs(padding, algorithm, sizes, kernel, stride, function):
    """(before, after) for each spatial axis, from n or 2n numbers or the algorithm SAME (which goes with dilation 1) / VALID."""
    n = len(sizes)
    if algorithm == "VALID":
        return ((0, 0),) * n
    if algorithm == "SAME":
        pairs = []
        for size, k, s in zip(sizes, kernel, stride):
            total = same_padding(size, k, s)
            pairs.append((total // 2, total - total // 2))
        return tuple(pairs)
    values = (padding,) * n if isinstance(padding, (int, np.integer)) else tuple(padding)
    if len(values) == 1:
        values *= n
    if any(not isinstance(v, (int, np.integer)) or v < 0 for v in values) or len(values) not in (n, 2 * n):
        raise ValueError(f"{function}(): padding must be {n} or {2 * n} non-negative ints, got {padding!r}")
    if len(values) == n:
        return tuple((int(v), int(v)) for v in values)
    return tuple((int(values[2 * i]), int(values[2 * i + 1])) for i in range(n))


def reaching_pads(pairs, sizes, kernel, stride, dilation):
    """The pairs, with the zeros that a kernel needs which goes beyond the end by less than a stride."""
    return tuple((a, b + behind_end(n, k, s, a, b, d)) for (a, b), n, k, s, d in zip(pairs, sizes, kernel, stride, dilation))


def flat_pads(pairs):
    """((t, b), (l, r)) -> (t, b, l, r), the form the kernels take."""
    return tuple(v for pair in pairs for v in pair)


def out_size(size, k, s, pair, d=1):
    """Number of window positions along one axis."""
    return window_count(size, k, s, *pair, d)


def pad_spatial(x, pairs, value=0):
    """x padded on its last axes."""
    if not any(a or b for a, b in pairs):
        return x
    return np.pad(x, ((0, 0),) * (x.ndim - len(pairs)) + tuple(pairs), constant_values=value)


def windows(x, kernel, stride, dilation, outs):
    """View [N, C, *outs, *kernel] of a padded x [N, C, *spatial] (no copy)."""
    n = len(kernel)
    strides = x.strides[:-n]
    steps = x.strides[-n:]
    return as_strided(x, x.shape[:-n] + tuple(outs) + tuple(kernel),
                      strides + tuple(s * q for s, q in zip(steps, stride)) + tuple(s * d for s, d in zip(steps, dilation)),
                      writeable=False)


def window_slices(offset, stride, dilation, outs):
    """Slices of the padded input that the kernel cell ``offset`` meets, one per spatial axis."""
    return tuple(slice(o * d, o * d + (m - 1) * s + 1, s) for o, d, s, m in zip(offset, dilation, stride, outs))
