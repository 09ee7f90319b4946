"""fluid.wrapped_decorator: decorators that keep a function's name and signature (1.x; successor: functools.wraps)."""

from ..base.wrapped_decorator import signature_safe_contextmanager, wrap_decorator

__all__ = ["wrap_decorator", "signature_safe_contextmanager"]
