"""Tell what runs here: versions, engine, optional packages, what conflicts; then train one step. The text is made to be sent along
with a question."""

import importlib.metadata
import os
import platform
import shutil
import subprocess
import sys

from ..core.context import get_generation
from ..core.rules import MODERN
from ..distributed.launch.mpiexec import find_mpiexec
from ..utils.install_check import run_check
from ..version import dygraph_version

HELP = "tell what runs here and what conflicts, and train one step"

OPTIONAL = {  # distribution -> what it is for
    "Pillow": "PIL images in vision.transforms and datasets", "ml_dtypes": "bfloat16 arrays in NumPy",
    "safetensors": "its own Python interface", "onnx": "checking exported models", "onnxruntime": "running exported models",
    "mpi4py": "several processes", "libcst": "paddle migrate", "tqdm": "progress bars in notebooks", "matplotlib": "curves",
    "tensorboard": "paddle board"}


def arguments(parser):
    """What the subcommand takes."""
    parser.add_argument("--report-only", action="store_true", help="leave the training step out")


def run(given):
    """Print the report; exit code 1 if something is wrong."""
    import numpy as np

    import paddle

    _rows([
        ("dygraph", f"{dygraph_version} in {os.path.dirname(paddle.__file__)}"),
        ("generation", f"{get_generation()} (default: programs of Paddle {MODERN.version})"),
        ("Python", f"{platform.python_version()} ({platform.python_implementation()}) on {platform.platform()}"),
        ("NumPy", np.__version__),
        ("C compiler", _compiler()),
        ("MPI", _mpi()),
        ("data folder", os.path.expanduser(os.path.join("~", ".cache", "paddle")))])
    print("\noptional packages:")
    _rows([(name, f"{_installed(name) or 'not installed':14} {what}") for name, what in OPTIONAL.items()])
    wrong = _others()
    for sentence in wrong:
        print(f"\nwrong: {sentence}")
    if not given.report_only:
        print()
        run_check()
    return 1 if wrong else 0


def _rows(rows):
    width = max(len(name) for name, _ in rows)
    for name, value in rows:
        print(f"  {name:{width}}  {value}")


def _installed(name):
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _compiler():
    found = next(filter(None, map(shutil.which, [os.environ.get("CC", "cc").split()[0], "gcc", "clang"])), None)
    return f"{found}: {_version([found, '--version'])}" if found else "none (a prebuilt wheel needs none)"


def _mpi():
    try:
        return find_mpiexec()
    except ImportError as error:
        return f"none: {error}"


def _version(command):
    """The first line that a program says of itself, or None."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip().splitlines()[0][:100] if done.returncode == 0 and done.stdout.strip() else None


def _others():
    """Sentences on other packages named ``paddle`` that this interpreter could import instead."""
    import paddle
    own, found = os.path.dirname(os.path.abspath(paddle.__file__)), []
    for folder in dict.fromkeys(os.path.abspath(p or os.getcwd()) for p in sys.path):
        for other, file in (("paddle", "paddle/__init__.py"), ("paddle.py", "paddle.py")):  # the command `paddle` is none
            other = os.path.join(folder, other)
            if os.path.isfile(os.path.join(folder, file)) and os.path.realpath(other) != os.path.realpath(own):
                found.append(f"{other} is another module named paddle on the path; the first one is imported")
    return found
