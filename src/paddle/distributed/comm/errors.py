"""What can go wrong between ranks."""


class PeerLost(RuntimeError):
    """Another rank ended its program while this one waits for it."""


class CollectiveTimeout(RuntimeError):
    """A rank did not arrive at a collective in time."""


class CollectiveMismatch(RuntimeError):
    """Ranks called different collectives, or the same one with arguments that do not fit."""
