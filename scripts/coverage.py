"""Write docs/coverage.md: which public names of PaddlePaddle 2.6.2 and 3.3.1 are here, module by module, and why others are not.

    python scripts/coverage.py            # write the page
    python scripts/coverage.py --check    # fail when the page is out of date or an absent name has no reason

The names come from tests/oracle/names.json and names3.json (written by the real package), the reasons from coverage_reasons.json:
{"paddle.module.name" or "paddle.module.*": "reason"}.
"""

import argparse
import importlib
import json
import pathlib
import sys
import warnings

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "coverage.md"
INTRODUCTION = """# Coverage of Paddle {version}'s public names

Written by `python scripts/coverage.py` from the real package's `__all__` lists (`tests/oracle/names.json`);
`tests/oracle/test_coverage.py` keeps it true. A name counts as present when it can be looked up; that it does
what the real one does is the business of `tests/oracle` (recorded values and gradients of {version}).

"""


SECOND = """
# Coverage of Paddle {version}'s public names

Names of modules, and of six classes with their special methods (`tests/oracle/names3.json`). They are here whatever generation
is in force; what differs in meaning is in [generations.md](generations.md).

"""


def look_up(module_name):
    """The object whose attributes the names are, or None. Of variables it is one: most of their names are its own."""
    name = module_name.partition(" ")[0]
    if name == "paddle.static.Variable":
        static = importlib.import_module("paddle.static")
        return static.Program().global_block().create_var(name="x", shape=[1], dtype="float32")
    try:
        return importlib.import_module(name)
    except ImportError:
        module, _, last = name.rpartition(".")
        try:
            return getattr(importlib.import_module(module), last, None)
        except ImportError:
            return None


def absence(owner, name):
    """None when `owner` has the name; else why not, as far as the lookup itself says ("" if it says nothing)."""
    try:
        getattr(owner, name)
    except NotImplementedError as error:  # a module may refuse a name with an explanation
        return str(error).partition(": ")[2] or str(error)
    except (AttributeError, ImportError):
        return ""
    return None


def survey(names):
    """{module: (number of names, {absent name: explanation})}."""
    result = {}
    for module, members in names.items():
        owner = look_up(module)
        found = {name: absence(owner, name) if owner is not None else "" for name in members}
        result[module] = len(members), {name: why for name, why in found.items() if why is not None}
    return result


def reason_for(reasons, module, name):
    return reasons.get(f"{module}.{name}") or reasons.get(f"{module}.*") or ""


def page(version, found, reasons, introduction, suffix=""):
    """The page's text, and the absent names without a reason. ``suffix`` tells headings of several versions apart."""
    lines, unexplained = [introduction.format(version=version)], []
    lines.append("| module | present | of | |\n|---|---:|---:|---|\n")
    total = sum(count for count, _ in found.values())
    missing = sum(len(absent) for _, absent in found.values())
    for module, (count, absent) in found.items():
        mark = "complete" if not absent else f"[{len(absent)} absent](#{anchor(module + suffix)})"
        lines.append(f"| `{module}` | {count - len(absent)} | {count} | {mark} |\n")
    lines.append(f"| **all** | **{total - missing}** | **{total}** | |\n")
    for module, (_, absent) in found.items():
        if not absent:
            continue
        lines.append(f"\n## {module}{suffix}\n\n")
        grouped = {}
        for name, explanation in absent.items():
            reason = reason_for(reasons, module, name) or explanation
            if not reason:
                unexplained.append(f"{module}.{name}")
            grouped.setdefault(reason or "not written yet", []).append(name)
        for reason, members in grouped.items():
            lines.append(f"- {', '.join(f'`{m}`' for m in members)}: {reason}\n")
    return "".join(lines), unexplained


def anchor(module):
    """The anchor that Markdown gives to the module's heading."""
    return "".join(ch for ch in module.lower().replace(" ", "-") if ch.isalnum() or ch in "-_")


def build():
    reasons = json.loads((ROOT / "scripts" / "coverage_reasons.json").read_text())
    parts, unexplained, absent = [], [], set()
    for file, introduction, suffix in (("names.json", INTRODUCTION, ""), ("names3.json", SECOND, " (3.3.1)")):
        data = json.loads((ROOT / "tests" / "oracle" / file).read_text())
        found = survey(data["names"])
        text, without = page(data["version"], found, reasons, introduction, suffix)
        parts.append(text)
        unexplained += without
        absent |= {f"{module}.{name}" for module, (_, names) in found.items() for name in names}
    stale = [key for key in reasons if not key.endswith(".*") and key not in absent]
    return "".join(parts), unexplained, stale


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing; fail if the page is not up to date")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    text, unexplained, stale = build()
    if options.check:
        problems = [f"no reason for the absence of {name}" for name in unexplained]
        problems += [f"coverage_reasons.json explains the absence of {key}, which is here" for key in stale]
        if not PAGE.exists() or PAGE.read_text() != text:
            problems.append("docs/coverage.md is out of date: run python scripts/coverage.py")
        print(*problems, sep="\n")
        return 1 if problems else 0
    PAGE.write_text(text)
    totals = [line for line in text.splitlines() if line.startswith("| **all**")]
    print(*totals, f"{len(unexplained)} absent names without a reason", sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
