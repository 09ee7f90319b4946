"""Which lines do the tests run? ``python -m reliability.lines [ROOM ...]`` from the folder tests (``make lines``).

The C sources are built with gcov's counters into ``build/lines``, the tests of all rooms run on that build under coverage.py. Those
of core and ops run once more without C, as ``make test`` does, and some slow ones, as ``make test-all`` does. Then the
shares are printed: lines of core/, ops/, static/ and serialization/, lines and branches of C. Rooms that are named run again, and
what they reach is added to what is known. ``--report`` prints the shares again, ``--report FOLDER`` with the lines that no test
runs.

A text of C counts once: what is compiled for several instruction sets and types, and functions that disappear into their callers.
"""

import collections
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import coverage

ROOT = Path(__file__).resolve().parents[2]
LINES = ROOT / "build" / "lines"
PACKAGE = LINES / "lib" / "paddle"
PYTHON = ("core", "ops", "static", "serialization")
C = ("src/paddle/core", "src/paddle/kernels/native", "src/capi")
LATE = ("project", "clients", "distributed")  # rooms that run no code of the package here that others don't: ranks are not watched
WITHOUT_C = ("core", "ops")  # rooms that `make test` runs without C too
# slow tests that reach what no quick one does
SLOW = {"capi": ("test_scarce.py", "test_damage.py", "test_changed_json.py"), "reliability": ("test_no_memory.py",)}


def build():
    """The package with instrumented C in build/lines/lib."""
    subprocess.run([sys.executable, "setup.py", "-q", "build", "--build-base", str(LINES), "--build-lib", str(LINES / "lib")],
                   cwd=ROOT, env={**os.environ, "PADDLE_NATIVE_LINES": "1"}, check=True)


def settings():
    """What is measured, as a file that coverage.py reads."""
    path = LINES / "coverage.ini"
    sources = "".join(f"\n    {PACKAGE / room}" for room in PYTHON)
    path.write_text(f"[run]\ndata_file = {LINES / 'python.data'}\nsource ={sources}\n")
    return path


def run(rooms):
    """The tests of the rooms, one process each, so that what was measured outlives a crash."""
    environment = {**os.environ, "PYTHONPATH": str(LINES / "lib"), "OMP_NUM_THREADS": "1"}
    plain = {**environment, "FLAGS_use_fast_kernels": "0"}
    runs = [([f"tests/{room}"], environment) for room in rooms]
    runs += [([f"tests/{room}"], plain) for room in rooms if room in WITHOUT_C]
    runs += [(["-m", "slow", *(f"tests/{room}/{file}" for file in SLOW[room])], environment) for room in rooms if room in SLOW]
    for chosen, variables in runs:
        print(*chosen, "without C" if variables is plain else "", flush=True)
        began = time.monotonic()
        subprocess.run([sys.executable, "-m", "coverage", "run", "--append", f"--rcfile={settings()}", "-m", "pytest", "-q",
                        "-p", "no:cacheprovider", *chosen], cwd=ROOT, env=variables)
        print(f"{time.monotonic() - began:.0f} s", flush=True)


def forget():
    """What was measured before."""
    for old in [*LINES.glob("python.data*"), *LINES.rglob("*.gcda")]:
        old.unlink()


# ---- what was measured ----
def python_lines(folder):
    """{file: (lines, those that no test ran)} of a folder of the package."""
    measured = coverage.Coverage(config_file=str(settings()))
    measured.load()
    found = {}
    for path in sorted((PACKAGE / folder).rglob("*.py")):
        _, lines, _, missed, _ = measured.analysis2(str(path))
        if lines:
            found[f"src/paddle/{path.relative_to(PACKAGE)}"] = lines, missed
    return found


def c_lines(folder):
    """{file: (lines, those that no test ran, branches, branches taken)}; a text compiled several times counts once."""
    objects = next(LINES.glob("temp.*"))
    counts, branches = collections.defaultdict(dict), collections.defaultdict(dict)
    for notes in sorted((objects / folder).rglob("*.gcno")):
        done = subprocess.run(["gcov", "--json-format", "--stdout", "--branch-probabilities", str(notes)], cwd=ROOT,
                              capture_output=True, text=True)
        for line in done.stdout.splitlines():
            for file in json.loads(line)["files"]:
                name = os.path.normpath(file["file"])
                for entry in file["lines"] if name.startswith(folder) else ():
                    number = entry["line_number"]
                    counts[name][number] = counts[name].get(number, 0) + entry["count"]
                    for k, branch in enumerate(entry["branches"]):
                        branches[name][number, k] = branches[name].get((number, k), 0) + branch["count"]
    return {name: (sorted(counts[name]), sorted(n for n, count in counts[name].items() if not count), len(branches[name]),
                   sum(count > 0 for count in branches[name].values())) for name in sorted(counts)}


def share(some, whole):
    return f"{100 * some / whole:.1f} %" if whole else "-"


def report(shown):
    """One line a folder; of the folders ``shown`` each file with the lines that no test runs."""
    for folder in PYTHON:
        found = python_lines(folder)
        whole, missed = (sum(len(entry[k]) for entry in found.values()) for k in (0, 1))
        print(f"src/paddle/{folder}: {whole} lines, {share(whole - missed, whole)} run")
        for name, (_, lines) in found.items() if folder in shown else ():
            print(f"    {name}: {lines}" if lines else "", end="\n" if lines else "")
    for folder in C:
        found = c_lines(folder)
        whole, missed = (sum(len(entry[k]) for entry in found.values()) for k in (0, 1))
        every, taken = (sum(entry[k] for entry in found.values()) for k in (2, 3))
        print(f"{folder}: {whole} lines of C, {share(whole - missed, whole)} run; {every} branches, {share(taken, every)} taken")
        for name, (_, lines, *_) in found.items() if folder in shown else ():
            print(f"    {name}: {lines}" if lines else "", end="\n" if lines else "")


if __name__ == "__main__":
    if sys.argv[1:2] != ["--report"]:
        build()
        if not sys.argv[1:]:
            forget()
        run(sys.argv[1:] or [p.name for p in sorted((ROOT / "tests").iterdir()) if (p.is_dir() and any(p.glob("test_*.py"))
                                                                                   and p.name not in LATE)])
    report(sys.argv[2:])
