"""fluid.dygraph: eager execution in the generations 1.4 to 1.8."""

from ...core.addresses import find as _find_address
from . import base, checkpoint, layers, learning_rate_scheduler, nn
from .base import *  # noqa: F403
from .checkpoint import *  # noqa: F403
from .layers import Layer
from .learning_rate_scheduler import *  # noqa: F403
from .nn import *  # noqa: F403
from .py_layer import PyLayer

__all__ = [*base.__all__, *checkpoint.__all__, *learning_rate_scheduler.__all__, *nn.__all__, "Layer", "PyLayer"]

_LAZY = {**dict.fromkeys(("DataParallel", "ParallelEnv", "Env", "prepare_context"), "parallel"),
         **dict.fromkeys(("TracedLayer", "declarative", "ProgramTranslator", "dygraph_to_static_output", "dygraph_to_static_func",
                          "convert_call"), "jit"),
         **dict.fromkeys(("Sequential", "LayerList", "ParameterList"), "containers"),
         **dict.fromkeys(("SequenceConv", "RowConv", "HSigmoid"), "special"),
         **dict.fromkeys(("LSTMCell", "GRUCell"), "rnn"),
         "StaticModelRunner": "static_runner",
         **dict.fromkeys(("parallel", "jit", "containers", "rnn", "static_runner"))}


def __getattr__(name):
    import importlib
    if name not in _LAZY:
        return _find_address(__name__, name, [*globals(), *_LAZY])
    module = importlib.import_module("." + (_LAZY[name] or name), __name__)
    return module if _LAZY[name] is None else getattr(module, name)
