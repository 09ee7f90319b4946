"""Metadata of ops besides the computation: the facts of each op, and the family it belongs to.

Both are given in the declaration of the op (``@op(..., family="conv", amp="white", random=True)``) and read from
``op.facts``. A family provides facts for all its ops, which each of them may override.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .rooms import rooms


class Declared(dict[str, Any]):
    """Ops by one of their names. Asked for one that no module has declared yet, it imports the module that does."""

    def __missing__(self, name: str) -> Any:
        rooms.declare(name)
        if name not in self:
            raise KeyError(name)
        return self[name]


BY_NAME = Declared()  # Python name -> the Op, for rooms that come before core/op.py



class Spec:
    """Shape (tuple, -1 unknown), NumPy dtype, and the value (a small array) where it is known already."""

    __slots__ = ("shape", "dtype", "known")

    def __init__(self, shape: Any, dtype: Any, known: np.ndarray | None = None) -> None:
        self.shape, self.dtype, self.known = tuple(shape), np.dtype(dtype), known

    def __repr__(self) -> str:
        return f"Spec({list(self.shape)}, {self.dtype.name})"

    def like(self, shape: Any = None, dtype: Any = None) -> Spec:
        """A spec of another shape or dtype, or of both; what is not given stays."""
        return Spec(self.shape if shape is None else shape, self.dtype if dtype is None else dtype)


class Facts:
    """Facts of one op. Where an attribute's name may be given, the fact holds where that attribute is not 0."""

    random: bool | str = False  # draws numbers: two equal calls differ. May name an attribute
    pure: bool = True  # may equal calls be merged into one, and a call of known values be computed beforehand?
    total: bool = False  # no value of its inputs makes it fail, so that computing it needlessly is harmless
    # in mixed precision: "white" (short type), "black" (float32, though not in O2), "norm" (as black; in O2 the first input alone
    # is in the short type), "float32" (in O2 too), "never" (as it comes), None (as inputs)
    amp: str | None = None
    rows: str | None = None  # how sequence lengths travel to the outputs: see static/program/lod.py
    version: int = 0  # of its meaning in Paddle's files
    flops: Any = 1  # operations per element of the first output, or a function of (arguments, outputs)
    gives: str | None = None  # dtype of the output where it isn't the first input's: a name, an attribute, "real" or "complex"
    view: str | None = None  # the generation from which on its results share the memory of its first input
    public: str | None = None  # what messages call it, where people call it by another name than its own
    layer_name: str | None = None  # what names of variables call a layer of it, where they do not call it as it is called
    sharding: Any = None  # how a tensor cut over ranks travels through it: a pattern or a function, see core/sharding.py
    sparse: str | None = None  # the attribute that makes the gradient of its table SelectedRows
    on_rows: Any = None  # function of (op, arguments) for SelectedRows among them; without one they are taken as whole arrays
    lazy: bool | str = False  # of an update: rows whose gradient is zero stay as they are. May name an attribute
    whole: bool = False  # of an update: it looks at the whole parameter, so that parts and rows of it can not be updated alone
    numbers: Any = None  # {input slot: the attribute whose value a program's variable gives there}
    shapes: Any = None  # its shape rule: a pattern (ops/families/pattern.py), or a function as Op.infer takes it

    def __init__(self, **own: Any) -> None:
        vars(self).update(own)


FACTS = tuple(Facts.__annotations__)


class Family:
    """Ops of one kind: what they have in common, their shape rule, and the facts that are true of them all.

    ``infer(op, inputs, attrs)`` gives the Specs of the outputs from those of the inputs and a dict of attributes, or None where
    it can't tell (the op is then run on stand-ins, see static/program/infer.py).
    """

    __slots__ = ("name", "doc", "infer", "facts")

    def __init__(self, name: str, doc: str, infer: Callable[..., list[Spec] | None] | None = None,
                 facts: dict[str, Any] | None = None) -> None:
        self.name, self.doc, self.infer, self.facts = name, doc, infer, facts or {}
        FAMILIES[name] = self


FAMILIES: dict[str, Family] = {}
