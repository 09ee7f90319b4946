"""Runs programs that ``paddle migrate`` rewrote on real Paddle, and compares their first losses with those here, old and new.

    python scripts/migration.py --paddle PY26 --paddle3 PY33 --seeds DIR --corpus DIR --mirrors DIR --mnist DIR -o rows.json
    python scripts/migration.py ... --only f18-docs --keep LOGS
    python scripts/migration.py --table rows.json...

PY26 and PY33 are interpreters with real Paddle 2.6.2 and 3.3.1. The programs are other people's and lie elsewhere: --seeds names
a folder whose run.py holds PROGRAMS, --corpus one whose run.py takes the rows of corpus.tsv out of git mirrors. Each list brings a
check of its own for every program. A program is

* run as it was, here, by the rules of its version, until it has given five losses;
* rewritten for 2.6 and for 3, and run here until it has given five;
* run to its end on real Paddle of that version, with its check;
* if the losses differ there, run once more with another last bit in every parameter: how much of it is rounding?

All begin from one seed (Python's, NumPy's, Paddle's), on one thread. A loss is the value of a tensor whose ``backward()`` is
called, or a single floating number that ``Executor.run`` fetches; scripts/losses notes them from outside the program.
"""

import argparse
import contextlib
import importlib.util
import json
import os
import pathlib
import re
import shutil
import sys
import tempfile
import types

from paddle.core import detection
from paddle.migrate import migrate

LOSSES = pathlib.Path(__file__).resolve().parent / "losses"
FIRST, RELATIVE = 5, 1e-4


def load(path):
    """A list's run.py as a module, whose folder is on the path."""
    sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location(f"{path.parent.name}_run", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Rewriting:
    """Rewrites texts for one generation (None leaves them as they are) and keeps what was marked, and whether Paddle 3 is told to
    keep programs of operators."""

    def __init__(self, to):
        self.to, self.marks, self.changed, self.operators = to, [], 0, False

    def __call__(self, text):
        if self.to is None:
            return text
        done = migrate(text, to=self.to)
        self.marks += [reason for _, reason in done.marks]
        self.changed += done.changed
        self.operators |= "FLAGS_enable_pir_api" in done.text
        return done.text


@contextlib.contextmanager
def noting(first):
    """Settings of a process that notes its losses, and the file of the notes; it ends after the first ones, unless that is None."""
    with tempfile.TemporaryDirectory() as folder:
        notes = pathlib.Path(folder, "losses")
        path = os.pathsep.join(filter(None, (str(LOSSES), os.environ.get("PYTHONPATH"))))  # yours: packages that programs ask for
        yield {"PYTHONPATH": path, "LOSSES_NOTES": str(notes), "LOSSES_FIRST": str(first or 0), "OMP_NUM_THREADS": "1",
               "OPENBLAS_NUM_THREADS": "1", "FLAGS_new_executor_sequential_run": "1"}, notes


def losses(notes):
    return [float(line) for line in notes.read_text().split()][:FIRST] if notes.exists() else []


class Seeds:
    """Programs of documents."""

    def __init__(self, folder, given):
        self.run, self.mnist = load(folder / "run.py"), str(given.mnist or folder.parent / "data" / "mnist")
        self.assemble = self.run.assemble
        self.programs = {p["name"]: dict(p, seconds=p["seconds"] * given.timeout_scale) for p in self.run.PROGRAMS
                         if migrate(self.assemble(p)).changed}

    def kind(self, name):
        return "seeds"

    def version(self, name):
        with tempfile.NamedTemporaryFile("w", suffix=".py") as file:
            file.write(self.assemble(self.programs[name]))
            file.flush()
            return detection.find(file.name).version

    def trial(self, name, python, rewriting, settings, keep):
        """What is wrong with a run, or ""."""
        self.run.assemble = lambda p: rewriting(self.assemble(p))
        before = dict(os.environ)
        os.environ.update(settings)
        try:
            problem, _, out = self.run.run(self.programs[name], python, self.mnist)
        finally:
            os.environ.clear()
            os.environ.update(before)
        if keep:
            keep.write_text(out)
        return problem or ""


class Corpus:
    """Rows of a list of public programs: scripts, guides (their blocks as one program), networks that a recipe drives."""

    def __init__(self, folder, given):
        self.folder, self.run = folder, load(folder / "run.py")
        self.given = types.SimpleNamespace(
            mirrors=str(given.mirrors), mnist=str(given.mnist) if given.mnist else None, mnist_train=6500, mnist_test=1200,
            extract_only=False, detect=False, keep=None, keep_source=False, threads=1, timeout_scale=given.timeout_scale)
        rows = self.run.load_corpus(str(folder / "corpus.tsv"))
        self.programs = {r["id"]: r for r in rows if r["kind"] in ("script", "blocks", "smoke") and r["era"] != "2.x"}
        self.patch, self.make_blocks = self.run.patch, self.run.make_blocks

    def kind(self, name):
        return self.programs[name]["kind"]

    def version(self, name):
        return self.run.generation(self.programs[name]) or "1.8"

    def trial(self, name, python, rewriting, settings, keep):
        """What is wrong with a run, or ""."""
        with tempfile.TemporaryDirectory() as folder:
            for file in self.folder.glob("*.py"):
                shutil.copy(file, folder)
            recipes = pathlib.Path(folder, "_smoke.py")
            text = recipes.read_text(encoding="utf-8")
            recipes.write_text(Rewriting(rewriting.to)(_plain(text)) if rewriting.to else text, encoding="utf-8")
            self.run.HERE = folder

            def patch(row, root):
                self.patch(row, root)
                for file in pathlib.Path(root).rglob("*.py"):
                    text = file.read_text(encoding="utf-8", errors="surrogateescape")
                    text = self.run.CUDA.sub(r"\1CPUPlace()", text)  # real Paddle for CPUs ends the process there
                    with contextlib.suppress(SyntaxError):  # of Python 2; the program does not import it
                        text = rewriting(text)
                    file.write_text(text, encoding="utf-8", errors="surrogateescape")

            def make_blocks(row, main):
                listing, files = self.make_blocks(row, main)
                whole = pathlib.Path(files[0])
                text = "\n".join(pathlib.Path(file).read_text(encoding="utf-8") for file in files)
                first = sorted(set(re.findall(r"^from __future__ import .*$", text, re.MULTILINE)))
                first += [f"import {m} as {n}" for n, _, m in (a.partition("=") for a in self.programs[name]["args"].split())]
                text = re.sub(r"^from __future__ import .*$", "", text, flags=re.MULTILINE)
                whole.write_text(rewriting("\n".join([*first, text])), encoding="utf-8")
                pathlib.Path(listing).write_text(json.dumps([str(whole)]))
                return listing, [str(whole)]

            row = dict(self.programs[name])
            self.run.patch = patch
            # the driver of blocks and networks has imported paddle before the program says so
            self.run.version_env = lambda args, row: {**settings, **({"FLAGS_enable_pir_api": "0"} if rewriting.operators else {})}
            if rewriting.to is not None:
                self.run.make_blocks = make_blocks
            self.given.python = python
            with tempfile.TemporaryDirectory() as logs:
                self.given.keep = logs
                done = self.run.run_row(self.given, dict(row, args="") if rewriting.to and row["kind"] == "blocks" else row)
                log = pathlib.Path(logs, name, "log.txt")
                if keep and log.exists():
                    shutil.copy(log, keep)
            self.run.make_blocks, self.run.patch = self.make_blocks, self.patch
            return "" if done["status"] == "PASS" else done["error"] or done["status"]


def _plain(recipes):
    """The recipes that drive networks, without what a rewriter cannot follow: fluid as an argument, keywords in a dict."""
    recipes = recipes.replace("run_program(fluid, ", "run_program(").replace("**more", "parameter_list=net.parameters()")
    return "import paddle.fluid as fluid\n" + recipes if "paddle.fluid" in recipes else recipes


def measure(programs, name, given, known):
    """The row of one program; what was not asked for stays as known."""
    row = {**known, "name": name, "kind": programs.kind(name), "version": programs.version(name)}
    runs = {"old": (sys.executable, None, row["version"], FIRST)}
    for to, python in (("2.6", given.paddle), ("3", given.paddle3)):
        if python:
            runs[f"new {to}"] = sys.executable, to, None, FIRST
            runs[f"real {to}"] = python, to, None, None
    for label, (python, to, generation, first) in runs.items():
        if given.runs and label not in given.runs:
            continue
        rewriting = Rewriting(to)
        keep = pathlib.Path(given.keep, f"{name}.{label.replace(' ', '')}.log") if given.keep else None
        with noting(first) as (settings, notes):
            if generation:
                settings["PADDLE_GENERATION"] = generation
            try:
                problem = programs.trial(name, str(python), rewriting, settings, keep)
            except (SyntaxError, UnicodeError) as error:
                problem = f"not rewritten: {error}"
            row[label] = {"problem": problem, "losses": losses(notes)}
        if to:
            row[f"marks {to}"] = sorted(set(rewriting.marks))
        if label.startswith("real") and verdict(row, to)[1] is False:
            with noting(FIRST) as (settings, notes):
                problem = programs.trial(name, str(python), Rewriting(to), {**settings, "LOSSES_NOISE": "1"}, None)
                row[f"noise {to}"] = {"problem": problem, "losses": losses(notes)}
    return row


def equal(a, b, room=None):
    """Whether two runs gave losses, as many of them, and the same to 1e-4, or to the room that each loss has."""
    if not a or len(a) != len(b):
        return False
    return all(abs(x - y) <= max(RELATIVE * max(1.0, abs(x)), r) for x, y, r in zip(a, b, room or [0.0] * len(a)))


def rounding(losses, noisy):
    """How far each loss may be off by rounding alone: ten times what another last bit in every parameter changed so far."""
    room = [10 * abs(x - y) for x, y in zip(losses, noisy)]
    return [max(room[:k + 1]) for k in range(len(room))]


def verdict(row, to):
    """(does it run there with its check, are its losses those of the program here: True, "rounded" if only rounding parts them,
    False, or None without any)."""
    real, new, old = (row.get(label, {}) for label in (f"real {to}", f"new {to}", "old"))
    if not (real and new and old):
        return None, None
    if real["problem"]:
        return False, None
    if not real["losses"] and not new["losses"]:
        return True, None
    if equal(real["losses"], new["losses"]) and equal(real["losses"], old["losses"]):
        return True, True
    noise = row.get(f"noise {to}", {}).get("losses") or []
    room = rounding(real["losses"], noise)
    same = len(noise) == len(real["losses"]) and all(equal(real["losses"], ours["losses"], room) for ours in (new, old))
    return True, "rounded" if same else False


def table(rows):
    """Lines of a table: by kind, how many there are, run on each Paddle, and of these have equal losses."""
    for kind in dict.fromkeys(r["kind"] for r in rows):
        of = [r for r in rows if r["kind"] == kind]
        cells = [kind, len(of), sum(bool(r.get("marks 2.6")) for r in of)]
        for to in ("2.6", "3"):
            found = [verdict(r, to) for r in of]
            cells += [sum(bool(runs) for runs, _ in found)]
            cells += [sum(same is kind for _, same in found) for kind in (True, "rounded", False)]
        yield "| " + " | ".join(map(str, cells)) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--paddle", type=pathlib.Path)
    parser.add_argument("--paddle3", type=pathlib.Path)
    parser.add_argument("--seeds", type=pathlib.Path)
    parser.add_argument("--corpus", type=pathlib.Path)
    parser.add_argument("--mirrors", type=pathlib.Path)
    parser.add_argument("--mnist", type=pathlib.Path)
    parser.add_argument("--only", nargs="*", default=[], help="programs whose names contain one of these")
    parser.add_argument("--runs", nargs="*", default=[], help='only these of "old", "new 2.6", "real 2.6", "new 3", "real 3"')
    parser.add_argument("--timeout-scale", type=float, default=1.0)
    parser.add_argument("--keep", type=pathlib.Path, help="folder for the programs' output")
    parser.add_argument("-o", "--output", type=pathlib.Path, help="a file of rows; those that stand in it are brought up to date")
    parser.add_argument("--table", type=pathlib.Path, help="only print the table of a file of rows")
    given = parser.parse_args()
    rows = {}
    for path in filter(None, (given.table, given.output)):
        if path.exists():
            rows.update({r["name"]: r for r in json.loads(path.read_text())})
    for programs in (kind(folder, given) for kind, folder in ((Seeds, given.seeds), (Corpus, given.corpus)) if folder):
        for name in programs.programs:
            if given.only and not any(part in name for part in given.only):
                continue
            row = rows[name] = measure(programs, name, given, rows.get(name, {}))
            said = [f"{to}: runs {runs}, losses equal {same}" for to in ("2.6", "3") for runs, same in [verdict(row, to)]]
            print(f"{name:34} {'; '.join(said)}", flush=True)
            for label in ("old", "new 2.6", "real 2.6", "noise 2.6", "new 3", "real 3", "noise 3"):
                if label in row:
                    print(f"    {label:9} {row[label]['losses']} {row[label]['problem']}", flush=True)
            if given.output:
                given.output.write_text(json.dumps(list(rows.values()), indent=1))
    print("\n".join(table(list(rows.values()))))


if __name__ == "__main__":
    main()
