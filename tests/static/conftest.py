"""Every test starts in dynamic mode, with programs, scope, names and seed of its own."""

import pytest

import paddle
from paddle import static
from paddle.static.program import program as programs
from paddle.utils import unique_name


@pytest.fixture(autouse=True)
def fresh_state():
    main, startup = programs.switch_main_program(static.Program()), programs.switch_startup_program(static.Program())
    with static.scope_guard(static.Scope()), unique_name.guard():
        paddle.seed(2024)
        paddle.disable_static()
        yield
        paddle.disable_static()
    programs.switch_main_program(main)
    programs.switch_startup_program(startup)


@pytest.fixture
def static_mode():
    paddle.enable_static()
    yield
    paddle.disable_static()
