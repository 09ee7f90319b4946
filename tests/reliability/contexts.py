"""A plugin of pytest (``-p reliability.contexts``): coverage notes for each line which tests ran it."""

import coverage
import pytest


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item):
    running = coverage.Coverage.current()
    if running is not None:
        running.switch_context(item.nodeid)
    try:
        return (yield)
    finally:
        if running is not None:
            running.switch_context("")
