"""Which layers are quantized, and how."""

from .. import nn
from ..core.errors import describe
from ..nn.quant.qat import QuantedConv2D, QuantedLinear
from ..nn.quant.stub import QuanterStub, Stub
from .factory import QuanterFactory

__all__ = ["QuantConfig", "SingleLayerConfig"]

REPLACED = {Stub: QuanterStub, nn.Linear: QuantedLinear, nn.Conv2D: QuantedConv2D}


class SingleLayerConfig:
    """How a layer is quantized: factories of quanters for its inputs and for its weights, or None."""

    def __init__(self, activation, weight):
        for name, value in (("activation", activation), ("weight", weight)):
            if value is not None and not isinstance(value, QuanterFactory):
                raise TypeError(f"QuantConfig: {name} must be a factory of quanters or None, got {describe(value)}")
        self.activation, self.weight = activation, weight

    def __str__(self):
        return f"activation: {self.activation}\nweight: {self.weight}"


class QuantConfig:
    """Which layers of a model are quantized, and how. Settings for a layer come before those for its type, and those before
    what its parent or, in the end, this configuration says.

    Args:
        activation: a factory of quanters for inputs; None leaves them.
        weight: a factory of quanters for weights; None leaves them.

    >>> from paddle.quantization import QuantConfig
    >>> from paddle.quantization.quanters import FakeQuanterWithAbsMaxObserver
    >>> quanter = FakeQuanterWithAbsMaxObserver(moving_rate=0.9)
    >>> print(QuantConfig(activation=quanter, weight=None))
    Global config:
    activation: FakeQuanterWithAbsMaxObserver(name=None,moving_rate=0.9,bit_length=8,dtype=float32)
    weight: None
    """

    def __init__(self, activation, weight):
        self.global_config = None if activation is None and weight is None else SingleLayerConfig(activation, weight)
        self._by_name, self._by_type, self._by_layer = {}, {}, {}
        self.qat_layer_mappings, self.customized_leaves = dict(REPLACED), []
        self._model = None

    default_qat_layer_mapping = property(lambda self: dict(REPLACED))

    def add_layer_config(self, layer, activation=None, weight=None):
        """Say how a layer, or each of a list of them, is quantized."""
        for one in layer if isinstance(layer, (list, tuple)) else [layer]:
            if not isinstance(one, nn.Layer):
                raise TypeError(f"add_layer_config(): layer must be a Layer or a list of them, got {describe(one)}")
            self.add_name_config(one.full_name(), activation, weight)

    def add_name_config(self, layer_name, activation=None, weight=None):
        """Say how the layer of a full name, or of each of a list of them, is quantized."""
        for one in layer_name if isinstance(layer_name, (list, tuple)) else [layer_name]:
            if not isinstance(one, str):
                raise TypeError(f"add_name_config(): layer_name must be a name or a list of them, got {describe(one)}")
            self._by_name[one] = SingleLayerConfig(activation, weight)

    def add_type_config(self, layer_type, activation=None, weight=None):
        """Say how layers of a class, or of each of a list of them, are quantized."""
        for one in layer_type if isinstance(layer_type, (list, tuple)) else [layer_type]:
            self._by_type[_layer_class(one, "add_type_config", "layer_type")] = SingleLayerConfig(activation, weight)

    def add_qat_layer_mapping(self, source, target):
        """Replace layers of the class ``source`` by ``target(layer, config)``."""
        if not isinstance(target, type):
            raise TypeError(f"add_qat_layer_mapping(): target must be a class, got {describe(target)}")
        self.qat_layer_mappings[_layer_class(source, "add_qat_layer_mapping", "source")] = target

    def add_customized_leaf(self, layer_type):
        """Treat layers of a class as a whole: what is inside them is left alone."""
        self.customized_leaves.append(_layer_class(layer_type, "add_customized_leaf", "layer_type"))

    # ---- what applies to the layers of a model; packages' own QAT and PTQ call these by Paddle's names ----
    def _specify(self, model):
        """Find out what applies to each layer below a model."""
        self._model = model
        for parent in model.sublayers(include_self=True):
            config = self._by_layer.get(id(parent), self.global_config)
            for child in parent.children():
                found = self._by_name.get(child.full_name(), self._by_type.get(type(child), config))
                if found is not None:
                    self._by_layer[id(child)] = found

    def _get_config_by_layer(self, layer):
        """What applies to a layer, or None."""
        return self._by_layer.get(id(layer))

    def _is_quantifiable(self, layer):
        """Does anything apply to the layer?"""
        return id(layer) in self._by_layer

    def _has_observer_config(self, layer):
        """Is what goes into the layer to be rounded or observed?"""
        config = self._get_config_by_layer(layer)
        return config is not None and config.activation is not None

    def _is_customized_leaf(self, layer):
        return type(layer) in self.customized_leaves

    def _is_real_leaf(self, layer):
        return not list(layer.children())

    def _is_default_leaf(self, layer):
        return type(layer) in (nn.ReLU, nn.AvgPool2D)

    def _is_leaf(self, layer):
        """Is the layer taken as a whole?"""
        return self._is_default_leaf(layer) or self._is_real_leaf(layer) or self._is_customized_leaf(layer)

    def _need_observe(self, layer):
        """Is what goes into the layer to be rounded or observed, and the layer left as it is?"""
        return self._is_leaf(layer) and self._has_observer_config(layer)

    def _get_observer(self, layer):
        """A quanter for what goes into the layer, or None."""
        return self._get_config_by_layer(layer).activation._instance(layer) if self._has_observer_config(layer) else None

    def details(self):
        """What applies to each layer of the model that was quantized, as a text; before that the configuration itself."""
        return str(self) if self._model is None else self._details(self._model)

    def _details(self, layer):
        lines = ["({}): {}, {}".format(name, self._details(child).replace("\n", "\n  "), self._get_config_by_layer(child))
                 for name, child in layer.named_children() if self._is_quantifiable(child)]
        inside = "\n  " + "\n  ".join(lines) + "\n" if lines else ""
        return f"{type(layer).__name__}({inside})"

    def __str__(self):
        parts = [f"Global config:\n{self.global_config}"]
        parts += [f"Config of {kind.__name__}:\n{config}" for kind, config in self._by_type.items()]
        return "\n".join([*parts, *(f"Config of {name}:\n{config}" for name, config in self._by_name.items())])


def _layer_class(value, function, argument):
    if not isinstance(value, type) or not issubclass(value, nn.Layer):
        raise TypeError(f"{function}(): {argument} must be a class of layers, got {describe(value)}")
    return value
