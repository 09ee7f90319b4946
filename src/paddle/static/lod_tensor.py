"""LoDTensor: an array with sequence lengths, as programs of 1.x feed and fetch it, and LoDTensorArray."""

import numpy as np

from ..core import dtype as dtypes
from ..core.errors import describe
from ..core.lengths import SequenceLengths
from ..core.place import CPUPlace
from ..core.rooms import rooms
from ..core.storage import lay_over
from ..core.tensor import wrap


class LoDTensor(SequenceLengths):
    """An array with sequence lengths, level by level, as programs of 1.x feed and fetch it.

    ``LoDTensor()`` is empty until ``set`` is called; ``LoDTensor([[2, 3]])``, with lengths alone, likewise.
    """

    def __init__(self, array=None, lengths=None):
        if lengths is None and isinstance(array, list) and array and all(isinstance(level, list) for level in array):
            array, lengths = None, array  # C++'s only argument were the lengths
        self._array, self._lengths = None if array is None else np.asarray(array), [list(level) for level in lengths or []]

    # ---- the array ----
    def set(self, array, place=None, zero_copy=False):
        """Store an array: a copy, or with ``zero_copy`` the array itself."""
        given = np.asarray(array) if zero_copy else np.array(array)
        if given.dtype.kind not in "biufcV":
            raise ValueError(f"LoDTensor.set(): array must hold numbers, got {describe(array)}")
        self._array = dtypes.of_bits(given)

    def shape(self):
        """Sizes of the array; ``[0]`` before one was set."""
        return [0] if self._array is None else list(self._array.shape)

    _get_dims = shape

    def _set_dims(self, dims):
        """Change the shape; what is new is zero."""
        old = np.zeros([0], np.float32) if self._array is None else self._array
        self._array = np.zeros(dims, old.dtype)
        kept = min(old.size, self._array.size)
        self._array.reshape(-1)[:kept] = old.reshape(-1)[:kept]

    def _alloc_float(self, place=None):
        self._array = self._need("_alloc_float").astype(np.float32)

    def _alloc_int(self, place=None):
        self._array = self._need("_alloc_int").astype(np.int32)

    def _alloc_double(self, place=None):
        self._array = self._need("_alloc_double").astype(np.float64)

    def _mutable_data(self, place, dtype=None):
        """The address of the array's memory, of that type from here on."""
        old = np.zeros([0], np.float32) if self._array is None else self._array
        self._array = old if dtype is None else old.astype(dtypes.to_numpy(dtype, "LoDTensor._mutable_data"), copy=False)
        return self._array.ctypes.data

    def _to_dlpack(self):
        """An object through which another library shares the array's memory."""
        return rooms.to_dlpack(wrap(self._need("_to_dlpack")))

    def _is_initialized(self):
        """Has an array been set?"""
        return self._array is not None

    def _clear(self):
        """Forget the array."""
        self._array = None

    def _place(self):
        """Where the array is."""
        return CPUPlace()

    def _dtype(self):
        """The element type."""
        return dtypes.convert(self._need("_dtype").dtype, "LoDTensor._dtype")

    def _copy(self, place=None):
        """A copy with memory of its own."""
        return LoDTensor(np.array(self._need("_copy")), self._lengths)

    def _copy_from(self, tensor, place=None, batch_size=-1):
        """Take a copy of another's array, or of its first ``batch_size`` rows."""
        array = np.array(tensor._need("_copy_from") if isinstance(tensor, LoDTensor) else tensor)
        self._array = array if batch_size < 0 else array[:batch_size]

    def _as_type(self, dtype):
        """A copy of another element type."""
        return LoDTensor(self._need("_as_type").astype(dtypes.to_numpy(dtype, "LoDTensor._as_type")), self._lengths)

    def _get_element(self, index):
        return self._need("_get_element").reshape(-1)[index].item()

    def _set_element(self, index, value):
        array = np.array(self._need("_set_element"), order="C")  # others may hold the one that was set
        array.reshape(-1)[index] = value
        self._array = array

    _get_float_element = _get_double_element = _get_complex64_element = _get_complex128_element = _get_element
    _set_float_element = _set_double_element = _set_complex64_element = _set_complex128_element = _set_element

    def _need(self, function):
        if self._array is None:
            raise RuntimeError(f"LoDTensor.{function}(): no array has been set")
        return self._array

    def __getitem__(self, index):
        """A part of the rows as a LoDTensor without lengths."""
        return LoDTensor(self._need("__getitem__")[index])

    def __len__(self):
        return len(self._need("__len__"))

    def __array__(self, dtype=None, copy=None):
        array = self._need("__array__")
        return np.array(array.view(np.uint16) if dtype is None and array.dtype.char == "E" else array, dtype)

    def __str__(self):
        array = self._array if self._array is not None else np.zeros([0], np.float32)
        lod = "" if not self._lengths else f"  - lod: {{{', '.join('{' + ', '.join(map(str, o)) + '}' for o in self.lod())}}}\n"
        data = " ".join(f"{value:g}" if array.dtype.kind == "f" else str(value) for value in array.reshape(-1).tolist())
        return (f"{lod}  - place: CPUPlace\n  - shape: [{', '.join(map(str, array.shape))}]\n  - layout: NCHW\n"
                f"  - dtype: {_TYPES.get(array.dtype.name, array.dtype.name)}\n  - data: [{data}]")

    def __repr__(self):
        return f"LoDTensor(lengths={self._lengths}, {self._array!r})"

    def _rows(self):
        return None if self._array is None or not self._array.size else len(self._array)


_TYPES = {"float32": "float", "float64": "double", "int32": "int", "int64": "int64_t"}


class RowsValues(LoDTensor):
    """The values of SelectedRows: what is set goes there."""

    def __init__(self, owner):
        self._owner = owner
        super().__init__(owner.values)

    _array = property(lambda self: self._owner.values, lambda self, array: setattr(self._owner, "values", array))


class TensorValues(LoDTensor):
    """What a dynamic tensor holds (``tensor.get_tensor()``): an array that is set becomes the tensor's, of whatever shape."""

    def __init__(self, owner):
        self._owner = owner

    @property
    def _array(self):
        return self._owner._data

    @_array.setter
    def _array(self, array):
        self._owner.replace(np.zeros([0], self._array.dtype) if array is None else np.asarray(array, order="C"))

    _lengths = property(lambda self: self._owner._lengths, lambda self, lengths: setattr(self._owner, "_lengths", lengths))

    def _is_initialized(self):
        """Has an array been set since ``_clear``?"""
        return self._array.shape != (0,)

    def _share_data_with(self, other):
        """Let the tensor lie in the memory of another one from now on."""
        if not isinstance(other, TensorValues):
            raise TypeError(f"_share_data_with(): other must be what get_tensor() of a Tensor gives, got {describe(other)}")
        lay_over(self._owner, other._owner)

    def _slice(self, begin, end):
        """Rows from one to another, in the same memory."""
        return TensorValues(self._owner._slice(begin, end))

    def _ptr(self):
        """The address of the array's memory."""
        return self._array.ctypes.data

    def __getitem__(self, index):
        return TensorValues(self._owner[index])


class LoDTensorArray(list):
    """LoDTensors in a row, as a tensor array is fetched."""

    def append(self, tensor):
        """Put another one at the end; an array becomes a LoDTensor."""
        super().append(tensor if isinstance(tensor, LoDTensor) else LoDTensor(np.asarray(tensor)))

    def _move_to_list(self):
        """The LoDTensors as a list; nothing stays here."""
        moved = list(self)
        self.clear()
        return moved
