"""Who else holds an object: reference counts without what the interpreter adds while it counts, which differs by version."""

import sys
from types import SimpleNamespace


def references(get, owner, name):
    """References to the object that ``get(owner, name)`` gives, with ``getattr`` or ``getitem``; 1: that place alone has it."""
    return sys.getrefcount(get(owner, name)) - _added


_added = 0
_added = references(getattr, SimpleNamespace(held=object()), "held") - 1
