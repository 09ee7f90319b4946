"""Optimizer updates: each op returns the new parameter and the new states (formulae: Paddle's).

An output slot ``XOut`` is the new value of the input slot ``X``; eager steps write it back, programs name both alike.
Gradients arrive clipped and with weight decay added.
"""

import numpy as np

from ...core.context import context, process
from ...core.op import op


@op("sgd(Param, Grad, LearningRate) -> ParamOut", family="update", lazy=True)
def sgd(param, grad, lr):
    """param - lr * grad."""
    return param - lr.astype(param.dtype).reshape(()) * grad


@sgd.together("sgd_group")
def _(kernel, params, grads, states, rates, attrs):
    kernel(params, grads, rates)


@op("momentum(Param, Grad, Velocity, LearningRate) -> ParamOut, VelocityOut", family="update", version=1)
def momentum(param, grad, velocity, lr, mu=0.9, use_nesterov=False, regularization_method="", regularization_coeff=0.0):
    """v = mu * v + g; param -= lr * v, or lr * (g + mu * v) with Nesterov."""
    rate, mu = lr.astype(param.dtype).reshape(()), param.dtype.type(mu)
    if regularization_method == "l2_decay":
        grad = grad + param.dtype.type(regularization_coeff) * param
    v = mu * velocity + grad
    return param - rate * (grad + mu * v if use_nesterov else v), v


@momentum.together("momentum_group")
def _(kernel, params, grads, states, rates, attrs):
    l2 = attrs["regularization_coeff"] if attrs["regularization_method"] == "l2_decay" else 0.0
    kernel(params, grads, *states, rates, attrs["mu"], attrs["use_nesterov"], l2)


def rounded_betas(group, dtype):
    """beta1 and beta2 as `dtype` holds them: their powers are kept in it, and bias correction wants 1 - beta to fit those."""
    return float(dtype.type(group["beta1"])), float(dtype.type(group["beta2"]))


BETAS = {"Beta1Tensor": "beta1", "Beta2Tensor": "beta2", "EpsilonTensor": "epsilon"}  # from variables of a program


def _adam_direction(param, grad, m, v, b1p, b2p, beta1, beta2, epsilon, largest=None):
    """The new moments and the direction of the step; with ``largest``, which the second moment raises, that one divides."""
    t = param.dtype.type
    m = t(beta1) * m + (1 - t(beta1)) * grad  # 1 - beta of the rounded beta, to fit the power that c1 comes from
    v = t(beta2) * v + (1 - t(beta2)) * grad * grad
    c1, root2 = 1 - float(b1p.reshape(())), np.sqrt(1 - float(b2p.reshape(())))
    added = t(epsilon if context.rules.raw_moments else epsilon * root2)
    if largest is not None:
        largest = np.maximum(largest, v)
        return m, v, largest, t(root2 / c1) * m / (np.sqrt(largest) + added)
    return m, v, t(root2 / c1) * m / (np.sqrt(v) + added)


@op("adam(Param, Grad, LearningRate, Moment1, Moment2, Beta1Pow, Beta2Pow) -> "
    "ParamOut, Moment1Out, Moment2Out, Beta1PowOut, Beta2PowOut", family="update", lazy="lazy_mode",
    numbers=BETAS)
def adam(param, grad, lr, moment1, moment2, beta1_pow, beta2_pow, beta1=0.9, beta2=0.999, epsilon=1e-8,
         lazy_mode=False):
    """Adam: param -= lr * m_hat / (sqrt(v_hat) + epsilon), with bias-corrected moments of the gradient."""
    m, v, step = _adam_direction(param, grad, moment1, moment2, beta1_pow, beta2_pow, beta1, beta2, epsilon)
    rate = lr.astype(param.dtype).reshape(())
    return (param - rate * step, m, v, beta1_pow * beta1_pow.dtype.type(beta1), beta2_pow * beta2_pow.dtype.type(beta2))


@adam.together("adam_group")
def _(kernel, params, grads, states, rates, attrs):
    kernel(params, grads, *states, rates, *rounded_betas(attrs, params[0].dtype), attrs["epsilon"],
           raw_eps=context.rules.raw_moments)


@op("adamw(Param, Grad, LearningRate, Moment1, Moment2, Beta1Pow, Beta2Pow) -> "
    "ParamOut, Moment1Out, Moment2Out, Beta1PowOut, Beta2PowOut", family="update", lazy="lazy_mode",
    numbers=BETAS)
def adamw(param, grad, lr, moment1, moment2, beta1_pow, beta2_pow, beta1=0.9, beta2=0.999, epsilon=1e-8, lr_ratio=1.0,
          coeff=0.01, with_decay=True, lazy_mode=False):
    """AdamW: the parameter shrinks by lr * coeff first, then takes the Adam step."""
    rate = lr.astype(param.dtype).reshape(()) * param.dtype.type(lr_ratio)
    if with_decay:
        param = param * (1 - rate * param.dtype.type(coeff))
    m, v, step = _adam_direction(param, grad, moment1, moment2, beta1_pow, beta2_pow, beta1, beta2, epsilon)
    return (param - rate * step, m, v, beta1_pow * beta1_pow.dtype.type(beta1), beta2_pow * beta2_pow.dtype.type(beta2))


@adamw.together("adam_group")
def _(kernel, params, grads, states, rates, attrs):
    coeff = attrs["coeff"] if attrs["with_decay"] else 0.0
    kernel(params, grads, *states, [r * attrs["lr_ratio"] for r in rates], *rounded_betas(attrs, params[0].dtype),
           attrs["epsilon"], coeff, raw_eps=context.rules.raw_moments)


@op("adam_amsgrad(Param, Grad, LearningRate, Moment1, Moment2, Moment2Max, Beta1Pow, Beta2Pow) -> "
    "ParamOut, Moment1Out, Moment2Out, Moment2MaxOut, Beta1PowOut, Beta2PowOut", family="update", lazy="lazy_mode")
def adam_amsgrad(param, grad, lr, moment1, moment2, moment2_max, beta1_pow, beta2_pow, beta1=0.9, beta2=0.999, epsilon=1e-8,
                 lazy_mode=False):
    """``adam`` that divides by the largest second moment so far."""
    m, v, largest, step = _adam_direction(param, grad, moment1, moment2, beta1_pow, beta2_pow, beta1, beta2, epsilon, moment2_max)
    rate = lr.astype(param.dtype).reshape(())
    return (param - rate * step, m, v, largest, beta1_pow * beta1_pow.dtype.type(beta1),
            beta2_pow * beta2_pow.dtype.type(beta2))


@op("adamw_amsgrad(Param, Grad, LearningRate, Moment1, Moment2, Moment2Max, Beta1Pow, Beta2Pow) -> "
    "ParamOut, Moment1Out, Moment2Out, Moment2MaxOut, Beta1PowOut, Beta2PowOut", family="update", lazy="lazy_mode")
def adamw_amsgrad(param, grad, lr, moment1, moment2, moment2_max, beta1_pow, beta2_pow, beta1=0.9, beta2=0.999, epsilon=1e-8,
                  lr_ratio=1.0, coeff=0.01, with_decay=True, lazy_mode=False):
    """``adamw`` that divides by the largest second moment so far."""
    rate = lr.astype(param.dtype).reshape(()) * param.dtype.type(lr_ratio)
    if with_decay:
        param = param * (1 - rate * param.dtype.type(coeff))
    m, v, largest, step = _adam_direction(param, grad, moment1, moment2, beta1_pow, beta2_pow, beta1, beta2, epsilon, moment2_max)
    return (param - rate * step, m, v, largest, beta1_pow * beta1_pow.dtype.type(beta1),
            beta2_pow * beta2_pow.dtype.type(beta2))


@op("adamax_with_power(Param, Grad, LearningRate, Moment, InfNorm, Beta1Pow) -> ParamOut, MomentOut, InfNormOut, Beta1PowOut",
    family="update")
def adamax(param, grad, lr, moment, inf_norm, beta1_pow, beta1=0.9, beta2=0.999, epsilon=1e-8):
    """Adam with the infinity norm: u = max(beta2 * u + epsilon, |g|); param -= lr / (1 - beta1^t) * m / u."""
    t = param.dtype.type
    m = t(beta1) * moment + (1 - t(beta1)) * grad
    u = np.maximum(t(beta2) * inf_norm + t(epsilon), np.abs(grad))
    rate = lr.astype(param.dtype).reshape(()) / t(1 - float(beta1_pow.reshape(())))
    return param - rate * m / u, m, u, beta1_pow * beta1_pow.dtype.type(beta1)


@adamax.together("adamax_group")
def _(kernel, params, grads, states, rates, attrs):
    kernel(params, grads, *states, rates, *rounded_betas(attrs, params[0].dtype), attrs["epsilon"])


@op("adamax(Param, Grad, LearningRate, Moment, InfNorm, Beta1Pow) -> ParamOut, MomentOut, InfNormOut", family="update")
def adamax_of_files(param, grad, lr, moment, inf_norm, beta1_pow, beta1=0.9, beta2=0.999, epsilon=1e-8):
    """``adamax`` in programs, where another operator multiplies the power of beta1: by the kernel of dynamic code if there is one,
    so that both compute the same bits."""
    native = getattr(process.native, "adamax_group", None)
    if native is None or param.dtype.char not in "fd" or grad.dtype != param.dtype:
        return adamax.fn(param, grad, lr, moment, inf_norm, beta1_pow, beta1, beta2, epsilon)[:3]
    param, moment, inf_norm, power = (np.array(a, order="C") for a in (param, moment, inf_norm, beta1_pow))
    betas = rounded_betas({"beta1": beta1, "beta2": beta2}, param.dtype)
    native([param], [np.ascontiguousarray(grad)], [moment], [inf_norm], [power], [float(lr.reshape(()))], *betas, epsilon)
    return param, moment, inf_norm


@op("adagrad(Param, Grad, Moment, LearningRate) -> ParamOut, MomentOut", family="update", lazy=True)
def adagrad(param, grad, moment, lr, epsilon=1e-6):
    """s += g^2; param -= lr * g / (sqrt(s) + epsilon)."""
    s = moment + grad * grad
    return param - lr.astype(param.dtype).reshape(()) * grad / (np.sqrt(s) + param.dtype.type(epsilon)), s


@adagrad.together("adagrad_group")
def _(kernel, params, grads, states, rates, attrs):
    kernel(params, grads, *states, rates, attrs["epsilon"])


@op("adadelta(Param, Grad, AvgSquaredGrad, AvgSquaredUpdate, LearningRate) -> ParamOut, AvgSquaredGradOut, "
    "AvgSquaredUpdateOut", family="update")
def adadelta(param, grad, avg_squared_grad, avg_squared_update, lr, rho=0.95, epsilon=1e-6):
    """Steps whose size follows the running sizes of gradients and of earlier steps."""
    t = param.dtype.type
    a = t(rho) * avg_squared_grad + t(1 - rho) * grad * grad
    d = -np.sqrt((avg_squared_update + t(epsilon)) / (a + t(epsilon))) * grad
    e = t(rho) * avg_squared_update + t(1 - rho) * d * d
    return param + lr.astype(param.dtype).reshape(()) * d, a, e


@adadelta.together("adadelta_group")
def _(kernel, params, grads, states, rates, attrs):
    kernel(params, grads, *states, rates, attrs["rho"], attrs["epsilon"])


@op("rmsprop(Param, MeanSquare, Grad, Moment, LearningRate, MeanGrad?) -> ParamOut, MomentOut, MeanSquareOut, MeanGradOut",
    family="update", rho="decay")
def rmsprop(param, mean_square, grad, moment, lr, mean_grad=None, epsilon=1e-10, rho=0.9, momentum=0.0, centered=False):
    """Steps divided by the running root mean square of the gradient (centered: by its running deviation)."""
    if centered and mean_grad is None:
        raise ValueError("rmsprop(): MeanGrad must be given where centered is True")
    t = param.dtype.type
    s = t(rho) * mean_square + t(1 - rho) * grad * grad
    b = t(rho) * mean_grad + t(1 - rho) * grad if centered else mean_grad
    q = s - b * b if centered else s
    v = t(momentum) * moment + lr.astype(param.dtype).reshape(()) * grad / np.sqrt(q + t(epsilon))
    return param - v, v, s, b


@rmsprop.together("rmsprop_group")
def _(kernel, params, grads, states, rates, attrs):
    velocity, square, mean = states
    kernel(params, grads, square, velocity, rates, attrs["rho"], attrs["epsilon"], attrs["momentum"],
           mean if attrs["centered"] else None)


@op("lamb(Param, Grad, LearningRate, Moment1, Moment2, Beta1Pow, Beta2Pow) -> "
    "ParamOut, Moment1Out, Moment2Out, Beta1PowOut, Beta2PowOut", family="update", whole=True, version=1)
def lamb(param, grad, lr, moment1, moment2, beta1_pow, beta2_pow, weight_decay=0.01, beta1=0.9, beta2=0.999, epsilon=1e-6,
         always_adapt=False):
    """Adam's direction plus decay, scaled so that the step is in proportion to the parameter's norm."""
    t = param.dtype.type
    m = t(beta1) * moment1 + (1 - t(beta1)) * grad
    v = t(beta2) * moment2 + (1 - t(beta2)) * grad * grad
    left1, left2 = (t(1 if context.rules.raw_moments else 1 - float(power.reshape(()))) for power in (beta1_pow, beta2_pow))
    r = m / left1 / (np.sqrt(v / left2) + t(epsilon)) + t(weight_decay) * param
    p_norm, r_norm = np.linalg.norm(param), np.linalg.norm(r)
    adapt = (weight_decay > 0 or always_adapt or context.rules.raw_moments) and p_norm > 0 and r_norm > 0
    rate = lr.astype(param.dtype).reshape(()) * t(p_norm / r_norm if adapt else 1.0)
    return (param - rate * r, m, v, beta1_pow * beta1_pow.dtype.type(beta1), beta2_pow * beta2_pow.dtype.type(beta2))


@op("rprop(Param, Grad, Prev, LearningRateStep, LearningRate) -> ParamOut, PrevOut, LearningRateStepOut", family="update")
def rprop(param, grad, prev, step, lr, low=1e-5, high=50.0, eta_negative=0.5, eta_positive=1.2):
    """Steps by the sign of the gradient; their size grows while the sign holds and shrinks when it flips."""
    t = param.dtype.type
    product = grad * prev
    factor = np.where(product > 0, t(eta_positive), np.where(product < 0, t(eta_negative), t(1)))
    step = np.clip(step * factor, t(low), t(high))
    grad = np.where(product < 0, t(0), grad)
    return param - np.sign(grad) * step, grad, step


@op("nadam(Param, Grad, LearningRate, MomentumDecayPow, Beta2Pow, MuProduct, Moment1, Moment2) -> ParamOut, "
    "MomentumDecayPowOut, Beta2PowOut, MuProductOut, Moment1Out, Moment2Out", family="update")
def nadam(param, grad, lr, decay_pow, beta2_pow, mu_product, moment1, moment2, beta1=0.9, beta2=0.999, epsilon=1e-8,
          momentum_decay=0.004):
    """Adam with Nesterov momentum."""
    t = param.dtype.type
    power = float(decay_pow.reshape(())) * 0.96
    mu = beta1 * (1 - 0.5 * power ** momentum_decay)
    mu_next = beta1 * (1 - 0.5 * power ** momentum_decay * 0.96 ** momentum_decay)
    product = float(mu_product.reshape(())) * mu
    m = t(beta1) * moment1 + (1 - t(beta1)) * grad
    v = t(beta2) * moment2 + (1 - t(beta2)) * grad * grad
    b2 = float(beta2_pow.reshape(())) * beta2
    m_hat = m * t(mu_next / (1 - product * mu_next)) + grad * t((1 - mu) / (1 - product))
    v_hat = v / t(1 - b2)
    rate = lr.astype(param.dtype).reshape(())
    same = decay_pow.dtype.type
    return (param - rate * m_hat / (np.sqrt(v_hat) + t(epsilon)), decay_pow * same(0.96), beta2_pow * same(beta2),
            mu_product * same(mu), m, v)


@op("radam(Param, Grad, LearningRate, Beta1Pow, Beta2Pow, Rho, Moment1, Moment2) -> ParamOut, Beta1PowOut, Beta2PowOut, "
    "RhoOut, Moment1Out, Moment2Out", family="update")
def radam(param, grad, lr, beta1_pow, beta2_pow, rho, moment1, moment2, beta1=0.9, beta2=0.999, epsilon=1e-8):
    """Adam whose adaptive step is rectified while the second moment is uncertain. ``rho`` counts the steps."""
    t = param.dtype.type
    count = float(rho.reshape(())) + 1
    b1, b2 = beta1 ** count, beta2 ** count
    limit = 2 / (1 - beta2) - 1
    length = limit - 2 * count * b2 / (1 - b2)
    m = t(beta1) * moment1 + (1 - t(beta1)) * grad
    v = t(beta2) * moment2 + (1 - t(beta2)) * grad * grad
    m_hat = m / t(1 - b1)
    if length > 5:
        rectify = np.sqrt((length - 4) * (length - 2) * limit / ((limit - 4) * (limit - 2) * length))
        m_hat = m_hat * t(rectify) * t(np.sqrt(1 - b2)) / (np.sqrt(v) + t(epsilon))
    same = beta1_pow.dtype.type
    return (param - lr.astype(param.dtype).reshape(()) * m_hat, beta1_pow * same(beta1), beta2_pow * same(beta2), rho + 1, m, v)


@op("asgd(Param, Grad, LearningRate, D, Y, N) -> ParamOut, DOut, YOut, NOut", family="update")
def asgd(param, grad, lr, d, y, n, batch_num=1):
    """Averaged SGD: steps along the sum of the last gradients of ``batch_num`` batches, y holding one each."""
    count = int(n.reshape(()))
    slot = count % batch_num
    total = d - y[slot] + grad
    kept = y.copy()
    kept[slot] = grad
    rate = lr.astype(param.dtype).reshape(())
    return param - rate / param.dtype.type(min(count + 1, batch_num)) * total, total, kept, n + 1
