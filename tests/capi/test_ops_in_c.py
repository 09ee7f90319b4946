"""Every record of an operator that the C library knows also runs there: the same shapes, element types and values."""

import pathlib
import sys

import numpy as np
import pytest

from paddle.core.op import OPS
from paddle.serialization import program_desc
from paddle.static.program import op_table
from paddle.static.program.desc import operator_of
from paddle.static.program.op_table import knows

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "ops"))
import opcase  # noqa: E402 - the records of tests/ops, which is no package
from capi.library import PATH, Failed, Model, operators  # noqa: E402
from case_programs import saved  # noqa: E402

LACKING = pathlib.Path(__file__).with_name("lacking.txt")
KNOWN = operators()
COMPLEX = "holds complex numbers, which are not supported here"
WITH_COMPLEX = {"add_complex", "subtract_complex", "multiply_complex", "divide_complex", "matmul_complex", "abs_times_real"}

OTHERWISE = {  # records that mean something else here, with the reason
    **dict.fromkeys(("batch_norm", "dropout", "dropout-3", "fake_quantize", "fake_quantize_moving_average_abs_max",
                     "moving_average_abs_max_scale"), "a saved model is one for inference"),
    "topk-4": "the order of equal elements is left open",
    **dict.fromkeys(("einsum[ii->i]", "einsum[ii]", "einsum[...ij,...jk->...ik]", "einsum[i...->...]"),
                    "diagonals and dots are refused"),
    "reshape-2": "Paddle's files have no size of 0: it stands for the size of that axis before",
}


def record(case):
    """(program, inputs, outputs) of a case, or None if it is no program of operators that the library knows."""
    return saved(case, KNOWN)


def without_defaults(program):
    """A program whose file leaves out the attributes that are what they are taken to be then; Python reads them as before."""
    desc = program_desc.read(program)
    for op in desc.blocks[0].ops:
        row, before = op_table.table().get(op.type, {"attrs": {}}), operator_of(None, None, op).attrs
        known = {name: entry[1] for name, entry in {**row.get("extra", {}), **row["attrs"]}.items() if len(entry) > 1}
        op.attrs = [a for a in op.attrs if a.name not in known or before.get(a.name) != known[a.name]]
        assert operator_of(None, None, op).attrs.items() >= {k: v for k, v in before.items() if k in row["attrs"]}.items()
    return program_desc.write(desc)


CASES = [case for case in opcase.load_cases() if opcase.applies(case, "static") and case.ref is not None]


def check(case):
    """Compare a case with the C library; False if that does not know its operators."""
    found = record(case)
    if found is None:
        return False
    program, inputs, outputs = found
    for form in (program, without_defaults(program)):
        try:
            got = Model(form)(*inputs)
        except Failed as refused:
            if COMPLEX in str(refused) and case.id not in WITH_COMPLEX:
                return False
            raise
        for one, other in zip(got, outputs, strict=True):
            assert (one.shape, one.dtype) == (other.shape, other.dtype), case.id
            least = max(2e-6, case.tol * np.abs(other).max(initial=0))
            np.testing.assert_allclose(one, other, rtol=2e-5, atol=least, err_msg=case.id)
    return True


@pytest.mark.parametrize("first", range(0, len(CASES), 50))
def test_cases(first):
    """Fifty records at a time: one takes a few milliseconds."""
    for case in CASES[first:first + 50]:
        if case.id not in OTHERWISE:
            check(case)


def test_what_the_library_lacks_is_listed():
    """lacking.txt has every operator of Paddle's that Python runs and C does not: of training, random numbers, and rare ones."""
    lacking = sorted(name for name in {op.type for op in OPS.values()} - KNOWN if knows(name))
    assert LACKING.read_text().split() == lacking


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other linkers leave more in")
def test_the_library_stays_small():
    assert PATH.stat().st_size <= 2_000_000
