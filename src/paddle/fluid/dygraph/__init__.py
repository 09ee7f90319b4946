"""fluid.dygraph: eager execution in the generations 1.4 to 1.8."""

from ...core.addresses import late as _late
from ...core.addresses import names_of as _names_of
from . import base, checkpoint, layers, learning_rate_scheduler, nn
from .base import *  # noqa: F403
from .checkpoint import *  # noqa: F403
from .layers import Layer
from .learning_rate_scheduler import *  # noqa: F403
from .nn import *  # noqa: F403
from .py_layer import PyLayer

__all__ = [*base.__all__, *checkpoint.__all__, *learning_rate_scheduler.__all__, *nn.__all__, "Layer", "PyLayer"]

_LAZY = _names_of({
    ".": ["parallel", "jit", "containers", "rnn", "static_runner"],
    ".parallel": ["DataParallel", "ParallelEnv", "Env", "prepare_context"],
    ".jit": ["TracedLayer", "declarative", "ProgramTranslator", "dygraph_to_static_output", "dygraph_to_static_func",
             "convert_call"],
    ".containers": ["Sequential", "LayerList", "ParameterList"],
    ".special": ["SequenceConv", "RowConv", "HSigmoid"],
    ".rnn": ["LSTMCell", "GRUCell"],
    ".static_runner": ["StaticModelRunner"],
}, __name__)

__getattr__, __dir__ = _late(__name__, _LAZY)
