"""fluid.contrib: extras of 1.x; decoders, readers, layers, decays and the trainer work, the rest says why not."""

from ...core.addresses import late as _late
from ...core.addresses import names_of as _names_of
from . import decoder, layers, reader  # noqa: F401
from .decoder import *  # noqa: F403
from .decoupled_decay import *  # noqa: F403
from .estimates import *  # noqa: F403
from .layers import *  # noqa: F403

__getattr__, __dir__ = _late(__name__, _names_of({".": ["trainer", "inferencer"], "paddle.static.amp": ["mixed_precision="]},
                                                 __name__))
