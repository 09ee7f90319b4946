"""The two builds of the tape's hot path: in C (call.c, walk.c) where it was compiled, and in plain Python.

``FLAGS_use_fast_kernels=0`` in the environment leaves C out. Both offer the same base classes: what is declared here as
``__slots__`` are C fields there.
"""

import contextlib
import itertools
import os
import threading
import weakref

from . import built
from .folding import fold
from .references import owner_of, references

try:
    if os.environ.get("FLAGS_use_fast_kernels", "1").strip().lower() in ("0", "false", "off", "no"):
        raise ImportError("turned off by FLAGS_use_fast_kernels")
    from . import _engine as fast
except ImportError:
    fast = None

if fast is not None:
    built.check(fast, os.path.dirname(__file__))
    TensorBase, NodeBase, OpBase, RecipeBase = fast.TensorBase, fast.NodeBase, fast.OpBase, fast.RecipeBase
    next_number, run_walk = fast.next_number, fast.run_walk
    Storage, share, leave, members, note_views = fast.Storage, fast.share, fast.leave, fast.members, fast.note_views
    ContextBase, ProcessBase = fast.ContextBase, fast.ProcessBase
else:
    run_walk = None  # Walk.run goes the Python way

    _numbers = itertools.count(1)

    def next_number():
        """The number of the next node."""
        return next(_numbers)

    class ProcessBase:
        """What threads share, and what C reads of it: rules, hooks, static_mode."""

        made = None  # the one there is

        def __new__(cls):
            self = ProcessBase.made = object.__new__(cls)
            return self

    class ContextBase(threading.local):
        """The fields of a thread."""

        grad, retain_all, anomaly, depth, hooks = True, False, False, 0, ()
        own_rules = trace = journal = guard = main = startup = scope = names = None
        name_scopes = layer_key = lazy = saved = generator = None

        def __init__(self):
            self.static_mode = ProcessBase.made.static_mode

        @property
        def rules(self):
            return self.own_rules or ProcessBase.made.rules

    class TensorBase:
        """The fields of a Tensor."""

        __slots__ = {"_data": None, "_edge": None, "stop_gradient": "Is the tensor left out of differentiation?",
                     "_grad": None, "_own_version": None, "_meta": None, "_storage": None, "_family": None, "_placed": None}

        def __new__(cls, *args, **kwargs):
            self = object.__new__(cls)
            self._storage, self._placed = None, False
            return self

        @property
        def _sole(self):
            flags = self._data.flags
            writable = flags.owndata and flags.writeable
            del flags  # it holds the array
            return writable and references(getattr, self, "_data") == 1

        @property
        def _aliased(self):
            return self._storage is not None and len(self._storage.tensors) > 1

        @property
        def _version(self):
            return self._own_version if self._storage is None else self._storage.version

        @_version.setter
        def _version(self, value):
            if self._storage is None:
                self._own_version = value
            else:
                self._storage.version = value

        def __setattr__(self, name, value):
            try:
                object.__setattr__(self, name, value)
            except AttributeError:
                if not self._keep_attribute(name, value):
                    raise

    class Storage:
        """Memory that several tensors share: how often it was written to, and weak references to them."""

        __slots__ = ("version", "tensors")

        def __init__(self, version):
            self.version, self.tensors = version, {}

        def join(self, tensor, family):
            """Take a tensor in."""
            key = id(tensor)
            tensor._storage, tensor._family = self, family
            self.tensors[key] = weakref.ref(tensor, lambda _, table=self.tensors: table.pop(key, None))

    def share(source, alias, detached):
        """Note that one tensor lies in the memory of another; a detached one is no view of it for gradients."""
        if source is alias:
            return
        if source._storage is None:
            Storage(source._version).join(source, next(_families))
        leave(alias)
        source._storage.join(alias, next(_families) if detached else source._family)
        edge = source._edge
        node = edge[0] if edge.__class__ is tuple else edge
        if node is None or node.out is None or node.tensors is None:
            return
        if not any(t is source._storage for t in node.tensors):  # it hears of what is written through other tensors
            node.tensors = (*node.tensors, source._storage)
            node.version += source._storage.version

    def note_views(source, array, results):
        """Note which results lie in the memory of a tensor, whose array is given."""
        owner = owner_of(array)
        for result in results:
            if owner_of(result._data) is owner:
                if result._data is array:
                    result._data = array.view()  # every tensor has an array object of its own
                share(source, result, False)

    def leave(tensor):
        """Note that a tensor shares its memory with no other any more."""
        storage, tensor._storage = tensor._storage, None
        if storage is not None:
            tensor._own_version = storage.version
            storage.tensors.pop(id(tensor), None)

    def members(tensor):
        """The tensors that share a tensor's memory, itself among them."""
        if tensor._storage is None:
            return [tensor]
        found = [reference() for reference in list(tensor._storage.tensors.values())]
        return [t for t in found if t is not None]

    _families = itertools.count(1)

    class NodeBase:
        """The fields of a Node."""

        __slots__ = ("recipe", "edges", "saved", "tensors", "version", "out", "out_metas", "shapes", "seq", "hooks", "retained",
                     "spoiled", "where")

    class OpBase:
        """An op's call goes straight to Python."""

        def __call__(self, *args, **kwargs):
            try:
                return self.python_call(*args, **kwargs)
            except Exception as error:
                fold(error)
                raise

    class RecipeBase:
        """The fields of an op's backward recipe (see Recipe)."""

        __slots__ = ("op", "active", "kept", "tensors", "metas", "saves_out", "rules", "needs")

        def __init__(self, op, active, kept, tensors, metas, saves_out, rules, needs):
            self.op, self.active, self.kept, self.tensors, self.metas = op, active, kept, tensors, metas
            self.saves_out, self.rules, self.needs = saves_out, rules, needs


def binary_method(op, general):
    """The method ``x <op> y``: two Tensors of one dtype go straight to the op, everything else through ``general``."""
    return general if fast is None else fast.BinaryMethod(op, general)


def item_method(op, general):
    """The method ``x[index]``: an index of ints, slices, None and Ellipsis goes straight to the op, others through ``general``."""
    return general if fast is None else fast.ItemMethod(op, general)


@contextlib.contextmanager
def chosen(build):
    """Op calls and backward passes of all threads go the way of one build, ``"c"`` or ``"python"``: how tests run on both."""
    global run_walk
    before = run_walk
    if fast is not None:
        run_walk = fast.run_walk if build == "c" else None
        fast.call_in_python(run_walk is None)
    try:
        yield
    finally:
        run_walk = before
        if fast is not None:
            fast.call_in_python(run_walk is None)
