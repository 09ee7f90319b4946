"""Puts the pages of the site together and builds it: ``make site``. See site/mkdocs.yml.

The reference is written from the docstrings of the package as it is when imported, so that it has every public name, also
those that are made by tables.
"""

import importlib
import inspect
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import warnings

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGES = ROOT / "build" / "site-pages"
MODULES = {  # module -> generation that its names belong to
    **dict.fromkeys("""paddle paddle.nn paddle.nn.functional paddle.nn.initializer paddle.nn.utils paddle.optimizer
    paddle.optimizer.lr paddle.io paddle.static paddle.static.nn paddle.jit paddle.autograd paddle.amp paddle.metric
    paddle.callbacks paddle.vision.transforms paddle.vision.models paddle.vision.datasets paddle.vision.ops paddle.text
    paddle.audio.functional paddle.audio.features paddle.distribution paddle.linalg paddle.fft paddle.signal paddle.sparse
    paddle.sparse.nn paddle.geometric paddle.distributed paddle.distributed.fleet paddle.inference paddle.onnx paddle.profiler
    paddle.quantization paddle.incubate paddle.regularizer paddle.device paddle.utils paddle.hub
    paddle.sysconfig""".split(), "2.0 to 2.6 and 3"),
    **dict.fromkeys("""paddle.fluid paddle.fluid.layers paddle.fluid.dygraph paddle.fluid.optimizer paddle.fluid.initializer
    paddle.fluid.regularizer paddle.fluid.clip paddle.fluid.io paddle.fluid.metrics paddle.fluid.nets paddle.fluid.backward
    paddle.fluid.profiler paddle.dataset paddle.reader""".split(), "1.4 to 1.8"),
    "paddle.imperative": "2.0 alpha", "paddle.declarative": "2.0 alpha",
}
OFTEN_USED = {"paddle.nn": 2, "paddle": 1.6, "paddle.nn.functional": 1.3}  # weights of their names in the search
LINK = re.compile(r"\[([^\]]*)\]\((?!https?:|#|mailto:)([^)\s]+)\)")
SECTION = re.compile(r"(Args|Arguments|Parameters|Returns|Raises|Shapes?|Attributes|Note):\s*(.*)")
PLACE = "  - API reference: reference\n"


def collect():
    """Copy the written pages of both languages."""
    shutil.rmtree(PAGES, ignore_errors=True)
    for page in sorted((ROOT / "docs").rglob("*")):
        if page.is_file() and page.suffix in (".md", ".svg", ".png"):
            relative = page.relative_to(ROOT / "docs")
            target = PAGES / relative if relative.parts[0] == "zh" else PAGES / "en" / relative
            target.parent.mkdir(parents=True, exist_ok=True)
            if page.suffix == ".md":
                target.write_text(inner_links(page), encoding="utf-8")
            else:
                shutil.copy(page, target)
    for language in ("en", "zh"):
        shutil.copy(ROOT / "site" / "style.css", PAGES / language / "style.css")


def inner_links(page):
    """A page's text for the site: links to files outside docs/ name them instead, and a Chinese page leads to Chinese pages.

    The site has every page in both languages (in English where no translation is written); docs/ has only the translations.
    """
    docs = ROOT / "docs"

    def link(match):
        name, mark, anchor = match[2].partition("#")
        path = (page.parent / name).resolve()
        if not path.is_relative_to(docs):
            return f"{match[1]} (`{path.relative_to(ROOT)}`)"
        if not page.is_relative_to(docs / "zh"):
            return match[0]
        there = path.relative_to(docs / "zh" if path.is_relative_to(docs / "zh") else docs)
        return f"[{match[1]}]({os.path.relpath(there, page.parent.relative_to(docs / 'zh'))}{mark}{anchor})"
    return LINK.sub(link, page.read_text(encoding="utf-8"))


def examples():
    """The pages of examples: what each says of itself, its picture, its text."""
    lines = [""]
    for path in sorted((ROOT / "examples").rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        said = re.match(r'"""(.*?)"""\n*', text, re.S)
        name = path.relative_to(ROOT / "examples").with_suffix("")
        lines += [f"## {name}", "", markdown(inspect.cleandoc(said[1])) if said else "", ""]
        picture = ROOT / "docs" / "pictures" / "examples" / f"{name.name}.svg"
        if picture.exists():
            lines += [f"![result of {name}](pictures/examples/{picture.name})", ""]
        lines += [f'??? note "examples/{path.relative_to(ROOT / "examples")}"', "    ```python",
                  *("    " + line for line in text[said.end() if said else 0:].splitlines()), "    ```", ""]
    for language in ("en", "zh"):
        with open(PAGES / language / "examples.md", "a", encoding="utf-8") as page:
            page.write("\n".join(lines))


def reference():
    """A page for every module; returns their lines of the navigation."""
    folder = PAGES / "en" / "reference"
    folder.mkdir(parents=True)
    navigation = []
    for module, generation in MODULES.items():
        (folder / f"{module}.md").write_text(module_page(module, generation), encoding="utf-8")
        navigation.append(f"      - {module}: reference/{module}.md\n")
    return "".join(navigation)


def module_page(name, generation):
    """The page of one module: a table of its names, then each with signature and docstring."""
    module = importlib.import_module(name)
    members = sorted(public_members(module).items(), key=lambda item: item[0].lower())
    boost = 2 if generation.startswith("2.0 to") else 1
    lines = ["---", f"search: {{boost: {boost}}}", "---", f"# {name}", ""]
    lines += [markdown(inspect.getdoc(module) or ""), "",
              f"Generation: {generation}. Examples begin after `import numpy as np` and `import paddle`.", ""]
    lines += ["| name | |", "|---|---|"]
    for key, member in members:
        lines.append(f"| [`{key}`](#{name}.{key}) | {first_line(member)} |")
    for key, member in members:
        lines += ["", f"## {key} {{ #{name}.{key} data-toc-label='{key}' }}", "", *member_text(f"{name}.{key}", member)]
    return "\n".join(lines) + "\n"


def public_members(module):
    """{name: function or class} that a program may use from a module."""
    names = set(vars(module).get("__all__") or dir(module))
    found = {}
    for name in names:
        if name.startswith("_"):
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                member = getattr(module, name)
            except (AttributeError, NotImplementedError, ImportError):
                continue
        home = getattr(member, "__module__", None) or ""
        if (inspect.isclass(member) or inspect.isroutine(member)) and home.split(".")[0] == "paddle":
            found[name] = member
    return found


def first_line(member):
    said = (inspect.getdoc(member) or "").strip().split("\n\n")[0].replace("\n", " ")
    return re.split(r"(?<=[.!?])\s", said)[0].replace("``", "`").replace("|", "\\|")


def member_text(name, member):
    """Signature, docstring and, of a class, its own public methods."""
    lines = ["```python", folded(name, signature(member)), "```", "", markdown(inspect.getdoc(member) or "")]
    if inspect.isclass(member):
        for key, method in sorted(vars(member).items()):
            method = getattr(method, "__func__", method)
            if not key.startswith("_") and inspect.isfunction(method) and inspect.getdoc(method):
                lines += ["", f"**`{key}{signature(method)}`** {first_line(method)}"]
    return lines


def signature(member):
    try:
        text = str(inspect.signature(member)).replace("(self, ", "(").replace("(self)", "()")
        return re.sub(r"\b(collections\.abc|typing)\.", "", text)
    except (TypeError, ValueError):
        return "(...)"


def folded(name, call, width=92):
    """A call in lines that a page has room for, broken between arguments only."""
    parts = re.split(r"(?<=,) (?![^\[]*\])", f"{name}{call}")
    lines = [parts[0]]
    for part in parts[1:]:
        lines = [*lines[:-1], f"{lines[-1]} {part}"] if len(lines[-1]) + len(part) < width else [*lines, f"    {part}"]
    return "\n".join(lines)


def markdown(text):
    """A docstring as Markdown: sections, their items, examples."""
    out, example, in_section, margin = [], False, False, 0
    for line in text.replace("``", "`").splitlines():
        stripped = line.strip()
        if stripped.startswith(">>>") and not example:
            out, example, margin = [*out, "", "```pycon"], True, len(line) - len(line.lstrip())
        if example and not stripped:
            out, example = [*out, "```"], False
        if example:
            out.append(line[margin:])
            continue
        section = SECTION.fullmatch(stripped) if line == stripped else None
        if section:
            out, in_section = [*out, "", f"**{section[1]}** {section[2]}", ""], True
        elif in_section and line.startswith("    "):
            item = re.match(r"\s{4}(\*{0,2}\w[\w., *]*?)( \([^)]*\))?: (.*)", line)
            in_list = out[-1].startswith(("- ", "    "))
            out.append("    " + stripped if line.startswith("     ") else f"- `{item[1]}`{item[2] or ''}: {item[3]}" if item else
                       "- " + stripped if in_list else stripped)
        else:
            in_section = in_section and not stripped
            out.append(line)
    return "\n".join([*out, "```"] if example else out)


def main():
    collect()
    examples()
    configuration = (ROOT / "site" / "mkdocs.yml").read_text(encoding="utf-8")
    configuration = configuration.replace("../build/", "").replace(PLACE, "  - API reference:\n" + reference())
    made = ROOT / "build" / "mkdocs.yml"
    made.write_text(configuration, encoding="utf-8")
    mkdocs = sys.argv[1] if len(sys.argv) > 1 else "mkdocs"
    quiet = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run([mkdocs, "build", "--strict", "--quiet", "--config-file", made], env=quiet, check=False).returncode
    if not done:
        rank(ROOT / "build" / "site" / "search" / "search_index.json")
    return done


def rank(path):
    """Let short names of the reference go before those that begin with them, and those of the rooms that most programs use before
    others: Conv2D of paddle.nn before Conv2DTranspose, and before that of paddle.static.nn."""
    index = json.loads(path.read_text(encoding="utf-8"))
    for entry in index["docs"]:
        page, mark, _ = entry["location"].partition("#")
        if page.startswith("reference/") and mark:
            weight = OFTEN_USED.get(page.removeprefix("reference/").removesuffix(".html"), 1)
            entry["boost"] = round(entry.get("boost", 1) * weight * 10 / max(len(entry["title"]), 1), 3)
    path.write_text(json.dumps(index, ensure_ascii=False), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
