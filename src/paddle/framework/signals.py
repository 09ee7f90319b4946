"""Signal handlers of the process."""

__all__ = ["disable_signal_handler"]


def disable_signal_handler():
    """Take back the handlers for crashes that Paddle installs. None are installed here, so there is nothing to take back.

    >>> paddle.disable_signal_handler()
    """
