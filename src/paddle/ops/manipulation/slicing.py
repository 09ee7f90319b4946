"""Hyper-rectangles of a tensor: read (slice, strided_slice, crop) and written (set_value)."""

import builtins

import numpy as np

from ...core import dtype as dtypes
from ...core import engine, sizes
from ...core.op import op
from ...core.sizes import slice_end
from ..arguments import one_axis
from ..families import index as sliced_by
from ..families.index import cropped
from ..families.sharding import indexed, sliced
from ..math.arithmetic import broadcast_to_shape, sum_to
from .creation import dtype_code
from .reshape import convert, ints_of


def region(shape, axes, starts, ends, strides=None, decrease=(), function="slice"):
    """The NumPy index of a hyper-rectangle; axes listed in ``decrease`` are indexed by their start and disappear."""
    if not len(axes) == len(starts) == len(ends) == len(strides if strides is not None else axes):
        raise ValueError(f"{function}(): axes {list(axes)}, starts {list(starts)}, ends {list(ends)} differ in length")
    index = [builtins.slice(None)] * len(shape)
    for k, axis in enumerate(axes):
        a = one_axis(axis, len(shape), function, "axes")
        if a in decrease or axis in decrease:
            index[a] = one_index(starts[k], shape[a], a, function)
            continue
        stride = 1 if strides is None else strides[k]
        if stride == 0:
            raise ValueError(f"{function}(): stride must not be 0 (axis {a})")
        end = None if stride < 0 and ends[k] == -1 else ends[k]  # going back, files mean "with the first one" by -1
        index[a] = builtins.slice(starts[k], end, stride)
    return tuple(index)


def one_index(i, size, axis, function):
    """An int index in [0, size), or IndexError with index and size."""
    if not -size <= i < size:
        raise IndexError(f"{function}(): index {i} is out of range [{-size}, {size}) for axis {axis} of size {size}")
    return i + size if i < 0 else i


@op("basic_get(X) -> Out", family="index", sharding=indexed, rows="sizes", view="2.6", public="Tensor.__getitem__")
def basic_get(x, index=()):
    """x[index] for an index of ints, slices, None and Ellipsis: what eager indexing runs; programs have slice instead."""
    part = x[index]
    if part.__class__ is np.ndarray:
        return part
    return x[(*index, Ellipsis) if index.__class__ is tuple else (index, Ellipsis)]  # an element as an array without axes


if engine.fast is not None:
    basic_get.kernel(noted=False, native=False)(engine.fast.item)


@op("basic_place(G) -> GX", family="index")
def basic_place(g, shape=(), index=()):
    """Zeros of the given shape with g at [index]."""
    out = np.zeros(shape, g.dtype)
    out[index] = g
    return out


basic_get.grad(x=lambda g, x_shape, index: basic_place(g, tuple(x_shape), index))
basic_place.grad(g=lambda g, index: basic_get(g, index))


@op("slice(Input, StartsTensor?, EndsTensor?, StartsTensorList*?, EndsTensorList*?) -> Out", family="index", sharding=sliced,
    rows="axes",
    view="2.6", shapes=sliced_by.slice)
def slice(x, starts_tensor=None, ends_tensor=None, starts_list=None, ends_list=None, axes=(), starts=(), ends=(),
          decrease_axis=(), infer_flags=()):
    """The part start:end of x along the listed axes; those in decrease_axis are dropped."""
    starts, ends = _bounds(starts_tensor, ends_tensor, starts_list, ends_list, starts, ends, infer_flags)
    return x[(*region(x.shape, axes, starts, ends, None, decrease_axis), Ellipsis)]


def _bounds(starts_tensor, ends_tensor, starts_list, ends_list, starts, ends, infer_flags):
    """Starts and ends; an axis whose flag is -1 has them from tensors, and i:i + 1 means one place there."""
    starts, ends = ints_of(starts, starts_tensor, starts_list), ints_of(ends, ends_tensor, ends_list)
    if -1 in infer_flags:
        ends = [slice_end(start, end, flag == -1) for start, end, flag in zip(starts, ends, infer_flags, strict=True)]
    return starts, ends


def _slice_grad(g, x_shape, starts_tensor, ends_tensor, starts_list, ends_list, axes, starts, ends, decrease_axis, infer_flags):
    starts, ends = _bounds(starts_tensor, ends_tensor, starts_list, ends_list, starts, ends, infer_flags)
    return region_place(g, tuple(x_shape), axes, starts, ends, [1] * len(axes), decrease_axis)


slice.grad(x=_slice_grad)


@op("strided_slice(Input, StartsTensor?, StartsTensorList*?, EndsTensor?, EndsTensorList*?, StridesTensor?, "
    "StridesTensorList*?) -> Out", family="index", view="2.6", shapes=sliced_by.strided_slice)
def strided_slice(x, starts_tensor=None, starts_list=None, ends_tensor=None, ends_list=None, strides_tensor=None,
                  strides_list=None, axes=(), starts=(), ends=(), strides=(), decrease_axis=(), infer_flags=()):
    """The part start:end:stride of x along the listed axes; strides may be negative."""
    starts, ends = ints_of(starts, starts_tensor, starts_list), ints_of(ends, ends_tensor, ends_list)
    strides = ints_of(strides, strides_tensor, strides_list)
    return x[(*region(x.shape, axes, starts, ends, strides, decrease_axis, "strided_slice"), Ellipsis)]


def _strided_grad(g, x_shape, starts_tensor, starts_list, ends_tensor, ends_list, strides_tensor, strides_list, axes,
                  starts,
                  ends, strides, decrease_axis):
    return region_place(g, tuple(x_shape), axes, ints_of(starts, starts_tensor, starts_list),
                        ints_of(ends, ends_tensor, ends_list), ints_of(strides, strides_tensor, strides_list),
                        decrease_axis)


strided_slice.grad(x=_strided_grad)


@op("region_place(G) -> GX", family="index")
def region_place(g, shape=(), axes=(), starts=(), ends=(), strides=(), decrease_axis=()):
    """Zeros of the given shape with g in a hyper-rectangle: the gradient of slicing."""
    out = np.zeros(shape, g.dtype)
    out[region(shape, axes, starts, ends, strides, decrease_axis)] = g
    return out


region_place.grad(g=lambda g, axes, starts, ends, strides, decrease_axis: strided_slice(
    g, None, None, None, None, None, None, axes, starts, ends, strides, decrease_axis))


@op("region_clear(G) -> GX", family="same")
def region_clear(g, axes=(), starts=(), ends=(), strides=(), decrease_axis=()):
    """g with zeros in a hyper-rectangle."""
    out = np.array(g, order="C")
    out[region(g.shape, axes, starts, ends, strides, decrease_axis)] = 0
    return out


region_clear.grad(g=lambda g, axes, starts, ends, strides, decrease_axis:
                  region_clear(g, axes, starts, ends, strides, decrease_axis))


def fit(value, shape, function):
    """A value broadcast to the shape of what it is written to; extra leading axes of size 1 are dropped."""
    while value.ndim > len(shape) and value.shape[0] == 1:
        value = value.reshape(value.shape[1:])
    try:
        return np.broadcast_to(value, shape)
    except ValueError:
        raise ValueError(f"{function}(): a value of shape {list(value.shape)} does not fit into {list(shape)}") from None


_OLD_VALUES = ("values", "bool_values", "fp32_values", "fp64_values", "int32_values", "int64_values", "fp16_values")


def _set_value_from_desc(attrs):
    names = ("axes", "starts", "ends", "steps", "decrease_axes", "none_axes", "shape", "dtype")
    found = {k: attrs[k] for k in names if k in attrs}
    found["values"] = next((attrs[k] for k in _OLD_VALUES if attrs.get(k)), ())
    return found


@op("set_value(Input, ValueTensor?, StartsTensorList*?, EndsTensorList*?, StepsTensorList*?) -> Out", family="same",
    to_desc=dtype_code, from_desc=_set_value_from_desc, version=4)
def set_value(x, value=None, starts_list=None, ends_list=None, steps_list=None, axes=(), starts=(), ends=(), steps=(),
              decrease_axes=(), none_axes=(), values=(), shape=(), dtype="float32"):
    """x with a hyper-rectangle replaced by a broadcast value."""
    starts, ends = ints_of(starts, None, starts_list), ints_of(ends, None, ends_list)
    index = region(x.shape, axes, starts, ends, ints_of(steps, None, steps_list), decrease_axes, "set_value")
    if value is None:
        value = np.asarray(list(values), dtypes.to_numpy(dtype)).reshape(tuple(shape))
    out = np.array(x, order="C")
    target = out[index]
    if none_axes:  # positions of None among the axes of the result
        kept = list(target.shape)
        for a in sorted(none_axes):
            kept.insert(a, 1)
        value = fit(value, kept, "set_value").reshape(target.shape)
    out[index] = fit(convert(value, x.dtype), target.shape, "set_value")
    return out


def _kept_grad(g, starts_list, ends_list, steps_list, axes, starts, ends, steps, decrease_axes):
    return region_clear(g, axes, ints_of(starts, None, starts_list), ints_of(ends, None, ends_list),
                        ints_of(steps, None, steps_list), decrease_axes)


def _value_grad(g, value_shape, starts_list, ends_list, steps_list, axes, starts, ends, steps, decrease_axes):
    part = strided_slice(g, None, None, None, None, None, None, axes, ints_of(starts, None, starts_list),
                         ints_of(ends, None, ends_list), ints_of(steps, None, steps_list), decrease_axes)
    return summed_to(part, value_shape)


def summed_to(g, shape):
    """A gradient summed back to the shape of a value that was broadcast (and may have had extra leading axes of size 1)."""
    if 0 in g.shape:  # nothing was written, whatever the value's shape
        return broadcast_to_shape(sum_to(g, ()), tuple(shape))
    extra = len(shape) - len(g.shape)
    if extra > 0:
        return sum_to(g, tuple(shape[extra:])).reshape(list(shape))
    return sum_to(g, tuple(shape)) if tuple(g.shape) != tuple(shape) else g


set_value.grad(x=_kept_grad, value=_value_grad)


@op("crop_tensor(X, Shape?, ShapeTensor*?, Offsets?, OffsetsTensor*?) -> Out", family="index", layer_name="crop_tensor",
    shapes=cropped)
def crop(x, shape_tensor=None, shape_list=None, offsets_tensor=None, offsets_list=None, shape=(), offsets=()):
    """The block of the given shape (-1: up to the end) of x that starts at the given offsets."""
    return x[_cropped(x.shape, ints_of(shape, shape_tensor, shape_list),
                      ints_of(offsets, offsets_tensor, offsets_list))]


def _cropped(full, shape, offsets):
    offsets = list(offsets) or [0] * len(full)
    part = sizes.cropped(list(full), list(shape), offsets)
    return tuple([builtins.slice(start, start + size) for start, size in zip(offsets, part)])


def _crop_grad(g, x_shape, shape_tensor, shape_list, offsets_tensor, offsets_list, shape, offsets):
    index = _cropped(x_shape, ints_of(shape, shape_tensor, shape_list), ints_of(offsets, offsets_tensor, offsets_list))
    return region_place(g, tuple(x_shape), list(range(len(index))), [s.start for s in index], [s.stop for s in index],
                        [1] * len(index), ())


crop.grad(x=_crop_grad)
