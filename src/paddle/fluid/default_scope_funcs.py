"""fluid.default_scope_funcs: scopes inside each other, the innermost one in use (1.x; successor: paddle.static.scope_guard)."""

import contextvars

from ..static.scope import Scope

__all__ = ["get_cur_scope", "enter_local_scope", "leave_local_scope", "var", "find_var", "scoped_function"]
_SCOPES = contextvars.ContextVar("scopes", default=(Scope(),))


def get_cur_scope():
    """The innermost scope."""
    return _SCOPES.get()[-1]


def enter_local_scope():
    """Use a new scope inside the current one."""
    _SCOPES.set((*_SCOPES.get(), get_cur_scope().new_scope()))


def leave_local_scope():
    """Use the scope around the current one again."""
    if len(_SCOPES.get()) == 1:
        raise RuntimeError("leave_local_scope(): there is no scope around the current one")
    _SCOPES.set(_SCOPES.get()[:-1])


def var(name):
    """The variable of that name in the current scope, made if needed."""
    return get_cur_scope().var(name)


def find_var(name):
    """The variable of that name in the current scope or those around it, or None."""
    return get_cur_scope().find_var(name)


def scoped_function(func):
    """Call a function in a scope of its own."""
    enter_local_scope()
    try:
        func()
    finally:
        leave_local_scope()
