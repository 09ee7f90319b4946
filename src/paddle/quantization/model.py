"""Models prepared for quantization, and made ready for use."""

import copy

from .. import nn
from ..core.docstrings import documented_like
from ..core.errors import describe
from ..nn.quant.format import ConvertibleQuantedLayer, LinearQuanterDequanter
from .config import QuantConfig
from .factory import BaseQuanter

__all__ = ["PTQ", "QAT"]


class ObserveWrapper(nn.Layer):
    """A layer behind the quanter or observer of its input."""

    def __init__(self, observer, observed):
        super().__init__()
        self._observer, self._observed = observer, observed

    def forward(self, input, *inputs, **kwargs):
        return self._observed(self._observer(input), *inputs, **kwargs)


class Quantization:
    """What both ways of quantization share."""

    def __init__(self, config):
        if not isinstance(config, QuantConfig):
            raise TypeError(f"{type(self).__name__}(): config must be a QuantConfig, got {describe(config)}")
        self._config = config

    def _prepared(self, model, inplace):
        model = model if inplace else copy.deepcopy(model)
        config = copy.copy(self._config)
        config._by_layer = {}
        config._specify(model)
        self._replace(model, config)
        return model

    def _replace(self, model, config):
        """Put quantized layers in the place of plain ones, and observers before the others."""
        for name, child in list(model.named_children()):
            target = config.qat_layer_mappings.get(type(child))
            if target is not None and config._get_config_by_layer(child) is not None:
                model._sub_layers[name] = target(child, config._get_config_by_layer(child))
            elif config._need_observe(child):
                model._sub_layers[name] = ObserveWrapper(config._get_observer(child), child)
            elif type(child) not in config.customized_leaves:
                self._replace(child, config)

    def convert(self, model, inplace=False, remain_weight=False):
        """The model with the scales that were found, ready for use and for ``paddle.jit.save``.

        Args:
            model: what ``quantize`` returned, trained or calibrated.
            inplace: change that model instead of a copy.
            remain_weight: keep weights as they are, rather than as numbers of steps.
        """
        model = model if inplace else copy.deepcopy(model)
        for name, child in list(model.named_children()):
            if isinstance(child, ConvertibleQuantedLayer):
                if not child.converted and child.weight_quanter is not None:
                    child._convert(remain_weight)
            elif isinstance(child, BaseQuanter):
                model._sub_layers[name] = LinearQuanterDequanter.from_quanter(child)
            else:
                self.convert(child, True, remain_weight)
        return model

    def __repr__(self):
        return f"{type(self).__name__}({self._config})"


class QAT(Quantization):
    """Training with rounded inputs and weights, so that the model gets used to it.

    Args:
        config: which layers, and how.

    >>> from paddle.quantization import QAT, QuantConfig
    >>> from paddle.quantization.quanters import FakeQuanterWithAbsMaxObserver
    >>> quanter = FakeQuanterWithAbsMaxObserver(moving_rate=0.9)
    >>> qat = QAT(QuantConfig(activation=quanter, weight=quanter))
    >>> qat.quantize(paddle.nn.Sequential(paddle.nn.Linear(2, 3)))
    Sequential(
      (0): QuantedLinear(
        (weight_quanter): FakeQuanterWithAbsMaxObserverLayer()
        (activation_quanter): FakeQuanterWithAbsMaxObserverLayer()
      )
    )
    """

    def quantize(self, model, inplace=False):
        """The model prepared for training; a copy of it unless ``inplace``."""
        if not model.training:
            raise ValueError("QAT.quantize(): the model must be in training mode: model.train()")
        return self._prepared(model, inplace)


@documented_like(QAT)
class PTQ(Quantization):
    """Calibration of a trained model: it looks at some data, and is then rounded.

    >>> from paddle.quantization import PTQ, QuantConfig
    >>> from paddle.quantization.observers import AbsmaxObserver
    >>> ptq = PTQ(QuantConfig(activation=AbsmaxObserver(), weight=AbsmaxObserver()))
    >>> model = ptq.quantize(paddle.nn.Sequential(paddle.nn.Linear(2, 3)).eval())
    >>> _ = model(paddle.ones([1, 2]))  # data like that which will come
    >>> ptq.convert(model)(paddle.ones([1, 2])).shape
    [1, 3]
    """

    def quantize(self, model, inplace=False):
        """The model prepared for calibration; a copy of it unless ``inplace``."""
        if model.training:
            raise ValueError("PTQ.quantize(): the model must be in evaluation mode: model.eval()")
        return self._prepared(model, inplace)
