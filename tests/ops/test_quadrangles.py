"""Slanted quadrangles: a view's corners are theirs, its cells are read where the matrix says, its mask is the inside."""

import numpy as np
import pytest

import paddle
from paddle.ops.detection.warped import roi_perspective_transform

QUADS = np.array([[1.0, 0.5, 5.3, 1.2, 5.9, 4.6, 0.4, 4.1], [2.0, 1.0, 6.0, 1.0, 6.0, 4.0, 2.0, 4.0],
                  [0.5, 2.5, 3.0, 0.2, 5.5, 2.5, 3.0, 4.7], [-2.0, 1.0, 4.0, -1.0, 9.0, 3.0, 1.0, 7.0]])


def inside(x, y, quad):
    """On the same side of all four edges of a convex quadrangle."""
    sides = [(b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]) for a, b in zip(quad, np.roll(quad, -1, 0))]
    return np.all(np.array(sides) > 1e-3, 0), np.any(np.abs(sides) <= 1e-3, 0)


def bilinear(picture, x, y):
    h, w = picture.shape[1:]
    x, y = np.clip(x, 0, w - 1), np.clip(y, 0, h - 1)
    left, top = np.floor(x).astype(int), np.floor(y).astype(int)
    right, bottom = np.minimum(left + 1, w - 1), np.minimum(top + 1, h - 1)
    fx, fy = x - left, y - top
    return ((picture[:, top, left] * (1 - fx) + picture[:, top, right] * fx) * (1 - fy)
            + (picture[:, bottom, left] * (1 - fx) + picture[:, bottom, right] * fx) * fy)


@pytest.mark.parametrize("scale", [1.0, 0.5])
def test_perspective(scale):
    picture, (height, width) = np.random.RandomState(2).rand(1, 2, 6, 7), (4, 5)
    views, masks, matrices = roi_perspective_transform(
        paddle.to_tensor(picture), paddle.to_tensor(QUADS / scale), [paddle.to_tensor([0, len(QUADS)])],
        transformed_height=height, transformed_width=width, spatial_scale=scale)
    for view, mask, nine, flat in zip(views.numpy(), masks.numpy(), matrices.numpy(), QUADS):
        quad, matrix = flat.reshape(4, 2), nine.reshape(3, 3)
        sides = np.hypot(*(quad - np.roll(quad, -1, 0)).T)
        wide = int(np.floor((sides[0] + sides[2]) * (height - 1) / (sides[1] + sides[3]) + 0.5)) + 1
        right, down = max(2, min(wide, width)) - 1, height - 1
        corners = matrix @ np.array([[0, 0, 1], [right, 0, 1], [right, down, 1], [0, down, 1]]).T
        np.testing.assert_allclose((corners[:2] / corners[2]).T, quad, atol=1e-3)
        row, column = np.indices((height, width))
        u, v, w = np.einsum("ij,jhw->ihw", matrix, np.stack([column, row, np.ones_like(row)]))
        x, y = u / w, v / w
        within, edge = inside(x, y, quad)
        seen = (x > -0.5) & (x < picture.shape[3] - 0.5) & (y > -0.5) & (y < picture.shape[2] - 0.5)
        np.testing.assert_array_equal(mask[0].astype(bool) | edge, (within & seen) | edge)
        np.testing.assert_allclose(view, bilinear(picture[0], x, y) * mask, atol=1e-6)
    assert masks.numpy().any() and not masks.numpy().all()
    assert masks.numpy()[1, 0, 0].all() and masks.numpy()[1, 0, -1].all()  # the outline belongs to it: level edges of the second


def test_no_quadrangles():
    views, masks, matrices = roi_perspective_transform(paddle.ones([1, 2, 4, 4]), paddle.zeros([0, 8]), [paddle.to_tensor([0, 0])],
                                                       transformed_height=2, transformed_width=3)
    assert (views.shape, masks.shape, matrices.shape) == ([0, 2, 2, 3], [0, 1, 2, 3], [0, 9])
