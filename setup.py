"""Builds the optional extension modules paddle._native and paddle.core._engine; everything else is in pyproject.toml.

PADDLE_NATIVE_SANITIZE=1 builds them with AddressSanitizer and UBSan (see `make test-asan`).
DYGRAPH_PURE=1 leaves them out: one wheel, `py3-none-any`, for systems that have none of their own.
"""

import os
from concurrent.futures import ThreadPoolExecutor
from glob import glob

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

SOURCES = "src/paddle/kernels/native"
SANITIZE = os.environ.get("PADDLE_NATIVE_SANITIZE", "0") not in ("", "0")
PURE = os.environ.get("DYGRAPH_PURE", "0") not in ("", "0")


def numpy_headers():
    """The folder of NumPy's C headers."""
    import numpy

    return numpy.get_include()


class BuildNative(build_ext):
    """Compiles the sources side by side, and leaves the package whole when that is not possible."""

    def build_extensions(self):
        compile_all = self.compiler.compile

        def compile_side_by_side(sources, **options):
            with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
                objects = pool.map(lambda source: compile_all([source], **options), sources)
                return [name for names in objects for name in names]

        self.compiler.compile = lambda sources, **options: compile_side_by_side(sources, **options)
        super().build_extensions()

    def build_extension(self, ext):
        try:
            super().build_extension(ext)
        except Exception as error:  # a missing compiler, header or tool: Python and NumPy do the work then
            print(f"{ext.name} was not built ({error}); paddle works without it, only slower.")


flags = ["-std=gnu11", "-O3", "-fvisibility=hidden", "-fno-math-errno", "-fno-trapping-math", "-Wall", "-Wextra",
         "-Wno-missing-field-initializers", "-Wno-psabi", "-pthread", "-g0"]
link_flags = ["-pthread"]
if SANITIZE:
    # null pointers and the ends of objects are AddressSanitizer's business; UBSan's checks of them triple the time to compile
    sanitizers = ["-fsanitize=address,undefined", "-fno-sanitize=null,object-size,pointer-overflow",
                  "-fno-sanitize-recover=undefined", "-g1", "-O1"]
    flags += sanitizers
    link_flags += sanitizers[:1]

try:
    include_dirs = [SOURCES, numpy_headers()]
except ImportError:
    include_dirs = None
    print("paddle._native was not built (NumPy's headers are missing); paddle works without it, only slower.")

native = Extension(
    "paddle._native",
    sources=sorted(glob(f"{SOURCES}/*.c")),
    depends=sorted(glob(f"{SOURCES}/*.h") + glob(f"{SOURCES}/*.inc")),
    include_dirs=include_dirs,
    extra_compile_args=flags,
    extra_link_args=link_flags,
    optional=True,
)

engine = Extension(
    "paddle.core._engine",
    sources=sorted(glob("src/paddle/core/*.c")),
    depends=sorted(glob("src/paddle/core/*.h")),
    include_dirs=include_dirs,
    extra_compile_args=[f for f in flags if f not in ("-fno-math-errno", "-fno-trapping-math")],
    extra_link_args=link_flags,
    optional=True,
)

setup(
    package_dir={"": "src"},
    ext_modules=[native, engine] if include_dirs and not PURE else [],
    cmdclass={"build_ext": BuildNative},
)
