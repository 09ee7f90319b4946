"""fluid.contrib: extras of 1.x; readers and layers work, the rest says why not."""

from ...core.addresses import find as _find_address
from . import layers, reader  # noqa: F401
from .layers import *  # noqa: F403

_REFUSED = {
    "mixed_precision": "static mixed precision is not supported; use paddle.amp in dynamic programs",
    "slim": "model compression is not part of this package; use paddle.quantization",
    "quantize": "quantisation of programs is not supported; use paddle.quantization",
    "decoder": "beam search decoding is not part of this package",
    "extend_with_decoupled_weight_decay": "use paddle.optimizer.AdamW",
}


def __getattr__(name):
    if name in _REFUSED:
        raise NotImplementedError(f"fluid.contrib.{name}: {_REFUSED[name]}")
    return _find_address(__name__, name, ['layers', 'reader', *_REFUSED])
