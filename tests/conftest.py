"""Fixtures that several rooms use."""

import pytest

from paddle.core import engine as core_engine

BUILDS = ["python"] if core_engine.fast is None else ["c", "python"]


@pytest.fixture(params=BUILDS)
def engine(request):
    """The test runs once on each build of the tape's hot path: in C (where it was built) and in Python."""
    with core_engine.chosen(request.param):
        yield request.param
