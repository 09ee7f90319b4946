"""Names without a public address that packages written for Paddle import."""

import logging
import random

import numpy as np
import pytest

import paddle
from paddle.distributed.communication.reduce import ReduceOp, _get_reduce_op
from paddle.distributed.fleet.meta_parallel import get_rng_state_tracker
from paddle.distributed.fleet.recompute.recompute import check_recompute_necessary, switch_rng_state_tracker


def test_a_reduction_is_handed_on():
    assert _get_reduce_op(ReduceOp.SUM, "allreduce") == ReduceOp.SUM
    with pytest.raises(ValueError, match="ReduceOp"):
        _get_reduce_op("sum", "allreduce")
    paddle.enable_static()
    try:
        assert _get_reduce_op(ReduceOp.PROD, "allreduce") == "c_allreduce_prod"
    finally:
        paddle.disable_static()


def test_recomputation_without_gradients_is_told(caplog):
    frozen, wanted = paddle.ones([1]), paddle.ones([1])
    wanted.stop_gradient = False
    with caplog.at_level(logging.WARNING, "paddle.distributed.fleet"):
        check_recompute_necessary((frozen, 3, (frozen, wanted)))
        assert not caplog.records
        check_recompute_necessary((frozen, (frozen,)))
    assert "none of the inputs wants a gradient" in caplog.text


def test_random_streams_are_switched_and_put_back():
    paddle.seed(5)
    np.random.seed(5)
    random.seed(5)
    states = paddle.get_rng_state(), get_rng_state_tracker().get_states_tracker(), np.random.get_state(), random.getstate()
    first = paddle.rand([2]).tolist(), np.random.rand(), random.random()
    paddle.rand([3])
    after = paddle.get_rng_state(), np.random.get_state()[2], random.getstate()
    with switch_rng_state_tracker(*states):
        assert (paddle.rand([2]).tolist(), np.random.rand(), random.random()) == first
    following = paddle.rand([2]).tolist()
    paddle.set_rng_state(after[0])
    assert paddle.rand([2]).tolist() == following
    assert (np.random.get_state()[2], random.getstate()) == after[1:]
