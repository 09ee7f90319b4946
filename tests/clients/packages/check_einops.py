"""einops' own tests."""

from own_tests import run

run("einops", "tests", EINOPS_TEST_BACKENDS="numpy,paddle")
