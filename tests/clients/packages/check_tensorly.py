"""tensorly's own tests of its tensor classes."""

from own_tests import run

run("tensorly", "tests", TENSORLY_BACKEND="paddle")
