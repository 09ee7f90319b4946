"""Ranks tell each other what they are about to do, so that no result is made of calls that do not fit.

Each operation has a header: its name, type and number of elements, root and reduction, and the line that called it. In a
collective every rank sends its header to the next rank and compares the one of the rank before: if all neighbours agree,
all ranks do, and the cost does not grow with their number. The data start when the header has been compared, because MPI
itself ends the process ("internal error") when calls that do not fit meet. Small data of small groups travel behind the
header, in the same message, to every rank.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable
from typing import Any

import numpy as np

from .errors import CollectiveMismatch

MOST_BYTES = 1024  # of a header; paths of callers are cut from the left
HEADER_BYTES = 256  # of one that data follow: there the data begin
SMALL_BYTES = 4096  # of data that follow a header
SMALL_GROUP = 8  # ranks that send each other small data
MOST_PREPARED = 256  # messages that are kept for the next call of their kind
_kept: list[Any] = []  # messages that MPI may still write although nobody waits for them any more


def describe_call(name: str, dtype: Any = None, sizes: Any = None, detail: str = "") -> str:
    """``all_reduce(float32[3], op=SUM)``: what must be equal on both sides. Sizes are a number of elements, or a shape."""
    array = f"{dtype}{list(sizes) if isinstance(sizes, tuple) else [sizes]}" if dtype is not None else ""
    return f"{name}({', '.join(filter(None, (array, detail)))})"


def pack(call: str, site: str, most: int = MOST_BYTES) -> bytes:
    """A header: the call and its place, each with a zero behind it."""
    head = call.encode("utf-8")
    if len(head) > most // 2:  # shapes or ranks of a great many entries: its end is what differs, if anything does
        head = head[:64] + b"..." + head[64 - most // 2:]
    return head + b"\0" + site.encode("utf-8", "replace")[len(head) + 2 - most:] + b"\0"


def refuse(place: str, sides: dict[int, bytes]) -> None:
    """Raise: the headers of two ranks differ."""
    lines = []
    for rank, header in sorted(sides.items()):
        call, site, *_ = header.split(b"\0", 2)
        lines.append(f"  rank {rank}: {call.decode('utf-8', 'replace')} at {site.decode('utf-8', 'replace')}")
    raise CollectiveMismatch(f"{place} differs between ranks:\n" + "\n".join(lines))


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
            refuse(self.place, dict(zip(self.ranks, (mine, bytes(self.buffer)))))
        return True

    def release(self) -> None:
        """Nothing of it is used again."""


class Messages:
    """The headers of a collective, with its data behind them if those are small: one message to each of some ranks, one of each
    of others, which must say the same. MPI keeps them ready, so that the next such call from the same line only starts them.

    Args:
        headers: the line of the communicator.
        header: what this rank says.
        to, of: ranks of the group.
        data: an array like those behind the headers, or None.
        sends: does this rank send data?
        key: the kind of call.
    """

    __slots__ = ("headers", "header", "head", "number", "sent", "coming", "pair", "requests", "rows", "key")

    def __init__(self, headers: Headers, header: bytes, to: list[int], of: list[int], data: np.ndarray | None, sends: bool,
                 key: Hashable) -> None:
        self.headers, self.header, self.key, self.number = headers, header, key, 0
        self.head = header[:header.index(0) + 1]
        mine = bytearray(HEADER_BYTES + data.nbytes if data is not None and sends else len(header))
        mine[:len(header)] = header
        handle, byte = headers.handle, headers.mpi.BYTE
        self.coming = [(handle.Recv_init([buffer, byte], peer, 0), buffer, peer)
                       for peer, buffer in ((peer, bytearray(HEADER_BYTES + SMALL_BYTES)) for peer in of)]
        self.sent = [handle.Send_init([mine, byte], peer, 0) for peer in to]
        self.pair: Any = None  # of two ranks: what is asked again and again
        if len(self.coming) == len(self.sent) == 1:
            (request, buffer, peer), = self.coming
            self.pair = request.Test, buffer, peer, self.sent[0].Test
        self.requests = [request for request, *_ in self.coming] + self.sent
        self.rows: list[Any] = []  # by rank: the data, as they lie in the messages
        if data is not None:
            buffers = {peer: buffer for _, buffer, peer in self.coming}
            if sends:
                buffers[headers.rank] = mine
            self.rows = [np.frombuffer(buffers[r], data.dtype, data.size, HEADER_BYTES) if r in buffers else None
                         for r in range(headers.size)]

    def start(self, number: int) -> None:
        """Send and expect them, as call number ``number``."""
        self.number = number
        for request in self.requests:
            request.Start()

    def compare(self, buffer: bytearray, peer: int) -> None:
        """Raise CollectiveMismatch unless a rank's header says what this rank's says."""
        if not buffer.startswith(self.head):
            members = self.headers.members
            refuse(f"call number {self.number} of {self.headers.label}",
                   {members[self.headers.rank]: self.header, members[peer]: bytes(buffer)})

    def come(self) -> bool:
        """Have all come, and do they agree? Raises CollectiveMismatch if they don't."""
        there = True
        for request, buffer, peer in self.coming:
            if not request.Test():
                there = False
            else:
                self.compare(buffer, peer)
        if there:
            for request in self.sent:
                there = there and request.Test()
        return there

    def Test(self) -> bool:  # noqa: N802  (the name that a request of MPI has)
        """Have all come? Others that wait are driven forward."""
        if self.headers.queue:
            self.headers.start()
        return self.come() if self.pair is None else self.spin(1)

    def spin(self, times: int) -> bool:
        """Ask some times, with nothing else under way: have all come?"""
        if self.pair is None:
            return any(self.come() for _ in range(times))
        come, buffer, peer, gone = self.pair
        while not come():
            times -= 1
            if times <= 0:
                return False
        if not buffer.startswith(self.head):
            self.compare(buffer, peer)
        return gone()

    def release(self) -> None:
        """Give them back for the next call."""
        self.headers.ready.setdefault(self.key, []).append(self)


class Guarded:
    """Stands for the request of some data that are used only after headers have been compared.

    Args:
        headers: the line of the communicator.
        data: the request, or a function that starts it.
        arrivals: headers to compare.
        sent: requests of this rank's headers, with their bytes.
    """

    __slots__ = ("headers", "data", "arrivals", "sent", "waiting")

    def __init__(self, headers: Headers, data: Any, arrivals: list[Arrival | Messages], sent: list[Any]) -> None:
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
            self.arrivals.pop().release()
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
        self.ready: dict[Hashable, list[Messages]] = {}  # by kind of call
        self.quick: dict[Hashable, list[Messages]] = {}  # the same lists by place in the code
        self.codes: dict[int, Any] = {}  # whose numbers are in their keys: alive, so that no other gets the number
        self.made: list[Messages] = []  # all of them: MPI may write into those under way

    def start(self) -> None:
        """Start the data of what the ranks agree about, in the order of the calls, which is the same on all."""
        while self.queue and self.queue[0].agreed():
            first = self.queue.popleft()
            first.data, first.waiting = first.data(), False

    def prepare(self, key: Hashable, header: bytes, data: np.ndarray | None, everyone: bool, sends: bool) -> Messages:
        """Messages of a kind of call: between neighbours, or between all ranks, with data behind the headers.

        Args:
            key: what tells kinds of calls apart, the calling line included.
            header: the call and its place.
            data: an array like those that are sent.
            everyone: between all ranks.
            sends: does this rank send data?
        """
        if len(self.made) >= MOST_PREPARED:
            self.forget()
        others = [r for r in range(self.size) if r != self.rank]
        to, of = (others, others) if everyone else ([(self.rank + 1) % self.size], [(self.rank - 1) % self.size])
        made = Messages(self, header, to, of, data, sends, key)
        self.made.append(made)
        return made

    def forget(self) -> None:
        """Give back the messages that no call uses."""
        idle = {id(m): m for free in self.ready.values() for m in free}
        for messages in idle.values():
            for request in messages.requests:
                request.Free()
        self.made = [m for m in self.made if id(m) not in idle]
        self.ready, self.quick, self.codes = {}, {}, {}

    def send(self, header: bytes, peer: int, tag: int = 0) -> Any:
        """Send a header to a rank of the group; returns the request and what it uses."""
        return self.handle.Isend([header, self.mpi.BYTE], peer, tag), header

    def expect(self, header: bytes, peer: int, number: int, tag: int = 0) -> Arrival:
        """The header of a rank of the group, which must say the same."""
        buffer = bytearray(HEADER_BYTES + SMALL_BYTES)
        request = self.handle.Irecv([buffer, self.mpi.BYTE], peer, tag)
        return Arrival(request, buffer, header, (self.members[self.rank], self.members[peer]),
                       f"call number {number} of {self.label}")

    def around(self, data: Callable[[], Any], messages: Messages, number: int) -> Guarded:
        """Guard a collective: tell the next rank, listen to the one before."""
        messages.start(number)
        return Guarded(self, data, [messages], [])

    def pairwise(self, data: Callable[[], Any], sent: list[str], received: list[str], site: str, number: int) -> Guarded:
        """Guard an exchange between every two ranks: ``sent[r]`` goes to rank r, whose header must be ``received[r]``."""
        others = [r for r in range(self.size) if r != self.rank]
        arrivals = [self.expect(pack(received[r], site), r, number) for r in others]
        return Guarded(self, data, arrivals, [self.send(pack(sent[r], site), r) for r in others])

    def close(self) -> None:
        self.forget()
        self.handle.Free()
