"""Pickles as Paddle writes them: compared with its files byte by byte, and read by the standard library."""

import collections
import io
import pickle
import pickletools
import struct

import numpy as np
import pytest

from paddle.serialization import params_info, pickle_safe, pickle_write, state_dict
from paddle.serialization.errors import FormatError
from paddle.serialization.pickle_write import NamedArray

from .paths import FIXTURES, PICKLES, label
from .test_pickle_safe import rich_object, same

PLAIN = [path for path in PICKLES if not path.name.startswith("nested_")]


def dumped(obj, protocol=4, **options):
    file = io.BytesIO()
    pickle_write.dump(obj, file, protocol, **options)
    return file.getvalue()


@pytest.mark.parametrize("path", PLAIN, ids=label)
def test_same_bytes_as_real_paddle(path):
    data = path.read_bytes()
    assert dumped(pickle_safe.load(path), data[1]) == data


@pytest.mark.parametrize("protocol", [2, 4])
def test_nested_tensors_have_the_same_bytes(protocol):
    weight = NamedArray("first", np.arange(6, dtype="float32").reshape(2, 3))
    count = NamedArray("second", np.array(7, "int64"))
    obj = collections.OrderedDict(
        [("epoch", 3), ("weights", [weight, (count, weight)]), ("note", "text"), ("scale", 0.5), ("none", None)])
    assert dumped(obj, protocol) == (FIXTURES / f"nested_{protocol}.pdparams").read_bytes()


def test_single_tensor_has_the_same_bytes():
    weight = NamedArray("first", np.arange(6, dtype="float32").reshape(2, 3))
    assert dumped(weight) == (FIXTURES / "nested_tensor.pdparams").read_bytes()


@pytest.mark.parametrize("protocol", [2, 3, 4])
def test_standard_library_reads_it(protocol):
    data = dumped(rich_object(), protocol)
    assert same(pickle.loads(data), rich_object())
    assert same(pickle_safe.load(data), rich_object())
    names = {argument for code, argument, _ in pickletools.genops(data) if isinstance(argument, str)}
    assert not any(name.startswith("numpy._core") for name in names), "NumPy 1 could not read this"


def test_views_and_orders():
    base = np.arange(24, dtype="float32").reshape(4, 6)
    for array in (base[:, ::2], base.T, base[1:3, 1:], np.broadcast_to(np.float32(1), (3, 2)), base[::-1]):
        for protocol in (2, 4):
            np.testing.assert_array_equal(pickle.loads(dumped(array, protocol)), array, strict=True)


def test_convert_is_asked_for_unknown_objects():
    class Tensor:
        array = np.ones(2, "float32")

    tensor = Tensor()

    def convert(obj):
        return NamedArray("t", obj.array) if isinstance(obj, Tensor) else None

    back = pickle.loads(dumped([tensor, tensor, {"k": np.float32(2)}], convert=convert))
    assert back[0] is back[1] and back[0][0] == "t" and back[2] == {"k": 2.0}


def test_refusals(tmp_path):
    for protocol in (1, 5, True, "4", None):
        with pytest.raises(ValueError, match="protocol must be 2, 3 or 4"):
            dumped({}, protocol)
    with pytest.raises(TypeError, match="dtype object"):
        dumped(np.array([1, None]))
    deep = []
    for _ in range(5000):
        deep = [deep]
    with pytest.raises(ValueError, match="nested too deeply"):
        dumped(deep)
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with pytest.raises((TypeError, AttributeError, pickle.PicklingError)):
        pickle_write.dump({"a": np.ones(10), "f": lambda: 0}, path)
    assert path.read_bytes() == b"old" and [item.name for item in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("protocol", [2, 3])
def test_large_arrays_are_divided(protocol):
    state = {"a": np.arange(10, dtype="float32").reshape(2, 5), "b": np.ones(2), state_dict.NAME_TABLE: {"a": "p"}}
    parts = state_dict.split_big_arrays(state, protocol, max_part=16)
    assert list(parts) == ["b", state_dict.NAME_TABLE, "a@@.0", "a@@.1", "a@@.2", "UnpackBigParamInfor@@"]
    assert parts["UnpackBigParamInfor@@"] == {"a": {"OriginShape": (2, 5), "slices": ["a@@.0", "a@@.1", "a@@.2"]}}
    assert parts["a@@.2"].tolist() == [8.0, 9.0]
    back = state_dict.join_big_arrays(pickle_safe.load(dumped(parts, protocol)))
    assert back.keys() == state.keys()
    np.testing.assert_array_equal(back["a"], state["a"], strict=True)
    assert state_dict.split_big_arrays(state, 4, max_part=16) is state
    assert state_dict.split_big_arrays(state, 2) is state


@pytest.mark.parametrize("table", [
    5, {"a": 5}, {"a": {"slices": ["x"]}}, {"a": {"slices": ["b", "b"], "OriginShape": (4,)}},
    {"a": {"slices": ["b"], "OriginShape": (99,)}}, {"a": {"slices": ["c"], "OriginShape": (1,)}},
    {"a": {"slices": [], "OriginShape": (0,)}},
])
def test_damaged_tables_of_divided_arrays(table):
    state = {"b": np.ones(2), "c": 5, "UnpackBigParamInfor@@": table}
    with pytest.raises(FormatError, match="UnpackBigParamInfor@@.* is damaged"):
        state_dict.join_big_arrays(state)


def test_params_info(tmp_path):
    for path in FIXTURES.glob("paddle26/*.info"):
        infos = params_info.read(path)
        params_info.write(tmp_path / "copy", infos)
        assert (tmp_path / "copy").read_bytes() == path.read_bytes()
    infos = params_info.read(FIXTURES / "paddle26/bn_dropout.pdiparams.info")
    structured = {info.structured_name: info for info in infos.values()}
    assert structured["bn._mean"] == params_info.ParamInfo("bn._mean", True, False)
    (table,) = params_info.read(FIXTURES / "paddle26/misc_ops.pdiparams.info").values()
    assert table == params_info.ParamInfo("table", True, None)
    assert structured["conv.weight"] == params_info.ParamInfo("conv.weight", False, True)
    for obj in ([], {"a": 5}, {5: {}}, {"a": {"structured_name": 5}}):
        with pytest.raises(FormatError, match=r"\.info file"):
            params_info.read(pickle.dumps(obj))


class Sink:
    """A file that keeps the beginnings of what is written."""

    def __init__(self):
        self.parts, self.size = [], 0

    def write(self, data):
        self.parts.append(bytes(data[:16]))
        self.size += len(data)


def test_arrays_beyond_four_gigabytes():
    array = np.zeros(2 ** 32 + 7, np.uint8)  # pages that nobody writes to take no memory
    sink = Sink()
    pickle_write.dump(array, sink)
    assert any(part.endswith(pickle.BINBYTES8 + struct.pack("<Q", array.size)) for part in sink.parts) and sink.size > array.size
    with pytest.raises(ValueError, match="needs protocol 4"):
        pickle_write.dump(array, Sink(), 3)


@pytest.mark.parametrize("size, code", [(254, pickle.SHORT_BINBYTES), (255, pickle.SHORT_BINBYTES), (256, pickle.BINBYTES)])
def test_short_arrays_have_short_lengths(size, code):
    length = struct.pack("<B" if code == pickle.SHORT_BINBYTES else "<I", size)
    assert code + length + b"\x07" * size in dumped(np.full(size, 7, np.uint8))
