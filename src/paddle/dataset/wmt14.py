"""WMT14 English-French (a small part) as readers of word numbers. In 2.x: paddle.text.datasets.WMT14."""

from collections.abc import Callable, Iterator

from .common import download, open_tar, regular_members

__all__ = ["fetch", "gen", "get_dict", "read_dicts", "reader_creator", "test", "train"]

URL_TRAIN = "https://paddlemodels.bj.bcebos.com/wmt/wmt14.tgz"
MD5_TRAIN = "0791583d57d5beb693b9414c5b36798c"

START, END, UNK = "<s>", "<e>", "<unk>"
UNK_IDX = 2

_LONGEST = 80


def train(dict_size: int) -> Callable:
    """A reader of the training pairs: (source, target from "<s>" on, target up to "<e>"), lists of word numbers."""
    return reader_creator(download(URL_TRAIN, "wmt14", MD5_TRAIN), "train/train", dict_size)


def test(dict_size: int) -> Callable:
    """A reader of the test pairs, in the form of `train`."""
    return reader_creator(download(URL_TRAIN, "wmt14", MD5_TRAIN), "test/test", dict_size)


def gen(dict_size: int) -> Callable:
    """A reader of the pairs meant for trying a trained model, in the form of `train`."""
    return reader_creator(download(URL_TRAIN, "wmt14", MD5_TRAIN), "gen/gen", dict_size)


def get_dict(dict_size: int, reverse: bool = True) -> tuple[dict, dict]:
    """The source and target dictionaries: words by number, or numbers by word with `reverse=False`."""
    dicts = read_dicts(download(URL_TRAIN, "wmt14", MD5_TRAIN), dict_size)
    return tuple({i: word for word, i in d.items()} for d in dicts) if reverse else dicts


def fetch() -> None:
    """Makes sure that the file is at hand."""
    download(URL_TRAIN, "wmt14", MD5_TRAIN)


def read_dicts(tar_file: str, dict_size: int) -> tuple[dict, dict]:
    """The first `dict_size` words of the archive's source and target dictionaries, numbered."""
    found = []
    for ending in ("src.dict", "trg.dict"):
        with open_tar(tar_file) as archive:
            files = regular_members(archive, lambda name, ending=ending: name.endswith(ending))
            numbered = [{line.strip().decode(): i for i, line in zip(range(dict_size), file)} for file in files]
        if len(numbered) != 1:
            raise ValueError(f"{tar_file} must have one file {ending!r}, it has {len(numbered)}")
        found += numbered
    return found[0], found[1]


def reader_creator(tar_file: str, file_name: str, dict_size: int) -> Callable:
    """A reader of the pairs in the files whose name ends with `file_name`; pairs longer than 80 words are left out."""

    def reader() -> Iterator[tuple[list[int], list[int], list[int]]]:
        source_dict, target_dict = read_dicts(tar_file, dict_size)
        with open_tar(tar_file) as archive:
            for file in regular_members(archive, lambda name: name.endswith(file_name)):
                for line in file:
                    pair = line.decode().strip().split("\t")
                    if len(pair) != 2:
                        continue
                    source = [source_dict.get(word, UNK_IDX) for word in (START, *pair[0].split(), END)]
                    target = [target_dict.get(word, UNK_IDX) for word in pair[1].split()]
                    if len(source) <= _LONGEST and len(target) <= _LONGEST:
                        yield source, [target_dict[START], *target], [*target, target_dict[END]]

    return reader
