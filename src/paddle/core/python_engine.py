"""The tape's hot path in plain Python, where it was not compiled or is turned off: what engine.py takes from C otherwise."""

from __future__ import annotations

import itertools
import threading
import weakref
from collections.abc import Iterable
from typing import Any

from .folding import fold
from .references import owner_of, references

run_walk = None  # Walk.run goes the Python way
_numbers, _families = itertools.count(1), itertools.count(1)


def next_number() -> int:
    """The number of the next node."""
    return next(_numbers)


class ProcessBase:
    """What threads share, and what C reads of it: rules, hooks, static_mode, on_scalar."""

    made: Any = None  # the one there is

    def __new__(cls) -> Any:
        self = ProcessBase.made = object.__new__(cls)
        return self


class ContextBase(threading.local):
    """The fields of a thread."""

    grad, anomaly, depth, hooks = True, False, 0, ()
    own_rules = trace = journal = guard = main = startup = scope = names = None
    name_scopes = layer_key = lazy = saved = generator = None

    def __init__(self) -> None:
        self.static_mode = ProcessBase.made.static_mode
        self.retain_all = ProcessBase.made.rules.retains_all

    @property
    def rules(self) -> Any:
        return self.own_rules or ProcessBase.made.rules


class TensorBase:
    """The fields of a Tensor."""

    __slots__ = {"_data": None, "_edge": None, "stop_gradient": "Is the tensor left out of differentiation?",
                 "_grad": None, "_own_version": None, "_meta": None, "_storage": None, "_family": None, "_placed": None}
    _data: Any
    _storage: Any
    _own_version: int
    _keep_attribute: Any  # Tensor's

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        self = object.__new__(cls)
        self._storage, self._placed = None, False
        return self

    @property
    def _sole(self) -> bool:
        flags = self._data.flags
        writable = flags.owndata and flags.writeable
        del flags  # it holds the array
        return writable and references(getattr, self, "_data") == 1

    @property
    def _aliased(self) -> bool:
        return self._storage is not None and len(self._storage.tensors) > 1

    @property
    def _version(self) -> int:
        return self._own_version if self._storage is None else self._storage.version

    @_version.setter
    def _version(self, value: int) -> None:
        if self._storage is None:
            self._own_version = value
        else:
            self._storage.version = value

    def __setattr__(self, name: str, value: Any) -> None:
        try:
            object.__setattr__(self, name, value)
        except AttributeError:
            if not self._keep_attribute(name, value):
                raise


class Storage:
    """Memory that several tensors share: how often it was written to, and weak references to them."""

    __slots__ = ("version", "tensors")

    def __init__(self, version: int) -> None:
        self.version = version
        self.tensors: dict[int, Any] = {}

    def join(self, tensor: Any, family: int) -> None:
        """Take a tensor in."""
        key = id(tensor)
        tensor._storage, tensor._family = self, family

        def gone(_: Any, table: dict[int, Any] = self.tensors) -> None:
            table.pop(key, None)
        self.tensors[key] = weakref.ref(tensor, gone)


def share(source: Any, alias: Any, detached: bool) -> None:
    """Note that one tensor lies in the memory of another; a detached one is no view of it for gradients."""
    if source is alias:
        return
    if source._storage is None:
        Storage(source._version).join(source, next(_families))
    leave(alias)
    source._storage.join(alias, next(_families) if detached else source._family)
    edge = source._edge
    node, index = edge if edge.__class__ is tuple else (edge, 0)
    if node is None or node.out is None or node.tensors is None or not node.recipe.reads_output(index):
        return
    if not any(t is source._storage for t in node.tensors):  # it hears of what is written through other tensors
        node.tensors = (*node.tensors, source._storage)
        node.version += source._storage.version


def note_views(source: Any, array: Any, results: Iterable[Any]) -> None:
    """Note which results lie in the memory of a tensor, whose array is given."""
    owner = owner_of(array)
    for result in results:
        if owner_of(result._data) is owner:
            if result._data is array:
                result._data = array.view()  # every tensor has an array object of its own
            share(source, result, False)


def leave(tensor: Any) -> None:
    """Note that a tensor shares its memory with no other any more."""
    storage, tensor._storage = tensor._storage, None
    if storage is not None:
        tensor._own_version = storage.version
        storage.tensors.pop(id(tensor), None)


def members(tensor: Any) -> list[Any]:
    """The tensors that share a tensor's memory, itself among them."""
    if tensor._storage is None:
        return [tensor]
    found = [reference() for reference in list(tensor._storage.tensors.values())]
    return [t for t in found if t is not None]


class NodeBase:
    """The fields of a Node."""

    out_metas: Any
    shapes: Any
    hooks: Any
    retained: Any
    spoiled: Any
    where: Any
    __slots__ = ("recipe", "edges", "saved", "tensors", "version", "out", "out_metas", "shapes", "seq", "hooks", "retained",
                 "spoiled", "where")


class OpBase:
    """An op's call goes straight to Python."""

    python_call: Any  # Op's

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            return self.python_call(*args, **kwargs)
        except Exception as error:
            fold(error)
            raise


class RecipeBase:
    """The fields of an op's backward recipe (see Recipe)."""

    __slots__ = ("op", "active", "kept", "tensors", "metas", "saves_out", "rules", "needs", "takes_repeated")

    def __init__(self, op: Any, active: Any, kept: Any, tensors: Any, metas: Any, saves_out: Any, rules: Any,
                 needs: Any, takes_repeated: Any) -> None:
        self.op, self.active, self.kept, self.tensors, self.metas = op, active, kept, tensors, metas
        self.saves_out, self.rules, self.needs, self.takes_repeated = saves_out, rules, needs, takes_repeated
