"""Files of parameters in every form that Paddle's may have, cut off at every byte, and with fields that cannot be."""

import struct

import numpy as np
import pytest
from capi.library import Failed, Model
from capi.test_attributes import attribute, field, number, operator, variable

from paddle.serialization.program_desc import AttrType

FORM, DATA = field(1, 5) + field(2, 2), struct.pack("<2f", 1.5, -2)  # two numbers of float32


def record(form=FORM, data=DATA, levels=(), version=0):
    lod = b"".join(struct.pack("<Q", len(level)) + level for level in levels)
    return struct.pack("<IQ", version, len(levels)) + lod + struct.pack("<II", 0, len(form)) + form + data


def load(parameters):
    """A model that gives its one parameter, w."""
    inner = variable("w", 7, [2])[2:]
    blocks = field(1, 0) + field(2, -1) + field(3, inner + field(3, 1)) + variable("y", 7, [2]) + variable("fetch", 10)
    blocks += operator("scale", {"X": "w"}, {"Out": "y"}, attribute("scale", AttrType.FLOAT, (4, 1.0)))
    blocks += operator("fetch", {"X": "y"}, {"Out": "fetch"}, attribute("col", AttrType.INT, (3, 0)))
    return Model(field(1, blocks), parameters)


@pytest.mark.parametrize("file, wanted", [
    (record(), [1.5, -2]),
    (record(field(1, 5) + field(2, number(2) + number(1))), [[1.5], [-2]]),  # packed
    (record(levels=[struct.pack("<2Q", 0, 2)]), [1.5, -2]),
    (record(field(1, 3) + field(2, 2) + field(7, 1), struct.pack("<2q", 7, -8)), [7, -8]),
])
def test_forms(file, wanted):
    np.testing.assert_array_equal(load(file)()[0], wanted)


def test_cut_off():
    file = record(levels=[struct.pack("<2Q", 0, 2)])
    for size in range(len(file)):
        with pytest.raises(Failed, match="parameters|cut off|ends within|w"):
            load(file[:size])


@pytest.mark.parametrize("file, message", [
    (record(version=3), "unknown version 3"), (record(field(1, 77) + field(2, 2)), "type number 77"),
    (record(field(1, 5) + field(2, 1) * 40), "more than"), (record(field(2, 2)), "no element type"),
    (record(field(1, 5) + field(2, b"\x80")), "a number has no end"), (record(field(1, 5) + b"\x80"), "a number has no end"),
    (record(field(1, 5) + field(2, -1)), "."), (record(field(1, 5) + field(2, 1 << 40) + field(2, 1 << 40)), "."),
    (struct.pack("<IQQ", 0, 1, 1 << 60), "cut off"), (record() + b"more", "."),
])
def test_refused(file, message):
    with pytest.raises(Failed, match=message):
        load(file)()
