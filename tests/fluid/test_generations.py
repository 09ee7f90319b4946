"""The tables of older names, in docs/generations-details.md and behind paddle.utils.upgrade, are what the code says."""

import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts" / "generations.py"


@pytest.mark.skipif(not SCRIPT.exists(), reason="the scripts are not part of a source distribution")
def test_tables_are_up_to_date():
    child = subprocess.run([sys.executable, str(SCRIPT), "--check"], capture_output=True, text=True, timeout=120)
    assert child.returncode == 0, child.stdout + child.stderr
