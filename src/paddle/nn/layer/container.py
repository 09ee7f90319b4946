"""Containers of layers and parameters."""

import numbers
from collections import OrderedDict

from ...core.addresses import lookup as _lookup
from ...core.errors import CheckError, describe
from . import pairs
from .layers import Layer

__all__ = ["Sequential", "LayerList", "LayerDict", "ParameterList"]


class Sequential(Layer):
    """Layers called one after the other; given as arguments, or as (name, layer) pairs.

    Parameters and states are named by position, or by the names given; ``net[0]`` and ``net[1:]`` are parts of it.

    Args:
        layers (Layer, or (str, Layer)): what is called, first to last.
    Shape:
        Those of its first layer's input and its last layer's result.
    Raises:
        TypeError: an item is not a Layer.
        ValueError: a list or tuple is not a pair of a name and a Layer.

    >>> net = paddle.nn.Sequential(paddle.nn.Linear(3, 2), paddle.nn.ReLU())
    >>> net(paddle.ones([1, 3])).shape
    [1, 2]
    """

    def __init__(self, *layers):
        super().__init__()
        if len(layers) == 1 and isinstance(layers[0], OrderedDict):
            layers = list(layers[0].items())
        for i, layer in enumerate(layers):
            if isinstance(layer, (list, tuple)):
                if len(layer) != 2:
                    raise ValueError(f"Sequential(): a pair must be (name, layer), got {describe(layer)}")
                self.add_sublayer(str(layer[0]), layer[1])
            else:
                self.add_sublayer(str(i), layer)

    def __getitem__(self, name):
        if isinstance(name, slice):
            return type(self)(*list(self._sub_layers.values())[name])
        if isinstance(name, str):
            return self._sub_layers[name]
        return _at(self._sub_layers, name, "Sequential")[1]

    def __setitem__(self, name, layer):
        key = name if isinstance(name, str) else _at(self._sub_layers, name, "Sequential")[0]
        self.add_sublayer(key, layer)

    def __delitem__(self, name):
        key = name if isinstance(name, str) else _at(self._sub_layers, name, "Sequential")[0]
        del self._sub_layers[key]

    def __len__(self):
        return len(self._sub_layers)

    def __iter__(self):
        return iter(self._sub_layers.values())

    def append(self, module):
        """Add a layer at the end, under the next number that is free; returns self."""
        number = len(self)
        while str(number) in self._sub_layers:
            number += 1
        self.add_sublayer(str(number), module)
        return self

    def extend(self, sequential):
        """Add several layers at the end; returns self."""
        for layer in list(sequential):
            self.append(layer)
        return self

    def insert(self, index, module):
        """Add a layer in front of position ``index``; those after it are renumbered. Returns self."""
        if not isinstance(index, int) or not -len(self) <= index <= len(self):
            raise IndexError(f"Sequential.insert(): index {describe(index)} is out of range for {len(self)} layers")
        if list(self._sub_layers) != [str(i) for i in range(len(self))]:
            raise ValueError(f"Sequential.insert(): the layers must have numbers for names, got {list(self._sub_layers)}")
        if not isinstance(module, Layer):
            raise TypeError(f"Sequential.insert(): module must be a Layer, got {describe(module)}")
        layers = list(self._sub_layers.values())
        layers.insert(index, module)
        self._sub_layers.clear()
        return self.extend(layers)

    def forward(self, input):
        return pairs.called(self._sub_layers.values(), input)


def _at(table, index, who):
    """(key, value) number ``index`` of an ordered table, negative counts from the end; or of a key that it has, such as "3"."""
    if isinstance(index, str) and index in table:
        return index, table[index]
    keys = list(table)
    if not isinstance(index, numbers.Integral):
        raise TypeError(f"{who}: an index must be an int or a str, got {describe(index)}")
    if not -len(keys) <= index < len(keys):
        raise IndexError(f"{who}: index {index} is out of range for {len(keys)} entries")
    return keys[index], table[keys[index]]


class LayerList(Layer):
    """A list of layers that are registered as sublayers.

    Args:
        sublayers (iterable of Layer, None): its first items. It is indexed, sliced, appended to and iterated as a list; item i is
            named ``i`` in ``state_dict``.
    Shape:
        It is not called itself.
    Raises:
        TypeError: an entry is not a Layer.
        IndexError: there is no such entry.

    >>> len(paddle.nn.LayerList([paddle.nn.Linear(1, 1) for _ in range(3)]))
    3
    """

    def __init__(self, sublayers=None):
        super().__init__()
        for layer in sublayers or ():
            self.append(layer)

    def __getitem__(self, index):
        if isinstance(index, slice):
            return type(self)(list(self._sub_layers.values())[index])
        return _at(self._sub_layers, index, "LayerList")[1]

    def __setitem__(self, index, layer):
        self.add_sublayer(_at(self._sub_layers, index, "LayerList")[0], layer)

    def __delitem__(self, index):
        kept = list(self._sub_layers.values())
        del kept[index]
        self._sub_layers.clear()
        for layer in kept:
            self.append(layer)

    def __len__(self):
        return len(self._sub_layers)

    def __iter__(self):
        return iter(self._sub_layers.values())

    def append(self, sublayer):
        """Add a layer at the end; returns self."""
        self.add_sublayer(str(len(self)), sublayer)
        return self

    def insert(self, index, sublayer):
        """Add a layer in front of position ``index``."""
        if not isinstance(index, int) or not -len(self) <= index <= len(self):
            raise IndexError(f"LayerList.insert(): index {index} is out of range for {len(self)} entries")
        layers = list(self._sub_layers.values())
        layers.insert(index, sublayer)
        self._sub_layers.clear()
        for layer in layers:
            self.append(layer)

    def extend(self, sublayers):
        """Add several layers at the end; returns self."""
        for layer in sublayers:
            self.append(layer)
        return self


class ParameterList(Layer):
    """A list of parameters that are registered.

    Args:
        parameters (iterable of Parameter, None): its first items; item i is named ``i`` in ``state_dict``.
    Shape:
        It is not called itself.
    Raises:
        TypeError: an entry is not a Parameter.
        IndexError: there is no such entry.

    >>> w = paddle.create_parameter([2, 2], 'float32')
    >>> len(paddle.nn.ParameterList([w]))
    1
    """

    def __init__(self, parameters=None):
        super().__init__()
        for p in parameters or ():
            self.append(p)

    def __getitem__(self, index):
        if isinstance(index, slice):
            return type(self)(list(self._parameters.values())[index])
        return _at(self._parameters, index, "ParameterList")[1]

    def __setitem__(self, index, parameter):
        setattr(self, _at(self._parameters, index, "ParameterList")[0], parameter)

    def __len__(self):
        return len(self._parameters)

    def __iter__(self):
        return iter(self._parameters.values())

    def append(self, parameter):
        """Add a parameter at the end; returns self."""
        self.add_parameter(str(len(self)), parameter)
        return self


class LayerDict(Layer):
    """A dict of layers that are registered as sublayers.

    Args:
        sublayers (dict or list of pairs, None): its first items. It behaves like a dict; keys are names in ``state_dict``.

    >>> layers = paddle.nn.LayerDict({'a': paddle.nn.Linear(1, 1)})
    >>> list(layers.keys())
    ['a']
    """

    def __init__(self, sublayers=None):
        super().__init__()
        if sublayers is not None:
            self.update(sublayers)

    def __getitem__(self, key):
        return self._sub_layers[key]

    def __setitem__(self, key, layer):
        self.add_sublayer(key, layer)

    def __delitem__(self, key):
        del self._sub_layers[key]

    def __len__(self):
        return len(self._sub_layers)

    def __iter__(self):
        return iter(self._sub_layers)

    def __contains__(self, key):
        return key in self._sub_layers

    def clear(self):
        """Remove all layers."""
        self._sub_layers.clear()

    def pop(self, key):
        """Remove a layer and return it."""
        return self._sub_layers.pop(key)

    def keys(self):
        """The names."""
        return self._sub_layers.keys()

    def items(self):
        """Pairs (name, layer)."""
        return self._sub_layers.items()

    def values(self):
        """The layers."""
        return self._sub_layers.values()

    def update(self, sublayers):
        """Add layers from a dict or from (name, layer) pairs."""
        if not hasattr(sublayers, "items") and not hasattr(sublayers, "__iter__"):
            raise CheckError(f"LayerDict.update(): sublayers must be a dict or an iterable of pairs, got {describe(sublayers)}")
        pairs = sublayers.items() if hasattr(sublayers, "items") else sublayers
        for pair in pairs:
            if len(pair) != 2:
                raise ValueError(f"LayerDict.update(): entries must be (name, layer) pairs, got {describe(pair)}")
            self.add_sublayer(*pair)


__getattr__ = _lookup(__name__)
