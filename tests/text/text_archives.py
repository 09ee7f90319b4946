"""Small archives in the form of the text data sets, and what a package makes of them.

    python tests/text/text_archives.py     # with the real PaddlePaddle 2.6.2: writes recorded.json beside this file
"""

import gzip
import io
import json
import pathlib
import tarfile
import zipfile

HERE = pathlib.Path(__file__).parent
WORDS = "The\ncat\nsat\ndown\n\nDogs\nrun\n\n"
PROPS = "- (A0* (A0*)\n- *) *\nsit (V*) *\ngo * (V*)\n\n- (A0*)\nrun (V*)\n\n"
CONLL = {"conll05st-release/test.wsj/words/test.wsj.words.gz": gzip.compress(WORDS.encode()),
         "conll05st-release/test.wsj/props/test.wsj.props.gz": gzip.compress(PROPS.encode())}
IMDB = {"aclImdb/train/pos/1.txt": b"Good, good film!\n", "aclImdb/train/neg/2.txt": b"bad film, it's bad\n",
        "aclImdb/test/pos/3.txt": b"a good one", "aclImdb/test/neg/4.txt": b"not good at all", "aclImdb/README": b"film film"}
PTB = {"./simple-examples/data/ptb.train.txt": b" a b a \n c a c a \n\n", "./simple-examples/data/ptb.valid.txt": b" a c c\n a\n",
       "./simple-examples/data/ptb.test.txt": b" c d\n a b a a\n"}
MOVIES = {"ml-1m/movies.dat": "1::Toy Story (1995)::Animation|Comedy\n7::Café (1996)::Drama\n".encode("latin-1"),
          "ml-1m/users.dat": b"1::F::1::10::48067\n2::M::56::16::70072\n",
          "ml-1m/ratings.dat": "".join(f"{1 + i % 2}::{(1, 7)[i % 3 % 2]}::{1 + i % 5}::0\n" for i in range(40)).encode()}
HOUSES = "\n".join(" ".join(str((i * 7 + j * j * 3 + i * j) % 23 + 0.5) for j in range(14)) for i in range(10)).encode()
WMT14 = {"wmt14/train/train": ("a b\tx y\nbad line\nq b\ty\n" + "a " * 79 + "\tx\n").encode(), "wmt14/test/test": b"b\tx\n",
         "wmt14/gen/gen": b"a\ty\n", "wmt14/src.dict": b"<s>\n<e>\n<unk>\na\nb\n", "wmt14/trg.dict": b"<s>\n<e>\n<unk>\nx\ny\n"}
# 2.6.2 makes both dictionaries from the source's words, so here both languages have the same ones.
WMT16 = {"wmt16/train": b"a b a\tb a a\nno tab\na c\tc a\n", "wmt16/test": b"c b\ta z\n", "wmt16/val": b"a\tb\n"}
LINES = {"words": "<unk>\nThe\ncat\nsat\ndown\nbos\neos\n", "verbs": "sit\ngo\nrun\n", "labels": "B-A0\nI-A0\nB-V\nI-V\nO\n"}


def tar(files):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return buffer.getvalue()


def zipped(files):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def write(folder):
    """All archives below a folder: {name: path}."""
    contents = {"conll": tar(CONLL), "imdb": tar(IMDB), "ptb": tar(PTB), "movies": zipped(MOVIES), "houses": HOUSES,
                "wmt14": tar(WMT14), "wmt16": tar(WMT16), **{name: text.encode() for name, text in LINES.items()}}
    paths = {name: pathlib.Path(folder) / name for name in contents}
    for name, path in paths.items():
        path.write_bytes(contents[name])
    return {name: str(path) for name, path in paths.items()}


def lists(dataset):
    return [[part.tolist() for part in dataset[i]] for i in range(len(dataset))]


def named(samples, dicts):
    """Samples with the numbers at some places spelt out again: their order is the package's own affair."""
    for place, numbers in dicts.items():
        names = {number: name for name, number in numbers.items()}
        for sample in samples:
            sample[place] = [names[number] for number in sample[place]]
    return samples


def outcome(text, paths):
    """What the module paddle.text makes of the archives, in plain lists."""
    conll = text.Conll05st(paths["conll"], paths["words"], paths["verbs"], paths["labels"], paths["words"])
    found = {"conll": named(lists(conll), {8: conll.label_dict}), "conll.dicts": list(conll.get_dict()[:2])}
    for mode in ("train", "test"):
        movies = text.Movielens(paths["movies"], mode, test_ratio=0.3)
        found["movies " + mode] = named(lists(movies), {5: movies.categories_dict, 6: movies.movie_title_dict})
        found["imdb " + mode] = lists(text.Imdb(paths["imdb"], mode, cutoff=1))
        found["ngram " + mode] = lists(text.Imikolov(paths["ptb"], "NGRAM", 3, mode, 2))
        found["seq " + mode] = lists(text.Imikolov(paths["ptb"], "SEQ", 4, mode, 2))
        found["houses " + mode] = lists(text.UCIHousing(paths["houses"], mode))
    for mode in ("train", "test", "gen"):
        found["wmt14 " + mode] = lists(text.WMT14(paths["wmt14"], mode, 5))
    found["wmt14.dicts"] = list(text.WMT14(paths["wmt14"], "gen", 4).get_dict())
    for mode in ("train", "test", "val"):
        found["wmt16 " + mode] = lists(text.WMT16(paths["wmt16"], mode, 5, 5))
        found["wmt16 de " + mode] = lists(text.WMT16(paths["wmt16"], mode, 6, 5, "de"))
    return found


def main():
    import tempfile

    import paddle
    paddle.dataset.common.DATA_HOME = tempfile.mkdtemp()  # 2.6.2 keeps dictionaries of WMT16 there
    (pathlib.Path(paddle.dataset.common.DATA_HOME) / "wmt16").mkdir()
    found = outcome(paddle.text, write(tempfile.mkdtemp()))
    (HERE / "recorded.json").write_text(json.dumps(found, indent=0, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()
