"""Audio: WAV files, spectrograms and what is made of them, data sets."""

from . import backends, datasets, features, functional
from .backends import info, load, save

__all__ = ["functional", "features", "datasets", "backends", "load", "info", "save"]
