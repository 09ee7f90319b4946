"""Helpers of the scripts that try the package outside the repository."""

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGED = ["pyproject.toml", "setup.py", "MANIFEST.in", "README.md", "LICENSE", "src"]
PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]


@contextlib.contextmanager
def folder() -> Iterator[Path]:
    """A temporary folder outside the repository, removed at the end."""
    with tempfile.TemporaryDirectory(prefix="dygraph-") as name:
        yield Path(name).resolve()


def copy_sources(target: Path) -> Path:
    """Copies what a wheel is made from, so that no left-over of an earlier build gets into it."""
    for name in PACKAGED:
        source = ROOT / name
        if source.is_dir():
            skip = shutil.ignore_patterns("__pycache__", "*.so", "*.o", "*.egg-info")
            shutil.copytree(source, target / name, ignore=skip)
        elif source.exists():
            target.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target / name)
    return target


def build_wheel(work: Path, target: Path) -> Path:
    """Builds a wheel of the sources into `target`, in an isolated build environment."""
    run([*PIP, "wheel", "--no-deps", "--wheel-dir", target, copy_sources(work / "sources")])
    return max(target.glob("dygraph-*.whl"), key=lambda path: path.stat().st_mtime)


def run(command: list, cwd: Path | None = None, **env: str) -> None:
    """Runs a command with PYTHONPATH unset; ends the script when it fails."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"} | env
    done = subprocess.run([str(part) for part in command], cwd=cwd, env=environment)
    if done.returncode:
        sys.exit(f"failed ({done.returncode}): {' '.join(str(part) for part in command)}")


def size(path: Path) -> int:
    """Bytes in the files below `path`."""
    if path.is_file():
        return path.stat().st_size
    return sum(p.stat().st_size for p in path.rglob("*") if p.is_file() and not p.is_symlink())
