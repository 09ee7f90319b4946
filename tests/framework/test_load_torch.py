"""paddle.load of files that PyTorch 2 wrote; the fixture comes from torch.save."""

import io
import zipfile
from pathlib import Path

import numpy as np
import pytest

import paddle
from paddle.serialization.errors import FormatError, UnpicklingError

FIXTURE = Path(__file__).parent.parent / "fixtures" / "torch_checkpoint.pth"


def test_tensors_of_every_layout():
    pytest.importorskip("ml_dtypes")
    loaded = paddle.load(str(FIXTURE))
    assert loaded["epoch"] == 3 and loaded["weight"].numpy().tolist() == [[0, 3], [1, 4], [2, 5]]
    assert loaded["slice"].numpy().tolist() == [3, 4] and loaded["slice"].dtype == paddle.int64
    assert loaded["bf"].dtype == paddle.bfloat16 and loaded["bf"].numpy("float32").tolist() == [1.5, 2.0]
    assert loaded["parameter"].dtype == paddle.float16 and loaded["flags"][0].item() is True and loaded["flags"][1].shape == [0, 3]
    assert list(loaded["state"]) == ["weight", "bias", "running_mean", "running_var", "num_batches_tracked"]


def test_arrays_if_asked_for():
    loaded = paddle.load(str(FIXTURE), return_numpy=True)
    assert isinstance(loaded["weight"], np.ndarray) and loaded["weight"].flags.c_contiguous and loaded["bf"].dtype == np.uint16


def changed(**members):
    """The fixture's archive with other members; None leaves one out."""
    made = io.BytesIO()
    with zipfile.ZipFile(FIXTURE) as old, zipfile.ZipFile(made, "w") as new:
        folder = old.namelist()[0].split("/")[0]
        for name in old.namelist():
            data = members.get(name.split("/", 1)[1].replace("/", "_").replace(".", "_"), old.read(name))
            if data is not None:
                new.writestr(f"{folder}/{name.split('/', 1)[1]}", data)
    return io.BytesIO(made.getvalue())


STORAGE = b"(X\x07\x00\x00\x00storagectorch\nFloatStorage\nX\x01\x00\x00\x000X\x03\x00\x00\x00cpuK\x06tQ"


@pytest.mark.parametrize("members, message", [
    ({"data_0": None}, "lacks .*data/0"),
    ({"data_0": b"short"}, "has 5 bytes"),
    ({"data_pkl": b"\x80\x02cos\nsystem\nX\x02\x00\x00\x00ls\x85R."}, "os.system"),
    ({"data_pkl": b"\x80\x02ctorch\nLoader\n."}, "torch.Loader"),
    ({"data_pkl": b"\x80\x02X\x01\x00\x00\x00aQ."}, "does not name a storage"),
    ({"data_pkl": b"\x80\x02ctorch._utils\n_rebuild_tensor_v2\n(" + STORAGE + b"K\x00K\x07\x85K\x01\x85\x89NtR."},
     "goes to element 6"),
    ({"data_pkl": b"\x80\x02ctorch._utils\n_rebuild_tensor_v2\n(" + STORAGE + b"K\x00J\x00\x00\x00\x40\x85K\x00\x85\x89NtR."},
     "repeats its elements"),
    ({"data_pkl": None}, "without data.pkl"),
])
def test_damaged_and_hostile_files_are_refused(members, message):
    with pytest.raises((FormatError, UnpicklingError), match=message):
        paddle.load(changed(**members))


def test_persistent_ids_of_other_pickles_are_refused():
    with pytest.raises(UnpicklingError, match="persistent id"):
        paddle.load(io.BytesIO(b"\x80\x02X\x01\x00\x00\x00aQ."))
