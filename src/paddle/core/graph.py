"""Which way calls without tensor arguments go: run at once (dynamic, the default) or into the current Program (static)."""

static = False  # changed by enable_static / disable_static and by older generations' guards


def in_dynamic_mode():
    """Do functions run at once, rather than add to a static Program?

    >>> import paddle
    >>> paddle.in_dynamic_mode()
    True
    """
    return not static


def set_static(value):
    """Turn static mode on or off; returns what it was."""
    global static
    before, static = static, bool(value)
    return before
