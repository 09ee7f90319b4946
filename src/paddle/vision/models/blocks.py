"""What the models share."""

import functools
import math

from ...nn.initializer import Uniform


def refuse_pretrained(pretrained, name):
    """Weights are not downloaded: say how to load a file instead."""
    if pretrained:
        raise RuntimeError(f"{name}(): pretrained=True would download weights, which this package does not do; build the model "
                           "without it and load a .pdparams file of Paddle 2.x: model.set_state_dict(paddle.load(path))")


def builder(function):
    """A constructor function(pretrained=False, ...) that refuses to download, with a docstring made by itself."""
    @functools.wraps(function)
    def build(pretrained=False, *args, **kwargs):
        refuse_pretrained(pretrained, function.__name__)
        return function(*args, **kwargs)
    return build


def spread(fan, square=1.0):
    """Initial values drawn evenly within sqrt(square / fan) of 0."""
    limit = math.sqrt(square / fan)
    return Uniform(-limit, limit)


def divisible(value, divisor=8, min_value=None):
    """The nearest multiple of the divisor, at least ``min_value`` (the divisor for None) and at least 90 % of the value."""
    rounded = max(divisor if min_value is None else min_value, int(value + divisor / 2) // divisor * divisor)
    return rounded + divisor if rounded < 0.9 * value else rounded
