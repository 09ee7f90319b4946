"""Names that do not repeat: one counter per key, in a set of counters that a guard replaces for its thread."""

import contextlib

from ..core.context import changed, context, process
from ..core.names import Counters, current, generate
from ..core.names import Counters as UniqueNameGenerator  # noqa: F401

__all__ = ["generate", "switch", "guard"]


def generate_with_ignorable_key(key):
    """A name for something that is of no interest in dynamic mode: ``dygraph_tmp_0`` there, after the key in static mode."""
    return generate(key if context.static_mode else "dygraph_tmp")


def give_back(key):
    """Undo the last ``generate`` of a key (a caller drew a name that it will not use)."""
    counters = current()
    with process.lock:
        if counters.ids.get(key, 0) > 0:
            counters.ids[key] -= 1


def _bare(name):
    """The name without the prefix of the guard, which names made from names carry more than once."""
    prefix = current().prefix
    while prefix and name.startswith(prefix):
        name = name.removeprefix(prefix)
    return name


def is_last(name):
    """Is it the name that was generated last from its key?"""
    key, _, number = _bare(name).rpartition("_")
    return number.isdigit() and current().ids.get(key) == int(number) + 1


def give_back_name(name):
    """Forget the last name of its key, and all that was generated below it."""
    name = _bare(name)
    give_back(name.rpartition("_")[0])
    ids = current().ids
    with process.lock:
        for key in [key for key in ids if _bare(key).startswith(name + ".")]:
            del ids[key]


def switch(new_generator=None, new_para_name_checker=None):
    """Replace the set of counters (by a fresh one for None), for this thread; returns the old one and None.

    Where that pair stands in for the set, as in programs of 1.x, it is understood too. The second value is Paddle's check
    of parameters' names, which there is none of here.

    >>> from paddle.utils import unique_name
    >>> before, checker = unique_name.switch()
    >>> unique_name.generate('fc')
    'fc_0'
    >>> _ = unique_name.switch(before, checker)
    """
    if isinstance(new_generator, tuple):
        new_generator, new_para_name_checker = new_generator
    if new_para_name_checker is not None:
        raise TypeError(f"switch(): new_para_name_checker must be None, got {new_para_name_checker!r}")
    old = current()
    context.names = Counters() if new_generator is None else None if new_generator is process.names else new_generator
    return old, None


@contextlib.contextmanager
def guard(new_generator=None):
    """Use a fresh set of counters, with an optional prefix for every name, inside the ``with`` block."""
    if isinstance(new_generator, (str, bytes)):
        new_generator = Counters(new_generator.decode() if isinstance(new_generator, bytes) else new_generator)
    elif new_generator is None or isinstance(new_generator, tuple):
        new_generator = Counters() if new_generator is None else new_generator[0]
    with changed(names=new_generator):
        yield


def __getattr__(name):
    if name == "generator":  # Paddle's variable for the counters in force
        return current()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
