"""Run the docstring examples of an installed Paddle wheel against any interpreter's ``paddle``, and count what runs.

    python scripts/docstrings.py SITE_PACKAGES/paddle --python PY [--only tensor/math.py] [--generation 3]

The examples are read from the wheel's sources, never imported from there, and none is stored. Every file's examples run in one
process of PY. An example runs if no statement raises; its outputs are right if every printed one is as the docstring has it
(numbers and spaces as doctest's ELLIPSIS and NORMALIZE_WHITESPACE compare them). Examples marked to be skipped are left out.
"""

import argparse
import ast
import doctest
import io
import json
import os
import pathlib
import signal
import subprocess
import sys
import textwrap

SKIPPED = ("doctest: +SKIP", "doctest: +REQUIRES", "doctest: -REQUIRES")
SECONDS = 30  # for one example
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def examples(path):
    """Pairs (name, text) of the docstrings of a source file that hold examples."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf8"))):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Module)):
            text = ast.get_docstring(node) or ""
            if ">>>" in text and not any(mark in text for mark in SKIPPED):
                yield f"{getattr(node, 'name', 'module')}:{getattr(node, 'lineno', 1)}", text


class Checker(doctest.OutputChecker):
    """Compares as doctest does, with all runs of spaces as one."""

    def check_output(self, want, got, optionflags):
        return super().check_output(*(" ".join(text.split()) + "\n" for text in (want, got)), optionflags)


class Runner(doctest.DocTestRunner):
    """Notes whether anything was raised, apart from wrong output."""

    raised = False

    def report_unexpected_exception(self, out, test, example, exc_info):
        self.raised = True


def _late(signum, frame):
    raise TimeoutError(f"no answer within {SECONDS} s")


def work():
    """Read [(name, text)] from the input, print one line of JSON per example: [name, runs, outputs right]."""
    signal.signal(signal.SIGALRM, _late)
    parser, answers = doctest.DocTestParser(), os.fdopen(os.dup(1), "w")
    for name, text in json.load(sys.stdin):
        runs = right = False
        try:
            test = parser.get_doctest(textwrap.dedent(text), {"__name__": "__main__"}, name, name, 0)
            runner = Runner(Checker(), verbose=False, optionflags=FLAGS)
            signal.alarm(SECONDS)
            runner.run(test, out=io.StringIO().write, clear_globs=True)
            runs, right = not runner.raised, runner.failures == 0
        except (Exception, SystemExit):  # a fault of the example, whatever it is
            runs = False
        finally:
            signal.alarm(0)
        print(json.dumps([name, runs, right and runs]), file=answers, flush=True)


def run_file(python, path, generation):
    """The answers for one file; examples behind one that ended the process count as not run."""
    found = list(examples(path))
    if not found:
        return []
    environment = {**os.environ, **({"PADDLE_GENERATION": generation} if generation else {})}
    child = subprocess.run([python, os.path.abspath(__file__), "--work"], input=json.dumps(found), capture_output=True, text=True,
                           env=environment, timeout=SECONDS * (len(found) + 1))
    answers = {}
    for line in child.stdout.splitlines():
        if line.startswith('["'):
            name, runs, right = json.loads(line)
            answers[name] = runs, right
    return [(name, *answers.get(name, (False, False))) for name, _ in found]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source", type=pathlib.Path, help="the folder of the installed package")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--only", default="", help="files whose path starts so")
    parser.add_argument("--generation", default="", help="PADDLE_GENERATION of the runs")
    parser.add_argument("--report", type=pathlib.Path, help="write [[file, example, runs, right]] there")
    options = parser.parse_args()
    rows = []
    for path in sorted(options.source.rglob("*.py")):
        name = path.relative_to(options.source).as_posix()
        if name.startswith(options.only):
            answers = run_file(options.python, path, options.generation)
            rows += [(name, *answer) for answer in answers]
            if answers:
                print(f"{name}: {len(answers)} examples, {sum(a[1] for a in answers)} run, {sum(a[2] for a in answers)} right",
                      flush=True)
    print(f"all: {len(rows)} examples, {sum(r[2] for r in rows)} run, {sum(r[3] for r in rows)} right")
    if options.report:
        options.report.write_text(json.dumps(rows))


if __name__ == "__main__":
    work() if sys.argv[1:] == ["--work"] else main()
