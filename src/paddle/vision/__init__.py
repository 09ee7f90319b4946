"""Images: datasets, transforms, models and their operators."""

import importlib

from ..core.addresses import find as _find_address
from .image import get_image_backend, image_load, set_image_backend

__all__ = ["get_image_backend", "image_load", "set_image_backend"]

_ROOMS = ("datasets", "models", "ops", "transforms")


def __getattr__(name):
    """The rooms, imported on first use; and, as in Paddle, what they offer under names of its own."""
    if name in _ROOMS:
        return importlib.import_module(f"{__name__}.{name}")
    if not name.startswith("_"):
        for room in ("transforms", "datasets", "models"):
            module = importlib.import_module(f"{__name__}.{room}")
            if name in module.__all__:
                return getattr(module, name)
    return _find_address(__name__, name, [*__all__, *_ROOMS])


def __dir__():
    return sorted({*globals(), *_ROOMS})
