"""The messages of ONNX files that the exporter writes (numbers and names of onnx.proto)."""

import numpy as np

from ..serialization.wire import encode, message, optional, repeated

DTYPES = {"float32": 1, "uint8": 2, "int8": 3, "int16": 5, "int32": 6, "int64": 7, "bool": 9, "float16": 10, "float64": 11,
          "complex64": 14, "complex128": 15, "bfloat16": 16}
_FLOAT, _INT, _STRING, _TENSOR, _FLOATS, _INTS, _STRINGS = 1, 2, 3, 4, 6, 7, 8


@message
class TensorProto:
    """An array."""

    dims: list[int] = repeated(1, "int64")
    data_type: int = optional(2, "int32")
    name: str = optional(8, "string")
    raw_data: bytes = optional(9, "bytes")

    @classmethod
    def of(cls, array, name=""):
        """The message of a NumPy array."""
        array = np.asarray(array)
        if array.dtype.name not in DTYPES:
            raise TypeError(f"export(): an array of {array.dtype.name} has no type in ONNX")
        little = array.astype(array.dtype.newbyteorder("<")) if array.dtype.byteorder == ">" else array
        return cls(dims=list(array.shape), data_type=DTYPES[array.dtype.name], name=name,
                   raw_data=np.ascontiguousarray(little).tobytes())


@message
class AttributeProto:
    """An attribute of a node."""

    name: str = optional(1, "string")
    f: float = optional(2, "float")
    i: int = optional(3, "int64")
    s: bytes = optional(4, "bytes")
    t: TensorProto = optional(5, TensorProto)
    floats: list[float] = repeated(7, "float")
    ints: list[int] = repeated(8, "int64")
    strings: list[bytes] = repeated(9, "bytes")
    type: int = optional(20, "enum")

    @classmethod
    def of(cls, name, value):
        """The message of a Python value."""
        if isinstance(value, bool):
            return cls(name=name, i=int(value), type=_INT)
        if isinstance(value, int):
            return cls(name=name, i=value, type=_INT)
        if isinstance(value, float):
            return cls(name=name, f=value, type=_FLOAT)
        if isinstance(value, str):
            return cls(name=name, s=value.encode(), type=_STRING)
        if isinstance(value, np.ndarray):
            return cls(name=name, t=TensorProto.of(value), type=_TENSOR)
        if value and all(isinstance(v, str) for v in value):
            return cls(name=name, strings=[v.encode() for v in value], type=_STRINGS)
        if all(isinstance(v, int) for v in value):
            return cls(name=name, ints=list(value), type=_INTS)
        return cls(name=name, floats=[float(v) for v in value], type=_FLOATS)


@message
class NodeProto:
    """One operator of a graph."""

    input: list[str] = repeated(1, "string")
    output: list[str] = repeated(2, "string")
    name: str = optional(3, "string")
    op_type: str = optional(4, "string")
    attribute: list[AttributeProto] = repeated(5, AttributeProto)
    domain: str = optional(7, "string")


@message
class Dimension:
    """One size: a number, or a name for an unknown one."""

    dim_value: int = optional(1, "int64")
    dim_param: str = optional(2, "string")


@message
class TensorShapeProto:
    """Sizes."""

    dim: list[Dimension] = repeated(1, Dimension)


@message
class TensorTypeProto:
    """Element type and sizes."""

    elem_type: int = optional(1, "int32")
    shape: TensorShapeProto = optional(2, TensorShapeProto)


@message
class TypeProto:
    """The type of a value."""

    tensor_type: TensorTypeProto = optional(1, TensorTypeProto)


@message
class ValueInfoProto:
    """An input or output of a graph."""

    name: str = optional(1, "string")
    type: TypeProto = optional(2, TypeProto)

    @classmethod
    def of(cls, name, shape, dtype):
        """An input or output; sizes of -1 are unknown."""
        dims = [Dimension(dim_value=n) if n >= 0 else Dimension(dim_param=f"{name}_{k}") for k, n in enumerate(shape)]
        tensor = TensorTypeProto(elem_type=DTYPES[dtype], shape=TensorShapeProto(dim=dims))
        return cls(name=name, type=TypeProto(tensor_type=tensor))


@message
class GraphProto:
    """Nodes, constants, inputs and outputs."""

    node: list[NodeProto] = repeated(1, NodeProto)
    name: str = optional(2, "string")
    initializer: list[TensorProto] = repeated(5, TensorProto)
    input: list[ValueInfoProto] = repeated(11, ValueInfoProto)
    output: list[ValueInfoProto] = repeated(12, ValueInfoProto)


@message
class OperatorSetId:
    """Which version of the operators a model uses."""

    domain: str = optional(1, "string")
    version: int = optional(2, "int64")


@message
class ModelProto:
    """A model file."""

    ir_version: int = optional(1, "int64")
    producer_name: str = optional(2, "string")
    producer_version: str = optional(3, "string")
    graph: GraphProto = optional(7, GraphProto)
    opset_import: list[OperatorSetId] = repeated(8, OperatorSetId)

    def to_bytes(self):
        """The content of an ``.onnx`` file."""
        return encode(self)
