"""What the models share."""

import functools
import inspect
import json
import math
import os

from ...framework.io import load
from ...nn.initializer import Uniform
from ...utils.download import get_weights_path_from_url


@functools.cache
def weights():
    """{model: [address, md5]} of the weights that Paddle offers."""
    with open(os.path.join(os.path.dirname(__file__), "weights.json"), encoding="utf8") as file:
        return json.load(file)


def load_pretrained(model, name, scale=1.0, batch_norm=False):
    """Put Paddle's weights into a model; they are downloaded into its cache folder once."""
    if name not in weights() or scale != 1.0 or batch_norm:
        raise ValueError(f"{name}(): Paddle has no pretrained weights for "
                         f"{name if name not in weights() else f'scale={scale}, batch_norm={batch_norm}'}; set pretrained=False")
    model.set_state_dict(load(get_weights_path_from_url(*weights()[name])))
    return model


ARGUMENTS = """

Args:
    pretrained (bool): True downloads the weights that Paddle offers, once, and loads them.
    **kwargs: settings of the network, such as num_classes (1000; 0 leaves the last layer out) and with_pool.
Returns:
    Layer; images [n, 3, height, width] give scores [n, num_classes].
Raises:
    ValueError: if Paddle offers no weights for these settings.
"""


def builder(function):
    """A constructor function(pretrained=False, ...): for True the weights that Paddle offers are downloaded and loaded."""
    signature = inspect.signature(function)

    @functools.wraps(function)
    def build(pretrained=False, *args, **kwargs):
        if not pretrained:
            return function(*args, **kwargs)
        name = function.__name__
        given = signature.bind(*args, **kwargs).arguments
        return load_pretrained(function(*args, **kwargs), name, **{k: v for k, v in given.items() if k in ("scale", "batch_norm")})
    first = inspect.Parameter("pretrained", inspect.Parameter.POSITIONAL_OR_KEYWORD, default=False)
    build.__signature__ = signature.replace(parameters=[first, *signature.parameters.values()])
    summary, mark, example = inspect.getdoc(function).partition("\n\n>>>")
    build.__doc__ = summary + ARGUMENTS.rstrip() + (mark + example or "\n")
    return build


def spread(fan, square=1.0):
    """Initial values drawn evenly within sqrt(square / fan) of 0."""
    limit = math.sqrt(square / fan)
    return Uniform(-limit, limit)


def divisible(value, divisor=8, min_value=None):
    """The nearest multiple of the divisor, at least ``min_value`` (the divisor for None) and at least 90 % of the value."""
    rounded = max(divisor if min_value is None else min_value, int(value + divisor / 2) // divisor * divisor)
    return rounded + divisor if rounded < 0.9 * value else rounded
