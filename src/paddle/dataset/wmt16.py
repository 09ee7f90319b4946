"""WMT16 Multi30k English-German as readers of word numbers. In 2.x: paddle.text.datasets.WMT16."""

import functools
from collections import Counter
from collections.abc import Callable, Iterator

from .common import checked_mode, download, member, open_tar

__all__ = ["build_dict", "fetch", "get_dict", "reader_creator", "test", "train", "validation"]

DATA_URL = "https://paddlemodels.bj.bcebos.com/wmt/wmt16.tar.gz"
DATA_MD5 = "0c38be43600334966403524a40dcd81e"

TOTAL_EN_WORDS = 11250
TOTAL_DE_WORDS = 19220
START_MARK, END_MARK, UNK_MARK = "<s>", "<e>", "<unk>"

LANGUAGES = ("en", "de")  # in the order of the columns of the files
_TOTAL = {"en": TOTAL_EN_WORDS, "de": TOTAL_DE_WORDS}


def train(src_dict_size: int, trg_dict_size: int, src_lang: str = "en") -> Callable:
    """A reader of the training pairs: (source, target from "<s>" on, target up to "<e>"), lists of word numbers.

    Args:
        src_dict_size: words in the source dictionary, "<s>", "<e>" and "<unk>" among them.
        trg_dict_size: the same of the target.
        src_lang: "en" or "de"; the target is the other one.
    """
    return reader_creator(_archive(), "wmt16/train", src_dict_size, trg_dict_size, src_lang)


def test(src_dict_size: int, trg_dict_size: int, src_lang: str = "en") -> Callable:
    """A reader of the test pairs, in the form of `train`."""
    return reader_creator(_archive(), "wmt16/test", src_dict_size, trg_dict_size, src_lang)


def validation(src_dict_size: int, trg_dict_size: int, src_lang: str = "en") -> Callable:
    """A reader of the validation pairs, in the form of `train`."""
    return reader_creator(_archive(), "wmt16/val", src_dict_size, trg_dict_size, src_lang)


def get_dict(lang: str, dict_size: int, reverse: bool = False) -> dict:
    """The dictionary of "en" or "de": numbers by word, or words by number with `reverse`."""
    lang = checked_mode(lang, LANGUAGES, "get_dict", "lang")
    words = build_dict(_archive(), min(dict_size, _TOTAL[lang]), lang)
    return {i: word for word, i in words.items()} if reverse else dict(words)


def fetch() -> None:
    """Makes sure that the file is at hand."""
    _archive()


def reader_creator(tar_file: str, file_name: str, src_dict_size: int, trg_dict_size: int,
                   src_lang: str = "en") -> Callable:
    """A reader of one file of the archive, see `train`."""
    src_lang = checked_mode(src_lang, LANGUAGES, "wmt16", "src_lang")
    source_column = LANGUAGES.index(src_lang)
    trg_lang = LANGUAGES[1 - source_column]

    def reader() -> Iterator[tuple[list[int], list[int], list[int]]]:
        source_dict = build_dict(tar_file, min(src_dict_size, _TOTAL[src_lang]), src_lang)
        target_dict = build_dict(tar_file, min(trg_dict_size, _TOTAL[trg_lang]), trg_lang)
        start, end, unknown = (source_dict[mark] for mark in (START_MARK, END_MARK, UNK_MARK))
        for pair in _pairs(tar_file, file_name):
            source = [source_dict.get(word, unknown) for word in pair[source_column].split()]
            target = [target_dict.get(word, unknown) for word in pair[1 - source_column].split()]
            yield [start, *source, end], [start, *target], [*target, end]

    return reader


@functools.lru_cache(maxsize=4)
def build_dict(tar_file: str, dict_size: int, lang: str) -> dict[str, int]:
    """Numbers of the three marks and of the most frequent words of one language of the training text."""
    if dict_size < 3:
        raise ValueError(f"wmt16: a dictionary needs at least its three marks, got a size of {dict_size}")
    column = LANGUAGES.index(lang)
    counts = Counter(word for pair in _pairs(tar_file, "wmt16/train") for word in pair[column].split())
    words = [START_MARK, END_MARK, UNK_MARK, *(word for word, _ in counts.most_common(dict_size - 3))]
    return {word: i for i, word in enumerate(words)}


def _pairs(tar_file: str, file_name: str) -> Iterator[list[str]]:
    with open_tar(tar_file) as archive:
        for line in member(archive, file_name):
            pair = line.decode().strip().split("\t")
            if len(pair) == 2:
                yield pair


def _archive() -> str:
    return download(DATA_URL, "wmt16", DATA_MD5, "wmt16.tar.gz")
