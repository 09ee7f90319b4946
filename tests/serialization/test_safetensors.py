"""The safetensors format, by hand-made files and by its own package."""

import io
import json

import numpy as np
import pytest

from paddle.serialization import safetensors as st
from paddle.serialization.errors import FormatError
from paddle.serialization.stored import DTYPES, StoredTensor


def sample():
    names = [name for name in DTYPES if name != "complex128"]
    tensors = {name: StoredTensor(np.arange(6).reshape(2, 3).astype(DTYPES[name][1]), name) for name in names}
    tensors["scalar"] = StoredTensor(np.array(2.5, "float32"))
    tensors["none"] = StoredTensor(np.zeros((0, 4), "int64"))
    return tensors


def packed(header, data=b""):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + data


def entry(begin=0, end=8, dtype="F32", shape=(2,)):
    return {"dtype": dtype, "shape": list(shape), "data_offsets": [begin, end]}


def test_round_trip(tmp_path):
    tensors = sample()
    st.write(tmp_path / "a.safetensors", tensors, {"format": "pd", "note": "\u00e9"})
    back, metadata = st.read(tmp_path / "a.safetensors")
    assert metadata == {"format": "pd", "note": "\u00e9"}
    assert back.keys() == tensors.keys()
    for name, tensor in tensors.items():
        assert back[name].dtype == tensor.dtype and back[name].array.flags.writeable
        np.testing.assert_array_equal(back[name].array, tensor.array, strict=True)


def test_data_is_aligned():
    file = io.BytesIO()
    st.write(file, sample())
    size = int.from_bytes(file.getvalue()[:8], "little")
    assert size % 8 == 0
    header = json.loads(file.getvalue()[8:8 + size])
    for name, value in header.items():
        assert value["data_offsets"][0] % sample()[name].array.itemsize == 0


def test_against_the_package(tmp_path):
    package = pytest.importorskip("safetensors.numpy")
    plain = {name: tensor for name, tensor in sample().items() if name not in ("bfloat16", "complex64")}
    st.write(tmp_path / "ours", plain)
    theirs = package.load_file(tmp_path / "ours")
    assert theirs.keys() == plain.keys()
    for name, array in theirs.items():
        np.testing.assert_array_equal(array, plain[name].array, strict=True)
    package.save_file({name: tensor.array for name, tensor in plain.items()}, tmp_path / "theirs", {"k": "v"})
    back, metadata = st.read(tmp_path / "theirs")
    assert metadata == {"k": "v"} and back.keys() == plain.keys()
    for name, tensor in back.items():
        np.testing.assert_array_equal(tensor.array, plain[name].array, strict=True)


EIGHT = b"\0" * 8


@pytest.mark.parametrize("data, words", [
    (b"", "length of the header"),
    ((1 << 40).to_bytes(8, "little") + b"{}", "not possible .limit"),
    ((50).to_bytes(8, "little") + b"{}", "header: needs 50 bytes, 2 are left"),
    (packed(b"[]"), "not a JSON object"),
    (packed(b"{"), "not valid JSON"),
    (packed(b'{"a":' + b"[" * 100000), "not valid JSON"),
    (packed(b'{"a":1,"a":2}'), "occurs twice"),
    (packed({"__metadata__": {"a": 1}}), "dict of texts"),
    (packed({"a": [1]}, EIGHT), "expected dtype, shape"),
    (packed({"a": entry(dtype="F128")}, EIGHT), "'F128' is unknown"),
    (packed({"a": entry(dtype=[])}, EIGHT), "is unknown"),
    (packed({"a": entry(shape=(-2,))}, EIGHT), "impossible shape"),
    (packed({"a": entry(shape=(2.0,))}, EIGHT), "impossible shape"),
    (packed({"a": entry(shape=(3,))}, EIGHT), r"takes 12 bytes, its offsets \[0, 8\] leave 8"),
    (packed({"a": entry(), "b": entry(4, 12)}, EIGHT * 2), "'b' overlaps"),
    (packed({"a": entry(), "b": entry(12, 20)}, EIGHT * 3), "'b' leaves a gap"),
    (packed({"a": entry()}, EIGHT * 2), "take 8 bytes, the file has 16"),
    (packed({"a": entry()}, EIGHT[:4]), "take 8 bytes, the file has 4"),
    (packed({"a": entry(0, 1 << 43, shape=(1 << 41,))}, EIGHT), "the file has 8"),
    (packed({"a": entry(0, 0, shape=(0, 1 << 62, 1 << 62))}), "impossible shape"),
])
def test_damage_is_explained(data, words):
    with pytest.raises(FormatError, match=words):
        st.read(data)


def test_writer_refuses():
    with pytest.raises(TypeError, match="'c' is complex128"):
        st.write(io.BytesIO(), {"c": StoredTensor(np.zeros(1, "complex128"))})
    with pytest.raises(ValueError, match="cannot be a tensor's name"):
        st.write(io.BytesIO(), {"__metadata__": StoredTensor(np.zeros(1))})
    with pytest.raises(TypeError, match="dict of texts"):
        st.write(io.BytesIO(), {}, {"a": 1})
