"""scripts/docstrings.py counts what runs and what prints as written."""

import pathlib
import subprocess
import sys

import pytest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "docstrings.py"
SOURCE = '''
def right():
    """
    >>> 1 + 1
    2
    """


def wrong():
    """
    >>> 1 + 1
    3
    """


def raises():
    """
    >>> 1 / 0
    """


def skipped():
    """
    >>> 1 / 0  # doctest: +SKIP("no GPU")
    """
'''


@pytest.mark.skipif(not SCRIPT.exists(), reason="the scripts are not part of a source distribution")
def test_counts(tmp_path):
    (tmp_path / "module.py").write_text(SOURCE)
    child = subprocess.run([sys.executable, str(SCRIPT), str(tmp_path)], capture_output=True, text=True, timeout=120)
    assert child.stdout.splitlines()[-1] == "all: 3 examples, 2 run, 1 right", child.stdout + child.stderr
