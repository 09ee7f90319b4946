"""All settings that a program can change, in one place: those of a thread, and those that threads share.

``context`` holds the fields of the current thread. A guard changes fields of its own thread only, and restores them
at its end; ``changed(grad=False)`` is such a guard. ``process`` holds what Paddle keeps for the whole process; if a
thread's field is None, that of the process applies.

The fields of ``context`` (C reads them by offset, see context.c):

==============  ====================================================================================================
``grad``        are calls recorded for gradients?
``static_mode`` do calls without tensor arguments go into the current Program?
``retain_all``  does every intermediate result keep its gradient? (older generations)
``anomaly``     does every node keep the place of its call, to show it when backward fails?
``depth``       backward passes under way: a recomputed layer runs one inside another
``hooks``       this thread's hooks on op calls: mixed precision, traces, counters
``own_rules``   the rules of the guard in force, see rules.py; ``rules`` is what applies: these, or the process's
``trace``       the trace of to_static that is under way
``journal``     told of Variables before they are changed in place (branches and loops of a trace)
``guard``       what the innermost dygraph guard of an older generation knows
``main``, ``startup``, ``scope``, ``names``, ``generator``   the programs, scope, name counters and random numbers of the
                guard or trace in force
``name_scopes`` the prefix of static.name_scope, as "/encoder/"
``layer_key``   what the next output of a program is named after, inside a layer (utils/naming.py)
``lazy``        depth of LazyGuards
``saved``       hooks on what PyLayers save
==============  ====================================================================================================
"""

from __future__ import annotations

import os
import threading
from typing import Any

from . import engine, rules
from .rooms import rooms


class Process(engine.ProcessBase):
    """What all threads share. Writers hold ``lock`` where they read first."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        # static_mode, below: the mode that new threads start in: what the main thread chose last
        self.hooks: tuple[Any, ...] = ()  # hooks on the op calls of every thread: profilers, the finder of NaNs
        self.on_scalar: Any = None  # called with each Tensor of shape [] that an op gives, see tensor/single_elements.py
        self.listeners: tuple[Any, ...] = ()  # told (name, kind, start, end) of the phases of training, see hooks.py
        self.leaf_watchers, self.end_watchers = [], []  # told of complete gradients, and of the end of a backward pass
        self.native: Any = None  # the module of native functions; None while FLAGS_use_fast_kernels is off, or without it
        self.layer_changes = 0  # how often attributes of layers that are no tensors or layers were set
        self.main = self.startup = self.scope = None  # the default ones; paddle.static and unique_name put them in
        self.names: Any = None  # the name counters of dynamic code
        self.program_names: Any = None  # the name counters of static mode
        self.program_seed = 0  # the seed that new programs begin with, see Program.global_seed
        self.scopes = {}  # path of a static.name_scope -> how often it was used again
        self.dtype: Any = None  # the default one; dtype.py puts it in
        self.generator: Any = None  # and random.py this one
        name = os.environ.get("PADDLE_GENERATION")
        self.chosen = rules.find(name, "PADDLE_GENERATION") if name else None  # did anybody choose a generation?
        self.found = None  # the rules that the main program's source tells, once it has imported paddle.fluid
        self.fluid_at_once = False  # does paddle.fluid, once imported, run at once outside guards too, as paddle does?
        self.rules = self.chosen or rules.MODERN
        self.static_mode = self.rules.static_first


process = Process()


def _free_lock() -> None:
    process.lock = threading.RLock()


if hasattr(os, "register_at_fork"):  # a thread that held it when the process forked does not exist in the child
    os.register_at_fork(after_in_child=_free_lock)


class Context(engine.ContextBase):
    """The fields of the thread that asks."""


context = Context()


class changed:  # noqa: N801  (called as a function is; a generator takes three times as long, and layers of 1.x have one a call)
    """Set fields of this thread's context inside the ``with`` block."""

    __slots__ = ("_fields", "_before")

    def __init__(self, **fields: Any) -> None:
        self._fields = fields

    def __enter__(self) -> None:
        self._before = {name: getattr(context, name) for name in self._fields}
        for name, value in self._fields.items():
            setattr(context, name, value)

    def __exit__(self, *exc: Any) -> None:
        for name, value in self._before.items():
            setattr(context, name, value)


def set_static(value: bool) -> None:
    """Turn static mode on or off for this thread; chosen by the main thread, new threads start in it too."""
    context.static_mode = bool(value)
    if threading.current_thread() is threading.main_thread():
        if bool(value) != process.static_mode:  # programs count their names on; dynamic code begins anew, as Paddle has it
            process.names = process.program_names if value else type(process.program_names)()
        process.static_mode = bool(value)


def in_dynamic_mode() -> Any:
    """Do functions run at once, rather than add to a static Program?

    >>> paddle.in_dynamic_mode()
    True
    """
    return not context.static_mode


def set_generation(name: Any) -> None:
    """Choose the generation whose meaning applies where several of them disagree, for the whole process.

    Args:
        name: '1.4' to '1.8', '2.0-alpha', '2.0-beta', '2.0' to '2.6', or '3'.

    >>> paddle.set_generation('2.6')
    """
    process.chosen = process.rules = rules.find(name)
    context.retain_all = process.chosen.retains_all
    rooms.choose_generation(process.chosen)


def get_generation() -> Any:
    """The name of the generation whose rules apply in this thread.

    >>> paddle.get_generation()
    '2.6'
    """
    return context.rules.name
