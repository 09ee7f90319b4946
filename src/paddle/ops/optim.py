"""Optimizer updates: each op returns the new parameter and the new states (formulae: Paddle's).

An output slot ``XOut`` is the new value of the input slot ``X``; eager steps write it back, programs name both alike.
Gradients arrive clipped and with weight decay added.
"""

import numpy as np

from ..core.op import op


@op("sgd(Param, Grad, LearningRate) -> ParamOut", family="same")
def sgd(param, grad, lr):
    """param - lr * grad."""
    return param - lr.astype(param.dtype).reshape(()) * grad


@op("momentum(Param, Grad, Velocity, LearningRate) -> ParamOut, VelocityOut", family="same")
def momentum(param, grad, velocity, lr, mu=0.9, use_nesterov=False, regularization_method="", regularization_coeff=0.0):
    """v = mu * v + g; param -= lr * v, or lr * (g + mu * v) with Nesterov."""
    rate, mu = lr.astype(param.dtype).reshape(()), param.dtype.type(mu)
    if regularization_method == "l2_decay":
        grad = grad + param.dtype.type(regularization_coeff) * param
    v = mu * velocity + grad
    return param - rate * (grad + mu * v if use_nesterov else v), v


def _adam_direction(param, grad, m, v, b1p, b2p, beta1, beta2, epsilon):
    t = param.dtype.type
    m = t(beta1) * m + t(1 - beta1) * grad
    v = t(beta2) * v + t(1 - beta2) * grad * grad
    c1, c2 = 1 - float(b1p.reshape(())), 1 - float(b2p.reshape(()))
    return m, v, t(np.sqrt(c2) / c1) * m / (np.sqrt(v) + t(epsilon * np.sqrt(c2)))


@op("adam(Param, Grad, LearningRate, Moment1, Moment2, Beta1Pow, Beta2Pow) -> "
    "ParamOut, Moment1Out, Moment2Out, Beta1PowOut, Beta2PowOut", family="same", extra={"lazy_mode": False})
def adam(param, grad, lr, moment1, moment2, beta1_pow, beta2_pow, beta1=0.9, beta2=0.999, epsilon=1e-8):
    """Adam: param -= lr * m_hat / (sqrt(v_hat) + epsilon), with bias-corrected moments of the gradient."""
    m, v, step = _adam_direction(param, grad, moment1, moment2, beta1_pow, beta2_pow, beta1, beta2, epsilon)
    rate = lr.astype(param.dtype).reshape(())
    return (param - rate * step, m, v, beta1_pow * beta1_pow.dtype.type(beta1), beta2_pow * beta2_pow.dtype.type(beta2))


@op("adamw(Param, Grad, LearningRate, Moment1, Moment2, Beta1Pow, Beta2Pow) -> "
    "ParamOut, Moment1Out, Moment2Out, Beta1PowOut, Beta2PowOut", family="same", extra={"lazy_mode": False})
def adamw(param, grad, lr, moment1, moment2, beta1_pow, beta2_pow, beta1=0.9, beta2=0.999, epsilon=1e-8, lr_ratio=1.0,
          coeff=0.01, with_decay=True):
    """AdamW: the parameter shrinks by lr * coeff first, then takes the Adam step."""
    rate = lr.astype(param.dtype).reshape(()) * param.dtype.type(lr_ratio)
    if with_decay:
        param = param * (1 - rate * param.dtype.type(coeff))
    m, v, step = _adam_direction(param, grad, moment1, moment2, beta1_pow, beta2_pow, beta1, beta2, epsilon)
    return (param - rate * step, m, v, beta1_pow * beta1_pow.dtype.type(beta1), beta2_pow * beta2_pow.dtype.type(beta2))
