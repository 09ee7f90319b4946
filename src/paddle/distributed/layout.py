"""Do the ranks train the same model? Compared once, before their parameters are made equal."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import Any

from .comm import CollectiveMismatch, Communicator
from .comm.base import call_place

SHOWN = 4  # tensors that differ, in a message


def named_tensors(layer: Any) -> list[tuple[str, Any]]:
    """Parameters and buffers of a layer with their names in it."""
    return [*layer.named_parameters(), *layer.named_buffers()]


def check_same_layout(named: Iterable[tuple[str, Any]], comm: Communicator, function: str) -> None:
    """Raise CollectiveMismatch on every rank unless all have tensors of the same names, shapes and types, in one order.

    The ranks exchange 32 bytes, and whole lists only where those differ.
    """
    mine = [f"{name}: {t._data.dtype}{list(t._data.shape)}{' without gradient' if t.stop_gradient else ''}" for name, t in named]
    digests = comm.allgather_bytes(hashlib.sha256(json.dumps(mine).encode()).digest())
    if len(set(digests)) == 1:
        return
    lists = [json.loads(data) for data in comm.allgather_bytes(json.dumps(["{}:{}".format(*call_place()), mine]).encode())]
    other = next(rank for rank, digest in enumerate(digests) if digest != digests[0])
    (site, first), (other_site, second) = lists[0], lists[other]
    different = [pair for pair in zip(first, second) if pair[0] != pair[1]]
    lines = [f"  {a}   |   {b}" for a, b in different[:SHOWN]]
    if not different:  # one list begins with the whole other one
        longer = max(first, second, key=len)
        lines = [f"  only on rank {0 if longer is first else other}: {entry}" for entry in
                 longer[min(len(first), len(second)):][:SHOWN]]
    raise CollectiveMismatch(
        f"{function}(): the ranks have different models: rank 0 ({len(first)} tensors, at {site}) | rank {other} ({len(second)} "
        f"tensors, at {other_site})\n" + "\n".join(lines))
