import io
import os
import tarfile
import zipfile

import pytest

from paddle.utils.archive import ArchiveError, extract, is_archive


def make_tar(path, members):
    with tarfile.open(path, "w:gz") as archive:
        for name, content in members:
            info = tarfile.TarInfo(name)
            if isinstance(content, bytes):
                info.size = len(content)
                archive.addfile(info, io.BytesIO(content))
            else:
                content(info)
                archive.addfile(info)
    return path


def make_zip(path, members):
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members:
            archive.writestr(name, content)
    return path


MAKERS = [make_tar, make_zip]


@pytest.mark.parametrize("make", MAKERS)
def test_unpacks(tmp_path, make):
    path = make(tmp_path / "a", [("x/one.txt", b"1"), ("x/y/two.txt", b"22")])
    assert is_archive(path)
    assert extract(path, tmp_path / "out") == ["x/one.txt", "x/y/two.txt"]
    assert (tmp_path / "out/x/y/two.txt").read_bytes() == b"22"


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("name", ["../evil", "x/../../evil", "/evil-dygraph-test"])
def test_outside_is_refused_and_nothing_is_written(tmp_path, make, name):
    path = make(tmp_path / "a", [("good", b"1"), (name, b"2")])
    with pytest.raises(ArchiveError, match="outside"):
        extract(path, tmp_path / "deep/out")
    assert not (tmp_path / "deep/out/good").exists()
    assert not os.path.exists(name)


def as_link(kind, target):
    def change(info):
        info.type, info.linkname = kind, target
    return change


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE])
def test_links_and_devices_are_refused(tmp_path, kind):
    path = make_tar(tmp_path / "a", [("link", as_link(kind, "/etc")), ("link/passwd", b"x")])
    with pytest.raises(ArchiveError, match="link or device"):
        extract(path, tmp_path / "out")


def test_zip_link_is_refused(tmp_path):
    info = zipfile.ZipInfo("link")
    info.external_attr = 0o120777 << 16
    path = make_zip(tmp_path / "a", [(info, b"/etc")])
    with pytest.raises(ArchiveError, match="link or device"):
        extract(path, tmp_path / "out")


@pytest.mark.parametrize("make", MAKERS)
def test_link_already_in_the_target(tmp_path, make):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "x").symlink_to(tmp_path)
    path = make(tmp_path / "a", [("x/file", b"1")])
    with pytest.raises(ArchiveError, match="outside"):
        extract(path, tmp_path / "out")
    assert not (tmp_path / "file").exists()


@pytest.mark.parametrize("make", MAKERS)
def test_size_and_number_are_bounded(tmp_path, make):
    path = make(tmp_path / "a", [("one", b"x" * 1000), ("two", b"x" * 1000)])
    with pytest.raises(ArchiveError, match="more than 1500 bytes"):
        extract(path, tmp_path / "out", max_bytes=1500)
    with pytest.raises(ArchiveError, match="more than 1 files"):
        extract(path, tmp_path / "out", max_files=1)


@pytest.mark.parametrize("make", MAKERS)
def test_damaged(tmp_path, make):
    path = make(tmp_path / "a", [("one", os.urandom(5000))])
    data = bytearray(path.read_bytes())
    path.write_bytes(data[:3000])
    with pytest.raises(ArchiveError, match="cannot be read"):
        extract(path, tmp_path / "out")
