"""fluid.contrib.decoder: decoders of sequences around a cell of the user's (1.x; successor: paddle.nn.dynamic_decode)."""

from . import beam_search_decoder
from .beam_search_decoder import *  # noqa: F403

__all__ = beam_search_decoder.__all__
