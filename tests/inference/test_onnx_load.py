"""paddle.onnx.load: layers of ONNX files run, train and are saved."""

import json
from pathlib import Path

import numpy as np
import pytest

import paddle
from paddle.onnx.export import export_program
from paddle.onnx.import_shapes import FOLDERS
from paddle.onnx.importers import IMPORTERS
from paddle.onnx.proto import AttributeProto, GraphProto, ModelProto, NodeProto, OperatorSetId, TensorProto, ValueInfoProto
from paddle.serialization.errors import FormatError
from paddle.static.inference_io import read_inference

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"
MODELS = [m for m in sorted(json.loads((FIXTURES / "paddle26/manifest.json").read_text())["models"]) if not m.startswith("control")]


def recorded(name):
    with np.load(FIXTURES / f"paddle26/{name}.npz") as npz:
        first = "c0_" if "c0_in_0" in npz.files else ""
        return [[npz[k] for k in sorted(n for n in npz.files if n.startswith(f"{first}{kind}_"))] for kind in ("in", "out")]


@pytest.mark.parametrize("name", MODELS)
def test_models_of_paddle_come_back(name, tmp_path):
    """Exported and loaded again, a model gives what real Paddle computed from its file."""
    program, arrays = read_inference(str(FIXTURES / "paddle26" / name))
    path = export_program(program, tmp_path / name, arrays)
    inputs, outputs = recorded(name)
    try:
        layer = paddle.onnx.load(path)
    except NotImplementedError as error:
        assert {"GRU", "LSTM", "RNN"} & set(str(error).replace(",", "").split()), error
        return
    found = layer(*map(paddle.to_tensor, inputs))
    for got, expected in zip(found if isinstance(found, list) else [found], outputs):
        np.testing.assert_allclose(got.numpy(), expected, rtol=1e-4, atol=1e-5)
        assert got.numpy().dtype == expected.dtype


def model(tmp_path, nodes, inputs, outputs, constants=(), opset=13):
    """A file of ONNX with nodes (type, inputs, outputs, attributes)."""
    graph = GraphProto(
        node=[NodeProto(op_type=kind, input=list(taken), output=list(made),
                        attribute=[AttributeProto.of(k, v) for k, v in more.items()]) for kind, taken, made, more in nodes],
        name="graph", initializer=[TensorProto.of(array, name) for name, array in constants],
        input=[ValueInfoProto.of(n, [-1, 3], "float32") for n in inputs],
        output=[ValueInfoProto.of(n, [-1], "float32") for n in outputs])
    path = tmp_path / "m.onnx"
    path.write_bytes(ModelProto(ir_version=8, graph=graph, opset_import=[OperatorSetId(domain="", version=opset)]).to_bytes())
    return path


X = np.array([[1.0, -2.0, 3.0], [0.5, 4.0, -1.0]], "float32")
SOFT = np.exp(X) / np.exp(X).sum(1, keepdims=True)
NORMAL = (X - X.mean(1, keepdims=True)) / np.sqrt(X.var(1, keepdims=True) + 1e-5)
CASES = [  # type, attributes, constants, expected
    ("Gemm", {"transB": 1, "alpha": 2.0}, [np.ones((4, 3), "f"), np.ones(4, "f")], 2 * X.sum(1, keepdims=True) + np.ones(4)),
    ("Clip", {}, [np.array(-1, "f"), np.array(2, "f")], X.clip(-1, 2)),
    ("PRelu", {}, [np.array([0.5], "f")], np.where(X > 0, X, X / 2)),
    ("Softmax", {"axis": 1}, [], SOFT),
    ("LogSoftmax", {"axis": -1}, [], np.log(SOFT)),
    ("HardSigmoid", {}, [], (0.2 * X + 0.5).clip(0, 1)),
    ("ReduceL2", {"axes": [1], "keepdims": 0}, [], np.sqrt((X * X).sum(1))),
    ("ReduceSum", {}, [np.array([0])], X.sum(0, keepdims=True)),
    ("Slice", {}, [np.array([2]), np.array([-(2 ** 63)]), np.array([1]), np.array([-1])], X[:, ::-1]),
    ("Slice", {}, [np.array([1]), np.array([2 ** 63 - 1]), np.array([1])], X[:, 1:]),
    ("Gather", {"axis": 1}, [np.array([[0, -1]])], X[:, [[0, -1]]]),
    ("Pad", {}, [np.array([0, 1, 0, 2]), np.array(9, "f")], np.pad(X, ((0, 0), (1, 2)), constant_values=9)),
    ("Expand", {}, [np.array([2, 1, 3])], np.broadcast_to(X, (2, 2, 3))),
    ("Tile", {}, [np.array([1, 2])], np.tile(X, (1, 2))),
    ("TopK", {}, [np.array([2])], np.sort(X, 1)[:, :-3:-1]),
    ("ArgMax", {"axis": 1}, [], X.argmax(1)[:, None]),
    ("CumSum", {}, [np.array(1)], X.cumsum(1)),
    ("Mod", {"fmod": 1}, [np.array(1.5, "f")], np.fmod(X, 1.5)),
    ("Flatten", {"axis": 0}, [], X.reshape(1, -1)),
    ("Transpose", {}, [], X.T),
    ("Cast", {"to": 7}, [], X.astype("int64")),
    ("LayerNormalization", {}, [np.ones(3, "f"), np.zeros(3, "f")], NORMAL),
    ("Mean", {}, [np.ones((1, 3), "f")], (X + 1) / 2),
]


@pytest.mark.parametrize("kind, attributes, constants, expected", CASES, ids=lambda v: v if isinstance(v, str) else "")
def test_operators(kind, attributes, constants, expected, tmp_path):
    names = [f"c{k}" for k in range(len(constants))]
    outputs = ["y", "positions"] if kind == "TopK" else ["y"]
    opset = 18 if kind == "LayerNormalization" else 13
    path = model(tmp_path, [(kind, ["x", *names], outputs, attributes)], ["x"], ["y"], list(zip(names, constants)), opset)
    np.testing.assert_allclose(paddle.onnx.load(path)(paddle.to_tensor(X)).numpy(), expected, rtol=1e-5, atol=1e-6)


def test_sizes_are_followed_and_the_layer_trains_and_is_saved(tmp_path):
    """A flattening as PyTorch writes it: Shape, Gather, Unsqueeze, Concat, Reshape."""
    nodes = [("Shape", ["x"], ["s"], {}), ("Gather", ["s", "zero"], ["n"], {"axis": 0}), ("Unsqueeze", ["n", "axis"], ["n1"], {}),
             ("Concat", ["n1", "rest"], ["sizes"], {"axis": 0}), ("Reshape", ["x", "sizes"], ["flat"], {}),
             ("MatMul", ["flat", "w.1"], ["out"], {}), ("Relu", ["out"], ["y"], {})]
    weight = np.arange(6, dtype="float32").reshape(3, 2) - 2
    constants = [("zero", np.array(0)), ("axis", np.array([0])), ("rest", np.array([-1])), ("w.1", weight)]
    layer = paddle.onnx.load(model(tmp_path, nodes, ["x"], ["y"], constants))
    expected = np.maximum(X @ weight, 0)
    np.testing.assert_allclose(layer(paddle.to_tensor(X)).numpy(), expected, rtol=1e-6)
    paddle.jit.save(layer, str(tmp_path / "saved"), input_spec=[paddle.static.InputSpec([None, 3], "float32", "x")])
    again = paddle.jit.load(str(tmp_path / "saved"))
    np.testing.assert_allclose(again(paddle.to_tensor(np.tile(X, (2, 1)))).numpy(), np.tile(expected, (2, 1)), rtol=1e-6)
    assert [name for name, _ in layer.named_parameters()] == ["w_1"]
    optimizer = paddle.optimizer.SGD(0.1, parameters=layer.parameters())
    layer(paddle.to_tensor(X)).sum().backward()
    optimizer.step()
    np.testing.assert_allclose(layer.w_1.numpy(), weight - 0.1 * X.T @ (X @ weight > 0), rtol=1e-5)


def test_what_is_not_read_is_named(tmp_path):
    with pytest.raises(NotImplementedError, match="Loop, Strange"):
        paddle.onnx.load(model(tmp_path, [("Strange", ["x"], ["a"], {}), ("Loop", ["a"], ["y"], {})], ["x"], ["y"]))
    with pytest.raises(NotImplementedError, match="operator set 8"):
        paddle.onnx.load(model(tmp_path, [], ["x"], ["x"], opset=8))
    with pytest.raises(FormatError, match="reads 'z'"):
        paddle.onnx.load(model(tmp_path, [("Relu", ["z"], ["y"], {})], ["x"], ["y"]))
    with pytest.raises(ValueError, match="got 0 values"):
        paddle.onnx.load(model(tmp_path, [("Relu", ["x"], ["y"], {})], ["x"], ["y"]))()
    with pytest.raises(TypeError, match="must be a path"):
        paddle.onnx.load(3)
    assert len(set(IMPORTERS) | set(FOLDERS)) > 100
