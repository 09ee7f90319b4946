"""Updates that only optimizers of 1.x make, and the sums behind averaged parameters (see updates.py for the rules)."""

import numpy as np

from ...core.op import op
from ...core.random import numpy_generator
from .updates import momentum

_FLUSH = 16384  # after so many additions a partial sum moves on, so that small addends still count


@op("ftrl(Param, SquaredAccumulator, LinearAccumulator, Grad, LearningRate) -> ParamOut, SquaredAccumOut, LinearAccumOut",
    family="update", lazy=True)
def ftrl(param, squared, linear, grad, lr, l1=0.0, l2=0.0, lr_power=-0.5):
    """Follow the regularised leader: weights whose summed gradient stays below ``l1`` are exactly 0."""
    t = param.dtype.type
    rate, l1, l2 = lr.astype(param.dtype).reshape(()), t(l1 + 1e-10), t(l2 + 1e-10)
    total = squared + grad * grad
    before, after = (np.power(s, t(-lr_power)) for s in (squared, total))
    linear = linear + grad - (after - before) / rate * param
    moved = (np.sign(linear) * l1 - linear) / (after / rate + 2 * l2)
    return np.where(np.abs(linear) > l1, moved, t(0)), total, linear


def _listed(attrs):
    return {**attrs, "lars_weight_decay": [attrs["lars_weight_decay"]]}


def _single(attrs):
    decay = attrs.get("lars_weight_decay")
    return {**attrs, "lars_weight_decay": decay[0]} if isinstance(decay, (list, tuple)) else attrs


@op("lars_momentum(Param, Grad, Velocity, LearningRate) -> ParamOut, VelocityOut", family="update", whole=True, to_desc=_listed,
    from_desc=_single)
def lars_momentum(param, grad, velocity, lr, mu=0.9, lars_coeff=0.001, lars_weight_decay=0.0005, epsilon=0.0, rescale_grad=1.0):
    """Momentum whose rate is in proportion to the parameter's norm over the gradient's."""
    t = param.dtype.type
    rate, grad = lr.astype(param.dtype).reshape(()), grad * t(rescale_grad)
    size, slope = np.linalg.norm(param), np.linalg.norm(grad)
    if lars_weight_decay > 0 and size > 0 and slope > 0:
        rate = rate * t(lars_coeff * size / (slope + lars_weight_decay * size + epsilon))
    v = t(mu) * velocity + rate * (grad + t(lars_weight_decay) * param)
    return param - v, v


@op("sparse_momentum(Param, Grad, Velocity, Index, LearningRate) -> ParamOut, VelocityOut", family="update", whole=True,
    numbers={"Axis": "axis"})
def sparse_momentum(param, grad, velocity, index, lr, mu=0.9, use_nesterov=False, regularization_method="",
                    regularization_coeff=0.0, rescale_grad=1.0, axis=0):
    """Momentum whose gradient has only the rows (``axis`` 0) or columns (1) that ``index`` names, some of them repeatedly."""
    if axis not in (0, 1) or param.ndim != 2 or index.dtype not in (np.int32, np.int64):
        raise ValueError(f"sparse_momentum(): Param must be a matrix, Index integers and axis 0 or 1, got {list(param.shape)}, "
                         f"{index.dtype.name} and {axis}")
    full = np.zeros_like(param)
    np.add.at(full if axis == 0 else full.T, index.reshape(-1), grad if axis == 0 else grad.T)
    return momentum.fn(param, full * param.dtype.type(rescale_grad), velocity, lr, mu, use_nesterov, regularization_method,
                       regularization_coeff)


@op("decayed_adagrad(Param, Grad, Moment, LearningRate) -> ParamOut, MomentOut", family="update")
def decayed_adagrad(param, grad, moment, lr, decay=0.95, epsilon=1e-6):
    """s = decay * s + (1 - decay) * g^2; param -= lr * g / (sqrt(s) + epsilon)."""
    t = param.dtype.type
    s = t(decay) * moment + t(1 - decay) * grad * grad
    return param - lr.astype(param.dtype).reshape(()) * grad / (np.sqrt(s) + t(epsilon)), s


@op("dpsgd(Param, Grad, LearningRate) -> ParamOut", family="update", random=True, whole=True)
def dpsgd(param, grad, lr, clip=10.0, batch_size=16.0, sigma=1.0, seed=0):
    """Differentially private descent: the gradient limited to the norm ``clip``, plus normal noise of
    clip * sigma / batch_size."""
    t = param.dtype.type
    scale = max(1.0, float(np.linalg.norm(grad)) / clip)
    noise = numpy_generator(seed).standard_normal(param.shape) * (clip * sigma / batch_size)
    return param - lr.astype(param.dtype).reshape(()) * (grad / t(scale) + noise.astype(param.dtype))


@op("average_accumulates(param, in_sum_1, in_sum_2, in_sum_3, in_num_accumulates, in_old_num_accumulates, in_num_updates) -> "
    "out_sum_1, out_sum_2, out_sum_3, out_num_accumulates, out_old_num_accumulates, out_num_updates", family="update")
def average_accumulates(param, sum_1, sum_2, sum_3, count, old_count, updates, average_window=0.0,
                        max_average_window=2 ** 63 - 1, min_average_window=10000):
    """Sums and counts of a parameter's values over a window; a full window becomes the old one (``sum_3``)."""
    updates, count, sum_1 = updates + 1, count + 1, sum_1 + param
    done, seen = int(updates.reshape(())), int(count.reshape(()))
    if done % _FLUSH == 0:
        sum_1, sum_2 = np.zeros_like(sum_1), sum_2 + sum_1
    if seen >= min_average_window and seen >= min(max_average_window, int(done * average_window)):
        sum_3, old_count = sum_1 + sum_2, count
        sum_1, sum_2, count = np.zeros_like(sum_1), np.zeros_like(sum_2), np.zeros_like(count)
    return sum_1, sum_2, sum_3, count, old_count, updates
