"""Every test starts in dynamic mode, with names and a seed of its own."""

import pytest

import paddle
from paddle.utils import unique_name


@pytest.fixture(autouse=True)
def fresh_state():
    with unique_name.guard():
        paddle.seed(2024)
        paddle.disable_static()
        yield
        paddle.jit.enable_to_static(True)
        paddle.disable_static()
