"""Which tests run which lines: a plugin of pytest (``-p reliability.mutants.reach``) that notes it, and what is asked of the notes.

Lines of Python come from coverage.py. The module of kernels marks each block of code that is entered (tree.py); after each test the
marks become lines of C, and are cleared. Both are noted in files of coverage.py, under the test's name.
"""

import collections
import ctypes
import json
import os
import random
import subprocess
import sys
import time

import coverage
import pytest

from . import tree

FOLDER = tree.ROOT / "build" / "mutants" / "reach"
PYTHON = ("ops", "serialization")
RECORDS = "tests/ops/test_ops.py::test_"
# of the checks of a record those whose lines the others run too; a mutant that they reach meets all of them
SHORT = ("-value]", "-kernels]", "-static]", "-errors]", "-small]")
FURTHER = ("alone", "second", "static_gradient", "memory", "noncontiguous", "method", "unknown")
ENOUGH = 30.0  # seconds of tests for one mutant
NARROW, SOME = 60, 150  # tests that run few lines, others


class Notes:
    """While the tests of one room run."""

    def __init__(self, room):
        import numpy as np
        self.np, self.room, self.seconds, self.seen = np, room, {}, None
        self.python = coverage.Coverage(data_file=str(FOLDER / f"{room}.python"), config_file=False,
                                        source=[str(tree.TREE / "src" / "paddle" / part) for part in PYTHON])
        self.python.start()
        self.c = coverage.CoverageData(str(FOLDER / f"{room}.c"))
        self.blocks = tree.blocks()

    def marks(self):
        """The array of marks: one byte for each byte of the module's code."""
        if self.seen is None:
            from paddle import _native
            library = ctypes.CDLL(_native.__file__)
            library.reliability_seen.restype = ctypes.POINTER(ctypes.c_uint8)
            size = max(self.blocks) + 1
            self.seen = self.np.ctypeslib.as_array(library.reliability_seen(), shape=(size,))
        return self.seen

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item):
        marks = self.marks()
        marks[:] = 0
        self.python.switch_context(item.nodeid)
        began = time.process_time()
        try:
            return (yield)
        finally:
            if item.nodeid not in self.seconds:
                self.seconds[item.nodeid] = round(time.process_time() - began, 3)
            self.python.switch_context("")
            # copied: threads of the pool may still mark where they wait
            self.note(item.nodeid, self.np.flatnonzero(marks.copy()).tolist())

    def pytest_collection_modifyitems(self, items):
        items[:] = [item for item in items if not item.nodeid.startswith(RECORDS) or item.nodeid.endswith(SHORT)
                    or item.nodeid.startswith(RECORDS + "gradient[c-")]

    def pytest_runtest_logreport(self, report):
        if report.failed:
            self.seconds[report.nodeid] = None  # it can kill nothing

    def note(self, test, entered):
        """The lines of the blocks that were entered."""
        found = collections.defaultdict(set)
        for address in entered:
            for path, line in self.blocks.get(address, ()):
                found[path].add(line)
        self.c.set_context(test)
        self.c.add_lines(found)

    def pytest_sessionfinish(self):
        self.python.stop()
        self.python.save()
        self.c.write()
        (FOLDER / f"{self.room}.seconds").write_text(json.dumps(self.seconds))


def pytest_configure(config):
    config.pluginmanager.register(running)


running = Notes(os.environ["REACH_ROOM"]) if "REACH_ROOM" in os.environ else None  # before conftest.py imports the package


def run(room):
    """The tests of a room, with notes, unless they are noted already."""
    if (FOLDER / f"{room}.seconds").exists():
        return
    FOLDER.mkdir(parents=True, exist_ok=True)
    for old in FOLDER.glob(f"{room}.*"):
        old.unlink()
    environment = {**os.environ, "REACH_ROOM": room, "PYTHONPATH": f"{tree.TREE / 'src'}:{tree.ROOT / 'tests'}",
                   "OMP_NUM_THREADS": "1"}
    subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "reliability.mutants.reach", "--tb=line",
                    f"tests/{room}"], cwd=tree.TREE, env=environment)


class Reach:
    """What was noted."""

    def __init__(self, rooms):
        self.seconds, self.data, self.by_path, self.broad = {}, [], {}, collections.Counter()
        for room in rooms:
            self.seconds.update(json.loads((FOLDER / f"{room}.seconds").read_text()))
            for kind in ("python", "c"):
                data = coverage.CoverageData(str(FOLDER / f"{room}.{kind}"))
                data.read()
                self.data.append((data, {inside(name): name for name in data.measured_files()}))

    def lines(self, path):
        """{line: tests that run it} of a file."""
        if path not in self.by_path:
            found = self.by_path[path] = collections.defaultdict(set)
            for data, names in self.data:
                for line, tests in data.contexts_by_lineno(names[path]).items() if path in names else ():
                    found[line].update(t for t in tests if t)
        return self.by_path[path]

    def count(self, paths):
        """How many lines each test runs in some files: the fewer, the more it is about each of them."""
        self.broad = collections.Counter(t for path in paths for tests in self.lines(path).values() for t in tests)

    def tests(self, mutant):
        """The tests that run a mutant's line, the narrowest first, then some of the others; at import: of the file's lines."""
        lines = self.lines(mutant.path)
        found = lines.get(mutant.line, set())
        if not found and mutant.room != "kernels":  # a line of a longer expression, or one that runs at import
            found = set().union(*lines.values())
        ordered = sorted((t for t in found if self.seconds[t] is not None), key=lambda t: (self.broad[t], t))
        others = ordered[NARROW:]
        chosen = ordered[:NARROW] + random.Random(0).sample(others, min(len(others), SOME))
        taken, total = [], 0.0
        for test in chosen:
            total += self.seconds[test]
            if total < ENOUGH or not taken:
                taken.append(test)
        return taken + [t for name in dict.fromkeys(map(record_of, taken)) if name for t in further_checks(name)]


def record_of(test):
    """The record that a test of tests/ops/test_ops.py is made of: ``test_case[name-check]`` or ``test_gradient[build-name]``."""
    if not test.startswith(RECORDS):
        return None
    kind, _, inner = test.removeprefix(RECORDS).removesuffix("]").partition("[")
    return inner.rpartition("-")[0] if kind == "case" else inner.partition("-")[2] if kind == "gradient" else None


def further_checks(name):
    """What else is checked of a record; not all of it applies to each."""
    return [f"{RECORDS}case[{name}-{check}]" for check in FURTHER] + [f"{RECORDS}gradient[python-{name}]"]


def inside(name):
    """A file's path from the project's root."""
    return name.removeprefix(f"{tree.TREE}/")
