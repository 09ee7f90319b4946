"""Reading the numbers of TensorBoard event files."""

import os
import struct

from ..serialization import wire
from .tensorboard import Event, masked_crc

_HEAD, _CHECK = struct.Struct("<Q"), struct.Struct("<I")


def read_scalars(path):
    """The numbers of one event file, in the order of writing: tuples (tag, step, value).

    A last record that is not yet complete, as in a file that is being written, is left out; damage raises ValueError.

    >>> import tempfile
    >>> from paddle.utils.tensorboard import EventWriter
    >>> with tempfile.TemporaryDirectory() as folder, EventWriter(folder) as writer:
    ...     writer.add_scalar("loss", 0.5, step=1)
    ...     writer.flush()
    ...     paddle.utils.event_files.read_scalars(writer.file_name)
    [('loss', 1, 0.5)]
    """
    found = []
    for data in _records(path):
        event = wire.decode(Event, data)
        for value in event.summary.value if event.summary is not None else ():
            if value.simple_value is not None:
                found.append((value.tag, event.step or 0, value.simple_value))
    return found


def _records(path):
    with open(path, "rb") as file:
        data = file.read()
    at = 0
    while at + 12 <= len(data):
        size, = _HEAD.unpack_from(data, at)
        if _CHECK.unpack_from(data, at + 8)[0] != masked_crc(data[at:at + 8]):
            raise ValueError(f"{path} is no event file, or damaged at byte {at}")
        start, end = at + 12, at + 12 + size
        if end + 4 > len(data):
            return
        if _CHECK.unpack_from(data, end)[0] != masked_crc(data[start:end]):
            raise ValueError(f"{path} is damaged in the record at byte {at}")
        yield data[start:end]
        at = end + 4


def read_runs(folder):
    """{run: {tag: [(step, value), ...]}} of all event files in a folder and those inside it; a run is the folder of its files.

    Points are in the order of their steps. ValueError if there is no event file.
    """
    runs = {}
    for where, folders, files in os.walk(folder):
        folders.sort()
        for name in sorted(files):
            if "tfevents" in name:
                curves = runs.setdefault(os.path.relpath(where, folder).replace(os.sep, "/"), {})
                for tag, step, value in read_scalars(os.path.join(where, name)):
                    curves.setdefault(tag, []).append((step, value))
    if not runs:
        raise ValueError(f"{folder} has no event files (their names have 'tfevents' in them)")
    for points in (points for curves in runs.values() for points in curves.values()):
        points.sort(key=lambda point: point[0])
    return runs
