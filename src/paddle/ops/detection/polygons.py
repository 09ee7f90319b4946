"""Polygons: the area that two have in common, which cells of a grid one covers, and masks as targets of training."""

import numpy as np

from ...core.op import op
from ..sequence import packed_rows
from .regions import overlaps

_FINE = 5  # outlines are followed on a grid this much finer than the mask's


def _edges(points):
    return np.concatenate([points, np.roll(points, -1, 0)], 1)  # [x1, y1, x2, y2]


def _crossings(first, second):
    """The heights at which edges of two outlines cross."""
    p, q = first[:, None], second[None]
    d1, d2 = p[..., 2:] - p[..., :2], q[..., 2:] - q[..., :2]
    turn = d1[..., 0] * d2[..., 1] - d1[..., 1] * d2[..., 0]
    gap = q[..., :2] - p[..., :2]
    safe = np.where(turn == 0, 1, turn)
    t = (gap[..., 0] * d2[..., 1] - gap[..., 1] * d2[..., 0]) / safe
    u = (gap[..., 0] * d1[..., 1] - gap[..., 1] * d1[..., 0]) / safe
    meet = (turn != 0) & (t >= 0) & (t <= 1) & (u >= 0) & (u <= 1)
    return (p[..., 1] + t * d1[..., 1])[meet]


def _inside(edges, height):
    """Where a horizontal line is inside an outline: the ends of its pieces, in order."""
    low, high = np.minimum(edges[:, 1], edges[:, 3]), np.maximum(edges[:, 1], edges[:, 3])
    x1, y1, x2, y2 = edges[(low < height) & (height < high)].T
    return np.sort(x1 + (height - y1) / (y2 - y1) * (x2 - x1))


def _common(a, b):
    """The length that pieces of a line have in common, given by their ends."""
    starts = np.maximum(a[0::2, None], b[None, 0::2])
    return np.maximum(np.minimum(a[1::2, None], b[None, 1::2]) - starts, 0).sum()


def common_area(first, second):
    """The area that two polygons [points, 2] have in common.

    Between neighbouring heights of corners and crossings all pieces change linearly, so the middle gives the mean.
    """
    edges = [_edges(points.astype(np.float64)) for points in (first, second)]
    heights = [edges[0][:, 1], edges[1][:, 1], _crossings(*edges), _crossings(edges[0], edges[0]), _crossings(edges[1], edges[1])]
    levels = np.unique(np.concatenate(heights))
    return sum((high - low) * _common(*(_inside(e, (low + high) / 2) for e in edges)) for low, high in zip(levels, levels[1:]))


def _area(points):
    x, y = points.astype(np.float64).T
    return abs((x * np.roll(y, -1) - y * np.roll(x, -1)).sum()) / 2


def overlap_of(first, second):
    """Intersection over union of polygons given as rows x1 y1 x2 y2 ...; 0 where one has no area."""
    polygons = first.reshape(-1, 2), second.reshape(-1, 2)
    areas, common = [_area(points) for points in polygons], common_area(*polygons)
    return common / (sum(areas) - common) if all(areas) and common else 0.0


def _line(start, end):
    """The cells of a fine grid on the way from one to another, both included."""
    (dx, dy), steps = np.abs(end - start), int(np.abs(end - start).max())
    if not steps:
        return start[None]
    along, across = (0, 1) if dx >= dy else (1, 0)
    low, high = (start, end) if start[along] <= end[along] else (end, start)
    t = np.arange(steps + 1)
    cells = np.zeros((steps + 1, 2), int)
    cells[:, along] = low[along] + t
    cells[:, across] = (low[across] + (high[across] - low[across]) / steps * t + 0.5).astype(int)
    return cells if low is start else cells[::-1]


def covered(points, size):
    """Which cells of a [size, size] grid a polygon covers: each column changes where the outline passes its middle."""
    fine = (points.astype(np.float64) * _FINE + 0.5).astype(int)
    outline = np.concatenate([_line(a, b) for a, b in zip(fine, np.roll(fine, -1, 0))])
    before, after = outline[:-1], outline[1:]
    column = (np.where(after[:, 0] < before[:, 0], after[:, 0], after[:, 0] - 1) + 0.5) / _FINE - 0.5
    passes = (before[:, 0] != after[:, 0]) & (np.floor(column) == column) & (column >= 0) & (column <= size - 1)
    height = np.clip((np.minimum(before[:, 1], after[:, 1]) + 0.5) / _FINE - 0.5, 0, size)
    place = (column[passes] * size + np.ceil(height[passes])).astype(int)  # in columns one behind the other
    changes = np.bincount(place, minlength=size * size + 1)[:size * size]
    return (np.cumsum(changes) % 2).reshape(size, size).T


def _mask(polygons, box, size):
    """Which cells of a grid over a box any of some polygons covers."""
    extent = np.maximum(box[2:] - box[:2], np.float32(1))
    masks = [covered((points - box[:2]).astype(np.float32) * np.float32(size) / extent, size) for points in polygons]
    return np.max(masks, 0) if masks else np.zeros((size, size), int)


def _around(polygons):
    points = np.concatenate(polygons)
    return np.concatenate([points.min(0), points.max(0)])


def _masks_of(rois, labels, objects, scale, classes, size):
    """(boxes, their places among the proposals, masks) of one picture's foreground proposals."""
    fore = np.flatnonzero(labels > 0)
    if not len(fore) or not objects:
        rest = np.flatnonzero(labels == 0)[:1]
        return rois[:1], rest, np.full((1, classes * size * size), -1)
    boxes = rois[fore] / scale
    nearest = overlaps(boxes, np.array([_around(polygons) for polygons in objects]), False).argmax(1)
    masks = np.full((len(fore), classes, size * size), -1)
    for k, (box, near, kind) in enumerate(zip(boxes, nearest, labels[fore])):
        masks[k, kind] = _mask(objects[near], box, size).reshape(-1)
    return rois[fore], fore, masks.reshape(len(fore), -1)


@op("generate_mask_labels(ImInfo, GtClasses, IsCrowd, GtSegms, Rois, LabelsInt32, GtClassesLoD*?, IsCrowdLoD*?, GtSegmsLoD*?, "
    "RoisLoD*?) -> MaskRois, RoiHasMaskInt32, MaskInt32, OutLoD", family="sequence", rows="give RoiHasMaskInt32 MaskInt32",
    shapes=lambda info, num_classes, resolution: (info.like((-1, 4)), info.like((-1, 1), np.int32), info.like(
        (-1, num_classes * resolution ** 2), np.int32), info.like((-1,), np.int64)))
def generate_mask_labels(info, classes, crowd, segments, rois, labels, classes_lod=None, crowd_lod=None, segments_lod=None,
                         rois_lod=None,
                         num_classes=81, resolution=14):
    """Foreground proposals, their places in their picture, and masks [resolution, resolution] of the object that each overlaps
    most, at the columns of its class (-1 elsewhere). Segments have three levels: objects, polygons, points [n, 2]."""
    who = "generate_mask_labels"
    if len(segments_lod or ()) != 3:
        raise ValueError(f"{who}(): gt_segms must have 3 levels of sequence lengths, it has {len(segments_lod or ())}")
    pictures, polygons, points = (np.asarray(level) for level in segments_lod)
    ends = packed_rows.offsets(rois, rois_lod, who, "rois")
    class_ends = packed_rows.offsets(classes, classes_lod, who, "gt_classes")
    kept = (np.ravel(classes) > 0) & (np.ravel(crowd) == 0)
    found = []
    for k, scale in enumerate(info[:, 2]):
        objects = [[segments[points[p]:points[p + 1]] for p in range(polygons[pictures[k] + j], polygons[pictures[k] + j + 1])]
                   for j in range(class_ends[k + 1] - class_ends[k]) if kept[class_ends[k] + j]]
        mine = slice(ends[k], ends[k + 1])
        found.append(_masks_of(rois[mine], np.ravel(labels)[mine], objects, scale, num_classes, resolution))
    boxes, places, masks = (np.concatenate(parts) for parts in zip(*found))
    return (boxes.astype(rois.dtype), places.astype(np.int32)[:, None], masks.astype(np.int32),
            packed_rows.ends_of([len(one[0]) for one in found]))
