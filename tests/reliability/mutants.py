"""Do the tests notice? Small faults are put into gradient rules, shape rules, kernels and the pickle machine, one at a time.

``python -m reliability.mutants NUMBER [SEED] [ROOM ...]`` from the folder tests (``make mutants``): each mutant is one changed
expression in a copy of the sources; it is killed when a test that runs the changed line fails, or hangs, within a minute. Results
are lines of ``build/mutants.jsonl``, and a run goes on where the last one ended. The tests are chosen by the coverage that
``make lines`` measured, those of kernels by the file's name, those of the pickle machine are its own; kernels are built for one
instruction set.
"""

import ast
import collections
import contextlib
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

import coverage

ROOT = Path(__file__).resolve().parents[2]
WORK = ROOT / "build" / "mutants"
RESULTS, LINES = ROOT / "build" / "mutants.jsonl", ROOT / "build" / "lines"
RECORDS = "tests/ops/test_ops.py::test_"
SECONDS, MOST_CASES, MOST_OTHERS = 60, 10, 12
NO_TESTS = 5  # exit code of pytest
TARGETS = {"ops": ("src/paddle/ops", "*.py"), "kernels": ("src/paddle/kernels/native", "*.[ci]*"),
           "pickle": ("src/paddle/serialization", "pickle*.py")}
SHARES = (("ops", 0.7), ("kernels", 0.2), ("pickle", 0.1))  # of all mutants


@dataclass(frozen=True)
class Mutant:
    """One place of one file, with what is to stand there."""

    room: str
    path: str  # from the project's root
    start: int  # bytes
    stop: int
    old: str
    new: str
    line: int


# ---- Python ----
SWAPPED = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Lt: ast.LtE, ast.LtE: ast.Lt,
           ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.And: ast.Or, ast.Or: ast.And}
LEFT_ALONE = (ast.Raise, ast.JoinedStr, ast.Assert, ast.Import, ast.ImportFrom)  # texts, and what only tells of an error


def changes(node):
    """The expressions that a fault may make of an expression."""
    if isinstance(node, ast.BinOp) and type(node.op) in SWAPPED:
        yield ast.BinOp(node.left, SWAPPED[type(node.op)](), node.right)
        if isinstance(node.op, (ast.Add, ast.Sub)):
            yield node.left  # a term dropped
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.Not)):
        yield node.operand
    elif isinstance(node, ast.Compare) and type(node.ops[0]) in SWAPPED:
        yield ast.Compare(node.left, [SWAPPED[type(node.ops[0])](), *node.ops[1:]], node.comparators)
    elif isinstance(node, ast.BoolOp):
        yield ast.BoolOp(SWAPPED[type(node.op)](), node.values)
    elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant) and type(node.slice.value) is int:
        yield ast.Subscript(node.value, ast.Constant(node.slice.value + 1), node.ctx)


def python_mutants(room, path):
    text = (ROOT / path).read_text(encoding="utf-8")
    starts = [0]
    for line in text.encode().split(b"\n"):
        starts.append(starts[-1] + len(line) + 1)

    def walk(node):
        if isinstance(node, LEFT_ALONE):
            return
        for new in changes(node):
            start, stop = starts[node.lineno - 1] + node.col_offset, starts[node.end_lineno - 1] + node.end_col_offset
            yield Mutant(room, path, start, stop, ast.unparse(node), f"({ast.unparse(new)})", node.lineno)
        for child in ast.iter_child_nodes(node):
            yield from walk(child)
    return [m for m in walk(ast.parse(text)) if f"({m.old})" != m.new]


# ---- C ----
C_CHANGES = ((r" \+ ", " - "), (r" - ", " + "), (r" \* ", " + "), (r" < ", " <= "), (r" <= ", " < "), (r" > ", " >= "),
             (r" >= ", " > "), (r" == ", " != "), (r" != ", " == "), (r" && ", " || "), (r"\b1\b", "2"), (r" \+= ", " -= "))


def c_mutants(room, path):
    found, offset = [], 0
    for number, line in enumerate((ROOT / path).read_text(encoding="utf-8").split("\n"), 1):
        code = line.partition("//")[0]
        if code.startswith((" ", "\t")) and not re.match(r"\s*(#|\*|/\*)", code) and '"' not in code and not code.endswith("\\"):
            for pattern, new in C_CHANGES:
                for match in re.finditer(pattern, code):
                    found.append(Mutant(room, path, offset + len(line[:match.start()].encode()),
                                        offset + len(line[:match.end()].encode()), match.group(), new, number))
        offset += len(line.encode()) + 1
    return found


# ---- which tests ----
class Tests:
    """The tests that ran each line of the sources, as `make lines` noted them."""

    def __init__(self):
        self.data = coverage.CoverageData(str(LINES / "python.data"))
        self.data.read()
        self.files = {}
        for name in self.data.measured_files():
            inside = "paddle" + name.rpartition("/lib/paddle")[2]
            source = ROOT / "src" / inside
            if source.exists() and source.read_bytes() == (LINES / "lib" / inside).read_bytes():  # else its lines have moved
                self.files[f"src/{inside}"] = name
        self.broad = collections.Counter(context for name in self.files.values()
                                         for found in self.data.contexts_by_lineno(name).values() for context in found)

    def of(self, path, line):
        """Some records of operators that run a line, and some of the other tests that do, the narrowest first."""
        found = set(self.data.contexts_by_lineno(self.files[path]).get(line, ())) - {""} if path in self.files else set()
        cases = sorted({name for t in found if t.startswith(RECORDS) and (name := record_of(t))})
        others = sorted((t for t in found if not t.startswith(RECORDS)), key=lambda t: (self.broad[t], t))
        return random.Random(0).sample(cases, min(len(cases), MOST_CASES)), others[:MOST_OTHERS]


def record_of(test):
    """The record that a test of tests/ops/test_ops.py is made of: ``test_case[name-check]`` or ``test_gradient[build-name]``."""
    kind, _, inside = test.removeprefix(RECORDS).removesuffix("]").partition("[")
    return inside.rpartition("-")[0] if kind == "case" else inside.partition("-")[2] if kind == "gradient" else None


def commands_for(mutant, tests):
    """The commands of which one must fail; none where no test enters the changed place."""
    pytest = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider"]
    if mutant.room == "kernels":
        stem = re.sub(r"(_loops)?\.\w+$", "", Path(mutant.path).name)
        named = [p for p in (ROOT / "tests" / "kernels").glob("test_*.py") if p.stem[5:].split("_")[0] == stem.split("_")[0]]
        return [[*pytest, *(sorted(f"kernels/{p.name}" for p in named) or ["kernels"])]]
    if mutant.room == "pickle":
        return [[*pytest, "serialization/test_pickle_safe.py", "serialization/test_pickle_write.py"]]
    cases, others = tests.of(mutant.path, mutant.line)
    commands = []
    if cases:
        commands.append([sys.executable, "-m", "reliability.mutants", "--cases", json.dumps(cases)])
    if others:
        commands.append([*pytest, *(t.removeprefix("tests/") for t in others)])
    return commands


def run_cases(names):
    """Every check of some records of operators, gradients on both builds of the tape; an error ends the process."""
    sys.path.insert(0, "ops")
    import opcase

    from paddle.core import engine
    for case in opcase.load_cases():
        for check in opcase.CHECKS if case.id in names else ():
            if opcase.applies(case, check):
                for build in ("c", "python") if check == "gradient" and engine.fast is not None else ("python",):
                    with engine.chosen(build) if check == "gradient" else contextlib.nullcontext():
                        opcase.CHECKS[check](case)


# ---- running ----
def make_tree():
    """A copy of sources and tests to put faults into."""
    shutil.rmtree(WORK, ignore_errors=True)
    leave = shutil.ignore_patterns("__pycache__")
    for name in ("src", "tests"):
        shutil.copytree(ROOT / name, WORK / name, ignore=leave)
    for name in ("setup.py", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, WORK / name)


def attempt(mutant, commands):
    """killed, survived, slow (the tests take too long here even without the fault) or, for C, unbuilt."""
    target = WORK / mutant.path
    whole = target.read_bytes()
    try:
        target.write_bytes(whole[:mutant.start] + mutant.new.encode() + whole[mutant.stop:])
        forget(target)
        if mutant.room == "kernels" and build():
            return "unbuilt"
        for command in commands:
            done = run(command, SECONDS)
            if done is None:
                target.write_bytes(whole)
                forget(target)
                return "slow" if mutant.room == "kernels" or run(command, SECONDS) is None else "killed"  # it hangs
            if done not in (0, NO_TESTS):
                return "killed"
        return "survived"
    finally:
        target.write_bytes(whole)
        forget(target)


def run(command, seconds):
    """The exit code of a command in the copied tests; None when it was not done in time."""
    environment = {**os.environ, "PYTHONPATH": str(WORK / "src"), "OMP_NUM_THREADS": "1"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    with subprocess.Popen(command, cwd=WORK / "tests", env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          start_new_session=True) as process:
        try:
            return process.wait(seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return None


def forget(source):
    """Remove what Python compiled of a source: two texts of one second and size would be taken for one."""
    for compiled in (source.parent / "__pycache__").glob(f"{source.stem}.*.pyc"):
        compiled.unlink()


def build():
    """Compile the copy for the baseline instruction set alone; the exit code."""
    environment = {**os.environ, "CFLAGS": "-DNATIVE_X86=0 -O1"}
    if shutil.which("ccache"):
        environment["CC"] = "ccache cc"
    return subprocess.run([sys.executable, "setup.py", "-q", "build_ext", "--inplace"], cwd=WORK, env=environment,
                          capture_output=True).returncode


def choose(number, seed, rooms):
    """The mutants of a seed, spread over the rooms."""
    rng, chosen = random.Random(f"mutants {seed}"), []
    for room, share in SHARES:
        if room not in rooms:
            continue
        folder, pattern = TARGETS[room]
        make = c_mutants if room == "kernels" else python_mutants
        files = {p: make(room, str(p.relative_to(ROOT))) for p in sorted((ROOT / folder).rglob(pattern))}
        everything = [m for found in files.values() for m in found]
        chosen += rng.sample(everything, min(len(everything), round(number * share)))
    rng.shuffle(chosen)
    return sorted(chosen, key=lambda m: m.room == "kernels")  # last: each leaves a faulty build behind, which the next replaces


def main(number, seed, rooms):
    RESULTS.parent.mkdir(exist_ok=True)
    known = [json.loads(line) for line in RESULTS.read_text().splitlines()] if RESULTS.exists() else []
    done = {(r["path"], r["start"], r["stop"], r["new"]) for r in known}
    tests = Tests()
    make_tree()
    for mutant in choose(number, seed, rooms):
        moved = mutant.room != "kernels" and mutant.path not in tests.files
        if moved or (mutant.path, mutant.start, mutant.stop, mutant.new) in done:
            continue
        commands = commands_for(mutant, tests)
        result = attempt(mutant, commands) if commands else "not reached"
        with RESULTS.open("a") as file:
            file.write(json.dumps({**asdict(mutant), "result": result}) + "\n")
        if result != "killed":
            print(f"{result}: {mutant.path}:{mutant.line}: {mutant.old}  ->  {mutant.new}", flush=True)
    print(collections.Counter(json.loads(line)["result"] for line in RESULTS.read_text().splitlines()))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--cases"]:
        run_cases(json.loads(sys.argv[2]))
    else:
        numbers = [int(word) for word in sys.argv[1:] if word.isdigit()]
        named = [word for word in sys.argv[1:] if not word.isdigit()]
        main(numbers[0] if numbers else 500, numbers[1] if len(numbers) > 1 else 1, named or [room for room, _ in SHARES])
