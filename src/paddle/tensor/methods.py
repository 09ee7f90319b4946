"""Tensor methods and protocols that are not functions too: backward, item, len, float(), pickling ..."""

import copy

import numpy as np

from ..core import autograd, backward
from ..core import dtype as dtypes
from ..core import tensor as core_tensor
from ..core.errors import AmbiguousTruthError, describe
from ..core.tensor import ZERO, Parameter, Tensor, wrap
from .convert import int_arg


def _method(function):
    setattr(Tensor, function.__name__, function)
    return function


def _backward(self, grad_tensor=None, retain_graph=False):
    """Compute the gradients of every leaf this tensor depends on and accumulate them into their ``grad``.

    >>> import paddle
    >>> x = paddle.to_tensor(2., stop_gradient=False)
    >>> (x * x).backward()
    >>> float(x.grad)
    4.0
    """
    backward.backward([self], [grad_tensor], retain_graph)


Tensor.backward = _backward


@_method
def gradient(self):
    """The gradient as a NumPy array (a copy), or None."""
    return None if self._grad is None else self.grad._data.copy()


@_method
def clear_gradient(self, set_to_zero=True):
    """Forget the accumulated gradient: it reads as zeros, or as None when ``set_to_zero`` is False."""
    if core_tensor.tracer is not None:
        core_tensor.tracer.gradients.clear(self, ZERO if set_to_zero else None)
    elif self._grad is not None:
        self._grad = ZERO if set_to_zero else None


Tensor.clear_grad = clear_gradient


@_method
def zero_grad(self):
    """Set an existing gradient to zeros."""
    self.clear_gradient()


@_method
def register_hook(self, hook):
    """Call ``hook(grad)`` when this tensor's gradient is known; a returned Tensor replaces it. Returns a handle."""
    return autograd.add_hook(self, hook)


@_method
def retain_grads(self):
    """Keep the gradient of this non-leaf tensor in ``grad`` when backward passes it."""
    if self.stop_gradient:
        raise RuntimeError("retain_grads(): this tensor has stop_gradient=True")
    autograd.retain(self)


@_method
def detach(self):
    """The same values, cut off from the tape (memory is shared)."""
    if core_tensor.tracer is not None:
        return core_tensor.tracer.variable(self).detach()
    return wrap(self._data)


@_method
def detach_(self):
    """Cut this tensor itself off from the tape."""
    self._edge = None
    self.stop_gradient = True
    return self


@_method
def item(self, *args):
    """The only element (or the one at the given position) as a Python number."""
    data = self._data
    if not args:
        if data.size != 1:
            raise ValueError(f"item(): only a one-element tensor converts to a number, this one has shape {self.shape}")
        return data.reshape(()).item()
    place = [int_arg(a, "item", "position") for a in args]
    sizes = [data.size] if len(place) == 1 else data.shape
    if len(place) != len(sizes) or not all(-n <= i < n for i, n in zip(place, sizes)):
        raise IndexError(f"item(): position {place} is outside a tensor of shape {self.shape}")
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
    if self._data.size != 1:
        raise AmbiguousTruthError(f"the truth value of a tensor of shape {self.shape} is ambiguous; use any() or all()")
    return bool(_one(self, "bool"))


Tensor.__nonzero__ = __bool__


@_method
def __index__(self):
    if self._data.dtype.kind not in "iub":
        raise TypeError(f"only an integer tensor can be an index, this one is {self._data.dtype.name}")
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
    return bool((self == value)._data.any())


@_method
def __format__(self, spec):
    if not spec:
        return str(self)
    return format(_one(self, "format"), spec)


@_method
def __deepcopy__(self, memo):
    if self._edge is not None:
        raise RuntimeError("deepcopy(): only leaf tensors can be deep-copied; detach() this one first")
    new = type(self).__new__(type(self))
    memo[id(self)] = new
    new._data = self._data.copy()
    new._edge, new._version = None, 0
    new.stop_gradient = self.stop_gradient
    new._grad = copy.deepcopy(self.grad, memo)
    new._meta = None
    if self._meta is not None:
        new._meta = type(self._meta)()
        new._meta.name, new._meta.persistable = self._meta.name, self._meta.persistable
    if isinstance(self, Parameter):
        new.__dict__.update(copy.deepcopy(self.__dict__, memo))
    return new


def rebuild(kind, array, stop_gradient, name, state):
    """Make a tensor again from what pickling kept."""
    t = wrap(array) if kind == "Tensor" else Parameter(array, name)
    t.stop_gradient = stop_gradient
    if name is not None:
        t.name = name
    if state:
        t.__dict__.update(state)
    return t


@_method
def __reduce__(self):
    kind = "Parameter" if isinstance(self, Parameter) else "Tensor"
    name = self._meta.name if self._meta is not None else None
    return rebuild, (kind, self._data, self.stop_gradient, name, getattr(self, "__dict__", None))


@_method
def set_value(self, value):
    """Put other values of the same shape and dtype into the tensor."""
    if core_tensor.tracer is not None:
        core_tensor.tracer.store(self, value, "set_value")
        return
    array = value._data if isinstance(value, Tensor) else value if isinstance(value, np.ndarray) else core_tensor.as_array(
        value, None, "set_value")
    if array.shape != self._data.shape:
        raise ValueError(f"set_value(): the tensor's shape is {self.shape}, the value's {list(array.shape)}")
    if array.dtype != self._data.dtype and isinstance(value, (Tensor, np.ndarray)):
        raise TypeError(f"set_value(): the tensor's dtype is {self._data.dtype.name}, the value's {array.dtype.name}")
    self.replace(np.array(array, self._data.dtype, order="C"))


@_method
def get_tensor(self):
    """The tensor itself (its storage object in older interfaces)."""
    return self


@_method
def value(self):
    """The tensor itself (older interfaces keep a separate holder)."""
    return self


@_method
def _share_buffer_to(self, other):
    if not isinstance(other, Tensor):
        raise TypeError(f"_share_buffer_to(): other must be a Tensor, got {describe(other)}")
    other._data = self._data


@_method
def copy_(self, other, blocking=True):
    """Take over the values of another tensor of the same shape."""
    if not isinstance(other, Tensor):
        raise TypeError(f"copy_(): other must be a Tensor, got {describe(other)}")
    if other._data.shape != self._data.shape:
        raise ValueError(f"copy_(): shapes differ: {self.shape} and {other.shape}")
    self.replace(other._data.astype(self._data.dtype))
    return self


@_method
def cpu(self):
    """A copy on the CPU that stays on the tape."""
    return self.clone()


Tensor.pin_memory = cpu


@_method
def cuda(self, device_id=None, blocking=True):
    """A copy on a GPU; without one it raises as Paddle's CPU build does."""
    raise RuntimeError("cuda(): this is a CPU build, there is no GPU to copy to")


@_method
def to(self, *args, **kwargs):
    """The tensor in another dtype and/or place, given in any order as Paddle allows."""
    dtype = kwargs.pop("dtype", None)
    place = kwargs.pop("device", None)
    kwargs.pop("blocking", None)
    other = kwargs.pop("other", None)
    if kwargs:
        raise TypeError(f"to(): unexpected arguments {sorted(kwargs)}")
    from ..core import place as places
    for a in args:
        if isinstance(a, Tensor):
            other = a
        elif isinstance(a, bool):
            continue
        elif isinstance(a, places.Place) or (isinstance(a, str) and a.split(":")[0] in ("cpu", "gpu", "xpu", "gpu_pinned")):
            place = a
        elif a is not None:
            dtype = a
    if place is not None:
        places.convert(place, "to")
    if other is not None:
        if not isinstance(other, Tensor):
            raise TypeError(f"to(): other must be a Tensor, got {describe(other)}")
        dtype = other.dtype
    return self if dtype is None else self.astype(dtypes.convert(dtype, "to"))


@_method
def element_size(self):
    """Bytes per element."""
    return self._data.itemsize


@_method
def is_dense(self):
    """True: every tensor here is dense."""
    return True


@_method
def is_sparse(self):
    """False: sparse tensors are a class of their own."""
    return False


for _name in ("is_sparse_coo", "is_sparse_csr", "is_selected_rows", "is_dist"):
    setattr(Tensor, _name, lambda self: False)


@_method
def contiguous(self):
    """The tensor with its elements in row-major order."""
    return self if self._data.flags.c_contiguous else wrap_like(self, np.ascontiguousarray(self._data))


def wrap_like(tensor, array):
    """Another array in the tensor's place on the tape (same values in another memory layout)."""
    t = wrap(array)
    t._edge, t.stop_gradient = tensor._edge, tensor.stop_gradient
    return t


@_method
def is_contiguous(self):
    """Are the elements in row-major order without gaps?"""
    return self._data.flags.c_contiguous


@_method
def get_strides(self):
    """Steps between neighbours along each axis, in elements."""
    return [s // self._data.itemsize for s in self._data.strides]


@_method
def data_ptr(self):
    """Address of the first element."""
    return self._data.__array_interface__["data"][0]


@_method
def __dlpack__(self, stream=None, **kwargs):
    return self._data.__dlpack__(**kwargs)


@_method
def __dlpack_device__(self):
    return self._data.__dlpack_device__()


Tensor.strides = property(get_strides)
Tensor.offset = property(lambda self: 0)
Tensor.size = property(lambda self: self._data.size)
Tensor.itemsize = property(lambda self: self._data.itemsize)
Tensor.nbytes = property(lambda self: self._data.nbytes)
Tensor.type = property(lambda self: "LOD_TENSOR")
Tensor.block = property(lambda self: None)
Tensor.dim = lambda self: self._data.ndim
Tensor.ndimension = Tensor.dim
Tensor.data = property(lambda self: self, lambda self, value: self.replace(value._data))
Tensor.layout = property(lambda self: "NCHW")
Tensor.get_map_tensor = get_tensor
