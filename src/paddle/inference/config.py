"""Config: which model a Predictor runs, and how."""

import os

from ..core import place as places
from ..core.errors import check_type, describe, suggest
from ..kernels import threads
from .engines import in_python
from .types import PrecisionType


class Config:
    """Where a model is and how it is run.

    Args:
        a folder of a model (1.x's ``__model__`` and parameters, or one program with its ``.pdiparams``); or a prefix of
        ``.pdmodel`` or ``.json`` and ``.pdiparams`` files, or such a program file; or the paths of the two files; or a folder
        and the prefix of the files in it.
    Raises:
        ValueError: ``create_predictor`` finds no such file.

    >>> from paddle import inference
    >>> config = inference.Config('model.pdmodel', 'model.pdiparams')
    >>> config.prog_file()
    'model.pdmodel'
    """

    Precision = PrecisionType
    Float32, Half, Int8, Bfloat16 = PrecisionType.Float32, PrecisionType.Half, PrecisionType.Int8, PrecisionType.Bfloat16

    def __init__(self, *args):
        self._dir, self._prog, self._params, self._buffers = "", "", "", None
        self._optimize, self._deleted, self._threads, self._quiet, self._profile = True, [], None, False, False
        self._new_ir, self._by_name = False, True
        if args:
            self.set_model(*args)

    # ---- the model ----
    def set_model(self, *args):
        """Take another model: a folder or prefix, program and parameter files, or a folder and a prefix in it."""
        if not 1 <= len(args) <= 2 or not all(isinstance(a, (str, os.PathLike)) for a in args):
            raise TypeError(f"Config.set_model(): takes a folder or two files, got {', '.join(map(describe, args))}")
        self._dir = self._prog = self._params = ""
        self._buffers = None
        if len(args) == 2:
            first, second = map(os.fspath, args)
            if os.path.isdir(first) and not os.path.isfile(second):
                self._dir = os.path.join(first, second)
            else:
                self._prog, self._params = first, second
        else:
            self._dir = os.fspath(args[0])

    def set_prog_file(self, path):
        """The program file."""
        self._prog = os.fspath(path)

    def set_params_file(self, path):
        """The parameter file."""
        self._params = os.fspath(path)

    def set_model_buffer(self, prog_buffer, prog_size, params_buffer, params_size):
        """Take a model from memory: the contents of the two files."""
        check_type(prog_buffer, bytes, "Config.set_model_buffer", "prog_buffer")
        check_type(params_buffer, bytes, "Config.set_model_buffer", "params_buffer")
        self._buffers = prog_buffer[:prog_size], params_buffer[:params_size]

    def model_from_memory(self):
        """Does the model come from memory?"""
        return self._buffers is not None

    def model_dir(self):
        """The folder or prefix, empty if two files were given."""
        return self._dir

    def prog_file(self):
        """The program file."""
        return self._prog

    def params_file(self):
        """The parameter file."""
        return self._params

    # ---- how it runs ----
    def switch_ir_optim(self, x=True):
        """Rewrite the program before it runs (on by default), or run it operator by operator."""
        self._optimize = bool(x)

    def ir_optim(self):
        """Is the program rewritten before it runs?"""
        return self._optimize

    def pass_builder(self):
        """The passes that are applied: ``all_passes()``, ``delete_pass(name)``."""
        return PassBuilder(self)

    def delete_pass(self, name):
        """Leave a pass out (see ``paddle.static.ir.passes.names()``)."""
        self.pass_builder().delete_pass(name)

    def skipped_passes(self):
        """Names of the passes left out."""
        return tuple(in_python().pass_names()) if not self._optimize else tuple(self._deleted)

    def set_cpu_math_library_num_threads(self, n):
        """How many threads kernels use (in the whole process)."""
        if not isinstance(n, int) or n < 1:
            raise ValueError(f"Config.set_cpu_math_library_num_threads(): needs a positive int, got {describe(n)}")
        self._threads = n

    def cpu_math_library_num_threads(self):
        """How many threads kernels use."""
        return self._threads or threads.get_num_threads()

    def enable_memory_optim(self, x=True):
        """Accepted: intermediate results are always freed as soon as nobody needs them."""

    def enable_mkldnn(self):
        """Accepted: the CPU kernels are always used."""

    enable_mkldnn_bfloat16 = enable_onednn = enable_onednn_bfloat16 = enable_mkldnn

    def disable_mkldnn(self):
        """Accepted: there is no MKL-DNN (oneDNN) to turn off."""

    disable_onednn = disable_mkldnn_fc_passes = disable_onednn_fc_passes = disable_mkldnn

    def set_mkldnn_cache_capacity(self, capacity=0):
        """Accepted: there is no MKL-DNN (oneDNN) whose cache could have a size."""

    set_onednn_cache_capacity = set_mkldnn_cache_capacity

    def set_mkldnn_op(self, op_list):
        """Accepted: there is no MKL-DNN (oneDNN) that could take some operators and leave others."""

    set_onednn_op = set_bfloat16_op = set_mkldnn_op

    def mkldnn_enabled(self):
        """False: there is no MKL-DNN (oneDNN) here."""
        return False

    onednn_enabled = mkldnn_int8_enabled = onednn_int8_enabled = mkldnn_enabled

    def enable_new_executor(self, x=True):
        """Accepted: there is one executor."""

    def enable_new_ir(self, x=True):
        """Accepted: programs of both forms (``.pdmodel``, ``.json``) are run in the same way."""
        self._new_ir = bool(x)

    def new_ir_enabled(self):
        """Was ``enable_new_ir`` called? What runs is the same."""
        return self._new_ir

    def set_optimization_level(self, opt_level=2):
        """How much the program is rewritten: at 0 it runs operator by operator, from 1 on all passes are applied."""
        if not isinstance(opt_level, int) or isinstance(opt_level, bool) or not 0 <= opt_level <= 4:
            raise ValueError(f"Config.set_optimization_level(): needs an int from 0 to 4, got {describe(opt_level)}")
        self._optimize = opt_level > 0

    def enable_custom_passes(self, passes=(), custom_pass_only=False):
        """Apply these passes of ``paddle.static.ir.passes.names()``, and no others if ``custom_pass_only``."""
        known = in_python().pass_names()
        unknown = [name for name in passes if name not in known]
        if unknown:
            raise ValueError(f"Config.enable_custom_passes(): there is no pass {unknown[0]!r}{suggest(str(unknown[0]), known)}")
        self._optimize = True
        self._deleted = [name for name in (known if custom_pass_only else self._deleted) if name not in passes]

    def switch_use_feed_fetch_ops(self, x=False):
        """Accepted: values are always fed and fetched by name."""

    def use_feed_fetch_ops_enabled(self):
        """False: values are fed and fetched by name."""
        return False

    def switch_specify_input_names(self, x=True):
        """Whether the PaddleTensors of fluid's predictors say by name which input they are; handles always have names."""
        self._by_name = bool(x)

    def specify_input_name(self):
        """Do inputs say their names?"""
        return self._by_name

    def switch_ir_debug(self, x=True):
        """Print the plan of a predictor when it is made."""
        self._profile = bool(x)

    def enable_profile(self):
        """Print the plan of a predictor when it is made; times come from ``paddle.profiler``."""
        self._profile = True

    def disable_glog_info(self):
        """Accepted: nothing is logged."""
        self._quiet = True

    def glog_info_disabled(self):
        """Was ``disable_glog_info`` called?"""
        return self._quiet

    # ---- devices ----
    def disable_gpu(self):
        """Accepted: the CPU is used in any case."""

    def enable_use_gpu(self, memory_pool_init_size_mb=100, device_id=0, precision_mode=PrecisionType.Float32):
        """There is no GPU here: warns once and uses the CPU, or raises when FLAGS_strict_device is set."""
        places.CUDAPlace(device_id)

    def use_gpu(self):
        """False: the CPU is used."""
        return False

    def use_xpu(self):
        """False: the CPU is used."""
        return False

    def gpu_device_id(self):
        """0, the number of no device."""
        return 0

    def memory_pool_init_size_mb(self):
        """0: there is no device memory."""
        return 0

    def fraction_of_gpu_memory_for_pool(self):
        """0: there is no device memory."""
        return 0.0

    def tensorrt_engine_enabled(self):
        """False: there is no TensorRT here."""
        return False

    def onnxruntime_enabled(self):
        """False: our own kernels are used."""
        return False

    def set_optim_cache_dir(self, opt_cache_dir):
        """Accepted: nothing is kept on disk between runs."""

    def exp_disable_mixed_precision_ops(self, black_list):
        """Accepted: no operator runs in a precision other than the model's."""

    def disable_onnxruntime(self):
        """Accepted: our own kernels are used in any case."""

    def openvino_engine_enabled(self):
        """False: there is no OpenVINO here."""
        return False

    tensorrt_dynamic_shape_enabled = tensorrt_varseqlen_enabled = tensorrt_dla_enabled = openvino_engine_enabled
    tensorrt_explicit_quantization_enabled = tensorrt_inspector_enabled = trt_allow_build_at_runtime = openvino_engine_enabled
    tuned_tensorrt_dynamic_shape = shape_range_info_collected = openvino_engine_enabled

    def shape_range_info_path(self):
        """Empty: no ranges of shapes are collected, because there is no TensorRT to use them."""
        return ""

    def tensorrt_precision_mode(self):
        """The precision that TensorRT would have: the model's own."""
        return PrecisionType.Float32

    def xpu_device_id(self):
        """0, the number of no device."""
        return 0

    def exp_enable_mixed_precision_ops(self, white_list):
        """Accepted: no operator runs in a precision other than the model's."""

    def exp_enable_use_cutlass(self):
        """Accepted: there is no GPU whose kernels could be chosen."""

    def exp_sparse_conv_using_buffer(self, kernels, strides):
        """Accepted: there is no GPU whose kernels could be chosen."""

    def use_optimized_model(self, x=True):
        """Accepted: nothing is kept on disk between runs, so that there is no optimized model to read."""

    def to_native_config(self):
        """The settings that 1.x's predictors had, with their names."""
        return {"model_dir": self._dir, "prog_file": self._prog, "param_file": self._params, "use_gpu": False, "device": 0,
                "cpu_math_library_num_threads": self.cpu_math_library_num_threads()}

    def lite_engine_enabled(self):
        """False: there is no Lite engine here."""
        return False

    def summary(self):
        """Readable text of the settings."""
        rows = {"model_dir": self._dir, "model_file": self._prog, "params_file": self._params,
                "from memory": self.model_from_memory(), "device": "cpu", "threads": self.cpu_math_library_num_threads(),
                "ir_optim": self._optimize, "passes": ", ".join(self.pass_builder().all_passes())}
        width = max(map(len, rows))
        return "\n".join(f"{name.ljust(width)}  {value}" for name, value in rows.items()) + "\n"


def _refuse(name, what):
    def method(self, *args, **kwargs):
        raise NotImplementedError(f"Config.{name}(): {what} is not part of this build, which runs models on the CPU")
    method.__name__, method.__doc__ = name, f"Not supported: {what}."
    return method


for _name, _what in {
        "enable_tensorrt_engine": "TensorRT", "set_trt_dynamic_shape_info": "TensorRT", "enable_tuned_tensorrt_dynamic_shape":
        "TensorRT", "enable_xpu": "Kunlun XPU", "set_xpu_config": "Kunlun XPU", "enable_ipu": "Graphcore IPU",
        "enable_custom_device": "custom devices", "enable_lite_engine": "Paddle Lite", "enable_onnxruntime": "ONNX Runtime",
        "enable_ort_optimization": "ONNX Runtime", "enable_opencl": "OpenCL", "enable_mkldnn_int8": "int8 arithmetic",
        "enable_onednn_int8": "int8 arithmetic", "enable_openvino_engine": "OpenVINO", "enable_cinn": "the CINN compiler",
        "enable_low_precision_io": "half precision", "enable_quantizer": "int8 arithmetic", "enable_dlnne": "DLNNE",
        "set_dist_config": "distributed inference", "enable_save_optim_model": "a cache of optimized models on disk",
        "set_xpu_device_id": "Kunlun XPU", "xpu_config": "Kunlun XPU", "load_ipu_config": "Graphcore IPU",
        "set_ipu_config": "Graphcore IPU", "set_ipu_custom_info": "Graphcore IPU",
        **dict.fromkeys(("collect_shape_range_info", "enable_tensorrt_dla", "enable_tensorrt_explicit_quantization",
                         "enable_tensorrt_inspector", "enable_tensorrt_memory_optim", "enable_tensorrt_varseqlen",
                         "exp_disable_tensorrt_dynamic_shape_ops", "exp_disable_tensorrt_ops", "exp_disable_tensorrt_subgraph",
                         "exp_specify_tensorrt_subgraph_precision", "mark_trt_engine_outputs", "set_tensorrt_optimization_level",
                         "tensorrt_optimization_level"), "TensorRT")}.items():
    setattr(Config, _name, _refuse(_name, _what))


class PassBuilder:
    """The list of passes of a Config."""

    def __init__(self, config):
        self._config = config

    def all_passes(self):
        """Names of the passes that are applied, in order."""
        return [n for n in in_python().pass_names() if n not in self._config.skipped_passes()]

    def delete_pass(self, name):
        """Leave a pass out; a name of real Paddle's that has no counterpart here has nothing to leave out."""
        if name in in_python().pass_names() and name not in self._config._deleted:
            self._config._deleted.append(name)

    def turn_on_debug(self):
        """Print the plan of a predictor when it is made."""
        self._config.switch_ir_debug()


class XpuConfig:
    """Settings of Kunlun XPUs, which are not part of this build."""

    def __init__(self):
        raise NotImplementedError("XpuConfig(): Kunlun XPU is not part of this build, which runs models on the CPU")
