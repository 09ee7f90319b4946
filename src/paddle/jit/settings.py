"""Switches of paddle.jit."""

import weakref

enabled = True  # enable_to_static
ignored_modules = set()  # names of modules whose functions are never translated
code_level, verbosity = 0, 0  # set_code_level, set_verbosity
also_to_stdout = False
_latest = None


def ran(entry):
    """Note which traced program ran last."""
    global _latest
    _latest = weakref.ref(entry)


def latest_entry():
    """The traced program that ran last, or None."""
    return None if _latest is None else _latest()
