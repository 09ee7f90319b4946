"""``paddle doctor``, and the refusal to share the package's folder with another distribution."""

import os
import shutil
import subprocess
import sys

import pytest

import paddle
from paddle import neighbours
from paddle.command import main

PACKAGES = os.path.dirname(os.path.dirname(os.path.abspath(paddle.__file__)))


def test_the_report_names_versions_engine_and_extras(capsys):
    assert main(["doctor"]) == 0
    text = capsys.readouterr().out
    for part in ("generation", "NumPy", "C compiler", "MPI", "Pillow", "engine: ", "one training step: right"):
        assert part in text


def test_another_module_of_the_name_is_reported(tmp_path, monkeypatch, capsys):
    (tmp_path / "paddle").mkdir()
    (tmp_path / "paddle" / "__init__.py").write_text("")
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)])
    assert main(["doctor"]) == 1
    assert f"wrong: {tmp_path / 'paddle'} is another module named paddle" in capsys.readouterr().out


@pytest.fixture
def shared(tmp_path):
    """A folder of packages where another distribution claims files of ours."""
    def make(record):
        info = tmp_path / "paddlepaddle-2.6.2.dist-info"
        info.mkdir()
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: paddlepaddle\nVersion: 2.6.2\n")
        (info / "RECORD").write_text(record)
        return tmp_path
    return make


def test_a_distribution_that_owns_files_of_the_package_is_found(shared):
    folder = shared("paddlepaddle-2.6.2.dist-info/METADATA,,\npaddle/__init__.py,sha256=x,1\n")
    assert neighbours.intruders(folder) == [("paddlepaddle", "2.6.2")]
    with pytest.raises(ImportError, match=r"(?s)paddlepaddle 2\.6\.2 and dygraph .*pip uninstall -y paddlepaddle dygraph.*"
                                          r"--force-reinstall --no-deps paddlepaddle==2\.6\.2"):
        neighbours.check(folder)


@pytest.mark.parametrize("record", ["paddlenlp/__init__.py,,\n", ""])
def test_packages_for_paddle_are_no_conflict(shared, record):
    neighbours.check(shared(record))


def test_the_import_and_the_console_script_say_it(shared):
    folder = shared("paddle/__init__.py,,\n")
    shutil.copy(os.path.join(PACKAGES, "dygraph_command.py"), folder)
    (folder / "paddle").mkdir()
    for name in ("__init__.py", "neighbours.py"):
        shutil.copy(os.path.join(PACKAGES, "paddle", name), folder / "paddle")
    (folder / "paddle" / "kernels").mkdir()
    (folder / "paddle" / "kernels" / "__init__.py").write_text("raise RuntimeError('a file of the other one is imported')")
    for command in (["-c", "import paddle"], ["dygraph_command.py", "doctor"]):
        done = subprocess.run([sys.executable, *command], cwd=folder, env={**os.environ, "PYTHONPATH": str(folder)},
                              stderr=subprocess.PIPE, text=True, timeout=120)
        assert done.returncode == 1 and "are installed in one environment" in done.stderr.splitlines()[-1]


def test_the_command_itself_is_no_module(tmp_path, monkeypatch, capsys):
    (tmp_path / "paddle").write_text("#!/bin/sh\n")  # as bin/paddle lies beside the interpreter
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    assert main(["doctor"]) == 0
    assert "another module" not in capsys.readouterr().out
