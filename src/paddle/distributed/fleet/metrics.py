"""Metrics of all workers together, from the counts that each of them has."""

import math

import numpy as np

from ...core.addresses import lookup as _lookup
from ...core.errors import describe
from ...core.tensor import Tensor
from ...static.scope import global_scope
from ..group import init_parallel_env
from .util import UtilBase

__all__ = ["acc", "auc", "mae", "max", "min", "mse", "rmse", "sum"]


def _values(value, scope, function):
    """The numbers of an array, a Tensor, or a variable (or its name) of a scope."""
    if isinstance(value, (np.ndarray, np.number, int, float, list)):
        return np.array(value)
    if isinstance(value, Tensor):
        return value.numpy()
    name = value if isinstance(value, str) else getattr(value, "name", None)
    variable = None if name is None else (scope or global_scope()).find_var(name)
    if variable is None:
        raise ValueError(f"fleet.metrics.{function}(): expected an array, a Tensor or a known variable, got {describe(value)}")
    return np.array(variable.get_tensor())


def _over_all(value, scope, util, mode, function):
    init_parallel_env()
    return (util or UtilBase()).all_reduce(_values(value, scope, function), mode)


def sum(input, scope=None, util=None):
    """The sums over all workers, element by element.

    >>> import paddle.distributed.fleet as fleet
    >>> fleet.metrics.sum([1.0, 2.0]).tolist()
    [1.0, 2.0]
    """
    return _over_all(input, scope, util, "sum", "sum")


def max(input, scope=None, util=None):
    """The largest values of all workers, element by element."""
    return _over_all(input, scope, util, "max", "max")


def min(input, scope=None, util=None):
    """The smallest values of all workers, element by element."""
    return _over_all(input, scope, util, "min", "min")


def auc(stat_pos, stat_neg, scope=None, util=None):
    """The area under the curve of true over false positives, from the numbers of positive and negative samples in each bucket of
    scores (what ``paddle.static.auc`` keeps); 0.5 where one kind is missing.

    >>> import paddle.distributed.fleet as fleet
    >>> fleet.metrics.auc([0, 1, 3], [3, 1, 0])
    0.96875
    """
    positive = _over_all(stat_pos, scope, util, "sum", "auc").ravel()[::-1].astype(np.float64)
    negative = _over_all(stat_neg, scope, util, "sum", "auc").ravel()[::-1].astype(np.float64)
    if positive.shape != negative.shape:
        raise ValueError(f"fleet.metrics.auc(): {positive.size} buckets of positive and {negative.size} of negative samples")
    reached = np.cumsum(positive)
    area = float((negative * (reached - positive / 2)).sum())
    pairs = float(positive.sum() * negative.sum())
    return 0.5 if pairs == 0 else area / pairs


def _share(value, count, scope, util, function):
    """The sum of a value over all workers by the number of their samples."""
    return float(sum(_values(value, scope, function), util=util).sum() / sum(_values(count, scope, function), util=util).sum())


def mae(abserr, total_ins_num, scope=None, util=None):
    """The mean absolute error, from sums of errors and numbers of samples."""
    return _share(abserr, total_ins_num, scope, util, "mae")


def mse(sqrerr, total_ins_num, scope=None, util=None):
    """The mean squared error, from sums of squared errors and numbers of samples."""
    return _share(sqrerr, total_ins_num, scope, util, "mse")


def rmse(sqrerr, total_ins_num, scope=None, util=None):
    """The root of the mean squared error."""
    return math.sqrt(mse(sqrerr, total_ins_num, scope, util))


def acc(correct, total, scope=None, util=None):
    """The share of samples that were right."""
    return _share(correct, total, scope, util, "acc")


__path__ = []  # a package in Paddle: the paths below it are addresses
__getattr__ = _lookup(__name__)
