"""Data types by PyTorch's names: ``x.float()``, ``paddle.FloatTensor``, and what Paddle 3 lets one ask a tensor."""

import numpy as np

from ..core import dtype as dtypes
from ..core import place as places
from ..core import storage
from ..core.errors import describe
from ..core.size import Size
from ..core.tensor import Tensor
from .convert import int_arg
from .creation import empty, to_tensor
from .manipulation import cast, swapaxes

_NAMES = {"float": "float32", "double": "float64", "half": "float16", "bfloat16": "bfloat16", "int": "int32", "long": "int64",
          "short": "int16", "char": "int8", "byte": "uint8", "bool": "bool", "cfloat": "complex64", "cdouble": "complex128",
          "float16": "float16", "float32": "float32", "float64": "float64", "int8": "int8", "int16": "int16", "int32": "int32",
          "int64": "int64", "uint8": "uint8", "complex64": "complex64", "complex128": "complex128"}
_PUBLIC = ("float", "double", "half", "cfloat", "cdouble", "long", "int", "short")  # element types of the package too
CONSTANTS = {**{name: dtypes.ALL[_NAMES[name]] for name in _PUBLIC},
             "e": np.e, "pi": np.pi, "inf": np.inf, "nan": np.nan, "newaxis": None}


def _conversion(name, dtype):
    def convert(self):
        return self if self.dtype == dtype else cast(self, dtype)
    convert.__name__ = convert.__qualname__ = name
    convert.__doc__ = f"The tensor in the element type {dtype}."
    return convert


class TensorFactory:
    """Makes tensors of the same data type: from data, or uninitialised ones from sizes.

    >>> paddle.FloatTensor([1, 2]).tolist(), paddle.LongTensor(2, 3).shape
    ([1.0, 2.0], [2, 3])
    """

    def __init__(self, name, dtype):
        self.__name__, self.dtype = name, dtype

    def __call__(self, *args, device=None):
        if device is not None:
            places.convert(device, self.__name__)
        if not args:
            return empty([0], self.dtype)
        if all(isinstance(a, (int, np.integer)) and not isinstance(a, bool) for a in args):
            return empty([int_arg(a, self.__name__, "size") for a in args], self.dtype)
        if len(args) != 1:
            raise TypeError(f"{self.__name__}(): takes data, or sizes as ints; got {', '.join(describe(a) for a in args)}")
        return empty(list(args[0]), self.dtype) if isinstance(args[0], Size) else to_tensor(args[0], self.dtype)

    def __repr__(self):
        return f"paddle.{self.__name__}"


_FACTORIES = {"FloatTensor": "float32", "DoubleTensor": "float64", "HalfTensor": "float16", "BFloat16Tensor": "bfloat16",
              "IntTensor": "int32", "LongTensor": "int64", "ShortTensor": "int16", "CharTensor": "int8", "ByteTensor": "uint8",
              "BoolTensor": "bool"}
FACTORIES = {name: TensorFactory(name, dtype) for name, dtype in _FACTORIES.items()}
globals().update(FACTORIES)
__all__ = [*FACTORIES, "Size"]


def _stride(self, dim=None):
    """The steps between neighbours along each axis, in elements; of one axis if that is named.

    >>> paddle.ones([2, 3]).stride(), paddle.ones([2, 3]).stride(0)
    ([3, 1], 3)
    """
    steps = self.get_strides()
    return steps if dim is None else steps[int_arg(dim, "stride", "dim")]


def _requires_grad(self, requires_grad=True):
    """Say whether gradients reach the tensor; returns it.

    >>> paddle.ones([2]).requires_grad_().stop_gradient
    False
    """
    self.stop_gradient = not requires_grad
    return self


def _apply(self, func):
    """What ``func`` makes of the tensor; refused where gradients are recorded, which would not know of it.

    >>> paddle.ones([2]).apply(lambda x: x * 3).tolist()
    [3.0, 3.0]
    """
    _refuse_recorded(self)
    return func(self)


def _refuse_recorded(self):
    if not self.stop_gradient:
        raise RuntimeError("apply(): the tensor requires gradients; use detach() first")


def _apply_(self, func):
    """Put what ``func`` makes of the tensor into it.

    >>> paddle.ones([2]).apply_(lambda x: x * 3).tolist()
    [3.0, 3.0]
    """
    _refuse_recorded(self)
    return self.become(func(self), "apply_", reshapes=True)


def _resize(self, shape, fill_zero=False, name=None):
    """Give the tensor another shape: its elements in order, what is new undefined or zeros.

    >>> x = paddle.to_tensor([1., 2., 3.]); x.resize_([2]).tolist()
    [1.0, 2.0]
    """
    count, old = int(np.prod(shape, dtype=np.int64)), self._data.ravel()
    if count < 0:
        raise ValueError(f"resize_(): shape must hold sizes, got {shape!r}")
    values = np.zeros(count, old.dtype)
    kept = min(count, old.size)
    values[:kept] = old[:kept]
    self.replace(values.reshape([int_arg(n, "resize_", "shape") for n in shape]))
    return self


def _set(self, source=None, shape=None, stride=None, offset=0, name=None):
    """Let the tensor have another one's elements, from ``offset`` bytes on and seen with the given shape and strides if any.

    >>> paddle.ones([2]).set_(paddle.to_tensor([1., 2., 3.])).tolist()
    [1.0, 2.0, 3.0]
    """
    if source is None:
        self.replace(np.empty([0] if shape is None else shape, self._data.dtype))
        return self
    if not isinstance(source, Tensor) or source.dtype != self.dtype:
        raise TypeError(f"set_(): source must be a Tensor of {self.dtype}, got {describe(source)}")
    if shape is not None or stride is not None or offset:
        source = source.as_strided(list(source.shape if shape is None else shape),
                                   source.get_strides() if stride is None else list(stride), offset)
    storage.lay_over(self, source)
    return self


def _dense_only(name, value):
    def method(self):
        return value(self)
    method.__name__ = method.__qualname__ = name
    return method


def _is_coalesced(self):
    """Refused: only sparse tensors can be coalesced."""
    raise TypeError("is_coalesced(): only a sparse tensor in coordinates can be coalesced, this one is dense")


def _softmax(self, dim=None, dtype=None, axis=None):
    """exp(x) divided by its sum along an axis, the last one unless ``dim`` (or ``axis``) says otherwise.

    >>> paddle.zeros([2]).softmax(0).tolist()
    [0.5, 0.5]
    """
    from ..nn.functional.activation import softmax  # behind the tensors, on which it is built
    if dim is not None and axis is not None:
        raise TypeError("softmax(): dim and axis name the same argument; give one of them")
    chosen = axis if dim is None else dim
    return softmax(self, -1 if chosen is None else chosen, dtype)


METHOD_ALIASES = {
    **{name: _conversion(name, dtype) for name, dtype in _NAMES.items()},
    "requires_grad": property(lambda self: not self.stop_gradient, _requires_grad, doc="Do gradients reach the tensor?"),
    "requires_grad_": _requires_grad, "apply": _apply, "softmax": _softmax,
    "mT": property(lambda self: swapaxes(self, -1, -2), doc="The last two axes exchanged."),
    "device": property(lambda self: "cpu", doc="The name of the device: 'cpu'."),
    "is_cuda": property(lambda self: False, doc="Is the tensor on a GPU? False."),
    "dense_dim": _dense_only("dense_dim", lambda self: len(self.shape)), "sparse_dim": _dense_only("sparse_dim", lambda self: 0),
    "get_device": _dense_only("get_device", lambda self: -1), "is_coalesced": _is_coalesced,
}
for _name, _function in {"stride": _stride, "apply_": _apply_, "resize_": _resize, "set_": _set, "set_tensor": _set}.items():
    setattr(Tensor, _name, _function)
