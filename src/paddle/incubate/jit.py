"""Methods of layers that run as programs for inference."""

import functools

from ..autograd import no_grad
from ..jit.api import to_static
from ..nn import Layer

__all__ = ["inference"]

_DEFAULTS = {"cache_static_model": False, "save_model_dir": None, "precision_mode": "float32", "enable_cinn": False,
             "with_trt": False, "trt_precision_mode": "float32", "trt_use_static": False, "collect_shape": False,
             "enable_new_ir": False, "exp_enable_use_cutlass": False}


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

    >>> import paddle
    >>> layer = paddle.incubate.jit.inference(paddle.nn.Linear(2, 3))
    >>> layer(paddle.ones([1, 2])).stop_gradient
    True
    """
    given = locals()
    for name, usual in _DEFAULTS.items():
        if given[name] != usual:
            raise NotImplementedError(f"inference(): {name}={given[name]!r} is not supported, only {usual!r}")
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
