"""Models of real Paddle 2.6.2, 1.8.5 and 3.3.1 in the C library give the outputs that Paddle recorded; so do our own exports."""

import importlib.util
import json
import pathlib
import threading

import numpy as np
import pytest
from capi.library import Failed, Model

import paddle
from paddle.static import InputSpec

FIXTURES = pathlib.Path(__file__).parents[1] / "fixtures"
SAVED = sorted(path.stem for path in (FIXTURES / "paddle26").glob("*.pdmodel"))
SAVED_3 = sorted(path.stem for path in (FIXTURES / "paddle33").glob("*.json") if path.with_suffix(".npz").exists())


def cases(record):
    """(inputs, outputs) of every recorded call."""
    for prefix in sorted({name.split("in_")[0] for name in record.files if "in_" in name}):
        names = sorted(record.files, key=lambda name: (len(name), name))  # number 10 comes behind number 9
        yield [[record[name] for name in names if name.startswith(prefix + kind)] for kind in ("in_", "out_")]


def close(got, expected):
    assert len(got) == len(expected)
    for one, other in zip(got, expected):
        assert one.shape == other.shape
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-5 * max(1e-30, np.abs(other).max(initial=0)))


@pytest.mark.parametrize("optimize", [True, False])
@pytest.mark.parametrize("name", SAVED)
def test_models_of_2_6(name, optimize):
    folder = FIXTURES / "paddle26"
    model = Model(folder / f"{name}.pdmodel", folder / f"{name}.pdiparams", optimize=optimize)
    for inputs, outputs in cases(np.load(folder / f"{name}.npz")):
        for _ in range(2):
            close(model(*inputs), outputs)


@pytest.mark.parametrize("name", ["saved_infer_model", "combined"])
def test_folders_of_1_8(name):
    record = np.load(FIXTURES / "paddle18" / "io.npz")
    close(Model(folder=FIXTURES / "paddle18" / name)(record["in_0"]), [record["out_0"]])


@pytest.mark.parametrize("name", SAVED_3)
def test_models_of_3_3(name):
    folder = FIXTURES / "paddle33"
    load = lambda optimize: Model(folder / f"{name}.json", folder / f"{name}.pdiparams", optimize=optimize)
    for optimize in (True, False):
        model = load(optimize)
        for inputs, outputs in cases(np.load(folder / f"{name}.npz")):
            close(model(*inputs), outputs)


@pytest.mark.parametrize("name", ["capi_operators", "capi_sizes"])
def test_what_is_written_down_for_c_is_current(name):
    """What the scripts write is what lies in src/capi."""
    root = pathlib.Path(__file__).parents[2]
    found = importlib.util.spec_from_file_location(name, root / "scripts" / f"{name}.py")
    script = importlib.util.module_from_spec(found)
    found.loader.exec_module(script)
    for path in script.FILES:
        assert path.read_text(encoding="utf-8") == script.content(path), f"run scripts/{name}.py"


def export(net, folder, *specs):
    net.eval()
    paddle.jit.save(net, str(folder / "m"), input_spec=list(specs))
    parameters = folder / "m.pdiparams"
    return (folder / "m.pdmodel").read_bytes(), parameters.read_bytes() if parameters.exists() else b""


class Blocks(paddle.nn.Layer):
    """Convolution, statistics and activation in the ways that are put together; two shapes of one tensor are joined."""

    def __init__(self):
        super().__init__()
        nn = paddle.nn
        self.first = nn.Sequential(nn.Conv2D(3, 8, 3, padding=1, bias_attr=False), nn.BatchNorm2D(8), nn.Hardswish())
        self.depth = nn.Sequential(nn.Conv2D(8, 8, 3, groups=8, padding=1), nn.BatchNorm2D(8), nn.ReLU6())
        self.pooled = nn.Sequential(nn.Conv2D(8, 6, 3), nn.ReLU(), nn.MaxPool2D(2, 2))
        self.tail = nn.Sequential(nn.Flatten(), nn.Linear(6 * 7 * 7, 16), nn.ReLU(), nn.Linear(16, 5), nn.Softmax())

    def forward(self, x):
        y = self.first(x)
        return self.tail(self.pooled(y + self.depth(y)))


def test_what_is_put_together_computes_the_same(tmp_path):
    paddle.seed(3)
    net = Blocks()
    draw = np.random.RandomState(0)
    for layer in net.sublayers():
        if isinstance(layer, paddle.nn.BatchNorm2D):
            layer._mean.set_value(draw.normal(0, 0.3, 8).astype("float32"))
            layer._variance.set_value(draw.uniform(0.3, 2, 8).astype("float32"))
            layer.weight.set_value(draw.uniform(0.5, 2, 8).astype("float32"))
    files = export(net, tmp_path, InputSpec([None, 3, 16, 16], "float32", "x"))
    for batch in (1, 3):
        x = draw.normal(size=(batch, 3, 16, 16)).astype("float32")
        expected = [net(paddle.to_tensor(x)).numpy()]
        close(Model(*files)(x), expected)
        close(Model(*files, optimize=False)(x), expected)


class Residuals(paddle.nn.Layer):
    """Convolutions with something added: what came in, a convolution that runs later, what others read, a broadcast."""

    def __init__(self):
        super().__init__()
        conv = paddle.nn.Conv2D
        self.stem, self.body, self.side = conv(3, 30, 3, padding=1), conv(30, 30, 3, padding=1), conv(30, 30, 1)
        self.norm, self.last, self.line = paddle.nn.BatchNorm2D(30), conv(30, 30, 1), paddle.nn.Linear(30, 7)

    def forward(self, x):
        x = paddle.nn.functional.relu6(self.stem(x))
        x = paddle.nn.functional.relu(self.body(x) + self.side(x))
        y = self.body(x)
        x = self.norm(x + y) + y
        x = paddle.nn.functional.max_pool2d(paddle.nn.functional.relu(x + self.last(x)), 2, 2)
        x = paddle.nn.functional.relu6(self.last(x) + x.mean([2, 3], keepdim=True))
        return self.line(paddle.transpose(x, [0, 2, 3, 1]))


@pytest.mark.parametrize("sizes", [[2, 3, 16, 18], [None, 3, None, None]])
def test_residuals_and_packed_weights(tmp_path, sizes):
    paddle.seed(3)
    net = Residuals()
    net.eval()
    files = export(net, tmp_path, InputSpec(sizes, "float32"))
    for optimize in (True, False):
        model = Model(*files, optimize=optimize)
        for shape in [(2, 3, 16, 18)] if sizes[0] else [(1, 3, 6, 6), (3, 3, 20, 9)]:
            x = np.random.default_rng(0).standard_normal(shape).astype("float32")
            close(model(x), [net(paddle.to_tensor(x)).numpy()])


def test_clones_run_in_threads(tmp_path):
    paddle.seed(4)
    net = paddle.nn.Sequential(paddle.nn.Linear(20, 50), paddle.nn.Tanh(), paddle.nn.Linear(50, 3))
    first = Model(*export(net, tmp_path, InputSpec([None, 20], "float32", "x")), threads=1)
    inputs = [np.random.RandomState(i).normal(size=(i + 1, 20)).astype("float32") for i in range(4)]
    expected = [first(x)[0] for x in inputs]
    wrong = []

    def work(clone, x, want):
        for _ in range(200):
            if not np.array_equal(clone(x)[0], want):
                wrong.append(x.shape)

    threads = [threading.Thread(target=work, args=(Model(clone_of=first), x, want)) for x, want in zip(inputs, expected)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.parametrize("program, parameters, message", [
    (b"", b"", "no blocks"),
    (b"\x0a\x05abc", b"", "ends within a field"),
    (b"{\"base_code\": {}}", b"", "not a program of Paddle 3"),
    (b"{\"program\": [1, 2", b"", "has no end"),
])
def test_what_is_no_program_is_refused(program, parameters, message):
    with pytest.raises(Failed, match=message):
        Model(program, parameters)


def test_missing_files_and_wrong_inputs_are_told(tmp_path):
    with pytest.raises(Failed, match="No such file"):
        Model(tmp_path / "none.pdmodel", tmp_path / "none.pdiparams")
    files = export(paddle.nn.Linear(4, 2), tmp_path, InputSpec([None, 4], "float32", "x"))
    with pytest.raises(Failed, match="cut off"):
        Model(files[0], files[1][:-1])
    with pytest.raises(Failed, match="bytes follow"):
        Model(files[0], files[1] + b"x")
    with pytest.raises(Failed, match=r"matmul_v2.*inner sizes differ.*5 vs 4"):
        Model(*files)(np.zeros((1, 5), "float32"))
    with pytest.raises(Failed, match="has no value"):
        model = Model(*files)
        model.inputs = []
        model()


def carried(other=False):
    """A model of 3.3.1 whose loop carries the array that it writes into; ``other``: and gives another one back."""
    model = json.loads((FIXTURES / "paddle33" / "control_list.json").read_text())
    ops = model["program"]["regions"][0]["blocks"][0]["ops"]
    named = {op["#"]: op for op in ops}
    made, loop = named["1.create_array"], named["1.while"]
    kind, block = made["O"][0]["TT"], loop["regions"][0]["blocks"][0]
    loop["I"].append({"%": 4})
    loop["O"].append({"%": 60, "TT": kind})
    block["args"].append({"#": -2, "TT": kind})
    for op in block["ops"]:
        op["I"] = [{"%": -2} if item == {"%": 4} else item for item in op["I"]]
    block["ops"][-1]["I"].append({"%": 61 if other else 12})
    named["1.array_to_tensor"]["I"] = [{"%": 60}]
    if other:
        ops.insert(0, {**made, "O": [{"%": 61, "TT": kind}]})
    return json.dumps(model).encode()


def test_arrays_that_loops_of_3_3_carry():
    for inputs, outputs in cases(np.load(FIXTURES / "paddle33" / "control_list.npz")):
        model = Model(carried())
        for _ in range(2):
            close(model(*inputs), outputs)
    with pytest.raises(Failed, match="replaces an array"):
        Model(carried(other=True))
