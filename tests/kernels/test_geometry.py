"""Every native kernel on random geometries, each family in a process of its own: see geometry."""

import pathlib
import subprocess
import sys

import pytest

from . import test_rnn
from .engine import native
from .geometry import FAMILIES, Draw

ROOT = pathlib.Path(__file__).resolve().parents[2]
CASES = {"convolution": 120, "winograd": 30, "blocked": 120}  # of which each instruction set has its share
# what takes no arrays, operators and models of the C library, which tests/capi attacks, and memory that Pillow shows
OTHERS = {"arrow_picture", "brain_available", "chain_ops", "fail_allocation", "isa", "keep_freed_memory", "limit_openblas",
          "model_prepare", "model_read", "model_run", "model_session", "num_threads", "operator", "prepared", "set_isa",
          "set_num_threads",
          "set_winograd"}


@pytest.mark.parametrize("family", FAMILIES)
def test_no_kernel_reads_or_writes_past_its_arrays(family):
    command = [sys.executable, "-m", "tests.kernels.geometry", family, str(CASES.get(family, 60))]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr[-6000:]


class Watched:
    """The native module; it tells which of its functions were asked for."""

    def __init__(self):
        self.asked = set()

    def __getattr__(self, name):
        self.asked.add(name)
        return getattr(native, name)


def test_every_native_function_is_drawn(monkeypatch):
    watched = Watched()
    for module in {sys.modules[family.__module__] for family in FAMILIES.values()} | {test_rnn}:
        monkeypatch.setattr(module, "native", watched, raising=False)
    missing = {name for name in dir(native) if callable(getattr(native, name)) and not name.startswith("_")} - OTHERS
    for case in range(60):
        for name in FAMILIES if missing - watched.asked else ():
            FAMILIES[name](Draw([1, case]))
    assert not missing - watched.asked
