"""What ``iter(DataLoader)`` gives."""

from ...core.addresses import lookup as _lookup


class _DataLoaderIterBase:
    """The batches of one epoch of a DataLoader, in order.

    Args:
        loader: the DataLoader.
        batches: a generator of its batches.
    """

    def __init__(self, loader, batches):
        self._loader, self._batches = loader, batches

    def __iter__(self):
        return self

    def __next__(self):
        return next(self._batches)

    def next(self):
        """The next batch (up to 2.4; successor: the function ``next``)."""
        return next(self)

    def __len__(self):
        return len(self._loader)

    def close(self):
        """End the epoch here; its workers are free for another."""
        self._batches.close()


__getattr__ = _lookup(__name__)
