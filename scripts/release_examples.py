"""Run the docstring examples of Paddle's releases, read from a git mirror, and say by rule why the others fail.

    python scripts/release_examples.py MIRROR v1.8.5 v2.4.2 [--real PY] [--home DIR] [--only '*fluid.layers*'] [--all] [--list FILE]

MIRROR is a clone of PaddlePaddle/Paddle with its tags; the examples are read from there, run and not kept. Each runs in a process
of its own, in an empty folder, with the release's PADDLE_GENERATION; two thirds are taken, by a hash of the documented name, or
--all. --home is a HOME whose .cache/paddle/dataset has data sets. One that fails is, by the first rule that holds:

    misprint  it does not parse, or asks for a name of the package that the release's own sources lack
    fragment  it uses a name that it never binds, such as one that the text around it has
    file      it reads a file that it did not write
    network   it downloads
    package   it imports, or waits for, something else that is not installed
    device    it is refused here for want of a GPU, another device or a cluster
    refused   anything else that is refused here by NotImplementedError
    late      it is still at work after some minutes
    original  with --real, an interpreter with the release itself (or one near it): that fails as well
    other     none of these: ours to mend

The line per release is the row of the table in docs/generations.md.
"""

import argparse
import ast
import collections
import contextlib
import difflib
import fnmatch
import hashlib
import io
import json
import os
import re
import runpy
import select
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import textwrap

SECONDS = 300  # for one example
CLASSES = ("run", "fragment", "misprint", "file", "network", "package", "device", "refused", "original", "late", "other")
DIRECTIVE = re.compile(r"^(\s*)\.\.\s*code-block::\s*(?:python|ipython|pycon)\w*\s*$")
SKIPPED = re.compile(r"doctest:\s*\+(SKIP|REQUIRES)", re.I)
DOWNLOADS = re.compile(r"pretrained\s*=\s*True|\b(Flowers|VOC2012|Conll05st|Movielens|WMT14|WMT16|Imikolov|ESC50|TESS)\(|"
                       r"dataset\.(wmt|flowers|conll|movielens|imikolov|voc)|hub\.(load|list|help)|https?://\S+\.(tar|zip|pd)")
DEVICE = re.compile(r"\b(GPUs?|CPU build|CUDA|cuDNN|NCCL|XPU|NPU|IPUs?|MLU|TensorRT|MKL-?DNN|oneDNN|CINN|parameter servers?|"
                    r"more than one rank|ranks? of the group|per rank)\b", re.I)
ENDED = {"types": ["Ended"], "own": False, "file": ""}
NETWORK = ("URLError", "HTTPError", "ConnectionError", "gaierror", "SSLError", "DownloadError")


# ------------------------------------------------------------------ the worker, in the interpreter that is measured


def _outcome(error):
    """What is known of an error: its types, its text, and whether a line of the example itself raised it."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    own = trace is not None and trace.tb_frame.f_code.co_filename.endswith("example.py")
    return {"types": [t.__name__ for t in type(error).__mro__], "text": str(error)[:600], "own": own,
            "file": str(getattr(error, "filename", None) or "")}


def _run(code):
    """Run an example as the main program; None or what it raised."""
    with open("example.py", "w", encoding="utf8") as file:
        file.write(code)
    try:
        runpy.run_path(os.path.abspath("example.py"), run_name="__main__")
    except SystemExit as error:
        return None if error.code in (None, 0) else _outcome(error)
    except BaseException as error:  # whatever it is, it is the finding
        return _outcome(error)
    return None


def work():
    """Read [[name, code]] from the input, print one line [name, outcome] of JSON per example."""
    import numpy
    for name in ("bool", "int", "float", "object", "str", "complex"):  # what NumPy has dropped since
        if name not in numpy.__dict__:
            setattr(numpy, name, {"bool": bool, "int": int, "float": float, "object": object, "str": str, "complex": complex}[name])
    import paddle  # once, before the children
    if os.path.isdir(os.path.join(os.path.dirname(paddle.__file__), "fluid")):
        import paddle.fluid  # noqa: F401
    answers = os.fdopen(os.dup(1), "w")
    for name, code in json.load(sys.stdin):
        folder, (read, write) = tempfile.mkdtemp(), os.pipe()
        child = os.fork()
        if child == 0:
            try:
                os.setsid()
                os.chdir(folder)
                nothing = os.open(os.devnull, os.O_RDWR)
                for stream in (0, 1, 2):
                    os.dup2(nothing, stream)
                os.write(write, json.dumps(_run(code)).encode())
            finally:
                os._exit(0)
        os.close(write)
        with os.fdopen(read, "rb") as pipe:
            ready, _, _ = select.select([pipe], [], [], SECONDS)
            told = pipe.read() if ready else b""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)
        os.waitpid(child, 0)
        shutil.rmtree(folder, ignore_errors=True)
        outcome = json.loads(told.decode()) if told else dict(ENDED, text="the process ended" if ready else "late")
        answers.write(json.dumps([name, outcome]) + "\n")
        answers.flush()


# ------------------------------------------------------------------ a release's sources


class Release:
    """The python package of a tag: its examples, and whether it has a name."""

    def __init__(self, mirror, tag):
        archive = subprocess.run(["git", "-C", mirror, "archive", tag, "python/paddle"], check=True, stdout=subprocess.PIPE).stdout
        self.text, self.found = {}, {}
        with tarfile.open(fileobj=io.BytesIO(archive)) as files:
            for member in files:
                if member.name.endswith(".py") and "/tests/" not in member.name:
                    module = member.name[len("python/"):-len(".py")].replace("/", ".")
                    self.text[module] = files.extractfile(member).read().decode("utf8", "replace")
        self.modules = {re.sub(r"\.__init__$", "", m): m for m in self.text}
        self.packages = {".".join(m.split(".")[:n]) for m in self.text for n in range(1, m.count(".") + 1)}

    def names(self, module):
        """The names at the top of a module, those of its star imports too; strings in lists count, as names are made from them."""
        if module not in self.found:
            self.found[module] = found = set()
            file = self.modules.get(module)
            for node in ast.walk(ast.parse(self.text[file])) if file else ():
                if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                    found.add(node.name)
                elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                    found.add(node.id)
                elif isinstance(node, (ast.List, ast.Tuple)):
                    found |= {e.value for e in node.elts if isinstance(e, ast.Constant) and isinstance(e.value, str)}
                elif isinstance(node, (ast.Import, ast.ImportFrom)):
                    self._imported(node, file, found)
        return self.found[module]

    def _imported(self, node, file, found):
        """Add the names that an import statement of a file binds."""
        source = getattr(node, "module", None) or ""
        if getattr(node, "level", 0):
            source = ".".join([*file.split(".")[:-node.level], *filter(None, [source])])
        for alias in node.names:
            if alias.name == "*":
                found |= self.names(source) if source in self.modules else {"*"}
            else:
                found.add(alias.asname or alias.name.split(".")[0])

    def has(self, dotted):
        """Whether `import a.b` or `a.b` finds something; of modules that are no Python sources everything is believed."""
        parent, _, name = dotted.rpartition(".")
        if dotted in self.modules or dotted in self.packages:
            return True
        if parent in self.modules:
            return bool(self.names(parent) & {name, "*"})
        return parent not in self.packages and bool(parent) and self.has(parent)

    def examples(self):
        """{module:object#n: code}, each text once, without those that are marked to be skipped or are known to download."""
        found, texts = {}, set()
        for module, text in self.text.items():
            try:
                tree = ast.parse(text)
            except SyntaxError:
                continue
            for name, node in _documented(tree, ""):
                for number, code in enumerate(_blocks(ast.get_docstring(node) or "")):
                    if code not in texts and not SKIPPED.search(code) and not DOWNLOADS.search(code):
                        texts.add(code)
                        found[module + ":" + name + (f"#{number}" if number else "")] = code
        return found


def _documented(node, prefix):
    """Pairs (qualified name, node) of the public functions and classes of a tree."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.FunctionDef, ast.ClassDef)) and (not child.name.startswith("_") or child.name.startswith("__")):
            yield prefix + child.name, child
            yield from _documented(child, prefix + child.name + ".")


def _blocks(text):
    """The code of the python directives of a docstring; prompts are taken off."""
    lines = text.expandtabs(4).split("\n")
    for at, line in enumerate(lines):
        directive = DIRECTIVE.match(line)
        if directive:
            body = []
            for follower in lines[at + 1:]:
                if follower.strip() and len(follower) - len(follower.lstrip()) <= len(directive.group(1)):
                    break
                body.append(follower)
            while body and (not body[0].strip() or re.match(r"\s*:\w+:", body[0])):
                body.pop(0)
            code = textwrap.dedent("\n".join(body)).rstrip()
            if re.search(r"^\s*>>>", code, re.M):
                code = "\n".join(m.group(1) or "" for m in re.finditer(r"^\s*(?:>>>|\.\.\.) ?(.*)$", code, re.M))
            if code:
                yield code + "\n"


# ------------------------------------------------------------------ the rules


def _bound(code):
    """The names that an example binds anywhere."""
    found = set()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found.add(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            found |= {alias.asname or alias.name.split(".")[0] for alias in node.names}
    return found


def _asked(text):
    """The dotted name of Python's four sentences about a module that lacks one, or ''."""
    for sentence in (r"module '([\w.]+)' has no attribute '(\w+)'", r"No module named '([\w.]+)'()",
                     r"cannot import name '(\w+)' from '([\w.]+)'", r"'([\w.]+)' is not a package()"):
        match = re.search(sentence, text)
        if match:
            first, second = match.groups()
            return ".".join(filter(None, (second, first) if sentence.startswith("cannot") else (first, second)))
    return ""


def classify(outcome, code, release):
    """The class of an example by what it raised; see the module's docstring."""
    if outcome is None:
        return "run"
    types_, text, asked = outcome["types"], outcome["text"], _asked(outcome["text"])
    if "SyntaxError" in types_ and outcome["file"].endswith("example.py"):
        return "misprint"
    if "TypeError" in types_ and outcome["own"] and re.search(r"\bprint\s*>>", code):  # Python 2
        return "misprint"
    name = re.match(r"name '(\w+)' is not defined", text)
    if "NameError" in types_ and outcome["own"] and name:
        return "misprint" if name.group(1) in _bound(code) else "fragment"
    if "<built-in function" in text:  # input, where a variable of that name is meant
        return "fragment"
    if asked and not asked.startswith("paddle"):
        return "misprint" if difflib.get_close_matches(asked.split(".")[0], ["paddle", "fluid", "numpy"]) else "package"
    if asked and not release.has(asked):
        return "misprint"
    if any(t in types_ for t in NETWORK) or text.startswith("download of"):
        return "network"
    if "FileNotFoundError" in types_ or "there is no file" in text:
        return "file"
    if DEVICE.search(text) and any(t in types_ for t in ("NotImplementedError", "RuntimeError", "ValueError")):
        return "device"
    if text == "late":
        return "late"
    return "refused" if "NotImplementedError" in types_ else "other"


def run(python, examples, generation, home):
    """{name: outcome} of the examples in an interpreter."""
    environment = {**os.environ, "PADDLE_GENERATION": generation, **({"HOME": home} if home else {})}
    child = subprocess.run([python, os.path.abspath(__file__), "--work"], input=json.dumps(list(examples.items())), env=environment,
                           stdout=subprocess.PIPE, text=True)
    told = dict(json.loads(line) for line in child.stdout.splitlines() if line.startswith('["'))
    return {name: told[name] if name in told else dict(ENDED, text="the interpreter ended before it") for name in examples}


def _taken(name):
    """The choice of two thirds goes by the documented object, so that it is the same in every release."""
    return int(hashlib.sha1(name.split(":")[-1].split("#")[0].encode()).hexdigest(), 16) % 100 >= 35


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("mirror")
    parser.add_argument("tags", nargs="+")
    parser.add_argument("--python", default=sys.executable, help="the interpreter that is measured")
    parser.add_argument("--real", help="an interpreter with the original, for those that no rule explains")
    parser.add_argument("--home", help="a HOME with data sets")
    parser.add_argument("--only", default="*", help="examples whose name matches, comma-separated")
    parser.add_argument("--all", action="store_true", help="all examples instead of two thirds")
    parser.add_argument("--again", help="only those that such a list names; the others of the release count as run")
    parser.add_argument("--list", help="write class, name and error of every example that fails there")
    options = parser.parse_args()
    listed = []
    print("| release | examples | " + " | ".join(CLASSES) + " |\n" + "|---" * (len(CLASSES) + 2) + "|")
    for tag in options.tags:
        release = Release(options.mirror, tag)
        examples = {name: code for name, code in release.examples().items() if (options.all or _taken(name)) and any(
            fnmatch.fnmatch(name, pattern) for pattern in options.only.split(","))}
        generation = "2.0-alpha" if "alpha" in tag else ".".join(tag.lstrip("v").split(".")[:2])
        again = examples
        if options.again:
            with open(options.again, encoding="utf8") as file:
                listed_before = {tuple(line.rstrip("\n").split("\t")[:3:2]) for line in file}
            again = {name: code for name, code in examples.items() if (tag, name) in listed_before}
        outcomes = {**dict.fromkeys(examples), **run(options.python, again, generation, options.home)}
        classes = {name: classify(outcomes[name], code, release) for name, code in examples.items()}
        if options.real:
            unexplained = {name: examples[name] for name, kind in classes.items() if kind == "other"}
            for name, outcome in run(options.real, unexplained, generation, options.home).items():
                if outcome is not None:
                    classes[name] = "original"
                    outcomes[name]["text"] += " | original: " + outcome["types"][0] + ": " + outcome["text"]
        count = collections.Counter(classes.values())
        print("| " + " | ".join([tag, str(len(examples)), *(str(count[c]) for c in CLASSES)]) + " |", flush=True)
        listed += ["\t".join((tag, kind, name, outcomes[name]["types"][0], " ".join(outcomes[name]["text"].split())[:300]))
                   for name, kind in sorted(classes.items(), key=lambda item: (CLASSES.index(item[1]), item[0])) if kind != "run"]
    if options.list:
        with open(options.list, "w", encoding="utf8") as file:
            file.write("\n".join(listed) + "\n")


if __name__ == "__main__":
    work() if sys.argv[1:] == ["--work"] else main()
