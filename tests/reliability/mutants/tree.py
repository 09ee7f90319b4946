"""A copy of the project to put faults into, with its C compiled for one instruction set and, for reach.py, with a counter."""

import bisect
import contextlib
import os
import runpy
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

from .faults import ROOT

SOURCES = ROOT / "build" / "mutants" / "sources"  # what mutants are drawn from and C is compiled from
TREE = ROOT / "build" / "mutants" / "tree"  # what the tests run on
BUILT = ROOT / "build" / "mutants" / "objects"
MODULE = "src/paddle/_native" + sysconfig.get_config_var("EXT_SUFFIX")
NATIVE = "src/paddle/kernels/native"
COUNTING = ("-O1", "-g1", "-fsanitize-coverage=trace-pc")
COUNTER = """
#include <stdint.h>
#include <string.h>
#define SIZE (1 << 26)
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
static uint8_t seen[SIZE];
void __sanitizer_cov_trace_pc(void) {
    uintptr_t at = (uintptr_t)__builtin_return_address(0) - (uintptr_t)__ehdr_start;
    if (at < SIZE) seen[at] = 1;
}
__attribute__((visibility("default"))) uint8_t *reliability_seen(void) { return seen; }
"""


def copy():
    """Sources and tests; a copy that is there keeps its sources, so that a run goes on with what it drew from."""
    leave = ("__pycache__", "*.egg-info")
    if not SOURCES.exists():
        shutil.copytree(ROOT / "src", SOURCES / "src", ignore=shutil.ignore_patterns(*leave))
        for name in ("setup.py", "pyproject.toml", "README.md", "LICENSE"):
            shutil.copy(ROOT / name, SOURCES / name)
        # without C files: beside them a module says from which others it was built
        shutil.copytree(SOURCES / "src", TREE / "src", ignore=shutil.ignore_patterns("*.c", "*.h", "*.inc", "native", "capi"))
        shutil.copy(ROOT / "pyproject.toml", TREE / "pyproject.toml")
    for file in (SOURCES / "src" / "paddle").rglob("*.py"):  # an interrupted run may have left a fault
        made = TREE / file.relative_to(SOURCES)
        if made.read_bytes() != file.read_bytes():
            shutil.copy2(file, made)
    shutil.rmtree(TREE / "tests", ignore_errors=True)
    shutil.copytree(ROOT / "tests", TREE / "tests", ignore=shutil.ignore_patterns(*leave, "reliability"))


def extension():
    """What setup.py says of the module of kernels."""
    before, here = sys.argv, Path.cwd()
    sys.argv = ["setup.py", "-q", "--name"]
    os.chdir(SOURCES)
    try:
        with contextlib.redirect_stdout(None):
            return runpy.run_path("setup.py")["native"]
    finally:
        sys.argv = before
        os.chdir(here)


class Compiler:
    """Compiles sources of the tree, of which it knows what they include, and links the module."""

    def __init__(self):
        self.extension = extension()
        self.flags = [f for f in self.extension.extra_compile_args if f[:2] != "-O" and f != "-g0"]
        self.flags += ["-fPIC", "-w", "-DNATIVE_X86=0", *COUNTING, f"-I{sysconfig.get_path('include')}", f"-I{BUILT}",
                       *(f"-I{folder}" for folder in self.extension.include_dirs)]

    def object_of(self, source):
        return BUILT / (source.replace("/", "+") + ".o")

    def compile(self, source, counting=True):
        """0, or the compiler's exit code. Operators of the C library and mutants are not counted."""
        flags = self.flags if counting and source.startswith(NATIVE) else [f for f in self.flags if f not in COUNTING[1:]]
        made = self.object_of(source)
        return subprocess.run(["cc", *flags, "-MMD", "-MF", f"{made}.d", "-c", source, "-o", str(made)], cwd=SOURCES,
                              capture_output=True).returncode

    def compile_all(self):
        """What is not compiled yet, and the module from it."""
        BUILT.mkdir(parents=True, exist_ok=True)
        (BUILT / "built_from.h").write_text('#define BUILT_FROM ""\n')
        (BUILT / "counter.c").write_text(COUNTER)
        subprocess.run(["cc", "-O2", "-fPIC", "-c", "counter.c", "-o", "counter.o"], cwd=BUILT, check=True)
        for source in self.extension.sources:
            if not self.object_of(source).exists() and self.compile(source):
                sys.exit(f"{source} does not compile")
        self.link()

    def readers(self, path):
        """The sources that include a file, or are it."""
        return [s for s in self.extension.sources
                if s == path or path in Path(f"{self.object_of(s)}.d").read_text().replace("\\\n", " ").split()]

    def link(self):
        """A new file in the tree: a process that has the old one keeps it."""
        (TREE / MODULE).unlink(missing_ok=True)
        objects = [str(self.object_of(s)) for s in self.extension.sources]
        subprocess.run(["cc", "-shared", "-pthread", *objects, str(BUILT / "counter.o"), "-lm", "-o", str(TREE / MODULE)],
                       cwd=SOURCES, check=True)


def blocks():
    """{where a counting call returns to: the (path, line) that its block of code is compiled from} of the module in the tree."""
    rows, names = [], {file.name for file in (SOURCES / NATIVE).iterdir()}
    for line in dump("--dwarf=decodedline"):
        parts = line.split()
        if len(parts) >= 3 and parts[0] in names and parts[1].isdigit() and parts[2].startswith("0x"):
            rows.append((int(parts[2], 16), (f"{NATIVE}/{parts[0]}", int(parts[1]))))
    rows.sort()
    starts, returns = [], []
    begin = counting = None  # of a function, until its first counting call; whether the line before was one
    for line in dump("-d", "--no-show-raw-insn"):
        if line.endswith(">:"):
            begin = int(line.split()[0], 16)
        elif ":\t" in line:
            address = int(line.split(":")[0], 16)
            if counting:
                returns.append(address)
            counting = "<__sanitizer_cov_trace_pc" in line
            if counting:
                starts.append(address if begin is None else begin)
                begin = None
    addresses = [address for address, _ in rows]
    cuts = [bisect.bisect_left(addresses, start) for start in starts] + [len(rows)]
    return {back: {at for _, at in rows[cuts[k]:cuts[k + 1]]} for k, back in enumerate(returns)}


def dump(*what):
    return subprocess.run(["objdump", *what, str(TREE / MODULE)], capture_output=True, text=True, check=True).stdout.splitlines()
