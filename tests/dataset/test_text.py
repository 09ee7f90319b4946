import gzip
import io
import zipfile

import numpy as np
import pytest

from paddle.dataset import conll05, imdb, imikolov, movielens, uci_housing, wmt14, wmt16


def test_imdb(put, tar_bytes):
    put(imdb, "imdb/imdb%2FaclImdb_v1.tar.gz", tar_bytes({
        "aclImdb/train/pos/1.txt": b"Good, good film!\n", "aclImdb/train/neg/2.txt": b"bad film\n",
        "aclImdb/test/pos/3.txt": b"a good one", "aclImdb/test/neg/4.txt": b"not good at all",
        "aclImdb/README": b"good good good"}))
    import re
    words = imdb.build_dict(re.compile(r"aclImdb/train/.*\.txt$"), 0)
    assert words == {b"film": 0, b"good": 1, b"bad": 2, "<unk>": 3}
    assert list(imdb.train(words)()) == [([1, 1, 0], 0), ([2, 0], 1)]
    assert list(imdb.test(words)()) == [([3, 1, 3], 0), ([3, 1, 3, 3], 1)]
    assert imdb.word_dict() == {"<unk>": 0}  # nothing is met more than 150 times


def test_imikolov(put, tar_bytes):
    put(imikolov, "imikolov/imikolov%2Fsimple-examples.tgz", tar_bytes({
        "./simple-examples/data/ptb.train.txt": b" a b a \n c a \n",
        "./simple-examples/data/ptb.valid.txt": b" a c \n"}))
    words = imikolov.build_dict(1)
    assert words == {b"a": 0, "<e>": 1, "<s>": 2, b"c": 3, "<unk>": 4}
    assert list(imikolov.train(words, 3)()) == [(2, 0, 4), (0, 4, 0), (4, 0, 1), (2, 3, 0), (3, 0, 1)]
    assert list(imikolov.train(words, 9)()) == []
    sequences = imikolov.test(words, 0, imikolov.DataType.SEQ)
    assert list(sequences()) == [([2, 0, 3], [0, 3, 1])]
    assert list(imikolov.train(words, 3, imikolov.DataType.SEQ)()) == [([2, 3, 0], [3, 0, 1])]
    with pytest.raises(ValueError, match="data_type"):
        imikolov.train(words, 3, 7)
    with pytest.raises(ValueError, match="n must be"):
        imikolov.train(words, 0)


def movielens_zip(ratings):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        movies = "1::Toy Story (1995)::Animation|Comedy\n7::Café (1996)::Drama\n"
        archive.writestr("ml-1m/movies.dat", movies.encode("latin-1"))
        archive.writestr("ml-1m/users.dat", "1::F::1::10::48067\n2::M::56::16::70072\n")
        archive.writestr("ml-1m/ratings.dat", ratings)
    return buffer.getvalue()


def test_movielens(put):
    rows = [f"{1 + i % 2}::{(1, 7)[i % 2]}::{1 + i % 5}::0\n" for i in range(200)]
    put(movielens, "movielens/movielens%2Fml-1m.zip", movielens_zip("".join(rows)))
    assert (movielens.max_movie_id(), movielens.max_user_id(), movielens.max_job_id()) == (7, 2, 16)
    assert movielens.movie_categories() == {"Animation": 0, "Comedy": 1, "Drama": 2}
    assert movielens.get_movie_title_dict() == {"café": 0, "story": 1, "toy": 2}
    assert movielens.movie_info()[1].value() == [1, [0, 1], [2, 1]]
    assert movielens.user_info()[2].value() == [2, 0, 6, 16]
    train, test = list(movielens.train()()), list(movielens.test()())
    assert len(train) + len(test) == 200
    assert train[0] == [1, 1, 0, 10, 1, [0, 1], [2, 1], [-3.0]]
    # the same split as NumPy's legacy generator gives, without touching the global state
    expected = int((np.random.RandomState(0).random_sample(200) < 0.1).sum())
    assert len(test) == expected
    state = np.random.get_state()[1].copy()
    list(movielens.test(rand_seed=5)())
    assert (np.random.get_state()[1] == state).all()


def test_movielens_damaged(put):
    put(movielens, "movielens/movielens%2Fml-1m.zip", movielens_zip("1::7::5\n"))
    with pytest.raises(ValueError, match="ratings.dat, line 1: 3 fields where 4"):
        list(movielens.train()())
    put(movielens, "movielens/movielens%2Fml-1m.zip", b"not a zip")
    movielens.load_meta.cache_clear()
    with pytest.raises(ValueError, match="not the MovieLens archive"):
        movielens.max_movie_id()


def test_uci_housing(put):
    table = np.random.default_rng(0).uniform(1, 9, (10, 14)).round(3)
    put(uci_housing, "uci_housing/housing.data", "\n".join(" ".join(map(str, row)) for row in table).encode())
    train, test = list(uci_housing.train()()), list(uci_housing.test()())
    assert (len(train), len(test)) == (8, 2)
    features = table[:, :13]
    scaled = (features - features.mean(0)) / (features.max(0) - features.min(0))
    np.testing.assert_allclose([x for x, _ in train + test], scaled, rtol=1e-12)
    np.testing.assert_allclose([y for _, y in train + test], table[:, 13:])
    np.testing.assert_array_equal(uci_housing.predict_reader()[0], test[0][0])


@pytest.mark.parametrize(("text", "message"), [
    ("1 2 3", "rows of 14"), ("", "rows of 14"), ("1 two", "table of numbers"),
    (" ".join("1" * 28), "column 0 is constant"),
])
def test_uci_housing_damaged(tmp_path, text, message):
    path = tmp_path / "a"
    path.write_text(text)
    with pytest.raises(ValueError, match=message):
        uci_housing.load_data(path)


def test_uci_housing_model_is_unpacked(put, tar_bytes):
    put(uci_housing, "uci_housing/fit_a_line.fluid.tar", tar_bytes({"__model__": b"m"}, "w"), "FLUID_MD5_MODEL")
    import pathlib
    assert (pathlib.Path(uci_housing.fluid_model()) / "__model__").read_bytes() == b"m"


WMT14 = {"wmt14/train/train": "a b\tx y\nbad line\nq b\ty\n" + "a " * 79 + "\tx\n",
         "wmt14/test/test": "b\tx\n", "wmt14/gen/gen": "a\ty\n",
         "wmt14/src.dict": "<s>\n<e>\n<unk>\na\nb\n", "wmt14/trg.dict": "<s>\n<e>\n<unk>\nx\ny\n"}


def test_wmt14(put, tar_bytes):
    put(wmt14, "wmt14/wmt14.tgz", tar_bytes({k: v.encode() for k, v in WMT14.items()}), "MD5_TRAIN")
    assert list(wmt14.train(5)()) == [([0, 3, 4, 1], [0, 3, 4], [3, 4, 1]), ([0, 2, 4, 1], [0, 4], [4, 1])]
    assert list(wmt14.test(4)()) == [([0, 2, 1], [0, 3], [3, 1])]
    assert list(wmt14.gen(5)()) == [([0, 3, 1], [0, 4], [4, 1])]
    assert wmt14.get_dict(4)[0] == {0: "<s>", 1: "<e>", 2: "<unk>", 3: "a"}
    assert wmt14.get_dict(4, reverse=False)[1]["x"] == 3


def test_wmt14_without_dictionary(put, tar_bytes):
    put(wmt14, "wmt14/wmt14.tgz", tar_bytes({"wmt14/train/train": b"a\tb\n"}), "MD5_TRAIN")
    with pytest.raises(ValueError, match="one file 'src.dict', it has 0"):
        list(wmt14.train(5)())


def test_wmt16(put, tar_bytes):
    put(wmt16, "wmt16/wmt16.tar.gz", tar_bytes({
        "wmt16/train": b"a b a\tx y y\nno tab\na c\tx y\n", "wmt16/test": b"c b\ty z\n", "wmt16/val": b"a\tx\n"}),
        "DATA_MD5")
    wmt16.build_dict.cache_clear()
    assert wmt16.get_dict("en", 5) == {"<s>": 0, "<e>": 1, "<unk>": 2, "a": 3, "b": 4}
    assert wmt16.get_dict("de", 100, reverse=True) == {0: "<s>", 1: "<e>", 2: "<unk>", 3: "y", 4: "x"}
    assert list(wmt16.train(6, 5)())[1] == ([0, 3, 5, 1], [0, 4, 3], [4, 3, 1])
    assert list(wmt16.test(5, 5)()) == [([0, 2, 4, 1], [0, 3, 2], [3, 2, 1])]
    assert list(wmt16.validation(5, 5, src_lang="de")()) == [([0, 4, 1], [0, 3], [3, 1])]
    with pytest.raises(ValueError, match="one of .'en', 'de'., got 'fr'"):
        wmt16.train(5, 5, "fr")
    with pytest.raises(ValueError, match="three marks"):
        wmt16.get_dict("en", 2)


WORDS = "The\ncat\nsat\ndown\n\nDogs\nrun\n"
PROPS = "- (A0* (A0*)\n- *) *\nsit (V*) *\ngo * (V*)\n\n- (A0*)\nrun (V*)\n"


def test_conll05(put, tar_bytes):
    put(conll05, "conll05st/conll05st-tests.tar.gz", tar_bytes({
        conll05.WORDS: gzip.compress(WORDS.encode()), conll05.PROPS: gzip.compress(PROPS.encode())}), "DATA_MD5")
    put(conll05, "conll05st/conll05st%2FwordDict.txt", b"<unk>\nThe\ncat\nsat\ndown\nbos\neos\n", "WORDDICT_MD5")
    put(conll05, "conll05st/conll05st%2FverbDict.txt", b"sit\ngo\nrun\n", "VERBDICT_MD5")
    put(conll05, "conll05st/conll05st%2FtargetDict.txt", b"B-A0\nI-A0\nB-V\nI-V\nO\n", "TRGDICT_MD5")
    put(conll05, "conll05st/conll05st%2Femb", b"vectors", "EMB_MD5")
    assert conll05.get_dict()[2] == {"B-A0": 0, "I-A0": 1, "B-V": 2, "I-V": 3, "O": 4}
    conll05.fetch()
    samples = list(conll05.test()())
    assert len(samples) == 3
    assert samples[0] == ([1, 2, 3, 4], [1] * 4, [2] * 4, [3] * 4, [4] * 4, [6] * 4, [0] * 4, [1] * 4, [0, 1, 2, 4])
    assert samples[1][1:6] == ([2] * 4, [3] * 4, [4] * 4, [6] * 4, [6] * 4)
    assert samples[1][7:] == ([0, 1, 1, 1], [0, 4, 4, 2])
    assert samples[2] == ([0, 0], [5, 5], [0, 0], [0, 0], [6, 6], [6, 6], [2, 2], [1, 1], [0, 2])


@pytest.mark.parametrize(("props", "message"), [("- x\nsit (V*)\n", "unexpected label 'x'"),
                                                ("- *\nsit\n", "rows of 2 and 1"),
                                                ("- (V*)\n- *\n", "0 predicates, 1 columns")])
def test_conll05_damaged(tmp_path, tar_bytes, props, message):
    path = tmp_path / "a.tar.gz"
    path.write_bytes(tar_bytes({"w": gzip.compress(b"a\nb\n"), "p": gzip.compress(props.encode())}))
    with pytest.raises(ValueError, match=message):
        list(conll05.corpus_reader(str(path), "w", "p")())
