"""fluid.contrib: extras of 1.x; readers and layers work, the rest says why not."""

from importlib import import_module as _import_module

from ...core.addresses import find as _find_address
from . import decoder, layers, reader  # noqa: F401
from .decoder import *  # noqa: F403
from .estimates import *  # noqa: F403
from .layers import *  # noqa: F403

_REFUSED = {
    "quantize": "quantisation of programs is not supported; use paddle.quantization",
    "extend_with_decoupled_weight_decay": "use paddle.optimizer.AdamW",
}


def __getattr__(name):
    if name == "mixed_precision":  # static.amp since 2.0
        return _import_module("paddle.static.amp")
    if name in _REFUSED:
        raise NotImplementedError(f"fluid.contrib.{name}: {_REFUSED[name]}")
    return _find_address(__name__, name, ["decoder", "layers", "mixed_precision", "reader", *_REFUSED])
