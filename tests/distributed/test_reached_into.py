"""Names without a public address that packages written for Paddle import."""

import logging

import pytest

import paddle
from paddle.distributed.communication.reduce import ReduceOp, _get_reduce_op
from paddle.distributed.fleet.recompute.recompute import check_recompute_necessary


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
