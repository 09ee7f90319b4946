"""Finding where numbers go wrong: statistics of the ops that ran, and checks for values that are not finite."""

import contextlib
import enum

import numpy as np

from ..core.hooks import OpHook
from ..core.tensor import Tensor, wrap

__all__ = ["DebugMode", "check_numerics", "enable_operator_stats_collection", "disable_operator_stats_collection",
           "collect_operator_stats", "check_layer_numerics"]


class DebugMode(enum.Enum):
    """What a check does: stop at the first tensor that is not finite, or only report."""

    CHECK_NAN_INF_AND_ABORT = 0
    CHECK_NAN_INF = 1
    CHECK_ALL = 2


class _Statistics(OpHook):
    """Counts calls of ops by the type of their results."""

    def __init__(self):
        self.counts = {}

    def after(self, op, args, outs):
        """Count one call."""
        first = outs[0] if isinstance(outs, (list, tuple)) and outs else outs
        if isinstance(first, Tensor):
            row = self.counts.setdefault(op.type, {})
            kind = first.dtype.name if first.dtype.name in ("float16", "bfloat16", "float32") else "other"
            row[kind] = row.get(kind, 0) + 1


_running = []


def enable_operator_stats_collection():
    """Start to count ops by the type of their results.

    >>> import paddle
    >>> paddle.amp.debugging.enable_operator_stats_collection()
    >>> y = paddle.ones([1]) + 1
    >>> paddle.amp.debugging.disable_operator_stats_collection()  # doctest: +ELLIPSIS
    <...
    """
    if not _running:
        _running.append(_Statistics().install())


def disable_operator_stats_collection():
    """Stop counting and print the table.

    >>> import paddle
    >>> paddle.amp.debugging.disable_operator_stats_collection()
    """
    if not _running:
        return
    hook = _running.pop()
    hook.remove()
    kinds = ("float16", "bfloat16", "float32", "other")
    print(f"<{' op list ':-^44}>" + "".join(f"{k:>10}" for k in kinds))
    for name, row in sorted(hook.counts.items()):
        print(f"{name:<46}" + "".join(f"{row.get(k, 0):>10}" for k in kinds))
    print(f"<{f' op count: {len(hook.counts)} ':-^84}>")


@contextlib.contextmanager
def collect_operator_stats():
    """Count ops inside a ``with`` block and print the table behind it.

    >>> import paddle
    >>> with paddle.amp.debugging.collect_operator_stats():  # doctest: +ELLIPSIS
    ...     y = paddle.ones([1]) + 1
    <...
    """
    enable_operator_stats_collection()
    try:
        yield
    finally:
        disable_operator_stats_collection()


def check_numerics(tensor, op_type, var_name, debug_mode=DebugMode.CHECK_NAN_INF_AND_ABORT):
    """([NaNs, infinities, zeros], [largest, smallest, mean]); raises at values that are not finite, if the mode says so.

    >>> import paddle
    >>> counts, values = paddle.amp.debugging.check_numerics(paddle.to_tensor([1., 0.]), "op", "x")
    >>> counts.tolist(), values.tolist()
    ([0, 0, 1], [1.0, 0.0, 0.5])
    """
    array = np.asarray(tensor.numpy(), np.float32)
    nans, infs = int(np.isnan(array).sum()), int(np.isinf(array).sum())
    if (nans or infs) and debug_mode == DebugMode.CHECK_NAN_INF_AND_ABORT:
        raise RuntimeError(f"check_numerics(): {var_name} of {op_type} has {nans} NaN and {infs} infinite values")
    counts = np.array([nans, infs, int((array == 0).sum())], np.int64)
    values = np.array([array.max(), array.min(), array.mean()] if array.size else [0, 0, 0], np.float32)
    return wrap(counts), wrap(values)


def check_layer_numerics(func):
    """Check the tensors a layer's ``forward`` takes and returns.

    >>> import paddle
    >>> paddle.amp.debugging.check_layer_numerics(lambda self, x: x)(paddle.nn.ReLU(), paddle.ones([1])).tolist()
    [1.0]
    """
    def checked(self, *args, **kwargs):
        for i, a in enumerate(args):
            if isinstance(a, Tensor):
                check_numerics(a, type(self).__name__, f"input {i}")
        out = func(self, *args, **kwargs)
        for i, o in enumerate(out if isinstance(out, (list, tuple)) else [out]):
            if isinstance(o, Tensor):
                check_numerics(o, type(self).__name__, f"output {i}")
        return out
    return checked
