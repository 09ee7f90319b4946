"""The programs in examples/ do what they promise."""

import importlib.util
import re
import subprocess
import sys

import pytest
from project.sources import ROOT


@pytest.mark.slow
def test_mnist_reaches_the_accuracy_in_a_pipe(tmp_path):
    done = subprocess.run([sys.executable, "-W", "error", str(ROOT / "examples" / "mnist.py")], cwd=tmp_path,
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert float(re.search(r"test accuracy (0\.\d+)", done.stdout)[1]) >= 0.979
    progress = re.findall(r"^step +(\d+)/938 \[=* *\] loss [\d.]+ +\d+ images/s +\d+ s left$", done.stdout, re.M)
    assert len(progress) == 10 and progress[-1] == "938"
    assert "\r" not in done.stdout and done.stderr == ""


def example(name):
    """The main function of an example, which is not part of a package."""
    spec = importlib.util.spec_from_file_location(f"example_{name}", ROOT / "examples" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.main


REDUCED = {  # name -> (arguments of main in reduced form, what its result must satisfy)
    "text_lstm": ((110,), lambda accuracy: accuracy > 0.9),
    "word2vec": ((200,), lambda share: share > 0.8),
    "policy_gradient": ((15,), lambda share: share > 0.8),
    "ocr_ctc": ((40,), lambda share: 0 <= share <= 1),  # too few steps to read; the loss must fall
    "gan_penalty": ((60,), lambda distance: distance < 0.6),  # 0.72 untrained
    "pinn": ((150,), lambda error: error < 0.1),
    "transfer": ((2,), lambda accuracies: accuracies[0] > 0.6),
    "classify_fit": ((4, 400), lambda accuracy: accuracy > 0.7),
    "translation": ((60,), lambda share: share > 0.12),  # a tenth by chance
    "recommender": ((10,), lambda error: error < 0.7),  # guessing the mean gives 1.1
    "detection": ((80,), lambda share: share > 0.1),
    "onnx_export": ((60,), lambda result: result[0] > 4000 and (result[1] is None or result[1] < 1e-5)),
    "quantization": ((120,), lambda accuracies: accuracies[1] > 0.6),
}


@pytest.mark.parametrize("name", REDUCED)
def test_reduced_form(name, capsys):
    arguments, holds = REDUCED[name]
    assert holds(example(name)(*arguments))
    losses = [float(x) for x in re.findall(r"step +\d+ +loss ([\d.]+)", capsys.readouterr().out)]
    assert len(losses) < 2 or losses[-1] < losses[0]


def test_examples_are_small():
    for path in (ROOT / "examples").glob("*.py"):
        assert len(path.read_text(encoding="utf-8").splitlines()) < 150, path
