"""Small helpers of ``fleet.util``: reductions of numbers and the sharing out of files."""

import numpy as np

from ..comm import ReduceOp
from ..group import world
from ..objects import all_gather_object

_MODES = {"sum": ReduceOp.SUM, "max": ReduceOp.MAX, "min": ReduceOp.MIN}


class UtilBase:
    """Helpers over all workers."""

    def all_reduce(self, input, mode="sum", comm_world="worker"):
        """The reduction of a number or array over all workers, as a NumPy array."""
        self._only_workers(comm_world, "all_reduce")
        if mode not in _MODES:
            raise ValueError(f"UtilBase.all_reduce(): mode must be 'sum', 'max' or 'min', got {mode!r}")
        array = np.array(input, order="C")
        world().comm.allreduce(array, _MODES[mode]).wait()
        return array

    def all_gather(self, input, comm_world="worker"):
        """The values of all workers, in the order of ranks."""
        self._only_workers(comm_world, "all_gather")
        values = []
        all_gather_object(values, input)
        return values

    def barrier(self, comm_world="worker"):
        """Wait until every worker has come here."""
        self._only_workers(comm_world, "barrier")
        world().comm.barrier().wait()

    def get_file_shard(self, files):
        """This worker's part of a list of files; the first workers take one more where it does not divide."""
        if not isinstance(files, list):
            raise TypeError(f"UtilBase.get_file_shard(): files must be a list, got {type(files).__name__}")
        rank, size = world().rank, world().nranks
        each, more = divmod(len(files), size)
        start = rank * each + min(rank, more)
        return files[start:start + each + (rank < more)]

    def print_on_rank(self, message, rank_id):
        """Print on one rank only."""
        if world().rank == rank_id:
            print(message)

    @staticmethod
    def _only_workers(comm_world, function):
        if comm_world not in ("worker", "all"):
            raise NotImplementedError(f"UtilBase.{function}(): comm_world={comm_world!r}: only workers exist")
