"""``paddle bench``: what is measured, with what, and the table of it."""

import importlib.util
import json
import subprocess
import sys

import pytest

from paddle.command import bench, main, workloads


def test_own_workloads_run_in_a_process_of_their_own(capsys, monkeypatch):
    monkeypatch.delenv("BENCH_TORCH_PYTHON", raising=False)
    monkeypatch.delenv("BENCH_PADDLE_PYTHON", raising=False)
    monkeypatch.setattr(bench.importlib.util, "find_spec", lambda name: None)
    assert main(["bench", "--only", "add", "mlp", "--seconds", "0.001", "--threads", "1", "--json"]) == 0
    (name, seconds), = json.loads(capsys.readouterr().out).items()
    assert name.startswith("dygraph ") and list(seconds) == ["add", "mlp"] and 0 < seconds["add"] < seconds["mlp"]


@pytest.mark.parametrize("name", workloads.NAMES)
def test_every_workload_can_be_called(name):
    version, calls = workloads.paddle_workloads()
    assert list(calls) == workloads.NAMES == list(workloads.TITLES) and version
    calls[name]()


def test_others_are_found(monkeypatch):
    monkeypatch.setenv("BENCH_TORCH_PYTHON", "/somewhere/python")
    monkeypatch.setenv("BENCH_PADDLE_PYTHON", "/other/python")
    assert [(label, command[0], command[-1]) for label, command in bench.candidates()] == [
        ("dygraph", sys.executable, "paddle"), ("PyTorch", "/somewhere/python", "torch"),
        ("PaddlePaddle", "/other/python", "paddle")]
    monkeypatch.delenv("BENCH_TORCH_PYTHON")
    monkeypatch.delenv("BENCH_PADDLE_PYTHON")
    monkeypatch.setattr(bench.importlib.util, "find_spec", lambda name: importlib.util if name == "torch" else None)
    assert [command[0] for _, command in bench.candidates()] == [sys.executable] * 2


def test_the_script_needs_nothing_but_the_framework_that_it_measures():
    """A Python without packages misses PyTorch, and not this package."""
    done = subprocess.run([sys.executable, "-I", "-S", workloads.__file__, "torch", "0.001", "add"], capture_output=True, text=True)
    assert done.stderr.splitlines()[-1] == "ModuleNotFoundError: No module named 'torch'"


def test_the_table_compares_with_the_first():
    text = bench.table({"dygraph 1": {"add": 1e-6, "mlp": 2e-3}, "PyTorch 2": {"add": 3e-6, "mlp": 1e-3}})
    assert "1.0 us   3.0 us (3.00x)" in text and "2.00 ms  1.00 ms (0.50x)" in text and "pip install" not in text
    assert "nothing to compare with: pip install torch" in bench.table({"dygraph 1": {"add": 1e-6}})


def test_what_goes_wrong_is_one_line(capsys, monkeypatch):
    assert main(["bench", "--seconds", "0"]) == 1
    monkeypatch.setattr(bench, "candidates", lambda: [("x", [sys.executable, "-c", "raise SystemExit('no such module')"])])
    assert main(["bench"]) == 1
    assert capsys.readouterr().err.splitlines()[-1].endswith("could not run the workloads: no such module")
