"""Netron (the pip package, whose reader is JavaScript and runs on node) opens what we save."""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import paddle
from paddle import nn, static


def netron_folder():
    """Where the package netron is: here, or beside the Python that PADDLE_ORACLE_PYTHON names."""
    if importlib.util.find_spec("netron") is not None:
        return Path(importlib.util.find_spec("netron").origin).parent
    other = os.environ.get("PADDLE_ORACLE_PYTHON")
    code = "import importlib.util; print(importlib.util.find_spec('netron').origin)"
    found = subprocess.run([other, "-c", code], capture_output=True, text=True, check=False) if other else None
    return Path(found.stdout.strip()).parent if found is not None and not found.returncode else None


@pytest.fixture(scope="module")
def reader(tmp_path_factory):
    """A function from a model's path to what Netron finds in it."""
    folder, node = netron_folder(), shutil.which("node")
    if folder is None or node is None:
        pytest.skip("needs the package netron and node")
    modules = tmp_path_factory.mktemp("netron")
    (modules / "package.json").write_text('{"type": "module"}')
    for file in [*folder.glob("*.js"), *folder.glob("*.json")]:
        (modules / file.name).symlink_to(file)
    script = Path(__file__).with_name("netron.mjs")

    def read(path):
        done = subprocess.run([node, "--preserve-symlinks", str(script), str(modules), str(path)], capture_output=True, text=True,
                              check=False, timeout=120)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)
    return read


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_netron_opens_a_saved_network(reader, tmp_path):
    net = nn.Sequential(nn.Conv2D(1, 4, 3), nn.BatchNorm2D(4), nn.ReLU(), nn.MaxPool2D(2), nn.Flatten(), nn.Linear(36, 3))
    net.eval()
    paddle.jit.save(net, str(tmp_path / "net"), input_spec=[static.InputSpec([None, 1, 8, 8], "float32", "picture")])
    found = reader(tmp_path / "net.pdmodel")
    assert found["format"].startswith("PaddlePaddle v2.6") and found["inputs"] == ["picture"] and len(found["outputs"]) == 1
    assert [t for t in found["nodes"] if t in ("conv2d", "batch_norm", "relu", "pool2d", "matmul_v2")] == [
        "conv2d", "batch_norm", "relu", "pool2d", "matmul_v2"]


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_netron_opens_a_program_with_a_branch(reader, tmp_path):
    main = static.Program()
    with static.program_guard(main):
        x = static.data("x", [None, 4])
        y = static.nn.cond(paddle.mean(x) > 0, lambda: x * 2, lambda: x - 1)
    static.save_inference_model(str(tmp_path / "branch"), [x], [y], static.Executor(), program=main)
    found = reader(tmp_path / "branch.pdmodel")
    assert "conditional_block" in found["nodes"] and found["inputs"] == ["x"]
