"""Hybrid parallelism: every way of cutting a model over ranks trains it to the losses of one process."""

import os

import numpy as np
import pytest
from distributed import gpt

import paddle

TWO = ("dp", "mp", "pp", "interleaved", "recomputed", "sharding", "os", "os_g", "p_g_os")
TOLERANCE = {"float64": 1e-9, "float32": 1e-5}


def check(launch, ranks, steps, ways):
    with open(gpt.__file__, encoding="utf-8") as file:
        outcome = launch(file.read(), ranks, args=[str(steps), ",".join(TOLERANCE), *ways])
    found = np.load(os.path.join(outcome.folder, "losses.npz"))
    for kind, tolerance in TOLERANCE.items():
        before = paddle.get_default_dtype()
        paddle.set_default_dtype(kind)
        try:
            expected = gpt.alone(steps)
        finally:
            paddle.set_default_dtype(before)
        assert expected[-2] < expected[0] and expected[-1] < expected[1]  # it learns, so wrong gradients would show
        for way in ways:
            np.testing.assert_allclose(found[f"{way} {kind}"], expected, rtol=0, atol=tolerance, err_msg=f"{way} {kind}")


def test_two_ranks_train_as_one(launch):
    check(launch, 2, 4, TWO)


@pytest.mark.slow
def test_two_ranks_train_as_one_for_20_steps(launch):
    check(launch, 2, 20, TWO)


@pytest.mark.slow
def test_eight_ranks_train_as_one_for_20_steps(launch):
    check(launch, 8, 20, ("all", "sharding_mp_pp"))
