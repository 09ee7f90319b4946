"""libdygraph by ctypes, for tests: a Model is loaded from files and called with arrays."""

import ctypes
import pathlib
import sys

import numpy as np
import pytest

import paddle

PATH = pathlib.Path(paddle.sysconfig.get_lib()) / ("libdygraph.dylib" if sys.platform == "darwin" else "libdygraph.so")
if not PATH.exists():
    pytest.skip("libdygraph was not built: no C compiler was found at installation", allow_module_level=True)
LIBRARY = ctypes.CDLL(str(PATH))


class Names(ctypes.Structure):
    """PD_OneDimArrayCstr."""

    _fields_ = [("size", ctypes.c_size_t), ("data", ctypes.POINTER(ctypes.c_char_p))]


class Shape(ctypes.Structure):
    """PD_OneDimArrayInt32."""

    _fields_ = [("size", ctypes.c_size_t), ("data", ctypes.POINTER(ctypes.c_int32))]


class Offsets(ctypes.Structure):
    """PD_OneDimArraySize."""

    _fields_ = [("size", ctypes.c_size_t), ("data", ctypes.POINTER(ctypes.c_size_t))]


class Levels(ctypes.Structure):
    """PD_TwoDimArraySize."""

    _fields_ = [("size", ctypes.c_size_t), ("data", ctypes.POINTER(ctypes.POINTER(Offsets)))]


POINTER, TEXT, BOOL, SIZE = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int8, ctypes.c_size_t
for _name, _result, _arguments in [
        ("PD_ConfigCreate", POINTER, []), ("PD_ConfigDestroy", None, [POINTER]),
        ("PD_ConfigSetModel", None, [POINTER, TEXT, TEXT]), ("PD_ConfigSetModelDir", None, [POINTER, TEXT]),
        ("PD_ConfigSetModelBuffer", None, [POINTER, TEXT, SIZE, TEXT, SIZE]), ("PD_ConfigSwitchIrOptim", None, [POINTER, BOOL]),
        ("PD_ConfigSetCpuMathLibraryNumThreads", None, [POINTER, ctypes.c_int32]), ("PD_PredictorCreate", POINTER, [POINTER]),
        ("PD_PredictorClone", POINTER, [POINTER]), ("PD_PredictorDestroy", None, [POINTER]), ("PD_PredictorRun", BOOL, [POINTER]),
        ("PD_PredictorGetInputNames", ctypes.POINTER(Names), [POINTER]),
        ("PD_PredictorGetOutputNames", ctypes.POINTER(Names), [POINTER]),
        ("PD_PredictorGetInputHandle", POINTER, [POINTER, TEXT]), ("PD_PredictorGetOutputHandle", POINTER, [POINTER, TEXT]),
        ("PD_TensorDestroy", None, [POINTER]), ("PD_TensorReshape", None, [POINTER, SIZE, POINTER]),
        ("PD_TensorCopyFromCpuNamed", BOOL, [POINTER, TEXT, POINTER]), ("PD_TensorCopyToCpuNamed", BOOL, [POINTER, TEXT, POINTER]),
        ("PD_TensorGetTypeName", TEXT, [POINTER]), ("PD_TensorGetShape", ctypes.POINTER(Shape), [POINTER]),
        ("PD_OneDimArrayCstrDestroy", None, [POINTER]), ("PD_OneDimArrayInt32Destroy", None, [POINTER]),
        ("PD_TensorSetLod", None, [POINTER, POINTER]), ("PD_TensorGetLod", ctypes.POINTER(Levels), [POINTER]),
        ("PD_TwoDimArraySizeDestroy", None, [POINTER]),
        ("PD_GetOperatorNames", ctypes.POINTER(Names), []), ("PD_GetLastError", TEXT, [])]:
    _function = getattr(LIBRARY, _name)
    _function.restype, _function.argtypes = _result, _arguments


def take_names(names):
    """The texts of a PD_OneDimArrayCstr, which is destroyed."""
    texts = [names[0].data[i].decode(errors="surrogateescape") for i in range(names[0].size)]
    LIBRARY.PD_OneDimArrayCstrDestroy(ctypes.cast(names, POINTER))
    return texts


def operators():
    """The operator types that the library runs."""
    return set(take_names(LIBRARY.PD_GetOperatorNames()))


class Failed(Exception):
    """A function of the library said no; the text is PD_GetLastError's."""


def check(done):
    if not done:
        raise Failed(LIBRARY.PD_GetLastError().decode(errors="replace"))
    return done


class Model:
    """A predictor: of a program and its parameters as bytes, of two files, or of a folder."""

    def __init__(self, program=None, parameters=b"", *, folder=None, threads=2, optimize=True, clone_of=None):
        self.predictor = None
        if clone_of is not None:
            self.predictor = check(LIBRARY.PD_PredictorClone(clone_of.predictor))
        else:
            config = LIBRARY.PD_ConfigCreate()
            if folder is not None:
                LIBRARY.PD_ConfigSetModelDir(config, str(folder).encode())
            elif isinstance(program, bytes):
                LIBRARY.PD_ConfigSetModelBuffer(config, program, len(program), parameters, len(parameters))
            else:
                LIBRARY.PD_ConfigSetModel(config, str(program).encode(), str(parameters).encode())
            LIBRARY.PD_ConfigSetCpuMathLibraryNumThreads(config, threads)
            LIBRARY.PD_ConfigSwitchIrOptim(config, optimize)
            self.predictor = check(LIBRARY.PD_PredictorCreate(config))
        self.inputs = take_names(LIBRARY.PD_PredictorGetInputNames(self.predictor))
        self.outputs = take_names(LIBRARY.PD_PredictorGetOutputNames(self.predictor))

    def __call__(self, *arrays, lod=()):
        """The outputs; ``lod`` has the offsets of the first inputs' sequences, a list of levels each."""
        for name, array in zip(self.inputs, arrays, strict=True):
            self._set(name, np.asarray(array, order="C"))
        for name, levels in zip(self.inputs, lod):
            self._set_lod(name, levels)
        check(LIBRARY.PD_PredictorRun(self.predictor))
        return [self._get(name) for name in self.outputs]

    def _set(self, name, array):
        handle = check(LIBRARY.PD_PredictorGetInputHandle(self.predictor, name.encode(errors="surrogateescape")))
        sizes = (ctypes.c_int32 * max(1, array.ndim))(*array.shape)
        LIBRARY.PD_TensorReshape(handle, array.ndim, sizes)
        check(LIBRARY.PD_TensorCopyFromCpuNamed(handle, array.dtype.name.encode(), array.ctypes.data))
        LIBRARY.PD_TensorDestroy(handle)

    def _set_lod(self, name, levels):
        rows = [Offsets(len(level), (ctypes.c_size_t * len(level))(*level)) for level in levels]
        pointers = (ctypes.POINTER(Offsets) * max(1, len(rows)))(*map(ctypes.pointer, rows))
        handle = check(LIBRARY.PD_PredictorGetInputHandle(self.predictor, name.encode()))
        LIBRARY.PD_TensorSetLod(handle, ctypes.addressof(Levels(len(rows), pointers)))
        LIBRARY.PD_TensorDestroy(handle)

    def lod(self, i):
        """The offsets of the sequences of output ``i``."""
        handle = check(LIBRARY.PD_PredictorGetOutputHandle(self.predictor, self.outputs[i].encode()))
        found = LIBRARY.PD_TensorGetLod(handle)
        levels = [[found[0].data[k][0].data[n] for n in range(found[0].data[k][0].size)] for k in range(found[0].size)]
        LIBRARY.PD_TwoDimArraySizeDestroy(ctypes.cast(found, POINTER))
        LIBRARY.PD_TensorDestroy(handle)
        return levels

    def _get(self, name):
        handle = check(LIBRARY.PD_PredictorGetOutputHandle(self.predictor, name.encode(errors="surrogateescape")))
        shape, kind = LIBRARY.PD_TensorGetShape(handle), LIBRARY.PD_TensorGetTypeName(handle)
        array = np.empty([shape[0].data[i] for i in range(shape[0].size)], kind.decode())
        LIBRARY.PD_OneDimArrayInt32Destroy(ctypes.cast(shape, POINTER))
        check(LIBRARY.PD_TensorCopyToCpuNamed(handle, kind, array.ctypes.data))
        LIBRARY.PD_TensorDestroy(handle)
        return array

    def __del__(self):
        if self.predictor:
            LIBRARY.PD_PredictorDestroy(self.predictor)
