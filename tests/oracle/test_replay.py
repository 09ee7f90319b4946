"""Every recorded call of the real Paddle 2.6.2, made in ours: same structure, dtype, shape, values and gradients.

Calls that ours does not match yet are listed in pending.txt, which can only shrink: a listed call that passes fails
here until `python tests/oracle/pending.py` has taken it off the list.
"""

import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import oracle_check  # noqa: E402
import oracle_structure  # noqa: E402

CHECKS = {**dict.fromkeys(oracle_check.recorded(), oracle_check.replay), **oracle_structure.checks()}
PENDING = oracle_check.pending()
GONE = pytest.mark.xfail(strict=True, reason="listed in pending.txt")


@pytest.mark.parametrize("key", [pytest.param(key, id=key, marks=GONE if key in PENDING else ()) for key in CHECKS])
def test_agrees_with_paddle(key):
    if oracle_check.needs_missing_extra(key):
        pytest.skip("bfloat16 needs the ml-dtypes package")
    CHECKS[key](key)


def test_pending_names_only_known_checks():
    assert PENDING <= set(CHECKS)


def test_table_is_large_enough():
    assert len(CHECKS) > 2500
