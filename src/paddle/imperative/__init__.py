"""paddle.imperative: eager execution as 2.0 alpha had it, between ``enable_imperative()`` and ``disable_imperative()``.

While it is on, names whose meaning changed afterwards (``paddle.split``, ``nn.functional.cross_entropy`` ...) have the
meaning of 2.0 alpha in the thread that turned it on: they are declared with both (``core/generation.py``).
"""

import importlib

from ..core.errors import suggest as _suggest

# name -> module that has it
_HOME = {
    **dict.fromkeys(("guard", "enabled", "enable_imperative", "disable_imperative"), "paddle.imperative.era"),
    **dict.fromkeys(("to_variable", "no_grad", "grad", "BackwardStrategy", "save", "load"), "paddle.imperative.basics"),
    **dict.fromkeys(("TracedLayer", "declarative", "ProgramTranslator", "dygraph_to_static_output"),
                    "paddle.fluid.dygraph.jit"),
    **dict.fromkeys(("ParallelEnv", "prepare_context", "DataParallel", "Env"), "paddle.fluid.dygraph.parallel"),
    **dict.fromkeys(("NoamDecay", "PiecewiseDecay", "NaturalExpDecay", "ExponentialDecay", "InverseTimeDecay",
                     "PolynomialDecay", "CosineDecay", "LearningRateDecay"), "paddle.fluid.dygraph.learning_rate_scheduler"),
    "jit": "paddle.fluid.dygraph.jit",
}
__all__ = [*_HOME]


def __getattr__(name):
    if name not in _HOME:
        raise AttributeError(f"module 'paddle.imperative' has no attribute {name!r}{_suggest(name, __all__)}")
    module = importlib.import_module(_HOME[name])
    return module if name == "jit" else getattr(module, name)


def __dir__():
    return sorted({*globals(), *__all__})
