"""The two builds of the tape's hot path: in C (call.c, walk.c) where it was compiled, and in plain Python.

``FLAGS_use_fast_kernels=0`` in the environment leaves C out. Both offer the same base classes: what is declared here as
``__slots__`` are C fields there.
"""

import contextlib
import itertools
import os
import threading

try:
    if os.environ.get("FLAGS_use_fast_kernels", "1").strip().lower() in ("0", "false", "off", "no"):
        raise ImportError("turned off by FLAGS_use_fast_kernels")
    from . import _engine as fast
except ImportError:
    fast = None

if fast is not None:
    TensorBase, NodeBase, OpBase, RecipeBase = fast.TensorBase, fast.NodeBase, fast.OpBase, fast.RecipeBase
    next_number, run_walk = fast.next_number, fast.run_walk
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
                     "_grad": None, "_version": None, "_meta": None}

        def __setattr__(self, name, value):
            try:
                object.__setattr__(self, name, value)
            except AttributeError:
                if not self._keep_attribute(name, value):
                    raise

    class NodeBase:
        """The fields of a Node."""

        __slots__ = ("recipe", "edges", "saved", "tensors", "version", "out", "out_metas", "shapes", "seq", "hooks", "retained",
                     "spoiled", "where")

    class OpBase:
        """An op's call goes straight to Python."""

        def __call__(self, *args, **kwargs):
            return self.python_call(*args, **kwargs)

    class RecipeBase:
        """The fields of an op's backward recipe (see Recipe)."""

        __slots__ = ("op", "active", "kept", "tensors", "metas", "saves_out", "rules", "needs")

        def __init__(self, op, active, kept, tensors, metas, saves_out, rules, needs):
            self.op, self.active, self.kept, self.tensors, self.metas = op, active, kept, tensors, metas
            self.saves_out, self.rules, self.needs = saves_out, rules, needs


def binary_method(op, general):
    """The method ``x <op> y``: two Tensors of one dtype go straight to the op, everything else through ``general``."""
    return general if fast is None else fast.BinaryMethod(op, general)


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
