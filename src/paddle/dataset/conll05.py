"""CoNLL-2005 semantic roles (its public test part) as a reader. In 2.x: paddle.text.datasets.Conll05st."""

import gzip
from collections.abc import Callable, Iterator

from .common import download, member, open_tar

__all__ = ["corpus_reader", "fetch", "get_dict", "get_embedding", "load_dict", "load_label_dict",
           "reader_creator", "test"]

_PREFIX = "https://paddlemodels.bj.bcebos.com/conll05st"
DATA_URL, DATA_MD5 = _PREFIX + "/conll05st-tests.tar.gz", "387719152ae52d60422c016e92a742fc"
WORDDICT_URL, WORDDICT_MD5 = _PREFIX + "%2FwordDict.txt", "ea7fb7d4c75cc6254716f0177a506baa"
VERBDICT_URL, VERBDICT_MD5 = _PREFIX + "%2FverbDict.txt", "0d2977293bbb6cbefab5b0f97db1e77c"
TRGDICT_URL, TRGDICT_MD5 = _PREFIX + "%2FtargetDict.txt", "d8c7f03ceb5fc2e5a0fa7503a4353751"
EMB_URL, EMB_MD5 = _PREFIX + "%2Femb", "bf436eb0faa1f6f9103017f8be57cdb7"

UNK_IDX = 0

WORDS = "conll05st-release/test.wsj/words/test.wsj.words.gz"
PROPS = "conll05st-release/test.wsj/props/test.wsj.props.gz"


def test() -> Callable:
    """A reader of the test sentences, one sample per predicate.

    A sample is nine lists of the sentence's length: words, the five words around the predicate (two before, one
    before, itself, one after, two after), the predicate, marks of those five places, labels.
    """
    return reader_creator(corpus_reader(download(DATA_URL, "conll05st", DATA_MD5), WORDS, PROPS), *get_dict())


def get_dict() -> tuple[dict, dict, dict]:
    """The numbers of the words, of the predicates and of the labels."""
    return (load_dict(download(WORDDICT_URL, "conll05st", WORDDICT_MD5)),
            load_dict(download(VERBDICT_URL, "conll05st", VERBDICT_MD5)),
            load_label_dict(download(TRGDICT_URL, "conll05st", TRGDICT_MD5)))


def get_embedding() -> str:
    """The path of the trained word vectors."""
    return download(EMB_URL, "conll05st", EMB_MD5)


def fetch() -> None:
    """Makes sure that all files are at hand."""
    get_dict()
    get_embedding()
    download(DATA_URL, "conll05st", DATA_MD5)


def load_dict(filename: str) -> dict[str, int]:
    """The numbers of the lines of a file."""
    with open(filename, encoding="utf-8") as file:
        return {line.strip(): i for i, line in enumerate(file)}


def load_label_dict(filename: str) -> dict[str, int]:
    """Two numbers, B- and I-, for each kind of label in the file, in the file's order; "O" is the last."""
    with open(filename, encoding="utf-8") as file:
        kinds = dict.fromkeys(line.strip()[2:] for line in file if line.startswith(("B-", "I-")))
    labels = [prefix + kind for kind in kinds for prefix in ("B-", "I-")]
    return {label: i for i, label in enumerate([*labels, "O"])}


def corpus_reader(data_path: str, words_name: str, props_name: str) -> Callable:
    """A reader of (words, predicate, labels) from the two parallel files of a corpus, one sample per predicate."""

    def reader() -> Iterator[tuple[list[str], str, list[str]]]:
        with open_tar(data_path) as archive, gzip.open(member(archive, words_name)) as words_file, \
                gzip.open(member(archive, props_name)) as props_file:
            for words, columns in _sentences(words_file, props_file, data_path):
                predicates = [p for p in columns[0] if p != "-"]
                if len(predicates) != len(columns) - 1:
                    raise ValueError(f"{data_path}: {len(predicates)} predicates, {len(columns) - 1} columns of labels")
                for predicate, column in zip(predicates, columns[1:]):
                    yield words, predicate, _labels(column)

    return reader


def reader_creator(corpus_reader: Callable, word_dict: dict, predicate_dict: dict, label_dict: dict) -> Callable:
    """A reader of the nine lists of numbers described at `test`, from (words, predicate, labels)."""

    def reader() -> Iterator[tuple]:
        for words, predicate, labels in corpus_reader():
            length, verb = len(words), labels.index("B-V")
            places = range(verb - 2, verb + 3)
            around = [words[i] if 0 <= i < length else ("bos" if i < 0 else "eos") for i in places]
            context = [[word_dict.get(word, UNK_IDX)] * length for word in around]
            yield ([word_dict.get(word, UNK_IDX) for word in words], *context, [predicate_dict.get(predicate)] * length,
                   [int(i in places) for i in range(length)], [label_dict.get(label) for label in labels])

    return reader


def _sentences(words_file, props_file, path: str) -> Iterator[tuple[list[str], list[tuple[str, ...]]]]:
    """Sentences, parted by empty lines: their words, and the columns of the props file."""
    words: list[str] = []
    rows: list[list[str]] = []
    for word, props in zip(words_file, props_file):
        row = props.decode().split()
        if row:
            words.append(word.decode().strip())
            rows.append(row)
            if len(row) != len(rows[0]):
                raise ValueError(f"{path}: a sentence has rows of {len(rows[0])} and {len(row)} columns")
        elif rows:
            yield words, list(zip(*rows))
            words, rows = [], []
    if rows:
        yield words, list(zip(*rows))


def _labels(column: tuple[str, ...]) -> list[str]:
    """Labels B-x, I-x and O from a column of brackets: "(A0*", "*", "*)", "(V*)"."""
    labels, kind, inside = [], "O", False
    for text in column:
        if text.startswith("(") and "*" in text:
            kind, inside = text[1:text.index("*")], not text.endswith(")")
            labels.append("B-" + kind)
        elif text in ("*", "*)"):
            labels.append("I-" + kind if inside else "O")
            inside = inside and text == "*"
        else:
            raise ValueError(f"conll05: unexpected label {text!r}")
    return labels
