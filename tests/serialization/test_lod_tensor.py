"""The binary tensor stream against files written by real Paddle."""

import io
import struct

import numpy as np
import pytest

from paddle.serialization import lod_tensor, pickle_safe
from paddle.serialization import program_desc as pd
from paddle.serialization.errors import FormatError
from paddle.serialization.stored import DTYPES, StoredTensor

from .paths import FIXTURES, label

COMBINED = sorted(FIXTURES.glob("paddle26/*.pdiparams"))
SINGLE = sorted([*FIXTURES.glob("paddle18/saved_infer_model/*_0"), *FIXTURES.glob("paddle18/persistables/**/*.?_0"),
                 *FIXTURES.glob("*.pdtensor")])


@pytest.mark.parametrize("path", COMBINED, ids=label)
def test_combined_files(path):
    names = pd.read(path.with_suffix(".pdmodel").read_bytes()).persistable_names()
    tensors = lod_tensor.read_combined(path, reversed(names))
    state = pickle_safe.load(path.with_suffix(".pdparams"))
    by_variable = {name: state[key] for key, name in state["StructuredToParameterName@@"].items()}
    assert list(tensors) == names
    for name, tensor in tensors.items():
        np.testing.assert_array_equal(tensor.array, by_variable[name])
    again = io.BytesIO()
    lod_tensor.write_combined(again, dict(reversed(tensors.items())))
    assert again.getvalue() == path.read_bytes()


@pytest.mark.parametrize("path", SINGLE, ids=label)
def test_single_files(path, tmp_path):
    tensor = lod_tensor.read_tensor(path)
    lod_tensor.write_tensor(tmp_path / "copy", tensor)
    assert (tmp_path / "copy").read_bytes() == path.read_bytes()


def test_values_of_1_5_names():
    with np.load(FIXTURES / "paddle18/io.npz") as recorded:
        for number, name in enumerate(recorded["names"]):
            tensor = lod_tensor.read_tensor(FIXTURES / "paddle18/persistables" / str(name))
            np.testing.assert_array_equal(tensor.array, recorded[f"w_{number}"])


def test_bfloat16_is_told_apart():
    tensor = lod_tensor.read_tensor(FIXTURES / "nested_bfloat16.pdtensor")
    assert tensor.dtype == "bfloat16" and tensor.array.tolist() == [0x3F80, 0xC020, 0x7F61]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(), (0, 3), (2, 3)])
def test_every_dtype_and_odd_shapes(dtype, shape):
    array = (np.arange(np.prod(shape, dtype=int)) % 2).astype(DTYPES[dtype][1]).reshape(shape)
    for layout in (array, array.copy(order="F")):
        file = io.BytesIO()
        lod_tensor.write_tensor(file, StoredTensor(layout, dtype, [[0, 1, 2]]))
        back = lod_tensor.read_tensor(file.getvalue())
        assert back.dtype == dtype and back.lod == [[0, 1, 2]] and back.array.flags.writeable
        np.testing.assert_array_equal(back.array, array, strict=True)


def test_foreign_dtypes_are_refused():
    with pytest.raises(TypeError, match="uint64 cannot be stored"):
        StoredTensor(np.zeros(2, np.uint64))
    with pytest.raises(TypeError, match="must be held in uint16"):
        StoredTensor(np.zeros(2, np.float32), "bfloat16")
    assert StoredTensor(np.zeros(2, ">f4")).array.dtype == np.dtype("<f4")


def test_bool_bytes_become_zero_or_one():
    file = io.BytesIO()
    lod_tensor.write_tensor(file, StoredTensor(np.array([True, False])))
    back = lod_tensor.read_tensor(file.getvalue()[:-2] + b"\x02\x00")
    assert back.array.view(np.uint8).tolist() == [1, 0]


def record(levels=0, desc=b"\x08\x05\x10\x03", data=b"\0" * 12, version=0, inner=0, size=None):
    return struct.pack("<IQIi", version, levels, inner, len(desc) if size is None else size) + desc + data


@pytest.mark.parametrize("data, words", [
    (b"", "the file ends after 0 of 12 bytes"),
    (record()[:-1], r"data of float32 \[3\]: needs 12 bytes, 11 are left; the file ends after 35 of 36"),
    (record() + b"x", "1 bytes follow the tensor"),
    (record(version=3), "LoD version 3"),
    (record(inner=2), "tensor version 2"),
    (record(levels=1 << 60), "LoD levels"),
    (struct.pack("<IQQ", 0, 1, 1 << 61) + b"\0" * 40, "LoD level 0: needs"),
    (struct.pack("<IQQ", 0, 1, 7) + b"\0" * 40, "not a whole number"),
    (record(size=-1), "a description of -1 bytes"),
    (record(size=1 << 30), "a description of 1073741824 bytes"),
    (record(desc=b"\x08\x63\x10\x03"), "element type 99"),
    (record(desc=b"\x10\x03"), "damaged description.*data_type"),
    (record(desc=b"\x08\x05\x10" + b"\xff" * 9 + b"\x01"), r"impossible shape \[-1\]"),
    (record(desc=b"\x08\x05" + b"\x10\xff\xff\xff\xff\x0f" * 6), "needs .* bytes, 12 are left"),
    (record(desc=b"\x08\x05\x10\x00" + b"\x10\xff\xff\xff\xff\x0f" * 6, data=b""), "impossible shape"),
    (record(desc=b"\x08\x05" + b"\x10\x01" * 65), "impossible shape"),
    (b"\x80\x04\x95" + b"\0" * 30, "pickled object .*paddle.load"),
    (struct.pack("<IQ3qqIi", 0, 3, 1, 4, 6, 10, 0, 6) + b"\x08\x05\x10\x03\x10\x02" + b"\0" * 24, "SelectedRows"),
])
def test_damage_is_explained(data, words):
    with pytest.raises(FormatError, match=words):
        lod_tensor.read_tensor(data)


def test_packed_dims_are_accepted():
    assert lod_tensor.read_tensor(record(desc=b"\x08\x05\x12\x01\x03")).array.shape == (3,)


def test_wrong_number_of_names():
    path = FIXTURES / "paddle26/mlp.pdiparams"
    with pytest.raises(FormatError, match="holds 4 tensors, 5 are asked for; 'e' is the first"):
        lod_tensor.read_combined(path, list("abcde"))
    with pytest.raises(FormatError, match="follow the last of 3 tensors"):
        lod_tensor.read_combined(path, list("abc"))
