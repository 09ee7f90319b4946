"""Lets the case files and the harness import each other by plain names; what tests of corners run in."""

import pathlib
import sys

import pytest

import paddle
from paddle import kernels, static

sys.path.insert(0, str(pathlib.Path(__file__).parent))


@pytest.fixture
def references():
    """What the kernels are compared with."""
    before = kernels.enabled()
    kernels.use(False)
    yield
    kernels.use(before)


@pytest.fixture(params=[True, False], ids=["kernels", "references"])
def either(request):
    """With the kernels, and with what they are compared with."""
    before = kernels.enabled()
    kernels.use(request.param)
    yield request.param
    kernels.use(before)


@pytest.fixture
def program():
    """A new program, which the test builds and runs."""
    paddle.enable_static()
    with static.program_guard(static.Program(), static.Program()):
        yield static.default_main_program()
    paddle.disable_static()
