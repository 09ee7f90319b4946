"""The arithmetic of shapes beside what NumPy does with arrays of these shapes."""

import numpy as np
import pytest

from paddle.core import sizes

DRAW = np.random.default_rng(7)


def shapes(count, axes=4, most=4):
    return [DRAW.integers(1, most, DRAW.integers(0, axes + 1)).tolist() for _ in range(count)]


def shape_or_none(function, *arguments):
    try:
        return list(function(*arguments))
    except (ValueError, IndexError):
        return None


def repeated(a, b):
    return np.broadcast_to(np.zeros(a), b).shape


def together(a, b):
    return np.concatenate([np.zeros(a), np.zeros(b)], 0).shape


def multiplied(a, b):
    return (np.zeros(a) @ np.zeros(b)).shape


def test_broadcast():
    for a, b in zip(shapes(200), shapes(200)):
        assert shape_or_none(sizes.broadcast, a, b, "add") == shape_or_none(np.broadcast_shapes, a, b)
    assert sizes.broadcast([-1, 1], [3, -1], "add") == [3, -1]


def test_matched():
    x = np.zeros((2, 3, 4, 5))
    for shape, axis in [([3, 4], 1), ([2], 0), ([3, 1, 1], 1), ([5], -1), ([2, 3, 4, 5], 0)]:
        y = sizes.matched(shape, 4, axis)
        assert np.broadcast_shapes(x.shape, y) == x.shape
        assert [n for n in y if n > 1] == [n for n in shape if n > 1]


def test_reduced_squeezed_transposed():
    for shape in shapes(60):
        axes = sorted({int(a) for a in DRAW.integers(0, max(1, len(shape)), 2)} if shape else set())
        x = np.zeros(shape)
        for keep in (False, True):
            assert sizes.reduced(shape, axes, keep) == list(x.sum(tuple(axes), keepdims=keep).shape)
        assert sizes.squeezed(shape, [], True) == list(x.squeeze().shape)
        order = DRAW.permutation(len(shape)).tolist()
        assert sizes.transposed(shape, order) == list(x.transpose(order).shape)
    assert sizes.squeezed([2, 1, 1, -1], [0, 1, 3], False) == [2, 1]


@pytest.mark.parametrize("shape, given", [((2, 3, 4), (6, -1)), ((2, 3), (3, 2)), ((0, 3), (0, 5)), ((), (1, 1)), ((2, 3), (4, -1)),
                                          ((2, 3), (-1, -1)), ((4,), (2, 2, -1))])
def test_reshaped(shape, given):
    expected = shape_or_none(lambda: np.zeros(shape).reshape(given).shape)
    assert shape_or_none(sizes.reshaped, list(shape), list(given)) == expected


def test_zeros_keep_sizes_in_reshape():
    assert sizes.reshaped([2, 3, 4], [0, -1]) == [2, 12]
    assert sizes.flattened([2, 3, 4, 5], 1, 2) == [2, 12, 5]
    assert sizes.flattened([], 0, 0) == [1]
    assert sizes.as_matrix([2, -1, 4], 1) == [2, -1]
    with pytest.raises(ValueError, match="negative size -2"):
        sizes.reshaped([2, 3], [-2, 3])


def test_expanded_and_tiled():
    for a, b in zip(shapes(200, 3, 3), shapes(200, 3, 3)):
        assert shape_or_none(sizes.expanded, a, b, "expand") == shape_or_none(repeated, a, b)
        assert sizes.tiled(a, b) == list(np.tile(np.zeros(a), b).shape)
    assert sizes.expanded([1, 3], [2, -1, 3], "expand") == [2, 1, 3]


def test_joined_and_new_axes():
    for a, b in zip(shapes(200, 2, 3), shapes(200, 2, 3)):
        if a and b:
            assert shape_or_none(sizes.joined, a, b, 0) == shape_or_none(together, a, b)
        assert sizes.with_axis(a, len(a), 5) == [*a, 5]
    assert sizes.with_axis([2, 3], 1, 1) == [2, 1, 3]
    assert sizes.with_size([2, 3], 1, 7) == [2, 7]


def test_slices():
    for size in (0, 1, 5):
        for start in range(-7, 8):
            for end in range(-7, 8):
                for step in (-3, -1, 1, 2):
                    last = None if step < 0 and end == -1 else end
                    taken = list(range(size))[slice(start, last, step)]
                    assert sizes.slice_length(size, start, end, step) == len(taken)
                    if taken:
                        assert sizes.slice_begin(size, start, step) == taken[0]


def test_products():
    for a, b in zip(shapes(400, 4, 3), shapes(400, 4, 3)):
        if a and b:
            assert shape_or_none(sizes.multiplied, a, b, False, False, "matmul") == shape_or_none(multiplied, a, b)
    assert sizes.multiplied([5, 2, 3], [4, 3], False, True, "matmul") == [5, 2, 4]
    assert sizes.multiplied([3, 2], [3], True, False, "matmul") == [2]
    assert sizes.flat_product([2, 3, 4], [12, 5], 1, 1) == [2, 5]


def test_windows():
    for size in range(1, 9):
        for kernel in (1, 2, 3):
            for stride in (1, 2):
                for dilation in (1, 2):
                    reach = dilation * (kernel - 1) + 1
                    starts = range(0, size + 2 - reach + 1, stride)
                    if size + 2 >= reach:
                        assert sizes.window_count(size, kernel, stride, 1, 1, dilation) == len(starts)
                back = sizes.transposed_count(size, kernel, stride, 0, 0, 1, 0)
                assert sizes.window_count(back, kernel, stride, 0, 0, 1) == size
                padding = sizes.same_padding(size, kernel, stride)
                assert sizes.window_count(size, kernel, stride, padding, 0, 1) >= -(-size // stride)
    assert sizes.pool_count(6, 3, 2, 0, 0, True) == 3


def test_windows_larger_than_what_there_is():
    assert [sizes.pool_count(6, kernel, 7, 0, 0, False) for kernel in (6, 7, 12, 13, 20)] == [1, 1, 1, 0, 0]
    assert [sizes.pool_count(6, kernel, 7, 0, 0, True) for kernel in (6, 7, 12, 13, 18, 19)] == [1, 1, 1, 1, 1, 0]
    assert sizes.pool_count(6, 7, 1, 0, 0, False) == 0 and sizes.pool_count(5, 7, 2, 1, 1, False) == 1


def test_picked():
    x = np.zeros((3, 4, 5))
    for index in ([2], [2, 6], []):
        assert sizes.picked([3, 4, 5], index, 1) == list(np.take(x, np.zeros(index, int), 1).shape)
    assert sizes.picked_nd([3, 4, 5], [7, 2]) == [7, 5]
    with pytest.raises(ValueError, match="gather_nd"):
        sizes.picked_nd([3], [7, 2])
