import gzip
import struct

import numpy as np
import pytest

from paddle.dataset.idx import IdxError, content_md5, read_idx


def idx(array, code):
    header = struct.pack(">BBBB", 0, 0, code, array.ndim) + struct.pack(f">{array.ndim}I", *array.shape)
    return header + array.astype(array.dtype.newbyteorder(">")).tobytes()


CODES = [("u1", 8), ("i1", 9), ("i2", 11), ("i4", 12), ("f4", 13), ("f8", 14)]


@pytest.mark.parametrize(("dtype", "code"), CODES)
@pytest.mark.parametrize("pack", [lambda data: data, gzip.compress])
def test_round_trip(tmp_path, dtype, code, pack):
    array = np.arange(-6, 6).reshape(3, 2, 2).astype(dtype)
    path = tmp_path / "a.idx"
    path.write_bytes(pack(idx(array, code)))
    got = read_idx(path, ndim=3)
    assert got.dtype == array.dtype and got.dtype.isnative
    np.testing.assert_array_equal(got, array)


def test_zero_images(tmp_path):
    path = tmp_path / "a.idx"
    path.write_bytes(idx(np.zeros((0, 28, 28), "u1"), 8))
    assert read_idx(path).shape == (0, 28, 28)


WHOLE = idx(np.arange(12, dtype="u1").reshape(3, 4), 8)


@pytest.mark.parametrize(("data", "message"), [
    (b"", "not an IDX file"),
    (b"PK\x03\x04", "not an IDX file"),
    (WHOLE[:9], "ends inside its header, after 9 bytes"),
    (WHOLE[:-1], "ends after 11 of the 12 bytes"),
    (WHOLE + b"x", "bytes left"),
    (struct.pack(">BBBBIII", 0, 0, 8, 3, 2**32 - 1, 2**32 - 1, 2**32 - 1), "claims"),
    (gzip.compress(WHOLE)[:-9], "damaged"),
])
def test_damaged(tmp_path, data, message):
    path = tmp_path / "a.idx"
    path.write_bytes(data)
    with pytest.raises(IdxError, match=message):
        read_idx(path)


def test_wrong_number_of_dimensions(tmp_path):
    path = tmp_path / "a.idx"
    path.write_bytes(WHOLE)
    with pytest.raises(IdxError, match="must have 3 dimensions, it has 2"):
        read_idx(path, ndim=3)


def test_content_md5_does_not_depend_on_compression(tmp_path):
    plain, packed, broken = tmp_path / "a", tmp_path / "b", tmp_path / "c"
    plain.write_bytes(WHOLE)
    packed.write_bytes(gzip.compress(WHOLE, 1))
    broken.write_bytes(gzip.compress(WHOLE)[:-9])
    assert content_md5(plain) == content_md5(packed) != ""
    assert content_md5(broken) == ""
