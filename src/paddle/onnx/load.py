"""Models of ONNX files as layers: ``paddle.onnx.load``."""

from __future__ import annotations

import os

import numpy as np

from ..core.errors import describe, suggest
from ..nn.layer.layers import Layer
from ..serialization.errors import FormatError
from ..serialization.wire import decode
from ..tensor.functions import to_tensor
from . import import_shapes  # noqa: F401  (its operators join the table)
from .importers import FOLDERS, IMPORTERS, Node
from .proto import DTYPES, ModelProto

_STATISTICS = {"BatchNormalization": (3, 4)}  # inputs that are running statistics, not weights


class ONNXLayer(Layer):
    """A layer that computes an ONNX graph: its float constants are parameters, its running statistics buffers.

    It is called with the graph's inputs in their order, and returns the graph's outputs: one, or a list. ``input_names`` and
    ``output_names`` say which they are. It trains and is saved as any layer (``paddle.jit.save``).
    """

    def __init__(self, graph, opset: int) -> None:
        super().__init__()
        self._opset, self._nodes = opset, [Node.of(node) for node in graph.node]
        _check(self._nodes)
        self._constants, self._homes = {}, {}
        statistics = {node.inputs[k] for node in self._nodes for k in _STATISTICS.get(node.type, ()) if k < len(node.inputs)}
        for tensor in graph.initializer:
            self._adopt(tensor.name, tensor.array(), tensor.name in statistics)
        given = {tensor.name for tensor in graph.initializer}
        self.input_names = [value.name for value in graph.input if value.name not in given]
        self.output_names = [value.name for value in graph.output]
        self.input_types = [_declared(value) for value in graph.input if value.name not in given]

    def _adopt(self, name: str, array: np.ndarray, statistic: bool) -> None:
        """Keep a constant: as a parameter if it can be trained, as a buffer if it is a statistic, as an array otherwise."""
        if array.dtype.kind != "f" or not array.ndim:
            self._constants[name] = array
            return
        home = name.replace(".", "_").replace("/", "_") or "constant"
        while home in self._parameters or home in self._buffers or hasattr(type(self), home):
            home += "_"
        if statistic:
            self.register_buffer(home, to_tensor(array))
        else:
            parameter = self.create_parameter(list(array.shape), dtype=array.dtype.name)
            parameter.set_value(array)
            self.add_parameter(home, parameter)
        self._homes[name] = home

    def forward(self, *inputs):
        if len(inputs) != len(self.input_names):
            raise ValueError(f"ONNXLayer: the model has the inputs {self.input_names}, got {len(inputs)} values")
        values = {**self._constants, **{name: getattr(self, home) for name, home in self._homes.items()},
                  **dict(zip(self.input_names, inputs)), "": None}
        for node in self._nodes:
            values.update(zip(node.outputs, _run(node, [values[name] for name in node.inputs], self)))
        found = [values[name] for name in self.output_names]
        found = [to_tensor(value) if isinstance(value, np.ndarray) else value for value in found]
        return found[0] if len(found) == 1 else found


def _run(node: Node, arguments: list, layer: ONNXLayer) -> list:
    """The results of one node. What depends on constants alone, as sizes do, stays an array."""
    fold = FOLDERS.get(node.type)
    if fold is not None and all(isinstance(value, np.ndarray) or value is None for value in arguments):
        found = fold(node, layer._opset, *arguments)
    else:
        importer = IMPORTERS[node.type]
        if not node.takes_arrays:
            arguments = [to_tensor(value) if isinstance(value, np.ndarray) else value for value in arguments]
        try:
            found = importer(node, layer, *arguments)
        except TypeError as error:
            raise TypeError(f"{node.type} ({', '.join(node.outputs)}): {error}") from error
    return list(found) if isinstance(found, (list, tuple)) else [found]


def _check(nodes: list[Node]) -> None:
    missing = sorted({node.type for node in nodes if node.type not in IMPORTERS and node.type not in FOLDERS})
    if missing:
        raise NotImplementedError(f"load(): the model uses the operators {', '.join(missing)}, which are not supported")


def _declared(value) -> tuple[str, list[int]]:
    """The element type and the sizes (-1: unknown) that a graph says of an input."""
    tensor = value.type.tensor_type if value.type is not None else None
    if tensor is None:
        raise NotImplementedError(f"load(): the input {value.name!r} is not a tensor")
    names = {number: name for name, number in DTYPES.items()}
    sizes = [] if tensor.shape is None else [d.dim_value if d.dim_value else -1 for d in tensor.shape.dim]
    return names.get(tensor.elem_type, "float32"), sizes


def load(path):
    """A layer that computes the model of an ONNX file (operator sets 9 to 21).

    Args:
        path: the file.

    Returns:
        ONNXLayer, in evaluation mode. Operators that are not supported are named in a NotImplementedError.
    """
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"load(): path must be a path, got {describe(path)}")
    with open(path, "rb") as file:
        model = decode(ModelProto, file.read())
    if model.graph is None:
        raise FormatError(f"load(): {os.fspath(path)} holds no graph; is it an ONNX file?")
    versions = {entry.domain or "": entry.version or 0 for entry in model.opset_import}
    if not 9 <= versions.get("", 0) <= 21:
        raise NotImplementedError(f"load(): {os.fspath(path)} uses operator set {versions.get('', 'none')}; 9 to 21 are supported")
    layer = ONNXLayer(model.graph, versions[""])
    made = {*layer.input_names, *layer._constants, *layer._homes, ""}
    for node in layer._nodes:
        unknown = [name for name in node.inputs if name not in made]
        if unknown:
            raise FormatError(f"load(): {node.type} reads {unknown[0]!r}, which nothing before it makes{suggest(unknown[0], made)}")
        made.update(node.outputs)
    layer.eval()
    return layer
