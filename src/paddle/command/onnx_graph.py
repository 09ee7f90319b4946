"""An ONNX graph in the form that static.draw draws: a block of operators and the variables that it finds by name."""

from types import SimpleNamespace

from ..onnx.proto import ModelProto
from ..serialization.wire import decode

_TENSOR = 7  # the kind of variables that hold tensors


def blocks(path):
    """[block] of an ONNX file; operators that cannot run here are there too."""
    with open(path, "rb") as file:
        graph = decode(ModelProto, file.read()).graph
    if graph is None:
        raise ValueError(f"{path}: an ONNX file without a graph")
    constants = {t.name: SimpleNamespace(persistable=True, kind=_TENSOR, shape=list(t.dims)) for t in graph.initializer}
    nodes = [_Operator("input", [], [v.name]) for v in graph.input if v.name not in constants]
    nodes += [_Operator(n.op_type or "?", list(n.input), list(n.output)) for n in graph.node]
    nodes += [_Operator("output", [v.name], []) for v in graph.output]
    return [SimpleNamespace(idx=0, ops=nodes, find=constants.get)]


class _Operator:
    def __init__(self, kind, inputs, outputs):
        self.type, self.input_arg_names, self.output_arg_names, self.attrs = kind, [n for n in inputs if n], outputs, {}

    def __str__(self):
        return f"{', '.join(self.output_arg_names)} = {self.type}({', '.join(self.input_arg_names)})"
