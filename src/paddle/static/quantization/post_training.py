"""Quantization after training: a program's tensors are measured on some data, then it is rewritten with fixed scales."""

import os

import numpy as np

from ...core.errors import check_choice
from ...ops.nn.calibration import WAYS
from ..graph import Graph, IrGraph
from ..inference_io import load_inference_model, save_inference_model
from ..scope import global_scope, scope_guard
from .inference import AddQuantDequantForInferencePass, QuantizationFreezePass, QuantWeightPass
from .quant_config import SUPPORT_QUANTIZATION_OP_DICT, ARMCPUQuantizer, BaseQuantizer, MKLDNNQuantizer, TensorRTQuantizer
from .training import AddQuantDequantPass, AddQuantDequantPassV2, QuantizationTransformPass, QuantizationTransformPassV2
from .utils import (
    _channelwise_quant_axis1_ops,
    _get_op_input_var_names,
    _get_op_output_var_names,
    _get_output_name_index,
    load_variable_data,
)

_BACKENDS = {None: BaseQuantizer, "tensorrt": TensorRTQuantizer, "mkldnn": MKLDNNQuantizer, "arm": ARMCPUQuantizer}


class PostTrainingQuantization:
    """Rewrites a saved model so that it computes with few bits, by scales measured on data.

    Args:
        executor: runs the model.
        model_dir, model_filename, params_filename: the model, as ``load_inference_model`` takes it.
        scope: gets the model's weights.
        batch_generator, sample_generator, data_loader: where batches (or samples, ``batch_size`` of which are a batch) come from.
        batch_nums: how many batches are used; all by default.
        algo: how scales are found: ``KL``, ``hist`` (with ``hist_percent``), ``avg``, ``abs_max``, ``mse``, ``emd``, ``ptf``; or
            ``min_max``, which notes the ranges in the operators and rewrites nothing.
        quantizable_op_type: which operators; ``is_full_quantize``: all that can be.
        bias_correction: move weights so that mean and spread stay.
        activation_bits, weight_bits: bits, the same number for both.
        activation_quantize_type: ``range_abs_max``, ``moving_average_abs_max`` or ``abs_max``.
        weight_quantize_type: ``channel_wise_abs_max`` or ``abs_max``.
        onnx_format: write quantize_linear and dequantize_linear.
        freeze_model: put the steps of the weights into the model.
        skip_tensor_list: operators that read these stay as they are.
        same_scale_tensor_list: lists of names that share the largest of their scales; ``name#*#2`` stands for twice the tensor.
        scale_dict: scales by name, used in place of measured ones.
        return_graph: give the graph, not the program.
        deploy_backend: ``tensorrt``, ``mkldnn`` or ``arm``: which operators are meant by default.
    """

    def __init__(self, executor, model_dir, scope=None, model_filename=None, params_filename=None, batch_generator=None,
                 sample_generator=None, data_loader=None, batch_size=10, batch_nums=None, algo="KL", hist_percent=0.99999,
                 quantizable_op_type=(), round_type="round", learning_rate=0.001, is_full_quantize=False, bias_correction=False,
                 activation_bits=8, weight_bits=8, activation_quantize_type="range_abs_max",
                 weight_quantize_type="channel_wise_abs_max", onnx_format=False, freeze_model=True, optimize_model=False,
                 is_use_cache_file=False, skip_tensor_list=None, same_scale_tensor_list=None, cache_dir=None, scale_dict=None,
                 return_graph=False, deploy_backend=None):
        function = type(self).__name__
        for name, value, only in (("round_type", round_type, "round"), ("learning_rate", learning_rate, 0.001),
                                  ("optimize_model", optimize_model, False), ("is_use_cache_file", is_use_cache_file, False),
                                  ("cache_dir", cache_dir, None)):
            if value != only:
                raise NotImplementedError(f"{function}(): {name}={value!r} is not supported")
        check_choice(algo, (*WAYS, "min_max"), function, "algo")
        check_choice(weight_quantize_type, ("abs_max", "channel_wise_abs_max"), function, "weight_quantize_type")
        check_choice(deploy_backend and deploy_backend.lower(), tuple(_BACKENDS), function, "deploy_backend")
        if activation_bits != weight_bits:
            raise ValueError(f"{function}(): activation_bits must be weight_bits, got {activation_bits} and {weight_bits}")
        if data_loader is batch_generator is sample_generator is None:
            raise ValueError(f"{function}(): give data_loader, batch_generator or sample_generator")
        for kind in quantizable_op_type:
            check_choice(kind, tuple(SUPPORT_QUANTIZATION_OP_DICT), function, "quantizable_op_type")
        self._executor, self._model, self._scope = executor, (model_dir, model_filename, params_filename), scope or global_scope()
        self._sources, self._batch_size, self._batch_nums = (data_loader, batch_generator, sample_generator), batch_size, batch_nums
        self._algo, self._hist_percent, self._bias_correction, self._bits = algo, hist_percent, bias_correction, weight_bits
        self._types = {"activation_quantize_type": activation_quantize_type, "weight_quantize_type": weight_quantize_type}
        self._onnx_format, self._freeze_model, self._return_graph = onnx_format, freeze_model, return_graph
        self._skip, self._same, self._scales = skip_tensor_list or (), same_scale_tensor_list or (), scale_dict
        chosen = list(SUPPORT_QUANTIZATION_OP_DICT) if is_full_quantize else list(quantizable_op_type)
        self.quant_config = _BACKENDS[deploy_backend and deploy_backend.lower()](chosen, weight_bits)
        self._program = self._feed_list = self._fetch_list = None
        self._calibration_scales = {}

    def quantize(self):
        """Measure and rewrite; returns the program (the graph, if so asked)."""
        with scope_guard(self._scope):
            if self._program is None:
                directory, model, params = self._model
                self._program, self._feed_list, self._fetch_list = load_inference_model(
                    directory, self._executor, model_filename=model, params_filename=params)
            weights, others = self._targets()
            if self._algo == "min_max":
                self._note_ranges(self._ranges(weights, others))
            else:
                scales = {**self._weight_scales(weights), **self._measured(others)}
                self._share(scales)
                self._rewrite(self._scales or scales)
                self._note_scales(scales)
        return IrGraph(Graph(self._program.desc), for_test=True) if self._return_graph else self._program

    def save_quantized_model(self, save_model_path, model_filename=None, params_filename=None):
        """Write the program and its weights into a folder, by default as ``model.pdmodel`` and ``model.pdiparams``."""
        name = (model_filename or "model").removesuffix(".pdmodel")
        if params_filename is not None and params_filename.removesuffix(".pdiparams") != name:
            raise NotImplementedError(f"save_quantized_model(): params_filename must be {name}.pdiparams, got {params_filename!r}")
        with scope_guard(self._scope):
            block = self._program.global_block()
            save_inference_model(os.path.join(save_model_path, name), [block.var(n) for n in self._feed_list],
                                 [block.var(v if isinstance(v, str) else v.name) for v in self._fetch_list], self._executor,
                                 program=self._program)

    # ---- data ----
    def _batches(self):
        """What is fed, batch after batch."""
        loader, batches, samples = self._sources
        if loader is not None:
            source = loader() if callable(loader) else loader
        elif batches is not None:
            source = batches()
        else:
            source = self._grouped(samples())
        for number, batch in enumerate(source):
            if self._batch_nums and number >= self._batch_nums:
                return
            if isinstance(batch, (list, tuple)) and batch and isinstance(batch[0], dict):
                batch = batch[0]
            elif not isinstance(batch, dict):
                batch = dict(zip(self._feed_list, batch if isinstance(batch, (list, tuple)) else [batch], strict=True))
            yield batch

    def _grouped(self, samples):
        batch = []
        for sample in samples:
            batch.append(sample if isinstance(sample, (list, tuple)) else [sample])
            if len(batch) == self._batch_size:
                yield [np.stack([np.asarray(one) for one in column]) for column in zip(*batch)]
                batch = []

    def _run(self, names, see):
        """Call ``see(name, value)`` with each tensor of each batch."""
        for batch in self._batches():
            for name, value in zip(names, self._executor.run(self._program, batch, names)):
                if np.size(value):
                    see(name, np.asarray(value))

    # ---- measuring ----
    def _targets(self):
        """({weight: axis of its channels}, names of other tensors) that are rounded or measured."""
        config, weights, others = self.quant_config, {}, {}
        chosen = {*config.weight_quant_operation_types, *config.activation_quant_operation_types}
        for block in self._program.blocks:
            for op in block.ops:
                reads, writes = _get_op_input_var_names(op), _get_op_output_var_names(op)
                if any(name in self._skip for name in reads):
                    op._set_attr("op_namescope", "skip_quant")
                measured = [*reads, *writes] if op.type in chosen else writes if op.type in config.observer_operation_types else []
                for name in measured:
                    var = block._var_recursive(name)
                    if var.persistable:
                        turned = op.attrs.get("trans_y") or op.attrs.get("transpose_Y")
                        weights[name] = 1 if op.type in _channelwise_quant_axis1_ops and not turned else 0
                    elif var.dtype is not None and var.dtype.name in ("float16", "float32", "float64"):
                        others[name] = None
        return weights, list(others)

    def _weight_scales(self, weights):
        scales = {}
        for name, axis in weights.items():
            value = np.abs(load_variable_data(self._scope, name))
            if self._types["weight_quantize_type"] == "abs_max" or value.ndim < 2:
                scales[name] = float(value.max())
            else:
                scales[name] = value.max(axis=tuple(k for k in range(value.ndim) if k != axis)).tolist()
        return scales

    def _measured(self, names):
        seen = {name: WAYS[self._algo](self._bits, self._onnx_format, self._hist_percent) for name in names}
        for round in range(WAYS[self._algo].rounds):
            self._run(names, lambda name, value, round=round: seen[name].see(value, round))
        return {name: way.scale() for name, way in seen.items() if way.scale() is not None}

    def _ranges(self, weights, names):
        found = {}
        for name in weights:
            value = load_variable_data(self._scope, name)
            found[name] = float(value.min()), float(value.max())

        def see(name, value):
            low, high = found.get(name, (np.inf, -np.inf))
            found[name] = min(low, float(value.min())), max(high, float(value.max()))
        self._run(names, see)
        return found

    def _share(self, scales):
        """Let tensors that are to share a scale have the largest one."""
        for group in self._same:
            factors = {}
            for text in group:
                name, *change = text.split("#")
                if name in scales:
                    factors[name] = 1.0 if not change else float(change[1]) if change[0] == "*" else 1 / float(change[1])
            largest = max((scales[name] * factor for name, factor in factors.items()), default=None)
            scales.update({name: largest / factor for name, factor in factors.items()})

    # ---- rewriting ----
    def _rewrite(self, scales):
        graph, scope, place, config = IrGraph(Graph(self._program.desc), for_test=True), self._scope, None, self.quant_config
        linear = self._onnx_format
        passes = [(QuantizationTransformPassV2 if linear else QuantizationTransformPass)(
            scope, place, self._bits, self._bits, quantizable_op_type=config.weight_quant_operation_types, **self._types),
            (AddQuantDequantPassV2 if linear else AddQuantDequantPass)(
                scope, place, quant_bits=self._bits, quantizable_op_type=config.activation_quant_operation_types)]
        self._apply(graph, passes)
        for name, value in scales.items():
            for key in (f"{name}@scale", f"{name}.quant_dequant@scale"):
                if scope.has(key):
                    scope.set(key, np.asarray(value, np.asarray(scope.get(key)).dtype).reshape(-1))
        if linear:
            kinds = [*config.weight_quant_operation_types, *config.activation_quant_operation_types,
                     *config.observer_operation_types]
            computed = {name: value for name, value in scales.items() if not isinstance(value, list)}
            self._apply(graph, [QuantWeightPass(scope, place, self._bias_correction, self._bits),
                                AddQuantDequantForInferencePass(scope, place, self._bits, kinds, computed)])
        elif self._freeze_model:
            self._apply(graph, [QuantizationFreezePass(
                scope, place, self._bias_correction, self._bits, self._bits,
                weight_quantize_type=self._types["weight_quantize_type"],
                quantizable_op_type=config.weight_quant_operation_types)])
        self._program = graph.to_program()

    def _apply(self, graph, passes):
        for one in passes:
            for part in graph.all_sub_graphs(for_test=True):
                one.apply(part)

    # ---- notes in the operators ----
    def _measured_outputs(self):
        config = self.quant_config
        chosen = {*config.weight_quant_operation_types, *config.activation_quant_operation_types}
        for block in self._program.blocks:
            for op in block.ops:
                if op.type in chosen or op.type in config.observer_operation_types:
                    for name in _get_op_output_var_names(op):
                        yield op, name, op.type in chosen

    def _note_scales(self, scales):
        for op, name, rounded in self._measured_outputs():
            if name in scales and self._onnx_format:
                self._calibration_scales[name] = {"scale": scales[name]}
            elif name in scales:
                self._note(op, name, rounded, {"out_threshold": scales[name]}, "_threshold")

    def _note_ranges(self, ranges):
        for op, name, rounded in self._measured_outputs():
            if rounded:
                for read in _get_op_input_var_names(op):
                    for end, value in zip((".min", ".max"), ranges.get(read, ())):
                        op._set_attr(read + end, value)
            for kind, value in zip(("out_min", "out_max"), ranges.get(name, ())):
                self._note(op, name, rounded, {kind: value}, "_threshold")

    def _note(self, op, name, rounded, attrs, ending):
        slot, number = _get_output_name_index(op, name)
        for key, value in attrs.items():
            op._set_attr(key, value)
            op._set_attr(f"{slot}{number}{ending}", value)
        op._set_attr("with_quant_attr", True)
        if rounded:
            op._set_attr("quantization_type", f"post_{self._algo.lower()}")


class PostTrainingQuantizationProgram(PostTrainingQuantization):
    """PostTrainingQuantization of a program at hand; ``feed_list`` and ``fetch_list`` are what it reads and gives."""

    def __init__(self, executor, program, feed_list=None, fetch_list=None, scope=None, batch_generator=None, sample_generator=None,
                 data_loader=None, batch_size=10, batch_nums=None, algo="KL", hist_percent=0.99999,
                 quantizable_op_type=("conv2d", "depthwise_conv2d", "mul"), **others):
        super().__init__(executor, None, scope, None, None, batch_generator, sample_generator, data_loader, batch_size, batch_nums,
                         algo, hist_percent, quantizable_op_type, **others)
        self._program = program
        self._feed_list = [v if isinstance(v, str) else v.name for v in feed_list or ()]
        self._fetch_list = list(fetch_list or ())
