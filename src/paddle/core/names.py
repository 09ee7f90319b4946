"""Names that do not repeat: one counter per key."""

from .context import context, process


class Counters:
    """A set of counters; several threads may draw from it."""

    def __init__(self, prefix: str = "") -> None:
        self.ids: dict[str, int] = {}
        self.prefix = prefix

    def __call__(self, key: str) -> str:
        with process.lock:
            n = self.ids.get(key, 0)
            self.ids[key] = n + 1
        return f"{self.prefix}{key}_{n}"


process.names, process.program_names = Counters(), Counters()


def current() -> Counters:
    """The counters in force: those of this thread's guard, else the process's."""
    return context.names or process.names


def generate(key: str) -> str:
    """``key_0`` the first time, ``key_1`` the next, and so on.

    >>> from paddle.utils import unique_name
    >>> with unique_name.guard():
    ...     unique_name.generate('fc'), unique_name.generate('fc')
    ('fc_0', 'fc_1')
    """
    return current()(key)
