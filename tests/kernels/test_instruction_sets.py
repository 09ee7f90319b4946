"""Kernels for all instruction sets, or for one alone (NATIVE_ONLY, which DYGRAPH_HOST sets)."""

import os
import pathlib
import re
import shutil
import subprocess

import pytest

NATIVE = pathlib.Path(__file__).resolve().parents[2] / "src" / "paddle" / "kernels" / "native"
NAMES = ("base", "avx2", "avx512")

BODY = "int NAME(level)(void); int NAME(level)(void) { return ISA_LEVEL; }\n"
MAIN = """
#define BODY "level.inc"
#include "multiversion.h"
#include <stdio.h>
DECLARE_VERSIONS(f32, int, level, void);
int main(void) {
    for (int most = 0; most < 3; most++) {
        native_isa = isa_detect(most);
        printf("%d %d\\n", native_isa, native_isa < 0 ? -1 : DISPATCH(f32, level));
    }
    return 0;
}
"""


@pytest.fixture(scope="module")
def compiler():
    found = shutil.which(os.environ.get("CC", "cc"))
    if not found:
        pytest.skip("no C compiler")
    return found


def processor(compiler):
    """The instruction set of this processor, as the compiler sees it; 0 where there is but one."""
    told = subprocess.run([compiler, "-march=native", "-dM", "-E", "-x", "c", os.devnull], capture_output=True, text=True).stdout
    has = set(re.findall(r"__(AVX\w+|FMA)__", told))
    return 2 if {"AVX512F", "AVX512DQ", "AVX512VL", "AVX512BW", "FMA"} <= has else 1 if {"AVX2", "FMA"} <= has else 0


@pytest.mark.parametrize("only", [None, 0, 1, 2])
def test_compiled_for(compiler, tmp_path, only):
    """`most` chooses among those compiled; one that is compiled alone is used whatever is asked for, or refused."""
    (tmp_path / "level.inc").write_text(BODY)
    (tmp_path / "main.c").write_text(MAIN)
    flags = [] if only is None else [f"-DNATIVE_ONLY={only}"]
    subprocess.run([compiler, "-std=gnu11", *flags, f"-I{NATIVE}", f"-I{tmp_path}", "-w", "-pthread",
                    str(tmp_path / "main.c"), str(NATIVE / "common.c"), "-o", str(tmp_path / "main")], check=True)
    there = processor(compiler)
    if only is not None and only > 0 and os.uname().machine != "x86_64":
        pytest.skip("an instruction set of x86-64")
    told = subprocess.run([str(tmp_path / "main")], capture_output=True, text=True, check=True).stdout.split("\n")[:3]
    expected = [min(most, there) for most in range(3)] if only is None else [only if only <= there else -1] * 3
    assert told == [f"{level} {level}" for level in expected]
    symbols = subprocess.run(["nm", str(tmp_path / "main")], capture_output=True, text=True, check=True).stdout
    compiled = [name for name in NAMES if f"level_f32_{name}" in symbols]
    assert compiled == (list(NAMES if os.uname().machine == "x86_64" else NAMES[:1]) if only is None else [NAMES[only]])
