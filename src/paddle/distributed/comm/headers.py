"""Ranks tell each other what they are about to do, so that no result is made of calls that do not fit.

Each operation has a header: its name, type and number of elements, root and reduction, and the line that called it. In a
collective every rank sends its header to the next rank and compares the one of the rank before: if all neighbours agree,
all ranks do, and the cost does not grow with their number. The data start when the header has been compared, because MPI
itself ends the process ("internal error") when calls that do not fit meet.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np

from .base import REDUCE_NAMES
from .errors import CollectiveMismatch

MOST_BYTES = 1024  # of a header; paths of callers are cut from the left
_kept: list[Any] = []  # messages that MPI may still write although nobody waits for them any more


def describe_call(name: str, array: np.ndarray | None = None, shapes: bool = False, **details: Any) -> str:
    """``all_reduce(float32[3], op=SUM)``: what must be equal on both sides. Sizes are numbers of elements, or whole shapes."""
    parts = []
    if array is not None:
        parts.append(f"{array.dtype}{list(array.shape)}" if shapes else f"{array.dtype}[{array.size}]")
    if "op" in details:
        details["op"] = REDUCE_NAMES[details["op"]]
    parts += [f"{key}={value}" for key, value in details.items()]
    return f"{name}({', '.join(parts)})"


def pack(call: str, site: str) -> bytes:
    """A header: the call and its place, with a zero between them."""
    head = call.encode("utf-8")
    if len(head) > MOST_BYTES // 2:  # shapes or ranks of a great many entries: its end is what differs, if anything does
        head = head[:64] + b"..." + head[64 - MOST_BYTES // 2:]
    return head + b"\0" + site.encode("utf-8", "replace")[len(head) + 1 - MOST_BYTES:]


class Arrival:
    """A header on its way here, and what it must say.

    Args:
        request: MPI's request of the header.
        buffer: where it will lie.
        mine: the header of this rank.
        ranks: (this rank, the rank that sends), as numbers of the world.
        place: which call of which group this is.
    """

    __slots__ = ("request", "buffer", "mine", "ranks", "place")

    def __init__(self, request: Any, buffer: bytearray, mine: bytes, ranks: tuple[int, int], place: str) -> None:
        self.request, self.buffer, self.mine, self.ranks, self.place = request, buffer, mine, ranks, place

    def come(self) -> bool:
        """Has the header come? Raises CollectiveMismatch if it says something else than this rank's."""
        if not self.request.Test():
            return False
        mine = self.mine
        if not self.buffer.startswith(mine[:mine.index(0) + 1]):
            self.refuse()
        return True

    def refuse(self) -> None:
        sides = []
        for rank, header in sorted(zip(self.ranks, (self.mine, bytes(self.buffer)))):
            call, _, site = header.rstrip(b"\0").partition(b"\0")
            sides.append(f"  rank {rank}: {call.decode('utf-8', 'replace')} at {site.decode('utf-8', 'replace')}")
        raise CollectiveMismatch(f"{self.place} differs between ranks:\n" + "\n".join(sides))


class Guarded:
    """Stands for the request of some data that are used only after headers have been compared.

    Args:
        headers: the line of the communicator.
        data: the request, or a function that starts it.
        arrivals: headers to compare.
        sent: requests of this rank's headers, with their bytes.
    """

    __slots__ = ("headers", "data", "arrivals", "sent", "waiting")

    def __init__(self, headers: Headers, data: Any, arrivals: list[Arrival], sent: list[Any]) -> None:
        self.headers, self.data, self.arrivals, self.sent, self.waiting = headers, data, arrivals, sent, callable(data)
        if self.waiting:
            headers.queue.append(self)

    def agreed(self) -> bool:
        """Have all headers come, and do they agree?"""
        while self.arrivals:
            try:
                if not self.arrivals[-1].come():
                    return False
            except CollectiveMismatch:
                _kept.append(self)
                raise
            self.arrivals.pop()
        return True

    def Test(self) -> bool:  # noqa: N802  (the name that a request of MPI has)
        """Have the headers been compared, and the data come?"""
        if self.waiting:
            self.headers.start()
        if self.waiting or not self.agreed() or not self.data.Test():
            return False
        while self.sent:
            if not self.sent[-1][0].Test():
                return False
            self.sent.pop()
        return True


class Headers:
    """The line on which the headers of one communicator travel.

    Args:
        mpi: the module ``mpi4py.MPI``.
        handle: a duplicate of the communicator, for headers only.
        members: world ranks of the group.
        label: what messages call the group.
    """

    def __init__(self, mpi: Any, handle: Any, members: list[int], label: str) -> None:
        self.mpi, self.handle, self.members, self.label = mpi, handle, members, label
        self.rank, self.size = handle.Get_rank(), handle.Get_size()
        self.queue: deque[Guarded] = deque()  # collectives whose data have not started, in the order of the calls

    def start(self) -> None:
        """Start the data of what the ranks agree about, in the order of the calls, which is the same on all."""
        while self.queue and self.queue[0].agreed():
            first = self.queue.popleft()
            first.data, first.waiting = first.data(), False

    def send(self, header: bytes, peer: int, tag: int = 0) -> Any:
        """Send a header to a rank of the group; returns the request and what it uses."""
        return self.handle.Isend([header, self.mpi.BYTE], peer, tag), header

    def expect(self, header: bytes, peer: int, number: int, tag: int = 0) -> Arrival:
        """The header of a rank of the group, which must say the same."""
        buffer = bytearray(MOST_BYTES)
        request = self.handle.Irecv([buffer, self.mpi.BYTE], peer, tag)
        return Arrival(request, buffer, header, (self.members[self.rank], self.members[peer]),
                       f"call number {number} of {self.label}")

    def around(self, data: Callable[[], Any], call: str, site: str, number: int) -> Guarded:
        """Guard a collective: tell the next rank, listen to the one before."""
        header = pack(call, site)
        arrival = self.expect(header, (self.rank - 1) % self.size, number)
        return Guarded(self, data, [arrival], [self.send(header, (self.rank + 1) % self.size)])

    def pairwise(self, data: Callable[[], Any], sent: list[str], received: list[str], site: str, number: int) -> Guarded:
        """Guard an exchange between every two ranks: ``sent[r]`` goes to rank r, whose header must be ``received[r]``."""
        others = [r for r in range(self.size) if r != self.rank]
        arrivals = [self.expect(pack(received[r], site), r, number) for r in others]
        return Guarded(self, data, arrivals, [self.send(pack(sent[r], site), r) for r in others])

    def close(self) -> None:
        self.handle.Free()
