"""The group "moving" of single_ops.py: operators that index, move, scan and search, at the sizes of usual networks' layers."""

MATRIX = {"x": (256, 1024)}
ROWS = {"x": (3000, 64), "i": ("int", (15000,), 3000)}
MASKED = {"x": (256, 1024), "m": ("bool", (256, 1024), 2)}
IMAGES = {"x": (16, 32, 32, 32)}
ALONG = {"x": (256, 1024), "i": ("int", (256, 512), 1024), "v": (256, 512)}


def _padded(mode):
    return (IMAGES, lambda p, x: p.nn.functional.pad(x, [2, 2, 2, 2], mode=mode),
            lambda t, x: t.nn.functional.pad(x, [2, 2, 2, 2], mode=mode))


def _symmetric(module, x):
    return x @ x.mT + 10 * module.eye(64)


# name: (operands, ours, PyTorch's), as in single_ops.py
MOVING = {
    "x[rows]": (ROWS, lambda p, x, i: x[i], lambda t, x, i: x[i]),
    "x[i, j]": ({**MATRIX, "i": ("int", (20000,), 256), "j": ("int", (20000,), 1024)}, lambda p, x, i, j: x[i, j],
                lambda t, x, i, j: x[i, j]),
    "x[mask]": (MASKED, lambda p, x, m: x[m], lambda t, x, m: x[m]),
    "masked_select": (MASKED, lambda p, x, m: p.masked_select(x, m), lambda t, x, m: t.masked_select(x, m)),
    "index_add": ({**ROWS, "v": (15000, 64)}, lambda p, x, i, v: p.index_add(x, i, 0, v), lambda t, x, i, v: x.index_add(0, i, v)),
    "put_along_axis": (ALONG, lambda p, x, i, v: p.put_along_axis(x, i, v, 1), lambda t, x, i, v: x.scatter(1, i, v)),
    "put_along_axis, added": (ALONG, lambda p, x, i, v: p.put_along_axis(x, i, v, 1, "add"),
                              lambda t, x, i, v: x.scatter_add(1, i, v)),
    "pad, constant": _padded("constant"),
    "pad, reflect": _padded("reflect"),
    "pad, replicate": _padded("replicate"),
    "pad, circular": _padded("circular"),
    "grid_sample": ({"x": (4, 16, 32, 32), "g": (4, 32, 32, 2)},
                    lambda p, x, g: p.nn.functional.grid_sample(x, g, align_corners=True),
                    lambda t, x, g: t.nn.functional.grid_sample(x, g, align_corners=True)),
    "flip": (MATRIX, lambda p, x: p.flip(x, [1]), lambda t, x: t.flip(x, [1])),
    "roll": (MATRIX, lambda p, x: p.roll(x, 7, 1), lambda t, x: t.roll(x, 7, 1)),
    "tile": ({"x": (128, 256)}, lambda p, x: p.tile(x, (4, 2)), lambda t, x: t.tile(x, (4, 2))),
    "stack": (MATRIX, lambda p, x: p.stack([x, x, x], 0), lambda t, x: t.stack([x, x, x], 0)),
    "repeat_interleave": ({"x": (128, 512)}, lambda p, x: p.repeat_interleave(x, 4, 0), lambda t, x: t.repeat_interleave(x, 4, 0)),
    "tril": ({"x": (512, 512)}, lambda p, x: p.tril(x), lambda t, x: t.tril(x)),
    "pixel_shuffle": ({"x": (4, 64, 28, 28)}, lambda p, x: p.nn.functional.pixel_shuffle(x, 2),
                      lambda t, x: t.nn.functional.pixel_shuffle(x, 2)),
    "cumprod": (MATRIX, lambda p, x: p.cumprod(x, 1), lambda t, x: t.cumprod(x, 1)),
    "cummax": (MATRIX, lambda p, x: p.cummax(x, 1)[0], lambda t, x: t.cummax(x, 1)[0]),
    "cdist": ({"x": (256, 64), "y": (256, 64)}, lambda p, x, y: p.cdist(x, y), lambda t, x, y: t.cdist(x, y)),
    "unique": ({"i": ("int", (100000,), 5000)}, lambda p, i: p.unique(i), lambda t, i: t.unique(i)),
    "nonzero": ({"m": ("bool", (256, 1024), 2)}, lambda p, m: p.nonzero(m), lambda t, m: t.nonzero(m)),
    "searchsorted": ({"s": (1000,), "v": (100000,)}, lambda p, s, v: p.searchsorted(s, v), lambda t, s, v: t.searchsorted(s, v)),
    "bincount": ({"i": ("int", (100000,), 1000)}, lambda p, i: p.bincount(i), lambda t, i: t.bincount(i)),
    "kron": ({"x": (16, 16), "y": (32, 32)}, lambda p, x, y: p.kron(x, y), lambda t, x, y: t.kron(x, y)),
    "einsum of three": ({"x": (32, 64), "y": (32, 64), "z": (32, 64)}, lambda p, x, y, z: p.einsum("ij,kj,lj->ikl", x, y, z),
                        lambda t, x, y, z: t.einsum("ij,kj,lj->ikl", x, y, z)),
    "det": ({"x": (8, 64, 64)}, lambda p, x: p.linalg.det(_symmetric(p, x)), lambda t, x: t.linalg.det(_symmetric(t, x))),
    "fft": ({"x": (64, 1024)}, lambda p, x: p.abs(p.fft.fft(x)), lambda t, x: t.abs(t.fft.fft(x))),
}
NOT_DIFFERENTIABLE = {"unique", "nonzero", "searchsorted", "bincount"}
