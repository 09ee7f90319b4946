"""paddle.base.executor: Executor and scopes."""

import numpy as np

from ..core.addresses import lookup as _lookup
from ..core.errors import describe
from ..static.executor import Executor  # noqa: F401
from ..static.feeds import _as_lodtensor  # noqa: F401
from ..static.scope import global_scope, scope_guard

__all__ = ["Executor", "global_scope", "scope_guard"]


def _fetch_var(name, scope=None, return_numpy=True):
    """The value of a variable of a scope, as an array or a LoDTensor."""
    if not isinstance(name, str):
        raise TypeError(f"_fetch_var(): name must be a str, got {describe(name)}")
    holder = (scope or global_scope()).find_var(name)
    if holder is None:
        raise AssertionError(f"_fetch_var(): there is no variable {name!r} in the scope; fetch persistable ones only")
    return np.array(holder.get_tensor()) if return_numpy else holder.get_tensor()


__getattr__ = _lookup(__name__)
