"""The inputs of Paddle's 25 security advisories (PDSA) and the trials on its released wheels, given to ours.

Each must give a correct value or an exception that names the function; nothing may crash, hang, read another element,
or run a given string.
"""

import os
import pickle
import subprocess
import sys

import numpy as np
import pytest

import paddle
import paddle.nn.functional as F
from paddle.core.errors import AxisError, OutOfRangeError

REFUSALS = (ValueError, TypeError, IndexError, AxisError, NotImplementedError)


def zeros(*shape, dtype="float32"):
    return paddle.to_tensor(np.zeros(shape, dtype))


def refused(call, name, kinds=REFUSALS):
    """`call` raises one of `kinds`, with the function's name in the text. Gives the text."""
    with pytest.raises(kinds) as caught:
        call()
    assert type(caught.value) in kinds, f"a {type(caught.value).__name__} is too special to be meant for users"
    assert name in str(caught.value)
    return str(caught.value)


def refused_or(call, name, shape):
    """`call` gives an array of `shape` (a correct answer for a 0-size input) or is refused."""
    try:
        result = call()
    except REFUSALS as error:
        assert name in str(error)
    else:
        results = result if isinstance(result, (tuple, list)) else [result]
        assert [list(r.shape) for r in results] == (shape if isinstance(result, (tuple, list)) else [shape])


# ---- a dimension of size 0 ------------------------------------------------------------------------------------------

def test_pdsa_2023_004_matrix_power():
    refused_or(lambda: paddle.linalg.matrix_power(zeros(0, 0), 2), "matrix_power", [0, 0])
    refused_or(lambda: paddle.linalg.matrix_power(zeros(3, 0, 0), -1), "matrix_power", [3, 0, 0])


def test_pdsa_2023_006_nanmedian():
    with np.errstate(all="ignore"):
        refused_or(lambda: paddle.nanmedian(zeros(0, 3)), "nanmedian", [])
        refused_or(lambda: paddle.nanmedian(zeros(0, 3), axis=1), "nanmedian", [0])
    refused(lambda: paddle.nanmedian(zeros(2, 3), axis=-(10 ** 6)), "nanmedian")


def test_pdsa_2023_007_matrix_rank():
    refused_or(lambda: paddle.linalg.matrix_rank(zeros(0, 0)), "matrix_rank", [])
    refused_or(lambda: paddle.linalg.matrix_rank(zeros(2, 0, 3)), "matrix_rank", [2])


def test_pdsa_2023_008_dot():
    result = paddle.dot(zeros(0, 0), zeros(0, 0))
    assert result.shape == [0]
    refused_or(lambda: paddle.dot(zeros(0), zeros(0)), "dot", [])


def test_pdsa_2023_009_eig():
    refused_or(lambda: paddle.linalg.eig(zeros(0, 0)), "eig", [[0], [0, 0]])
    refused(lambda: paddle.linalg.eig(zeros(2, 0)), "eig")


def test_pdsa_2023_014_topk():
    refused(lambda: paddle.topk(zeros(2, 0), 1), "topk", (ValueError,))
    refused(lambda: paddle.topk(zeros(2, 3), 4), "topk")
    refused(lambda: paddle.topk(zeros(2, 3), -1), "topk")


def test_pdsa_2023_015_lerp():
    refused_or(lambda: paddle.lerp(zeros(0, 3), zeros(0, 3), 0.5), "lerp", [0, 3])
    refused_or(lambda: paddle.lerp(zeros(0, 3), zeros(1, 3), zeros(0, 3)), "lerp", [0, 3])


def test_pdsa_2023_017_amin():
    refused(lambda: paddle.amin(zeros(0, 3)), "amin")
    refused(lambda: paddle.amin(zeros(0, 3), axis=0), "amin")
    refused_or(lambda: paddle.amin(zeros(0, 3), axis=1), "amin", [0])
    refused(lambda: paddle.amax(zeros(3, 0), axis=1), "amax")


@pytest.mark.parametrize("name", ["argmin", "argmax"])
def test_pdsa_2023_022_argmin_argmax(name):
    function = getattr(paddle, name)
    refused(lambda: function(zeros(0)), name, (ValueError,))
    refused(lambda: function(zeros(0, 3), axis=0), name, (ValueError,))
    refused(lambda: function(zeros(2, 3), axis=10 ** 6), name)


# ---- axes, ranks and shapes that don't fit --------------------------------------------------------------------------

def test_pdsa_2023_002_flip():
    refused(lambda: paddle.flip(zeros(2, 3), [10 ** 6]), "flip")
    refused(lambda: paddle.flip(zeros(2, 3), [-3]), "flip")
    refused(lambda: paddle.flip(zeros(2, 3), [0, 0]), "flip")


def test_pdsa_2023_011_nextafter():
    refused(lambda: paddle.nextafter(zeros(2, 3), zeros(4)), "nextafter")


def test_pdsa_2023_021_crop():
    refused(lambda: paddle.crop(zeros(2, 3), [1, 1], []), "crop")
    refused(lambda: paddle.crop(zeros(2, 3), [1, 1], [2, 3]), "crop")
    refused(lambda: paddle.crop(zeros(2, 3), [1, 1], paddle.to_tensor(np.zeros(0, "int64"))), "crop")


def test_pdsa_2023_010_mode():
    refused(lambda: paddle.mode(zeros(2, 3), axis=10 ** 6), "mode")
    refused(lambda: paddle.mode(zeros(2, 0)), "mode")


def test_pdsa_2023_003_trace():
    refused(lambda: paddle.trace(zeros(2, 3), axis1=-(2 ** 40)), "trace")
    refused(lambda: paddle.trace(zeros(2, 3), axis1=0, axis2=0), "trace")
    refused(lambda: paddle.trace(zeros(3)), "trace")


def test_pdsa_2023_001_diagonal():
    refused(lambda: paddle.diagonal(zeros(2, 3), axis1=10 ** 6), "diagonal")
    refused(lambda: paddle.diagonal(zeros(2, 3), axis2=-(10 ** 6)), "diagonal")


def test_pdsa_2023_013_searchsorted():
    refused_or(lambda: paddle.searchsorted(paddle.to_tensor(1.0), zeros(2)), "searchsorted", [2])
    refused_or(lambda: paddle.searchsorted(zeros(2), paddle.to_tensor(1.0)), "searchsorted", [])
    refused(lambda: paddle.searchsorted(zeros(2, 3), zeros(3, 3)), "searchsorted")


def test_pdsa_2023_016_lu_unpack():
    refused(lambda: paddle.linalg.lu_unpack(paddle.to_tensor(1.0), paddle.to_tensor(1, dtype="int32")), "lu_unpack")
    refused(lambda: paddle.linalg.lu_unpack(zeros(3, 3), paddle.to_tensor(1, dtype="int32")), "lu_unpack")


def test_pdsa_2022_001_gather_tree():
    ids = paddle.to_tensor(np.zeros((2, 3), "int64"))
    refused(lambda: F.gather_tree(ids, ids), "gather_tree")
    three = paddle.to_tensor(np.full((2, 1, 3), 9, "int64"))
    refused(lambda: F.gather_tree(three, three), "gather_tree")


# ---- indices and counts ---------------------------------------------------------------------------------------------

def test_pdsa_2023_012_put_along_axis():
    x = zeros(2, 3)
    for index in (9, -9, 2 ** 62, -(2 ** 62)):
        refused(lambda index=index: paddle.put_along_axis(x, paddle.to_tensor([[index]]), 1.0, 1), "put_along_axis",
                (OutOfRangeError,))
    refused(lambda: paddle.put_along_axis(x, paddle.to_tensor([[0]]), 1.0, 7), "put_along_axis")


def test_pdsa_2023_018_repeat_interleave():
    refused(lambda: paddle.repeat_interleave(zeros(2, 3), -1, 0), "repeat_interleave", (ValueError,))
    refused(lambda: paddle.repeat_interleave(zeros(2, 3), paddle.to_tensor([1, -1]), 0), "repeat_interleave",
            (ValueError,))
    refused(lambda: paddle.repeat_interleave(zeros(2, 3), paddle.to_tensor([1, 1, 1]), 0), "repeat_interleave")


# ---- strings that reach a shell or eval -----------------------------------------------------------------------------

def attribute(path):
    """The object at a dotted path below paddle, or None when ours has no such thing at all."""
    value = paddle
    for part in path.split("."):
        try:
            value = getattr(value, part)
        except (AttributeError, ImportError):
            return None
    return value


def test_pdsa_2023_005_localfs_mkdirs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    filesystem = attribute("distributed.fleet.utils.LocalFS")
    if filesystem is not None:
        filesystem().mkdirs("some; touch injected")
        assert os.path.isdir("some; touch injected")
    assert not (tmp_path / "injected").exists()


def test_pdsa_2023_019_get_online_pass_interval(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    util = attribute("incubate.distributed.fleet.fleet_util.FleetUtil")
    if util is not None:
        with pytest.raises(REFUSALS):
            util().get_online_pass_interval("{20240101..20240102}", "$(touch injected)", 5, 1, False)
    assert not (tmp_path / "injected").exists()


def test_pdsa_2023_020_wget_download(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    from paddle.utils import download
    assert not hasattr(download, "_wget_download") or not hasattr(download, "os")
    with pytest.raises((RuntimeError, OSError, *REFUSALS)):
        download.get_weights_path_from_url("http://127.0.0.1:9/x; touch injected; y.pdparams")
    assert not (tmp_path / "injected").exists()


def test_pdsa_2023_023_convert_shape_compare(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    compare = attribute("jit.dy2static.convert_shape_compare")
    if compare is not None:
        with pytest.raises(REFUSALS):
            compare(1, "open('injected', 'w').close() or", 2)
    assert not (tmp_path / "injected").exists()


def test_pdsa_2022_002_get_window(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    refused(lambda: paddle.audio.functional.get_window("hann or open('injected', 'w')", 4), "get_window", (ValueError,))
    refused(lambda: paddle.audio.functional.get_window(("__class__", 1.0), 4), "get_window", (ValueError,))
    assert not (tmp_path / "injected").exists()


# ---- the trials on the released wheels ------------------------------------------------------------------------------

class Attack:
    """Pickles as a call of os.system."""

    def __reduce__(self):
        return os.system, ("touch injected",)


def test_load_refuses_to_call_what_a_file_names(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.pdparams").write_bytes(pickle.dumps({"weight": Attack()}))
    with pytest.raises(pickle.UnpicklingError, match="system"):
        paddle.load("bad.pdparams")
    assert not (tmp_path / "injected").exists()


@pytest.mark.parametrize("index", [-1, 3, 2 ** 40, -(2 ** 40)])
def test_embedding_index_outside_the_table(index):
    text = refused(lambda: F.embedding(paddle.to_tensor([0, index]), zeros(3, 2)), "embedding", (OutOfRangeError,))
    assert str(index) in text and "3" in text


@pytest.mark.parametrize("name, call", [
    ("gather", lambda i: paddle.gather(zeros(3, 2), i)),
    ("index_select", lambda i: paddle.index_select(zeros(3, 2), i)),
    ("one_hot", lambda i: F.one_hot(i, 3)),
    ("take_along_axis", lambda i: paddle.take_along_axis(zeros(3, 2), i.reshape([1, 1]), 0)),
    ("put_along_axis", lambda i: paddle.put_along_axis(zeros(3, 2), i.reshape([1, 1]), 1.0, 0)),
    ("gather_nd", lambda i: paddle.gather_nd(zeros(3, 2), i.reshape([1, 1]))),
    ("scatter", lambda i: paddle.scatter(zeros(3, 2), i, zeros(1, 2))),
    ("scatter_nd_add", lambda i: paddle.scatter_nd_add(zeros(3, 2), i.reshape([1, 1]), zeros(1, 2))),
    ("index_sample", lambda i: paddle.index_sample(zeros(1, 3), i.reshape([1, 1]))),
    ("index_add", lambda i: paddle.index_add(zeros(3, 2), i, 0, zeros(1, 2))),
    ("index_put", lambda i: paddle.index_put(zeros(3, 2), (i,), zeros(1, 2))),
    ("index_fill", lambda i: paddle.index_fill(zeros(3, 2), i, 0, 1.0)),
    ("cross_entropy", lambda i: F.cross_entropy(zeros(1, 3), i)),
    ("nll_loss", lambda i: F.nll_loss(zeros(1, 3), i)),
    ("take", lambda i: paddle.take(zeros(3), i)),
    ("multiplex", lambda i: paddle.multiplex([zeros(1, 2)] * 3, i.reshape([1, 1]))),
])
def test_index_outside_the_axis(name, call):
    text = refused(lambda: call(paddle.to_tensor([9])), name, (OutOfRangeError,))
    assert "9" in text and "3" in text
    refused(lambda: call(paddle.to_tensor([-9])), name, (OutOfRangeError,))


def test_getitem_index_outside_the_axis():
    for index in (5, -4, [0, 5], paddle.to_tensor([0, 5]), (0, 9)):
        with pytest.raises(IndexError):
            zeros(3, 2)[index]


def test_argmax_of_nothing():
    refused(lambda: paddle.argmax(paddle.to_tensor([])), "argmax", (ValueError,))


def test_second_derivative_of_reciprocal():
    x = paddle.to_tensor([0.5, -2.0], stop_gradient=False)
    (first,) = paddle.grad([1 / x], [x], create_graph=True)
    (second,) = paddle.grad([first], [x])
    np.testing.assert_allclose(second.numpy(), 2 / x.numpy() ** 3, rtol=1e-6)


def test_ctc_loss_with_empty_labels():
    lengths = paddle.to_tensor([4, 4])
    refused(lambda: F.ctc_loss(zeros(4, 2, 3), paddle.to_tensor(np.zeros((2, 0), "int32")), lengths, lengths * 0),
            "ctc_loss", (ValueError,))


def test_backward_with_nothing_to_differentiate():
    (zeros(2) * 2).sum().backward()  # as in Paddle: nothing happens, unless told to be strict
    paddle.set_flags({"FLAGS_strict_backward": True})
    try:
        with pytest.raises(RuntimeError):
            (zeros(2) * 2).sum().backward()
    finally:
        paddle.set_flags({"FLAGS_strict_backward": False})


def test_integer_plus_float_is_float():
    integers, floats = paddle.to_tensor([1, 2]), paddle.to_tensor([0.5, 0.5])
    for result in (integers + floats, floats + integers):
        assert result.dtype == paddle.float32
        np.testing.assert_array_equal(result.numpy(), [1.5, 2.5])


def test_state_dict_of_another_shape_is_reported():
    model = paddle.nn.Linear(2, 3)
    before = model.weight.numpy().copy()
    with pytest.warns(UserWarning, match=r"weight.*\[2, 3\].*\[3, 3\]"):
        missing, unexpected = model.set_state_dict({"weight": zeros(3, 3), "bias": zeros(3)})
    assert missing == ["weight"] and unexpected == []
    np.testing.assert_array_equal(model.weight.numpy(), before)


def test_state_dict_of_another_shape_raises_in_strict_mode():
    with pytest.raises((ValueError, RuntimeError), match=r"weight.*\[2, 3\].*\[3, 3\]"):
        paddle.nn.Linear(2, 3).set_state_dict({"weight": zeros(3, 3), "bias": zeros(3)}, strict=True)


def test_a_crash_would_be_seen():
    """Arrays without elements in a process of its own: dying by a signal is no exception, only an exit status shows it."""
    command = [sys.executable, "-c", "import paddle, numpy as np; x = paddle.to_tensor(np.zeros((0, 3), 'float32'));"
               "[paddle.sort(x), paddle.concat([x, x]), paddle.cumsum(x, 0), paddle.flip(x, [0])]"]
    assert subprocess.run(command, timeout=120).returncode == 0
