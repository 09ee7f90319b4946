import re

import pytest

import paddle
from paddle import kernels


def test_run_check_names_version_and_engine(capsys):
    paddle.utils.run_check()
    out = capsys.readouterr().out
    assert f"dygraph {paddle.version.dygraph_version}" in out
    assert re.search(r"engine: (C kernels \(\w+.*\), \d+ threads|NumPy references)", out)
    assert out.endswith("The installation works.\n")


def test_run_check_without_kernels(capsys):
    before = kernels.use(False)
    try:
        paddle.utils.run_check()
    finally:
        kernels.use(before)
    assert "engine: NumPy references" in capsys.readouterr().out


def test_run_check_can_fail(monkeypatch):
    monkeypatch.setattr(paddle.optimizer.SGD, "step", lambda self: None)
    with pytest.raises(RuntimeError, match="wrong weights"):
        paddle.utils.run_check()
