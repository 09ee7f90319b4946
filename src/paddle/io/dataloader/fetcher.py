"""Making one batch out of a dataset, in whichever process that happens."""

import itertools

from .collate import default_collate_fn
from .dataset import IterableDataset


class EndOfStream(Exception):
    """A stream has no samples left."""


class Fetcher:
    """Turns a batch sampler's requests into batches: ``fetch(request)``.

    A request is a list of sample numbers, one number (``batch_size=None``), or for a stream the size of a batch (None:
    one sample). EndOfStream says that a stream is over.
    """

    def __init__(self, dataset, collate_fn, drop_last=False):
        self.dataset, self.collate_fn, self.drop_last = dataset, collate_fn, drop_last
        if isinstance(dataset, IterableDataset):
            self.stream = iter(dataset)
            self.fetch = self._from_stream
        elif collate_fn is default_collate_fn and _gathers(type(dataset)):
            self.fetch = self._gathered
        else:
            self.fetch = self._one_by_one

    def _gathered(self, request):
        plain = request.__class__ is list and all(index.__class__ is int for index in request)
        batch = self.dataset.gather(request) if plain else NotImplemented
        return self._one_by_one(request) if batch is NotImplemented else batch

    def _one_by_one(self, request):
        dataset = self.dataset
        if hasattr(request, "__iter__"):
            return self.collate_fn([dataset[i] for i in request])
        return self.collate_fn(dataset[request])

    def _from_stream(self, size):
        samples = list(itertools.islice(self.stream, 1 if size is None else size))
        if not samples or (self.drop_last and size is not None and len(samples) < size):
            raise EndOfStream
        return self.collate_fn(samples[0] if size is None else samples)


def _gathers(kind):
    """Does a class of datasets make whole batches with ``gather(indices)``?

    That must give what collating ``dataset[i]`` for these indices gives, or NotImplemented; so it counts only if the class
    that defines it also defines ``__getitem__``, and no subclass defines another.
    """
    owner = next((base for base in kind.__mro__ if "gather" in vars(base) or "__getitem__" in vars(base)), None)
    return owner is not None and "gather" in vars(owner) and "__getitem__" in vars(owner)
