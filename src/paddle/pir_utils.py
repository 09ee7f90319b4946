"""paddle.pir_utils: how Paddle's tests run a function on programs of both of its forms; here there is one."""

import functools

from . import static
from .core.context import changed, context
from .core.names import Counters

__all__ = ["IrGuard", "OldIrGuard", "test_with_pir_api"]


class IrGuard:
    """Static mode with fresh names inside the ``with`` block; programs have the one form that they have here. As in Paddle's new
    programs, element types are checked by the operators alone."""

    def __enter__(self):
        self._changed = changed(static_mode=True, names=Counters(), own_rules=context.rules.unchecked())
        self._changed.__enter__()
        return self

    def __exit__(self, *error):
        return self._changed.__exit__(*error)


class OldIrGuard:
    """Static mode inside the ``with`` block, with the older of Paddle's two forms of programs: the one that they have here."""

    def __enter__(self):
        self._changed = changed(static_mode=True)
        self._changed.__enter__()

    def __exit__(self, *error):
        return self._changed.__exit__(*error)


def test_with_pir_api(function):
    """Run a function as it is and again inside IrGuard with programs of its own."""
    @functools.wraps(function)
    def both(*args, **kwargs):
        with static.program_guard(static.Program(), static.Program()):
            function(*args, **kwargs)
        with IrGuard(), static.program_guard(static.Program(), static.Program()):
            function(*args, **kwargs)
    return both


test_with_pir_api.__test__ = False
