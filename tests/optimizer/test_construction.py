"""What optimizers are made with."""

import pytest

import paddle


def test_parameters_must_be_given_in_dynamic_mode():
    with pytest.raises(AttributeError, match=r"Adam\(\): parameters must be given in dynamic mode"):
        paddle.optimizer.Adam(0.1)
    paddle.fluid.optimizer.Adam(0.1)  # finds those of its guard
