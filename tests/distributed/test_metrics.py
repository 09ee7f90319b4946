"""Metrics of all workers: the numbers of one process that has all samples."""

import numpy as np
import pytest

import paddle
from paddle.distributed import fleet

PROGRAM = """
    import numpy as np
    import paddle
    from paddle.distributed import fleet
    from paddle.distributed.fleet.metrics.metric import auc

    fleet.init(is_collective=True)
    rank = fleet.worker_index()
    assert fleet.metrics.sum(np.array([rank + 1.0, 1.0])).tolist() == [3.0, 2.0]
    assert float(fleet.metrics.max(paddle.to_tensor(float(rank)))) == 1 and float(fleet.metrics.min([rank])[0]) == 0
    assert fleet.metrics.acc(np.array([3 + rank]), np.array([5.0])) == 0.7
    assert auc([[0, 1 - rank, 3 * rank]], [[3 * rank, 1 - rank, 0]]) == 0.96875
    assert fleet.all_reduce(rank + 1) == 3
"""


def test_two_workers(launch):
    launch(PROGRAM, 2)


def test_area_is_the_share_of_pairs_in_order():
    rng = np.random.RandomState(0)
    positive, negative = rng.randint(0, 5, 9), rng.randint(0, 5, 9)
    good = sum(p * n * (1.0 if i > j else 0.5 if i == j else 0.0) for i, p in enumerate(positive) for j, n in enumerate(negative))
    assert fleet.metrics.auc(positive, negative) == pytest.approx(good / (positive.sum() * negative.sum()))
    assert fleet.metrics.auc([1, 2], [0, 0]) == 0.5


def test_errors_and_variables():
    assert fleet.metrics.mae([6.0], 4) == 1.5 and fleet.metrics.mse([16.0], 4) == 4 and fleet.metrics.rmse([16.0], 4) == 2
    scope = paddle.static.Scope()
    scope.var("count").get_tensor().set(np.array([2.0], "float32"), paddle.CPUPlace())
    assert fleet.metrics.sum("count", scope).tolist() == [2.0]
    with pytest.raises(ValueError, match="expected an array"):
        fleet.metrics.max("absent", scope)
