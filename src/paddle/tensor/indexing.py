"""``x[...]`` read and written, of every kind: ints, slices, Ellipsis, None, booleans, integer tensors, mixed."""

import numpy as np

from ..core import engine, storage
from ..core.context import context
from ..core.errors import describe
from ..core.folding import folded
from ..core.op import Symbolic
from ..core.tensor import Tensor, wrap
from ..ops.manipulation import creation, gather_scatter, index_first, joining, reshape, search, slicing
from ..ops.manipulation.masking import masked_select, where
from .convert import as_tensor, cast, numpy_dtype
from .creation import as_array

__all__ = []
LAST = 2147483647  # how Paddle's programs write an open end


class Index:
    """An index taken apart: a hyper-rectangle, new axes in it, and integer tensors for some axes of the result."""

    __slots__ = ("axes", "starts", "ends", "steps", "dropped", "new_axes", "empty", "tensors", "kept")

    def __init__(self):
        self.axes, self.starts, self.ends, self.steps, self.dropped = [], [], [], [], []
        self.new_axes, self.empty = [], False  # where None stands in the result; an index of False was given
        self.tensors, self.kept = {}, 0  # axis of the (rectangle's) result -> ids; number of its axes so far

    def whole(self):
        """Is the hyper-rectangle the tensor itself?"""
        return not self.axes and not self.new_axes


def parse(shape, index, numbers_drop=True):
    """Take an index of a tensor of this shape (-1: unknown) apart; a number drops its axis, or leaves it with one element."""
    items = _with_ellipsis(list(index) if isinstance(index, tuple) else [index], len(shape))
    p, axis = Index(), 0
    for item in items:
        if item is None:
            _new_axis(p)
        elif isinstance(item, slice):
            _slice(p, axis, item, shape[axis])
            axis += 1
        elif isinstance(item, (bool, np.bool_)):
            _new_axis(p)
            p.empty |= not item
        elif _is_int(item):
            _int(p, axis, item, shape, numbers_drop)
            axis += 1
        else:
            axis += _ids(p, axis, item, shape)
    return p


def _with_ellipsis(items, ndim):
    """The items normalised, with the Ellipsis (or the end) filled up with full slices."""
    items = [_normal(item) for item in items]
    used = sum(_width(item) for item in items)
    if used > ndim:
        raise IndexError(f"too many indices: {used} for a {ndim}-d tensor")
    full = [slice(None)] * (ndim - used)
    dots = [k for k, item in enumerate(items) if item is Ellipsis]
    if len(dots) > 1:
        raise IndexError("an index can have only one Ellipsis ('...')")
    return items[:dots[0]] + full + items[dots[0] + 1:] if dots else items + full


def _normal(item):
    """Lists and arrays become index Tensors, 0-d tensors what they hold."""
    if item is None or item is Ellipsis or isinstance(item, (slice, bool, int, np.bool_, Symbolic)):
        return item
    if isinstance(item, (list, tuple, range)):
        item = wrap(as_array(list(item), None if len(item) else "int64", "index"))
    elif isinstance(item, np.generic):
        item = np.asarray(item)
    if isinstance(item, np.ndarray):
        item = wrap(item)
    if not isinstance(item, Tensor):
        if hasattr(item, "__index__"):
            return item.__index__()
        raise IndexError(f"an index must be an int, slice, Ellipsis, None, bool or integer tensor, got {describe(item)}")
    if item._data.dtype.kind not in "biu":
        raise IndexError(f"an index tensor must be of integers or bool, got {item._data.dtype.name}")
    if item._data.ndim == 0:
        return item._data.item()
    return item


def _is_bool(item):
    return numpy_dtype(item).kind == "b"


def _width(item):
    """How many axes of the tensor an item uses up."""
    if item is None or item is Ellipsis or isinstance(item, (bool, np.bool_)):
        return 0
    if isinstance(item, (Tensor, Symbolic)) and _is_bool(item):
        return len(item.shape)
    return 1


def _is_int(item):
    return isinstance(item, int) or (isinstance(item, Symbolic) and len(item.shape) == 0)


def _new_axis(p):
    p.new_axes.append(p.kept)
    p.kept += 1


def _int(p, axis, item, shape, drops):
    size = shape[axis]
    if not isinstance(item, Symbolic) and size >= 0:
        slicing.one_index(item, size, axis, "index")
    p.axes.append(axis)
    p.starts.append(item)
    p.ends.append(LAST if not isinstance(item, Symbolic) and item == -1 else item + 1)
    p.steps.append(1)
    if drops:
        p.dropped.append(axis)
    else:
        p.kept += 1


def _slice(p, axis, item, size):
    start, stop, step = [_bound(b) for b in (item.start, item.stop, item.step)]
    p.kept += 1
    if start is None and stop is None and step in (None, 1):
        return
    step = 1 if step is None else step
    if not isinstance(step, Symbolic) and step == 0:
        raise ValueError("index: a slice's step must not be 0")
    forward = isinstance(step, Symbolic) or step > 0
    p.axes.append(axis)
    p.starts.append((0 if forward else LAST) if start is None else start)
    p.ends.append((LAST if forward else -1) if stop is None else stop if forward else _going_back(stop, size))
    p.steps.append(step)


def _going_back(stop, size):
    """The end of a slice with a negative step as programs have it, where -1 stands before the first element."""
    if isinstance(stop, Symbolic) or stop >= 0:
        return stop
    if size < 0:
        raise ValueError(f"index: the end {stop} of a slice that goes back needs an axis of known size")
    return max(stop + size, -1)


def _bound(value):
    if value is None or isinstance(value, (int, Symbolic)):
        return value
    if isinstance(value, (Tensor, np.ndarray)) and value.size == 1 and np.asarray(value).dtype.kind in "iu":
        return int(value)
    if hasattr(value, "__index__"):
        return value.__index__()
    raise TypeError(f"index: a slice's bounds must be ints, got {describe(value)}")


def _ids(p, axis, item, shape):
    """An index tensor; a mask stands for the positions where it is true. Returns the number of axes used up."""
    if not _is_bool(item):
        p.tensors[p.kept] = item
        p.kept += 1
        return 1
    width = len(item.shape)
    for k in range(width):
        if item.shape[k] != shape[axis + k] and -1 not in (item.shape[k], shape[axis + k]):
            raise IndexError(f"index: a mask of shape {list(item.shape)} does not fit axes {axis} to {axis + width - 1} of a "
                             f"tensor of shape {list(shape)}")
    for column in joining.unbind(search.nonzero(item), 1):
        p.tensors[p.kept] = column
        p.kept += 1
    return width


def _is_basic(index):
    """Is it an index of ints, slices of ints, None and Ellipsis, which NumPy takes as it is?"""
    for item in index if index.__class__ is tuple else (index,):
        kind = item.__class__
        if kind is int or item is None or item is Ellipsis:
            continue
        if kind is not slice:
            return False
        for bound in (item.start, item.stop, item.step):
            if bound is not None and bound.__class__ is not int:
                return False
    return True


# ---- reading -------------------------------------------------------------------------------------------------------------
def getitem(x, index):
    """x[index]: the part of a tensor that an index of any kind selects; gradients flow back into x.

    >>> x = paddle.arange(6).reshape([2, 3])
    >>> x[1].tolist(), x[:, ::-1].tolist(), x[x > 3].tolist()
    ([3, 4, 5], [[2, 1, 0], [5, 4, 3]], [4, 5])
    """
    if isinstance(x, Tensor):
        if _is_basic(index):
            return slicing.basic_get(x, index)
        if index.__class__ is Tensor and index._data.ndim and index._data.dtype.kind == "i" and x._data.ndim:
            return index_first.index_get(x, [index])
        if index.__class__ is Tensor and index._data.dtype == bool and x._data.ndim and index._data.shape == x._data.shape:
            return masked_select(x, index)
    return _part(x, parse(x.shape, index))


def _part(x, p):
    out = _rectangle(x, p)
    return _by_tensors(out, p.tensors) if p.tensors else out


def _symbols(values):
    """(list of tensors or None, attribute) for slots that take run-time integers."""
    if any(isinstance(v, Symbolic) for v in values):
        return list(values), [-1 if isinstance(v, Symbolic) else v for v in values]
    return None, values


def _rectangle(x, p):
    if p.axes:
        (starts, s), (ends, e), (steps, d) = _symbols(p.starts), _symbols(p.ends), _symbols(p.steps)
        flags = [-1 if isinstance(a, Symbolic) or isinstance(b, Symbolic) else 1 for a, b in zip(p.starts, p.ends)]
        if steps is None and all(n == 1 for n in d):
            x = slicing.slice(x, None, None, starts, ends, p.axes, s, e, p.dropped, flags)
        else:
            x = slicing.strided_slice(x, None, starts, None, ends, None, steps, p.axes, s, e, d, p.dropped, flags)
    if p.new_axes:
        x = reshape.unsqueeze(x, None, None, p.new_axes)
        if p.empty:
            x = slicing.slice(x, None, None, None, None, p.new_axes[:1], [0], [0], [], [1])
    return x


def _orders(ndim, axes, ids_ndim):
    """(order that brings the indexed axes to the front, order that puts the ids' axes where NumPy has them)."""
    rest = [a for a in range(ndim) if a not in axes]
    front = list(axes) + rest
    neighbours = axes == list(range(axes[0], axes[0] + len(axes)))
    before = axes[0] if neighbours else 0  # axes of the result in front of those of the ids
    back = list(range(ids_ndim, ids_ndim + before)) + list(range(ids_ndim)) + list(range(ids_ndim + before,
                                                                                         ids_ndim + len(rest)))
    return front, back


def _transpose(x, order):
    return x if order == sorted(order) else reshape.transpose(x, order)


def _ids_ndim(tensors):
    return max(len(t.shape) for t in tensors.values())


def _by_tensors(x, tensors):
    front, back = _orders(len(x.shape), list(tensors), _ids_ndim(tensors))
    return _transpose(_first_axes(_transpose(x, front), list(tensors.values())), back)


def _first_axes(x, ids):
    """x[ids[0], ids[1], ...]; a static program has it as gather_nd."""
    if not any(isinstance(t, Symbolic) for t in (x, *ids)):
        return index_first.index_get(x, ids)
    ids = [cast(t, np.dtype("int64")) for t in ids]
    ids = [where(t < 0, t + x.shape[k], t) if x.shape[k] >= 0 else t for k, t in enumerate(ids)]
    return gather_scatter.gather_nd(x, joining.stack(joining.broadcast_tensors(ids) if len(ids) > 1 else ids, -1))


# ---- writing -------------------------------------------------------------------------------------------------------------
def setitem(x, index, value):
    """x[index] = value: write into the part that an index selects. Static Variables return the changed one instead.

    Without gradients the values are written into the tensor's own memory; otherwise the tensor becomes the result of a
    recorded op, so that gradients flow into what is left of x and into the value.

    >>> x = paddle.zeros([3]); x[1:] = 5.; x.tolist()
    [0.0, 5.0, 5.0]
    """
    static = isinstance(x, Symbolic) or isinstance(value, Symbolic)
    constant = not isinstance(value, (Tensor, Symbolic))
    recorded = static or (context.grad and not (x.stop_gradient and (constant or value.stop_gradient)))
    if not recorded and _is_basic(index):
        return _write_basic(x, index, value)
    if constant:
        value = wrap(as_array(value, numpy_dtype(x), "__setitem__"))
    p = parse(x.shape, index)
    if not recorded:
        return _write(x, p, value._data)
    result = _placed(x, p, cast(value, numpy_dtype(x)))
    if static:
        return result
    x.become(result, "__setitem__")
    return None


def _write_basic(x, index, value):
    """Write in place where NumPy takes the index as it is."""
    if value.__class__ not in (float, int, bool):
        kind = x._data.dtype
        value = reshape.convert(value._data, kind) if isinstance(value, Tensor) else as_array(value, kind, "__setitem__")
    elif x._data.dtype.kind in "iu" and value != value:
        raise ValueError("__setitem__(): NaN can't be written into an integer tensor")
    if x._aliased:
        storage.lead_back(x, None, "__setitem__")
    data = x.writable()
    try:
        data[index] = value
    except IndexError as error:
        raise IndexError(f"__setitem__(): {error}") from None
    except (ValueError, OverflowError):
        part = data[index]
        raise ValueError(f"__setitem__(): a value of shape {list(np.shape(value))} does not fit into {list(part.shape)} "
                         f"of type {data.dtype.name}") from None
    x._version += 1


def _write(x, p, value):
    """Write in place; a copy of x is made only if somebody else holds its memory."""
    ids = [t._data for t in p.tensors.values()]
    if value is x._data or np.may_share_memory(value, x._data):
        value = value.copy()
    if x._aliased:
        storage.lead_back(x, None, "__setitem__")
    data = x.writable()
    index = slicing.region(data.shape, p.axes, p.starts, p.ends, p.steps, p.dropped, "__setitem__")
    view = data[index + (Ellipsis,)]
    view = np.expand_dims(view, tuple(p.new_axes)) if p.new_axes else view
    if p.empty:
        view = view[(slice(None),) * p.new_axes[0] + (slice(0, 0),)]
    value = reshape.convert(value, data.dtype)
    if ids:
        front, back = _orders(view.ndim, list(p.tensors), _ids_ndim(p.tensors))
        view = view.transpose(front)
        ids = np.broadcast_arrays(*index_first.checked_index(view.shape, ids, "__setitem__"))
        target = ids[0].shape + view.shape[len(ids):]
        shape = [target[a] for a in back]
        value = slicing.fit(value, shape, "__setitem__")
        view[tuple(ids)] = value.transpose(reshape.inverse(back))
    else:
        view[...] = slicing.fit(value, view.shape, "__setitem__")
    x._version += 1


def _placed(x, p, value):
    """x with the value in the indexed part, composed of ops."""
    if p.empty:
        return creation.assign(x)
    if not p.tensors:
        return _set_rectangle(x, p, value)
    part = _rectangle(x, p)
    ids = list(p.tensors.values())
    front, back = _orders(len(part.shape), list(p.tensors), _ids_ndim(p.tensors))
    if len(value.shape) and back != sorted(back):
        value = _transpose(_with_rank(value, len(back)), reshape.inverse(back))
    part = _transpose(index_first.index_put(_transpose(part, front), ids, value), reshape.inverse(front))
    return part if p.whole() else _set_rectangle(x, p, part)


def _with_rank(value, ndim):
    """A value with leading axes of size 1 added or dropped to have ``ndim`` axes."""
    extra = len(value.shape) - ndim
    if extra > 0 and any(n != 1 for n in value.shape[:extra]):
        raise ValueError(f"__setitem__(): a value of shape {list(value.shape)} does not fit a part with {ndim} axes")
    return reshape.reshape(value, None, None, [1] * -extra + list(value.shape[max(extra, 0):])) if extra else value


def _set_rectangle(x, p, value):
    if p.new_axes and len(value.shape):
        value = _without_new_axes(value, p)
    (starts, s), (ends, e), (steps, d) = _symbols(p.starts), _symbols(p.ends), _symbols(p.steps)
    axes = p.axes
    if not axes:  # the whole tensor: a rectangle all the same
        axes, s, e, d = [0], [0], [LAST], [1]
        if len(x.shape) == 0:
            axes, s, e, d = [], [], [], []
    return slicing.set_value(x, value, starts, ends, steps, axes, s, e, d, p.dropped, (), (), (), x.dtype.name)


def _without_new_axes(value, p):
    """The value without the axes that stand for None in the index, where it has them at all."""
    extra = len(value.shape) - p.kept
    new = [a for a in range(len(value.shape)) if a - extra in p.new_axes]
    return reshape.squeeze(as_tensor(value, "__setitem__", "value"), new) if new else value


@folded
def item(self, index):
    """x[index] as programs mean it: in older generations a single element has one dimension, before and after; in the oldest a
    number leaves its axis there, with one element."""
    rules = context.rules
    if not rules.element_ndim:
        return getitem(self, index)
    if rules.indices_keep_axes and not context.depth and len(self.shape):  # gradient rules index as their operators do
        return _part(self, parse(self.shape, index, numbers_drop=False))
    part = getitem(self if len(self.shape) else reshape.reshape(self, None, None, [1]), index)
    return part if len(part.shape) else reshape.reshape(part, None, None, [1])


Tensor.__getitem__ = engine.item_method(slicing.basic_get, item)
slicing.basic_get.in_programs = item  # files have slices, new axes and picked elements
Tensor.__setitem__ = setitem
