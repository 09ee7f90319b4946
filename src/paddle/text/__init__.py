"""Texts: data sets of words and sentences, and decoding of tags."""

from ..core.addresses import lookup as _lookup
from .datasets import WMT14, WMT16, Conll05st, Imdb, Imikolov, Movielens, UCIHousing
from .viterbi import ViterbiDecoder, viterbi_decode

__all__ = ["Conll05st", "Imdb", "Imikolov", "Movielens", "UCIHousing", "ViterbiDecoder", "WMT14", "WMT16", "viterbi_decode"]

__getattr__ = _lookup(__name__)
