"""Docstrings completed with what a sibling tells (core/docstrings.py), and that help() shows them."""

import inspect
import pydoc

import paddle
from paddle.core.docstrings import documented_like


def first(x, y, axis=-1, keepdim=False, name=None):
    """The first.

    Args:
        x, y: two operands
            of any shape.
        axis (int): the axis.
        keepdim: keep it?
    Returns:
        Tensor.

    >>> 1
    1
    """


@documented_like(first)
def second(x, y, keepdim):
    """The second.

    >>> 2
    2
    """


@documented_like(first)
def third(x, axis, keepdim):
    """The third.

    Args:
        axis: another one.
    Raises:
        ValueError: there is none.

    >>> 3
    3
    """


def test_arguments_of_both_are_told_once():
    told = inspect.getdoc(second)
    assert told.startswith("The second.\n\n") and told.endswith(">>> 2\n2")
    assert "x, y: two operands" in told and "of any shape." in told and "keepdim: keep it?" in told and "Returns:" in told
    assert "axis" not in told


def test_own_words_come_first_and_arguments_in_their_order():
    lines = [line.strip() for line in third.__doc__.splitlines()]
    assert lines[2:10] == ["Args:", "axis: another one.", "keepdim: keep it?", "Returns:", "Tensor.", "Raises:",
                           "ValueError: there is none.", ""]


def test_classes_tell_the_arguments_of_their_constructor():
    text = inspect.getdoc(paddle.nn.Conv3D)
    assert "groups (int)" in text and "Shape:" in text
    assert text.index("in_channels") < text.index("data_format (str or None): 'NCDHW'")


def test_help_shows_declared_functions():
    for function, told in [(paddle.exp, "e to the power"), (paddle.add, "the second operand"), (paddle.fft.ifft, "ortho")]:
        text = pydoc.plain(pydoc.render_doc(function))
        assert told in text and "name=None)" in text and "(x, " in text and ">>> paddle." in text


def test_one_line_comes_before_what_a_sibling_tells():
    @documented_like(first)
    def fourth(x, y):
        """The fourth."""
    assert inspect.getdoc(fourth).startswith("The fourth.\n\nArgs:\n    x, y: two operands")
