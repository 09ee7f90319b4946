"""Layers that round to steps whose size is learnt (learned step size quantization, LSQ+)."""

import math

from ...autograd import PyLayer
from ...utils import unique_name
from ..initializer import Constant
from ..param_attr import ParamAttr
from .quant_layers import Keeping

__all__ = ["FakeQuantActLSQPlus", "FakeQuantWeightLSQPlus", "LsqFunc", "LsqPlusActFunc", "round"]


def round(x):
    """To the nearest whole number, halves away from zero.

    >>> from paddle.nn.quant import lsq
    >>> lsq.round(paddle.to_tensor([0.5, -1.5, 1.2])).tolist()
    [1.0, -2.0, 1.0]
    """
    return x.sign() * (x.abs() + 0.5).floor()


def _gradients(q, grad, g, low, high):
    """Of what was rounded, of the step's size and of the offset, element by element; ``q`` is what came in steps."""
    below, above = (q < low).astype(grad.dtype), (q > high).astype(grad.dtype)
    inside = 1.0 - below - above
    return inside * grad, (below * low + above * high + inside * (round(q) - q)) * grad * g, (below + above) * grad * g


class LsqFunc(PyLayer):
    """``apply(weight, alpha, g, Qn, Qp, per_channel, quant_axis)``: rounds to steps of size alpha from Qn to Qp of them; with
    ``per_channel`` there is one size for each slice along an axis. g scales the gradient of alpha."""

    @staticmethod
    def forward(ctx, weight, alpha, g, Qn, Qp, per_channel=False, quant_axis=0):
        axis = quant_axis if per_channel else None
        step = alpha if axis is None else alpha.reshape([-1 if k == axis else 1 for k in range(weight.ndim)])
        ctx.save_for_backward(weight, step, alpha)
        ctx.other = g, Qn, Qp, axis
        return round(weight / step).clip(Qn, Qp) * step

    @staticmethod
    def backward(ctx, grad):
        weight, step, alpha = ctx.saved_tensor()
        g, low, high, axis = ctx.other
        inside, of_step, _ = _gradients(weight / step, grad, g, low, high)
        others = None if axis is None else [k for k in range(weight.ndim) if k != axis]
        return inside, of_step.sum(others).reshape(alpha.shape)


class LsqPlusActFunc(PyLayer):
    """``apply(x, alpha, beta, g, Qn, Qp)``: rounds what is above an offset beta to steps of size alpha."""

    @staticmethod
    def forward(ctx, x, alpha, beta, g, Qn, Qp):
        ctx.save_for_backward(x, alpha, beta)
        ctx.other = g, Qn, Qp
        return round((x - beta) / alpha).clip(Qn, Qp) * alpha + beta

    @staticmethod
    def backward(ctx, grad):
        x, alpha, beta = ctx.saved_tensor()
        inside, of_step, of_offset = _gradients((x - beta) / alpha, grad, *ctx.other)
        return inside, of_step.sum().reshape(alpha.shape), of_offset.sum().reshape(beta.shape)


class _Learnt(Keeping):
    """What both share: the range of numbers of steps, the size of a step, and how it starts."""

    def __init__(self, quant_bits, all_postive, batch_init, name, reduce_type):
        super().__init__(reduce_type)
        self.bits, self.all_positive, self.batch_init, self.name = quant_bits, all_postive, batch_init, name
        self.reduce_type, self.init_state = reduce_type, 0
        self.Qn, self.Qp = (0, 2 ** quant_bits - 1) if all_postive else (-2 ** (quant_bits - 1), 2 ** (quant_bits - 1) - 1)

    def _made(self, kind, shape, start, dtype="float32"):
        """(name, parameter) of a number that is learnt."""
        name = unique_name.generate(f"{self.name or 'quant_dequant'}.{kind}")
        return name, self.create_parameter(shape, ParamAttr(name=name, initializer=Constant(start)), dtype)

    def _start(self, x, measure):
        """What was measured on the first batch is where a number starts; those that follow, up to batch_init, count a tenth.
        ``measure()`` gives pairs (parameter, value)."""
        self._reduce(x, *self.parameters())
        if self.init_state == 0:
            self.g = 1.0 / math.sqrt(math.prod(x.shape) * self.Qp)
        if self.init_state < self.batch_init:
            for parameter, value in measure(x.detach()):
                parameter.set_value(value if self.init_state == 0 else parameter * 0.9 + value * 0.1)
        self.init_state += 1


class FakeQuantActLSQPlus(_Learnt):
    """Rounds activations; the size of a step and, unless ``symmetric``, an offset are learnt.

    Args:
        quant_bits (int): bits of a step's number.
        all_postive (bool): numbers from 0 on, instead of such around 0.
        symmetric (bool): without an offset.
        batch_init (int): so many batches are measured to start from.
        dtype (str): of the parameters.
        name (str or None): prefix of their names.
        reduce_type (str or None): ``max`` gives all ranks the largest.

    >>> from paddle.nn.quant.lsq import FakeQuantActLSQPlus
    >>> FakeQuantActLSQPlus(2)(paddle.to_tensor([0.0, 1.4, 3.0])).tolist()
    [0.0, 1.0, 3.0]
    """

    def __init__(self, quant_bits, all_postive=False, symmetric=False, batch_init=20, dtype="float32", name=None, reduce_type=None):
        super().__init__(quant_bits, all_postive, batch_init, name, reduce_type)
        self.symmetric = symmetric
        self._scale_name, self.s = self._made("scale", [], 1.0, dtype)
        if not symmetric:
            self._beta_name, self.beta = self._made("beta", [], 0.0, dtype)

    def forward(self, activation):
        self._start(activation, self._measured)
        if self.symmetric:
            return LsqFunc.apply(activation, self.s, self.g, self.Qn, self.Qp)
        return LsqPlusActFunc.apply(activation, self.s, self.beta, self.g, self.Qn, self.Qp)

    def _measured(self, x):
        low, high = x.min(), x.max()
        yield self.s, (high - low) / (self.Qp - self.Qn)
        if not self.symmetric:
            yield self.beta, low - self.s * self.Qn


class FakeQuantWeightLSQPlus(_Learnt):
    """Rounds weights; the size of a step is learnt, one for all or one for each channel.

    Args:
        quant_bits (int): bits of a step's number.
        all_postive (bool): numbers from 0 on, instead of such around 0.
        per_channel (bool): one size for each channel.
        batch_init (int): so many calls are measured to start from.
        channel_num (int or None): how many channels; needed with ``per_channel``.
        quant_linear (bool): the weight is that of ``Linear``, whose channels are its second axis.
        dtype (str): of the parameter.
        name (str or None): prefix of its name.
        reduce_type (str or None): ``max`` gives all ranks the largest.
    """

    def __init__(self, quant_bits, all_postive=False, per_channel=False, batch_init=20, channel_num=None, quant_linear=False,
                 dtype="float32", name=None, reduce_type=None):
        super().__init__(quant_bits, all_postive, batch_init, name, reduce_type)
        if per_channel and channel_num is None:
            raise ValueError("FakeQuantWeightLSQPlus(): per_channel needs channel_num")
        self.per_channel, self.quant_linear = per_channel, quant_linear
        self.quant_axis, self.collect_axis = (1, 0) if quant_linear else (0, 1)
        self._scale_name, self.s = self._made("scale", [channel_num or 1], 1.0, dtype)

    def forward(self, weight):
        self._start(weight, self._measured)
        return LsqFunc.apply(weight, self.s, self.g, self.Qn, self.Qp, self.per_channel, self.quant_axis)

    def _measured(self, weight):
        axes = [k for k in range(weight.ndim) if k != self.quant_axis] if self.per_channel else None
        mean, spread = weight.mean(axes), 3 * weight.std(axes)
        yield self.s, ((mean - spread).abs().maximum((mean + spread).abs()) / (2 ** self.bits - 1)).reshape(self.s.shape)
