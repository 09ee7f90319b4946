"""The communicator of real jobs: nonblocking MPI operations, waited for with a deadline.

Waiting asks MPI again and again instead of blocking inside it, so that signals are heard, a deadline holds, the core is
given away when the others are late, and a peer that has ended is noticed. On two ranks of one machine this costs
nothing measurable against the blocking calls (26 microseconds for 100 kB either way).
"""

import os
import time

import numpy as np

from .base import REDUCE_NAMES, Communicator, ReduceOp, Work, call_site

SPIN_SECONDS = 0.0002  # ask without a break, the usual answer comes within it
YIELD_SECONDS = 2.0  # then let other processes of the core run in between: a transfer moves on only when asked
SLEEP_SECONDS = 0.0001  # and after that somebody is late, so sleep
CONTROL_SECONDS = 0.25  # between two looks at the control messages of other ranks
give_way = getattr(os, "sched_yield", lambda: time.sleep(0))


class MpiWork(Work):
    """An MPI request, the arrays that it uses, and where the program asked for it."""

    __slots__ = ("request", "arrays", "comm", "name", "number", "site")

    def __init__(self, comm, name, request, arrays, site, finish=None):
        super().__init__(finish)
        self.comm, self.name, self.request, self.arrays, self.site = comm, name, request, arrays, site
        self.number = comm.count

    def describe(self):
        """What this rank waits for, as other ranks and messages show it."""
        return {"op": self.name, "number": self.number, "group": self.comm.label, "site": self.site}

    def _poll(self):
        return self.request.Test()

    def _complete(self):
        test = self.request.Test
        if test():
            return
        start = now = time.perf_counter()
        while now - start < SPIN_SECONDS:
            if test():
                return
            now = time.perf_counter()
        control, look = self.comm.control, start + CONTROL_SECONDS
        while not test():
            now = time.perf_counter()
            if now - start < YIELD_SECONDS:
                give_way()
            else:
                time.sleep(SLEEP_SECONDS)
            if now > look:
                look = now + CONTROL_SECONDS
                control.attend(self, now - start, test)

    def _close(self):
        self.arrays = self.request = None
        super()._close()


class MpiCommunicator(Communicator):
    """Ranks of an MPI communicator.

    Args:
        mpi: the module ``mpi4py.MPI``.
        handle: an MPI communicator of our own (a duplicate, so that nobody else's messages cross ours).
        control: the ``Control`` of this process.
        label: what messages call this group.
        members: world ranks of the group, in the order of group ranks.
        timeout: seconds that waiting may take, None for no limit beyond the control line's.
    """

    def __init__(self, mpi, handle, control, label, members, timeout=None):
        self.mpi, self.handle, self.control, self.label, self.members = mpi, handle, control, label, members
        self.rank, self.size, self.count = handle.Get_rank(), handle.Get_size(), 0
        self.timeout = min(timeout or control.timeout, control.timeout)
        self._reductions = {ReduceOp.SUM: mpi.SUM, ReduceOp.MAX: mpi.MAX, ReduceOp.MIN: mpi.MIN,
                            ReduceOp.PROD: mpi.PROD, ReduceOp.AVG: mpi.SUM}

    def _work(self, name, request, arrays, finish=None):
        self.count += 1
        return MpiWork(self, name, request, arrays, call_site(), finish)

    def _bytes(self, array):
        """An array as MPI bytes: transfers need no element type."""
        return [array.reshape(-1).view(np.uint8), self.mpi.BYTE]

    def allreduce(self, array, op):
        values, finish = reducible(array, op, self.size)
        request = self.handle.Iallreduce(self.mpi.IN_PLACE, values, self._reductions[op])
        return self._work("all_reduce", request, (array, values), finish)

    def reduce(self, array, op, root):
        values, finish = reducible(array, op, self.size)
        if self.rank == root:
            request = self.handle.Ireduce(self.mpi.IN_PLACE, values, self._reductions[op], root)
            return self._work("reduce", request, (array, values), finish)
        request = self.handle.Ireduce(values, None, self._reductions[op], root)
        return self._work("reduce", request, (array, values))

    def broadcast(self, array, root):
        return self._work("broadcast", self.handle.Ibcast(self._bytes(array), root), array)

    def allgather(self, rows, array):
        return self._work("all_gather", self.handle.Iallgather(self._bytes(array), self._bytes(rows)), (rows, array))

    def gather(self, rows, array, root):
        into = self._bytes(rows) if self.rank == root else None
        return self._work("gather", self.handle.Igather(self._bytes(array), into, root), (rows, array))

    def scatter(self, array, rows, root):
        from_ = self._bytes(rows) if self.rank == root else None
        return self._work("scatter", self.handle.Iscatter(from_, self._bytes(array), root), (rows, array))

    def reduce_scatter(self, array, rows, op):
        values, _ = reducible(rows, op, self.size)
        part, finish = reducible(array, op, self.size)
        request = self.handle.Ireduce_scatter_block(values, part, self._reductions[op])
        return self._work("reduce_scatter", request, (values, part, array, rows), finish)

    def alltoall(self, out, array, out_counts, in_counts):
        width = array.dtype.itemsize
        sent, received = [n * width for n in in_counts], [n * width for n in out_counts]
        request = self.handle.Ialltoallv([self._bytes(array)[0], (sent, offsets(sent)), self.mpi.BYTE],
                                         [self._bytes(out)[0], (received, offsets(received)), self.mpi.BYTE])
        return self._work("alltoall", request, (out, array))

    def send(self, array, peer, tag=0):
        return self._work(f"send to rank {peer}", self.handle.Isend(self._bytes(array), peer, tag), array)

    def recv(self, array, peer, tag=0):
        status = self.mpi.Status()
        work = self._work(f"recv from rank {peer}", self.handle.Irecv(self._bytes(array), peer, tag), array)
        request = work.request

        def poll():
            try:
                return request.Test(status)
            except self.mpi.Exception as error:
                raise ValueError(f"recv(): the message of rank {peer} does not fit into the {array.nbytes} bytes of "
                                 f"the tensor ({list(array.shape)}, {array.dtype}): {error}") from None

        def check():
            came = status.Get_count(self.mpi.BYTE)
            if came != array.nbytes:
                raise ValueError(f"recv(): rank {peer} sent {came} bytes, the tensor ({list(array.shape)}, "
                                 f"{array.dtype}) has {array.nbytes}")

        work.request = _Polled(poll)
        return work.then(check)

    def barrier(self):
        return self._work("barrier", self.handle.Ibarrier(), None)

    def split(self, ranks, number, timeout=None, partition=None):
        self.barrier().wait()  # Create_group waits without a deadline: come to it together
        if self.rank not in ranks:
            return None
        whole = self.handle.Get_group()
        part = whole.Incl(list(ranks))
        handle = self.handle.Create_group(part, number)
        part.Free()
        whole.Free()
        members = [self.members[r] for r in ranks]
        return MpiCommunicator(self.mpi, handle, self.control, f"group {number} (ranks {members})", members,
                               timeout)

    def allgather_bytes(self, data):
        mine = np.frombuffer(data, np.uint8)
        sizes = np.zeros(self.size, np.int64)
        self.allgather(sizes, np.array([mine.size], np.int64)).wait()
        counts = sizes.tolist()
        out, starts = np.empty(sum(counts), np.uint8), offsets(counts)
        request = self.handle.Iallgatherv([mine, self.mpi.BYTE], [out, (counts, starts), self.mpi.BYTE])
        self._work("all_gather_object", request, (mine, out)).wait()
        return [out[s:s + n].tobytes() for s, n in zip(starts, counts)]

    def close(self):
        self.handle.Free()


class _Polled:
    """Stands for a request whose test does more than asking MPI."""

    __slots__ = ("Test",)

    def __init__(self, test):
        self.Test = test


def offsets(counts):
    """Where each part starts when parts of these sizes lie one after the other."""
    starts = [0]
    for n in counts[:-1]:
        starts.append(starts[-1] + n)
    return starts


def reducible(array, op, size):
    """(the array as MPI can reduce it, what to do with the result afterwards).

    Half precision travels as float32, and is rounded once at the end; truth values as bytes.
    """
    dtype, name = array.dtype, REDUCE_NAMES.get(op)
    if name is None:
        raise ValueError(f"op must be a member of ReduceOp, got {op!r}")
    if dtype == np.bool_:
        if op in (ReduceOp.SUM, ReduceOp.AVG):
            raise TypeError(f"ReduceOp.{name} of bool tensors: use MAX (any) or MIN (all), or cast to an integer type")
        return array.reshape(-1).view(np.uint8), None
    if dtype.kind == "c" and op in (ReduceOp.MAX, ReduceOp.MIN):
        raise TypeError(f"ReduceOp.{name}: complex numbers have no order")
    if op == ReduceOp.AVG and dtype.kind in "iu":
        raise TypeError(f"ReduceOp.AVG of {dtype} tensors: the mean is no integer; cast to a floating type")
    wide = array
    if dtype.itemsize == 2 and dtype.kind in "fV":
        wide = array.astype(np.float32)
    if wide is array and op != ReduceOp.AVG:
        return array.reshape(-1), None

    def finish():
        if op == ReduceOp.AVG:
            np.multiply(wide, wide.dtype.type(1.0 / size), out=wide)
        if wide is not array:
            np.copyto(array, wide, casting="unsafe")

    return wide.reshape(-1), finish
