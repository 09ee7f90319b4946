"""The handle that collectives return, and the tensors they fill."""

import functools
import weakref

import numpy as np

from ..core.errors import describe
from ..core.tensor import Tensor

_pending = {}  # id of a tensor -> (weak reference to it, task that fills it)


class Task:
    """A collective under way (or done, with ``sync_op=True``)."""

    def __init__(self, works=(), finish=None):
        self._works, self._finish = list(works), finish

    def wait(self, timeout=None):
        """Wait until the results may be used; True.

        Waiting always ends: the limit is that of the group, so a ``timeout`` of this call alone is not supported.
        """
        if timeout is not None:
            raise ValueError("wait(): timeout is a property of the group; see new_group or PADDLE_DISTRIBUTED_TIMEOUT")
        for work in self._works:
            work.wait()
        self._close()
        return True

    synchronize = wait

    def is_completed(self):
        """Are the results there? Never waits."""
        finished = [work.test() for work in self._works]  # each is driven forward
        if all(finished):
            self._close()
            return True
        return False

    def is_sync(self):
        """Is nothing left to wait for?"""
        return not self._works

    def _close(self):
        finish, self._works, self._finish = self._finish, [], None
        if finish is not None:
            finish()


def started(works, sync_op, tensors=(), finish=None):
    """The task of some operations; waited for at once if ``sync_op``."""
    task = Task(works, finish)
    if sync_op:
        task.wait()
    else:
        for t in tensors:
            key = id(t)
            _pending[key] = (weakref.ref(t, functools.partial(_forget, key)), task)
    return task


def _forget(key, _reference):
    _pending.pop(key, None)


def wait(tensor, group=None, use_calc_stream=True):
    """Wait for the collective that fills a tensor, if one was started with ``sync_op=False``.

    There are no streams on a CPU, so ``group`` and ``use_calc_stream``, which choose one, make no difference.
    """
    entry = _pending.pop(id(check_tensor(tensor, "wait", "tensor")), None)
    if entry is not None:
        entry[1].wait()


def check_tensor(value, function, argument):
    """The value if it is a Tensor; raises otherwise."""
    if not isinstance(value, Tensor):
        raise TypeError(f"{function}(): {argument} must be a Tensor, got {describe(value)}")
    return value


def check_list(values, function, argument, count=None):
    """The list of Tensors, all of one shape and type; ``count`` says how many there must be."""
    if not isinstance(values, (list, tuple)):
        raise TypeError(f"{function}(): {argument} must be a list of Tensors, got {describe(values)}")
    for n, value in enumerate(values):
        check_tensor(value, function, f"{argument}[{n}]")
        if value._data.shape != values[0]._data.shape or value._data.dtype != values[0]._data.dtype:
            raise ValueError(f"{function}(): {argument}[{n}] is {describe(value)}, {argument}[0] is "
                             f"{describe(values[0])}; all must be alike")
    if count is not None and len(values) != count:
        raise ValueError(f"{function}(): {argument} must hold one Tensor per rank, {count}, got {len(values)}")
    return values


def readable(tensor):
    """The tensor's values as a C-contiguous array."""
    return np.ascontiguousarray(tensor._data)


def target(tensor):
    """The array that a collective may write into, the tensor's own."""
    array = tensor.writable()
    if not array.flags.c_contiguous:
        if tensor._aliased:
            raise ValueError("a collective writes into contiguous tensors only; this one is a view of another with strides "
                             f"{tensor.get_strides()}: use a copy (x.contiguous())")
        array = np.ascontiguousarray(array)
    tensor.replace(array)
    return array


def stack(tensors):
    """The values of several tensors as rows of one new array."""
    return np.stack([t._data for t in tensors])


def fill(tensors, rows):
    """Give each tensor its row."""
    for t, row in zip(tensors, rows):
        t.replace(np.array(row.reshape(t._data.shape), order="C"))
