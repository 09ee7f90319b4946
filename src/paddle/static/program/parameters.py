"""Persistable variables and parameters made by hand, places, and guards that name things."""

import contextlib
import copy
import os

import numpy as np

from ...core import dtype as dtypes
from ...core import place as places
from ...core.context import changed, context, process
from ...core.errors import check_type, describe
from ...nn.initializer import Constant
from ...tensor.creation import create_parameter, full  # noqa: F401
from ...utils import unique_name
from . import program
from .record import initialize


def create_global_var(shape, value, dtype, persistable=False, force_cpu=False, name=None):
    """A variable of the main program that the startup program fills with a number; in dynamic mode a Tensor of it.

    Args:
        shape: sizes; along unknown ones (-1) the first value has one element, and others are fed.
        value: the number.
        dtype: element type.
        persistable: does its value stay between runs? (It does here in any case: there is no other place for it.)
        force_cpu: of no effect on a CPU.
        name: by which it is found; made up for None.

    >>> paddle.enable_static()
    >>> paddle.static.create_global_var([1], 1.0, 'float32', persistable=True, name='steps').name
    'steps'
    >>> paddle.disable_static()
    """
    check_type(shape, (list, tuple), "create_global_var", "shape")
    value = value.item() if isinstance(value, np.ndarray) and value.size == 1 else value
    check_type(value, (int, float, np.number), "create_global_var", "value")
    if not context.static_mode:
        made = full(shape, value, dtype)
        made.meta().persistable = bool(persistable)
        made.name = name or unique_name.generate("global_var")
        return made
    return global_var(shape, value, dtype, name)


def global_var(shape, value, dtype, name=None):
    """What create_global_var makes in a program, whatever the mode."""
    block = program.default_main_program().global_block()
    var = block.new_var(name=name or unique_name.generate("global_var"), shape=shape, dtype=dtypes.convert(dtype),
                           persistable=True, stop_gradient=True)
    first = copy.copy(var)
    first.shape = tuple(1 if n < 0 else n for n in var.shape)
    initialize(Constant(value), first)
    return var


@contextlib.contextmanager
def name_scope(prefix=None):
    """Operators added inside the ``with`` block carry the prefix in their attribute ``op_namescope``.

    >>> with paddle.static.name_scope('encoder'):
    ...     pass
    """
    if prefix is not None:
        check_type(prefix, str, "name_scope", "prefix")
    around = context.name_scopes or "/"
    with process.lock:  # a prefix that was used before gets a number
        count = process.scopes[around + (prefix or "")] = process.scopes.get(around + (prefix or ""), -1) + 1
    own = f"{prefix}_{count}/" if prefix and count else f"{prefix}/" if prefix else ""
    with changed(name_scopes=around + own):
        yield


@contextlib.contextmanager
def device_guard(device=None):
    """Operators added inside carry the name of a device in their attribute ``op_device``; there is one device, the CPU.

    >>> with paddle.static.device_guard('cpu'):
    ...     pass
    """
    kind, _, number = (device or "cpu").partition(":")
    if kind not in ("cpu", "gpu", "xpu", "npu", "") or (number and not number.isdigit() and number != "all") \
            or kind == "cpu" and number:
        raise ValueError(f"device_guard(): device must be 'cpu', 'gpu', 'gpu:N' or None, got {device!r}")
    if kind != "cpu" and kind:
        places.convert(kind if not number.isdigit() else f"{kind}:{number}", "device_guard")  # warns, or raises if strict
    programs = (program.default_main_program(), program.default_startup_program())
    before = [p.device for p in programs]
    for p in programs:
        p.device = device or ""
    try:
        yield
    finally:
        for p, name in zip(programs, before):
            p.device = name


def cpu_places(device_count=None):
    """A list of CPU places: one per device asked for; as many as the environment variable CPU_NUM says for None, or one.

    >>> paddle.static.cpu_places()
    [Place(cpu)]
    """
    if device_count is not None and (not isinstance(device_count, int) or device_count < 1):
        raise ValueError(f"cpu_places(): device_count must be a positive int, got {describe(device_count)}")
    if device_count is None:
        text = os.environ.get("CPU_NUM", "1")
        if not text.strip().isdigit() or int(text) < 1:
            raise ValueError(f"cpu_places(): the environment variable CPU_NUM must be a positive number, got {text!r}")
        device_count = int(text)
    return [places.CPUPlace() for _ in range(device_count)]


def cuda_places(device_ids=None):
    """GPU places by number; absent here, so they mean the CPU (see paddle.CUDAPlace)."""
    ids = [0] if device_ids is None else [device_ids] if isinstance(device_ids, int) else list(device_ids)
    return [places.CUDAPlace(i) for i in ids]


def cuda_pinned_places(device_count=None):
    """Places in memory that GPUs read; absent here, so they mean the CPU (see paddle.CUDAPinnedPlace)."""
    return [places.CUDAPinnedPlace() for _ in range(1 if device_count is None else device_count)]


def xpu_places(device_ids=None):
    """Kunlun places by number; absent here, so they mean the CPU (see paddle.XPUPlace)."""
    ids = [0] if device_ids is None else [device_ids] if isinstance(device_ids, int) else list(device_ids)
    return [places.XPUPlace(i) for i in ids]
