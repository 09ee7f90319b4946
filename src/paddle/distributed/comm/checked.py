"""Debug mode: before every collective the ranks compare what they are about to do.

Switched on by PADDLE_DISTRIBUTED_DEBUG=1. Costs one small exchange per collective.
"""

import json

import numpy as np

from .base import REDUCE_NAMES, Communicator, Work, call_site
from .errors import CollectiveMismatch

HEADER_TAG = 1 << 14  # messages about messages
HEADER_BYTES = 1024


def pack(message):
    """A small message as a fixed number of bytes, padded with blanks."""
    text = json.dumps(message)
    if len(text) > HEADER_BYTES:
        text = json.dumps(dict(message, site=message["site"][-400:]))
    return np.frombuffer(text.ljust(HEADER_BYTES).encode("ascii"), np.uint8)


def signature(name, site, arrays=(), **details):
    """What must agree between ranks, plus where it was called."""
    shapes = [f"{array.dtype}{list(array.shape)}" for array in arrays]
    return {"call": name, "site": site, "tensors": shapes, **details}


class Both(Work):
    """A header and its message: the header is looked at first."""

    __slots__ = ("parts",)

    def __init__(self, *parts):
        super().__init__()
        self.parts = parts

    def _complete(self):
        for part in self.parts:
            part.wait()

    def _poll(self):
        return all(part.test() for part in self.parts)


class CheckedCommunicator(Communicator):
    """A communicator that compares calls first, and headers of messages between two ranks."""

    def __init__(self, inner):
        self.inner, self.rank, self.size = inner, inner.rank, inner.size
        self.members, self.count = inner.members, 0

    def agree(self, name, arrays=(), **details):
        """Raise CollectiveMismatch unless every rank makes the same call."""
        self.count += 1
        mine = signature(name, call_site(), arrays, **details)
        calls = [json.loads(data) for data in self.inner.allgather_bytes(json.dumps(mine).encode())]
        groups = {}
        for rank, call in enumerate(calls):
            key = json.dumps({k: v for k, v in call.items() if k != "site"}, sort_keys=True)
            groups.setdefault(key, []).append((rank, call))
        if len(groups) == 1:
            return
        lines = [f"collective number {self.count} differs between ranks:"]
        for members in groups.values():
            call = dict(members[0][1])
            ranks = ", ".join(str(self.inner.members[rank]) for rank, _ in members[:8])
            ranks += ", ..." if len(members) > 8 else ""
            head = f"  rank {ranks}: {call.pop('call')}({', '.join(call.pop('tensors'))})"
            site = call.pop("site")
            rest = "".join(f", {k}={v}" for k, v in call.items() if v is not None)
            lines.append(f"{head}{rest} at {site}")
        raise CollectiveMismatch("\n".join(lines))

    def allreduce(self, array, op):
        self.agree("all_reduce", [array], op=REDUCE_NAMES.get(op))
        return self.inner.allreduce(array, op)

    def reduce(self, array, op, root):
        self.agree("reduce", [array], op=REDUCE_NAMES.get(op), root=root)
        return self.inner.reduce(array, op, root)

    def broadcast(self, array, root):
        self.agree("broadcast", [array], root=root)
        return self.inner.broadcast(array, root)

    def allgather(self, rows, array):
        self.agree("all_gather", [array])
        return self.inner.allgather(rows, array)

    def gather(self, rows, array, root):
        self.agree("gather", [array], root=root)
        return self.inner.gather(rows, array, root)

    def scatter(self, array, rows, root):
        self.agree("scatter", [array], root=root)
        return self.inner.scatter(array, rows, root)

    def reduce_scatter(self, array, rows, op):
        self.agree("reduce_scatter", [array], op=REDUCE_NAMES.get(op))
        return self.inner.reduce_scatter(array, rows, op)

    def alltoall(self, out, array, out_counts, in_counts):
        self.agree("alltoall", dtype=str(array.dtype))
        theirs = [json.loads(data) for data in self.inner.allgather_bytes(json.dumps(list(in_counts)).encode())]
        for rank, counts in enumerate(theirs):
            if counts[self.rank] != out_counts[rank]:
                raise CollectiveMismatch(
                    f"alltoall number {self.count}: rank {rank} sends {counts[self.rank]} elements to rank "
                    f"{self.rank}, which expects {out_counts[rank]} (called at {call_site()})")
        return self.inner.alltoall(out, array, out_counts, in_counts)

    def send(self, array, peer, tag=0):
        header = pack(signature("send", call_site(), [array]))
        return Both(self.inner.send(header, peer, tag + HEADER_TAG), self.inner.send(array, peer, tag))

    def recv(self, array, peer, tag=0):
        mine, header = signature("recv", call_site(), [array]), np.zeros(HEADER_BYTES, np.uint8)

        def check():
            theirs = json.loads(header.tobytes())
            if theirs["tensors"] != mine["tensors"]:
                raise CollectiveMismatch(f"rank {peer} sends {theirs['tensors'][0]} at {theirs['site']}, "
                                         f"rank {self.rank} expects {mine['tensors'][0]} at {mine['site']}")

        return Both(self.inner.recv(header, peer, tag + HEADER_TAG).then(check), self.inner.recv(array, peer, tag))

    def barrier(self):
        self.agree("barrier")
        return self.inner.barrier()

    def split(self, ranks, number, timeout=None, partition=None):
        self.agree("new_group", ranks=list(partition or ranks))
        part = self.inner.split(ranks, number, timeout, partition)
        return None if part is None else CheckedCommunicator(part)

    def allgather_bytes(self, data):
        self.agree("all_gather_object")
        return self.inner.allgather_bytes(data)

    def close(self):
        self.inner.close()
