"""paddle.base.executor: Executor and scopes."""

from ..core.addresses import lookup as _lookup
from ..static.executor import Executor, _as_lodtensor  # noqa: F401
from ..static.scope import global_scope, scope_guard

__all__ = ["Executor", "global_scope", "scope_guard"]

__getattr__ = _lookup(__name__)
