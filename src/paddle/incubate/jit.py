"""Methods of layers that run as programs for inference."""

import functools

from ..autograd import no_grad
from ..core.addresses import lookup as _lookup
from ..jit import to_static
from ..nn import Layer

__all__ = ["inference"]


def is_inference_mode(function):
    """Was a layer or function decorated with ``inference``?"""
    return getattr(function.forward if isinstance(function, Layer) else function, "_for_inference", False)


def inference(function=None, cache_static_model=False, save_model_dir=None, memory_pool_init_size_mb=1000,
              precision_mode="float32", switch_ir_optim=True, switch_ir_debug=False, enable_cinn=False, with_trt=False,
              trt_precision_mode="float32", trt_use_static=False, collect_shape=False, enable_new_ir=False,
              exp_enable_use_cutlass=False, delete_pass_lists=None, skip_prune_program=False):
    """Run a layer, or a method of one, as a program without gradients: translated at the first call, then kept in memory.

    Args:
        function: the layer or function; None as a decorator with arguments.
        memory_pool_init_size_mb, switch_ir_optim, switch_ir_debug, delete_pass_lists, skip_prune_program: how Paddle's engine
            works; they change no value.

    The others ask for models on disk, other precisions, TensorRT or CINN: they must keep their defaults.

    >>> layer = paddle.incubate.jit.inference(paddle.nn.Linear(2, 3))
    >>> layer(paddle.ones([1, 2])).stop_gradient
    True
    """
    asked = {"cache_static_model": cache_static_model, "save_model_dir": save_model_dir is not None, "enable_cinn": enable_cinn,
             "precision_mode": precision_mode != "float32", "trt_precision_mode": trt_precision_mode != "float32",
             "with_trt": with_trt, "trt_use_static": trt_use_static, "collect_shape": collect_shape,
             "enable_new_ir": enable_new_ir, "exp_enable_use_cutlass": exp_enable_use_cutlass}
    if any(asked.values()):
        raise NotImplementedError(f"inference(): {', '.join(n for n in asked if asked[n])} must be left as by default: programs "
                                  "are kept in memory and run in float32")
    if function is None:
        return inference
    if isinstance(function, Layer):
        function.forward = inference(function.forward)
        return function
    program = to_static(function)

    @functools.wraps(function)
    def run(*args, **kwargs):
        with no_grad():
            return program(*args, **kwargs)
    run._for_inference = True
    return run


__getattr__ = _lookup(__name__)
__path__ = []  # a package in Paddle: the paths below it are addresses
