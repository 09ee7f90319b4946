"""Opening what is to be read: a path, bytes or a file object, always as a seekable binary file of known end."""

import contextlib
import io
import os

from .errors import FormatError


class Source:
    """A binary file with bounds: `read` and `fill` refuse what the rest of the file cannot hold, before allocating."""

    def __init__(self, file):
        self.file = file
        self.start = file.tell()
        self.end = file.seek(0, os.SEEK_END)
        file.seek(self.start)

    @property
    def position(self):
        """Byte offset of the next read, counted from where the source began."""
        return self.file.tell() - self.start

    @property
    def remaining(self):
        """Number of bytes left."""
        return self.end - self.file.tell()

    def seek(self, position):
        """Continue reading at a byte offset counted from where the source began."""
        self.file.seek(self.start + position)

    def check(self, what, size):
        """Refuse a size that goes past the end."""
        if size < 0 or size > self.remaining:
            raise FormatError(f"{what}: needs {size} bytes, {self.remaining} are left; the file ends after "
                              f"{self.end - self.start} of {self.position + size} bytes", self.position)

    def read(self, what, size):
        """Return the next `size` bytes; `what` names them in the error when they are not there."""
        self.check(what, size)
        data = self.file.read(size)
        if len(data) != size:
            raise FormatError(f"{what}: the file became shorter while it was read", self.position)
        return data

    def fill(self, what, array):
        """Read the next bytes straight into a C-contiguous array's memory."""
        self.check(what, array.nbytes)
        view = memoryview(array.reshape(-1)).cast("B") if array.size else b""
        while view:
            count = self.file.readinto(view)
            if not count:
                raise FormatError(f"{what}: the file became shorter while it was read", self.position)
            view = view[count:]


@contextlib.contextmanager
def open_source(origin):
    """Open a path, bytes-like object or binary file object for bounded reading.

    A file object is read from its current position, and put back there when reading fails.
    """
    if isinstance(origin, (str, os.PathLike)):
        with open(origin, "rb") as file:
            yield Source(file)
    elif isinstance(origin, (bytes, bytearray, memoryview)):
        yield Source(io.BytesIO(origin))
    elif not hasattr(origin, "read"):
        raise TypeError(f"expected a path, bytes or a binary file object, got {type(origin).__name__}")
    elif not (getattr(origin, "seekable", bool)() and hasattr(origin, "readinto")):
        yield Source(io.BytesIO(origin.read()))
    else:
        begin = origin.tell()
        try:
            yield Source(origin)
        except BaseException:
            origin.seek(begin)
            raise
