"""The predictor of fluid: PaddleTensor in, PaddleTensor out. Releases up to 2.0 have it in ``fluid.core``, later ones still do."""

import copy
import enum

import numpy as np

from ..core import dtype as dtypes
from ..core.errors import check_type, describe
from .config import Config
from .predictor import Predictor, Tensor
from .types import PlaceType

PaddlePlace = PlaceType
ZeroCopyTensor = Tensor


class PaddleDType(enum.IntEnum):
    """Element types of PaddleTensors."""

    FLOAT32, INT64, INT32, UINT8, INT8, FLOAT16, BOOL, FLOAT64 = 0, 1, 2, 3, 4, 5, 6, 7


def _numpy_type(kind, function):
    if not isinstance(kind, PaddleDType):
        raise TypeError(f"{function}(): dtype must be a PaddleDType, got {describe(kind)}")
    return np.dtype(kind.name.lower())


def paddle_dtype_size(dtype):
    """Bytes of one element.

    >>> from paddle.fluid import core
    >>> core.paddle_dtype_size(core.PaddleDType.INT64)
    8
    """
    return _numpy_type(dtype, "paddle_dtype_size").itemsize


class PaddleBuf:
    """Bytes of a PaddleTensor: an empty buffer of so many bytes, or a copy of numbers (a list means float32).

    >>> from paddle.fluid.core import PaddleBuf
    >>> buffer = PaddleBuf([1.0, 2.0])
    >>> buffer.length(), buffer.float_data()
    (8, [1.0, 2.0])
    """

    def __init__(self, data):
        if isinstance(data, int) and not isinstance(data, bool):
            self._bytes = np.zeros(_size(data, "PaddleBuf"), np.uint8)
        else:
            self.reset(data)

    def reset(self, data):
        """Hold a copy of an array, or of a list of floats, instead."""
        array = np.asarray(data, np.float32) if isinstance(data, (list, tuple)) else data
        check_type(array, np.ndarray, "PaddleBuf.reset", "data")
        self._bytes = np.array(array, order="C").reshape(-1).view(np.uint8)

    def resize(self, length):
        """Hold so many bytes; what was there is lost unless it is as long."""
        if _size(length, "PaddleBuf.resize") != self._bytes.size:
            self._bytes = np.zeros(length, np.uint8)

    def empty(self):
        """Are there no bytes?"""
        return not self._bytes.size

    def length(self):
        """How many bytes there are."""
        return self._bytes.size

    def tolist(self, dtype):
        """The bytes read as numbers of a type: 'int32', 'int64' or 'float32'."""
        kind = dtypes.to_numpy(dtype, "PaddleBuf.tolist")
        return self._bytes[:self._bytes.size // kind.itemsize * kind.itemsize].view(kind).tolist()

    def float_data(self):
        """The bytes read as float32."""
        return self.tolist("float32")

    def int64_data(self):
        """The bytes read as int64."""
        return self.tolist("int64")

    def int32_data(self):
        """The bytes read as int32."""
        return self.tolist("int32")


def _size(value, function):
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ValueError(f"{function}(): needs a number of bytes, got {describe(value)}")
    return value


class PaddleTensor:
    """A value given to or taken from a predictor of fluid.

    Args:
        data: an array; none makes an empty tensor whose fields are set one by one.
        name: the input it belongs to, where the predictor goes by names.
        lod: offsets of sequences, a list for each level.
        copy: whether to copy the array; otherwise its memory is used.

    >>> from paddle.fluid.core import PaddleTensor
    >>> tensor = PaddleTensor(np.zeros((2, 3), 'float32'))
    >>> tensor.shape, tensor.dtype.name, tensor.as_ndarray().sum().item()
    ([2, 3], 'FLOAT32', 0.0)
    """

    def __init__(self, data=None, name="", lod=(), copy=True):
        self.name, self.lod = name, [list(level) for level in lod]
        self.shape, self.dtype, self.data = [], PaddleDType.FLOAT32, PaddleBuf(0)
        if data is None:
            return
        array = np.asarray(data)
        if array.dtype.name.upper() not in PaddleDType.__members__:
            known = ", ".join(PaddleDType.__members__).lower()
            raise TypeError(f"PaddleTensor(): data must hold {known}, got {array.dtype}")
        self.shape, self.dtype = list(array.shape), PaddleDType[array.dtype.name.upper()]
        if copy:
            self.data.reset(array)
        else:
            if not array.flags.c_contiguous:
                raise ValueError("PaddleTensor(): an array that is not copied must be contiguous")
            self.data._bytes = array.reshape(-1).view(np.uint8)

    def as_ndarray(self):
        """The values as an array that shares the tensor's memory."""
        kind = _numpy_type(self.dtype, "PaddleTensor.as_ndarray")
        count = int(np.prod(self.shape)) * kind.itemsize
        if self.data.length() < count:
            raise ValueError(f"PaddleTensor.as_ndarray(): shape {self.shape} needs {count} bytes, got {self.data.length()}")
        return self.data._bytes[:count].view(kind).reshape(self.shape)


def paddle_tensor_to_bytes(tensor):
    """The bytes of a tensor's values."""
    check_type(tensor, PaddleTensor, "paddle_tensor_to_bytes", "tensor")
    return tensor.data._bytes.tobytes()


class AnalysisConfig(Config):
    """The Config of fluid's predictors; one made from another is a copy."""

    Float32, Int8, Half = Config.Precision.Float32, Config.Precision.Int8, Config.Precision.Half

    def __init__(self, *args):
        copied = len(args) == 1 and isinstance(args[0], Config)
        super().__init__(*(() if copied else args))
        self._by_name = False
        if copied:
            vars(self).update(copy.deepcopy(vars(args[0])))

    def to_native_config(self):
        """The same model for a predictor that runs operator by operator."""
        native = NativeConfig()
        native.model_dir, native.prog_file, native.param_file = self._dir, self._prog, self._params
        return native


class NativeConfig:
    """Where a model is; the predictor runs it operator by operator."""

    def __init__(self):
        self.model_dir = self.prog_file = self.param_file = ""
        self.use_gpu, self.device, self.fraction_of_gpu_memory, self.specify_input_name = False, 0, -1.0, False
        self._threads = 1

    def set_cpu_math_library_num_threads(self, n):
        """How many threads kernels use (in the whole process)."""
        self._threads = n

    def cpu_math_library_num_threads(self):
        """How many threads kernels use."""
        return self._threads

    def _analysis(self):
        config = AnalysisConfig()
        if self.prog_file:
            config.set_model(self.prog_file, self.param_file)
        else:
            config.set_model(self.model_dir)
        if self.use_gpu:
            config.enable_use_gpu(device_id=self.device)
        config.switch_ir_optim(False)
        config.switch_specify_input_names(self.specify_input_name)
        config.set_cpu_math_library_num_threads(self._threads)
        return config


class PaddlePredictor:
    """Runs a model of fluid on a list of PaddleTensors. Make one with ``create_paddle_predictor``."""

    Config = Config

    def __init__(self, config, predictor=None):
        self._config = config
        self._predictor = predictor or Predictor(config)

    def run(self, inputs):
        """The outputs as PaddleTensors, for inputs in the model's order; by their names if the Config says that they have some."""
        if not isinstance(inputs, (list, tuple)) or len(inputs) != len(self.get_input_names()):
            raise ValueError(f"PaddlePredictor.run(): the model has {len(self.get_input_names())} inputs, got {describe(inputs)}")
        for name, tensor in zip(self.get_input_names(), inputs):
            check_type(tensor, PaddleTensor, "PaddlePredictor.run", "inputs")
            handle = self.get_input_tensor(tensor.name if self._config._by_name else name)
            handle.share_external_data(tensor.as_ndarray())
            handle.set_lod(tensor.lod[:handle._declared.levels])
        self._predictor.run()
        return [self._output(name) for name in self.get_output_names()]

    def _output(self, name):
        handle = self.get_output_tensor(name)
        return PaddleTensor(handle.copy_to_cpu(), name, handle.lod(), copy=False)

    def get_input_names(self):
        """Names of the inputs."""
        return self._predictor.get_input_names()

    def get_output_names(self):
        """Names of the outputs."""
        return self._predictor.get_output_names()

    def get_input_tensor(self, name):
        """The handle of an input."""
        return self._predictor.get_input_handle(name)

    def get_output_tensor(self, name):
        """The handle of an output."""
        return self._predictor.get_output_handle(name)

    def get_input_tensor_shape(self):
        """The declared shapes of the inputs by their names."""
        return {name: list(self.get_input_tensor(name)._declared.shape) for name in self.get_input_names()}

    def zero_copy_run(self):
        """Run the model on what the input handles hold."""
        return self._predictor.run()

    def clone(self):
        """Another predictor of the same model, with inputs and outputs of its own."""
        return type(self)(self._config, self._predictor.clone())

    def program(self):
        """The program that runs."""
        return self._predictor._model.frozen().program

    def get_serialized_program(self):
        """The program as the bytes of a file."""
        return self.program().serialize_to_string()


class AnalysisPredictor(PaddlePredictor):
    """A predictor that rewrites the program before it runs."""


class NativePaddlePredictor(PaddlePredictor):
    """A predictor that runs the program operator by operator."""


def create_paddle_predictor(config):
    """A predictor of fluid for an AnalysisConfig or NativeConfig."""
    if isinstance(config, NativeConfig):
        return NativePaddlePredictor(config._analysis())
    check_type(config, AnalysisConfig, "create_paddle_predictor", "config")
    return AnalysisPredictor(config)
