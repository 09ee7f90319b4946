"""Layers that round to steps whose size is learnt (learned step size quantization, LSQ+)."""

import math

from ...core.context import context
from ...core.op import Symbolic
from ...tensor.creation import zeros_like
from ...tensor.gather_scatter import where
from ...utils import unique_name
from ..initializer import Constant
from ..param_attr import ParamAttr
from .keeping import Keeping

__all__ = ["FakeQuantActLSQPlus", "FakeQuantWeightLSQPlus", "LsqFunc", "LsqPlusActFunc", "round"]


def round(x):
    """To the nearest whole number, halves away from zero.

    >>> from paddle.nn.quant import lsq
    >>> lsq.round(paddle.to_tensor([0.5, -1.5, 1.2])).tolist()
    [1.0, -2.0, 1.0]
    """
    return x.sign() * (x.abs() + 0.5).floor()


def _slowed(parameter, g):
    """A number as it is, of which g of the gradient arrives."""
    return parameter * g + (parameter - parameter * g).detach()


def _steps(x, low, high):
    """Whole numbers from low to high; gradients pass as if nothing had been rounded, but not beyond the ends."""
    passing = where((x >= low) & (x <= high), x, zeros_like(x))
    return passing + (round(x).clip(low, high) - passing).detach()


class LsqFunc:
    """``apply(weight, alpha, g, Qn, Qp, per_channel, quant_axis)``: rounds to steps of size alpha from Qn to Qp of them; with
    ``per_channel`` there is one size for each slice along an axis. g scales the gradient of alpha."""

    @staticmethod
    def apply(weight, alpha, g, Qn, Qp, per_channel=False, quant_axis=0):
        step = _slowed(alpha, g)
        if per_channel:
            step = step.reshape([-1 if k == quant_axis else 1 for k in range(weight.ndim)])
        return _steps(weight / step, Qn, Qp) * step


class LsqPlusActFunc:
    """``apply(x, alpha, beta, g, Qn, Qp)``: rounds what is above an offset beta to steps of size alpha."""

    @staticmethod
    def apply(x, alpha, beta, g, Qn, Qp):
        step, offset = _slowed(alpha, g), _slowed(beta, g)
        return _steps((x - offset) / step, Qn, Qp) * step + offset


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
        """What was measured on the first batch is where a number starts; later batches of training, up to batch_init, count a
        tenth. ``measure()`` gives pairs (parameter, value)."""
        if context.trace is not None or isinstance(x, Symbolic):  # a program computes with the numbers as they are
            if self.init_state == 0:
                raise RuntimeError(f"{type(self).__name__}: nothing was measured yet; run it on data before it becomes a program")
            return
        self._reduce(x, *self.parameters())
        if self.init_state == 0:
            self.g = 1.0 / math.sqrt(math.prod(x.shape) * self.Qp)
        if self.init_state > 0 and not self.training:
            return
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
