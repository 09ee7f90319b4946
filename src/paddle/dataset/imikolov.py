"""The Penn Treebank sample of Mikolov's toolkit as readers. In 2.x: paddle.text.datasets.Imikolov."""

from collections import Counter
from collections.abc import Callable, Iterator

from .common import download, member, open_tar

__all__ = ["DataType", "build_dict", "fetch", "test", "train"]

URL = "https://dataset.bj.bcebos.com/imikolov%2Fsimple-examples.tgz"
MD5 = "30177ea32e27c525793142b6bf2c8e2d"

_TRAIN = "simple-examples/data/ptb.train.txt"
_VALID = "simple-examples/data/ptb.valid.txt"


class DataType:
    """What a sample is: a window of n words, or a sentence."""

    NGRAM = 1
    SEQ = 2


def train(word_idx: dict, n: int, data_type: int = DataType.NGRAM) -> Callable:
    """A reader of the training text: windows of `n` words, or sentences of up to `n` words with their shifted twin."""
    return reader_creator(_TRAIN, word_idx, n, data_type)


def test(word_idx: dict, n: int, data_type: int = DataType.NGRAM) -> Callable:
    """A reader of the validation text, in the form of `train`."""
    return reader_creator(_VALID, word_idx, n, data_type)


def build_dict(min_word_freq: int = 50, path: str | None = None) -> dict:
    """Numbers of the words met more than `min_word_freq` times in both texts, by falling frequency; "<unk>" is last.

    Words are bytes, as they stand in the files (b"<unk>" is one of them, and keeps the number that Paddle gives it);
    the marks "<s>" and "<e>" are text and count once a line.
    """
    counts: Counter = Counter()
    with open_tar(path or download(URL, "imikolov", MD5)) as archive:
        for name in (_TRAIN, _VALID):
            for line in member(archive, name):
                counts.update(line.split())
                counts.update(("<s>", "<e>"))
    words = sorted((word for word, n in counts.items() if n > min_word_freq), key=lambda w: (-counts[w], _text(w)))
    return {word: i for i, word in enumerate(words)} | {"<unk>": len(words)}


def reader_creator(filename: str, word_idx: dict, n: int, data_type: int, path: str | None = None) -> Callable:
    """A reader of one text of the archive; see `train`."""
    if data_type not in (DataType.NGRAM, DataType.SEQ):
        raise ValueError(f"imikolov: data_type must be DataType.NGRAM or DataType.SEQ, got {data_type!r}")
    if data_type == DataType.NGRAM and n < 1:
        raise ValueError(f"imikolov: n must be at least 1 for DataType.NGRAM, got {n}")
    unknown = word_idx["<unk>"]

    def numbers(line: bytes) -> list[int]:
        return [word_idx.get(word, unknown) for word in line.split()]

    def reader() -> Iterator[tuple]:
        start, end = word_idx.get("<s>", unknown), word_idx.get("<e>", unknown)
        with open_tar(path or download(URL, "imikolov", MD5)) as archive:
            for line in member(archive, filename):
                words = numbers(line)
                if data_type == DataType.NGRAM:
                    words = [start, *words, end]
                    yield from (tuple(words[i:i + n]) for i in range(len(words) - n + 1))
                elif n <= 0 or len(words) + 1 <= n:
                    yield [start, *words], [*words, end]

    return reader


def fetch() -> None:
    """Makes sure that the file is at hand."""
    download(URL, "imikolov", MD5)


def _text(word: str | bytes) -> str:
    return word if isinstance(word, str) else word.decode("utf-8", "replace")
