"""Rewrite a program of fluid 1.4 to 1.8 or of 2.0 alpha for Paddle 2.6; comments and layout stay, what cannot be decided is marked
in place (``# migrate: ...``). Or tell its version and its older names (--list), or compare the losses of both (--check)."""

import difflib
import os
import sys
import tempfile

from ..core import detection
from ..migrate import migrate
from ..migrate.trial import losses_of
from ..utils import upgrade

HELP = "rewrite a program of an older generation for 2.6"


def arguments(parser):
    """What the subcommand takes."""
    parser.add_argument("file", help="a Python program of an older generation")
    parser.add_argument("-o", "--output", help="file to write; without it the new program is printed")
    parser.add_argument("--to", choices=["2.6", "3"], default="2.6", help="the generation to write for")
    parser.add_argument("--diff", action="store_true", help="print the differences only")
    parser.add_argument("--list", action="store_true", help="tell the version and the older names; nothing is rewritten")
    parser.add_argument("--check", action="store_true", help="run both programs from one seed and compare their losses")
    parser.add_argument("--arguments", nargs="*", default=[], help="arguments of the program, for --check")


def run(given):
    """Do what was asked for; exit code 1 if --check finds a difference."""
    with open(given.file, encoding="utf-8") as source:
        text = source.read()
    if given.list:
        return _list(given.file, text)
    try:
        migration = migrate(text, given.file, given.to)
    except SyntaxError as error:
        raise ValueError(f"{given.file}: {error}") from error
    except ImportError as error:
        raise ValueError(str(error)) from error
    if not migration.changed and not migration.marks:
        print(f"{given.file}: nothing to rewrite, it imports neither paddle.fluid nor paddle.imperative", file=sys.stderr)
    if given.output:
        with open(given.output, "w", encoding="utf-8") as file:
            file.write(migration.text)
    if given.diff:
        print("".join(difflib.unified_diff(text.splitlines(True), migration.text.splitlines(True), given.file,
                                           given.output or given.file + " (new)")), end="")
    elif not given.output and not given.check:
        print(migration.text, end="")
    if given.output or given.check:
        print(f"{given.file}: {migration.changed} names and calls rewritten, {len(migration.marks)} marked")
        for line, reason in migration.marks:
            print(f"  line {line}: {reason}")
    return _check(given, migration.text) if given.check else 0


def _check(given, text):
    folder = os.path.dirname(os.path.abspath(given.file))
    with tempfile.NamedTemporaryFile("w", suffix=".py", dir=folder, encoding="utf-8") as new:  # where its own imports are
        new.write(text)
        new.flush()
        try:
            old_losses = losses_of(given.file, given.arguments, detection.find(given.file).version)
            new_losses = losses_of(new.name, given.arguments, given.to)
        except RuntimeError as error:
            raise ValueError(str(error)) from error
    for step, (old, now) in enumerate(zip(old_losses, new_losses), 1):
        if abs(old - now) > 1e-4 * max(1.0, abs(old)):
            print(f"loss {step} differs: {old:.8g} before, {now:.8g} after")
            return 1
    if len(old_losses) != len(new_losses) or not old_losses:
        print(f"{len(old_losses)} losses before, {len(new_losses)} after")
        return 1
    print(f"{len(old_losses)} losses are equal, from {old_losses[0]:.6g} to {old_losses[-1]:.6g}")
    return 0


def _list(file, text):
    """Print the version with the lines that tell it, then the table of names."""
    try:
        rows = upgrade.report(text, file)
    except SyntaxError as error:
        raise ValueError(f"{file}: {error}") from error
    for line in [*version_lines(detection.find(file)), *upgrade.lines(rows, file)]:
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
