"""Tensor: a NumPy array with a place on the tape. Public methods are added by paddle.tensor from its table."""

import functools
import itertools
import warnings

import numpy as np

from . import dtype as dtypes
from . import engine, flags, lenient, storage
from . import place as places
from .context import context
from .errors import LeafError, describe
from .names import generate
from .rooms import rooms
from .size import Size

_names = itertools.count()
_to_1d = flags.define("FLAGS_set_to_1d", False, "numpy() of a tensor without axes gives an array of one element")


class _Zero:
    """Marks a gradient that was cleared: reads as zeros, costs nothing until someone looks."""

    def __repr__(self):
        return "<cleared gradient>"


ZERO = _Zero()
class Meta:
    """What few tensors have: a name, hooks, persistence, sequence lengths."""

    __slots__ = ("name", "persistable", "hooks", "added_hooks", "extra", "attributes", "lengths")

    def __init__(self):
        self.name, self.persistable, self.hooks, self.extra, self.attributes, self.lengths = None, False, {}, None, None, None
        self.added_hooks = []  # called when a backward pass has added to the gradient


def _zeros_of(sizes):
    """An array of zeros of these sizes: the ints before the first argument that is none."""
    end = next((i for i, size in enumerate(sizes) if size.__class__ is not int), len(sizes))
    rest = sizes[end:]
    if rest != (None, None, True, None, False)[5 - len(rest):] or min(sizes[:end]) < 0:
        raise TypeError(f"Tensor(): sizes must be ints of at least 0, got {describe(sizes[:max(end, 2)])}")
    return np.zeros(sizes[:end], np.float32)


_PLACED = "value", "place", "persistable", "zero_copy", "name", "stop_gradient"


def _in_both_orders(construct):
    """Let a constructor take arguments in C++'s orders too, which 2.x's programs use: ``(value, place, persistable, zero_copy,
    name, stop_gradient)``, or the name after the place, and ``(dtype, dims, name, type, persistable)``."""
    @functools.wraps(construct)
    def init(self, *args, **kwargs):
        if len(args) > 1 and isinstance(args[1], places.Place):
            names = ("value", "place", "name") if args[2:] and args[2].__class__ is str else _PLACED
            args, kwargs = (), _named(names, args, kwargs)
        elif "dims" in kwargs or args and isinstance(getattr(args[0], "paddle_dtype", args[0]), dtypes.DType):  # or a VarType
            given = _named(("dtype", "dims", "name", "type", "persistable"), args, kwargs)
            if "SELECTED_ROWS" in str(given.pop("type", None)):
                raise NotImplementedError("Tensor(): selected rows are made by gradients, paddle.base.core.SelectedRows or a scope")
            sizes = [max(0, int(n)) for n in given.pop("dims", ())]
            args, kwargs = (), {**given, "value": np.zeros(sizes, dtypes.to_numpy(given.pop("dtype")))}
        construct(self, *args, **kwargs)
    return init


def _named(names, args, kwargs):
    given = dict(zip(names, args))
    if len(args) > len(names) or set(given) & set(kwargs):
        by_name = ", ".join(kwargs) or "none by name"
        raise TypeError(f"Tensor(): takes ({', '.join(names)}), got {len(args)} arguments and {by_name}")
    return {**given, **kwargs}


class Tensor(engine.TensorBase):
    """An n-dimensional array that remembers how it was computed.

    Tensors come from ``paddle.to_tensor``, creation functions and operators. ``stop_gradient`` is True for data; set it to
    False on a leaf to receive ``grad`` after ``backward()``.

    Args:
        value (number, list, array, Tensor or None): the elements; an empty tensor for None.
        dtype (str, dtype or None): element type; by the rules of ``to_tensor`` for None.
        place (Place, str or None): device; there is only the CPU.
        stop_gradient (bool): is it data rather than a leaf that receives gradients?
        name (str or None): name of the tensor.
        persistable (bool): is it stored with a program or layer?
        zero_copy (bool): use the memory of a given array, instead of a copy.
    Raises:
        ValueError: nested lists have unequal lengths.
        TypeError: the data is of another kind.

    >>> x = paddle.to_tensor([1., 2., 3.])
    >>> x.shape
    [3]
    """

    __module__ = "paddle"  # where programs find it, and what its type prints as
    __slots__ = ("__weakref__",)  # and the fields of TensorBase
    __array_priority__ = 100  # NumPy operands give way: np.float32(2) * t is a Tensor
    __array_ufunc__ = None

    @_in_both_orders
    def __init__(self, value=None, dtype=None, place=None, stop_gradient=True, name=None, persistable=False, zero_copy=False):
        if context.rules.float_lists and (value.__class__ is int or dtype is None and isinstance(value, (list, tuple))):
            if value.__class__ is int:  # Tensor(2, 3): the sizes stand where the arguments are otherwise
                given = (value, dtype, place, stop_gradient, name, persistable)
                value, dtype, place, stop_gradient, name, persistable = _zeros_of(given), None, None, True, None, False
            dtype = "float32"
        if place is not None:
            places.convert(place, "Tensor")
        shared = zero_copy and value.__class__ is np.ndarray and dtypes.find(value.dtype) is not None and (
            dtype is None or dtypes.to_numpy(dtype, "Tensor") == value.dtype)
        self._data = value.view() if shared else rooms.as_array([] if value is None else value, dtype, "Tensor")
        self._edge = self._grad = self._meta = None
        self._version = 0
        self.stop_gradient = stop_gradient
        if name is not None:
            self.name = name
        if persistable:
            self.meta().persistable = True

    # ---- the array ----
    @property
    def shape(self):
        """The sizes of the axes, as a list; a Size under the rules of Paddle 3."""
        return Size(self._data.shape) if context.rules.sizes else list(self._data.shape)

    @property
    def dtype(self):
        """The element type."""
        return dtypes.of(self._data)

    @property
    def ndim(self):
        """The number of axes."""
        return self._data.ndim

    @property
    def place(self):
        """Where the memory is: on the CPU."""
        return places.CPU

    def numpy(self, dtype=None):
        """The values as a NumPy array of its own.

        NumPy has no bfloat16: what comes then are the bits, as uint16.

        Args:
            dtype: element type to convert to; 'bfloat16' gives the values of bfloat16 in the type of the package ml-dtypes.
                False: an array without axes stays one even where FLAGS_set_to_1d is on.

        >>> paddle.ones([2]).numpy().tolist()
        [1.0, 1.0]
        """
        to_1d = _to_1d.value and dtype is not False
        dtype = None if dtype.__class__ is bool else dtype
        data = self._data.view(np.uint16) if dtype is None and self._data.dtype.char == "E" else self._data  # bits of bfloat16
        data = data.copy() if dtype is None else data.astype(dtypes.to_numpy(dtype, "numpy"))
        if to_1d and dtype is None and not data.ndim:
            return data.reshape(1)
        return lenient.view(data) if context.rules.lenient_arrays and dtype is None else data

    def __array__(self, dtype=None, copy=None):
        if dtype is not None and dtype != self._data.dtype:
            return self._data.astype(dtype)
        data = self._data.view(np.uint16) if self._data.dtype.char == "E" else self._data
        return data if copy is False else data.copy()

    def _content(self):
        """What the tensor holds: its array; a RowsTensor its rows."""
        return self._data

    # ---- rare properties ----
    def meta(self):
        if self._meta is None:
            self._meta = Meta()
        return self._meta

    @property
    def name(self):
        """Name of the tensor; made up on first use unless it was given one."""
        meta = self.meta()
        if meta.name is None:
            meta.name = (generate("generated_var") if context.rules.generated_names
                         else f"generated_tensor_{next(_names)}")
        if self._data.dtype.kind == "c" and context.rules.complex_pairs:
            return {part: f"{meta.name}.{part}" for part in ("real", "imag")}
        return meta.name

    @name.setter
    def name(self, value):
        self.meta().name = value

    @property
    def persistable(self):
        """Is the tensor stored with a program or layer?"""
        return self._meta is not None and self._meta.persistable

    @persistable.setter
    def persistable(self, value):
        if type(self) is Tensor and context.guard is not None and not context.rules.sets_persistable:
            warnings.warn(f"persistable of a dynamic tensor can't be set in {context.rules.name}; keep the tensor", stacklevel=2)
        else:
            self.meta().persistable = bool(value)

    def _keep_attribute(self, name, value):
        """Keep an attribute that tensors do not have, where the rules in force say that they take any; was it kept?"""
        if not context.rules.free_attributes or hasattr(type(self), name):
            return False
        meta = self.meta()
        meta.attributes = {**(meta.attributes or {}), name: value}
        return True

    def __getattr__(self, name):
        kept = None if self._meta is None else self._meta.attributes
        if kept is not None and name in kept:
            return kept[name]
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)

    # ---- gradients ----
    @property
    def is_leaf(self):
        """Was the tensor made by the user (or without gradients) rather than by a recorded op?"""
        return self._edge is None

    def _grad_ivar(self):
        """The accumulated gradient as a Tensor, or None; zeros after it was cleared: what this package reads."""
        if context.trace is not None:
            return context.trace.gradients.read(self)
        g = self._grad
        if g is ZERO:
            g = self._grad = wrap(np.zeros(self._data.shape, self._data.dtype))
        if g is not None:
            g.stop_gradient = False  # as Paddle has it: what is computed from gradients is recorded
        return g

    @property
    def grad(self):
        """The accumulated gradient as a Tensor (in 2.0 as an array), or None; zeros after it was cleared."""
        return self.gradient() if context.rules.array_gradients and context.trace is None else self._grad_ivar()

    @grad.setter
    def grad(self, value):
        if context.trace is not None:
            context.trace.gradients.write(self, value)
            return
        if value is not None and not isinstance(value, Tensor):
            raise TypeError(f"grad: must be a Tensor or None, got {type(value).__name__}")
        if value is not None and value._content().shape != self._data.shape:
            raise ValueError(f"grad: shape {list(value._content().shape)} is not the tensor's {self.shape}")
        self._grad = value

    @property
    def inplace_version(self):
        """How often the tensor was changed in place."""
        return self._version

    # ---- changing values ----
    def replace(self, array):
        """Put another array of values in (no gradient, no checks): the one way values change from outside the tape."""
        if self._aliased:
            storage.replace(self, array)
            return
        self._data = array
        self._version += 1

    def writable(self):
        """The array, to be written into: for all tensors that share its memory and nobody else (see storage.py)."""
        return self._data if self._sole else storage.writable(self)

    def snapshot(self):
        """Another Tensor with the value and history of now: what an in-place function computes from, so that what its ops
        save stays unchanged when the tensor itself becomes the result."""
        if context.trace is not None:
            return context.trace.variable(self)
        old = wrap(self._data)
        old._edge, old.stop_gradient = self._edge, self.stop_gradient
        return old

    def become(self, other, by, reshapes=False, leaf=False):
        """Take over the value and history of ``other``: how in-place ops work (``by`` names them in errors).

        ``reshapes`` is for the few that may change shape and element type (``reshape_``, ``cast_``), ``leaf`` for those that may
        write into a leaf that wants a gradient (``assign``): it is none from then on.
        """
        if context.trace is not None and not isinstance(other, Tensor):
            context.trace.store(self, other, by)
            return self
        if self._edge is None and not self.stop_gradient and context.grad and not leaf:
            raise LeafError(f"{by}(): a leaf tensor with stop_gradient=False can't be changed in place while gradients "
                               "are recorded; use paddle.no_grad()")
        if other._data.shape != self._data.shape and not reshapes:
            raise ValueError(f"{by}(): the result's shape {other.shape} is not the tensor's own {self.shape}, "
                             "so it can't be stored in place")
        edge = self._edge
        if edge is not None:
            node, index = edge if edge.__class__ is tuple else (edge, 0)
            if node.out is not None and node.recipe.reads_output(index):
                node.spoiled = by
        if other._data.dtype != self._data.dtype and not reshapes:
            other = _typed(other, self._data.dtype)
        if not self._aliased:
            self._data = other._data
            self._version += 1
        else:
            storage.become(self, other, by, reshapes)
        self._edge = other._edge
        if not other.stop_gradient:
            self.stop_gradient = False
        return self


def _typed(tensor, dtype):
    """The tensor in another element type, at the same place on the tape."""
    typed = wrap(tensor._data.astype(dtype))
    typed._edge, typed.stop_gradient = tensor._edge, tensor.stop_gradient
    return typed


_new = Tensor.__new__


def wrap(array):
    """A leaf Tensor over an array, without copy or checks."""
    t = _new(Tensor)
    t._data = array
    t.stop_gradient = True
    t._edge = t._grad = t._meta = None
    t._version = 0
    return t


def alias(tensor, detached):
    """A leaf Tensor over the memory of another one, which shares it: a view of it for gradients, or a detached one."""
    other = wrap(tensor._data.view())
    engine.share(tensor, other, detached)
    return other


if engine.fast is not None:
    wrap, alias = engine.fast.wrap, engine.fast.alias  # noqa: F811


class Parameter(Tensor):
    """A trainable tensor of a layer: it has a name, is persistable and receives gradients unless frozen."""

    def __init__(self, data, name, trainable=True, learning_rate=1.0, regularizer=None, need_clip=True,
                 do_model_average=True):
        self._data = data
        self._edge = self._grad = self._meta = None
        self._version = 0
        self.stop_gradient = not trainable
        self.name = name
        self.persistable = True
        self.optimize_attr = {"learning_rate": learning_rate}
        self.regularizer = regularizer
        self.need_clip = need_clip
        self.do_model_average = do_model_average
        self.is_distributed = False

    @classmethod
    def from_tensor(cls, tensor, name=None, trainable=True, optimize_attr=None, regularizer=None, do_model_average=True,
                    need_clip=True):
        """A parameter that shares a tensor's memory; it keeps the tensor's name unless another is given."""
        rate = (optimize_attr or {}).get("learning_rate", 1.0)
        parameter = cls(tensor._data.view(), name or tensor.name, trainable, rate, regularizer, need_clip, do_model_average)
        engine.share(tensor, parameter, True)
        return parameter

    @property
    def trainable(self):
        """Does the parameter receive gradients? The opposite of ``stop_gradient``."""
        return not self.stop_gradient

    @trainable.setter
    def trainable(self, value):
        if not isinstance(value, bool):
            raise ValueError(f"Parameter.trainable must be True or False, got {value!r}")
        self.stop_gradient = not value
