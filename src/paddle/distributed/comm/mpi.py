"""The communicator of real jobs: nonblocking MPI operations, waited for with a deadline.

Waiting asks MPI again and again instead of blocking inside it, so that signals are heard, a deadline holds, the core is
given away when the others are late, and a peer that has ended is noticed. On two ranks of one machine this costs
nothing measurable against the blocking calls (26 microseconds for 100 kB either way).
"""

import os
import sys
import time

import numpy as np

from ...core.context import process
from .base import REDUCE_NAMES, ROOM, Communicator, ReduceOp, Work, call_place
from .headers import HEADER_BYTES, MOST_BYTES, SMALL_BYTES, SMALL_GROUP, Guarded, Headers, describe_call, pack

SPIN_SECONDS = 0.0002  # ask without a break, the usual answer comes within it
YIELD_SECONDS = 2.0  # then let other processes of the core run in between: a transfer moves on only when asked
SLEEP_SECONDS = 0.0001  # and after that somebody is late, so sleep
CONTROL_SECONDS = 0.25  # between two looks at the control messages of other ranks
REDUCTIONS = {op: f"op={name}" for op, name in REDUCE_NAMES.items()}  # as headers say it
COMBINED = {ReduceOp.SUM: "add", ReduceOp.AVG: "add", ReduceOp.PROD: "mul"}  # native functions: NumPy's would warn of infinities
SPINS = 100  # questions before somebody who may be late is waited for
LARGEST_TAG = 32767  # that every MPI has
give_way = getattr(os, "sched_yield", lambda: time.sleep(0))


class MpiWork(Work):
    """An MPI request, the arrays that it uses, and where (file, line) the program asked for it."""

    __slots__ = ("request", "arrays", "comm", "name", "number", "place")

    def __init__(self, comm, name, request, arrays, place, finish=None):
        self._finish, self._done = finish, False
        self.comm, self.name, self.request, self.arrays, self.place = comm, name, request, arrays, place
        self.number = comm.count

    @property
    def site(self):
        """``file:line``."""
        return "{}:{}".format(*self.place)

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
        shapes: ranks compare whole shapes; otherwise numbers of elements.
    """

    def __init__(self, mpi, handle, control, label, members, timeout=None, shapes=False):
        self.mpi, self.handle, self.control, self.label, self.members = mpi, handle, control, label, members
        self.rank, self.size, self.count = handle.Get_rank(), handle.Get_size(), 0
        self.timeout = min(timeout or control.timeout, control.timeout)
        self.shapes, self.headers = shapes, Headers(mpi, handle.Dup(), members, label)
        self._reductions = {ReduceOp.SUM: mpi.SUM, ReduceOp.MAX: mpi.MAX, ReduceOp.MIN: mpi.MIN,
                            ReduceOp.PROD: mpi.PROD, ReduceOp.AVG: mpi.SUM}

    def _messages(self, name, place, array, detail="", data=None, everyone=False, sends=True):
        """Headers of a collective that every rank calls with an array of this type and size and with the same ``detail``."""
        dtype = sizes = None
        if array is not None:
            dtype, sizes = array.dtype, array.shape if self.shapes else array.size
        key = name, dtype, sizes, place, detail
        ready = self.headers.ready.get(key)
        if ready:
            return ready.pop()
        header = pack(describe_call(name, dtype, sizes, detail), "{}:{}".format(*place), HEADER_BYTES if everyone else MOST_BYTES)
        return self.headers.prepare(key, header, data, everyone, sends)

    def _work(self, name, start, array, arrays, finish=None, detail=""):
        """The work of a collective whose data start when the ranks agree."""
        self.count += 1
        place = call_place()
        messages = self._messages(name, place, array, detail)
        return MpiWork(self, name, self.headers.around(start, messages, self.count), arrays, place, finish)

    def _exchange(self, name, array, data, use, detail="", sends=True):
        """The work of a collective of few small data: every rank sends its own behind its header; ``use(messages)`` gets those of
        all ranks when they agree."""
        self.count += 1
        place = call_place()
        messages = self._messages(name, place, array, detail, data, True, sends)
        if sends:
            messages.rows[self.rank][:] = data
        messages.start(self.count)
        return MpiWork(self, name, messages, array, place, lambda: use(messages))

    def _is_small(self, data):
        return self.size <= SMALL_GROUP and 0 < data.nbytes <= SMALL_BYTES

    def _bytes(self, array):
        """An array as MPI bytes: transfers need no element type."""
        return [array.reshape(-1).view(np.uint8), self.mpi.BYTE]

    def allreduce(self, array, op):
        values, finish = reducible(array, op, self.size)
        if self._is_small(values):
            def use(messages):
                rows = messages.rows
                if self.rank:
                    values[:] = rows[0]
                for row in rows[1:]:  # in one order everywhere: the same bits
                    self._reductions[op].Reduce_local(row, values)
                messages.release()
                if finish is not None:
                    finish()

            return self._exchange("all_reduce", array, values, use, REDUCTIONS[op])
        return self._work("all_reduce", lambda: self.handle.Iallreduce(self.mpi.IN_PLACE, values, self._reductions[op]),
                          array, (array, values), finish, REDUCTIONS[op])

    def allreduce_now(self, array, op):
        frame, headers = sys._getframe(2), self.headers
        code = frame.f_code
        key = id(code), frame.f_lasti, array.dtype, array.size, op
        ready = headers.quick.get(key)
        native = process.native
        if not ready or headers.queue or self.shapes or native is None:
            work = self.allreduce(array, op)
            work.wait()
            kind = "all_reduce", array.dtype, array.size, work.place, REDUCTIONS[op]
            if (kind in headers.ready and self._is_small(array) and op in COMBINED and array.dtype.char in "fd"
                    and not code.co_filename.startswith(ROOM)):
                headers.quick[key], headers.codes[key[0]] = headers.ready[kind], code
            return
        messages, values = ready.pop(), array if array.ndim == 1 else array.reshape(-1)
        rows, self.count = messages.rows, self.count + 1
        rows[self.rank][:] = values
        messages.start(self.count)
        if not messages.spin(SPINS):
            MpiWork(self, "all_reduce", messages, array, (code.co_filename, frame.f_lineno)).wait()
        how = COMBINED[op]
        native.binary(how, rows[0], rows[1], values)  # in one order everywhere: the same bits
        if len(rows) > 2:
            for row in rows[2:]:
                native.binary(how, values, row, values)
        if op == ReduceOp.AVG:
            np.multiply(values, values.dtype.type(1.0 / self.size), values)
        ready.append(messages)

    def reduce(self, array, op, root):
        values, finish = reducible(array, op, self.size)
        mine, into = (self.mpi.IN_PLACE, values) if self.rank == root else (values, None)
        return self._work("reduce", lambda: self.handle.Ireduce(mine, into, self._reductions[op], root),
                          array, (array, values), finish if self.rank == root else None, f"{REDUCTIONS[op]}, root={root}")

    def broadcast(self, array, root):
        flat = self._bytes(array)[0]
        if self._is_small(flat):
            def use(messages):
                if self.rank != root:
                    flat[:] = messages.rows[root]
                messages.release()

            return self._exchange("broadcast", array, flat, use, f"root={root}", self.rank == root)
        return self._work("broadcast", lambda: self.handle.Ibcast([flat, self.mpi.BYTE], root), array, array, detail=f"root={root}")

    def allgather(self, rows, array):
        flat = self._bytes(array)[0]
        if self._is_small(flat):
            def use(messages):
                np.concatenate(messages.rows, out=self._bytes(rows)[0])
                messages.release()

            return self._exchange("all_gather", array, flat, use)
        return self._work("all_gather", lambda: self.handle.Iallgather([flat, self.mpi.BYTE], self._bytes(rows)),
                          array, (rows, array))

    def gather(self, rows, array, root):
        into = self._bytes(rows) if self.rank == root else None
        return self._work("gather", lambda: self.handle.Igather(self._bytes(array), into, root), array, (rows, array),
                          detail=f"root={root}")

    def scatter(self, array, rows, root):
        from_ = self._bytes(rows) if self.rank == root else None
        return self._work("scatter", lambda: self.handle.Iscatter(from_, self._bytes(array), root), array, (rows, array),
                          detail=f"root={root}")

    def reduce_scatter(self, array, rows, op):
        values, _ = reducible(rows, op, self.size)
        part, finish = reducible(array, op, self.size)
        return self._work("reduce_scatter", lambda: self.handle.Ireduce_scatter_block(values, part, self._reductions[op]),
                          array, (values, part, array, rows), finish, REDUCTIONS[op])

    def alltoall(self, out, array, out_counts, in_counts):
        width = array.dtype.itemsize
        sent, received = [n * width for n in in_counts], [n * width for n in out_counts]

        def start():
            return self.handle.Ialltoallv([self._bytes(array)[0], (sent, offsets(sent)), self.mpi.BYTE],
                                          [self._bytes(out)[0], (received, offsets(received)), self.mpi.BYTE])

        def part(count, source, target):
            return f"alltoall({array.dtype}[{count}] from rank {self.members[source]} to rank {self.members[target]})"

        self.count += 1
        place = call_place()
        request = self.headers.pairwise(start, [part(n, self.rank, r) for r, n in enumerate(in_counts)],
                                        [part(n, r, self.rank) for r, n in enumerate(out_counts)],
                                        "{}:{}".format(*place), self.count)
        return MpiWork(self, "alltoall", request, (out, array), place)

    def _message_header(self, array, place):
        call = describe_call("message", array.dtype, array.shape if self.shapes else array.size)
        return pack(call, "{}:{}".format(*place))

    def send(self, array, peer, tag=0):
        self.count += 1
        place = call_place()
        sent = [self.headers.send(self._message_header(array, place), peer, tag)]
        request = Guarded(self.headers, self.handle.Isend(self._bytes(array), peer, tag), [], sent)
        return MpiWork(self, f"send to rank {peer}", request, array, place)

    def recv(self, array, peer, tag=0):
        self.count += 1
        place = call_place()
        header = self._message_header(array, place)
        arrivals = [self.headers.expect(header, peer, self.count, tag)]
        request = Guarded(self.headers, self.handle.Irecv(self._bytes(array), peer, tag), arrivals, [])
        return MpiWork(self, f"recv from rank {peer}", request, array, place)

    def barrier(self):
        return self._work("barrier", self.handle.Ibarrier, None, None)

    def split(self, ranks, number, timeout=None, partition=None):
        # Create_group waits without a deadline: come to it together
        self._work("new_group", self.handle.Ibarrier, None, None, detail=f"ranks={list(partition or ranks)}").wait()
        return self.part(ranks, number, timeout) if self.rank in ranks else None

    def part(self, ranks, number, timeout=None):
        """A communicator of some ranks; only they call it, and it waits for all of them without a limit."""
        whole = self.handle.Get_group()
        part = whole.Incl(list(ranks))
        handle = self.handle.Create_group(part, number % LARGEST_TAG)
        part.Free()
        whole.Free()
        members = [self.members[r] for r in ranks]
        return MpiCommunicator(self.mpi, handle, self.control, f"group {number} (ranks {members})", members,
                               timeout, self.shapes)

    def allgather_bytes(self, data):
        mine, sizes = np.frombuffer(data, np.uint8), np.zeros(self.size, np.int64)
        size = np.array([mine.size], np.int64)
        self._work("all_gather_object", lambda: self.handle.Iallgather(self._bytes(size), self._bytes(sizes)),
                   None, (sizes, size)).wait()
        counts = sizes.tolist()
        out, starts = np.empty(sum(counts), np.uint8), offsets(counts)
        request = self.handle.Iallgatherv([mine, self.mpi.BYTE], [out, (counts, starts), self.mpi.BYTE])
        MpiWork(self, "all_gather_object", request, (mine, out), call_place()).wait()
        return [out[s:s + n].tobytes() for s, n in zip(starts, counts)]

    def close(self):
        self.headers.close()
        self.handle.Free()


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
