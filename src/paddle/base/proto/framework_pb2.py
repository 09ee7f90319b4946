"""The messages of ``.pdmodel`` files with the interface of Google's protobuf library, which is not needed for it.

Programs and converters written for Paddle build and read them as ``framework_pb2.ProgramDesc`` and friends. A message here holds
one of ``program_desc`` and shows its fields: what is not set reads as its default, a message inside comes into being with the
first field that is set in it, lists of messages have ``add``.
"""

from __future__ import annotations

import copy
from collections.abc import MutableSequence

from ...serialization import program_desc as _desc
from ...serialization import wire as _wire
from ...serialization.program_desc import AttrType, VarKind

_ZERO = {"int32": 0, "int64": 0, "enum": 0, "bool": False, "float": 0.0, "double": 0.0, "string": "", "bytes": b""}
_DEFAULTS = {(_desc.BlockDesc, "forward_block_idx"): -1}  # where it is not zero


class Message:
    """Base of all messages."""

    held: type  # the class of program_desc
    __slots__ = ("_held", "_owner")

    def __init__(self, **fields):
        self._held, self._owner = self.held(), None
        for name, value in fields.items():
            _set(self, name, value)

    @classmethod
    def FromString(cls, data: bytes) -> Message:
        """The message of these bytes; FormatError where they are none."""
        made = cls()
        made.ParseFromString(data)
        return made

    def ParseFromString(self, data: bytes) -> int:
        """Take the content of these bytes; returns their number."""
        self._take(_wire.decode(self.held, data))
        return len(data)

    def SerializeToString(self) -> bytes:
        """The bytes; ValueError where a required field is not set."""
        return _wire.encode(self._held)

    SerializePartialToString = SerializeToString

    def ByteSize(self) -> int:
        """The number of bytes."""
        return len(self.SerializeToString())

    def HasField(self, name: str) -> bool:
        """Is this field set?"""
        if _field(self, name).is_list:
            raise ValueError(f"HasField(): {name!r} of {type(self).__name__} is a list, which has no presence")
        return getattr(self._held, name) is not None

    def ClearField(self, name: str) -> None:
        """Forget what a field holds."""
        setattr(self._held, name, [] if _field(self, name).is_list else None)

    def Clear(self) -> None:
        """Forget all fields."""
        self._take(self.held())

    def CopyFrom(self, other: Message) -> None:
        """Become a copy of another message of this type."""
        self._check(other, "CopyFrom")
        self._take(copy.deepcopy(other._held))

    def MergeFrom(self, other: Message) -> None:
        """Take over what is set in another message of this type; lists are appended."""
        self._check(other, "MergeFrom")
        self._take(_wire.decode(self.held, _wire.encode(self._held) + _wire.encode(other._held)))

    def ListFields(self) -> list:
        """(name, value) of the fields that are set, in the order of their numbers."""
        held = self._held
        return [(f.name, getattr(self, f.name)) for f in held.__wire_fields__ if getattr(held, f.name) not in (None, [])]

    def IsInitialized(self) -> bool:
        """Are all required fields set?"""
        try:
            _wire.encode(self._held)
        except ValueError:
            return False
        return True

    def _check(self, other, method):
        if type(other) is not type(self):
            raise TypeError(f"{method}(): needs a {type(self).__name__}, got {type(other).__name__}")

    def _take(self, held):
        for name in (f.name for f in held.__wire_fields__):
            setattr(self._held, name, getattr(held, name))
        self._held.unknown_fields = held.unknown_fields
        self._touch()

    def _touch(self):
        """Something was set: a message that was read before it existed now belongs to its owner."""
        if self._owner is not None:
            (owner, name), self._owner = self._owner, None
            setattr(owner._held, name, self._held)
            owner._touch()

    def __eq__(self, other):
        return type(other) is type(self) and self._held == other._held

    __hash__ = None

    def __repr__(self):
        return repr(self._held)


class Repeated(MutableSequence):
    """A list field: plain values, or messages, which ``add`` makes."""

    def __init__(self, owner, name, kind):
        self._owner, self._name, self._kind = owner, name, kind  # kind: None for plain values

    @property
    def _items(self):
        return getattr(self._owner._held, self._name)

    def add(self, **fields):
        """A new message at the end of the list."""
        if self._kind is None:
            raise TypeError(f"{self._name} holds plain values: append() them")
        made = self._kind(**fields)
        self.append(made)
        return made

    def __len__(self):
        return len(self._items)

    def __getitem__(self, index):
        if isinstance(index, slice):
            return [self._shown(item) for item in self._items[index]]
        return self._shown(self._items[index])

    def __setitem__(self, index, value):
        if self._kind is not None:
            raise TypeError(f"{self._name}: messages of a list are changed, not replaced")
        self._items[index] = value
        self._owner._touch()

    def __delitem__(self, index):
        del self._items[index]
        self._owner._touch()

    def insert(self, index, value):
        if self._kind is not None and not isinstance(value, self._kind):
            raise TypeError(f"{self._name}: needs a {self._kind.__name__}, got {type(value).__name__}")
        self._items.insert(index, value if self._kind is None else value._held)
        self._owner._touch()

    def MergeFrom(self, others):
        """Append what another list holds (or one message)."""
        others = [others] if isinstance(others, Message) else others
        self.extend(o if self._kind is None else _shown(self._kind, copy.deepcopy(o._held)) for o in others)

    def _shown(self, item):
        return item if self._kind is None else _shown(self._kind, item)

    def __eq__(self, other):
        return list(self) == list(other)

    def __repr__(self):
        return repr(self._items)


def _shown(kind, held):
    made = kind.__new__(kind)
    made._held, made._owner = held, None
    return made


def _field(message, name):
    for field in message.held.__wire_fields__:
        if field.name == name:
            return field
    raise ValueError(f"{type(message).__name__} has no field {name!r}")


def _set(message, name, value):
    if _field(message, name).is_list:
        getattr(message, name).extend(value)
    elif isinstance(value, Message):
        getattr(message, name).CopyFrom(value)
    else:
        setattr(message, name, value)


def _property(field, kind):
    """The attribute of a message that shows one field; ``kind``: the class of messages in it."""
    name = field.name

    def get(self):
        if field.is_list:
            return Repeated(self, name, kind)
        value = getattr(self._held, name)
        if value is not None:
            return value if kind is None else _shown(kind, value)
        if kind is None:
            return _DEFAULTS.get((self.held, name), _ZERO[field.kind])
        made = kind()
        made._owner = self, name
        return made

    def put(self, value):
        if field.is_list or kind is not None:
            raise AttributeError(f"{type(self).__name__}.{name} is not assigned to: change what it holds, or CopyFrom()")
        setattr(self._held, name, value)
        self._touch()
    return property(get, put)


_made: dict = {}


def _message(name, held, **inside):
    """The message class over a class of program_desc; ``inside``: what Paddle keeps in it."""
    fields = {f.name: _property(f, None if isinstance(f.kind, str) else _made[f.kind]) for f in held.__wire_fields__}
    _made[held] = type(name, (Message,), {"__slots__": (), "__doc__": held.__doc__, "held": held, **fields, **inside})
    return _made[held]


Version = _message("Version", _desc.Version)
Complex = _message("Complex", _desc.ComplexDesc)


class _ScalarType:
    BOOLEAN, LONG, FLOAT64, COMPLEX128 = 1, 2, 3, 4


Scalar = _message("Scalar", _desc.Scalar, Type=_ScalarType, BOOLEAN=1, LONG=2, FLOAT64=3, COMPLEX128=4)
_Attr, _Slot = _message("Attr", _desc.Attr), _message("Var", _desc.Slot)
OpDesc = _message("OpDesc", _desc.OpDesc, Attr=_Attr, Var=_Slot)
_ProtoVar, _ProtoAttr = _message("Var", _desc.OpProtoSlot), _message("Attr", _desc.OpProtoAttr)
OpProto = _message("OpProto", _desc.OpProto, Var=_ProtoVar, Attr=_ProtoAttr)
_Tensor, _LoDTensor = _message("TensorDesc", _desc.TensorDesc), _message("LoDTensorDesc", _desc.LoDTensorDesc)
_Reader, _Tuple = _message("ReaderDesc", _desc.ReaderDesc), _message("Tuple", _desc.TupleDesc)
VarType = _message("VarType", _desc.VarType, TensorDesc=_Tensor, LoDTensorDesc=_LoDTensor, LoDTensorArrayDesc=_LoDTensor,
                   ReaderDesc=_Reader, Tuple=_Tuple, Type=VarKind, **{kind.name: int(kind) for kind in VarKind})
VarDesc = _message("VarDesc", _desc.VarDesc, Attr=_message("Attr", _desc.VarAttr))
BlockDesc = _message("BlockDesc", _desc.BlockDesc)
OpVersion = _message("OpVersion", _desc.OpVersion)
_Pair = _message("OpVersionPair", _desc.OpVersionPair)
OpVersionMap = _message("OpVersionMap", _desc.OpVersionMap, OpVersionPair=_Pair)
ProgramDesc = _message("ProgramDesc", _desc.ProgramDesc)
globals().update({kind.name: int(kind) for kind in AttrType})  # framework_pb2.INT and the others
