"""Weights alone with few bits: a saved model that is a quarter as large."""

import os

import numpy as np

from ...core.errors import check_choice
from ...ops.nn.rounding import dequant_tensor, quant_tensor
from ..executor import Executor
from ..inference_io import load_inference_model, save_inference_model
from ..scope import Scope, scope_guard
from .utils import load_variable_data

_AXES = {"conv2d": 0, "depthwise_conv2d": 0, "mul": 1}  # along which the channels of a weight lie


class WeightQuantization:
    """Writes a saved model again with the numbers of steps in place of its weights.

    Args:
        model_dir, model_filename, params_filename: the model, as ``load_inference_model`` takes it.
    """

    def __init__(self, model_dir, model_filename=None, params_filename=None):
        self._model = model_dir, model_filename, params_filename

    def quantize_weight_to_int(self, save_model_dir, save_model_filename=None, save_params_filename=None,
                               quantizable_op_type=("conv2d", "mul"), weight_bits=8, weight_quantize_type="channel_wise_abs_max",
                               generate_test_model=False, threshold_rate=0.0):
        """Write ``save_model_dir/quantized_model``, whose weights are integers and whose operators note the scales; with
        ``generate_test_model`` also ``test_model``, whose weights are what the integers stand for."""
        function, name = "quantize_weight_to_int", (save_model_filename or "model").removesuffix(".pdmodel")
        for kind in quantizable_op_type:
            check_choice(kind, tuple(_AXES), function, "quantizable_op_type")
        check_choice(weight_bits, (8, 16), function, "weight_bits")
        check_choice(weight_quantize_type, ("abs_max", "channel_wise_abs_max"), function, "weight_quantize_type")
        if threshold_rate:
            raise NotImplementedError(f"{function}(): threshold_rate is not supported")
        if save_params_filename not in (None, f"{name}.pdiparams"):
            raise NotImplementedError(f"{function}(): save_params_filename must be {name}.pdiparams, got {save_params_filename!r}")
        for folder, back in (("quantized_model", False), ("test_model", True))[:1 + bool(generate_test_model)]:
            self._write(os.path.join(save_model_dir, folder, name), quantizable_op_type, weight_bits, weight_quantize_type, back)

    def convert_weight_to_fp16(self, save_model_dir):
        """Not supported."""
        raise NotImplementedError(f"convert_weight_to_fp16({save_model_dir!r}): is not supported; use "
                                  "paddle.inference.convert_to_mixed_precision")

    def _write(self, path, kinds, bits, way, back):
        executor, scope = Executor(), Scope()
        with scope_guard(scope):
            directory, model, params = self._model
            program, feeds, fetches = load_inference_model(directory, executor, model_filename=model, params_filename=params)
            for op in [op for block in program.blocks for op in block.ops if op.type in kinds]:
                for name in op.input_arg_names:
                    if op.block._var_recursive(name).persistable:
                        self._round(op, name, scope, bits, way, back)
            block = program.global_block()
            save_inference_model(path, [block.var(name) for name in feeds], fetches, executor, program=program)

    def _round(self, op, name, scope, bits, way, back):
        value, axis = load_variable_data(scope, name), _AXES[op.type]
        others = None if way == "abs_max" else tuple(k for k in range(value.ndim) if k != axis)
        scale = abs(value).max(axis=others).reshape(-1).tolist()
        steps = quant_tensor(value, scale, axis, bits, onnx_format=True).astype(np.int8 if bits == 8 else np.int16)
        if back:
            scope.set(name, dequant_tensor(steps.astype(value.dtype), scale, axis, bits))
        else:
            scope.set(name, steps)
            op.block._var_recursive(name).desc.set_dtype(str(steps.dtype))
        op._set_attr("quantization_type", f"post_weight_{way}")
        op._set_attr("quantize_weight_bits", bits)
        op._set_attr(f"{name}_quant_scale", [one / (2 ** (bits - 1) - 1) for one in scale])
        op._set_attr("with_quant_attr", True)
