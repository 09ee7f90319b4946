"""paddle.base.executor: Executor and scopes."""

import numpy as np

from ..core.addresses import lookup as _lookup
from ..core.errors import describe
from ..static.executor import Executor  # noqa: F401
from ..static.feeds import _as_lodtensor  # noqa: F401
from ..static.scope import global_scope, scope_guard

__all__ = ["Executor", "global_scope", "scope_guard"]


class FetchHandler:
    """What ``train_from_dataset(fetch_handler=)`` calls: derive from it, with a ``handler`` of your own.

    Args:
        var_dict (dict): the Variables to fetch, by the names under which the handler gets their values.
        period_secs (number): seconds between two calls.
    """

    def __init__(self, var_dict=None, period_secs=60):
        if var_dict is None:
            raise AssertionError("FetchHandler(): var_dict must name the variables to fetch")
        self.var_dict, self.period_secs = var_dict, period_secs

    def handler(self, res_dict):
        """Print the first element of every value."""
        print(*[f"{name}[0]: {np.atleast_1d(value)[0]}" for name, value in res_dict.items() if isinstance(value, np.ndarray)])

    @staticmethod
    def help():
        """Print how a handler is written."""
        print("class Mine(FetchHandler):\n    def handler(self, res_dict):\n        print(res_dict['loss'])\n\n"
              "exe.train_from_dataset(program, dataset, fetch_handler=Mine({'loss': loss}, period_secs=10))")


def _fetch_var(name, scope=None, return_numpy=True):
    """The value of a variable of a scope, as an array or a LoDTensor."""
    if not isinstance(name, str):
        raise TypeError(f"_fetch_var(): name must be a str, got {describe(name)}")
    holder = (scope or global_scope()).find_var(name)
    if holder is None:
        raise AssertionError(f"_fetch_var(): there is no variable {name!r} in the scope; fetch persistable ones only")
    return np.array(holder.get_tensor()) if return_numpy else holder.get_tensor()


__getattr__ = _lookup(__name__)
