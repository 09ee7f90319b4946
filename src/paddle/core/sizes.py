"""How sizes follow from sizes: the arithmetic of shape rules, for Python and for C.

``scripts/capi_sizes.py`` writes these functions down in C (src/capi/sizes.inc), so they keep to what it translates: whole numbers,
lists of them (``Sizes``), ``if``, ``for ... in range``, ``append``, ``insert``, ``raise ValueError``. A size of -1 is one that only
running tells; axes are counted from 0. ``function`` is what messages call the operator, which C says by itself.
"""

from __future__ import annotations

Sizes = list[int]


def product(sizes: Sizes, begin: int, end: int) -> int:
    """The sizes from one axis up to another multiplied; -1 if one is unknown."""
    found = 1
    for i in range(begin, end):
        if sizes[i] == -1:
            return -1
        found *= sizes[i]
    return found


def broadcast(a: Sizes, b: Sizes, function: str) -> Sizes:
    """The shape that two shapes are repeated to."""
    n = max(len(a), len(b))
    out: list[int] = []
    for i in range(n):
        p = a[i + len(a) - n] if i + len(a) >= n else 1
        q = b[i + len(b) - n] if i + len(b) >= n else 1
        if p == q or q == 1 or q == -1 and p != 1:
            out.append(p)
        elif p == 1 or p == -1:
            out.append(q)
        else:
            raise ValueError(f"{function}(): shapes {a} and {b} do not broadcast together")
    return out


def matched(shape: Sizes, ndim: int, axis: int) -> Sizes:
    """The shape of an operator's second operand beside ``ndim`` axes, where files say that its axes are those of the first from
    ``axis`` on (-1: the last ones)."""
    if axis < 0 or len(shape) >= ndim:
        return shape
    count = len(shape)
    while count > 0 and shape[count - 1] == 1 and axis + count > ndim:
        count -= 1
    out: list[int] = []
    for i in range(max(count, ndim - axis)):
        out.append(shape[i] if i < count else 1)
    return out


def reduced(shape: Sizes, axes: Sizes, keepdim: bool) -> Sizes:
    """Without some axes, or with size 1 there."""
    out: list[int] = []
    for i in range(len(shape)):
        if i not in axes:
            out.append(shape[i])
        elif keepdim:
            out.append(1)
    return out


def reshaped(shape: Sizes, given: Sizes) -> Sizes:
    """The sizes that ``given`` means (0: as before, one -1: whatever is left)."""
    size = product(shape, 0, len(shape))
    known = 1
    unknown = -1
    out: list[int] = []
    for i in range(len(given)):
        n = shape[i] if given[i] == 0 and i < len(shape) else given[i]
        if n < -1:
            raise ValueError(f"reshape(): shape {given} has the negative size {n}; only one -1 is allowed")
        if n == -1 and unknown >= 0:
            raise ValueError(f"reshape(): shape {given} has more than one -1")
        if n == -1:
            unknown = i
        else:
            known *= n
        out.append(n)
    if unknown >= 0:
        out[unknown] = size // known if known > 0 else 0
        known *= out[unknown]
    if known != size and size == 0 and 0 in given and -1 not in given:
        return given  # an empty tensor: a 0 means a size of 0 where "as before" doesn't fit
    if known != size:
        raise ValueError(f"reshape(): x {shape} has {size} elements, which do not fit the shape {given}")
    return out


def flattened(shape: Sizes, start: int, stop: int) -> Sizes:
    """A range of axes is one; no axes are one, too."""
    if len(shape) == 0:
        return [1]
    out: list[int] = []
    for i in range(start):
        out.append(shape[i])
    out.append(product(shape, start, stop + 1))
    for i in range(stop + 1, len(shape)):
        out.append(shape[i])
    return out


def as_matrix(shape: Sizes, axis: int) -> Sizes:
    """The axes before one are the rows."""
    return [product(shape, 0, axis), product(shape, axis, len(shape))]


def squeezed(shape: Sizes, axes: Sizes, every: bool) -> Sizes:
    """Axes of size 1 go, these or every one; one of unknown size that is named is taken to be 1, as Paddle does."""
    out: list[int] = []
    for i in range(len(shape)):
        gone = shape[i] == 1 if every else i in axes and (shape[i] == 1 or shape[i] == -1)
        if not gone:
            out.append(shape[i])
    return out


def transposed(shape: Sizes, axes: Sizes) -> Sizes:
    """The sizes in another order."""
    out: list[int] = []
    for i in range(len(axes)):
        out.append(shape[axes[i]])
    return out


def expanded(shape: Sizes, given: Sizes, function: str) -> Sizes:
    """What an array of this shape is repeated to; -1 and -2 keep a size."""
    extra = len(given) - len(shape)
    if extra < 0:
        raise ValueError(f"{function}(): shape {given} has fewer axes than x {shape}")
    out: list[int] = []
    for i in range(len(given)):
        old = shape[i - extra] if i >= extra else 1
        keep = i >= extra and (given[i] == -1 or given[i] == -2)
        n = old if keep else given[i]
        if n < 0 and old != -1 or old != 1 and old != -1 and old != n:
            raise ValueError(f"{function}(): x {shape} can't be repeated to shape {given}")
        out.append(n)
    return out


def tiled(shape: Sizes, times: Sizes) -> Sizes:
    """Sizes are multiplied, from the last axis on; -1 times: only running tells."""
    n = max(len(shape), len(times))
    out: list[int] = []
    for i in range(n):
        old = shape[i + len(shape) - n] if i + len(shape) >= n else 1
        by = times[i + len(times) - n] if i + len(times) >= n else 1
        out.append(-1 if old < 0 or by < 0 else old * by)
    return out


def joined(a: Sizes, b: Sizes, axis: int) -> Sizes:
    """Sizes add up along the axis and agree elsewhere."""
    if len(a) != len(b):
        raise ValueError(f"concat(): tensors of shapes {a} and {b} can't be joined")
    out: list[int] = []
    for i in range(len(a)):
        if i == axis:
            out.append(-1 if a[i] < 0 or b[i] < 0 else a[i] + b[i])
        elif a[i] == b[i] or b[i] == -1:
            out.append(a[i])
        elif a[i] == -1:
            out.append(b[i])
        else:
            raise ValueError(f"concat(): tensors of shapes {a} and {b} can't be joined along axis {axis}")
    return out


def padded(shape: Sizes, before: Sizes, after: Sizes) -> Sizes:
    """So many more before and behind each axis."""
    out: list[int] = []
    for i in range(len(shape)):
        out.append(-1 if shape[i] == -1 else shape[i] + before[i] + after[i])
    return out


def with_axis(shape: Sizes, axis: int, size: int) -> Sizes:
    """A new axis in front of one."""
    out: list[int] = []
    for i in range(len(shape) + 1):
        if i == axis:
            out.append(size)
        if i < len(shape):
            out.append(shape[i])
    return out


def with_size(shape: Sizes, axis: int, size: int) -> Sizes:
    """Another size along an axis."""
    out: list[int] = []
    for i in range(len(shape)):
        out.append(size if i == axis else shape[i])
    return out


def slice_begin(size: int, start: int, stride: int) -> int:
    """The first place of a slice; negative numbers count from the end."""
    n = start + size if start < 0 else start
    if stride > 0:
        return min(max(n, 0), size)
    return min(max(n, -1), size - 1)


def slice_end(start: int, end: int, one: bool) -> int:
    """Where a slice ends. From -1 to 0 is the last place if one place is meant: ``x[i]`` is written as i:i + 1."""
    return 2147483647 if one and start == -1 and end == 0 else end


def slice_length(size: int, start: int, end: int, stride: int) -> int:
    """How many places a slice has. Going back, files mean "with the first one" by an end of -1."""
    begin = slice_begin(size, start, stride)
    last = -1 if stride < 0 and end == -1 else slice_begin(size, end, stride)
    if stride > 0:
        return (last - begin + stride - 1) // stride if last > begin else 0
    return (begin - last - stride - 1) // -stride if begin > last else 0


def multiplied(a: Sizes, b: Sizes, transpose_x: bool, transpose_y: bool, function: str) -> Sizes:
    """The matrix product of the last axes; batches in front are broadcast, a vector's axis goes."""
    rows = a[len(a) - 1 if transpose_x else len(a) - 2] if len(a) > 1 else 1
    inner = a[len(a) - 2 if transpose_x and len(a) > 1 else len(a) - 1]
    other = b[len(b) - 1 if transpose_y or len(b) == 1 else len(b) - 2]
    columns = b[len(b) - 2 if transpose_y else len(b) - 1] if len(b) > 1 else 1
    if inner != other and inner != -1 and other != -1:
        raise ValueError(f"{function}(): inner sizes differ: x {a} and y {b} ({inner} vs {other})")
    left: list[int] = []
    right: list[int] = []
    for i in range(len(a) - 2):
        left.append(a[i])
    for i in range(len(b) - 2):
        right.append(b[i])
    out = broadcast(left, right, function)
    if len(a) > 1:
        out.append(rows)
    if len(b) > 1:
        out.append(columns)
    return out


def flat_product(x: Sizes, y: Sizes, x_columns: int, y_columns: int) -> Sizes:
    """The product of operands seen as matrices: the axes of x before ``x_columns``, those of y from ``y_columns`` on."""
    out: list[int] = []
    for i in range(x_columns):
        out.append(x[i])
    for i in range(y_columns, len(y)):
        out.append(y[i])
    return out


def window_count(size: int, kernel: int, stride: int, before: int, after: int, dilation: int) -> int:
    """Positions of a window along one axis."""
    room = size + before + after - dilation * (kernel - 1) - 1
    return room // stride + 1


def behind_end(size: int, kernel: int, stride: int, before: int, after: int, dilation: int) -> int:
    """Zeros behind an axis for the only window of a convolution that goes beyond its end by less than a stride: Paddle divides
    towards zero. 0 where a window fits, and where none is meant."""
    room = size + before + after - dilation * (kernel - 1) - 1
    return -room if room < 0 and room + stride > 0 else 0


def pool_count(size: int, kernel: int, stride: int, before: int, after: int, ceil: bool) -> int:
    """Windows of a pool along one axis. One that is larger than what there is counts if it goes beyond the end by less than a
    stride, as in ``behind_end``."""
    room = size + before + after - kernel + (stride - 1 if ceil else 0)
    if room < 0:
        return 1 if room + stride > 0 else 0
    return room // stride + 1


def pools_apart(outputs: int, channels: int) -> bool:
    """Is a convolution of so many filters of so many channels quicker without the pooling behind it: in blocks of channels, or by
    Winograd's algorithm?"""
    return outputs >= 32 and (channels <= 8 or channels >= 24)


def same_padding(size: int, kernel: int, stride: int) -> int:
    """All padding of an axis with which there are as many windows as strides fit in; the larger half lies behind."""
    return max(((size + stride - 1) // stride - 1) * stride + kernel - size, 0)


def transposed_count(size: int, kernel: int, stride: int, before: int, after: int, dilation: int, more: int) -> int:
    """The size from which a convolution makes ``size``; ``more``: of those that do, one further on."""
    return (size - 1) * stride - before - after + dilation * (kernel - 1) + 1 + more


def picked(shape: Sizes, index: Sizes, axis: int) -> Sizes:
    """An axis gives way to the axes of its ids."""
    out: list[int] = []
    for i in range(len(shape)):
        if i != axis:
            out.append(shape[i])
        else:
            for k in range(len(index)):
                out.append(index[k])
    return out


def picked_nd(shape: Sizes, index: Sizes) -> Sizes:
    """The last axis of the ids addresses the first axes of x."""
    depth = index[len(index) - 1] if len(index) > 0 else -1
    if depth < 0 or depth > len(shape):
        raise ValueError(f"gather_nd(): ids {index} do not fit x {shape}")
    out: list[int] = []
    for i in range(len(index) - 1):
        out.append(index[i])
    for i in range(depth, len(shape)):
        out.append(shape[i])
    return out


def cropped(shape: Sizes, given: Sizes, offsets: Sizes) -> Sizes:
    """The sizes of a part that begins at ``offsets``; -1 goes to the end."""
    if len(given) != len(shape) or len(offsets) != len(shape):
        raise ValueError(f"crop(): shape {given} and offsets {offsets} must have a number for each axis of x {shape}")
    out: list[int] = []
    for i in range(len(shape)):
        size = given[i] if given[i] != -1 else -1 if shape[i] == -1 else shape[i] - offsets[i]
        if given[i] < -1 or offsets[i] < 0 or shape[i] != -1 and (size < 0 or offsets[i] + size > shape[i]):
            raise ValueError(f"crop(): shape {given} and offsets {offsets} do not fit into x {shape}")
        out.append(size)
    return out


def diagonal_length(rows: int, columns: int, offset: int) -> int:
    """How many elements the diagonal of a matrix has that begins ``offset`` to the right of its corner."""
    if rows == -1 or columns == -1:
        return -1
    return max(min(rows + min(offset, 0), columns - max(offset, 0)), 0)


def on_diagonal(shape: Sizes, offset: int) -> Sizes:
    """The matrix that has a vector on a diagonal, or the diagonal of a matrix."""
    if len(shape) == 2:
        return [diagonal_length(shape[0], shape[1], offset)]
    if len(shape) > 2:
        raise ValueError(f"diag(): x must be 1-d or 2-d, got shape {shape}")
    n = shape[0] if len(shape) == 1 else 1
    size = -1 if n == -1 else n + max(offset, -offset)
    return [size, size]


def anchor_grid(shape: Sizes, boxes: int, flat: bool) -> Sizes:
    """So many boxes of 4 numbers for each cell of a picture [N, C, H, W]: [H, W, boxes, 4], or all of them in one axis."""
    if flat:
        count = -1 if shape[2] == -1 or shape[3] == -1 else shape[2] * shape[3] * boxes
        return [count, 4]
    return [shape[2], shape[3], boxes, 4]


def listed_boxes(shape: Sizes, boxes: int, width: int) -> Sizes:
    """``width`` numbers for each of so many boxes of each cell of pictures [N, C, H, W]: [N, all boxes, width]."""
    count = -1 if shape[2] == -1 or shape[3] == -1 else boxes * shape[2] * shape[3]
    return [shape[0], count, width]


def grid_over(theta: Sizes, given: Sizes) -> Sizes:
    """Places in pictures of the sizes [N, C, ...]: one number for each axis of a place."""
    out: list[int] = []
    out.append(theta[0])
    for i in range(2, len(given)):
        out.append(given[i])
    out.append(len(given) - 2)
    return out
