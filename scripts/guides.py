"""Run the guides of Paddle's documentation block by block, read from a git mirror, and say by rule why some blocks fail.

    python scripts/guides.py MIRROR release/2.2 release/2.4 --sources PADDLE [--practices] [--home DIR] [--list FILE]

MIRROR is a clone of PaddlePaddle/docs; documents are read from there, run and not kept. A document is one program: its python
blocks (fenced ones, directives, cells) in order, in one namespace and an empty folder, with the release's PADDLE_GENERATION.
Numbers of epochs become 1; a block may take --seconds. --practices runs the notebooks of docs/practices instead. The classes are
those of scripts/release_examples.py, and

    after     it needs a name that an earlier block, which failed, would have bound
    output    it does not parse: printed results, shell commands, or parts with dots in them

There is a line per release; with --list, addresses and numbers of the blocks that fail, and why, are written to a file.
"""

import argparse
import ast
import collections
import fnmatch
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap

import release_examples as examples

CLASSES = ("run", "output", "after", *examples.CLASSES[1:])
GUIDES = re.compile(r"docs?/(paddle/)?guides/.*(_cn\.(md|rst|ipynb)|\.ipynb)$")
PRACTICES = re.compile(r"docs?/(paddle/)?(practices|tutorial)/.*\.ipynb$")
ELSEWHERE = re.compile(r"hardware|contribut|install|mapping|model_convert|infer|new_op|custom_op|custom_device|distributed|flags|"
                       r"index_cn|_en\.|release_note|FAQ|faq|visualdl|VisualDL", re.I)  # not programs for one CPU
EPOCHS = re.compile(r"\b(epochs?|epoch_num|num_epochs?)(\s*=\s*)\d+", re.I)
PYTHON = ("python", "python3", "py", "ipython", "ipython3")
TAKEN_FOR_GRANTED = "import numpy as np\nimport paddle\n"


def _without_shell(code):
    """A block without lines for the notebook or the shell."""
    return "".join(re.match(r"\s*", line).group() + "pass\n" if line.lstrip()[:1] in ("!", "%") else line + "\n"
                   for line in code.replace("\r\n", "\n").split("\n"))


def blocks(path, text):
    """The python blocks of a document."""
    if path.endswith(".ipynb"):
        cells = json.loads(text).get("cells", [])
        return [_without_shell("".join(c["source"])) for c in cells if c["cell_type"] == "code"]
    lines, found, at = text.expandtabs(4).split("\n"), [], 0
    while at < len(lines):
        fence = re.match(r"\s*(`{3,})\s*([\w+-]*)\s*$", lines[at])
        directive = re.match(r"(\s*)\.\.\s+(?:code-block|code|sourcecode)::\s*(\w*)\s*$", lines[at])
        at, body = at + 1, []
        if fence:
            while at < len(lines) and not lines[at].strip().startswith(fence.group(1)):
                body.append(lines[at])
                at += 1
            at += 1
            kind = fence.group(2).lower()
        elif directive:
            while at < len(lines) and (not lines[at].strip() or len(lines[at]) - len(lines[at].lstrip()) > len(directive.group(1))):
                body.append(lines[at])
                at += 1
            kind = directive.group(2).lower()
        if (fence or directive) and kind in PYTHON:
            found.append(_without_shell(textwrap.dedent("\n".join(body))))
    return found


def work():
    """Run the blocks that the input lists, in one namespace; print one line of JSON per block: None or what it raised."""
    given = json.load(sys.stdin)
    answers = os.fdopen(os.dup(1), "w")
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    names = {"__name__": "__main__"}
    exec(TAKEN_FOR_GRANTED, names)  # blocks begin in the middle of a text  # noqa: S102

    def late(*_):
        raise TimeoutError("late")
    signal.signal(signal.SIGALRM, late)
    for number, code in enumerate(given["blocks"]):
        file = os.path.abspath(f"block_{number}_example.py")
        with open(file, "w", encoding="utf8") as out:
            out.write(code)
        outcome = None
        signal.alarm(given["seconds"])
        try:
            exec(compile(code, file, "exec"), names)  # noqa: S102
        except SystemExit as error:
            outcome = None if error.code in (None, 0) else examples._outcome(error)
        except BaseException as error:
            outcome = examples._outcome(error)
        signal.alarm(0)
        answers.write(json.dumps(outcome) + "\n")
        answers.flush()


def run(python, code, generation, home, seconds):
    """The outcomes of a document's blocks."""
    folder = tempfile.mkdtemp()
    environment = {**os.environ, "PADDLE_GENERATION": generation, "MPLBACKEND": "Agg", **({"HOME": home} if home else {})}
    try:
        given = json.dumps({"blocks": code, "seconds": seconds})
        child = subprocess.run([python, os.path.abspath(__file__), "--work"], input=given, env=environment,
                               stdout=subprocess.PIPE, text=True, cwd=folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    told = [json.loads(line) for line in child.stdout.splitlines()]
    return told + [dict(examples.ENDED, text="the process ended")] * (len(code) - len(told))


def classified(code, outcomes, release):
    """A class for each block; a name that a failed block would have bound is no fragment."""
    found, lost = [], set()
    for text, outcome in zip(code, outcomes):
        if outcome is None:
            kind = "run"
        elif outcome["text"] == "late":
            kind = "late"
        else:
            try:
                ast.parse(text)
                missing = re.match(r"name '(\w+)' is not defined", outcome["text"])
                kind = "after" if missing and missing.group(1) in lost else examples.classify(outcome, text, release)
            except SyntaxError:
                kind = "output"
        if kind not in ("run", "output"):
            lost |= examples._bound(text)
        found.append(kind)
    return found


def documents(mirror, branch, practices):
    """{path: blocks} of a release's guides."""
    def git(*command):
        return subprocess.run(["git", "-C", mirror, *command], check=True, stdout=subprocess.PIPE).stdout.decode("utf8", "replace")
    chosen = [p for p in git("ls-tree", "-r", "--name-only", branch).splitlines()
              if (PRACTICES if practices else GUIDES).match(p) and not ELSEWHERE.search(p)]
    found = {path: [EPOCHS.sub(r"\g<1>\g<2>1", b) for b in blocks(path, git("show", f"{branch}:{path}"))] for path in chosen}
    return {path: code for path, code in found.items() if code}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("mirror", help="a clone of PaddlePaddle/docs")
    parser.add_argument("branches", nargs="+", help="such as release/2.2")
    parser.add_argument("--sources", required=True, help="a clone of PaddlePaddle/Paddle, to tell misprints by")
    parser.add_argument("--practices", action="store_true", help="notebooks instead of guides")
    parser.add_argument("--python", default=sys.executable, help="the interpreter that is measured")
    parser.add_argument("--home", help="a HOME with data sets")
    parser.add_argument("--only", default="*", help="documents whose path matches, comma-separated")
    parser.add_argument("--seconds", type=int, default=100, help="for one block")
    parser.add_argument("--list", help="write release, class, path, block number and error of every block that fails there")
    options = parser.parse_args()
    listed = []
    print("| release | documents | blocks | " + " | ".join(CLASSES) + " |\n" + "|---" * (len(CLASSES) + 3) + "|")
    for branch in options.branches:
        version = branch.rpartition("/")[2]
        tags = subprocess.check_output(["git", "-C", options.sources, "tag", "-l", f"v{version}.?"], text=True)
        release = examples.Release(options.sources, tags.split()[-1])
        found = {path: code for path, code in documents(options.mirror, branch, options.practices).items()
                 if any(fnmatch.fnmatch(path, pattern) for pattern in options.only.split(","))}
        count = collections.Counter()
        for path, code in found.items():
            outcomes = run(options.python, code, version, options.home, options.seconds)
            for number, (kind, outcome) in enumerate(zip(classified(code, outcomes, release), outcomes)):
                count[kind] += 1
                if kind not in ("run", "output"):
                    listed.append("\t".join((branch, kind, path, str(number), outcome["types"][0],
                                             " ".join(outcome["text"].split())[:300])))
        row = [branch, len(found), sum(count.values()), *(count[c] for c in CLASSES)]
        print("| " + " | ".join(map(str, row)) + " |", flush=True)
        if options.list:
            with open(options.list, "w", encoding="utf8") as file:
                file.write("\n".join(listed) + "\n")


if __name__ == "__main__":
    work() if sys.argv[1:] == ["--work"] else main()
