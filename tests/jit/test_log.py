"""What translation tells of itself, and which functions it leaves alone."""

import ast

import pytest

import paddle
from paddle.jit import log
from paddle.jit.dy2static import convert_call_func, logging_utils


@pytest.fixture
def silent():
    """Levels as they are at first, whatever was told before."""
    log.translator.__init__()
    yield
    log.translator.__init__()


def twice(x):
    return x * 2


def test_levels_come_from_calls_and_else_from_the_environment(silent, monkeypatch):
    assert logging_utils.get_verbosity() == logging_utils.get_code_level() == 0
    monkeypatch.setenv("TRANSLATOR_VERBOSITY", "3")
    monkeypatch.setenv("TRANSLATOR_CODE_LEVEL", "2")
    assert (logging_utils.get_verbosity(), logging_utils.get_code_level()) == (3, 2)
    paddle.jit.set_verbosity(1)
    paddle.jit.set_code_level(9)
    assert (logging_utils.get_verbosity(), logging_utils.get_code_level()) == (1, 9)
    for call in (paddle.jit.set_verbosity, paddle.jit.set_code_level):
        with pytest.raises(TypeError, match="level must be an int"):
            call(3.3)
        with pytest.raises(AssertionError, match="also_to_stdout"):
            call(also_to_stdout=1)
        with pytest.raises(ValueError, match="negative"):
            call(-1)


def test_code_and_programs_are_told(silent, capsys):
    paddle.jit.set_code_level(also_to_stdout=True)
    paddle.jit.set_verbosity(1, True)
    x = paddle.to_tensor([1.0])
    assert paddle.jit.to_static(lambda x: twice(x) + 1)(x).tolist() == [3.0]
    out = capsys.readouterr().out
    assert "# translated twice" in out and "x * 2" in out and "(Level 1) program of" in out
    paddle.jit.set_verbosity(0, True)
    logging_utils.log(1, "no")
    logging_utils.warn("careful %d", 5)
    logging_utils.error("wrong")
    logging_utils.log_transformed_code(1, ast.parse("a = 3"), "mine")
    assert capsys.readouterr().out.split("\n") == ["WARNING: careful 5", "ERROR: wrong", "# mine", "a = 3", ""]


class Net(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.inner = paddle.jit.not_to_static(self.inner)

    def inner(self, x):
        return x + 1 if x.shape[0] > 1 else x

    def forward(self, x):
        return self.inner(x) * 2


def test_a_bound_method_can_be_left_alone():
    net = Net()
    assert paddle.jit.to_static(net)(paddle.to_tensor([1.0, 2.0])).tolist() == [4.0, 6.0]
    assert getattr(net.inner, convert_call_func.CONVERSION_OPTIONS).not_convert
    assert convert_call_func.convert_call(net.inner) == net.inner


def test_ignored_modules_are_listed():
    before = len(convert_call_func.BUILTIN_LIKELY_MODULES)
    paddle.jit.ignore_module([ast, "json"])
    assert convert_call_func.BUILTIN_LIKELY_MODULES[before:] == [ast, "json"]
    del convert_call_func.BUILTIN_LIKELY_MODULES[before:]
