"""A Model on the ranks of a distributed job: each trains with its share of the data, and evaluations are put together."""

import contextlib

import numpy as np

from .. import distributed
from ..core.tensor import wrap
from ..io import DataLoader, DistributedBatchSampler


class Ranks:
    """What a Model does together with the other ranks; in a job of one it hands everything on."""

    def __init__(self):
        self.number, self._parallel = distributed.ParallelEnv().nranks, None

    def trained(self, network):
        """The network to train: one whose gradients are averaged over the ranks."""
        if self.number < 2:
            return network
        if self._parallel is None or self._parallel._layers is not network:
            self._parallel = distributed.DataParallel(network)
        return self._parallel

    def alone(self):
        """Context in which gradients are only added up on this rank; a later backward averages them."""
        return contextlib.nullcontext() if self._parallel is None else self._parallel.no_sync()

    def loader(self, data, batch_size, shuffle, drop_last, num_workers):
        """A DataLoader over this rank's share of a dataset."""
        if self.number < 2:
            return DataLoader(data, batch_size=batch_size, shuffle=shuffle, drop_last=drop_last, num_workers=num_workers)
        sampler = DistributedBatchSampler(data, batch_size, shuffle=shuffle, drop_last=drop_last)
        return DataLoader(data, batch_sampler=sampler, num_workers=num_workers)

    def dealt_out(self, loader):
        """Samples of a dataset whose batches are dealt out to the ranks, so that their results belong together; else None."""
        sampler = getattr(loader, "batch_sampler", None)
        return len(sampler.dataset) if self.number > 1 and isinstance(sampler, DistributedBatchSampler) else None

    def whole(self, tensors, most):
        """Tensors of all ranks' batches joined in the order of the dataset, without what comes twice at its end."""
        joined = []
        for tensor in tensors:
            parts = []
            distributed.all_gather_object(parts, np.asarray(tensor.numpy()))
            joined.append(wrap(np.concatenate(parts)[:most]))
        return joined

    def mean(self, values):
        """Arrays averaged over the ranks, so that all of them decide the same by it."""
        parts = []
        distributed.all_gather_object(parts, values)
        return [np.asarray(np.mean(column, axis=0, dtype=column[0].dtype)) for column in zip(*parts)]
