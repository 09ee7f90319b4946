"""Models in programs that are in static mode: their networks run eagerly all the same, with the values they would have."""

import functools

import numpy as np

from ..core import dtype as dtypes
from ..core.context import changed
from ..core.folding import fold
from ..core.op import Symbolic
from ..core.tensor import Parameter


def eagerly(method):
    """The method, run in dynamic mode whatever the mode of the program is."""
    @functools.wraps(method)
    def run(*args, **kwargs):
        try:
            with changed(static_mode=False):
                return method(*args, **kwargs)
        except Exception as error:
            fold(error)
            raise
    return run


@eagerly
def make_eager(network):
    """Give a network that was built in static mode parameters with values: those of the global scope, or fresh ones."""
    made = {}
    for layer in network.sublayers(include_self=True):
        for registry in (layer._parameters, layer._buffers):
            for name, variable in registry.items():
                if isinstance(variable, Symbolic):
                    if id(variable) not in made:
                        made[id(variable)] = _parameter(variable)
                    registry[name] = made[id(variable)]


def _parameter(variable):
    from ..static import global_scope  # loaded already where there is a Variable, and by nobody else here
    value = global_scope().values.get(variable.name)
    if value is not None and np.shape(value) != tuple(variable.shape):  # of another network, whose program had the name
        value = None
    array = np.zeros(variable.shape, dtypes.to_numpy(variable.dtype)) if value is None else np.array(value)
    p = Parameter(array, variable.name, variable.trainable, variable.optimize_attr["learning_rate"], variable.regularizer,
                  variable.need_clip, variable.do_model_average)
    if value is None:
        variable.initializer(p)
    return p


def adopt(optimizer, network):
    """Let an optimizer that was made without parameters, or with Variables, as static programs do, train those of the network."""
    given = None if optimizer is None else optimizer._parameter_list
    if optimizer is not None and (given is None or any(isinstance(p, Symbolic) for p in given)):
        names = None if given is None else {p.name for p in given}
        chosen = [p for p in network.parameters() if names is None or p.name in names]
        optimizer._groups[0]["params"] = optimizer._parameter_list = chosen
