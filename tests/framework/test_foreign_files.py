"""paddle.load says what a file of another program is."""

import gzip
import io
import pickle

import numpy as np
import pytest

import paddle


def npy():
    file = io.BytesIO()
    np.save(file, np.ones(3))
    return file.getvalue()


LEGACY_TORCH = pickle.dumps(0x1950a86a20f9469cfc6c, 2) + pickle.dumps(1001, 2)  # its magic number and its version
FILES = {
    "empty": (b"", "it is empty"), "web page": (b"\n<!DOCTYPE html><html>404</html>", "it is a web page"),
    "pointer": (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "git lfs pull"),
    "NumPy": (npy(), "numpy.load reads"), "gzip": (gzip.compress(b"x"), "gzip; unpack it first"),
    "torch": (LEGACY_TORCH, "PyTorch 1.6"),
    "HDF5": (b"\x89HDF\r\n\x1a\n" + bytes(20), "HDF5"), "text": ("hello, wörld\nthis is text\n".encode(), "looks like a text file"),
    "ONNX": (b"\x08\x08\x12\x07dygraph\x3a\x00", "an ONNX model"), "noise": (b"\xff\xfe\x00\x01", "unknown opcode"),
}


@pytest.mark.parametrize("name", FILES)
def test_what_was_found_is_said(name, tmp_path):
    data, message = FILES[name]
    path = tmp_path / "weights.pdparams"
    path.write_bytes(data)
    with pytest.raises(pickle.UnpicklingError, match=f"weights.pdparams.*{message}"):
        paddle.load(str(path))
    with pytest.raises(ValueError, match=f"the file object.*{message}"):
        paddle.load(io.BytesIO(data))


@pytest.mark.parametrize("protocol", range(5))
def test_every_pickle_of_plain_data_is_still_read(protocol):
    assert paddle.load(io.BytesIO(pickle.dumps({"a": 1, "b": [2.5, "text"]}, protocol))) == {"a": 1, "b": [2.5, "text"]}
