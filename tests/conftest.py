"""Fixtures that several rooms use."""

import signal

import pytest

from paddle.core import engine as core_engine
from paddle.core.context import process
from paddle.core.rooms import rooms

BUILDS = ["python"] if core_engine.fast is None else ["c", "python"]


def pytest_configure():
    """A shell starts what it runs in the background with Ctrl-C ignored, and so would be the programs that tests interrupt."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(params=BUILDS)
def engine(request):
    """The test runs once on each build of the tape's hot path: in C (where it was built) and in Python."""
    with core_engine.chosen(request.param):
        yield request.param


@pytest.fixture(autouse=True)
def chosen_generation():
    """A test that chooses a generation chooses it for itself only: having chosen none differs from choosing the default."""
    before = process.chosen, process.rules
    yield
    if process.rules is not before[1]:
        rooms.choose_generation(before[1])
    process.chosen, process.rules = before
