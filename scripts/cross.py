"""Compile the C sources for other systems, and link the C library there: ``make cross``.

    python scripts/cross.py [--targets aarch64-macos ...] [--run]

The compiler is clang as ``pip install ziglang`` brings it, with the headers of every system. The extension modules are compiled
only, against this Python's headers, which are the same for every 64-bit system, and those of NumPy's wheel for the system.
``libdygraph`` is linked too, with a program that asks it for its version; ``--run`` runs that program where it can
(``qemu-aarch64`` for Linux on ARM).
"""

import argparse
import pathlib
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import zipfile
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parent.parent
KERNELS, LIBRARY, ENGINE = ROOT / "src/paddle/kernels/native", ROOT / "src/capi", ROOT / "src/paddle/core"
TARGETS = {  # the compiler's name of a system -> pip's name of its wheels
    "aarch64-linux-gnu": "manylinux_2_28_aarch64", "aarch64-linux-musl": "musllinux_1_2_aarch64",
    "x86_64-linux-musl": "musllinux_1_2_x86_64", "aarch64-macos": "macosx_14_0_arm64", "x86_64-macos": "macosx_14_0_x86_64",
}
FLAGS = ["-std=gnu11", "-O1", "-fvisibility=hidden", "-ffunction-sections", "-fdata-sections", "-fwrapv", "-fno-math-errno",
         "-fno-trapping-math", "-Wall", "-Wextra",
         "-Wno-missing-field-initializers", "-Wno-psabi", "-Wno-type-limits", "-pthread", "-g0",
         # one text for all element types, generated ones, and Python's headers behind the system's
         "-Wno-tautological-constant-out-of-range-compare", "-Wno-parentheses-equality", "-Wno-macro-redefined"]
PROGRAM = """#include <stdio.h>
#include <pd_inference_api.h>
int main(void) { puts(PD_GetVersion()); return 0; }
"""


def zig(*arguments):
    """Run the compiler; its output goes to ours."""
    return subprocess.run([sys.executable, "-m", "ziglang", "cc", *map(str, arguments)], capture_output=True, text=True)


def objects(target, sources, includes, folder):
    """Compile sources; returns the objects' paths and the compiler's complaints."""
    def compiled(source):
        made = folder / (source.relative_to(ROOT).as_posix().replace("/", "-") + ".o")
        done = zig("-target", target, *FLAGS, *(f"-I{path}" for path in includes), "-c", source, "-o", made)
        return made, done.stderr

    with ThreadPoolExecutor(2) as pool:
        made, complaints = zip(*pool.map(compiled, sources))
    return list(made), "".join(complaints)


def numpy_headers(target, folder):
    """The headers that NumPy's wheel for a target holds."""
    import numpy

    subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:", "--dest", str(folder),
                    "--platform", TARGETS[target], f"numpy=={numpy.__version__}"], check=True, capture_output=True)
    wheel, = folder.glob("numpy-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder, [name for name in archive.namelist() if "/_core/include/" in name])
    return folder / "numpy/_core/include"


def try_target(target, run):
    """Compile and link for a target; returns what came of it in a line, and the complaints."""
    shared = [*KERNELS.glob("*.c")]
    kernels = [KERNELS / name for name in (LIBRARY / "kernels.txt").read_text(encoding="utf-8").split()]
    own = sorted([*LIBRARY.glob("*.c"), *(LIBRARY / "ops").glob("*.c")])
    headers = ROOT / "src/paddle/include"
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        python = [sysconfig.get_path("include"), numpy_headers(target, folder)]
        rest = sorted({*shared, *ENGINE.glob("*.c")} - set(kernels))
        parts, complaints = objects(target, [*kernels, *own], [LIBRARY, headers, KERNELS], folder)
        _, more = objects(target, rest, [KERNELS, LIBRARY, headers, *python], folder)
        complaints += more
        (folder / "version.c").write_text(PROGRAM, encoding="utf-8")
        program = folder / "version"
        linked = zig("-target", target, *FLAGS, f"-I{headers}", folder / "version.c", *parts, "-lm", "-o", program)
        complaints += linked.stderr
        if linked.returncode or not program.exists():
            return f"{target}: not linked", complaints
        number = len(parts) + len(rest)
        emulator = shutil.which("qemu-aarch64") or shutil.which("qemu-aarch64-static")
        if run and target.endswith("linux-musl"):  # linked statically
            command = [emulator, program] if target.startswith("aarch64") else [program]
            if command[0]:
                answer = subprocess.run(command, capture_output=True, text=True)
                return f"{target}: {number} files compiled, library linked, says {answer.stdout.strip()!r}", complaints
        return f"{target}: {number} files compiled, library linked", complaints


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--targets", nargs="+", choices=TARGETS, default=TARGETS)
    parser.add_argument("--run", action="store_true")
    arguments = parser.parse_args()
    failed = False
    for target in arguments.targets:
        line, complaints = try_target(target, arguments.run)
        print(line, *complaints.splitlines(), sep="\n", flush=True)
        failed |= bool(complaints)
    sys.exit(failed)


if __name__ == "__main__":
    main()
