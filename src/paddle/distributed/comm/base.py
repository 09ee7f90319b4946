"""The contract of a communicator, and the handle of an operation under way.

Every operation starts at once and returns a ``Work``; the arrays must be C-contiguous and stay untouched until
``wait()``. Operations of one communicator start in the same order on all its ranks.
"""

import os
import sys

ROOM = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))) + os.sep  # the package's folder


class ReduceOp:
    """How values of several ranks become one: SUM, MAX, MIN, PROD or AVG."""

    SUM = 0
    MAX = 1
    MIN = 2
    PROD = 3
    AVG = 4


REDUCE_NAMES = {ReduceOp.SUM: "SUM", ReduceOp.MAX: "MAX", ReduceOp.MIN: "MIN", ReduceOp.PROD: "PROD",
                ReduceOp.AVG: "AVG"}


def call_place():
    """(file, line) of the nearest caller outside this package."""
    frame = sys._getframe(2)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(ROOM):
        frame = frame.f_back
    return frame.f_code.co_filename, frame.f_lineno


class Work:
    """An operation under way; ``finish`` runs once when it is complete."""

    __slots__ = ("_finish", "_done")

    def __init__(self, finish=None):
        self._finish, self._done = finish, False

    def wait(self):
        """Wait until the operation is complete and its results may be used; True."""
        if not self._done:
            self._complete()
            self._close()
        return True

    def test(self):
        """Is the operation complete? Never waits, and drives the transfer forward."""
        if not self._done and self._poll():
            self._close()
        return self._done

    def then(self, finish):
        """Run ``finish`` when the operation is complete, after what was asked before."""
        first = self._finish
        if first is None:
            self._finish = finish
        else:
            def both():
                first()
                finish()
            self._finish = both
        return self

    def _close(self):
        self._done, finish, self._finish = True, self._finish, None
        if finish is not None:
            finish()

    def _complete(self):
        """Wait for the transfer."""

    def _poll(self):
        """Has the transfer ended?"""
        return True


class Communicator:
    """A group of ranks that talk to each other. ``rank`` is this process's place, ``size`` their number.

    ``rows`` arguments have one row (first axis) per rank.
    """

    rank, size = 0, 1

    def allreduce(self, array, op):
        """Replace the array on every rank by the reduction over all ranks."""
        raise NotImplementedError(f"{type(self).__name__}.allreduce")

    def allreduce_now(self, array, op):
        """The same, complete on return; for functions that programs call, since the line two frames up is remembered."""
        self.allreduce(array, op).wait()

    def reduce(self, array, op, root):
        """Replace the array on ``root`` by the reduction over all ranks; other ranks keep theirs."""
        raise NotImplementedError(f"{type(self).__name__}.reduce")

    def broadcast(self, array, root):
        """Overwrite the array on every rank with that of ``root``."""
        raise NotImplementedError(f"{type(self).__name__}.broadcast")

    def allgather(self, rows, array):
        """Fill row r of ``rows`` with the array of rank r, on every rank."""
        raise NotImplementedError(f"{type(self).__name__}.allgather")

    def gather(self, rows, array, root):
        """Fill row r of ``rows`` with the array of rank r, on ``root`` (``rows`` is None elsewhere)."""
        raise NotImplementedError(f"{type(self).__name__}.gather")

    def scatter(self, array, rows, root):
        """Overwrite the array of rank r with row r of the root's ``rows`` (None elsewhere)."""
        raise NotImplementedError(f"{type(self).__name__}.scatter")

    def reduce_scatter(self, array, rows, op):
        """Reduce ``rows`` over all ranks and overwrite the array of rank r with row r of the result."""
        raise NotImplementedError(f"{type(self).__name__}.reduce_scatter")

    def alltoall(self, out, array, out_counts, in_counts):
        """Send ``in_counts[r]`` elements of the flat array to rank r, receive ``out_counts[r]`` elements from it."""
        raise NotImplementedError(f"{type(self).__name__}.alltoall")

    def send(self, array, peer, tag=0):
        """Send the array to a rank."""
        raise NotImplementedError(f"{type(self).__name__}.send")

    def recv(self, array, peer, tag=0):
        """Fill the array with what a rank sends."""
        raise NotImplementedError(f"{type(self).__name__}.recv")

    def barrier(self):
        """Complete when every rank has come here."""
        raise NotImplementedError(f"{type(self).__name__}.barrier")

    def split(self, ranks, number, timeout=None, partition=None):
        """A communicator of some of the ranks (None on the others); every rank calls it, with the same number.

        Where disjoint groups are made at once, each rank gives its own ``ranks``, and all the same ``partition``.
        """
        raise NotImplementedError(f"{type(self).__name__}.split")

    def allgather_bytes(self, data):
        """The bytes of every rank, in the order of ranks; waits."""
        raise NotImplementedError(f"{type(self).__name__}.allgather_bytes")

    def close(self):
        """Give the communicator back."""
