"""What launchers look for in the log of a training that has to begin again, and what a loss says of it."""

AADIFF_ERROR = "PaddleRecall error(101): AAdiff"
LOSS_NAN_ERROR = "PaddleRecall error(102): LossNan"
SHARDING_PAD_NON_ZERO_ERROR = "PaddleRecall error(103): ShardingPadNonZero"
LOSS_INF_ERROR = "PaddleRecall error(104): LossInf"


def check_naninf(tensor):
    """None when all values are finite, else the error of nan or that of infinities.

    >>> paddle.framework.recall_error.check_naninf(paddle.to_tensor([1.0, float('inf')]))
    'PaddleRecall error(104): LossInf'
    """
    if tensor.isfinite().all():
        return None
    return LOSS_NAN_ERROR if tensor.isnan().any() else LOSS_INF_ERROR
