"""Ops over pictures of packed sequences, one per pair of sequences: matching of two texts, convolution, means of the best.

Such a picture has a row for each row of one sequence and a column for each row of another. All of them lie behind each other in one
column of numbers, [channels, rows, columns] for each pair.
"""

import numpy as np

from ..composed import composed
from ..linalg.matmul import matmul
from ..manipulation.gather_scatter import gather
from ..manipulation.reshape import transpose
from ..nn.grid_sample import plain
from . import packed_rows


def _sizes(row, column, row_lod, column_lod, function, names):
    """(heights, widths) of the pictures; ValueError unless there are as many of both."""
    heights, widths = (np.diff(packed_rows.offsets(x, lod, function, name)) for x, lod, name in
                       zip((row, column), (row_lod, column_lod), names))
    if len(heights) != len(widths):
        raise ValueError(f"{function}(): {names[0]} has {len(heights)} sequences, {names[1]} {len(widths)}")
    return heights, widths


def _pictures(x, lod, channels, heights, widths, function):
    """Where each picture begins in x, which must hold channels * height * width numbers for each."""
    if len(x.shape) != 2 or x.shape[1] != 1:
        raise ValueError(f"{function}(): input must be [rows, 1], got {list(x.shape)}")
    ends = packed_rows.offsets(x, lod, function, "input")
    if not np.array_equal(np.diff(ends), channels * heights * widths):
        raise ValueError(f"{function}(): input has {np.diff(ends).tolist()} numbers by picture, {channels} channels of the sizes "
                         f"of row and col make {(channels * heights * widths).tolist()}")
    return ends


def _cells(heights, widths):
    """(picture, row, column) of every cell of one channel, pictures behind each other."""
    picture = np.repeat(np.arange(len(heights)), heights * widths)
    place = packed_rows.places(packed_rows.ends_of(heights * widths))
    return picture, place // np.maximum(widths, 1)[picture], place % np.maximum(widths, 1)[picture]


def _by_channel(values, sizes):
    """[cells, channels] of pictures with so many cells, each [channels, cells], as one column."""
    channels, first = values.shape[1], packed_rows.ends_of(sizes)[:-1]
    index = [((start + np.arange(size)) * channels + np.arange(channels)[:, None]).reshape(-1) for start, size in zip(first, sizes)]
    return gather(values.reshape([values.shape[0] * channels, 1]), np.concatenate([np.empty(0, np.int64), *index]).astype(np.int64))


def _column(x, *others):
    """The specs of a column of numbers, of another one, and of its offsets."""
    return x.like((-1, 1)), x.like((-1, 1)), x.like((-1,), np.int64)


@composed("match_matrix_tensor(X, Y, W, XLoD*?, YLoD*?) -> Out, Tmp, OutLoD*", family="sequence", shapes=_column)
def match_matrix_tensor(x, y, w, x_lod=None, y_lod=None, dim_t=1):
    """x[i] @ w[:, t] @ y[j] for all rows i and j of sequences with the same number, as a picture with channels t."""
    if len(x.shape) != 2 or list(w.shape) != [x.shape[1], dim_t, y.shape[1]]:
        raise ValueError(f"match_matrix_tensor(): x {list(x.shape)} and y {list(y.shape)} need a weight "
                         f"[{x.shape[-1]}, {dim_t}, {y.shape[-1]}], got {list(w.shape)}")
    heights, widths = _sizes(x, y, x_lod, y_lod, "match_matrix_tensor", ("x", "y"))
    wide = y.shape[1]
    product = matmul(x, w.reshape([x.shape[1], dim_t * wide]))
    left, right = (packed_rows.pad(rows, packed_rows.ends_of(sizes)) for rows, sizes in ((product, heights), (y, widths)))
    pairs, tall = left.shape[:2]
    left = transpose(left.reshape([pairs, tall, dim_t, wide]), [0, 2, 1, 3]).reshape([pairs, dim_t * tall, wide])
    found = matmul(left, transpose(right, [0, 2, 1]))
    broad, channel = right.shape[1], np.arange(dim_t)[:, None, None]
    index = [(((pair * dim_t + channel) * tall + np.arange(height)[:, None]) * broad + np.arange(width)).reshape(-1)
             for pair, (height, width) in enumerate(zip(heights, widths))]
    chosen = np.concatenate([np.empty(0, np.int64), *index]).astype(np.int64)
    return (gather(found.reshape([pairs * dim_t * tall * broad, 1]), chosen),
            product.reshape([x.shape[0] * dim_t * wide, 1]), packed_rows.ends_of(dim_t * heights * widths))


@composed("var_conv_2d(X, ROW, COLUMN, W, XLoD*?, ROWLoD*?, COLUMNLoD*?) -> Out, Col, OutLoD, ColLoD", family="sequence",
          input_channel="InputChannel", output_channel="OutputChannel", stride_h="StrideH", stride_w="StrideW", kernel_h="KernelH",
          kernel_w="KernelW", shapes=lambda x, *others, **attrs: (*_column(x), x.like((-1,), np.int64)))
def var_conv_2d(x, row, column, w, x_lod=None, row_lod=None, column_lod=None, input_channel=1, output_channel=1, stride_h=1,
                stride_w=1, kernel_h=1, kernel_w=1):
    """Convolution of pictures of different sizes by a filter [out, in * height * width], zeros beyond their edges."""
    heights, widths = _sizes(row, column, row_lod, column_lod, "var_conv_2d", ("row", "col"))
    begins = _pictures(x, x_lod, input_channel, heights, widths, "var_conv_2d")
    tall, wide = -(-heights // stride_h), -(-widths // stride_w)
    picture, at_y, at_x = _cells(tall, wide)
    channel, near_y, near_x = (part.reshape(-1) for part in np.indices((input_channel, kernel_h, kernel_w)))
    y = at_y[:, None] * stride_h + near_y - kernel_h // 2
    z = at_x[:, None] * stride_w + near_x - kernel_w // 2
    height, width = heights[picture][:, None], widths[picture][:, None]
    index = np.where((y >= 0) & (y < height) & (z >= 0) & (z < width),
                     begins[picture][:, None] + channel * height * width + y * width + z, -1)
    windows = packed_rows.rows_or(x, index, 0.0).reshape([len(picture), len(channel)])
    return (_by_channel(matmul(windows, transpose(w, [1, 0])), tall * wide), _by_channel(windows, tall * wide),
            packed_rows.ends_of(output_channel * tall * wide), packed_rows.ends_of(len(channel) * tall * wide))


@composed("sequence_topk_avg_pooling(X, ROW, COLUMN, XLoD*?, ROWLoD*?, COLUMNLoD*?) -> Out, pos", family="sequence",
          rows="keep ROW", shapes=lambda x, row, column, x_lod, row_lod, column_lod, topks, channel_num: (
              x.like((-1, len(topks) * channel_num)), x.like((-1,), np.int32)))
def sequence_topk_avg_pooling(x, row, column, x_lod=None, row_lod=None, column_lod=None, topks=(1,), channel_num=1):
    """For each row of the pictures and each channel, the k greatest numbers added and divided by k, for every k of ``topks``."""
    heights, widths = _sizes(row, column, row_lod, column_lod, "sequence_topk_avg_pooling", ("row", "col"))
    begins = _pictures(x, x_lod, channel_num, heights, widths, "sequence_topk_avg_pooling")
    picture = np.repeat(np.arange(len(heights)), heights)
    line = packed_rows.places(packed_rows.ends_of(heights))[:, None] + np.arange(channel_num) * heights[picture][:, None]
    starts = (begins[picture][:, None] + line * widths[picture][:, None]).reshape(-1)
    lengths, most = np.repeat(widths[picture], channel_num), max(topks)
    cells = np.where(np.arange(max(most, widths.max(initial=0))) < lengths[:, None], starts[:, None] + np.arange(
        max(most, widths.max(initial=0))), -1)
    best = np.argsort(-packed_rows.rows_or(plain(x), cells, -np.inf)[..., 0], axis=1, kind="stable")[:, :most]
    best = np.where(np.arange(most) < lengths[:, None], best, -1)
    values = packed_rows.rows_or(x, np.where(best < 0, -1, starts[:, None] + best), 0.0).reshape([len(starts), most])
    shares = (np.arange(most)[:, None] < np.asarray(topks)) / np.asarray(topks, plain(x).dtype)
    return (matmul(values, shares.astype(plain(x).dtype)).reshape([len(picture), channel_num * len(topks)]),
            best.reshape(-1).astype(np.int32))
