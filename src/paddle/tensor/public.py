"""The functions of ``paddle.tensor`` as programs get them: under the name ``paddle.add`` stands what ``FUNCTIONS["add"]`` is."""

from ..core.generation import published
from ..core.spelling import spelled as _spelled
from . import functions, kinds, spelled

FUNCTIONS = {name: _spelled(spelled.ALIASES.get(name, name), published(getattr(functions, name)), "paddle." + name)
             for name in functions.__all__}
FUNCTIONS |= kinds.CONSTANTS
