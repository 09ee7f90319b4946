"""Resizing and warping images held as arrays [height, width] or [height, width, channels].

The sampling positions, the 1/2048 and 1/32 steps of the weights for 8-bit images and the rounding are those of
OpenCV, so that images prepared with it look the same.
"""

import functools

import numpy as np

from ...core.context import process

CUBIC_A = -0.75
_RESIZE_ONE = 1 << 11    # what a weight of 1 is when 8-bit pictures are resized
_STEPS = 32              # warps sample at multiples of 1/32 pixel
_WARP_ONE = 1 << 15


def resize(image, height, width, interpolation):
    """An array image in another size: 'nearest', 'bilinear', 'area', 'bicubic' or 'lanczos'."""
    if interpolation == "nearest":
        rows, columns = (np.minimum((np.arange(new) * _scale(old, new)).astype(int), old - 1)
                         for old, new in zip(image.shape, (height, width)))
        return np.ascontiguousarray(image[rows[:, None], columns])
    shrinks = image.shape[0] >= height and image.shape[1] >= width
    halves = image.shape[0] == 2 * height and image.shape[1] == 2 * width
    if (interpolation == "area" and shrinks) or (interpolation == "bilinear" and halves):
        weighted = _weighted_sum(_weighted_sum(image.astype("float32"), 1, *_area(image.shape[1], width)),
                                 0, *_area(image.shape[0], height))
        if halves and image.dtype == np.uint8:
            weighted = np.floor(weighted + 0.5)  # this one case rounds halves up
        return _cast(weighted, image.dtype)
    whole = image.dtype == np.uint8
    if whole and interpolation == "bilinear" and process.native is not None:
        resized = process.native.resize_picture(image.reshape(*image.shape[:2], -1), height, width, "linear")
        if resized is not NotImplemented:
            return resized.reshape(height, width, *image.shape[2:])
    across, down = _taps(interpolation, image.shape[1], width, whole), _taps(interpolation, image.shape[0], height, whole)
    if not whole:
        return _cast(_weighted_sum(_weighted_sum(image, 1, *across), 0, *down), image.dtype)
    rows = _weighted_sum(image, 1, *across)  # int32, as the weights
    if interpolation in ("bilinear", "area"):  # two taps: OpenCV drops bits on the way
        index, weights = down
        weights = _along(weights, 0, rows.ndim)
        parts = [(weights[:, k] * (rows[index[:, k]] >> 4)) >> 16 for k in range(2)]
        return ((parts[0] + parts[1] + 2) >> 2).astype("uint8")
    return _cast(_weighted_sum(rows.astype("int64"), 0, *down) / float(_RESIZE_ONE ** 2), image.dtype)


def _scale(old, new):
    return 1.0 / (new / old)  # as OpenCV computes it: the last bit decides which pixel is nearest


def _along(weights, axis, ndim):
    """Weights [n, taps] in a shape that multiplies along an axis of an array, for each tap: [:, k]."""
    return weights.reshape(weights.shape[0], weights.shape[1], *[1] * (ndim - 1 - axis))


def _weighted_sum(array, axis, index, weights):
    """Σ_k weights[:, k] * array[index[:, k]] along an axis."""
    weights = _along(weights, axis, array.ndim)
    total = 0
    for k in range(index.shape[1]):
        total = total + np.take(array, index[:, k], axis) * weights[:, k]
    return total


def _cast(values, dtype):
    """Round to the nearest value of the type, halves to even."""
    if np.dtype(dtype).kind in "iu":
        limits = np.iinfo(dtype)
        values = np.clip(np.rint(values), limits.min, limits.max)
    return values.astype(dtype)


def _centres(old, new):
    """Where the centres of new pixels lie among old ones: whole part and fraction."""
    position = ((np.arange(new) + 0.5) * _scale(old, new) - 0.5).astype("float32")
    whole = np.floor(position)
    return whole.astype(int), position - whole


def _linear(old, new):
    whole, fraction = _centres(old, new)
    fraction = np.where((whole < 0) | (whole >= old - 1), np.float32(0), fraction)
    whole = whole.clip(0, old - 1)
    index = np.stack([whole, np.minimum(whole + 1, old - 1)], 1)
    return index, np.stack([1 - fraction, fraction], 1)


@functools.lru_cache(maxsize=64)  # the pictures of a dataset often have few sizes
def _taps(interpolation, old, new, whole):
    """(index, weights) [new, taps] of the pixels that are added up; weights in whole numbers of 1 / _RESIZE_ONE if ``whole``."""
    kinds = {"bilinear": _linear, "area": _stretched_area, "bicubic": _cubic, "lanczos": _lanczos}
    index, weights = kinds[interpolation](old, new)
    return index, np.rint(weights * _RESIZE_ONE).astype("int32") if whole else weights


def _stretched_area(old, new):
    """What OpenCV's INTER_AREA does when an image grows: linear, but flat within an old pixel."""
    scale = _scale(old, new)
    whole = np.floor(np.arange(new) * scale).astype(int)
    fraction = (np.arange(1, new + 1) - (whole + 1) / scale).astype("float32")
    fraction = np.where(fraction <= 0, np.float32(0), fraction - np.floor(fraction))
    fraction = np.where(whole >= old - 1, np.float32(0), fraction)
    whole = np.minimum(whole, old - 1)
    index = np.stack([whole, np.minimum(whole + 1, old - 1)], 1)
    return index, np.stack([1 - fraction, fraction], 1)


def _area(old, new):
    """Each new pixel is the mean of the old ones it covers, those at its ends counted by their part."""
    scale = _scale(old, new)
    starts, ends = np.arange(new) * scale, np.arange(1, new + 1) * scale
    taps = int(np.ceil(scale)) + 1
    index = np.floor(starts + 1e-9).astype(int)[:, None] + np.arange(taps)
    covered = np.minimum(index + 1, ends[:, None]) - np.maximum(index, starts[:, None])
    weights = np.where(covered > 1e-3, covered, 0) / np.minimum(scale, old - starts)[:, None]
    return index.clip(0, old - 1), weights.astype("float32")


def _cubic(old, new):
    whole, fraction = _centres(old, new)
    return (whole[:, None] + np.arange(-1, 3)).clip(0, old - 1), cubic_weights(fraction)


def _lanczos(old, new):
    whole, fraction = _centres(old, new)
    return (whole[:, None] + np.arange(-3, 5)).clip(0, old - 1), lanczos_weights(fraction)


def cubic_weights(fraction):
    """Weights of the pixels at -1, 0, 1, 2 for positions between 0 and 1."""
    x = np.float32(fraction)
    near, far = 1 - x, x + 1
    weights = [((CUBIC_A * far - 5 * CUBIC_A) * far + 8 * CUBIC_A) * far - 4 * CUBIC_A,
               ((CUBIC_A + 2) * x - (CUBIC_A + 3)) * x * x + 1,
               ((CUBIC_A + 2) * near - (CUBIC_A + 3)) * near * near + 1]
    return np.stack([*weights, 1 - weights[0] - weights[1] - weights[2]], -1).astype("float32")


def lanczos_weights(fraction):
    """Weights of the pixels at -3 … 4 for positions between 0 and 1."""
    distance = np.asarray(fraction, "float64")[..., None] - np.arange(-3, 5)
    weights = np.sinc(distance) * np.sinc(distance / 4)
    return (weights / weights.sum(-1, keepdims=True)).astype("float32")


# ---- warps ----
def rotation_matrix(center, angle, scale):
    """The 2x3 matrix that turns by degrees (counter-clockwise) about a point and scales."""
    x, y = np.float32(center[0]), np.float32(center[1])
    a, b = scale * np.cos(np.radians(angle)), scale * np.sin(np.radians(angle))
    return np.array([[a, b, (1 - a) * x - b * y], [-b, a, b * x + (1 - a) * y]], "float64")


def perspective_matrix(startpoints, endpoints):
    """The 3x3 matrix that takes four points to four points."""
    rows = []
    for (x, y), (u, v) in zip(np.asarray(startpoints, "float64"), np.asarray(endpoints, "float64")):
        rows += [[x, y, 1, 0, 0, 0, -x * u, -y * u], [0, 0, 0, x, y, 1, -x * v, -y * v]]
    rows, wanted = np.array(rows), np.asarray(endpoints, "float64").reshape(8)
    found = np.linalg.lstsq(rows, wanted, rcond=None)[0]
    rest = wanted - (rows.astype(np.longdouble) @ found.astype(np.longdouble))  # last bits, which libraries leave differently
    found = found + np.linalg.lstsq(rows, rest.astype(np.float64), rcond=None)[0]
    return np.append(found, 1.0).reshape(3, 3)


def warp_affine(image, matrix, size, interpolation, fill):
    """The image moved by a 2x3 matrix, in a frame of (width, height)."""
    inverse = np.linalg.inv(np.vstack([matrix, [0, 0, 1]]))
    x, y = np.arange(size[0]), np.arange(size[1])[:, None]
    nearest = interpolation == "nearest"
    delta = 512 if nearest else 16
    shift = 10 if nearest else 5

    def steps(row):  # OpenCV adds two numbers rounded to 1/1024 pixel
        down = np.rint((row[1] * y + row[2]) * 1024).astype("int64") + delta
        return (down + np.rint(row[0] * x * 1024).astype("int64")) >> shift

    return _sampled(image, steps(inverse[0]), steps(inverse[1]), interpolation, fill)


def warp_perspective(image, matrix, size, interpolation, fill):
    """The image moved by a 3x3 matrix, in a frame of (width, height)."""
    inverse = np.linalg.inv(matrix)
    x, y = np.arange(size[0]), np.arange(size[1])[:, None]
    depth = inverse[2, 0] * x + inverse[2, 1] * y + inverse[2, 2]
    unit = 1 if interpolation == "nearest" else _STEPS
    scale = np.divide(unit, depth, out=np.zeros_like(depth), where=depth != 0)

    def steps(row):
        return np.rint(((row[0] * x + row[1] * y + row[2]) * scale).clip(-2 ** 31, 2 ** 31 - 1)).astype("int64")

    return _sampled(image, steps(inverse[0]), steps(inverse[1]), interpolation, fill)


_WARP_TAPS = {
    "bilinear": (0, lambda fraction: np.stack([1 - fraction, fraction], -1)),
    "area": (0, lambda fraction: np.stack([1 - fraction, fraction], -1)),
    "bicubic": (-1, cubic_weights),
    "lanczos": (-3, lanczos_weights),
}


def _sampled(image, x, y, interpolation, fill):
    """Pixels at positions given in whole pixels ('nearest') or in 1/32 pixel; ``fill`` stands for what is outside."""
    flat = image.reshape(*image.shape[:2], -1)
    height, width, channels = flat.shape
    first, table = 0, np.ones((1, 1), "float32")
    fraction_x = fraction_y = np.zeros((1, 1), int)
    if interpolation != "nearest":
        first, weights_of = _WARP_TAPS[interpolation]
        table = weights_of(np.arange(_STEPS, dtype="float32") / _STEPS)
        fraction_x, fraction_y = x % _STEPS, y % _STEPS
        x, y = x // _STEPS + first, y // _STEPS + first
    taps = table.shape[1]

    bordered = np.empty((height + 2 * taps, width + 2 * taps, channels), image.dtype)
    bordered[:] = _cast(np.append(np.asarray(fill, "float64"), np.zeros(channels))[:channels], image.dtype)
    bordered[taps:-taps, taps:-taps] = flat
    pixels = bordered.reshape(-1, channels)
    start = (y.clip(-taps, height) + taps) * bordered.shape[1] + x.clip(-taps, width) + taps
    if taps == 1:
        return pixels[start].reshape(*x.shape, *image.shape[2:])

    eight_bit = image.dtype == np.uint8
    total = 0
    for j in range(taps):
        for i in range(taps):
            weight = np.outer(table[:, j], table[:, i])  # of every pair of fractions
            if eight_bit:
                weight = np.rint(weight * _WARP_ONE).astype("int32")
            weight = weight[fraction_y, fraction_x][..., None]
            total = total + weight * pixels[start + (j * bordered.shape[1] + i)]
    if eight_bit:
        total = ((total + _WARP_ONE // 2) >> 15).clip(0, 255)
    return _cast(total, image.dtype).reshape(*x.shape, *image.shape[2:])
