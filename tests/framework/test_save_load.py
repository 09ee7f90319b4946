"""paddle.save and paddle.load, against files of real Paddle and by round trips."""

import collections
import io
import os
import pickle
import pickletools
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import paddle
from paddle.core.tensor import Tensor, wrap
from paddle.framework import io as framework_io
from paddle.framework import random as framework_random
from paddle.framework.async_io import async_save, clear_async_save_task_queue
from paddle.framework.io import load, save
from paddle.serialization.errors import FormatError, UnpicklingError
from paddle.serialization.state_dict import NAME_TABLE

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures"


def tensor(values, name=None, dtype="float32"):
    result = wrap(np.array(values, dtype))
    if name:
        result.name = name
    return result


def reload(obj, load_options=None, **options):
    file = io.BytesIO()
    save(obj, file, **options)
    file.seek(0)
    return load(file, **(load_options or {}))


def plain(obj):
    """The object with Tensors as (name, values) for comparison."""
    if isinstance(obj, Tensor):
        return ("Tensor", obj.name, obj.dtype.name, obj.numpy().tolist(), obj.stop_gradient)
    if isinstance(obj, dict):
        return {key: plain(value) for key, value in obj.items()}
    if isinstance(obj, (list, tuple)):
        return type(obj)(map(plain, obj))
    return obj


STATES = sorted([*FIXTURES.glob("paddle26/*.pdparams"), *FIXTURES.glob("paddle26/*.pdopt"),
                 *FIXTURES.glob("paddle18/*.pd*")])


@pytest.mark.parametrize("path", STATES, ids=lambda path: "/".join(path.parts[-2:]))
def test_state_dicts_of_real_paddle(path):
    expected = pickle.loads(path.read_bytes(), encoding="latin1")
    table = expected.pop(NAME_TABLE)
    state = load(str(path))
    assert list(state) == list(expected)
    for key, value in state.items():
        if isinstance(value, Tensor):
            assert value.name == table[key] and value.stop_gradient
            np.testing.assert_array_equal(value.numpy(), expected[key], strict=True)
        else:
            assert key not in table and value == expected[key]
    assert {key for key, value in state.items() if isinstance(value, Tensor)} == set(table)
    kept = load(path, keep_name_table=True, return_numpy=True)
    assert kept[NAME_TABLE] == table and not any(isinstance(value, Tensor) for value in kept.values())


@pytest.mark.filterwarnings("ignore:save.*the state dict is empty")
@pytest.mark.parametrize("path", STATES, ids=lambda path: "/".join(path.parts[-2:]))
def test_state_dicts_are_written_with_the_same_bytes(path, tmp_path):
    data = path.read_bytes()
    save(load(path), str(tmp_path / "again"), protocol=data[1])
    assert (tmp_path / "again").read_bytes() == data


@pytest.mark.parametrize("protocol", [2, 3, 4])
def test_nested_objects(protocol):
    weight = tensor([[1, 2]], "w")
    obj = {"epoch": 3, "list": [weight, (tensor(5, "n", "int64"), "text")], "weight": weight,
           "inner": collections.OrderedDict(z=tensor([], "e"), a=None), "numbers": (1, 2.5, True), "set": {1}}
    result = reload(obj, protocol=protocol)
    assert plain(result) == plain(obj)
    assert type(result["inner"]) is collections.OrderedDict
    assert result["weight"] is result["list"][0]
    arrays = reload(obj, {"return_numpy": True})
    assert isinstance(arrays["list"][0], np.ndarray) and arrays["list"][1][0] == 5


@pytest.mark.parametrize("name", ["nested_2", "nested_4"])
def test_nested_objects_of_real_paddle(name):
    result = load(FIXTURES / f"{name}.pdparams")
    first, second = ("Tensor", "first", "float32", [[0, 1, 2], [3, 4, 5]], True), ("Tensor", "second", "int64", 7, True)
    assert plain(result) == {"epoch": 3, "note": "text", "scale": 0.5, "none": None,
                             "weights": [first, (second, first)]}
    again = io.BytesIO()
    save(result, again, protocol=int(name[-1]))
    assert again.getvalue() == (FIXTURES / f"{name}.pdparams").read_bytes()


def test_single_tensors():
    result = load(FIXTURES / "nested_tensor.pdparams")
    assert plain(result) == ("Tensor", "first", "float32", [[0, 1, 2], [3, 4, 5]], True)
    binary = load(FIXTURES / "nested_binary.pdtensor")
    np.testing.assert_array_equal(binary.numpy(), result.numpy())
    file = io.BytesIO()
    save(result, file, use_binary_format=True)
    assert file.getvalue() == (FIXTURES / "nested_binary.pdtensor").read_bytes()
    file.seek(0)
    assert isinstance(load(file, return_numpy=True), np.ndarray)


def test_tensors_of_static_mode():
    result = load(FIXTURES / "nested_lod.pdparams")
    assert isinstance(result[0], Tensor) and result[0].numpy().tolist() == [1, 2] and result[1] == "x"
    paddle.enable_static()
    try:
        result = load(FIXTURES / "nested_lod.pdparams")
        assert type(result[0]) is paddle.base.core.LoDTensor and np.array(result[0]).tolist() == [1, 2]
        again = io.BytesIO()
        save(result, again)  # without names, as real Paddle wrote it
        again.seek(0)
        assert type(load(again)[0]) is paddle.base.core.LoDTensor
        state = load(FIXTURES / "nested_bfloat16.pdparams", return_numpy=True)
        assert isinstance(state["half"], np.ndarray)
    finally:
        paddle.disable_static()


def test_bfloat16():
    bits = [0x3F80, 0xC020, 0x7F61]
    assert load(FIXTURES / "nested_bfloat16.pdparams", return_numpy=True)["half"].tolist() == bits
    try:
        import ml_dtypes  # noqa: F401
    except ImportError:
        with pytest.raises(TypeError, match="ml-dtypes"):
            load(FIXTURES / "nested_bfloat16.pdparams")
        return
    for name in ("nested_bfloat16.pdparams", "nested_bfloat16.pdtensor"):
        result = load(FIXTURES / name)
        half = result["half"] if isinstance(result, dict) else result
        assert half.dtype.name == "bfloat16" and half.numpy("float32").tolist()[:2] == [1.0, -2.5]
        again = io.BytesIO()
        save(result, again, use_binary_format=name.endswith("pdtensor"))
        assert again.getvalue() == (FIXTURES / name).read_bytes()


def test_arrays_and_plain_values():
    assert isinstance(reload(np.ones(2, "float32")), Tensor)
    assert isinstance(reload({"a": np.ones(2)}, {"return_numpy": True})["a"], np.ndarray)
    assert reload(np.arange(3, dtype="uint64")).dtype == np.uint64  # no Tensor has this type
    assert reload(np.arange(3, dtype=">f4")).numpy().dtype == np.float32
    assert reload(np.asfortranarray(np.arange(6.0).reshape(2, 3))).numpy().flags.c_contiguous
    assert reload("text") == "text" and reload(None) is None and reload([1, (2,)]) == [1, (2,)]
    assert reload(paddle.float32) is paddle.float32


def test_cycles_and_shared_parts():
    cycle = [tensor([1], "t")]
    cycle.append((cycle, cycle[0]))
    result = reload(cycle)
    assert result[1][1] is result[0] and isinstance(result[0], Tensor)


def test_state_dict_or_not():
    weight = tensor([1.0], "p")
    file = io.BytesIO()
    save({"w": weight, "LR_Scheduler": {"last_epoch": 1, "last_lr": 0.5}}, file)
    raw = pickle.loads(file.getvalue())
    assert type(raw) is dict and raw[NAME_TABLE] == {"w": "p"} and isinstance(raw["w"], np.ndarray)
    file = io.BytesIO()
    save({"w": weight, "epoch": 1}, file)
    raw = pickle.loads(file.getvalue())
    assert raw["w"][0] == "p" and NAME_TABLE not in raw
    file = io.BytesIO()
    save({"group": {"w": weight}}, file)
    assert NAME_TABLE not in pickle.loads(file.getvalue())
    with pytest.warns(UserWarning, match="state dict is empty"):
        assert reload({}) == {}


def test_big_arrays_are_divided_with_old_protocols(monkeypatch):
    split = framework_io.split_big_arrays
    monkeypatch.setattr(framework_io, "split_big_arrays", lambda state, protocol: split(state, protocol, max_part=16))
    state = {"w": tensor(np.arange(10).reshape(2, 5), "p"), "b": tensor([1], "q")}
    file = io.BytesIO()
    save(state, file, protocol=2)
    assert "w@@.2" in [argument for _, argument, _ in pickletools.genops(file.getvalue())]
    file.seek(0)
    assert plain(load(file)) == plain(state)


def test_safetensors(tmp_path):
    state = {"w": tensor([[1, 2]], "w"), "n": tensor(3, "n", "int64")}
    path = str(tmp_path / "m.safetensors")
    save(state, path)
    assert plain(load(path)) == plain(state)
    assert isinstance(load(path, return_numpy=True)["w"], np.ndarray)
    with pytest.raises(TypeError, match="flat dict of Tensors"):
        save({"a": 1}, path)


def test_exported_models():
    for name in ("mlp", "bn_dropout", "lenet"):
        expected = load(FIXTURES / f"paddle26/{name}.pdparams", return_numpy=True)
        for path in (f"paddle26/{name}", f"paddle26/{name}.pdiparams"):
            state = load(str(FIXTURES / path))
            assert state.keys() == expected.keys()
            for key, value in state.items():
                np.testing.assert_array_equal(value, expected[key], strict=True)


def test_exported_model_without_info(tmp_path):
    for ending in (".pdmodel", ".pdiparams"):
        (tmp_path / f"m{ending}").write_bytes((FIXTURES / f"paddle26/mlp{ending}").read_bytes())
    assert list(load(str(tmp_path / "m"))) == ["linear_0.b_0", "linear_0.w_0", "linear_1.b_0", "linear_1.w_0"]
    with pytest.warns(UserWarning, match="belong to 1.x folders"):
        load(str(tmp_path / "m"), model_filename="x")
    (tmp_path / "m.pdiparams").unlink()
    with pytest.raises(FileNotFoundError, match="4 parameters, but there is no"):
        load(str(tmp_path / "m"))
    (tmp_path / "m").mkdir()
    with pytest.raises(ValueError, match="which of them is meant"):
        load(str(tmp_path / "m"))


def test_folders_of_fluid():
    separate = load(str(FIXTURES / "paddle18/saved_infer_model"))
    combined = load(str(FIXTURES / "paddle18/combined"), params_filename="__params__")
    assert list(separate) == ["conv2d_0.b_0", "conv2d_0.w_0", "conv2d_1.b_0", "conv2d_1.w_0", "net_0.w_0"]
    for key, value in separate.items():
        np.testing.assert_array_equal(value, combined[key], strict=True)
    with np.load(FIXTURES / "paddle18/io.npz") as recorded:
        names = [str(name) for name in recorded["names"]]
        loose = load(str(FIXTURES / "paddle18/persistables"))
        assert sorted(loose) == sorted(names)
        for number, name in enumerate(names):
            np.testing.assert_array_equal(loose[name], recorded[f"w_{number}"])
    with pytest.raises(FileNotFoundError, match="give its name as params_filename"):
        load(str(FIXTURES / "paddle18/combined"))
    with pytest.raises(FileNotFoundError, match="there is no .*nothing"):
        load(str(FIXTURES / "paddle18/combined"), model_filename="nothing")


def test_program_names_cannot_leave_the_folder(tmp_path):
    data = (FIXTURES / "paddle18/saved_infer_model/__model__").read_bytes()
    (tmp_path / "secret").write_bytes((FIXTURES / "paddle18/saved_infer_model/net_0.w_0").read_bytes())
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "__model__").write_bytes(data.replace(b"net_0.w_0", b"../secret"))
    for name in ("conv2d_0.b_0", "conv2d_0.w_0", "conv2d_1.b_0", "conv2d_1.w_0"):
        (tmp_path / "m" / name).write_bytes((FIXTURES / "paddle18/saved_infer_model" / name).read_bytes())
    with pytest.raises(FormatError, match=r"'\.\./secret', which is not a file below"):
        load(str(tmp_path / "m"))


def test_programs_are_files_of_their_own():
    data = (FIXTURES / "paddle26/mlp.pdmodel").read_bytes()
    program = load(FIXTURES / "paddle26/mlp.pdmodel")
    assert isinstance(program, paddle.static.Program)
    file = io.BytesIO()
    save(program, file)
    parse = paddle.static.Program.parse_from_string
    types = [[op.type for op in parse(text).global_block().ops] for text in (data, file.getvalue())]
    assert types[0] == types[1]
    with pytest.raises(ValueError, match="a Program cannot be saved inside another object"):
        save([program], io.BytesIO())


def test_wrong_arguments(tmp_path):
    with pytest.raises(ValueError, match=r"save\(\): there is no option 'protocl'"):
        save({}, io.BytesIO(), protocl=2)
    with pytest.raises(ValueError, match=r"load\(\): there is no option 'return_nump'; did you mean return_numpy"):
        load("x", return_nump=True)
    with pytest.raises(ValueError, match="protocol must be 2, 3 or 4, got 5"):
        save([1], io.BytesIO(), protocol=5)
    with pytest.warns(UserWarning, match="old name of protocol"):
        save([1], io.BytesIO(), pickle_protocol=2)
    with pytest.raises(TypeError, match="use_binary_format must be a bool"):
        save([1], io.BytesIO(), use_binary_format=1)
    with pytest.raises(NotImplementedError, match="writes a single Tensor"):
        save([1], io.BytesIO(), use_binary_format=True)
    for function in (lambda path: save([1], path), load):
        with pytest.raises(ValueError, match="path must be a file name or a binary file object, got 5"):
            function(5)
    with pytest.raises(ValueError, match="must end with a file name"):
        save([1], str(tmp_path) + os.sep)
    with pytest.raises(ValueError, match="there is no file, exported model or folder"):
        load(str(tmp_path / "nothing"))
    save({"a": tensor([1])}, str(tmp_path / "deep" / "er" / "m.pdparams"))
    with pytest.raises(ValueError, match="give the full name: .*m.pdparams"):
        load(str(tmp_path / "deep" / "er" / "m"))


class Custom:
    """A class of the user's."""

    def __eq__(self, other):
        return isinstance(other, Custom)


def test_unsafe_files_are_refused_by_name(tmp_path):
    path = str(tmp_path / "c.pdparams")
    save([Custom(), tensor([1])], path)
    with pytest.raises(UnpicklingError, match=rf"load\(\): {path}: the file names \S*Custom.*safe_globals") as info:
        load(path)
    assert info.value.position
    assert load(path, safe_globals=[Custom])[0] == Custom()


def test_damaged_files_are_named(tmp_path):
    path = tmp_path / "m.pdparams"
    path.write_bytes((FIXTURES / "paddle26/mlp.pdparams").read_bytes()[:700])
    with pytest.raises(UnpicklingError, match=r"m\.pdparams: .*the file ends after 700 of 1249 bytes"):
        load(path)
    path.write_bytes((FIXTURES / "paddle26/mlp.pdiparams").read_bytes())
    with pytest.raises(FormatError, match="combined files are read with the names"):
        load(path)
    path.write_bytes(b"")
    with pytest.raises(UnpicklingError, match="it is empty"):
        load(path)
    path.write_bytes(pickle.dumps({NAME_TABLE: 5}))
    with pytest.raises(FormatError, match="must map keys to names"):
        load(path)
    path.write_bytes(b"]" * 5000 + b"a" * 4999 + b".")
    with pytest.raises(FormatError, match="nested too deeply"):
        load(path)


def test_failing_file_object_is_passed_on(tmp_path):
    class Full(io.BytesIO):
        def write(self, data):
            raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space left"):
        save({"a": tensor([1])}, Full())


def test_unwritable_object_keeps_the_old_file(tmp_path):
    path = tmp_path / "m.pdparams"
    save({"a": tensor([1], "p")}, str(path))
    before = path.read_bytes()
    with pytest.raises((AttributeError, TypeError, pickle.PicklingError)):
        save([tensor(np.zeros(100000)), lambda: 0], str(path))
    assert path.read_bytes() == before and os.listdir(tmp_path) == ["m.pdparams"]


KILLED = """
import sys
import numpy as np
from paddle.core.tensor import wrap
from paddle.framework.io import save
state = {"w": wrap(np.zeros(200000, "float32"))}
print("ready", flush=True)
while True:
    state["w"]._data += 1
    save(state, sys.argv[1])
"""


def test_killed_save_leaves_a_loadable_file(tmp_path):
    path = str(tmp_path / "m.pdparams")
    save({"w": tensor(np.zeros(200000))}, path)
    for pause in (0.0, 0.004, 0.011, 0.023):
        child = subprocess.Popen([sys.executable, "-c", KILLED, path], stdout=subprocess.PIPE)
        child.stdout.readline()
        time.sleep(pause)
        child.kill()
        child.wait()
        child.stdout.close()
        values = load(path)["w"].numpy()
        assert values.shape == (200000,) and (values == values[0]).all()


def test_async_save(tmp_path):
    weight = tensor([1, 2], "w")
    for number in range(3):
        async_save({"w": weight}, str(tmp_path / f"{number}.pdparams"))
        weight._data += 1
    async_save(weight, str(tmp_path / "last"), sync_other_task=True)
    assert load(str(tmp_path / "1.pdparams"))["w"].numpy().tolist() == [2, 3]
    clear_async_save_task_queue()
    assert load(str(tmp_path / "last")).numpy().tolist() == [4, 5]
    with pytest.raises(TypeError, match="obj must be a state dict or a Tensor"):
        async_save((1, 2), str(tmp_path / "tuple"))
    with pytest.raises(ValueError, match="path must be the name"):
        async_save(weight, io.BytesIO())
    (tmp_path / "folder").mkdir()
    async_save(weight, str(tmp_path / "folder"))
    with pytest.raises(IsADirectoryError):
        clear_async_save_task_queue()


def test_random_state_survives_a_file(tmp_path):
    paddle.seed(11)
    generator = framework_random.default_generator()
    paddle.rand([3])
    path = str(tmp_path / "rng")
    save({"step": 4, "rng": framework_random.get_rng_state()}, path)
    expected = paddle.rand([1000]).numpy()
    paddle.seed(99)
    framework_random.set_rng_state(load(path)["rng"])
    np.testing.assert_array_equal(paddle.rand([1000]).numpy(), expected)
    assert generator.initial_seed() == 11


def test_random_state_errors():
    state = framework_random.get_rng_state("cpu")
    for wrong in ([], [{}], [{"seed": 1, "state": {}}], [{"seed": 1, "state": [0] * 312}], [5], 5):
        with pytest.raises(ValueError, match=r"set_rng_state\(\)"):
            framework_random.set_rng_state(wrong)
    assert str(framework_random.get_rng_state()) == str(state)
    with pytest.raises(ValueError, match="device must be None or 'cpu'"):
        framework_random.get_rng_state("gpu")
    assert framework_random.get_cuda_rng_state() == []
    framework_random.set_cuda_rng_state([])
    with pytest.raises(ValueError, match="no CUDA"):
        framework_random.set_cuda_rng_state([1])
