"""No memory: the C modules raise MemoryError wherever it is refused to them, lose nothing, and work again afterwards.

``python -m reliability.refusing`` from the folder tests, with refusing.c preloaded, does the same for all records of operators.
"""

import os
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from paddle.core import engine

HERE = Path(__file__).parent
COMPILER = shutil.which("cc") or shutil.which("gcc")
pytestmark = [pytest.mark.skipif(not COMPILER or platform.libc_ver()[0] != "glibc" or engine.fast is None,
                                 reason="needs a C compiler, glibc's names of its own functions, and the C engine"),
              pytest.mark.skipif("ASAN_OPTIONS" in os.environ, reason="AddressSanitizer has the functions already")]


@pytest.fixture(scope="module")
def preloaded(tmp_path_factory):
    """An environment in which allocations can be refused (refusing.c)."""
    made = tmp_path_factory.mktemp("refusing") / "refusing.so"
    subprocess.run([COMPILER, "-O1", "-shared", "-fPIC", str(HERE / "refusing.c"), "-o", str(made), "-ldl"], check=True)
    return {**os.environ, "LD_PRELOAD": str(made), "PYTHONMALLOC": "malloc", "OMP_NUM_THREADS": "1"}


@pytest.mark.parametrize("chosen, places", [
    (["call broadcast", "call routine", "call views"], 100), pytest.param(["call "], 250, marks=pytest.mark.slow),
    pytest.param(["record "], 1000, marks=pytest.mark.slow)], ids=["some", "tape", "operators"])
def test_every_place_that_asks_for_memory(preloaded, chosen, places):
    done = subprocess.run([sys.executable, "-m", "reliability.refusing", *chosen], cwd=HERE.parent, env=preloaded,
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    *bad, last = done.stdout.splitlines()
    assert not bad, "\n".join(bad)[:3000]
    assert int(re.match(r"(\d+) places", last)[1]) >= places
