"""What tests of programs with few bits share."""

import pytest

import paddle


@pytest.fixture
def static_mode():
    """Static mode, with a scope and names of the test's own."""
    paddle.enable_static()
    with paddle.static.scope_guard(paddle.static.Scope()), paddle.utils.unique_name.guard():
        yield
    paddle.disable_static()
