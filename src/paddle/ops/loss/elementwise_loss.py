"""Losses of single elements that are one pass over memory each way. Programs record them as the operators that they are made of."""

import numpy as np

from ...core.op import op
from ...core.steps import Formula
from ..families.sharding import elementwise
from ..math import arithmetic
from ..math.arithmetic import clip, indicator, subtract
from ..math.unary import abs as absolute
from ..math.unary import log, sigmoid
from ..nn.activation import log_sigmoid
from ..short import through_float32


def _huber_steps(emit, x, y, delta):
    difference = emit("sub", x, y)
    inner = emit("limit", difference, -float(delta), float(delta))
    return emit("mul", inner, emit("fma", inner, -0.5, difference))


@op("huber_elements(X, Y) -> Out", family="broadcast", sharding=elementwise, step=Formula(_huber_steps))
def huber_elements(x, y, delta=1.0):
    """d^2 / 2 where |d| = |x - y| is below delta, else delta * (|d| - delta / 2)."""
    difference = x - y
    inner = np.clip(difference, x.dtype.type(-delta), x.dtype.type(delta))
    return inner * (difference - inner * x.dtype.type(0.5))


def _huber_in_programs(x, y, delta):
    size = absolute(subtract(x, y))
    inner = clip(size, None, None, None, delta)
    return inner * inner * 0.5 + (size - inner) * delta


huber_elements.in_programs = _huber_in_programs
huber_elements.grad(x=lambda g, x, y, delta: g * clip(x - y, None, None, -delta, delta),
                    y=lambda g, x, y, delta: -(g * clip(x - y, None, None, -delta, delta)))


@op("logits_entropy(X, Label) -> Out", family="broadcast", sharding=elementwise, amp="black",
    step=Formula(lambda emit, x, y: emit("add", emit("mul", emit("sub", 1.0, y), x), emit("log1pexp", emit("neg", x)))))
def logits_entropy(x, label):
    """Cross entropy of sigmoid(x) with labels in [0, 1]."""
    return (1 - label) * x - log_sigmoid.fn(x)


logits_entropy.in_programs = lambda x, label: (1 - label) * x - log_sigmoid(x)
logits_entropy.grad(x=lambda g, x, label: g * (1 - label - sigmoid(-x)))


@op("divergence(X, Y) -> Out", family="broadcast", sharding=elementwise,
    step=Formula(lambda emit, x, y: emit("select", y, emit("mul", y, emit("sub", emit("log", y), x)), 0.0)))
def divergence(x, y):
    """y (log(y) - x) where y is positive, else 0."""
    positive = y > 0
    return np.where(positive, y * (np.log(np.where(positive, y, y.dtype.type(1))) - x), y.dtype.type(0))


def _divergence_in_programs(x, y):
    positive = (y > 0).astype(y.dtype)
    return y * (log(y * positive + (1 - positive)) - x) * positive


divergence.in_programs = _divergence_in_programs
divergence.grad(x=lambda g, y: -(g * arithmetic.multiply(y, indicator(y, y * 0))))
through_float32(huber_elements, logits_entropy, divergence)
