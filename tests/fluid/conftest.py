"""Fixtures of the tests of older generations."""

import pytest

import paddle.fluid as fluid
from paddle.core import rules
from paddle.core.context import process


@pytest.fixture
def version(request, monkeypatch):
    """The generation of a test that is parametrized with its name (indirect)."""
    monkeypatch.setattr(process, "chosen", rules.find(request.param))
    monkeypatch.setattr(process, "rules", rules.find(request.param))
    yield request.param
    fluid.disable_dygraph()  # disable_static() of 2.0 to 2.4 leaves fluid eager


@pytest.fixture
def programs():
    """Default programs and a scope of the test's own."""
    with fluid.program_guard(fluid.Program(), fluid.Program()), fluid.scope_guard(fluid.Scope()):
        yield


@pytest.fixture
def own_names(programs):
    """Programs and a scope of the test's own, whose names begin with number 0."""
    with fluid.unique_name.guard():
        yield
