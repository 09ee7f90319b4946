"""VarType: types of elements and variables as files number them (``core.VarDesc.VarType.FP32``), and what they mean here."""

from ..core.dtype import ALL, convert


class VarType:
    """A type by its name and number in files; equal to its number and to the element type that it means."""

    def __init__(self, name, value, dtype=None):
        self.name, self.value, self.paddle_dtype = name, value, dtype

    def __repr__(self):
        return f"VarType.{self.name}"

    def __int__(self):
        return self.value

    def __eq__(self, other):
        if isinstance(other, VarType):
            return self.value == other.value
        if isinstance(other, str):
            return self.name == other
        return self.value == other if isinstance(other, int) else self.paddle_dtype is not None and self.paddle_dtype == other

    def __hash__(self):
        return hash(self.value)


class VarDesc:
    """Holder of VarType."""

    VarType = VarType


vartype_to_datatype = {VarType(_name, ALL[_key].code, ALL[_key]): ALL[_key] for _name, _key in (
    ("BOOL", "bool"), ("INT16", "int16"), ("INT32", "int32"), ("INT64", "int64"), ("FP16", "float16"), ("FP32", "float32"),
    ("FP64", "float64"), ("UINT8", "uint8"), ("INT8", "int8"), ("BF16", "bfloat16"), ("COMPLEX64", "complex64"),
    ("COMPLEX128", "complex128"))}
datatype_to_vartype = {_dtype: _kind for _kind, _dtype in vartype_to_datatype.items()}
for _kind in vartype_to_datatype:
    setattr(VarType, _kind.name, _kind)
for _name, _code in (("LOD_TENSOR", 7), ("DENSE_TENSOR", 7), ("SELECTED_ROWS", 8), ("FEED_MINIBATCH", 9), ("FETCH_LIST", 10),
                     ("STEP_SCOPES", 11), ("LOD_TENSOR_ARRAY", 13), ("READER", 15), ("RAW", 17), ("STRING", 25), ("STRINGS", 26),
                     ("VOCAB", 27)):
    setattr(VarType, _name, VarType(_name, _code))


def convert_np_dtype_to_proto_type(np_dtype):
    """The VarType of a NumPy dtype, an element type or a name."""
    return datatype_to_vartype[convert(np_dtype, "convert_np_dtype_to_proto_type")]
