"""Joining tensors, taking them apart, repeating them."""

import numpy as np

from ...core.errors import ElementTypeError
from ...core.op import op
from ...core.steps import dense
from ..arguments import one_axis
from ..families import sharding
from ..families.concat import broadcast, joined, mesh, section_sizes, stacked, taken_apart, unstacked
from ..families.reshape import expanded, expanded_as, expanded_shape, tiled
from ..library import by_library
from ..math import reduction as reduce
from ..math.arithmetic import sum_to
from ..short import through_float32
from .reading_order import copied, picking
from .reshape import ints_of


def _axis_of(axis, axis_tensor):
    return axis if axis_tensor is None else ints_of(None, axis_tensor)[0]


def _check_one_dtype(arrays, function):
    if not arrays:
        raise ValueError(f"{function}(): x must be a list of at least one tensor, got []")
    first = arrays[0].dtype
    for a in arrays:
        if a.dtype != first:
            raise ElementTypeError(f"{function}(): all tensors must have one dtype, got {first.name} and {a.dtype.name}")


@op("concat(X*, AxisTensor?) -> Out", family="concat", sharding=sharding.joined, rows="axes", shapes=joined)
def concat(x, axis_tensor=None, axis=0):
    """The tensors of x joined along an axis."""
    _check_one_dtype(x, "concat")
    ndim = x[0].ndim
    if ndim == 0:
        raise ValueError("0-d tensors can't be joined; use stack")
    a = one_axis(_axis_of(axis, axis_tensor), ndim, "concat")
    for i, other in enumerate(x):
        if other.ndim != ndim or any(m != n for k, (m, n) in enumerate(zip(x[0].shape, other.shape)) if k != a):
            raise ValueError(f"x[0] {list(x[0].shape)} and x[{i}] {list(other.shape)} differ in more than axis {a}")
    return np.concatenate(x, a)


@concat.kernel(when=lambda x, axis_tensor, axis: axis_tensor is None and x and all(a.ndim for a in x), noted=False)
def _(k, x, axis_tensor, axis):
    shape, dtype, a = x[0].shape, x[0].dtype, one_axis(axis, x[0].ndim, "concat")
    if any(y.dtype != dtype or y.shape[:a] != shape[:a] or y.shape[a + 1:] != shape[a + 1:] for y in x):
        return NotImplemented  # the reference says which one is wrong
    return k.concat([dense(y) for y in x], a)


def _unconcat(g, x_shape, axis_tensor, axis):
    a = one_axis(_axis_of(axis, axis_tensor), len(g.shape), "concat")
    return split(g, None, None, [s[a] for s in x_shape], 0, a)


concat.grad(x=_unconcat)


@op("split(X, AxisTensor?, SectionsTensorList*?) -> Out*", family="concat", sharding=sharding.taken_apart, rows="axes",
    shapes=taken_apart)
def split(x, axis_tensor=None, sections_list=None, sections=(), num=0, axis=0):
    """x split along an axis: ``num`` equal parts, or parts of the sizes in ``sections`` (one may be -1)."""
    if x.ndim == 0:
        raise ValueError("a 0-d tensor can't be split")
    a = one_axis(_axis_of(axis, axis_tensor), x.ndim, "split")
    sizes = section_sizes(x.shape[a], ints_of(sections, None, sections_list), num)
    before, parts, start = (slice(None),) * a, [], 0
    for n in sizes:
        parts.append(x[(*before, slice(start, start + n))])
        start += n
    return parts


split.grad(x=lambda g, axis_tensor, axis: concat(list(g), axis_tensor, axis))


@op("stack(X*) -> Y", family="concat", sharding=sharding.stacked, shapes=stacked)
def stack(x, axis=0):
    """Tensors of one shape joined along a new axis."""
    _check_one_dtype(x, "stack")
    for i, other in enumerate(x):
        if other.shape != x[0].shape:
            raise ValueError(f"shapes differ: x[0] {list(x[0].shape)} and x[{i}] {list(other.shape)}")
    return np.stack(x, one_axis(axis, x[0].ndim + 1, "stack"))


@stack.kernel(when=lambda x, axis: x and all(a.shape == x[0].shape and a.dtype == x[0].dtype for a in x), noted=False)
def _(k, x, axis):
    a, shape = one_axis(axis, x[0].ndim + 1, "stack"), x[0].shape
    return k.concat([dense(y).reshape(*shape[:a], 1, *shape[a:]) for y in x], a)


def _apart(x, axis, function):
    if x.ndim == 0:
        raise ValueError(f"{function}(): a 0-d tensor has no axis to split")
    before = (slice(None),) * one_axis(axis, x.ndim, function)
    return [x[(*before, i, Ellipsis)] for i in range(x.shape[len(before)])]


@op("unstack(X) -> Y*", family="concat", sharding=sharding.taken_apart, shapes=unstacked)
def unstack(x, axis=0, num=0):
    """The slices of x along an axis, without that axis."""
    parts = _apart(x, axis, "unstack")
    if num and num != len(parts):
        raise ValueError(f"num is {num} but axis {axis} of x {list(x.shape)} has size {len(parts)}")
    return parts


@op("unbind(X) -> Out*", family="concat", sharding=sharding.taken_apart, rows="axes", view="2.6", shapes=unstacked)
def unbind(x, axis=0):
    """The slices of x along an axis, without that axis."""
    return _apart(x, axis, "unbind")


stack.grad(x=lambda g, x_shape, axis: unstack(g, axis, len(x_shape)))
unstack.grad(x=lambda g, axis: stack(list(g), axis))
unbind.grad(x=lambda g, axis: stack(list(g), axis))


@op("tile(X, RepeatTimes?, repeat_times_tensor*?) -> Out", family="reshape", rows="times",
    shapes=tiled)
def tile(x, times_tensor=None, times_list=None, repeat_times=()):
    """x repeated as a whole, the given number of times along each axis (aligned at the last)."""
    times = ints_of(repeat_times, times_tensor, times_list)
    if any(n < 0 for n in times):
        raise ValueError(f"repeat_times must not be negative, got {list(times)}")
    return np.tile(x, times)


def _repeated_view(x, sizes, times):
    """x [a, b, ...] as [t0, a, t1, b, ...], every element read as often as it is wanted."""
    view = x.reshape([n for size in sizes for n in (1, size)])
    return np.broadcast_to(view, [n for pair in zip(times, sizes) for n in pair])


@tile.kernel(when=lambda x, times_tensor, times_list, repeat_times: times_tensor is None and not times_list, noted=False)
def _(k, x, times_tensor, times_list, repeat_times):
    if min(repeat_times, default=1) < 0:
        return NotImplemented
    width = max(x.ndim, len(repeat_times))
    times = [1] * (width - len(repeat_times)) + list(repeat_times)
    sizes = [1] * (width - x.ndim) + list(x.shape)
    if not x.size or all(n == 1 for n in times) or 2 * width > 32:  # the view would be x itself; so many axes no array may have
        return NotImplemented
    out = k.contiguous(_repeated_view(x, sizes, times))
    return out if out is NotImplemented else out.reshape([t * n for t, n in zip(times, sizes)])


@op("tile_sum(G) -> GX", family="reshape")
def tile_sum(g, times=(), shape=()):
    """The copies that tile had made of a tensor of the given shape (of as many axes as g) added up."""
    pairs = [n for pair in zip(times, shape) for n in pair]
    return g.reshape(pairs).sum(tuple(range(0, len(pairs), 2)), dtype=g.dtype)


@tile_sum.kernel(when=lambda g, times, shape: g.dtype.char in "fd" and g.size and shape, noted=False)
def _(k, g, times, shape):
    return k.remap_back(dense(g), tuple([copied(n, t) if t > 1 else None for n, t in zip(shape, times)]), shape)


tile_sum.grad(g=lambda g, times: tile(g, None, None, times))


def untile(g, x_shape, times_tensor, times_list, repeat_times):
    """Sum over the copies."""
    times = list(ints_of(repeat_times, times_tensor, times_list))
    shape = [1] * (len(times) - len(x_shape)) + list(x_shape)
    times = [1] * (len(shape) - len(times)) + times
    return tile_sum(g, times, shape).reshape(list(x_shape)) if shape else g


tile.grad(x=untile)


@op("expand_v2(X, Shape?, expand_shapes_tensor*?) -> Out", family="reshape", sharding=sharding.repeated, shapes=expanded)
def expand(x, shape_tensor=None, shape_list=None, shape=()):
    """x repeated along its axes of size 1, and along new first axes, to the given shape (-1 keeps a size)."""
    given = ints_of(shape, shape_tensor, shape_list)
    return np.array(np.broadcast_to(x, expanded_shape(x.shape, given, "expand")))


@expand.kernel(when=lambda x, shape_tensor, shape_list, shape: shape_tensor is None and not shape_list, noted=False)
def _(k, x, shape_tensor, shape_list, shape):
    return _spread(k, x, expanded_shape(x.shape, shape, "expand"))


def _spread(k, x, shape):
    view = np.broadcast_to(x, shape)
    return k.contiguous(view) if view.size != x.size else NotImplemented  # of the same elements a copy is wanted too


expand.grad(x=lambda g, x_shape: sum_to(g, x_shape))


@op("expand_as_v2(X, Y?) -> Out", family="reshape", shapes=expanded_as)
def expand_as(x, y=None, target_shape=()):
    """x repeated to the shape of y."""
    shape = target_shape if y is None else y.shape
    return np.array(np.broadcast_to(x, expanded_shape(x.shape, shape, "expand_as")))


@expand_as.kernel(noted=False)
def _(k, x, y, target_shape):
    return _spread(k, x, expanded_shape(x.shape, target_shape if y is None else y.shape, "expand_as"))


expand_as.grad(x=lambda g, x_shape: sum_to(g, x_shape))


@op("broadcast_tensors(X*) -> Out*", family="concat", shapes=broadcast)
def broadcast_tensors(x):
    """All tensors repeated to their common shape."""
    _check_one_dtype(x, "broadcast_tensors")
    try:
        shape = np.broadcast_shapes(*[a.shape for a in x])
    except ValueError:
        raise ValueError(f"shapes {[list(a.shape) for a in x]} do not broadcast together") from None
    return [np.array(np.broadcast_to(a, shape)) for a in x]


broadcast_tensors.grad(x=lambda g, x_shape: [sum_to(gi, s) for gi, s in zip(g, x_shape)])


@op("meshgrid(X*) -> Out*", family="concat", shapes=mesh)
def meshgrid(x):
    """Coordinate grids: output k repeats the vector x[k] along all other axes."""
    if any(a.ndim > 1 for a in x):
        raise ValueError(f"each tensor must be 0-d or 1-d, got shapes {[list(a.shape) for a in x]}")
    return list(np.meshgrid(*x, indexing="ij"))


def _unmesh(g, x_shape):
    return [reduce.sum(gi, tuple([a for a in range(len(g)) if a != k])).reshape(list(s))
            if len(g) > 1 else gi.reshape(list(s)) for k, (gi, s) in enumerate(zip(g, x_shape))]


meshgrid.grad(x=_unmesh)


def _repeats(repeats, repeats_tensor, size):
    counts = repeats if repeats_tensor is None else np.ravel(repeats_tensor)
    if np.ndim(counts) and len(counts) not in (1, size):
        raise ValueError(f"repeats has {len(counts)} numbers for an axis of size {size}")
    if np.size(counts) and np.min(counts) < 0:
        raise ValueError(f"repeats must not be negative, got {int(np.min(counts))}")
    return np.broadcast_to(counts, (size,))


def _repeated(x, repeats_tensor, repeats, axis):
    x = x if x.shape else x.like((1,))
    a = one_axis(axis, len(x.shape), "repeat_interleave")
    counts = repeats if repeats_tensor is None else repeats_tensor.known
    if counts is None or x.shape[a] < 0:
        size = -1
    else:
        size = int(np.sum(counts)) if np.size(counts) > 1 else x.shape[a] * int(np.ravel(counts)[0])
    return x.like((*x.shape[:a], size, *x.shape[a + 1:]))


@op("repeat_interleave(X, RepeatsTensor?) -> Out", family="dynamic", repeats="Repeats", axis="dim", shapes=_repeated)
def repeat_interleave(x, repeats_tensor=None, repeats=1, axis=0):
    """Each slice of x along an axis repeated, all equally often or as often as the tensor of counts says."""
    a = one_axis(axis, x.ndim, "repeat_interleave")
    if x.ndim == 0:
        x = x.reshape(1)
    return np.repeat(x, _repeats(repeats, repeats_tensor, x.shape[a]), a)


by_library(repeat_interleave)


@op("repeat_interleave_sum(G, RepeatsTensor?) -> GX", family="dynamic")
def repeat_interleave_sum(g, repeats_tensor=None, repeats=1, axis=0, shape=()):
    """The slices of g added up over the repetitions that repeat_interleave had made."""
    a = one_axis(axis, len(shape), "repeat_interleave")
    counts = _repeats(repeats, repeats_tensor, shape[a] if shape else 1)
    out = np.zeros(shape or (1,), g.dtype)
    if g.size:
        # reduceat can't skip empty groups, so only slices that were repeated at all take part
        some = np.flatnonzero(counts)
        starts = (np.cumsum(counts) - counts)[some]
        out[(slice(None),) * a + (some,)] = np.add.reduceat(g, starts, a)
    return out.reshape(shape)


@repeat_interleave_sum.kernel(when=lambda g, repeats_tensor, repeats, axis, shape: g.dtype.char in "fd" and g.size and shape,
                              noted=False)
def _(k, g, repeats_tensor, repeats, axis, shape):
    a = one_axis(axis, len(shape), "repeat_interleave")
    ids = np.repeat(np.arange(shape[a]), _repeats(repeats, repeats_tensor, shape[a]))
    return k.remap_back(dense(g), picking(len(shape), a, ids), shape)


repeat_interleave.grad(x=lambda g, repeats_tensor, repeats, axis, x_shape:
                       repeat_interleave_sum(g, repeats_tensor, repeats, axis, tuple(x_shape)))
repeat_interleave_sum.grad(g=lambda g, repeats_tensor, repeats, axis:
                           repeat_interleave(g, repeats_tensor, repeats, axis))


through_float32(repeat_interleave_sum, tile_sum)
