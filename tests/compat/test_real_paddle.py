"""Files that we write, opened by real paddlepaddle 2.6.

PADDLE_ORACLE_PYTHON names the interpreter of a virtual environment that has it; `make test-all` prepares one.
"""

import collections
import io
import json
import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from paddle.core.tensor import wrap
from paddle.framework.io import load, save
from paddle.serialization import lod_tensor, params_info, pickle_write
from paddle.serialization import program_desc as pd
from paddle.serialization.pickle_write import NamedArray
from paddle.serialization.state_dict import split_big_arrays
from paddle.serialization.stored import StoredTensor

ORACLE = os.environ.get("PADDLE_ORACLE_PYTHON", "")
HERE = Path(__file__).resolve().parent
FIXTURES = HERE.parent / "fixtures"
DTYPES = ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64", "complex64",
          "complex128"]

pytestmark = [
    pytest.mark.oracle,
    pytest.mark.skipif(not ORACLE, reason="PADDLE_ORACLE_PYTHON does not name a Python with paddlepaddle 2.6"),
]


def tensor(values, name, dtype="float32"):
    result = wrap(np.array(values, dtype))
    result.name = name
    return result


def every_dtype():
    return {dtype: tensor(np.arange(6).reshape(2, 3) % 5, f"t_{dtype}", dtype) for dtype in DTYPES}


def write_pickles(folder):
    for protocol in (2, 3, 4):
        save(every_dtype(), str(folder / f"load_state_{protocol}.pdparams"), protocol=protocol)
    weight, scalar = tensor([[1, 2]], "w"), tensor(5, "n", "int64")
    nested = {"epoch": 3, "list": [weight, (scalar, "text")], "inner": collections.OrderedDict(z=weight, a=None)}
    for protocol in (2, 4):
        save(nested, str(folder / f"load_nested_{protocol}.pdparams"), protocol=protocol)
    save(weight, str(folder / "load_tensor.pdparams"))
    save(weight, str(folder / "load_binary.pdtensor"), use_binary_format=True)
    optimizer = {"w_moment1_0": weight, "w_beta1_pow_acc_0": tensor([0.9], "w_beta1_pow_acc_0"),
                 "LR_Scheduler": {"last_epoch": 4, "last_lr": 0.5}}
    save(optimizer, str(folder / "load_optimizer.pdopt"))
    file = io.BytesIO()
    save(optimizer, file)
    (folder / "buffer_optimizer").write_bytes(file.getvalue())
    big = {"w": np.arange(40000, dtype="float32").reshape(200, 200)}
    pickle_write.dump(split_big_arrays(big, 2, max_part=50000), folder / "load_divided.pdparams", protocol=2)
    pickle_write.dump({"w": NamedArray("large", big["w"])}, folder / "load_large.pdparams")  # beyond one pickle frame
    bits = np.array([0x3F80, 0xC020], "uint16")
    lod_tensor.write_tensor(folder / "load_half.pdtensor", StoredTensor(bits, "bfloat16"))


def write_models(folder):
    # Everything is taken apart into our own objects and written anew under our own names.
    program = pd.read((FIXTURES / "paddle26/lenet.pdmodel").read_bytes())
    names = program.persistable_names()
    tensors = lod_tensor.read_combined(FIXTURES / "paddle26/lenet.pdiparams", names)
    infos = params_info.read(FIXTURES / "paddle26/lenet.pdiparams.info")
    renamed = {name: name.replace("linear", "zlinear") for name in names}
    for block in program.blocks:
        for var in block.vars:
            var.name = renamed.get(var.name, var.name)
        for op in block.ops:
            op.attrs = [pd.Attr.of(attr.name, pd.AttrType(attr.type), attr.value) for attr in op.attrs]
            for slot in op.inputs:
                slot.arguments = [renamed.get(name, name) for name in slot.arguments]
    program.version = program.op_version_map = None
    (folder / "jit_lenet.pdmodel").write_bytes(pd.write(program))
    lod_tensor.write_combined(folder / "jit_lenet.pdiparams", {renamed[name]: tensors[name] for name in names})
    params_info.write(folder / "jit_lenet.pdiparams.info", {renamed[name]: infos[name] for name in names})
    shutil.copy(FIXTURES / "paddle26/lenet.npz", folder / "jit_lenet.npz")
    fluid = folder / "infer_fluid"
    fluid.mkdir()
    old = pd.read((FIXTURES / "paddle18/saved_infer_model/__model__").read_bytes())
    (fluid / "__model__").write_bytes(pd.write(old))
    source = FIXTURES / "paddle18/saved_infer_model"
    single = {name: lod_tensor.read_tensor(source / name) for name in old.persistable_names()}
    lod_tensor.write_combined(fluid / "__params__", single)
    shutil.copy(FIXTURES / "paddle18/io.npz", fluid / "io.npz")


@pytest.fixture(scope="module")
def seen(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ours")
    write_pickles(folder)
    write_models(folder)
    clean = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    run = subprocess.run([ORACLE, str(HERE / "read_with_paddle.py"), str(folder)], cwd=folder, env=clean,
                         capture_output=True, text=True)
    assert run.returncode == 0, run.stderr[-3000:]
    with np.load(folder / "seen.npz") as arrays:
        return dict(arrays), json.loads((folder / "seen.json").read_text())


@pytest.mark.parametrize("protocol", [2, 3, 4])
def test_state_dict(seen, protocol):
    arrays, values = seen
    file = f"load_state_{protocol}.pdparams"
    assert values[file]["keys"] == DTYPES
    for dtype, expected in every_dtype().items():
        assert values[f"{file}/{dtype}"] == {"tensor": f"t_{dtype}", "dtype": f"paddle.{dtype}", "stop_gradient": True}
        np.testing.assert_array_equal(arrays[f"{file}/{dtype}"], expected.numpy(), strict=True)


@pytest.mark.parametrize("protocol", [2, 4])
def test_nested(seen, protocol):
    arrays, values = seen
    file = f"load_nested_{protocol}.pdparams"
    assert values[f"{file}/epoch"] == 3 and values[f"{file}/list/1/1"] == "text" and values[f"{file}/inner/a"] is None
    assert values[f"{file}/list/0"]["tensor"] == "w" and values[f"{file}/list/1/0"]["tensor"] == "n"
    assert values[f"{file}/inner"] == {"type": "OrderedDict", "keys": ["z", "a"]}
    np.testing.assert_array_equal(arrays[f"{file}/list/0"], [[1, 2]])
    assert arrays[f"{file}/list/1/0"].shape == () and arrays[f"{file}/list/1/0"] == 5


def test_single_tensors(seen):
    arrays, values = seen
    assert values["load_tensor.pdparams"]["tensor"] == "w"
    for file in ("load_tensor.pdparams", "load_binary.pdtensor"):
        np.testing.assert_array_equal(arrays[file], np.array([[1, 2]], "float32"), strict=True)
    assert values["load_half.pdtensor"]["dtype"] == "paddle.bfloat16"
    assert arrays["load_half.pdtensor"].tolist() == [1.0, -2.5]


@pytest.mark.parametrize("file", ["load_optimizer.pdopt", "buffer_optimizer"])
def test_optimizer_state(seen, file):
    arrays, values = seen
    assert values[file]["keys"] == ["w_moment1_0", "w_beta1_pow_acc_0", "LR_Scheduler"]
    assert values[f"{file}/LR_Scheduler/last_epoch"] == 4 and values[f"{file}/LR_Scheduler/last_lr"] == 0.5
    assert arrays[f"{file}/w_beta1_pow_acc_0"].shape == (1,)


def test_large_arrays(seen):
    arrays, values = seen
    expected = np.arange(40000, dtype="float32").reshape(200, 200)
    np.testing.assert_array_equal(arrays["load_divided.pdparams/w"], expected, strict=True)
    np.testing.assert_array_equal(arrays["load_large.pdparams/w"], expected, strict=True)
    assert values["load_large.pdparams/w"]["tensor"] == "large"


def test_exported_model(seen):
    arrays, values = seen
    with np.load(FIXTURES / "paddle26/lenet.npz") as recorded:
        for way in ("out", "predicted"):
            np.testing.assert_allclose(arrays[f"jit_lenet.pdmodel|{way}"], recorded["out_0"], rtol=1e-5, atol=1e-6)
    state = load(FIXTURES / "paddle26/lenet.pdparams", return_numpy=True)
    assert sorted(values["jit_lenet.pdmodel|state"]["keys"]) == sorted(state)
    for key, array in state.items():
        np.testing.assert_array_equal(arrays[f"jit_lenet.pdmodel|state/{key}"], array, strict=True)


def test_fluid_folder(seen):
    with np.load(FIXTURES / "paddle18/io.npz") as recorded:
        np.testing.assert_allclose(seen[0]["infer_fluid"], recorded["out_0"], rtol=1e-5, atol=1e-6)
