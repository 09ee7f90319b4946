"""``paddle show``: what is in a file, of every kind that we and others write."""

import pathlib

import numpy as np
import pytest

import paddle
from paddle.command import main

FIXTURES = pathlib.Path(__file__).resolve().parent.parent / "fixtures"


def shown(capsys, *arguments):
    assert main(["show", *map(str, arguments)]) == 0
    return capsys.readouterr().out


@pytest.fixture
def layer():
    return paddle.nn.Sequential(("first", paddle.nn.Linear(3, 4)), ("act", paddle.nn.ReLU()), ("last", paddle.nn.Linear(4, 2)))


def test_state_dicts_are_shown_as_a_tree(tmp_path, capsys, layer):
    paddle.save({"model": layer.state_dict(), "epoch": 7}, str(tmp_path / "c.pdparams"))
    text = shown(capsys, tmp_path / "c.pdparams")
    assert "4 tensors, 26 numbers, 104 B" in text.splitlines()[0]
    assert text.splitlines()[1:] == [
        "  model", "    first", "      weight: float32 [3, 4]  48 B", "      bias: float32 [4]  16 B",
        "    last", "      weight: float32 [4, 2]  32 B", "      bias: float32 [2]  8 B", "  epoch: 7"]


@pytest.mark.parametrize("form", ["pdmodel", "json"])
def test_models_are_shown_with_inputs_operators_and_parameters(tmp_path, capsys, layer, form):
    prefix = tmp_path / "m"
    paddle.jit.save(layer, str(prefix), input_spec=[paddle.static.InputSpec([None, 3], "float32", "x")],
                    **({"format": "json"} if form == "json" else {}))
    for given in (prefix, tmp_path / f"m.{form}", tmp_path):
        text = shown(capsys, given)
        assert "input x: float32 [-1, 3]" in text and "1 relu" in text and "4 tensors, 26 numbers" in text
        assert f"parameters are in {prefix}.pdiparams" in text
    parameters = shown(capsys, tmp_path / "m.pdiparams")
    assert "float32 [3, 4]" in parameters and f"parameters of {prefix}.{form}" in parameters
    picture = tmp_path / "p.html"
    assert shown(capsys, prefix, "--html", picture).strip() == str(picture)
    assert "relu" in picture.read_text()


def test_parameters_without_their_program_have_numbers(tmp_path, capsys, layer):
    paddle.jit.save(layer, str(tmp_path / "m"), input_spec=[paddle.static.InputSpec([None, 3], "float32", "x")])
    (tmp_path / "alone.pdiparams").write_bytes((tmp_path / "m.pdiparams").read_bytes())
    assert "tensor_3: float32" in shown(capsys, tmp_path / "alone.pdiparams")


def test_arrays_of_numpy_and_safetensors(tmp_path, capsys):
    np.savez(tmp_path / "a.npz", left=np.ones((2, 3), "int64"))
    assert "left: int64 [2, 3]  48 B" in shown(capsys, tmp_path / "a.npz")
    from safetensors.numpy import save_file
    save_file({"a.b": np.ones(2, "float16")}, tmp_path / "x.safetensors", {"by": "us"})
    text = shown(capsys, tmp_path / "x.safetensors")
    assert "  a\n    b: float16 [2]  4 B" in text and "by: us" in text


def test_onnx_models(tmp_path, capsys, layer):
    paddle.onnx.export(layer, str(tmp_path / "m"), input_spec=[paddle.static.InputSpec([None, 3], "float32", "x")])
    text = shown(capsys, tmp_path / "m.onnx")
    assert "an ONNX model" in text and "Relu" in text and "input x: float32 [" in text and "float32 [3, 4]" in text


@pytest.mark.parametrize("content", [b"plain text", b"\x80\x04garbage", b"\0\0\0\0garbage", b"\x93NUMPY", b"12345678{garbage"])
def test_other_files_are_refused_in_one_line(tmp_path, capsys, content):
    (tmp_path / "f").write_bytes(content)
    assert main(["show", str(tmp_path / "f")]) == 1
    error = capsys.readouterr().err
    assert error.startswith("paddle show: ") and error.count("\n") == 1


def test_missing_files(tmp_path, capsys):
    assert main(["show", str(tmp_path / "no")]) == 1
    assert "there is no file" in capsys.readouterr().err


def test_onnx_graphs_are_drawn(tmp_path, capsys, layer):
    spec = [paddle.static.InputSpec([None, 3], "float32", "x")]
    paddle.onnx.export(layer, str(tmp_path / "m"), spec)
    picture = tmp_path / "m.html"
    shown(capsys, tmp_path / "m.onnx", "--html", picture)
    text = picture.read_text()
    assert text.count("<rect") == 2 + 5 and ">Relu<" in text and "[3, 4]" in text  # input, output, 2 MatMul, 2 Add, Relu
    assert text.count("<path") == 6


def test_files_without_a_graph_are_not_drawn(tmp_path, capsys, layer):
    paddle.save(layer.state_dict(), str(tmp_path / "m.pdparams"))
    assert main(["show", str(tmp_path / "m.pdparams"), "--html", str(tmp_path / "m.html")]) != 0
    assert "only models have a graph to draw" in capsys.readouterr().err


def test_model_of_1x_is_converted_by_the_name_of_its_program(tmp_path, capsys):
    folder = FIXTURES / "paddle18" / "combined"
    assert main(["convert", str(folder / "__model__"), str(tmp_path / "m.json")]) == 0
    assert "input feed_0" in shown(capsys, tmp_path / "m.json")
