"""Do the tests notice? Small faults are put into gradient rules, shape rules, kernels and the pickle machine, one at a time.

``python -m reliability.mutants NUMBER [SEED]`` from the folder tests (``make mutants``): each mutant is one changed expression in a
copy of the sources; it is killed when a test of its own room fails within a minute. Results are lines of ``build/mutants.jsonl``,
and a run goes on where the last one ended. The tests are chosen by coverage for operators (the OpCases that enter the changed
function, then the test files that name it), by name for kernels and files.
"""

import ast
import json
import os
import random
import re
import shutil
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WORK = ROOT / "build" / "mutants"
RESULTS = ROOT / "build" / "mutants.jsonl"
SECONDS, MOST_CASES = 60, 24
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
def cases_by_function():
    """(file, first line of a function) -> ids of the OpCases that enter it, going forward, backward and twice backward."""
    sys.path.insert(0, str(ROOT / "tests" / "ops"))
    import opcase
    table, entered = {}, set()

    def watch(frame, event, argument):
        if event == "call" and "paddle/ops" in frame.f_code.co_filename:
            entered.add((frame.f_code.co_filename, frame.f_code.co_firstlineno))
    for case in opcase.load_cases():
        entered.clear()
        sys.setprofile(watch)
        try:
            opcase.ops_run_by(case)
        finally:
            sys.setprofile(None)
        for name, line in entered:
            name = "src/paddle" + name.rpartition("src/paddle")[2]
            table.setdefault(f"{name}:{line}", []).append(case.id)
    return table


def enclosing(mutant):
    """The functions and lambdas around a mutant, the innermost first: (first line, name or None)."""
    tree = ast.parse((ROOT / mutant.path).read_text(encoding="utf-8"))
    around = [n for n in ast.walk(tree) if isinstance(n, (ast.FunctionDef, ast.Lambda)) and n.lineno <= mutant.line <= n.end_lineno]
    around.sort(key=lambda n: n.end_lineno - n.lineno)
    return [(min([n.lineno, *[d.lineno for d in getattr(n, "decorator_list", ())]]), getattr(n, "name", None)) for n in around]


def files_that_name(words):
    """Up to six test files that hold one of the words, the smallest first; names of classes count (Adadelta for adadelta)."""
    pattern = re.compile("|".join(rf"\b{re.escape(word)}_?\b" for word in words), re.IGNORECASE)
    found = [p for p in (ROOT / "tests").rglob("test_*.py") if p.parts[-2] not in ("ops", "project", "capi")
             and pattern.search(p.read_text(encoding="utf-8").replace("_", ""))]
    return [str(p.relative_to(ROOT / "tests")) for p in sorted(found, key=lambda p: p.stat().st_size)[:6]]


def commands_for(mutant, table):
    """The commands of which one must fail; none where no test enters the changed place."""
    pytest = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider"]
    if mutant.room == "pickle":
        return [[*pytest, "serialization/test_pickle_safe.py", "serialization/test_pickle_write.py"]]
    if mutant.room == "kernels":
        stem = re.sub(r"(_loops)?\.\w+$", "", Path(mutant.path).name)
        named = [p for p in (ROOT / "tests" / "kernels").glob("test_*.py") if p.stem[5:].split("_")[0] == stem.split("_")[0]]
        return [[*pytest, *(sorted(f"kernels/{p.name}" for p in named) or ["kernels"])]]
    found, commands = enclosing(mutant), []
    ids = next((table[key] for line, _ in found if (key := f"{mutant.path}:{line}") in table), ())
    if ids:
        chosen = random.Random(0).sample(ids, min(len(ids), MOST_CASES))
        commands.append([sys.executable, "-m", "reliability.mutants", "--cases", ",".join(chosen)])
    names = [name.strip("_") for _, name in found if name] + [re.match(r"\w*", case)[0] for case in ids[:9]]
    words = sorted(set(names) - {""})
    if words:  # what was recorded of the real Paddle under that name, then the files that hold it
        commands.append([*pytest, "oracle/test_replay.py", "-k", " or ".join(words)])
        files = files_that_name([word.replace("_", "") for word in words[:4]])
        commands += [[*pytest, *files]] if files else []
    return commands


def run_cases(ids):
    """Every check of some OpCases; an error ends the process with a traceback."""
    sys.path.insert(0, "ops")
    import opcase
    wanted = set(ids)
    for case in opcase.load_cases():
        if case.id in wanted:
            for check in opcase.CHECKS:
                if opcase.applies(case, check):
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
    """killed, survived, slow (not decided within the time: it hangs, or the tests take too long here) or, for C, unbuilt."""
    target = WORK / mutant.path
    whole = target.read_bytes()
    environment = {**os.environ, "PYTHONPATH": str(WORK / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        target.write_bytes(whole[:mutant.start] + mutant.new.encode() + whole[mutant.stop:])
        if mutant.room == "kernels" and build(environment):
            return "unbuilt"
        for command in commands:
            done = subprocess.run(command, cwd=WORK / "tests", env=environment, capture_output=True, timeout=SECONDS)
            if done.returncode not in (0, NO_TESTS):
                return "killed"
        return "survived"
    except subprocess.TimeoutExpired:
        return "slow"
    finally:
        target.write_bytes(whole)


def build(environment):
    return subprocess.run([sys.executable, "setup.py", "-q", "build_ext", "--inplace"], cwd=WORK, env=environment,
                          capture_output=True).returncode


def choose(number, seed):
    """The mutants of a seed, spread over the rooms and, within a room, over the files."""
    rng, chosen = random.Random(f"mutants {seed}"), []
    for room, share in SHARES:
        folder, pattern = TARGETS[room]
        make = c_mutants if room == "kernels" else python_mutants
        files = {p: make(room, str(p.relative_to(ROOT))) for p in sorted((ROOT / folder).rglob(pattern))}
        everything = [m for found in files.values() for m in found]
        chosen += rng.sample(everything, min(len(everything), round(number * share)))
    rng.shuffle(chosen)
    return sorted(chosen, key=lambda m: m.room == "kernels")  # last: each leaves a faulty build behind, which the next replaces


def main(number, seed):
    RESULTS.parent.mkdir(exist_ok=True)
    known = [json.loads(line) for line in RESULTS.read_text().splitlines()] if RESULTS.exists() else []
    done = {(r["path"], r["start"], r["stop"], r["new"]) for r in known}
    make_tree()
    table = cases_by_function()
    for mutant in choose(number, seed):
        if (mutant.path, mutant.start, mutant.stop, mutant.new) in done:
            continue
        commands = commands_for(mutant, table)
        result = attempt(mutant, commands) if commands else "not reached"
        with RESULTS.open("a") as file:
            file.write(json.dumps({**asdict(mutant), "result": result}) + "\n")
        if result != "killed":
            print(f"{result}: {mutant.path}:{mutant.line}: {mutant.old}  ->  {mutant.new}", flush=True)
    counts = {}
    for line in RESULTS.read_text().splitlines():
        result = json.loads(line)["result"]
        counts[result] = counts.get(result, 0) + 1
    print(counts)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--cases"]:
        run_cases(sys.argv[2].split(","))
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 500, int(sys.argv[2]) if len(sys.argv) > 2 else 1)
