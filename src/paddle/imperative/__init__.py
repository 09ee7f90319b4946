"""paddle.imperative: eager execution as 2.0 alpha had it, between ``enable_imperative()`` and ``disable_imperative()``.

While it is on, names whose meaning changed afterwards (``paddle.split``, ``nn.functional.cross_entropy`` ...) have the
meaning of 2.0 alpha in the thread that turned it on: they are declared with both (``core/generation.py``).
"""

from ..core.addresses import late as _late
from ..core.addresses import names_of as _names_of

_HOME = _names_of({
    ".era": ["guard", "enabled", "enable_imperative", "disable_imperative"],
    ".basics": ["to_variable", "no_grad", "grad", "BackwardStrategy", "save", "load"],
    "paddle.fluid.dygraph.jit": ["jit=", "TracedLayer", "declarative", "ProgramTranslator", "dygraph_to_static_output"],
    "paddle.fluid.dygraph.parallel": ["ParallelEnv", "prepare_context", "DataParallel", "Env"],
    "paddle.fluid.dygraph.learning_rate_scheduler": [
        "NoamDecay", "PiecewiseDecay", "NaturalExpDecay", "ExponentialDecay", "InverseTimeDecay", "PolynomialDecay", "CosineDecay",
        "LearningRateDecay"],
}, __name__)
__all__ = [*_HOME]

__getattr__, __dir__ = _late(__name__, _HOME)
