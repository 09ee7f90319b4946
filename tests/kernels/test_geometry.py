"""Every native kernel on random geometries, each family in a process of its own: see geometry.py."""

import pathlib
import subprocess
import sys

import pytest

from .geometry import FAMILIES

ROOT = pathlib.Path(__file__).resolve().parents[2]
CASES = {"convolution": 120, "winograd": 30, "blocked": 120}  # of which each instruction set has its share


@pytest.mark.parametrize("family", FAMILIES)
def test_no_kernel_reads_or_writes_past_its_arrays(family):
    command = [sys.executable, "-m", "tests.kernels.geometry", family, str(CASES.get(family, 60))]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr[-6000:]
