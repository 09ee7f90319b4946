"""A tensor as files hold it: element type by name, NumPy array, and LoD offsets."""

import numpy as np

# NumPy has no bfloat16: such tensors are kept as the uint16 of their bits, and `StoredTensor.dtype` says so.
DTYPES = {  # name: (number of the type in Paddle's files, NumPy dtype that holds it)
    "bool": (0, np.dtype("bool")), "int16": (1, np.dtype("<i2")), "int32": (2, np.dtype("<i4")),
    "int64": (3, np.dtype("<i8")), "float16": (4, np.dtype("<f2")), "float32": (5, np.dtype("<f4")),
    "float64": (6, np.dtype("<f8")), "uint8": (20, np.dtype("u1")), "int8": (21, np.dtype("i1")),
    "bfloat16": (22, np.dtype("<u2")), "complex64": (23, np.dtype("<c8")), "complex128": (24, np.dtype("<c16")),
}
DTYPE_NAMES = {code: name for name, (code, _) in DTYPES.items()}


class StoredTensor:
    """An array with the name of its element type (bfloat16 is held in uint16) and its LoD offsets, mostly none."""

    __slots__ = ("array", "dtype", "lod")

    def __init__(self, array, dtype="", lod=()):
        self.array, self.dtype, self.lod = np.asarray(array), dtype, list(lod)
        if not dtype:
            self.dtype = "bfloat16" if self.array.dtype == np.uint16 else self.array.dtype.name
        if self.dtype not in DTYPES:
            raise TypeError(f"arrays of dtype {self.dtype} cannot be stored; known: {', '.join(DTYPES)}")
        holder = DTYPES[self.dtype][1]
        if self.array.dtype != holder:
            if self.array.dtype.newbyteorder("=") != holder.newbyteorder("="):
                raise TypeError(f"a {self.dtype} tensor must be held in {holder.name}, not in {self.array.dtype.name}")
            self.array = self.array.astype(holder)
