"""Features from within a model."""

from ... import nn
from ...core.errors import describe
from .blocks import divisible as _make_divisible  # noqa: F401  (a name that programs take from here)


class IntermediateLayerGetter(nn.LayerDict):
    """The layers of a model up to the last one asked for, called one after the other; gives results in between by name.

    The layers must be direct members of the model, each used once, in the order in which the model has them.

    Args:
        model: the Layer.
        return_layers: {name of a member: name of its result}.

    >>> from paddle.vision.models._utils import IntermediateLayerGetter
    >>> model = paddle.nn.Sequential(("a", paddle.nn.Linear(2, 3)), ("b", paddle.nn.ReLU()), ("c", paddle.nn.Linear(3, 4)))
    >>> {name: value.shape for name, value in IntermediateLayerGetter(model, {"b": "features"})(paddle.ones([5, 2])).items()}
    {'features': [5, 3]}
    """

    def __init__(self, model, return_layers):
        members = dict(model.named_children())
        missing = [name for name in return_layers if name not in members]
        if missing:
            raise ValueError(f"IntermediateLayerGetter(): the model has no layer {missing[0]!r}, got return_layers "
                             f"{describe(return_layers)}")
        names = list(members)
        last = max(names.index(name) for name in return_layers) if return_layers else -1
        super().__init__({name: members[name] for name in names[:last + 1]})
        self.return_layers = dict(return_layers)

    def forward(self, x):
        found = {}
        for name, layer in self.items():
            first = next(iter(layer.sublayers()), layer)
            x = layer(x.flatten(1) if isinstance(first, nn.Linear) and len(x.shape) == 4 else x)
            if name in self.return_layers:
                found[self.return_layers[name]] = x
        return found
