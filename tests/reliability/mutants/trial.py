"""One mutant: a child of this process gets the fault and runs the tests that reach it.

The parent has imported the package, the tests' harness and its records once, so that a trial of Python costs little more than its
tests: the child gives the changed code to the functions that have the old one. Where that is not the same thing (the module's own
text is changed, or a function that ran at import), where it kills nothing, and for C, the changed file is put into the tree and a
child without the package imports it. A child ends at the first test that fails, crashes or takes far longer than without the fault.
"""

import contextlib
import gc
import importlib
import os
import resource
import select
import shutil
import signal
import sys
import time
import types
import warnings

import pytest

from . import faults, reach, tree

SECONDS = 60  # of processor time for the tests of a mutant
PATIENCE = 20  # seconds that a single test may take
WALL = 1800  # for a child that waits for ever
MEMORY = 8 << 30
REPLAYS = "tests/oracle/test_replay.py::test_agrees_with_paddle["
FAULT_TIME = 2_000_000_000  # of a changed file: the compiled file of the sound one does not fit it


# ---- in the child ----
class Watch:
    """Tells the parent which test failed."""

    def __init__(self, pipe):
        self.pipe = pipe

    def begin(self, test):
        os.write(self.pipe, f"{test}\n".encode())
        if time.process_time() > SECONDS:
            os._exit(0)
        signal.setitimer(signal.ITIMER_PROF, PATIENCE)  # whose signal ends the process

    def pytest_runtest_logstart(self, nodeid):
        self.begin(nodeid)

    def pytest_runtest_logreport(self, report):
        if report.failed:
            os._exit(1)


def enter_tree():
    """This process imports the package and the tests of the tree."""
    sys.dont_write_bytecode = True
    tests = tree.TREE / "tests"
    sys.path[:0] = [str(tree.TREE / "src"), str(tests / "ops"), str(tests / "oracle"), str(tests)]
    os.chdir(tree.TREE)
    os.environ["OMP_NUM_THREADS"] = "1"


def run_tests(tests, pipe):
    """Records of operators and recorded calls by themselves, without collecting them all, then the others by pytest."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    watch = Watch(pipe)
    direct = [test for test in tests if is_direct(test)]
    if direct:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            watch.begin("import")
            run = runners()
            for test in direct:
                run_directly(test, run, watch)
    rest = [test for test in tests if not is_direct(test)]
    if rest:
        watch.begin("collection")
        if pytest.main(["-x", "-q", "-p", "no:cacheprovider", "--tb=no", *rest], plugins=[watch]) not in (0, 5):
            os._exit(1)


def is_direct(test):
    """Is it one of the tests that are made of tables: tests/ops/test_ops.py, tests/oracle/test_replay.py?"""
    return test.startswith((reach.RECORDS + "case[", reach.RECORDS + "gradient[", REPLAYS))


def runners():
    """What runs them: (the harness of records, {name: record}, {key: check} of recorded calls, how to choose a build)."""
    import opcase
    import oracle_check
    import oracle_structure

    from paddle.core import engine
    replays = {**dict.fromkeys(oracle_check.recorded(), oracle_check.replay), **oracle_structure.checks()}
    for key in oracle_check.pending():
        replays.pop(key, None)
    return opcase, {case.id: case for case in opcase.load_cases()}, replays, engine.chosen


def run_directly(test, run, watch):
    """One of them, as its parametrized function would."""
    opcase, cases, replays, chosen = run
    inner = test.removesuffix("]").partition("[")[2]
    if test.startswith(REPLAYS):
        if inner in replays:
            watch.begin(test)
            replays[inner](inner)
        return
    gradient = test.startswith(reach.RECORDS + "gradient")
    case, check = cases[reach.record_of(test)], "gradient" if gradient else inner.rpartition("-")[2]
    if opcase.applies(case, check):
        watch.begin(test)
        with chosen(inner.partition("-")[0]) if gradient else contextlib.nullcontext():
            opcase.CHECKS[check](case)


# ---- changed functions ----
ran_at_import = set()  # (file, line) of functions


def import_once():
    """Import the package and the records, noting the functions that run meanwhile."""
    enter_tree()

    def note(frame, event, argument):
        if event == "call":
            ran_at_import.add((frame.f_code.co_filename, frame.f_code.co_firstlineno))
    sys.setprofile(note)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            runners()
            for folder, pattern in faults.TARGETS.values():  # some are imported when first used
                for file in (tree.TREE / folder).rglob(pattern) if pattern.endswith(".py") else ():
                    name = ".".join(file.relative_to(tree.TREE / "src").with_suffix("").parts)
                    importlib.import_module(name.removesuffix(".__init__"))
    finally:
        sys.setprofile(None)


def changed_code(mutant):
    """[(old, new)] code objects of the functions of a file that a fault changes; None where functions are not all of it."""
    file = tree.TREE / mutant.path
    whole = file.read_bytes()
    old = compile(whole, str(file), "exec", dont_inherit=True)
    new = compile(whole[:mutant.start] + mutant.new.encode() + whole[mutant.stop:], str(file), "exec", dont_inherit=True)
    pairs, own = [], set()
    if not compare(old, new, pairs, own) or own & ran_at_import:
        return None
    return pairs


def compare(old, new, pairs, own):
    """Note the code objects below one that differ, and the places of those that do so themselves; is its own text the same?"""
    inner = [[c for c in code.co_consts if isinstance(c, types.CodeType)] for code in (old, new)]
    rest = [[c for c in code.co_consts if not isinstance(c, types.CodeType)] for code in (old, new)]
    if len(inner[0]) != len(inner[1]):
        return False
    for a, b in zip(*inner):
        if a != b:
            pairs.append((a, b))
            if not compare(a, b, pairs, own):
                own.add((a.co_filename, a.co_firstlineno))
    return old.co_code == new.co_code and repr(rest[0]) == repr(rest[1]) and old.co_names == new.co_names


def give(pairs):
    """Every function that has the old code gets the new; how many did?"""
    table, count = dict(pairs), 0
    for function in gc.get_objects():
        if type(function) is types.FunctionType and function.__code__ in table:
            function.__code__ = table[function.__code__]
            count += 1
    return count


# ---- in the parent ----
def run_child(tests, pairs=None):
    """("killed" or "survived" or "slow", the last test that was begun)."""
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        os.setsid()
        nowhere = os.open(os.devnull, os.O_RDWR)
        for k in range(3):
            os.dup2(nowhere, k)
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        try:
            if pairs is None:
                enter_tree()
            elif not give(pairs):
                os._exit(0)
            run_tests(tests, theirs)
        except BaseException:
            os._exit(1)
        os._exit(0)
    os.close(theirs)
    text, until, result = b"", time.monotonic() + WALL, None
    while result is None:
        if select.select([ours], [], [], 1.0)[0]:
            more = os.read(ours, 65536)
            text += more
            if not more:  # all of its processes have closed it
                result = "survived" if os.waitpid(child, 0)[1] == 0 else "killed"
                break
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            result = "survived" if status == 0 else "killed"
        elif time.monotonic() > until:
            result = "slow"
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
    with contextlib.suppress(OSError):
        os.killpg(child, signal.SIGKILL)  # workers that it left
    os.close(ours)
    begun = text.decode(errors="replace").split("\n")
    return result, begun[-2] if len(begun) > 1 else ""


@contextlib.contextmanager
def changed(file, mutant):
    """A file with a mutant's fault in it."""
    whole, times = file.read_bytes(), file.stat()
    try:
        file.write_bytes(whole[:mutant.start] + mutant.new.encode() + whole[mutant.stop:])
        os.utime(file, (FAULT_TIME, FAULT_TIME))
        yield
    finally:
        file.write_bytes(whole)
        os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))


def attempt_functions(mutant, tests):
    """The same by changed functions alone; None where that does not decide."""
    pairs = changed_code(mutant)
    result = run_child(tests, pairs) if pairs else None
    return result if result is not None and result[0] == "killed" else None


def attempt(mutant, tests, compiler):
    """(killed, survived, slow, unbuilt or not reached; the test that was run last)."""
    if not tests:
        return "not reached", ""
    if mutant.room != "kernels":
        with changed(tree.TREE / mutant.path, mutant):
            return run_child(tests)
    readers = compiler.readers(mutant.path)
    objects = [compiler.object_of(source) for source in readers]
    for made in objects:
        shutil.copy2(made, f"{made}.sound")
    try:
        with changed(tree.SOURCES / mutant.path, mutant):
            if any(compiler.compile(source, counting=False) for source in readers):
                return "unbuilt", ""
        compiler.link()
        return run_child(tests)
    finally:
        for made in objects:
            os.replace(f"{made}.sound", made)
