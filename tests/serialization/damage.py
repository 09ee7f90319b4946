"""Damage to the bytes of a file, by a generator of random numbers; imports nothing, so that any Python can do the same."""

SPECIAL = [0x00, 0x01, 0x7F, 0x80, 0xFF]


def mutate(data, rng):
    """A copy with a few bytes changed, left out, put in or repeated, sometimes cut short."""
    data = bytearray(data)
    for _ in range(rng.choice([1, 1, 2, 4, 16])):
        at = rng.randrange(len(data))
        kind = rng.randrange(6)
        if kind == 0:
            data[at] = rng.randrange(256)
        elif kind == 1:
            data[at] = rng.choice(SPECIAL)
        elif kind == 2:
            del data[at:at + rng.randrange(1, 9)]
        elif kind == 3:
            data[at:at] = rng.randbytes(rng.randrange(1, 9))
        elif kind == 4:
            data[at:at + 8] = rng.choice([b"\xff" * 8, b"\x7f" * 4, (1 << 40).to_bytes(8, "little")])
        else:
            other = rng.randrange(len(data))
            data[at:at] = data[other:other + rng.randrange(1, 60)]
        if not data:
            return b""
    return bytes(data[:rng.randrange(len(data) + 1)] if rng.random() < 0.1 else data)
