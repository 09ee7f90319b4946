"""paddle.amp.debugging: reports, errors, statistics and comparisons. The expected lines were printed by Paddle 2.6.2."""

import io
import random
import xml.etree.ElementTree as ElementTree
import zipfile

import numpy as np
import pytest

import paddle
from paddle.amp import debugging
from paddle.amp.debugging import DebugMode, TensorCheckerConfig, check_numerics

NAN, INF = float("nan"), float("inf")


@pytest.fixture(autouse=True)
def switched_off():
    TensorCheckerConfig.current_step_id = 0
    yield
    debugging.disable_tensor_checker()


def train():
    x = paddle.to_tensor([1.0, 0.0, 3.0], stop_gradient=False)
    (x * 2 + 1).sum().backward()


def bad_gradient():
    x = paddle.to_tensor([1.0, 0.0, 4.0], stop_gradient=False)
    paddle.sqrt(x).sum().backward()


def test_every_result_is_reported(capsys):
    debugging.enable_tensor_checker(TensorCheckerConfig(True, DebugMode.CHECK_ALL))
    train()
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == ("[PRECISION] in [device=cpu, op=scale, tensor=, dtype=fp32], numel=3, num_zero=1, "
                        "max=6.000000e+00, min=0.000000e+00, mean=2.666667e+00")
    assert [line.split("op=")[1].split(",")[0] for line in lines] == [
        "scale", "scale", "reduce_sum", "reduce_sum_grad", "scale_grad", "scale_grad"]
    debugging.disable_tensor_checker()
    train()
    assert capsys.readouterr().out == ""


def test_bad_gradients_are_reported_to_a_file(tmp_path, capsys):
    debugging.enable_tensor_checker(TensorCheckerConfig(True, DebugMode.CHECK_NAN_INF, output_dir=str(tmp_path / "out")))
    bad_gradient()
    assert capsys.readouterr().out == ""
    assert (tmp_path / "out" / "worker_cpu").read_text() == (
        "[PRECISION] [ERROR] in [device=cpu, op=sqrt_grad, tensor=, dtype=fp32], numel=3, num_nan=0, num_inf=1, num_zero=0, "
        "max=inf, min=2.500000e-01, mean=inf\n")


def test_the_first_bad_result_raises():
    debugging.enable_tensor_checker(TensorCheckerConfig(True))
    with pytest.raises(FloatingPointError, match=r"sqrt_grad\(\) gave Inf .*called at .*test_debugging.py"):
        bad_gradient()
    debugging.enable_tensor_checker(TensorCheckerConfig(True, stack_height_limit=0))
    with pytest.raises(FloatingPointError, match=r"sqrt_grad\(\) gave Inf .*num_inf=1, shape \[3\]\)$"):
        bad_gradient()


def test_lists_choose_what_is_checked(capsys):
    debugging.enable_tensor_checker(TensorCheckerConfig(True, skipped_op_list=["sqrt_grad"]))
    bad_gradient()
    debugging.enable_tensor_checker(TensorCheckerConfig(True, DebugMode.CHECK_ALL, checked_op_list=["reduce_sum"]))
    train()
    assert len(capsys.readouterr().out.splitlines()) == 1


def test_what_float16_can_not_hold(capsys):
    debugging.enable_tensor_checker(TensorCheckerConfig(True, DebugMode.CHECK_ALL_FOR_OVERFLOW))
    paddle.to_tensor([1.0, 30000.0]) * 2.0
    assert capsys.readouterr().out == ""
    paddle.to_tensor([1.0, -40000.0]) * 2.0
    assert "max=2.000000e+00, min=-8.000000e+04" in capsys.readouterr().out


def test_only_some_steps(capsys):
    config, reported = TensorCheckerConfig(True, DebugMode.CHECK_ALL, debug_step=[1, 3]), []
    for _ in range(4):
        debugging.enable_tensor_checker(config)
        train()
        debugging.disable_tensor_checker()
        reported.append(bool(capsys.readouterr().out))
    assert reported == [False, True, True, False]


def test_the_flag_alone(capsys):
    paddle.set_flags({"FLAGS_check_nan_inf": True, "FLAGS_check_nan_inf_level": 1})
    try:
        bad_gradient()
        assert "op=sqrt_grad" in capsys.readouterr().out
        with pytest.raises(ValueError, match="FLAGS_check_nan_inf_level must be from 0 to 3, got 4"):
            paddle.set_flags({"FLAGS_check_nan_inf_level": 4})
        assert paddle.get_flags("FLAGS_check_nan_inf_level") == {"FLAGS_check_nan_inf_level": 1}
    finally:
        paddle.set_flags({"FLAGS_check_nan_inf": False, "FLAGS_check_nan_inf_level": 0})


def test_bfloat16_is_checked():
    pytest.importorskip("ml_dtypes", reason="bfloat16 needs the extra ml-dtypes")
    debugging.enable_tensor_checker(TensorCheckerConfig(True))
    with pytest.raises(FloatingPointError, match="gave Inf"):
        paddle.to_tensor([1e30], dtype="bfloat16") * 1e30


@pytest.mark.parametrize("values, counts, numbers", [
    ([1.0, 0.0, 3.0], [0, 0, 1], [3.0, 0.0, 4 / 3]), ([1.0, NAN, 0.0, 3.0], [1, 0, 1], [3.0, 0.0, NAN]),
    ([1.0, INF, -INF, 3.0], [0, 2, 0], [INF, -INF, NAN]), ([NAN, NAN], [2, 0, 0], [NAN, NAN, NAN])])
def test_numbers_of_one_tensor(values, counts, numbers, capsys):
    found, range_ = check_numerics(paddle.to_tensor(values), "op", "v", DebugMode.CHECK_NAN_INF)
    assert found.tolist() == counts and range_.tolist() == pytest.approx(numbers, nan_ok=True)
    assert bool(capsys.readouterr().out) == (counts[0] + counts[1] > 0)
    if counts[0]:
        with pytest.raises(RuntimeError, match=rf"v of op has {counts[0]} NaN"):
            check_numerics(paddle.to_tensor(values), "op", "v")


def test_a_layer_is_checked():
    class Divide(paddle.nn.Layer):
        @debugging.check_layer_numerics
        def forward(self, x):
            return 1 / x - 1 / x

    model = Divide()
    assert model(paddle.ones([2])).tolist() == [0.0, 0.0]
    with pytest.raises(FloatingPointError, match=r"gave Inf .* in layer divide_\d+"):
        model(paddle.zeros([2]))
    with pytest.raises(RuntimeError, match="input 0 of Divide has 1 NaN"):
        model(paddle.to_tensor([NAN]))
    with pytest.raises(RuntimeError, match="first input of Divide must be a Tensor, got none"):
        model()


def test_arguments_are_checked():
    with pytest.raises(TypeError, match=r"debug_mode must be DebugMode, got 1"):
        TensorCheckerConfig(True, 1)
    with pytest.raises(ValueError, match="debug_step"):
        TensorCheckerConfig(True, debug_step=[3, 1])
    with pytest.raises(ValueError, match="checked_op_list"):
        TensorCheckerConfig(True, checked_op_list="relu")
    with pytest.raises(TypeError, match="enable_tensor_checker"):
        debugging.enable_tensor_checker(True)
    with pytest.raises(TypeError, match="FLAGS_check_nan_inf"):
        check_numerics("no tensor", "op", "x")


def test_statistics_count_gradients_too(capsys):
    with debugging.collect_operator_stats():
        x = paddle.ones([2, 2])
        x.stop_gradient = False
        (x @ x).sum().backward()
        x.astype("int64")
    rows = [[cell.strip() for cell in line.split("|")] for line in capsys.readouterr().out.splitlines() if "|  " in line]
    assert ["matmul_v2", "0", "0", "1", "0"] in rows and ["matmul_v2_grad", "0", "0", "1", "0"] in rows
    assert ["cast", "0", "0", "0", "1"] in rows


def sheet(path):
    """The rows of the first sheet, as an independent reader of the format sees them."""
    name = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
    with zipfile.ZipFile(path) as file:
        assert file.testzip() is None
        for part in file.namelist():
            ElementTree.parse(io.BytesIO(file.read(part)))
        root = ElementTree.fromstring(file.read("xl/worksheets/sheet1.xml"))
    return [{cell.get("r").rstrip("0123456789"): "".join(cell.itertext()) for cell in row} for row in root.iter(f"{name}row")]


def test_two_runs_side_by_side(tmp_path):
    for run, factor in (("wide", 1.0), ("short", 70000.0)):
        config = TensorCheckerConfig(True, DebugMode.CHECK_ALL, output_dir=str(tmp_path / run))
        debugging.enable_tensor_checker(config)
        x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
        paddle.tanh(x * factor).sum().backward()
        debugging.disable_tensor_checker()
    debugging.compare_accuracy(str(tmp_path / "wide"), str(tmp_path / "short"), str(tmp_path / "out.xlsx"))
    head, *rows = sheet(tmp_path / "out.xlsx")
    assert head["A"] == "op_type" and head["F"] == "first max" and head["M"] == "second max" and head["S"] == "second / first max"
    first = rows[0]
    assert (first["A"], first["C"], first["D"], first["E"]) == ("scale", "2", "1", "fp32")
    assert (float(first["F"]), float(first["M"]), float(first["S"])) == (2.0, 140000.0, 70000.0)
    assert [row["A"] for row in rows] == ["scale", "tanh", "reduce_sum", "reduce_sum_grad", "tanh_grad", "scale_grad"]
    assert {row["A"]: row["D"] for row in rows}["reduce_sum_grad"] == "0"
    debugging.compare_accuracy(str(tmp_path / "wide"), str(tmp_path / "short"), str(tmp_path / "scaled.xlsx"), loss_scale=4)
    grad = [row for row in sheet(tmp_path / "scaled.xlsx") if row["A"] == "reduce_sum_grad"][0]
    assert (float(grad["F"]), float(grad["M"]), grad["D"]) == (4.0, 1.0, "1")
    with pytest.raises(NotImplementedError, match="dump_all_tensors"):
        debugging.compare_accuracy(str(tmp_path), str(tmp_path), "x.xlsx", dump_all_tensors=True)
    with pytest.raises(FileNotFoundError, match="no report"):
        debugging.compare_accuracy(str(tmp_path), str(tmp_path), "x.xlsx")


def test_a_configuration_starts_random_numbers_again():
    def draw():
        return paddle.rand([2]).tolist(), np.random.rand(), random.random()
    paddle.seed(102)
    config = TensorCheckerConfig(True)
    assert config.initial_seed == config.seed == 102
    first = draw()
    TensorCheckerConfig(False)
    assert draw() != first
    TensorCheckerConfig(True)
    assert draw() == first
    paddle.seed(2 ** 40)
    assert TensorCheckerConfig(True).seed == 123


def test_steps_are_counted_to_the_end_of_their_range():
    config = TensorCheckerConfig(True, DebugMode.CHECK_NAN_INF, debug_step=[1, 3])
    assert [config.update_and_check_step_id() for _ in range(5)] == [False, True, True, False, False]
    assert TensorCheckerConfig.current_step_id == 3
