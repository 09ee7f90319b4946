"""Chooses the tape's hot path: the C twin (call.c, walk.c) where it was built, else plain Python.

``FLAGS_use_fast_kernels=0`` in the environment chooses Python. Both offer the same base classes: what is declared here as
``__slots__`` are C fields there.
"""

import itertools
import os

try:
    if os.environ.get("FLAGS_use_fast_kernels", "1").strip().lower() in ("0", "false", "off", "no"):
        raise ImportError("turned off by FLAGS_use_fast_kernels")
    from . import _engine as fast
except ImportError:
    fast = None

if fast is not None:
    TensorBase, NodeBase, OpBase, next_number = fast.TensorBase, fast.NodeBase, fast.OpBase, fast.next_number
else:
    _numbers = itertools.count(1)

    def next_number():
        """The number of the next node."""
        return next(_numbers)

    class TensorBase:
        """The fields of a Tensor."""

        __slots__ = {"_data": None, "_edge": None, "stop_gradient": "Is the tensor left out of differentiation?",
                     "_grad": None, "_version": None, "_meta": None}

    class NodeBase:
        """The fields of a Node."""

        __slots__ = ("plan", "edges", "saved", "tensors", "version", "out", "out_metas", "shapes", "seq", "hooks", "retained",
                     "spoiled", "where", "recipe")

    class OpBase:
        """An op's call goes straight to Python."""

        def __call__(self, *args, **kwargs):
            return self.slow_call(*args, **kwargs)


def binary_method(op, general):
    """The method ``x <op> y``: two Tensors of one dtype go straight to the op, everything else through ``general``."""
    return general if fast is None else fast.BinaryMethod(op, general)
