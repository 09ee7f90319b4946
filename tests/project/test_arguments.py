"""Nothing is accepted and ignored: every argument of a public function is read in it, or has its reason here."""

import ast
import collections
import functools

import pytest
from project.sources import modules

# Arguments that can't mean anything here, whatever function has them.
ANYWHERE = {
    "ops/sequence/dynamic_rnn.py shrink_rnn_memory": "table: lengths of the rank table tell the order and the steps",
    "name": "only labels results",
    "use_cudnn": "chooses a library for GPUs", "im2col_step": "sizes the work of a kernel for GPUs",
    "force_cpu": "the CPU is all there is", "place": "there is one device",
    "blocking": "copies never run beside the program", "stream": "there are no streams on a CPU",
    "non_blocking": "copies never run beside the program",
    "is_sparse": "gradients are dense, of the same values", "sparse": "gradients are dense, of the same values",
    "is_distributed": "there is no parameter server", "use_multi_tensor": "one call updates all parameters in any case",
    "in_place": "only saves memory; inputs are never written over", "inplace": "only saves memory; inputs are never written over",
    "executor": "files are read and written without one", "scopes": "there is no parameter server",
    "throw_on_error": "all that is shown is always there", "with_details": "all that is shown is always there",
}
# The others, by module and function.
HERE = {
    "ops/sequence/dynamic_rnn.py shrink_rnn_memory": "table: lengths of the rank table tell the order and the steps",
    "ops/legacy/losses.py norm": "is_test: the norm is given out while testing too",
    "base/core.py device_memory_stat_current_value": "there is no GPU, so none of its memory is used",
    "base/core.py device_memory_stat_peak_value": "there is no GPU, so none of its memory is used",
    "base/dygraph/base.py param_guard": "parameters stay what they are: a trace needs nothing in their place",
    "static/executor.py Executor.train_from_dataset": "thread, debug: one thread runs the program, operators use all cores",
    "nn/quant/quant_layers.py QuantizedMatmul.__init__": "what every quantized layer is made with: it has no weight, nor a layer",
    "nn/quant/quant_layers.py FakeQuantMAOutputScaleLayer.__init__": "weight_bits: what every quantized layer is made with",
    "nn/quant/weight.py weight_quantize": "arch: codes are not laid out for a GPU",
    "nn/quant/weight.py weight_only_linear": "arch: codes are not laid out for a GPU",
    "distributed/fleet/layers/mpu/mp_layers.py InnerOverlapLinear.forward":
        "fuse_matmul_bias, mp_async_allreduce, mp_skip_c_identity: one product with its bias, whose gradients always overlap",
    "distributed/fleet/utils/fs.py HDFSClient.upload": "multi_processes: one process copies",
    "distributed/fleet/utils/fs.py HDFSClient.download": "multi_processes: one process copies",
    "incubate/jit.py inference": "memory_pool_init_size_mb, switch_ir_*, delete_pass_lists, skip_prune_program: change no value",
    "distributed/parallel.py sync_params_buffers": "fuse_params: tensors of a type travel together in any case",
    "fluid/transpiler/__init__.py DistributeTranspiler.transpile": "pservers, sync_mode, current_endpoint: the launcher set it up",
    "fluid/transpiler/__init__.py DistributeTranspiler.get_trainer_program": "wait_port: the ranks are there",
    "fluid/transpiler/__init__.py memory_optimize": "it warns that nothing is left to do: the Executor plans memory",
    "fluid/transpiler/__init__.py release_memory": "it warns that nothing is left to do: the Executor plans memory",
    "fluid/transpiler/details/program_utils.py op_to_code": "skip_op_callstack: operators keep no call stack of C++",
    "fluid/transpiler/details/program_utils.py program_to_code": "skip_op_callstack: operators keep no call stack of C++",
    "utils/cpp_extension/cpp_extension.py BuildExtension.__init__": "refused whatever is given",
    "utils/cpp_extension/cpp_extension.py BuildExtension.with_options": "refused whatever is given",
    "fluid/dygraph/layers.py Layer.create_variable": "type: what is written into it decides",
    "fluid/contrib/layers/nn.py rank_attention": "max_size: memory that a GPU sets aside",
    "fluid/contrib/layers/nn.py fused_elemwise_activation": "save_intermediate_out: the tape keeps what it needs",
    "fluid/layers/proposals.py rpn_target_assign": "anchor_var: targets are not divided by variances, in Paddle neither",
    "fluid/layers/proposals.py retinanet_target_assign": "anchor_var: targets are not divided by variances, in Paddle neither",
    "tensor/torchlike.py sort": "stable: equal elements always stay in order",
    "tensor/further.py sort": "stable: equal elements always stay in order",
    "tensor/further.py argsort": "stable: equal elements always stay in order",
    "tensor/further.py unique": "sorted: elements come in order in any case, as in Paddle",
    "amp/auto_cast.py autocast": "cache_enabled: what was cast is never kept",
    "autograd/ir_backward.py grad": "retain_graph, create_graph: a program keeps what it computed and can differentiate it again",
    "base/data_feeder.py convert_float_to_uint16": "data_format: numbers are cut one by one",
    "base/framework.py Tracer.trace_op": "inplace_map: results go into the given outputs in any case",
    "base/protos.py op_support_gpu": "there is no GPU",
    "base/dygraph/base.py to_variable": "zero_copy: arrays are shared where that is safe",
    "core/addresses.py Finder.find_spec": "Python's import protocol",
    "core/addresses.py Finder.create_module": "Python's import protocol",
    "core/autograd.py set_grad_enabled.__new__": "__init__ reads it",
    "core/python_engine.py TensorBase.__new__": "__init__ reads them",
    "dataset/image.py center_crop": "is_color: the array's own axes tell",
    "dataset/image.py random_crop": "is_color: the array's own axes tell",
    "dataset/image.py left_right_flip": "is_color: the array's own axes tell",
    "device/__init__.py Stream.__init__": "streams of a CPU are one",
    "device/__init__.py Event.__init__": "there is nothing to time or share beside the program",
    "distributed/launch/options.py Unsupported.__call__": "argparse calls it so; it raises",
    "distributed/task.py wait": "calls are finished when they return",
    "distributed/fleet/layers/mpu/mp_ops.py _mp_allreduce": "streams of GPUs; the gradient is not reduced, so nothing is skipped",
    "distributed/fleet/meta_parallel/pipeline_parallel.py PipelineParallel.is_pipeline_first_stage": "a rank is one stage",
    "distributed/fleet/meta_parallel/pipeline_parallel.py PipelineParallel.is_pipeline_last_stage": "a rank is one stage",
    "distributed/fleet/meta_parallel/schedule.py forward_then_backward": "all stages have one order",
    "distributed/fleet/utils/fs.py LocalFS.mv": "test_exists: existence is always tested",
    "distributed/sharding.py group_sharded_parallel": "sync_buffers, sync_comm: always done",
    "distributed/fleet/meta_parallel/sharding/group_sharded_stage3.py GroupShardedStage3.get_all_parameters":
        "convert2cpu: all memory is the CPU's",
    "fluid/averages.py ExponentialMovingAverage.__new__": "__init__ reads them",
    "fluid/dygraph/base.py to_variable": "block: tensors of a guard belong to none",
    "fluid/dygraph/base.py param_guard": "parameters need no conversion",
    "fluid/dygraph/base.py grad": "backward_strategy: sums of gradients are always in order",
    "fluid/dygraph/special.py SequenceConv.__init__": "padding: sequences keep their lengths in Paddle too",
    "fluid/executor.py ParallelExecutor.__init__": "strategies of threads and devices that are not there",
    "fluid/io.py save_inference_model": "export_for_deployment: the file is the same",
    "fluid/layers/decoders.py DecodeHelper.sample": "what a BasicDecoder hands to every helper",
    "fluid/layers/decoders.py SampleEmbeddingHelper.sample": "what a BasicDecoder hands to every helper",
    "fluid/layers/nn.py fc": "is_test: it changes nothing in Paddle",
    "fluid/layers/recurrent.py lstm": "max_len: the input's own length tells",
    "fluid/layers/sampled.py sampled_softmax_with_cross_entropy": "of use_customized_samples, which is refused",
    "fluid/layers/sequence.py im2sequence": "out_stride: of input_image_size, which is refused",
    "fluid/layers/tensor.py data": "type: the dense one is all there is",
    "fluid/layers/tensor.py gather": "overwrite: gradients of rows that are read twice add up in any case",
    "fluid/transpiler.py memory_optimize": "as from 1.6 on, the Executor plans memory itself",
    "fluid/transpiler.py release_memory": "as from 1.6 on, the Executor plans memory itself",
    "fluid/profiler.py start_profiler": "tracer_option: of GPUs", "fluid/profiler.py cuda_profiler": "of GPUs",
    "incubate/nn/functional.py fused_layer_norm": "of quant_scale, which is refused",
    "incubate/nn/functional.py fused_rms_norm": "of quant_scale, which is refused",
    "hapi/engine.py Engine.prepare": "labels_spec: what follows the inputs of a batch are its labels",
    "incubate/nn/cached_attention.py masked_multihead_attention": "of out_scale, which is refused",
    "incubate/nn/cached_attention.py block_multihead_attention": "of scales, which are refused; lengths and offsets that follow "
                                                                 "from others; rope_theta: rope_emb has the angles",
    "inference/config.py Config.enable_use_gpu": "the CPU stands in for the GPU, and says so",
    "nn/functional/cross_entropy.py softmax_with_cross_entropy": "numeric_stable_mode: on CPUs it is always the stable one",
    "nn/functional/norm.py instance_norm": "obsolete in Paddle, where they change nothing either",
    "nn/layer/common.py Identity.__init__": "Paddle documents that it takes anything",
    "nn/layer/decode.py BeamSearchDecoder.finalize": "what dynamic_decode hands to every decoder",
    "ops/loss/class_loss.py margin_cross_entropy": "attributes that files carry",
    "ops/sequence/dynamic_rnn.py lstm": "attributes that files carry",
    "ops/sequence/sequence_ops.py sequence_expand": "a slot that files carry",
    "ops/sequence/sequence_ops.py sequence_scatter": "a slot that files carry",
    "quantization/observers.py AbsmaxObserverLayer.__init__": "what a factory hands to every observer",
    "quantization/observers.py GroupWiseWeightObserverLayer.__init__": "what a factory hands to every observer",
    "jit/dy2static/partial_program.py partial_program_from": "from_method: a layer is no input of its program here",
    "jit/dy2static/utils.py ast_to_func": "delete_on_exit: there is no file to delete",
    "quantization/quanters.py FakeQuanterWithAbsMaxObserverLayer.__init__": "what a factory hands to every quanter",
    "sparse/nn/functional.py subm_conv2d": "padding: sites stay; key: positions are found anew",
    "sparse/nn/functional.py subm_conv3d": "padding: sites stay; key: positions are found anew",
    "static/amp/bf16/amp_utils.py cast_model_to_bf16": "startup_prog: parameters begin in float32, as they are stored",
    "static/amp/decorator.py OptimizerWithMixedPrecision.amp_init": "parameters are stored in float32: there are none to convert",
    "static/at_once.py empty": "shape: it has none before an operator gives it one",
    "static/op_desc.py OpDesc.infer_shape": "block: an operator knows its own",
    "static/op_desc.py OpDesc.infer_var_type": "block: an operator knows its own",
    "static/backward.py append_backward": "distop_context: of auto-parallel programs, which are refused where they start",
    "static/strategy.py CompiledProgram.with_data_parallel": "there is one device",
    "static/executor.py Executor.run": "values are fed and fetched by name, plans always kept, nothing to merge",
    "static/ipu.py IpuCompiledProgram.__init__": "it refuses", "static/ipu.py ipu_shard_guard": "it refuses",
    "static/ipu.py set_ipu_shard": "it refuses", "tensor/tensor_kinds.py get_selected_rows": "it refuses",
    "static/methods.py backward": "retain_graph: a program keeps what it computed",
    "static/nn/control_flow.py cond": "return_names: they only make messages clearer in Paddle",
    "static/nn/sampled.py data_norm": "names and averages of statistics that are plain parameters here",
    "static/nn/sequence.py sequence_conv": "padding: sequences keep their lengths in Paddle too",
    "static/nn/sequence.py sequence_pool": "is_test: it only saves memory",
    "static/program/parameters.py create_global_var": "persistable: values stay between runs in any case",
    "vision/models/resnet.py BasicBlock.__init__": "what ResNet hands to every kind of block",
}


def functions(body, path=()):
    """(names from the module down, node) of the functions and methods; what is inside functions is their own affair."""
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield (*path, node.name), node
        elif isinstance(node, ast.ClassDef):
            yield from functions(node.body, (*path, node.name))
        elif isinstance(node, (ast.If, ast.Try)):
            yield from functions(node.body, path)


def parameters(node):
    a = node.args
    return [p.arg for p in [*a.posonlyargs, *a.args, *a.kwonlyargs, *filter(None, (a.vararg, a.kwarg))]]


@functools.cache
def read(node):
    return {n.id for statement in node.body for n in ast.walk(statement) if isinstance(n, ast.Name)}


def only_raises(node):
    return all(isinstance(s, (ast.Raise, ast.Pass)) or isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant)
               for s in node.body)


def is_op(node):
    return any(isinstance(d, ast.Call) and isinstance(d.func, ast.Name) and d.func.id == "op" for d in node.decorator_list)


@functools.cache
def interface():
    """{method: parameters that some class reads in it, or leaves to its subclasses}."""
    used = collections.defaultdict(set)
    for tree in modules().values():
        for names, node in functions(tree.body):
            if len(names) > 1 and names[-1] != "__init__":
                used[names[-1]] |= set(parameters(node)) if only_raises(node) else set(parameters(node)) & read(node)
    return used


@pytest.mark.parametrize("path", modules())
def test_arguments_are_read(path):
    used, ignored = interface(), {}
    for names, node in functions(modules()[path].body):
        private = any(n.startswith("_") and not n.endswith("__") for n in names)
        if private or only_raises(node) or is_op(node) or names[-1] in ("__exit__", "__get__", "__getattr__"):
            continue  # the attributes of ops are what files carry
        known = {"self", "cls", *ANYWHERE, *read(node)} | (used[names[-1]] if len(names) > 1 else set())
        unread = [p for p in parameters(node) if p not in known and not p.startswith(("_", "on_"))]
        where = f"{path} {'.'.join(names)}"
        if unread and where not in HERE and not names[-1].startswith("on_"):
            ignored[".".join(names)] = unread
    assert not ignored, f"{path} accepts and ignores {ignored}: give a meaning, raise, or say why in this file"
