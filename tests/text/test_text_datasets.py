import gzip
import json
import pathlib
import urllib.error

import numpy as np
import pytest
from text.text_archives import HERE, WMT16, outcome, tar, write

import paddle
from paddle import text
from paddle.dataset import common


@pytest.fixture(scope="module")
def paths(tmp_path_factory):
    return write(tmp_path_factory.mktemp("text"))


@pytest.fixture
def home(tmp_path, monkeypatch):
    """An empty cache folder, and no network."""
    def refuse(url):
        raise urllib.error.URLError("no network")

    monkeypatch.setattr(common, "DATA_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr("paddle.utils.download._open", refuse)
    return tmp_path / "cache"


def test_samples_are_those_of_paddle(paths):
    found, recorded = json.loads(json.dumps(outcome(text, paths))), json.loads((HERE / "recorded.json").read_text())
    assert found.keys() == recorded.keys()
    for name, samples in recorded.items():
        if name.startswith("houses"):
            for sample, expected in zip(found[name], samples, strict=True):
                np.testing.assert_allclose(np.concatenate(sample), np.concatenate(expected), rtol=1e-6)
        else:
            assert found[name] == samples, name


def test_dtypes(paths):
    features, price = text.UCIHousing(paths["houses"])[0]
    assert (features.dtype, features.shape, price.dtype, price.shape) == (np.float32, (13,), np.float32, (1,))
    words, label = text.Imdb(paths["imdb"], cutoff=0)[0]
    assert words.dtype == label.dtype == np.int64
    assert all(part.dtype == np.int64 for part in text.WMT14(paths["wmt14"], dict_size=5)[0])
    assert text.Movielens(paths["movies"])[0][-1].dtype == np.float64


def test_they_are_datasets(paths):
    loader = paddle.io.DataLoader(text.UCIHousing(paths["houses"]), batch_size=4, drop_last=True)
    assert [batch[0].shape for batch in loader] == [[4, 13], [4, 13]]


def test_each_language_has_its_dictionary(tmp_path):
    path = tmp_path / "wmt16"
    path.write_bytes(tar({**WMT16, "wmt16/train": b"a b a\tx y y\na c\tx y\n"}))
    data = text.WMT16(str(path), "train", 5, 5)
    assert data.get_dict("en") == {"<s>": 0, "<e>": 1, "<unk>": 2, "a": 3, "b": 4}
    assert data.get_dict("de", reverse=True) == {0: "<s>", 1: "<e>", 2: "<unk>", 3: "y", 4: "x"}
    assert [part.tolist() for part in data[0]] == [[0, 3, 4, 3, 1], [0, 4, 3, 3], [4, 3, 3, 1]]
    assert data.src_ids[1] == [0, 3, 2, 1] and data.trg_ids[1] == [0, 4, 3] and data.trg_ids_next[1] == [4, 3, 1]


def test_reverse_dictionaries_and_vectors(paths):
    assert text.WMT14(paths["wmt14"], dict_size=4).get_dict(reverse=True)[0][3] == "a"
    files = paths["conll"], paths["words"], paths["verbs"], paths["labels"]
    assert text.Conll05st(*files, emb_file="vectors").get_embedding() == "vectors"
    with pytest.raises(ValueError, match="give emb_file"):
        text.Conll05st(*files, download=False).get_embedding()


KINDS = [(text.Imdb, {}), (text.Imikolov, {"window_size": 2}), (text.Movielens, {}), (text.UCIHousing, {}),
         (text.WMT14, {"dict_size": 5}), (text.WMT16, {"src_dict_size": 5, "trg_dict_size": 5})]


@pytest.mark.parametrize(("kind", "options"), [*KINDS, (text.Conll05st, {})])
def test_without_file_or_network(home, kind, options):
    with pytest.raises(ValueError, match=rf"{kind.__name__}\(\): give data_file, or download=True"):
        kind(download=False, **options)
    with pytest.raises(RuntimeError, match="no network"):
        kind(**options)
    assert not [path for path in home.rglob("*") if path.is_file()]


@pytest.mark.parametrize(("kind", "options"), KINDS)
def test_bad_mode(kind, options):
    with pytest.raises(ValueError, match=rf"{kind.__name__}\(\): mode must be one of .*got 'eval'"):
        kind("x", mode="eval", **options)


@pytest.mark.parametrize(("call", "message"), [
    (lambda p: text.Imikolov(p["ptb"]), "window_size must be at least 1"),
    (lambda p: text.Imikolov(p["ptb"], "WORDS"), "data_type must be one of"),
    (lambda p: text.WMT14(p["wmt14"]), "dict_size must be an int of at least 3"),
    (lambda p: text.WMT16(p["wmt16"], "train", 5), "trg_dict_size must be"),
    (lambda p: text.WMT16(p["wmt16"], "train", 5, 5, "fr"), "lang must be one of"),
    (lambda p: text.Imdb(p["houses"]), "not a readable tar file"),
    (lambda p: text.Movielens(p["imdb"]), "not the MovieLens archive"),
    (lambda p: text.Conll05st(p["imdb"], p["words"], p["verbs"], p["labels"]), "has no file"),
])
def test_bad_arguments(paths, call, message):
    with pytest.raises(ValueError, match=message):
        call(paths)


def test_links_out_of_an_archive_are_not_followed(tmp_path):
    import tarfile
    secret = tmp_path / "secret"
    secret.write_bytes(gzip.compress(b"x\n"))
    path = tmp_path / "a.tar"
    with tarfile.open(path, "w") as archive:
        info = tarfile.TarInfo("wmt16/train")
        info.type, info.linkname = tarfile.SYMTYPE, str(secret)
        archive.addfile(info)
    with pytest.raises(ValueError, match="has no file 'wmt16/train'"):
        text.WMT16(str(path), "train", 5, 5)
    assert pathlib.Path(secret).exists()
