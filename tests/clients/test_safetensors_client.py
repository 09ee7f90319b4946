"""The package safetensors and paddle.load read each other's files."""

import numpy as np
import pytest

import paddle

pytest.importorskip("safetensors")
pytest.importorskip("ml_dtypes")  # of bfloat16 and, in later releases of safetensors, of 8-bit floats
client = pytest.importorskip("safetensors.paddle")

VALUES = {"float32": [[1.5, -2.0]], "int64": [3, 4], "float16": [0.5], "bool": [True, False], "uint8": [255], "float64": [1e-300]}


@pytest.mark.parametrize("dtype", [*VALUES, "bfloat16"])
def test_types(dtype, tmp_path):
    value = paddle.to_tensor(VALUES.get(dtype, [1.5, 2.0]), dtype=dtype)
    again = paddle.load(_file(tmp_path, client.save({"x": value})))["x"]
    assert again.dtype == value.dtype or (dtype == "bfloat16" and again.numpy().dtype == np.uint16)
    assert again.numpy().tobytes() == value.numpy().tobytes()
    if dtype != "bfloat16":  # which releases from 0.7 on read with Paddle 3.2 only
        loaded = client.load(client.save({"x": value}))["x"]
        assert loaded.dtype == value.dtype and loaded.numpy().tolist() == value.numpy().tolist()
        paddle.save({"x": value}, str(tmp_path / "ours.safetensors"))
        assert client.load_file(str(tmp_path / "ours.safetensors"))["x"].numpy().tolist() == value.numpy().tolist()


def _file(folder, data):
    (folder / "x.safetensors").write_bytes(data)
    return str(folder / "x.safetensors")


def test_numbers_of_a_buffer():
    data = np.arange(4, dtype="int16").tobytes()
    assert paddle.base.core.frombuffer(data, paddle.int16).tolist() == [0, 1, 2, 3]
    assert paddle.base.core.frombuffer(data, "int16", 2, 2).tolist() == [1, 2]
    assert paddle.to_tensor([1.5, 300.0]).astype(paddle.float8_e5m2).astype("float32").tolist() == [1.5, 320.0]
