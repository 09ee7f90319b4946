import io
import tarfile

import pytest

from paddle.dataset import common


@pytest.fixture
def home(tmp_path, monkeypatch):
    """An empty cache folder, and no network."""
    def refuse(url):
        raise AssertionError(f"a test tried to download {url}")

    monkeypatch.setattr(common, "DATA_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr("paddle.utils.download._open", refuse)
    return tmp_path / "cache"


@pytest.fixture
def put(home, monkeypatch):
    """put(module, name, data, constant): place a file in the cache, with the module expecting its md5."""
    def place(module, name, data, md5="MD5"):
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        monkeypatch.setattr(module, md5, common.md5file(path))
        return str(path)

    return place


@pytest.fixture
def tar_bytes():
    """tar_bytes({name: bytes}): an archive."""
    def make(files, mode="w:gz"):
        buffer = io.BytesIO()
        with tarfile.open(fileobj=buffer, mode=mode) as archive:
            for name, data in files.items():
                info = tarfile.TarInfo(name)
                info.size = len(data)
                archive.addfile(info, io.BytesIO(data))
        return buffer.getvalue()

    return make
