"""Event files, read by a small decoder of their own and, where it is installed, by TensorBoard."""

import io
import struct

import numpy as np
import pytest

from paddle.utils.tensorboard import EventWriter, crc32c, masked_crc


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        shift += 7
        at += 1
        if data[at - 1] < 0x80:
            return value, at


def fields(data):
    """Protocol-buffer fields as {number: [raw values]}, written without the library under test."""
    found, at = {}, 0
    while at < len(data):
        tag, at = varint(data, at)
        if tag & 7 == 0:
            value, at = varint(data, at)
        elif tag & 7 == 2:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
        else:
            size = {1: 8, 5: 4}[tag & 7]
            value, at = struct.unpack("<d" if size == 8 else "<f", data[at:at + size])[0], at + size
        found.setdefault(tag >> 3, []).append(value)
    return found


def events(path):
    with open(path, "rb") as file:
        data = file.read()
    at = 0
    while at < len(data):
        (size,) = struct.unpack_from("<Q", data, at)
        body = data[at + 12:at + 12 + size]
        assert struct.unpack_from("<I", data, at + 8)[0] == masked_crc(data[at:at + 8])
        assert struct.unpack_from("<I", data, at + 12 + size)[0] == masked_crc(body)
        yield fields(body)
        at += 16 + size


def only_value(event):
    (summary,) = event[5]
    (value,) = fields(summary)[1]
    return fields(value)


def test_checksum_samples():
    # From the appendix of RFC 3720.
    assert crc32c(b"\0" * 32) == 0x8A9136AA
    assert crc32c(b"\xff" * 32) == 0x62A8AB43
    assert crc32c(bytes(range(32))) == 0x46DD794E
    assert crc32c(b"123456789") == 0xE3069283
    # The head of a 24-byte record, with which event files of TensorFlow begin.
    assert masked_crc(b"\x18" + b"\0" * 7) == int.from_bytes(b"\xa3\x7fK\"", "little")


def test_scalars(tmp_path):
    with EventWriter(tmp_path / "run") as writer:
        writer.add_scalar("loss", 0.5, 0, walltime=10.5)
        writer.add_scalar("acc/top 1", np.array([0.25]), 2 ** 40)
        writer.add_scalar("nan", float("nan"), -1)
        writer.add_scalar("large", 1e300, 3)
    first, *rest = events(writer.file_name)
    assert first[3] == [b"brain.Event:2"] and "tfevents" in writer.file_name
    assert rest[0][1] == [10.5] and rest[0][2] == [0] and only_value(rest[0]) == {1: [b"loss"], 2: [0.5]}
    assert rest[1][2] == [2 ** 40] and only_value(rest[1]) == {1: [b"acc/top 1"], 2: [0.25]}
    assert rest[2][2] == [2 ** 64 - 1] and np.isnan(only_value(rest[2])[2][0])
    assert only_value(rest[3])[2] == [pytest.approx(3.4028234e38)]
    assert len(rest) == 4


def test_images_are_pngs(tmp_path):
    reader = pytest.importorskip("PIL.Image")
    colours = np.arange(2 * 3 * 4, dtype=np.uint8).reshape(2, 3, 4) * 10
    with EventWriter(tmp_path) as writer:
        writer.add_image("rgba", colours, 1)
        writer.add_image("rgb", colours[:, :, :3].transpose(2, 0, 1), 1, dataformats="CHW")
        writer.add_image("grey", colours[:, :, 0] / 255, 1, dataformats="HW")
    _, rgba, rgb, grey = events(writer.file_name)
    for event, channels in ((rgba, 4), (rgb, 3), (grey, 1)):
        image = fields(only_value(event)[4][0])
        assert (image[1], image[2], image[3]) == ([2], [3], [channels])
        decoded = np.asarray(reader.open(io.BytesIO(image[4][0])))
        np.testing.assert_array_equal(decoded.reshape(2, 3, channels), colours[:, :, :channels])


def test_histogram(tmp_path):
    with EventWriter(tmp_path) as writer:
        writer.add_histogram("weights", [0.0, 1.0, 1.0, 4.0], 5, buckets=4)
    histogram = fields(only_value(list(events(writer.file_name))[1])[5][0])
    assert [histogram[number] for number in (1, 2, 3, 4, 5)] == [[0.0], [4.0], [4.0], [6.0], [18.0]]
    assert struct.unpack("<5d", histogram[6][0]) == (0.0, 1.0, 2.0, 3.0, 4.0)
    assert struct.unpack("<5d", histogram[7][0]) == (0.0, 1.0, 2.0, 0.0, 1.0)


def test_text(tmp_path):
    with EventWriter(tmp_path) as writer:
        writer.add_text("note", "**h\u00e9**", 1)
    value = only_value(list(events(writer.file_name))[1])
    assert value[1] == [b"note/text_summary"]
    assert fields(value[8][0])[8] == ["**h\u00e9**".encode()]
    assert fields(fields(value[9][0])[1][0])[1] == [b"text"]


def test_file_is_readable_while_open_and_writers_stay_apart(tmp_path):
    with EventWriter(tmp_path) as one, EventWriter(tmp_path, filename_suffix=".b", flush_secs=0) as two:
        two.add_scalar("a", 1, 1)
        assert len(list(events(two.file_name))) == 2
        one.add_scalar("a", 1, 1)
        one.flush()
        assert len(list(events(one.file_name))) == 2
        assert one.file_name != two.file_name and two.file_name.endswith(".b")
    with pytest.raises(ValueError, match="is closed"):
        one.add_scalar("a", 1, 1)


def test_wrong_arguments(tmp_path):
    with EventWriter(tmp_path) as writer:
        for value in ("x", None, np.ones(2)):
            with pytest.raises(TypeError, match=r"add_scalar\(\): value of 'a' must be one number"):
                writer.add_scalar("a", value, 1)
        with pytest.raises(TypeError, match="tag must be a text"):
            writer.add_scalar(5, 1.0, 1)
        with pytest.raises(ValueError, match="3 axes, 'HW' means 2"):
            writer.add_image("a", np.ones((2, 2, 3)), 1, dataformats="HW")
        with pytest.raises(ValueError, match="1, 3 or 4 channels"):
            writer.add_image("a", np.ones((2, 2, 2)), 1)
        with pytest.raises(ValueError, match="dataformats must be"):
            writer.add_image("a", np.ones((2, 2, 3)), 1, dataformats="WHC")
        with pytest.raises(TypeError, match="uint8 or floating"):
            writer.add_image("a", np.ones((2, 2, 3), int), 1)
        for values in ([], [float("nan")]):
            with pytest.raises(ValueError, match="finite and at least one"):
                writer.add_histogram("a", values, 1)
    assert len(list(events(writer.file_name))) == 1


def test_tensorboard_reads_it(tmp_path):
    module = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    with EventWriter(tmp_path) as writer:
        for step in range(5):
            writer.add_scalar("loss", step / 2, step)
        writer.add_histogram("h", np.arange(10.0), 1)
        writer.add_image("i", np.zeros((4, 5, 3)), 1)
        writer.add_text("t", "words", 1)
    seen = module.EventAccumulator(str(tmp_path))
    seen.Reload()
    assert [(event.step, event.value) for event in seen.Scalars("loss")] == [(step, step / 2) for step in range(5)]
    assert seen.Histograms("h")[0].histogram_value.num == 10
    assert (seen.Images("i")[0].height, seen.Images("i")[0].width) == (4, 5)
    assert seen.Tensors("t/text_summary")[0].tensor_proto.string_val == [b"words"]
