"""Models of Paddle 3 (``.json`` + ``.pdiparams``): every fixture by every entry, then as any other program."""

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

import paddle
from paddle import inference, static
from paddle.command import main as command
from paddle.serialization.errors import FormatError, UnsupportedError
from paddle.static.ir import passes

FOLDER = Path(__file__).resolve().parent.parent / "fixtures" / "paddle33"
MANIFEST = json.loads((FOLDER / "manifest.json").read_text())
MODELS = sorted([*MANIFEST["models"], *MANIFEST["static"]])


def numbered(npz, start):
    return [npz[k] for k in sorted((k for k in npz.files if k.startswith(start)), key=lambda k: int(k.rsplit("_", 1)[1]))]


def cases(name):
    """(inputs, outputs) of every recorded case."""
    with np.load(FOLDER / f"{name}.npz") as npz:
        for start in sorted({k.split("_")[0] + "_" for k in npz.files if k[0] == "c"}) or [""]:
            yield numbered(npz, f"{start}in_"), numbered(npz, f"{start}out_")


def same(got, expected):
    assert len(got) == len(expected)
    for a, b in zip(got, expected):
        assert a.shape == b.shape and a.dtype == b.dtype
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", MODELS)
def test_load_inference_model(name):
    with static.scope_guard(static.Scope()):
        program, feeds, fetches = static.load_inference_model(str(FOLDER / name), static.Executor())
        assert [v.name for v in fetches] == [f"fetch_name_{k}" for k in range(len(fetches))]
        for inputs, outputs in cases(name):
            same(static.Executor().run(program, dict(zip(feeds, inputs)), fetches), outputs)


@pytest.mark.parametrize("name", sorted(MANIFEST["models"]))
def test_jit_load_and_predictor(name):
    layer = paddle.jit.load(str(FOLDER / name))
    predictor = inference.create_predictor(inference.Config(str(FOLDER), name))
    assert predictor.get_input_names() == [given[0] for given in MANIFEST["models"][name]["inputs"]]
    for inputs, outputs in cases(name):
        got = layer(*map(paddle.to_tensor, inputs))
        same([v.numpy() for v in (got if isinstance(got, list) else [got])], outputs)
        same([v.numpy() for v in predictor.run([paddle.to_tensor(v) for v in inputs])], outputs)


@pytest.mark.parametrize("arguments", [("{}/lenet.json",), ("{}/lenet",), ("{}/lenet.json", "{}/lenet.pdiparams"),
                                       ("{}", "lenet")])
def test_config(arguments):
    predictor = inference.create_predictor(inference.Config(*[a.format(FOLDER) for a in arguments]))
    (inputs, outputs), = cases("lenet")
    same([v.numpy() for v in predictor.run([paddle.to_tensor(v) for v in inputs])], outputs)


def test_config_of_a_pipeline():
    """What pipelines of Paddle 3 call for a CPU, and what each of it means here."""
    config = inference.Config(str(FOLDER), "lenet")
    config.enable_new_ir(True)
    config.enable_new_executor()
    config.set_optimization_level(3)
    config.enable_memory_optim()
    config.disable_glog_info()
    config.enable_onednn()
    config.set_onednn_cache_capacity(10)
    config.set_cpu_math_library_num_threads(2)
    assert config.new_ir_enabled() and config.ir_optim() and not config.onednn_enabled() and config.glog_info_disabled()
    (inputs, outputs), = cases("lenet")
    same([v.numpy() for v in inference.create_predictor(config).run([paddle.to_tensor(v) for v in inputs])], outputs)
    config.set_optimization_level(0)
    assert not config.ir_optim() and config.skipped_passes() == tuple(passes.names())
    chosen = passes.names()[0]
    config.enable_custom_passes([chosen], True)
    assert config.pass_builder().all_passes() == [chosen]
    same([v.numpy() for v in inference.create_predictor(config).run([paddle.to_tensor(v) for v in inputs])], outputs)
    for call in (lambda: config.set_optimization_level(9), lambda: config.enable_custom_passes(["no_such_pass"])):
        with pytest.raises(ValueError, match="set_optimization_level|no_such_pass"):
            call()
    with pytest.raises(NotImplementedError, match="CINN"):
        config.enable_cinn()


def copied(tmp_path, name, new):
    for ending in (".json", ".pdiparams"):
        (tmp_path / (new + ending)).write_bytes((FOLDER / (name + ending)).read_bytes())
    return tmp_path


@pytest.mark.parametrize("new", ["inference", "model", "anything"])
def test_folder(tmp_path, new):
    folder = copied(tmp_path, "mlp", new)
    (folder / "inference.yml").write_text("Global: {}\n")
    predictor = inference.create_predictor(inference.Config(str(folder)))
    inputs, outputs = next(cases("mlp"))
    same([v.numpy() for v in predictor.run([paddle.to_tensor(v) for v in inputs])], outputs)


def test_folder_with_several(tmp_path):
    copied(copied(tmp_path, "mlp", "a").parent / tmp_path.name, "mlp", "b")
    with pytest.raises(ValueError, match="several program files"):
        inference.create_predictor(inference.Config(str(tmp_path)))


def test_from_memory():
    program, arrays = [(FOLDER / f"mlp{ending}").read_bytes() for ending in (".json", ".pdiparams")]
    config = inference.Config()
    config.set_model_buffer(program, len(program), arrays, len(arrays))
    inputs, outputs = next(cases("mlp"))
    same([v.numpy() for v in inference.create_predictor(config).run([paddle.to_tensor(v) for v in inputs])], outputs)
    assert static.deserialize_program(program).num_blocks == 1
    assert static.Program.parse_from_string(program).num_blocks == 1


def test_paddle_load():
    assert paddle.load(str(FOLDER / "mlp.json")).num_blocks == 1
    arrays = paddle.load(str(FOLDER / "mlp"))
    assert sorted(arrays) == sorted(paddle.load(str(FOLDER / "mlp.pdiparams")))
    assert {n: v.shape for n, v in arrays.items()} == {"linear_0.b_0": (16,), "linear_0.w_0": (8, 16), "linear_1.b_0": (4,),
                                                       "linear_1.w_0": (16, 4)}


def test_fine_tuning():
    layer = paddle.jit.load(str(FOLDER / "mobile_block"))
    layer.train()
    assert len(layer.parameters()) > 4 and len(layer.buffers()) >= 2  # weights, and the running statistics of its norms
    optimizer = paddle.optimizer.Adam(0.01, parameters=layer.parameters())
    (inputs, _), *_ = cases("mobile_block")
    losses = []
    for _ in range(12):
        loss = (layer(paddle.to_tensor(inputs[0])) ** 2).mean()
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        losses.append(float(loss))
    assert losses[-1] < 0.7 * losses[0]


@pytest.mark.parametrize("name", ["control_while", "encoder"])
def test_gradients_equal_those_of_the_arithmetic(name):
    """Finite differences through a loaded program: its gradients are those of what it computes."""
    layer = paddle.jit.load(str(FOLDER / name))
    inputs = next(cases(name))[0]
    x = paddle.to_tensor(inputs[0], stop_gradient=False)
    rest = [paddle.to_tensor(v) for v in inputs[1:]]

    def total(value):
        got = layer(value, *rest)
        random = np.random.RandomState(1)
        return sum((v * paddle.to_tensor(random.randn(*v.shape).astype(v.numpy().dtype))).astype("float64").sum()
                   for v in (got if isinstance(got, list) else [got]))
    total(x).backward()
    direction = np.random.RandomState(0).randn(*x.shape).astype("float32")
    step = 1e-2
    plus, minus = (float(total(paddle.to_tensor(inputs[0] + s * step * direction))) for s in (1, -1))
    assert float((x.grad * paddle.to_tensor(direction)).sum()) == pytest.approx((plus - minus) / (2 * step), rel=2e-2)


def test_draw_and_onnx(tmp_path):
    from paddle.onnx.export import export_program
    from paddle.static import draw
    from paddle.static.inference_io import read_inference
    assert draw.main([str(FOLDER / "lenet.json"), "-o", str(tmp_path / "lenet.svg")]) == 0
    assert "conv2d" in (tmp_path / "lenet.svg").read_text()
    program, arrays = read_inference(str(FOLDER / "lenet"))
    assert Path(export_program(program, str(tmp_path / "lenet"), arrays)).stat().st_size > 10_000


# ---- written by us -------------------------------------------------------------------------------------------------------
def write(name, folder):
    """One of the fixtures, read and written again."""
    with static.scope_guard(static.Scope()):
        program, feeds, fetches = static.load_inference_model(str(FOLDER / name), static.Executor())
        block = program.global_block()
        static.save_inference_model(str(folder / name), [block.var(n) for n in feeds], fetches, static.Executor(), program=program,
                                    format="json")


@pytest.mark.parametrize("name", MODELS)
def test_written_again(name, tmp_path):
    write(name, tmp_path)
    assert not list(tmp_path.glob("*.pdmodel"))
    with static.scope_guard(static.Scope()):
        program, feeds, fetches = static.load_inference_model(str(tmp_path / name), static.Executor())
        for inputs, outputs in cases(name):
            same(static.Executor().run(program, dict(zip(feeds, inputs)), fetches), outputs)


@pytest.mark.parametrize("name", ["lenet", "control_break", "attention", "static_functions"])
def test_models_of_old_as_json_and_back(name, tmp_path):
    """``paddle convert``: a model of Paddle 2 becomes one of Paddle 3 and again one of Paddle 2."""
    folder = FOLDER.parent / ("ours" if name == "static_functions" else "paddle26")
    assert command(["convert", str(folder / name), str(tmp_path / "new.json")]) == 0
    assert command(["convert", str(tmp_path / "new.json"), str(tmp_path / "old.pdmodel")]) == 0
    assert (tmp_path / "new.pdiparams").read_bytes() == (tmp_path / "old.pdiparams").read_bytes()
    models = [paddle.jit.load(str(prefix)) for prefix in (folder / name, tmp_path / "new.json", tmp_path / "old")]
    with np.load(folder / f"{name}.npz") as npz:
        start = "c0_" if any(k.startswith("c0_") for k in npz.files) else ""
        inputs = numbered(npz, f"{start}in_")
    first, *others = ([v.numpy() for v in (got if isinstance(got, list) else [got])]
                      for got in (model(*map(paddle.to_tensor, inputs)) for model in models))
    for other in others:
        same(other, first)


def test_convert_says_what_is_wrong(tmp_path, capsys):
    assert command(["convert", str(tmp_path / "nothing"), str(tmp_path / "x.json")]) == 1
    assert command(["convert", str(FOLDER / "mlp"), str(tmp_path / "x.onnx")]) == 1
    (tmp_path / "bad.json").write_text("{}")
    assert command(["convert", str(tmp_path / "bad.json"), str(tmp_path / "x.pdmodel")]) == 1
    said = capsys.readouterr().err
    assert "nothing" in said and ".pdmodel or .json" in said and "bad.json" in said and not list(tmp_path.glob("x.*"))


def test_jit_save(tmp_path):
    net = paddle.nn.Sequential(paddle.nn.Conv2D(1, 2, 3), paddle.nn.BatchNorm2D(2), paddle.nn.ReLU())
    net.eval()
    x = paddle.to_tensor(np.random.RandomState(0).randn(2, 1, 5, 5).astype("float32"))
    paddle.jit.save(net, str(tmp_path / "net"), [static.InputSpec([None, 1, 5, 5])], format="json")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["net.json", "net.pdiparams"]
    again = paddle.jit.load(str(tmp_path / "net"))
    same([again(x).numpy()], [net(x).numpy()])
    assert len(again.parameters()) == 4 and len(again.buffers()) == 2
    with pytest.raises(ValueError, match="format must be 'pdmodel'"):
        paddle.jit.save(net, str(tmp_path / "net"), [static.InputSpec([None, 1, 5, 5])], format="onnx")


@pytest.mark.parametrize("kind", ["json", "pdmodel"])
def test_model_load(tmp_path, kind):
    """paddle.Model takes the weights of an exported model, layer by layer of each kind."""
    def made():
        return paddle.nn.Sequential(paddle.nn.Conv2D(1, 2, 3), paddle.nn.BatchNorm2D(2), paddle.nn.Flatten(),
                                    paddle.nn.Linear(18, 4), paddle.nn.Linear(4, 4), paddle.nn.Linear(4, 4))
    net, other = made(), made()
    x = paddle.to_tensor(np.random.RandomState(0).randn(2, 1, 5, 5).astype("float32"))
    net(x)  # moves the running statistics
    net.eval()
    paddle.jit.save(net, str(tmp_path / "net"), [static.InputSpec([None, 1, 5, 5])], format=kind)
    paddle.Model(other).load(str(tmp_path / "net"))
    other.eval()
    same([other(x).numpy()], [net(x).numpy()])
    with pytest.raises(ValueError, match="other layers|does not fit"):
        paddle.Model(paddle.nn.Linear(18, 4)).load(str(tmp_path / "net"))


def test_the_later_file_is_meant(tmp_path):
    """Both forms share their parameters, so a prefix means the program that was written with them."""
    spec = [static.InputSpec([None, 2])]
    first, second = paddle.nn.Linear(2, 3), paddle.nn.Linear(2, 4)
    paddle.jit.save(first, str(tmp_path / "net"), spec)
    os.utime(tmp_path / "net.pdmodel", (1, 1))
    paddle.jit.save(second, str(tmp_path / "net"), spec, format="json")
    assert paddle.jit.load(str(tmp_path / "net"))(paddle.ones([1, 2])).shape == [1, 4]


def test_operators_without_counterpart(tmp_path):
    main = static.Program()
    with static.program_guard(main):
        x = static.data("x", [3], "int64")
        out = paddle.gcd(x, x)
    with pytest.raises(NotImplementedError, match="gcd.*test_pir_files"):
        static.save_inference_model(str(tmp_path / "m"), [x], [out], static.Executor(), program=main, format="json")


@pytest.mark.oracle
def test_real_paddle_3_runs_what_we_write(tmp_path):
    oracle = os.environ.get("PADDLE3_ORACLE_PYTHON", "")
    if not oracle:
        pytest.skip("PADDLE3_ORACLE_PYTHON does not name a Python with paddlepaddle 3.3")
    for name in MODELS:
        write(name, tmp_path)
        for k, (inputs, outputs) in enumerate(cases(name)):
            np.savez(tmp_path / f"{name}.{k}.npz", **{f"in_{i}": v for i, v in enumerate(inputs)},
                     **{f"out_{i}": v for i, v in enumerate(outputs)})
    script = Path(__file__).with_name("run_in_paddle3.py")
    answer = subprocess.run([oracle, str(script), str(tmp_path), *MODELS], capture_output=True, text=True, timeout=600, check=False)
    assert answer.returncode == 0, answer.stderr[-2000:]
    assert answer.stdout.strip().splitlines()[-1] == f"{len(MODELS)} equal", answer.stdout[-2000:]


# ---- bad files -----------------------------------------------------------------------------------------------------------
def mlp():
    return json.loads((FOLDER / "mlp.json").read_text())


def operations(document):
    return document["program"]["regions"][0]["blocks"][0]["ops"]


def refused(document, tmp_path, message, error=FormatError):
    path = tmp_path / "bad.json"
    path.write_text(json.dumps(document))
    (tmp_path / "bad.pdiparams").write_bytes((FOLDER / "mlp.pdiparams").read_bytes())
    with pytest.raises(error, match=message) as found:
        paddle.jit.load(str(tmp_path / "bad"))
    assert str(path) in str(found.value)


def test_unknown_operators(tmp_path):
    document = mlp()
    for op, name in zip([op for op in operations(document) if op["#"][0] == "1"][1:], ("1.flash_attn", "3.mine", "4.reshard")):
        op["#"] = name
    refused(document, tmp_path, "custom_op.mine, dist_op.reshard, pd_op.flash_attn", UnsupportedError)
    refused(document, tmp_path, "not supported", ValueError)


def first(document, name):
    return next(op for op in operations(document) if op["#"] == name)


def change_operands(op):
    op["I"] = op["I"][:1]


def undefined_operand(op):
    op["I"][0]["%"] = 4000


def kind_of_result(op):
    op["O"][0]["TT"] = {"#": "0.t_f8e4m3fn"}


def twice(op):
    op["O"][0]["%"] = 1


@pytest.mark.parametrize("change, message", [
    (change_operands, "1 operands"), (undefined_operand, "operand 4000 is not defined"), (kind_of_result, "the kind scalar"),
    (twice, "defined twice")])
def test_damaged_operations(tmp_path, change, message):
    document = mlp()
    change(first(document, "1.matmul"))
    refused(document, tmp_path, message)


def test_damaged_frames(tmp_path):
    for change, message in [({"base_code": {"magic": "other", "version": 1}}, "magic"),
                            ({"base_code": {"magic": "pir", "version": 0}}, "version"),
                            ({"program": {"regions": []}}, "one region"), ({"program": 3}, "must be a dict")]:
        refused({**mlp(), **change}, tmp_path, message)
    refused([1, 2], tmp_path, "not JSON|is an object|cut short|wire")


def test_attributes_that_mean_something_else(tmp_path):
    """What old operators can't say is refused, not dropped."""
    document = mlp()
    op = first(document, "1.relu")
    op["#"], op["A"] = "1.round", [{"N": "decimals", "AT": {"#": "0.a_i32", "D": 2}}]
    refused(document, tmp_path, "decimals: only 0 is supported, got 2", UnsupportedError)
