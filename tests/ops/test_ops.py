"""Every OpCase of tests/ops/cases through every check of opcase.py, and the registry against the cases."""

import opcase
import pytest

CASES = opcase.load_cases()


@pytest.mark.parametrize("case, check", [pytest.param(case, check, id=f"{case.id}-{check}")
                                         for case in CASES for check in opcase.CHECKS if opcase.applies(case, check)])
def test_case(case, check):
    opcase.CHECKS[check](case)


def test_every_op_has_a_case():
    declared = opcase.load_ops()
    run = set()
    for case in CASES:
        run |= opcase.ops_run_by(case)
    missing = sorted(set(declared) - run)
    assert not missing, f"{len(missing)} of {len(declared)} ops are run by no OpCase: {', '.join(missing)}"


def test_every_op_is_described():
    for name, op in opcase.load_ops().items():
        assert (op.__doc__ or "").strip(), f"op {name} has no docstring"
        assert op.family, f"op {name} has no family"
