"""The messages of ONNX files (numbers and names of onnx.proto)."""

import numpy as np

from ..core import dtype as dtypes
from ..serialization.errors import FormatError
from ..serialization.wire import encode, message, optional, packed, repeated

DTYPES = {"float32": 1, "uint8": 2, "int8": 3, "int16": 5, "int32": 6, "int64": 7, "bool": 9, "float16": 10, "float64": 11,
          "complex64": 14, "complex128": 15, "bfloat16": 16}
_FLOAT, _INT, _STRING, _TENSOR, _FLOATS, _INTS, _STRINGS = 1, 2, 3, 4, 6, 7, 8


@message
class TensorProto:
    """An array."""

    dims: list[int] = repeated(1, "int64")
    data_type: int = optional(2, "int32")
    float_data: list[float] = packed(4, "float")
    int32_data: list[int] = packed(5, "int32")
    int64_data: list[int] = packed(7, "int64")
    name: str = optional(8, "string")
    raw_data: bytes = optional(9, "bytes")
    double_data: list[float] = packed(10, "double")
    data_location: int = optional(14, "enum")

    @classmethod
    def of(cls, array, name=""):
        """The message of a NumPy array."""
        array = np.asarray(array)
        if array.dtype.name not in DTYPES:
            raise TypeError(f"export(): an array of {array.dtype.name} has no type in ONNX")
        little = array.astype(array.dtype.newbyteorder("<")) if array.dtype.byteorder == ">" else array
        return cls(dims=list(array.shape), data_type=DTYPES[array.dtype.name], name=name,
                   raw_data=np.ascontiguousarray(little).tobytes())

    def array(self):
        """The NumPy array of the message."""
        names = {number: name for name, number in DTYPES.items()}
        if self.data_type not in names or self.data_location:
            raise FormatError(f"the tensor {self.name!r} has element type {self.data_type}"
                              f"{' and lies in another file' if self.data_location else ''}, which is not read")
        kind = dtypes.ALL[names[self.data_type]].dtype
        if self.raw_data:
            flat = np.frombuffer(self.raw_data, kind) if len(self.raw_data) % kind.itemsize == 0 else np.empty(0, kind)
        elif self.int32_data and kind.itemsize == 2 and kind.kind not in "iu":  # 16-bit floats are stored by their bits
            flat = np.array(self.int32_data, np.uint16).view(kind)
        else:
            flat = np.array(self.float_data or self.int32_data or self.int64_data or self.double_data, kind)
        if flat.size != int(np.prod(self.dims)):
            raise FormatError(f"the tensor {self.name!r} of shape {list(self.dims)} has {flat.size} elements")
        return flat.reshape(self.dims).copy()


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

    def value(self):
        """The Python value."""
        kinds = {_FLOAT: "f", _INT: "i", _STRING: "s", _TENSOR: "t", _FLOATS: "floats", _INTS: "ints", _STRINGS: "strings"}
        if self.type not in kinds:
            raise NotImplementedError(f"load(): the attribute {self.name!r} holds a graph or a sparse tensor: not supported")
        found = getattr(self, kinds[self.type])
        if found is None:  # what a writer leaves out is zero
            found = {_FLOAT: 0.0, _INT: 0, _STRING: b""}.get(self.type)
        if self.type in (_STRING, _STRINGS):
            return found.decode() if self.type == _STRING else [text.decode() for text in found]
        return found.array() if self.type == _TENSOR else found

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
