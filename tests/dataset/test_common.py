import hashlib
import os
import pickle

import numpy as np
import pytest

import paddle.dataset
from paddle.dataset import common
from paddle.serialization.errors import UnpicklingError


def test_cached_file_is_used(home):
    path = home / "mine" / "a.bin"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"hello")
    md5 = hashlib.md5(b"hello").hexdigest()
    assert common.download("https://example.org/x/a.bin", "mine", md5) == str(path)
    assert common.download("https://example.org/x/b.bin", "mine", md5, save_name="a.bin") == str(path)
    assert common.md5file(path) == md5


def test_other_content_is_downloaded_again(home, monkeypatch):
    path = home / "mine" / "a.bin"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"old")
    monkeypatch.setattr(common, "fetch", lambda url, path, md5: f"fetched {os.path.basename(path)}")
    assert common.download("https://example.org/x/a.bin", "mine", "0" * 32) == "fetched a.bin"


@pytest.mark.parametrize(("module", "save_name"), [("../x", None), ("/x", None), ("x", "../../y"), ("x", "a b")])
def test_names_stay_inside_the_cache(home, module, save_name):
    with pytest.raises(ValueError, match="plain relative name"):
        common.download("https://example.org/a", module, None, save_name)


def test_no_network_says_where_to_put_the_file(home, monkeypatch):
    import urllib.error

    def unreachable(url):
        raise urllib.error.URLError("no route to host")

    monkeypatch.setattr("paddle.utils.download._open", unreachable)
    with pytest.raises(RuntimeError, match="no route to host.*put the file with md5 123 at .*mine"):
        common.download("https://example.org/a", "mine", "123")


def test_split_and_read_back(tmp_path):
    samples = [(np.full(3, i, np.float32), i) for i in range(7)]
    common.split(lambda: iter(samples), 3, suffix=str(tmp_path / "part-%03d.pickle"))
    assert sorted(p.name for p in tmp_path.iterdir()) == [f"part-00{i}.pickle" for i in range(3)]
    labels = [[label for _, label in common.cluster_files_reader(str(tmp_path / "*.pickle"), 2, i)()] for i in (0, 1)]
    assert labels == [[0, 1, 2, 6], [3, 4, 5]]


def test_reading_back_runs_no_code(tmp_path):
    class Evil:
        def __reduce__(self):
            return os.mkdir, (str(tmp_path / "made"),)

    (tmp_path / "a.pickle").write_bytes(pickle.dumps([Evil()]))
    with pytest.raises(UnpicklingError):
        list(common.cluster_files_reader(str(tmp_path / "*.pickle"), 1, 0)())
    assert not (tmp_path / "made").exists()


def test_bad_arguments():
    with pytest.raises(TypeError, match="dumper"):
        common.split(list, 3, dumper=1)
    with pytest.raises(ValueError, match="line_count"):
        common.split(list, 0)
    with pytest.raises(TypeError, match="loader"):
        common.cluster_files_reader("*", 1, 0, loader=1)
    with pytest.raises(ValueError, match="trainer_id"):
        common.cluster_files_reader("*", 2, 2)


def test_every_dataset_is_there():
    for name in paddle.dataset.__all__:
        assert getattr(paddle.dataset, name).__doc__
    assert set(common._WITH_FETCH) == {n for n in paddle.dataset.__all__ if hasattr(getattr(paddle.dataset, n), "fetch")
                                       } - {"common"}
    with pytest.raises(NotImplementedError, match="sentiment.*imdb"):
        paddle.dataset.sentiment  # noqa: B018
    with pytest.raises(AttributeError, match="imdb"):
        paddle.dataset.imbd
