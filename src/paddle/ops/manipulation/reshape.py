"""Rearranging the elements of one tensor: shape, axes, order, element type."""

import math

import numpy as np

from ...core import dtype as dtypes
from ...core.errors import ElementTypeError
from ...core.op import op
from ...core.steps import dense
from ..arguments import axis_tuple, one_axis
from ..families.reshape import as_matrix, flattened, full_shape, reshaped, squeezed, transposed, unsqueezed
from ..families.sharding import along, converted, permuted, rearranged
from ..short import LETTERS, is_short, narrow, widen
from .reading_order import nothing, rolled, turned


def ints_of(attribute, tensor=None, tensors=None):
    """The integers an op was given: by a tensor, by a list of one-element tensors, or by its attribute."""
    if tensor is not None:
        return [int(v) for v in np.ravel(np.asarray(tensor))]
    if tensors:
        return [int(np.asarray(t).reshape(())) for t in tensors]
    return attribute


@op("reshape2(X, Shape?, ShapeTensor*?) -> Out, XShape?", family="reshape", layer_name="reshape2",
    sharding=rearranged, rows="sizes", view="2.0",
    shapes=reshaped)
def reshape(x, shape_tensor=None, shape_list=None, shape=()):
    """The elements of x, in order, in another shape: 0 keeps a size of x, one -1 takes what is left."""
    given = ints_of(shape, shape_tensor, shape_list)
    if 0 not in given and min(given, default=1) >= -1:
        try:
            return x.reshape(given)
        except (ValueError, TypeError):
            pass  # the rule says what is wrong
    return x.reshape(full_shape(x.shape, given))


reshape.grad(x=lambda g, x_shape: g.reshape(list(x_shape)))


def _permutation(perm, ndim):
    axes = tuple([one_axis(a, ndim, "transpose", "perm") for a in perm]) if ndim else ()
    if len(perm) != ndim or len(set(axes)) != ndim:
        raise ValueError(f"transpose(): perm must name each of the {ndim} axes once, got {list(perm)}")
    return axes


@op("transpose2(X) -> Out, XShape?", family="reshape", sharding=permuted, perm="axis", view="2.6", shapes=transposed)
def transpose(x, perm=()):
    """x with its axes in the order of perm."""
    return x.transpose(_permutation(perm, x.ndim))


def inverse(perm):
    """The permutation that undoes another one."""
    undo = [0] * len(perm)
    for i, a in enumerate(perm):
        undo[a % len(perm)] = i
    return undo


transpose.grad(x=lambda g, perm: transpose(g, inverse(perm)))


@op("flatten_contiguous_range(X) -> Out, XShape?", family="reshape", sharding=rearranged, rows="sizes", view="2.0",
    shapes=flattened)
def flatten(x, start_axis=1, stop_axis=1):
    """x with the axes start_axis ... stop_axis merged into one."""
    if x.ndim == 0:
        return x.reshape(1)
    start, stop = one_axis(start_axis, x.ndim, "flatten", "start_axis"), one_axis(stop_axis, x.ndim, "flatten",
                                                                                  "stop_axis")
    if start > stop:
        raise ValueError(f"flatten(): start_axis {start_axis} is behind stop_axis {stop_axis}")
    shape = x.shape
    return x.reshape(*shape[:start], math.prod(shape[start:stop + 1]), *shape[stop + 1:])


flatten.grad(x=lambda g, x_shape: g.reshape(list(x_shape)))


@op("flatten2(X) -> Out, XShape?", family="reshape", sharding=rearranged, rows="sizes", shapes=as_matrix)
def flatten2(x, axis=1):
    """x as a matrix: the axes before ``axis`` give the rows, the others the columns."""
    a = axis + x.ndim if axis < 0 else axis
    if not 0 <= a <= x.ndim:
        raise ValueError(f"axis must be in [{-x.ndim}, {x.ndim}], got {axis}")
    return x.reshape(math.prod(x.shape[:a]), math.prod(x.shape[a:]))


flatten2.grad(x=lambda g, x_shape: g.reshape(list(x_shape)))


@op("squeeze2(X) -> Out, XShape?", family="reshape", sharding=rearranged, rows="sizes", view="2.0", shapes=squeezed)
def squeeze(x, axes=()):
    """x without the listed axes of size 1 (all of them for []); listed axes of another size stay."""
    drop = axis_tuple(list(axes), x.ndim, "squeeze") if axes else range(x.ndim)
    return x.reshape([n for i, n in enumerate(x.shape) if n != 1 or i not in drop])


squeeze.grad(x=lambda g, x_shape: g.reshape(list(x_shape)))


@op("unsqueeze2(X, AxesTensor?, AxesTensorList*?) -> Out, XShape?", family="reshape", layer_name="unsqueeze2",
    sharding=rearranged, rows="sizes",
    view="2.0", shapes=unsqueezed)
def unsqueeze(x, axes_tensor=None, axes_list=None, axes=()):
    """x with new axes of size 1, inserted one after the other."""
    shape = list(x.shape)
    for a in ints_of(axes, axes_tensor, axes_list):
        shape.insert(one_axis(a, len(shape) + 1, "unsqueeze"), 1)
    return x.reshape(shape)


unsqueeze.grad(x=lambda g, x_shape: g.reshape(list(x_shape)))


@op("flip(X) -> Out", family="same", sharding=along, version=1)
def flip(x, axis=()):
    """x with the order of its elements turned round along the given axes."""
    return np.flip(x, axis_tuple(list(axis), x.ndim, "flip")) if axis else x


def _turned_round(k, x, axis):
    axes = axis_tuple(list(axis), x.ndim, "flip")
    return k.remap(dense(x), tuple([turned(n) if a in axes else None for a, n in enumerate(x.shape)]), nothing(x.dtype))


flip.grad(x=lambda g, axis: flip(g, axis))
reverse = flip.under("reverse(X) -> Out", "reverse", version=0)
for _one in (flip, reverse):
    _one.kernel(when=lambda x, axis: axis and x.size, noted=False)(_turned_round)


@op("roll(X, ShiftsTensor?) -> Out", family="same", version=2)
def roll(x, shifts_tensor=None, shifts=(), axis=()):
    """x shifted round by ``shifts`` along the given axes, or as one long row for no axis."""
    steps = ints_of(shifts, shifts_tensor)
    if not axis:
        if len(steps) != 1:
            raise ValueError(f"without axis one shift is needed, got {list(steps)}")
        return np.roll(x, steps[0])
    if len(axis) != len(steps):
        raise ValueError(f"shifts {list(steps)} and axis {list(axis)} differ in length")
    return np.roll(x, steps, [one_axis(a, x.ndim, "roll") for a in axis])


@roll.kernel(when=lambda x, shifts_tensor, shifts, axis: shifts_tensor is None and x.size, noted=False)
def _(k, x, shifts_tensor, shifts, axis):
    if not axis:
        return k.remap(dense(x).reshape(-1), (rolled(x.size, *shifts),), nothing(x.dtype)).reshape(x.shape) if (
            len(shifts) == 1) else NotImplemented
    if len(axis) != len(shifts) or not x.ndim:
        return NotImplemented
    steps = [0] * x.ndim
    for a, shift in zip(axis, shifts):
        steps[one_axis(a, x.ndim, "roll")] += shift
    return k.remap(dense(x), tuple([rolled(n, s % n) if s % n else None for n, s in zip(x.shape, steps)]), nothing(x.dtype))


def _unroll(g, shifts_tensor, shifts, axis):
    return roll(g, None, [-s for s in ints_of(shifts, shifts_tensor)], axis)


roll.grad(x=_unroll)


def convert(x, dtype):
    """An array in another NumPy dtype: to integers toward zero, to bool as != 0, from complex the real part."""
    if x.dtype == dtype:
        return x
    if is_short(x) and dtype == np.float32:
        return widen(x)
    if dtype.char in LETTERS and x.dtype == np.float32:
        return narrow(x, dtype)
    if x.dtype.kind == "c" and dtype.kind not in "cb":
        x = x.real
    with np.errstate(invalid="ignore", over="ignore"):
        return x.astype(dtype)


def _cast_to_desc(attrs):
    code = dtypes.convert(attrs["dtype"]).code
    before = attrs.get("in_dtype")
    return {"out_dtype": code, "in_dtype": code if before is None else dtypes.convert(before).code}


def _cast_from_desc(attrs):
    return {"dtype": attrs["out_dtype"], "in_dtype": attrs.get("in_dtype")}


@op("cast(X) -> Out", family="same", sharding=converted, to_desc=_cast_to_desc, from_desc=_cast_from_desc, total=True,
    rows="keep", amp="never",
    flops=0)
def cast(x, dtype="float32", in_dtype=None):
    """x in another element type: to integers toward zero, to bool as != 0."""
    return convert(x, dtypes.to_numpy(dtype, "cast"))


@cast.kernel(when=lambda x, dtype, in_dtype: x.size >= 16384, noted=False)
def _(k, x, dtype, in_dtype):
    wanted = dtypes.to_numpy(dtype, "cast")
    return NotImplemented if x.dtype == wanted else k.cast(dense(x), wanted)


cast.grad(x=lambda g, x_dtype: cast(g, x_dtype))


@op("as_complex(X) -> Out", family="own", view="2.6", shapes="*x 2 -> *x:complex")
def as_complex(x):
    """Complex numbers from a last axis of size 2 (real part, imaginary part)."""
    if x.ndim == 0 or x.shape[-1] != 2:
        raise ValueError(f"the last axis of x must have size 2 (real, imaginary), got shape {list(x.shape)}")
    if x.dtype not in (np.float32, np.float64):
        raise ElementTypeError(f"x must be float32 or float64, got {x.dtype.name}")
    kind = np.complex64 if x.dtype == np.float32 else np.complex128
    if x.strides[-1] == x.itemsize and x.size:
        return x.view(kind)[..., 0]
    out = np.empty(x.shape[:-1], kind)
    out.real, out.imag = x[..., 0], x[..., 1]
    return out


@op("as_real(X) -> Out", family="own", view="2.6", shapes="*x -> *x 2:real")
def as_real(x):
    """Real and imaginary parts as a new last axis of size 2."""
    if x.dtype.kind != "c":
        raise ElementTypeError(f"x must be complex64 or complex128, got {x.dtype.name}")
    return x[..., None].view(np.float32 if x.dtype == np.complex64 else np.float64)


as_complex.grad(x=lambda g: as_real(g))
as_real.grad(x=lambda g: as_complex(g))


def _viewed(x, dtype):
    wanted = dtypes.to_numpy(dtype, "view")
    last = [-1 if n < 0 else n * x.dtype.itemsize // wanted.itemsize for n in x.shape[-1:]]
    return x.like((*x.shape[:-1], *last), wanted)


@op("view_dtype(input) -> out", family="own", to_desc=lambda a: {"dtype": dtypes.convert(a["dtype"]).code}, view="2.6",
    shapes=_viewed)
def view_dtype(x, dtype="float32"):
    """The bytes of x read as another element type; the last axis shrinks or grows with the element size."""
    wanted = dtypes.to_numpy(dtype, "view")
    if x.ndim == 0 and wanted.itemsize != x.dtype.itemsize:
        raise ValueError(f"a 0-d tensor of {x.dtype.name} can't be viewed as {wanted.name}: element sizes differ")
    if x.ndim and x.shape[-1] * x.dtype.itemsize % wanted.itemsize:
        raise ValueError(f"the last axis of {list(x.shape)} ({x.dtype.name}) does not divide into {wanted.name} elements")
    view = (x if x.flags.c_contiguous else np.array(x, order="C")).view(wanted)
    return view if view.flags.aligned else view.copy()


view_dtype.grad(x=lambda g, x_dtype: view_dtype(g, x_dtype))


@op("shard_index(X) -> Out", family="same", rows="keep")
def shard_index(x, index_num=1, nshards=1, shard_id=0, ignore_value=-1):
    """Index within a shard: ids that belong to ``shard_id`` counted from its start, all others ignore_value."""
    if not 0 <= shard_id < nshards:
        raise ValueError(f"shard_id must be in [0, {nshards}), got {shard_id}")
    size = (index_num + nshards - 1) // nshards
    return np.where(x // size == shard_id, x % size, x.dtype.type(ignore_value)).astype(x.dtype)
