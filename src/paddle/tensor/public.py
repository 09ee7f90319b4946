"""The functions of ``paddle.tensor`` as programs get them: under the name ``paddle.add`` stands what ``FUNCTIONS["add"]`` is."""

from ..core.generation import published
from ..core.spelling import spelled as _spelled
from . import __all__ as names
from . import __dict__ as functions
from . import kinds, spelled

FUNCTIONS = {name: _spelled(spelled.ALIASES.get(name, name), published(functions[name]), "paddle." + name) for name in names}
FUNCTIONS |= kinds.CONSTANTS
