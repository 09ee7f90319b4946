"""WeightNormParamAttr: a weight as a direction times a length."""

from ..core.op import Symbolic
from ..nn.initializer import Initializer
from ..nn.param_attr import ParamAttr
from ..ops.math import arithmetic, reduction, unary
from .program.program import default_main_program


class WeightNormParamAttr(ParamAttr):
    """A weight that is trained as g * v / ||v||, for the functions of ``paddle.static.nn``.

    Args:
        dim: the axis that keeps a length of its own (one length for the whole weight for None).
        Others as for ParamAttr.

    >>> attr = paddle.static.WeightNormParamAttr(dim=1)
    """

    def __init__(self, dim=None, name=None, initializer=None, learning_rate=1.0, regularizer=None, trainable=True,
                 do_model_average=False, need_clip=True):
        super().__init__(name, initializer, learning_rate, regularizer, trainable, do_model_average, need_clip)
        self.dim = dim


def _lengths(v, axes, kept):
    """Lengths of v over axes (all for None), in the shape ``kept``."""
    squares = unary.square(v)
    return unary.sqrt(reduction.sum(squares) if axes is None else reduction.sum(squares, axes, True)).reshape(kept)


class _LengthsOf(Initializer):
    """The lengths that another parameter begins with, so that the weight begins as that parameter does."""

    def __init__(self, v, axes):
        self.v, self.axes = v, axes

    def make(self, shape, dtype):
        v = default_main_program().global_block().var(self.v.name) if isinstance(self.v, Symbolic) else self.v
        return _lengths(v, self.axes, shape)


def normalized(attr, shape, make):
    """The weight made from its two parameters; ``make(suffix, shape, initializer)`` creates a parameter."""
    dim = attr.dim if attr.dim is None or attr.dim >= 0 else attr.dim + len(shape)
    if dim is not None and not 0 <= dim < len(shape):
        raise ValueError(f"WeightNormParamAttr(): dim must be in [{-len(shape)}, {len(shape) - 1}], got {attr.dim}")
    axes = tuple(a for a in range(len(shape)) if a != dim) if dim is not None else None
    kept = [n if a == dim else 1 for a, n in enumerate(shape)]
    v = make("v", shape, None)
    g = make("g", kept, _LengthsOf(v, axes))
    return arithmetic.multiply(v, arithmetic.divide(g, _lengths(v, axes, kept)))
