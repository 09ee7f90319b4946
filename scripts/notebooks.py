"""Executes the notebooks of notebooks/ without a browser: ``make notebooks``. A cell that raises ends it with code 1."""

import pathlib
import sys
import time

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

ROOT = pathlib.Path(__file__).resolve().parent.parent


def main(names):
    failed = 0
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        if names and path.stem not in names:
            continue
        start = time.perf_counter()
        try:
            NotebookClient(nbformat.read(path, as_version=4), timeout=300, kernel_name="python3").execute(cwd=str(path.parent))
            print(f"{path.name}: right, {time.perf_counter() - start:.1f} s")
        except CellExecutionError as error:
            failed += 1
            print(f"{path.name}: {error}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
