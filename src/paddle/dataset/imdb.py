"""IMDB film reviews as readers of word numbers. In 2.x: paddle.text.datasets.Imdb."""

import re
import string
from collections import Counter
from collections.abc import Callable, Iterator

from ..core.addresses import lookup as _lookup
from .common import download, open_tar, regular_members

__all__ = ["build_dict", "fetch", "test", "tokenize", "train", "word_dict"]

URL = "https://dataset.bj.bcebos.com/imdb%2FaclImdb_v1.tar.gz"
MD5 = "7c2ac02c03563afcf9b574c7e56c153a"

REVIEWS = re.compile(r"aclImdb/((train)|(test))/((pos)|(neg))/.*\.txt$")
_PUNCTUATION = string.punctuation.encode("ascii")


def train(word_idx: dict) -> Callable:
    """A reader of the training reviews: (list of word numbers, 0 for a good one and 1 for a bad one)."""
    return _both("train", word_idx)


def test(word_idx: dict) -> Callable:
    """A reader of the test reviews: (list of word numbers, 0 for a good one and 1 for a bad one)."""
    return _both("test", word_idx)


def word_dict() -> dict:
    """Numbers of the words met more than 150 times, by falling frequency; "<unk>" is the last."""
    return build_dict(REVIEWS, 150)


def build_dict(pattern: re.Pattern, cutoff: int, path: str | None = None) -> dict:
    """Numbers of the words met more than `cutoff` times in the files whose name matches; "<unk>" is the last.

    Words are bytes, as they stand in the files. `path` is the archive; the cached one by default.
    """
    counts = Counter(word for document in tokenize(pattern, path) for word in document)
    words = sorted((word for word, n in counts.items() if n > cutoff), key=lambda word: (-counts[word], word))
    return {word: i for i, word in enumerate(words)} | {"<unk>": len(words)}


def tokenize(pattern: re.Pattern, path: str | None = None) -> Iterator[list[bytes]]:
    """The words, in lower case and without punctuation, of every file whose name matches."""
    with open_tar(path or download(URL, "imdb", MD5)) as archive:
        for file in regular_members(archive, lambda name: bool(pattern.match(name))):
            yield file.read().rstrip(b"\n\r").translate(None, _PUNCTUATION).lower().split()


def reader_creator(pos_pattern: re.Pattern, neg_pattern: re.Pattern, word_idx: dict,
                   path: str | None = None) -> Callable:
    """A reader of the files matching the first pattern with label 0, then of those matching the second with label 1."""
    unknown = word_idx["<unk>"]
    samples = [([word_idx.get(word, unknown) for word in document], label)
               for label, pattern in enumerate((pos_pattern, neg_pattern)) for document in tokenize(pattern, path)]
    return lambda: iter(samples)


def fetch() -> None:
    """Makes sure that the file is at hand."""
    download(URL, "imdb", MD5)


def _both(part: str, word_idx: dict) -> Callable:
    return reader_creator(re.compile(rf"aclImdb/{part}/pos/.*\.txt$"), re.compile(rf"aclImdb/{part}/neg/.*\.txt$"),
                          word_idx)


__getattr__ = _lookup(__name__)
