"""Writing TensorBoard event files: scalars, images, histograms and texts, with no package but NumPy."""

import itertools
import os
import socket
import struct
import threading
import time
import zlib

import numpy as np

from ..serialization import wire
from ..serialization.wire import message, optional, packed, repeated

_counter = itertools.count()


@message
class _Image:
    height: int = optional(1, "int32")
    width: int = optional(2, "int32")
    colorspace: int = optional(3, "int32")  # number of channels: 1 grey, 3 RGB, 4 RGBA
    encoded_image_string: bytes = optional(4, "bytes")


@message
class _Histogram:
    min: float = optional(1, "double")
    max: float = optional(2, "double")
    num: float = optional(3, "double")
    sum: float = optional(4, "double")
    sum_squares: float = optional(5, "double")
    bucket_limit: list[float] = packed(6, "double")
    bucket: list[float] = packed(7, "double")


@message
class _Size:
    size: int = optional(1, "int64")


@message
class _Shape:
    dim: list[_Size] = repeated(2, _Size)


@message
class _Tensor:
    dtype: int = optional(1, "enum")
    tensor_shape: _Shape = optional(2, _Shape)
    string_val: list[bytes] = repeated(8, "bytes")


@message
class _PluginData:
    plugin_name: str = optional(1, "string")


@message
class _Metadata:
    plugin_data: _PluginData = optional(1, _PluginData)


@message
class _Value:
    tag: str = optional(1, "string")
    simple_value: float = optional(2, "float")
    image: _Image = optional(4, _Image)
    histo: _Histogram = optional(5, _Histogram)
    tensor: _Tensor = optional(8, _Tensor)
    metadata: _Metadata = optional(9, _Metadata)


@message
class _Summary:
    value: list[_Value] = repeated(1, _Value)


@message
class Event:
    wall_time: float = optional(1, "double")
    step: int = optional(2, "int64")
    file_version: str = optional(3, "string")
    summary: _Summary = optional(5, _Summary)


class EventWriter:
    """Appends events to a new file in `log_dir`, which TensorBoard shows while it grows.

    Args:
        log_dir: folder of the run; made if needed.
        filename_suffix: appended to the file's name.
        flush_secs: the file is brought up to date at least this often while events arrive.

    >>> import tempfile
    >>> from paddle.utils.tensorboard import EventWriter
    >>> with tempfile.TemporaryDirectory() as folder, EventWriter(folder) as writer:
    ...     writer.add_scalar("loss", 0.5, step=1)
    """

    def __init__(self, log_dir, filename_suffix="", flush_secs=10.0):
        log_dir = os.fspath(log_dir)
        os.makedirs(log_dir, exist_ok=True)
        now = time.time()
        # TensorBoard looks for "tfevents" and orders a run's files by name; process and number keep writers apart.
        name = f"events.out.tfevents.{int(now):010d}.{socket.gethostname()}.{os.getpid()}.{next(_counter)}"
        self.file_name = os.path.join(log_dir, name + filename_suffix)
        self._flush_secs = flush_secs
        self._lock = threading.Lock()
        self._file = open(self.file_name, "xb")
        self._flushed = now
        self._write(Event(now, file_version="brain.Event:2"))
        self.flush()

    def add_scalar(self, tag, value, step, walltime=None):
        """Record a number: anything that `float()` understands, one-element Tensors and arrays included."""
        try:
            number = float(value.item() if hasattr(value, "item") else value)
            number = float(np.float32(min(max(number, -3.4028234e38), 3.4028234e38))) if np.isfinite(number) else number
        except (TypeError, ValueError) as error:
            raise TypeError(f"add_scalar(): value of {tag!r} must be one number, got {value!r}") from error
        self._add(_Value(tag, simple_value=number), step, walltime)

    def add_image(self, tag, img, step, walltime=None, dataformats="HWC"):
        """Record a picture: uint8 0..255 or floats 0..1, one, three or four channels.

        Args:
            img: array or Tensor.
            dataformats: meaning of its axes: ``"HWC"``, ``"CHW"`` or ``"HW"``.
        """
        pixels = _pixels(img, dataformats)
        height, width, channels = pixels.shape
        self._add(_Value(tag, image=_Image(height, width, channels, _png(pixels))), step, walltime)

    def add_histogram(self, tag, values, step, walltime=None, buckets=10):
        """Record the distribution of an array's or Tensor's values in `buckets` equal parts."""
        values = np.asarray(values, dtype=np.float64).reshape(-1)
        if not values.size or not np.isfinite(values).all():
            raise ValueError(f"add_histogram(): values of {tag!r} must be finite and at least one")
        if buckets < 1:
            raise ValueError(f"add_histogram(): buckets must be at least 1, got {buckets}")
        counts, edges = np.histogram(values, bins=buckets)
        histogram = _Histogram(float(values.min()), float(values.max()), float(values.size), float(values.sum()),
                               float((values * values).sum()), [float(edges[0]), *map(float, edges[1:])],
                               [0.0, *map(float, counts)])
        self._add(_Value(tag, histo=histogram), step, walltime)

    def add_text(self, tag, text_string, step, walltime=None):
        """Record a text; TensorBoard shows it as Markdown."""
        tensor = _Tensor(7, _Shape([_Size(1)]), [str(text_string).encode("utf-8", "replace")])
        # The text plugin finds its entries by this mark and by the ending of the tag.
        self._add(_Value(f"{tag}/text_summary", tensor=tensor, metadata=_Metadata(_PluginData("text"))), step, walltime)

    def flush(self):
        """Bring the file up to date."""
        with self._lock:
            if not self._file.closed:
                self._file.flush()
                self._flushed = time.time()

    def close(self):
        """Finish the file; further events are refused."""
        with self._lock:
            self._file.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _add(self, value, step, walltime):
        if not isinstance(value.tag, str) or not value.tag:
            raise TypeError(f"tag must be a text, got {value.tag!r}")
        self._write(Event(time.time() if walltime is None else float(walltime), int(step), summary=_Summary([value])))
        if time.time() - self._flushed > self._flush_secs:
            self.flush()

    def _write(self, event):
        data = wire.encode(event)
        head = struct.pack("<Q", len(data))
        record = head + struct.pack("<I", masked_crc(head)) + data + struct.pack("<I", masked_crc(data))
        with self._lock:
            if self._file.closed:
                raise ValueError(f"the event file {self.file_name} is closed")
            self._file.write(record)


def _make_table():
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
        table.append(byte)
    return table


_TABLE = _make_table()


def crc32c(data):
    """The Castagnoli checksum of bytes."""
    crc, table = 0xFFFFFFFF, _TABLE
    for byte in data:
        crc = table[(crc ^ byte) & 0xFF] ^ crc >> 8
    return crc ^ 0xFFFFFFFF


def masked_crc(data):
    """The checksum as records store it: rotated and shifted, so that a checksum of checksums stays sound."""
    crc = crc32c(data)
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def _pixels(img, dataformats):
    pixels = np.asarray(img)
    if dataformats not in ("HWC", "CHW", "HW"):
        raise ValueError(f"add_image(): dataformats must be HWC, CHW or HW, got {dataformats!r}")
    if pixels.ndim != len(dataformats):
        raise ValueError(f"add_image(): img has {pixels.ndim} axes, {dataformats!r} means {len(dataformats)}")
    if dataformats == "CHW":
        pixels = pixels.transpose(1, 2, 0)
    elif dataformats == "HW":
        pixels = pixels[:, :, None]
    if pixels.shape[2] not in (1, 3, 4) or 0 in pixels.shape:
        raise ValueError(f"add_image(): img must have 1, 3 or 4 channels and some pixels, got {dataformats} "
                         f"{list(np.shape(img))}")
    if pixels.dtype != np.uint8:
        if pixels.dtype.kind not in "fb":
            raise TypeError(f"add_image(): img must be uint8 or floating point, got {pixels.dtype}")
        pixels = (np.clip(np.nan_to_num(pixels.astype(np.float64)), 0, 1) * 255 + 0.5).astype(np.uint8)
    return np.ascontiguousarray(pixels)


def _png(pixels):
    height, width, channels = pixels.shape
    header = struct.pack(">IIBBBBB", width, height, 8, {1: 0, 3: 2, 4: 6}[channels], 0, 0, 0)
    rows = np.zeros((height, 1 + width * channels), np.uint8)  # every row starts with filter 0: none
    rows[:, 1:] = pixels.reshape(height, -1)
    chunks = [(b"IHDR", header), (b"IDAT", zlib.compress(rows.tobytes())), (b"IEND", b"")]
    parts = [struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
             for kind, data in chunks]
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)
