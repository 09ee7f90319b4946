"""Packed sequences (LoD): values, lengths and gradients as real Paddle 2.6 has them, feeding, fetching, errors."""

import numpy as np
import pytest
from fluid import sequence_programs as recorded

import paddle
from paddle import static


@pytest.fixture(autouse=True)
def static_programs():
    with static.program_guard(static.Program(), static.Program()), static.scope_guard(static.Scope()):
        paddle.enable_static()
        yield
        paddle.disable_static()


@pytest.mark.parametrize("name", recorded.PROGRAMS)
def test_as_real_paddle(name):
    with np.load(recorded.FILE) as file:
        wanted = {key: file[key] for key in file.files if key.startswith(name + "/")}
    got = recorded.run(paddle, name)
    assert wanted and wanted.keys() <= got.keys()
    for key, array in got.items():  # an input that has no gradient there may have one of zeros here
        np.testing.assert_allclose(array, wanted.get(key, array * 0), rtol=1e-5, atol=1e-6, err_msg=key)
