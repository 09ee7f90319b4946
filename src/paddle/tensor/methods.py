"""Tensor methods and protocols that are not functions too: backward, item, len, float() ..."""


import weakref

import numpy as np

from ..core import autograd, backward, lengths, storage  # noqa: F401  (lengths gives Tensor its sequences)
from ..core import dtype as dtypes
from ..core import place as places
from ..core.context import context, process
from ..core.errors import AmbiguousTruthError, ArgumentError, OutOfRangeError, describe
from ..core.generation import by_rule
from ..core.hooks import phase
from ..core.rooms import rooms
from ..core.rows import SelectedRows
from ..core.rows_tensor import RowsTensor
from ..core.tensor import ZERO, Tensor, alias, wrap
from ..kernels import packing
from . import copies, creation, older  # noqa: F401  (copies gives Tensor its way of being copied)
from .convert import int_arg
from .manipulation import cast


def _method(function):
    setattr(Tensor, function.__name__, function)
    return function


@phase("Backward")
@by_rule("backward_strategy", older.run_backward)
def _backward(self, grad_tensor=None, retain_graph=False):
    """Compute the gradients of every leaf this tensor depends on and accumulate them into their ``grad``.

    Args:
        grad_tensor: gradient to start with, of the shape of the tensor; ones for None.
        retain_graph: keep the tape for another backward.

    >>> x = paddle.to_tensor(2., stop_gradient=False)
    >>> (x * x).backward()
    >>> float(x.grad)
    4.0
    """
    backward.backward([self], [grad_tensor], retain_graph)


Tensor.backward = _backward


@_method
def gradient(self):
    """The gradient as a NumPy array (a copy), or None; of a table with sparse gradients the pair (values, numbers of the rows).

    >>> x = paddle.to_tensor(2., stop_gradient=False)
    >>> (x * 3).backward()
    >>> float(x.gradient())
    3.0
    """
    if self._grad is None:
        return older.missing_gradient(self)
    found = self._grad_ivar()._content()
    return (found.values.copy(), found.index.copy()) if found.__class__ is SelectedRows else found.copy()


@_method
def clear_gradient(self, set_to_zero=True):
    """Clear the accumulated gradient: it reads as zeros, or as None when ``set_to_zero`` is False.

    >>> x = paddle.to_tensor(2., stop_gradient=False)
    >>> (x * 3).backward()
    >>> x.clear_gradient(); float(x.grad)
    0.0
    """
    if context.trace is not None:
        context.trace.gradients.clear(self, ZERO if set_to_zero else None)
    elif self._grad is not None:
        self._grad = ZERO if set_to_zero and self._grad.__class__ is not RowsTensor else None


Tensor.clear_grad = clear_gradient
Tensor._zero_grads = lambda self: self.clear_gradient()


@_method
def zero_grad(self):
    """Set an existing gradient to zeros.

    >>> x = paddle.to_tensor(2., stop_gradient=False)
    >>> (x * 3).backward()
    >>> x.zero_grad(); float(x.grad)
    0.0
    """
    self.clear_gradient()


@_method
def register_hook(self, hook):
    """Call ``hook(grad)`` when this tensor's gradient is known; a returned Tensor replaces it. Returns a handle.

    >>> x = paddle.to_tensor(2., stop_gradient=False)
    >>> handle = x.register_hook(lambda g: g * 10)
    >>> (x * 3).backward(); float(x.grad)
    30.0
    >>> handle.remove()
    True
    """
    return autograd.add_hook(self, hook)


@_method
def _register_backward_hook(self, hook):
    """Call ``hook()`` whenever a backward pass has added this leaf's gradient to ``grad``.

    Args:
        hook: a function without arguments.
    Raises:
        ValueError: the tensor is no leaf, or has no gradient.
    """
    if self.stop_gradient or self._edge is not None:
        raise ValueError(f"_register_backward_hook(): the tensor must be a leaf with a gradient, got {describe(self)}")
    hooks = self.meta().added_hooks
    hooks.append(hook)
    if len(hooks) > 1:
        return
    own = weakref.ref(self)  # and nothing else: a hook may hold the tensor

    def on_leaf(leaf):
        if leaf is own():
            for each in leaf.meta().added_hooks:
                each()

    process.leaf_watchers.append(on_leaf)
    weakref.finalize(self, process.leaf_watchers.remove, on_leaf)


@_method
def retain_grads(self):
    """Keep the gradient of this non-leaf tensor in ``grad`` when backward passes it.

    >>> x = paddle.to_tensor(2., stop_gradient=False)
    >>> y = x * 3; y.retain_grads()
    >>> (y * y).backward(); float(y.grad)
    12.0
    """
    if not self.stop_gradient:
        autograd.retain(self)


@_method
def detach(self):
    """The same values, detached from the autograd tape. The memory is shared: what is written into one is seen in the other.

    >>> x = paddle.ones([2])
    >>> x.detach().stop_gradient
    True
    >>> x.detach()[0] = 5.; x.tolist()
    [5.0, 1.0]
    """
    if context.trace is not None:
        return context.trace.variable(self).detach()
    rules = context.rules
    cut = alias(self, True) if rules.detach_shares else wrap(self._data)
    if rules.missing_gradient in ("zeros", "cut"):
        older.note_cut(cut)
    return cut


@_method
def detach_(self):
    """Detach this tensor itself from the autograd tape.

    >>> x = paddle.to_tensor(2., stop_gradient=False)
    >>> (x * 3).detach_().stop_gradient
    True
    """
    self._edge = None
    self.stop_gradient = True
    return self


@_method
def item(self, *args):
    """The only element (or the one at the given position) as a Python number.

    >>> paddle.to_tensor([[1, 2], [3, 4]]).item(1, 0)
    3
    """
    data = self._data
    if not args:
        if data.size != 1:
            raise ValueError(f"item(): only a one-element tensor converts to a number, this one has shape {self.shape}")
        return data.reshape(()).item()
    place = [int_arg(a, "item", "position") for a in args]
    sizes = [data.size] if len(place) == 1 else data.shape
    if len(place) != len(sizes) or not all(-n <= i < n for i, n in zip(place, sizes)):
        raise OutOfRangeError(f"item(): position {place} is outside a tensor of shape {self.shape}")
    return data.item(*place)


def _one(self, function):
    if self._data.size != 1:
        raise TypeError(f"{function}(): only a one-element tensor converts, this one has shape {self.shape}")
    return self._data.reshape(()).item()


Tensor.__float__ = lambda self: float(_one(self, "float"))
Tensor.__int__ = lambda self: int(_one(self, "int"))
Tensor.__long__ = Tensor.__int__
Tensor.__complex__ = lambda self: complex(_one(self, "complex"))


@_method
def __bool__(self):
    truth = context.rules.truth
    if truth == "any" or truth == "lenient" and self._data.size != 1:
        return True
    if self._data.size != 1:
        raise AmbiguousTruthError(f"the truth value of a tensor of shape {self.shape} is ambiguous; use any() or all()")
    return bool((self._data > 0).all())  # negative numbers are false, as in Paddle; complex ones by their real part


Tensor.__nonzero__ = __bool__


@_method
def to_string(self, throw_on_error=True, with_details=False):
    """The text that ``str()`` gives (1.x; successor: str)."""
    return str(self)


Tensor._ivar = property(lambda self: self, doc="The tensor itself: what 1.4 to 1.6 kept of C++ (successor: none needed).")
Tensor._grad_value = Tensor._grad_ivar  # of 1.4


@_method
def __index__(self):
    return int(_one(self, "index"))


@_method
def __len__(self):
    if self._data.ndim == 0:
        raise TypeError("len() of a 0-d tensor")
    return self._data.shape[0]


@_method
def __iter__(self):
    if self._data.ndim == 0:
        raise TypeError("iteration over a 0-d tensor")
    return (self[i] for i in range(self._data.shape[0]))


@_method
def __contains__(self, value):
    same = self == value
    return bool(same._data.any()) if isinstance(same, Tensor) else same


@_method
def __format__(self, spec):
    if not spec:
        return str(self)
    return format(_one(self, "format"), spec)


@_method
def _inplace_assign(self, other):
    """Take another tensor's values, shape and place on the tape."""
    return self.become(creation.assign(other), "_inplace_assign", reshapes=True, leaf=True)


@_method
def _is_initialized(self):
    """True: a tensor has its values from the beginning."""
    return True


@_method
def set_value(self, value):
    """Set new values of the same shape and dtype.

    Args:
        value: Tensor, array or number.

    >>> x = paddle.zeros([2]); x.set_value([1., 2.]); x.tolist()
    [1.0, 2.0]
    """
    if context.trace is not None:
        context.trace.store(self, value, "set_value")
        return
    array = value._data if isinstance(value, Tensor) else (
        dtypes.of_bits(value) if isinstance(value, np.ndarray) else rooms.as_array(value, None, "set_value"))
    if array.shape != self._data.shape:
        raise ArgumentError(f"set_value(): the tensor's shape is {self.shape}, the value's {list(array.shape)}")
    if array.dtype != self._data.dtype and isinstance(value, (Tensor, np.ndarray)):
        raise TypeError(f"set_value(): the tensor's dtype is {self._data.dtype.name}, the value's {array.dtype.name}")
    self.replace(np.array(array, self._data.dtype, order="C"))


@_method
def get_tensor(self):
    """What the tensor holds: ``np.array(held)``, ``held.shape()``, ``held.set(array, place)``, which may change the shape.

    >>> x = paddle.zeros([2]); x.get_tensor().set(np.ones([3], 'float32'), paddle.CPUPlace()); x.tolist()
    [1.0, 1.0, 1.0]
    """
    return rooms.tensor_values(self)


@_method
def value(self):
    """The tensor itself (older interfaces keep a separate holder).

    >>> x = paddle.zeros([2]); x.value() is x
    True
    """
    return self


@_method
def copy_(self, other, blocking=True):
    """Copy the values of another tensor, and take its shape.

    Args:
        other: Tensor; of the same shape where this one shares memory with a view of it.
        blocking: wait until it is done; on a CPU it always is.

    >>> paddle.zeros([2]).copy_(paddle.ones([2])).tolist()
    [1.0, 1.0]
    """
    if not isinstance(other, Tensor):
        raise TypeError(f"copy_(): other must be a Tensor, got {describe(other)}")
    if other._data.shape != self._data.shape and (self._aliased or self._edge is not None):
        raise ValueError(f"copy_(): this tensor was computed or shares memory, so it keeps its shape {self.shape}; other has "
                         f"{other.shape}")
    self.replace(other._data.astype(self._data.dtype))
    return self


@_method
def cpu(self):
    """The tensor itself, which is on the CPU.

    >>> x = paddle.ones([2]); x.cpu() is x
    True
    """
    return self


@_method
def pin_memory(self, blocking=True):
    """A copy in memory that a GPU could read; here all memory is alike.

    Args:
        blocking: wait for the copy; it is always there when this returns.

    >>> paddle.ones([2]).pin_memory().tolist()
    [1.0, 1.0]
    """
    return self.clone()


@_method
def cuda(self, device_id=None, blocking=True):
    """The tensor on a GPU: there is none, so this warns once and is the tensor itself, or raises (FLAGS_strict_device).

    Args:
        device_id: number of the GPU.
        blocking: wait until it is done.

    >>> paddle.is_compiled_with_cuda()
    False
    """
    return to(self, "gpu" if device_id is None else f"gpu:{device_id}" if isinstance(device_id, int) else device_id)


@_method
def to(self, *args, **kwargs):
    """The tensor in another dtype and/or place, given in any order as Paddle allows.

    >>> paddle.ones([2]).to('float64').dtype
    paddle.float64
    >>> paddle.ones([2]).to('cpu', 'int32').dtype
    paddle.int32
    """
    dtype = kwargs.pop("dtype", None)
    place = kwargs.pop("device", None)
    kwargs.pop("blocking", None)
    other = kwargs.pop("other", None)
    if kwargs:
        raise TypeError(f"to(): unexpected arguments {sorted(kwargs)}")
    for a in args:
        if isinstance(a, Tensor):
            other = a
        elif isinstance(a, bool):
            continue
        elif isinstance(a, places.Place) or isinstance(a, str) and places.is_name(a):
            place = a
        elif a is not None:
            dtype = a
    if place is not None:
        places.convert(place, "to")
    if other is not None:
        if not isinstance(other, Tensor):
            raise TypeError(f"to(): other must be a Tensor, got {describe(other)}")
        dtype = other.dtype
    if dtype is None or dtypes.convert(dtype, "to") == self.dtype and not context.rules.astype_keeps:
        return self
    return cast(self, dtype)


@_method
def _to(self, device=None, dtype=None, blocking=None):
    """``to`` with a place before the type."""
    return self.to(device=device, dtype=dtype, blocking=blocking)


@_method
def element_size(self):
    """Bytes per element.

    >>> paddle.ones([2], 'float64').element_size()
    8
    """
    return self._data.itemsize


@_method
def is_dense(self):
    """True: every tensor here is dense.

    >>> paddle.ones([2]).is_dense()
    True
    """
    return self.__class__ is not RowsTensor


@_method
def is_sparse(self):
    """False: sparse tensors are a class of their own.

    >>> paddle.ones([2]).is_sparse()
    False
    """
    return False


def _never(name, what):
    def refuse(self):
        return False
    refuse.__name__ = refuse.__qualname__ = name
    refuse.__doc__ = f"False: {what} are classes of their own.\n\n>>> paddle.ones([2]).{name}()\nFalse\n"
    setattr(Tensor, name, refuse)


for _name, _what in (("is_sparse_coo", "sparse tensors"), ("is_sparse_csr", "sparse tensors"),
                     ("is_dist", "tensors spread over processes")):
    _never(_name, _what)


@_method
def contiguous(self):
    """The tensor with its elements in row-major order.

    >>> paddle.ones([2, 3]).t().contiguous().is_contiguous()
    True
    """
    return self if _settled(self).flags.c_contiguous else self.clone()


def _settled(tensor):
    """The tensor's array; one that is no view lies in row-major order, whatever a kernel's way of computing left."""
    if tensor._storage is None and not tensor._data.flags.c_contiguous:
        tensor._data = np.array(tensor._data, order="C")
    return tensor._data


@_method
def is_contiguous(self):
    """Are the elements in row-major order without gaps?

    >>> paddle.ones([2, 3]).is_contiguous()
    True
    """
    return _settled(self).flags.c_contiguous


@_method
def get_strides(self):
    """Steps between neighbours along each axis, in elements.

    >>> paddle.ones([2, 3]).get_strides()
    [3, 1]
    """
    data, steps = _settled(self), []
    for axis in range(data.ndim - 1, -1, -1):
        new = data.shape[axis] == 1 and not data.strides[axis]  # an axis that None made in an index: NumPy takes no step there
        inner = steps[-1] * data.shape[axis + 1] if steps else 1
        steps.append(inner if new else data.strides[axis] // data.itemsize)
    return steps[::-1]


@_method
def data_ptr(self):
    """Address of the first element.

    >>> x = paddle.ones([2]); x[1:].data_ptr() - x.data_ptr()
    4
    """
    return packing.exported(self).__array_interface__["data"][0]


@_method
def __dlpack__(self, stream=None, **kwargs):
    return packing.exported(self).__dlpack__(stream=stream, **kwargs)


@_method
def __dlpack_device__(self):
    return self._data.__dlpack_device__()


@_method
def dim(self):
    """The number of axes.

    >>> paddle.ones([2, 3]).dim()
    2
    """
    return self._data.ndim


def _assign_data(self, value):
    if not isinstance(value, Tensor):
        raise TypeError(f"data: must be a Tensor, got {describe(value)}")
    storage.lay_over(self, value)


def _data_of(self):
    """The tensor itself, or what detach() gives under the rules of Paddle 3; assigning another tensor shares its memory."""
    return self.detach() if context.rules.data_detaches else self


Tensor.ndimension = dim
Tensor.strides = property(get_strides)
Tensor.offset = property(lambda self: 0, doc="Position of the first element in its memory: 0.")
Tensor.size = property(lambda self: self._data.size, doc="The number of elements.")
Tensor.itemsize = property(lambda self: self._data.itemsize, doc="Bytes per element.")
Tensor.nbytes = property(lambda self: self._data.nbytes, doc="Bytes of all elements.")
Tensor.type = property(lambda self: "LOD_TENSOR", doc="Kind of variable that the tensor is in programs.")
Tensor.block = property(lambda self: older.block() if context.guard is not None else None,
                        doc="None: only Variables belong to a block of a program; in guards of 1.x that of the main program.")
Tensor.data = property(_data_of, _assign_data)
Tensor.layout = property(lambda self: "NCHW", doc="Order of the axes of pictures: channels come first.")
Tensor.get_map_tensor = get_tensor
