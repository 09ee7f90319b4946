"""The transform classes, under the module name that programs import them from."""

from .base import *  # noqa: F403
from .color import *  # noqa: F403
from .color import _check_input  # noqa: F401
from .functional import image_size as _get_image_size  # noqa: F401
from .geometry import *  # noqa: F403
