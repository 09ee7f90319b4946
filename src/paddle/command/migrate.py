"""Tell which version of Paddle a program was written for, by which lines, and what its older names are called today."""

import os

HELP = "tell a program's version, and its older names with their successors"


def arguments(parser):
    """What the subcommand takes."""
    parser.add_argument("--list", action="store_true", required=True, help="list; the program is read, not run or changed")
    parser.add_argument("file", help="a Python program of an older generation")


def run(given):
    """Print the version with the lines that tell it, then the table of names."""
    from ..core import detection
    from ..utils import upgrade
    with open(given.file, encoding="utf-8") as source:
        text = source.read()
    try:
        rows = upgrade.report(text, given.file)
    except SyntaxError as error:
        raise ValueError(f"{given.file}: {error}") from error
    for line in version_lines(detection.find(given.file)):
        print(line)
    for line in upgrade.lines(rows, given.file):
        print(line)


def version_lines(found):
    """What to print of a finding: the version, and each thing that tells it with the lines where it stands."""
    if found.version is None:
        return ["version: the program imports neither paddle.fluid nor paddle.imperative: 2.6, or what PADDLE_GENERATION says"]
    others = ", ".join(found.versions[1:])
    lines = [f"version: {found.version}" + (f" (equally likely: {others})" if others else "") + "; PADDLE_GENERATION overrides it"]
    places = {}
    for item in found.reasons():
        places.setdefault((item.text, item.versions()), []).append((os.path.basename(item.file), item.line))
    for (text, versions), where in places.items():
        shown = ", ".join(f"{file}:{line}" for file, line in sorted(set(where))[:5])
        lines.append(f"  {text}: {', '.join(versions)}; {shown}")
    return lines or ["  nothing in it tells more"]
