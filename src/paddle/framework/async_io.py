"""Saving in the background."""

import io
import threading

from ..core.context import context
from ..core.errors import describe
from ..core.tensor import Tensor
from ..serialization.atomic import write_bytes
from .io import _prepare_target, save

_lock = threading.Lock()
_executor = None
_pending = []


def async_save(obj, path, protocol=4, sync_other_task=False, **configs):
    """Write `obj` to a file while the program goes on.

    The file's bytes are made at once, so later changes of the Tensors do not matter; the disk is left to a thread,
    which finishes even if the program ends meanwhile.

    Args:
        obj, path, protocol: as for `paddle.save`; `path` must be a file name.
        sync_other_task: wait for earlier tasks first.
    """
    import concurrent.futures  # with logging: not with every import of this room
    global _executor
    if context.static_mode:
        raise ValueError("async_save(): it works in dynamic mode only; use paddle.save in static mode")
    if not isinstance(obj, (dict, Tensor)):
        raise TypeError(f"async_save(): obj must be a state dict or a Tensor, got {describe(obj)}")
    if hasattr(path, "write") or str(path).endswith(".safetensors"):
        raise ValueError(f"async_save(): path must be the name of a pickled file, got {path!r}")
    if sync_other_task:
        clear_async_save_task_queue()
    target = _prepare_target(path)
    content = io.BytesIO()
    save(obj, content, protocol, **configs)
    with _lock:
        if _executor is None:  # one thread: files are written in the order they were asked for
            _executor = concurrent.futures.ThreadPoolExecutor(max_workers=1, thread_name_prefix="paddle-async-save")
        _pending.append(_executor.submit(write_bytes, target, content.getvalue()))


def clear_async_save_task_queue():
    """Wait until everything given to `async_save` is on the disk; raises the first error that occurred there."""
    with _lock:
        tasks, _pending[:] = list(_pending), []
    errors = [task.exception() for task in tasks]  # waits for each
    for error in errors:
        if error is not None:
            raise error
