"""The programs in examples/ do what they promise."""

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
