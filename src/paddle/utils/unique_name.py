"""Names that do not repeat: one counter per key, in a set of counters that a guard can replace."""

import contextlib


class _Counters:
    def __init__(self, prefix=""):
        self.ids, self.prefix = {}, prefix

    def __call__(self, key):
        n = self.ids.get(key, 0)
        self.ids[key] = n + 1
        return f"{self.prefix}{key}_{n}"


_current = _Counters()


def generate(key):
    """``key_0`` the first time, ``key_1`` the next, and so on.

    >>> from paddle.utils import unique_name
    >>> with unique_name.guard():
    ...     unique_name.generate('fc'), unique_name.generate('fc')
    ('fc_0', 'fc_1')
    """
    return _current(key)


def give_back(key):
    """Undo the last ``generate`` of a key (a caller drew a name that it will not use)."""
    if _current.ids.get(key, 0) > 0:
        _current.ids[key] -= 1


def _bare(name):
    """The name without the prefix of the guard, which names made from names carry more than once."""
    while _current.prefix and name.startswith(_current.prefix):
        name = name.removeprefix(_current.prefix)
    return name


def is_last(name):
    """Is it the name that was generated last from its key?"""
    key, _, number = _bare(name).rpartition("_")
    return number.isdigit() and _current.ids.get(key) == int(number) + 1


def give_back_name(name):
    """Forget the last name of its key, and all that was generated below it."""
    name = _bare(name)
    give_back(name.rpartition("_")[0])
    for key in [key for key in _current.ids if _bare(key).startswith(name + ".")]:
        del _current.ids[key]


def switch(new_generator=None, new_para_name_checker=None):
    """Replace the set of counters (by a fresh one for None); returns the old one and None.

    Where that pair stands in for the set, as in programs of 1.x, it is understood too. The second value is Paddle's check
    of parameters' names, which there is none of here.

    >>> from paddle.utils import unique_name
    >>> before, checker = unique_name.switch()
    >>> unique_name.generate('fc')
    'fc_0'
    >>> _ = unique_name.switch(before, checker)
    """
    global _current
    if isinstance(new_generator, tuple):
        new_generator, new_para_name_checker = new_generator
    if new_para_name_checker is not None:
        raise TypeError(f"switch(): new_para_name_checker must be None, got {new_para_name_checker!r}")
    old, _current = _current, _Counters() if new_generator is None else new_generator
    return old, None


@contextlib.contextmanager
def guard(new_generator=None):
    """Use a fresh set of counters, with an optional prefix for every name, inside the ``with`` block."""
    if isinstance(new_generator, (str, bytes)):
        prefix = new_generator.decode() if isinstance(new_generator, bytes) else new_generator
        new_generator = _Counters(prefix)
    old = switch(new_generator)
    try:
        yield
    finally:
        switch(old)
