"""Builds the optional extension modules paddle._native and paddle.core._engine, and the C library paddle/libs/libdygraph;
everything else is in pyproject.toml.

PADDLE_NATIVE_SANITIZE=1 builds them with AddressSanitizer and UBSan (see `make test-asan`), PADDLE_NATIVE_LINES=1 with gcov's
counters of lines and branches (see `make lines`).
DYGRAPH_PURE=1 leaves them out: one wheel, `py3-none-any`, for systems that have none of their own.
DYGRAPH_HOST=1 compiles the kernels for this processor's instruction set alone, in half the time (see `make demo`): they are the
same here, and refuse to be imported where it is missing.
"""

import os
import re
import runpy
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from glob import glob
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

SOURCES = "src/paddle/kernels/native"
LIBRARY = "src/capi"
# sources of the C interface, which the extension leaves out
INTERFACE = ("arrays", "config", "config_devices", "handles", "predictor")
HEADERS = "src/paddle/include"
SANITIZE = os.environ.get("PADDLE_NATIVE_SANITIZE", "0") not in ("", "0")
LINES = os.environ.get("PADDLE_NATIVE_LINES", "0") not in ("", "0")
BUILT = "src/paddle/core/built.py"
NOT_BUILT = "build/not-built.txt"
PURE = os.environ.get("DYGRAPH_PURE", "0") not in ("", "0")
HOST = os.environ.get("DYGRAPH_HOST", "0") not in ("", "0")


def numpy_headers():
    """The folder of NumPy's C headers."""
    import numpy

    return numpy.get_include()


def amount(source):
    """About how long a source takes to compile: its bytes, and ten times those of a BODY, which is there per instruction set."""
    text = Path(source).read_text(encoding="utf-8")
    bodies = re.findall(r'^#define BODY "(.*)"', text, re.MULTILINE)
    return len(text) + 10 * sum(Path(source).with_name(name).stat().st_size for name in bodies)


def host_level(compiler):
    """Which instruction set of kernels/native/common.h this processor has: 2, 1 or 0, or None if the compiler cannot tell."""
    told = subprocess.run([*compiler, "-march=native", "-dM", "-E", "-x", "c", os.devnull], capture_output=True, text=True)
    if told.returncode or "__x86_64__" not in told.stdout:
        return None
    has = set(re.findall(r"__(AVX\w+|FMA)__", told.stdout))
    return 2 if has >= {"AVX512F", "AVX512DQ", "AVX512VL", "AVX512BW", "FMA"} else int(has >= {"AVX2", "FMA"})


class BuildNative(build_ext):
    """Compiles the sources side by side, and leaves the package whole when that is not possible."""

    def build_extensions(self):
        if HOST and (level := host_level(self.compiler.compiler_so[:1])) is not None:
            self.compiler.define_macro("NATIVE_ONLY", str(level))
        compile_all = self.compiler.compile

        def compile_side_by_side(sources, **options):
            def compile_one(source):
                own = {"extra_postargs": library_flags} if source.startswith(LIBRARY) else {}  # the library links this object too
                return compile_all([source], **{**options, **own})

            with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
                longest_first = sorted(sources, key=amount, reverse=True)  # none is left to one processor in the end
                return [name for names in pool.map(compile_one, longest_first) for name in names]

        self.compiler.compile = lambda sources, **options: compile_side_by_side(sources, **options)
        super().build_extensions()
        try:
            self.build_library()
        except Exception as error:  # the same reasons as below
            self.left_out("libdygraph", error, "models then run from Python only", Path("src/paddle/libs").glob("libdygraph*"))

    def build_library(self):
        """libdygraph from the objects of kernels and operators, which the extension module has just been made of, and the rest."""
        folder = Path(self.build_lib, "paddle", "libs")
        target = folder / ("libdygraph" + (".dylib" if sys.platform == "darwin" else ".so"))
        kernels = [f"{SOURCES}/{name}" for name in Path(LIBRARY, "kernels.txt").read_text().split()]
        sources = kernels + sorted(glob(f"{LIBRARY}/*.c") + glob(f"{LIBRARY}/ops/*.c"))
        read = glob(f"{SOURCES}/*.h") + glob(f"{SOURCES}/*.inc")
        read += glob(f"{LIBRARY}/*.h") + glob(f"{LIBRARY}/*.inc") + glob(f"{LIBRARY}/ops/*.inc") + glob(f"{HEADERS}/*.h")
        read += glob(f"{self.build_temp}/paddle._native/built_from.h")
        newest = max(os.path.getmtime(name) for name in [*sources, *read])
        # an instrumented build finds the plain library there, which was copied with the package
        if target.exists() and target.stat().st_mtime > newest and not (self.force or SANITIZE or LINES):
            return
        options = {"output_dir": self.build_temp, "include_dirs": [LIBRARY, HEADERS, SOURCES], "extra_postargs": library_flags}
        objects = self.compiler.object_filenames(sources, output_dir=self.build_temp)
        self.compiler.compile([source for source, made in zip(sources, objects)
                               if not os.path.exists(made) or os.path.getmtime(made) < max(map(os.path.getmtime, [source, *read]))],
                              **options)
        folder.mkdir(parents=True, exist_ok=True)
        extra = ["-Wl,-soname,libdygraph.so", "-Wl,-z,nodelete", "-Wl,--gc-sections"] if sys.platform.startswith("linux") else []
        self.compiler.link_shared_object(objects, str(target), libraries=["m"], extra_postargs=link_flags + extra + strip_flags)
        # what programs that link with -lpaddle_inference_c find: a wheel holds no links, so it is a script for the linker
        (folder / "libpaddle_inference_c.so").write_text("INPUT(-ldygraph)\n")

    def copy_extensions_to_source(self):
        super().copy_extensions_to_source()
        for made in Path(self.build_lib, "paddle", "libs").glob("lib*"):
            self.mkpath("src/paddle/libs")
            self.copy_file(str(made), f"src/paddle/libs/{made.name}")

    def build_extension(self, ext):
        header = Path(self.build_temp, ext.name, "built_from.h")
        header.parent.mkdir(parents=True, exist_ok=True)
        built = runpy.run_path(BUILT)
        text = f'#define BUILT_FROM "{built["sources"]([f"src/{folder}" for folder in built["FOLDERS"][ext.name]])}"\n'
        if not header.exists() or header.read_text() != text:  # else it is as old as what was made with it
            header.write_text(text)
        ext.include_dirs.append(str(header.parent))
        ext.depends.append(str(header))  # a source that is gone is newer than nothing
        try:
            super().build_extension(ext)
        except Exception as error:  # a missing compiler, header or tool: Python and NumPy do the work then
            self.left_out(ext.name, error, "paddle works without it, only slower", [Path("src", self.get_ext_filename(ext.name))])

    def left_out(self, name, error, meaning, older):
        """Say why something was not built, in a file too, since pip shows nothing; an older one of it would not fit its sources."""
        for path in older:
            path.unlink(missing_ok=True)
        source = re.search(r"'-c', '(.+?)'", str(error))  # of a command with all its arguments
        said = f"{name} was not built ({f'{source[1]} does not compile' if source else error}); {meaning}."
        print(said)
        os.makedirs(os.path.dirname(NOT_BUILT), exist_ok=True)
        with open(NOT_BUILT, "a", encoding="utf-8") as file:
            file.write(said + "\n")


flags = ["-std=gnu11", "-O3", "-fvisibility=hidden", "-ffunction-sections", "-fdata-sections", "-fno-asynchronous-unwind-tables",
         "-fno-math-errno", "-fno-trapping-math", "-Wall", "-Wextra",
         "-Wno-missing-field-initializers", "-Wno-psabi", "-pthread", "-g0"]
link_flags = ["-pthread"]
strip_flags = [] if SANITIZE or LINES else ["-s"]
if LINES:
    # a function's lines and branches count once, not again in every caller that it disappears into
    flags += ["--coverage", "-O1", "-fno-early-inlining", "-Dalways_inline=unused", "-DARENA_BLOCK_BYTES=1"]
    link_flags += ["--coverage"]
if SANITIZE:
    # null pointers and the ends of objects are AddressSanitizer's business; UBSan's checks of them triple the time to compile
    sanitizers = ["-fsanitize=address,undefined", "-fno-sanitize=null,object-size,pointer-overflow",
                  "-fno-sanitize-recover=undefined", "-g1", "-O1", "-DARENA_BLOCK_BYTES=1"]
    flags += sanitizers
    link_flags += sanitizers[:1]

library_flags = [*("-O2" if flag == "-O3" else flag for flag in flags), "-fwrapv", "-Wno-type-limits"]  # only kernels gain from -O3

try:
    include_dirs = [SOURCES, LIBRARY, numpy_headers()]
except ImportError:
    include_dirs = None
    print("paddle._native was not built (NumPy's headers are missing); paddle works without it, only slower.")

native = Extension(
    "paddle._native",
    sources=sorted(glob(f"{SOURCES}/*.c")) + sorted(glob(f"{LIBRARY}/ops/*.c"))
    + [name for name in sorted(glob(f"{LIBRARY}/*.c")) if Path(name).stem not in INTERFACE],
    depends=sorted(glob(f"{SOURCES}/*.h") + glob(f"{SOURCES}/*.inc") + glob(f"{LIBRARY}/*.h") + glob(f"{LIBRARY}/*.inc")),
    include_dirs=include_dirs and [*include_dirs],
    extra_compile_args=flags,
    extra_link_args=link_flags,
    optional=True,
)

engine = Extension(
    "paddle.core._engine",
    sources=sorted(glob("src/paddle/core/*.c")),
    depends=sorted(glob("src/paddle/core/*.h")),
    include_dirs=include_dirs and [*include_dirs],
    extra_compile_args=[f for f in flags if f not in ("-fno-math-errno", "-fno-trapping-math")],
    extra_link_args=link_flags,
    optional=True,
)

setup(
    package_dir={"": "src"},
    ext_modules=[native, engine] if include_dirs and not PURE else [],
    cmdclass={"build_ext": BuildNative},
)
