"""fluid.incubate: fleet of 1.x for collective jobs; parameter servers are not supported."""

from ...core.addresses import late as _late
from ...core.addresses import names_of as _names_of

__getattr__, __dir__ = _late(__name__, _names_of({".": ["fleet"]}, __name__))
