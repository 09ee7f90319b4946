"""ONNX export: structure always, numbers where onnxruntime is installed (`pip install onnxruntime`)."""

import json
from pathlib import Path

import numpy as np
import pytest

import paddle
from paddle import static
from paddle.onnx.builder import CONVERTERS
from paddle.onnx.export import convert, export_program
from paddle.onnx.proto import ModelProto
from paddle.serialization.wire import decode
from paddle.static.inference_io import read_inference
from paddle.static.program import op_table

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"
MODELS = sorted(json.loads((FIXTURES / "paddle26/manifest.json").read_text())["models"])
EXPRESSIBLE = [m for m in MODELS if not m.startswith("control")]


def recorded(name):
    with np.load(FIXTURES / f"paddle26/{name}.npz") as npz:
        first = "c0_" if "c0_in_0" in npz.files else ""
        return [[npz[k] for k in sorted(n for n in npz.files if n.startswith(f"{first}{kind}_"))] for kind in ("in", "out")]


@pytest.mark.parametrize("name", EXPRESSIBLE)
def test_models_of_paddle(name, tmp_path):
    program, arrays = read_inference(str(FIXTURES / "paddle26" / name))
    path = export_program(program, tmp_path / "deep" / name, arrays)
    model = decode(ModelProto, Path(path).read_bytes())
    assert model.opset_import[0].version == 13 and model.producer_name == "dygraph"
    made = {v.name for v in [*model.graph.input, *model.graph.initializer]}
    for node in model.graph.node:  # every input is made before it is read
        assert {i for i in node.input if i} <= made, node
        made |= set(node.output)
    assert {v.name for v in model.graph.output} <= made
    onnxruntime = pytest.importorskip("onnxruntime")
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    inputs, outputs = recorded(name)
    feeds = {i.name: a for i, a in zip(session.get_inputs(), inputs)}
    for got, expected in zip(session.run(None, feeds), outputs):
        np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-5)
        assert got.dtype == expected.dtype


def test_what_has_no_form_is_named_at_once():
    program, arrays = read_inference(str(FIXTURES / "paddle26/control_while"))
    with pytest.raises(NotImplementedError, match="operators.*while"):
        convert(program, arrays)


def test_training_mode_is_refused(tmp_path):
    main = static.Program()
    paddle.enable_static()
    try:
        with static.program_guard(main):
            y = paddle.nn.functional.dropout(static.data("drop_x", [None, 4]), 0.5)
    finally:
        paddle.disable_static()
    main.global_block().append_op("fetch", {"X": y.name}, {"Out": "fetch"}, {"col": 0})
    with pytest.raises(NotImplementedError, match="eval"):
        convert(main, {})


def test_converters_are_of_operators_that_paddle_has():
    assert [t for t in CONVERTERS if not op_table.knows(t) and t not in ("reshape", "squeeze", "unsqueeze", "flatten")] == []


CASES = {
    "arithmetic": (lambda x: (x * 2 - 1) / (x * x + 0.5) + paddle.exp(-x) - paddle.maximum(x, x * 0.3), [(3, 4)]),
    "activations": (lambda x: sum(getattr(paddle.nn.functional, n)(x) for n in (
        "relu", "relu6", "leaky_relu", "elu", "selu", "softplus", "gelu", "silu", "mish", "hardsigmoid", "hardswish", "tanh",
        "sigmoid", "softsign")), [(3, 5)]),
    "reductions": (lambda x: paddle.sum(x, 1) + paddle.mean(x, axis=1) * paddle.max(x) - paddle.min(x, axis=-1), [(3, 5)]),
    "shapes": (lambda x: paddle.concat([paddle.transpose(x, [0, 2, 1]).reshape([0, -1]), paddle.flatten(x, 1)], 1),
               [(2, 3, 4)]),
    "slices": (lambda x: x[:, 1:, ::2] + paddle.unsqueeze(x[:, 0, :2], 1), [(2, 3, 4)]),
    "stack": (lambda x: paddle.stack(paddle.split(x, 2, axis=1), axis=0).squeeze(-1), [(3, 2)]),
    "compare": (lambda x: paddle.where(x > 0, x, x * 2) + paddle.cast(x <= 0.5, "float32"), [(4, 4)]),
    "index": (lambda x: paddle.gather(x, paddle.to_tensor([2, 0]), axis=1) + paddle.cast(
        paddle.argmax(x, 1, keepdim=True), "float32"), [(3, 4)]),
    "expand": (lambda x: paddle.expand(x, [2, 3, 4]) + paddle.tile(x, [2, 1, 1]), [(1, 3, 4)]),
    "top_k": (lambda x: paddle.topk(x, 2)[0], [(3, 5)]),
    "norms": (lambda x: paddle.nn.functional.layer_norm(x, [4]) + paddle.nn.functional.group_norm(x, 3)
              + paddle.nn.functional.instance_norm(x), [(2, 3, 4)]),
    "softmax": (lambda x: paddle.nn.functional.softmax(x, 1) + paddle.nn.functional.log_softmax(x), [(2, 3, 4)]),
}


@pytest.mark.parametrize("name", CASES)
def test_functions(name, tmp_path):
    onnxruntime = pytest.importorskip("onnxruntime")
    function, shapes = CASES[name]
    arrays = [np.random.RandomState(0).randn(*s).astype("float32") for s in shapes]
    main = static.Program()
    with static.program_guard(main):
        xs = [static.data(f"x{k}", [None, *s[1:]] if name != "expand" else list(s)) for k, s in enumerate(shapes)]
        y = function(*xs)
        program = static.normalize_program(main, xs, [y])
    path = export_program(program, tmp_path / "m", {n: t.numpy() for n, t in main.captured.items()})
    got = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"]).run(
        None, {f"x{k}": a for k, a in enumerate(arrays)})[0]
    np.testing.assert_allclose(got, function(*[paddle.to_tensor(a) for a in arrays]).numpy(), rtol=1e-4, atol=1e-5)


def test_layers(tmp_path):
    net = paddle.nn.Sequential(paddle.nn.Conv2D(1, 4, 3), paddle.nn.BatchNorm2D(4), paddle.nn.ReLU(), paddle.nn.Flatten(),
                               paddle.nn.Linear(144, 3))
    net.eval()
    spec = [static.InputSpec([None, 1, 8, 8], "float32", "image")]
    paddle.onnx.export(net, str(tmp_path / "net"), spec)
    model = decode(ModelProto, (tmp_path / "net.onnx").read_bytes())
    assert [i.name for i in model.graph.input] == ["image"]
    with pytest.raises(ValueError, match="opset_version"):
        paddle.onnx.export(net, str(tmp_path / "net"), spec, opset_version=99)
    onnxruntime = pytest.importorskip("onnxruntime")
    x = np.random.RandomState(0).rand(2, 1, 8, 8).astype("float32")
    got, = onnxruntime.InferenceSession(str(tmp_path / "net.onnx")).run(None, {"image": x})
    np.testing.assert_allclose(got, net(paddle.to_tensor(x)).numpy(), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("kind", ["LSTM", "GRU", "SimpleRNN"])
def test_recurrent_layers_of_any_batch(kind, tmp_path):
    net = getattr(paddle.nn, kind)(4, 5, direction="bidirect")
    net.eval()
    path = paddle.onnx.export(net, str(tmp_path / "net"), [static.InputSpec([None, 6, 4], "float32", "x")])
    model = decode(ModelProto, Path(path).read_bytes())
    assert {"ConstantOfShape", "Concat"} <= {node.op_type for node in model.graph.node}
    onnxruntime = pytest.importorskip("onnxruntime")
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    for batch in (1, 3):
        x = np.random.RandomState(batch).randn(batch, 6, 4).astype("float32")
        np.testing.assert_allclose(session.run(None, {"x": x})[0], net(paddle.to_tensor(x))[0].numpy(), rtol=1e-4, atol=1e-5)


def test_the_file_is_checked_where_onnx_is_installed(tmp_path):
    import importlib.util
    layer, spec = paddle.nn.Sequential(paddle.nn.Conv2D(1, 2, 3), paddle.nn.ReLU()), [static.InputSpec([None, 1, 8, 8])]
    if importlib.util.find_spec("onnx") is None:
        with pytest.warns(UserWarning, match=r"not checked.*dygraph\[onnx\]"):
            paddle.onnx.export(layer, str(tmp_path / "m"), spec, enable_onnx_checker=True)
    else:
        paddle.onnx.export(layer, str(tmp_path / "m"), spec, enable_onnx_checker=True)


AGAIN = {  # written, then read by paddle.onnx.load, which knows nothing of how they were written
    "backward": lambda x: x[:, ::-1] + x[:, 2:0:-1].sum(),
    "roll": lambda x: paddle.roll(x, [1, -2], axis=[0, 1]) + paddle.roll(x, 5),
    "tril": lambda x: paddle.tril(x) - paddle.triu(x, 1),
    "transpose": lambda x: paddle.transpose(x, [-1, 0]) @ x,
    "norms": lambda x: paddle.norm(x, p=1, axis=1) + paddle.norm(x, p=2, axis=1) + paddle.norm(x, p=3, axis=1),
    "channel_shuffle": lambda x: paddle.nn.functional.channel_shuffle(x.reshape([1, 4, 3, 1]), 2),
    "outer": lambda x: paddle.einsum("ij,kj->ik", x, x) + paddle.addmm(x @ x.t(), x, x.t(), alpha=2.0),
    "pieces": lambda x: paddle.repeat_interleave(x, 2, axis=0)[:4] * paddle.crop(x, [4, 2], [0, 1]).sum(),
}


@pytest.mark.parametrize("name", AGAIN)
def test_what_was_written_is_read_again(name, tmp_path):
    function, x = AGAIN[name], paddle.to_tensor(np.random.RandomState(1).randn(4, 3).astype("float32"))
    net = paddle.jit.to_static(function, input_spec=[static.InputSpec([4, 3], "float32", "x")])
    path = paddle.onnx.export(net, str(tmp_path / "net"), [static.InputSpec([4, 3], "float32", "x")])
    np.testing.assert_allclose(paddle.onnx.load(path)(x).numpy(), function(x).numpy(), rtol=1e-5, atol=1e-6)


def test_operators_of_later_versions_raise_the_version(tmp_path):
    path = paddle.onnx.export(Lower(), str(tmp_path / "net"), [static.InputSpec([2, 2], "float32", "x")])
    assert decode(ModelProto, Path(path).read_bytes()).opset_import[0].version == 14


class Lower(paddle.nn.Layer):
    def forward(self, x):
        return paddle.tril(x)


def test_complex_numbers_are_refused(tmp_path):
    net = paddle.jit.to_static(lambda x: paddle.exp(paddle.complex(x, x)).real(),
                               input_spec=[static.InputSpec([2, 2], "float32", "x")])
    with pytest.raises(NotImplementedError, match=r"export\(\).*complex"):
        paddle.onnx.export(net, str(tmp_path / "net"), [static.InputSpec([2, 2], "float32", "x")])
