"""Packed sequences: rows and the offsets between which each sequence lies."""

import numpy as np
from opcase import OpCase, bad, const, distinct, f, i

ENDS = [0, 3, 4, 6]
LOD = [const(ENDS, "int64")]
EMPTY = [const([0, 3, 3, 6], "int64")]


def parts(x, lod):
    """The sequences one by one."""
    ends = np.asarray(lod[-1]).tolist()
    return [x[a:b] for a, b in zip(ends, ends[1:])]


def pool_ref(x, lod, pooltype, pad_value=0.0):
    how = {"SUM": lambda s: s.sum(0), "AVERAGE": lambda s: s.mean(0), "SQRT": lambda s: s.sum(0) / np.sqrt(len(s)),
           "MAX": lambda s: s.max(0), "FIRST": lambda s: s[0], "LAST": lambda s: s[-1]}[pooltype]
    return np.stack([how(s) if len(s) else np.full(x.shape[1:], pad_value, x.dtype) for s in parts(x, lod)])


def softmax_ref(x, lod):
    return np.concatenate([np.exp(s) / np.exp(s).sum(0) for s in parts(x, lod)])


def conv_ref(x, padding, w, lod, context_length, context_start):
    out = []
    for s in parts(x, lod):
        for t in range(len(s)):
            near = range(t + context_start, t + context_start + context_length)
            out.append(np.concatenate([s[k] if 0 <= k < len(s) else np.zeros_like(s[0]) for k in near]) @ w)
    return np.stack(out)


def pad_ref(x, value, lod, padded_length=-1):
    lengths = np.diff(lod[-1])
    out = np.broadcast_to(value, (len(lengths), max(lengths.max(), padded_length), *x.shape[1:])).copy()
    for k, s in enumerate(parts(x, lod)):
        out[k, :len(s)] = s
    return [out, lengths]


def scatter_ref(x, ids, updates, lod, updates_lod):
    x = x.copy()
    for row, (at, values) in enumerate(zip(parts(ids, lod), parts(updates, lod))):
        for k, v in zip(at.ravel(), values.ravel()):
            x[row, k] += v
    return x


def windows_ref(x, kernels, strides, paddings):
    x = np.pad(x, ((0, 0), (0, 0), (paddings[0], paddings[2]), (paddings[1], paddings[3])))
    out = [x[n, :, i:i + kernels[0], j:j + kernels[1]].ravel() for n in range(len(x))
           for i in range(0, x.shape[2] - kernels[0] + 1, strides[0]) for j in range(0, x.shape[3] - kernels[1] + 1, strides[1])]
    return [np.stack(out), np.arange(len(x) + 1) * (len(out) // len(x))]


def match_ref(x, y, w, lod, y_lod, dim_t):
    pairs = [np.einsum("ih,hto,jo->tij", a, w, b) for a, b in zip(parts(x, lod), parts(y, y_lod))]
    return [np.concatenate([p.reshape(-1, 1) for p in pairs]), (x @ w.reshape(len(w), -1)).reshape(-1, 1),
            np.cumsum([0, *(p.size for p in pairs)])]


def pictures(x, row_lod, column_lod, lod, channels):
    """The pictures [channels, height, width] in a column of numbers."""
    return [p.reshape(channels, h, w) for p, h, w in zip(parts(x, lod), np.diff(row_lod[-1]), np.diff(column_lod[-1]))]


def var_conv_ref(x, row, column, w, lod, row_lod, column_lod, input_channel, output_channel, kernel_h, kernel_w, stride_h):
    outs, windows = [], []
    for p in pictures(x, row_lod, column_lod, lod, input_channel):
        q = np.pad(p, ((0, 0), (kernel_h // 2, kernel_h), (kernel_w // 2, kernel_w)))
        cells = [[q[:, i:i + kernel_h, j:j + kernel_w].ravel() for j in range(p.shape[2])] for i in range(0, p.shape[1], stride_h)]
        windows.append(np.array(cells).reshape(-1, len(w[0])).T)
        outs.append(w @ windows[-1])
    return [*(np.concatenate([a.reshape(-1, 1) for a in all_of]) for all_of in (outs, windows)),
            *(np.cumsum([0, *(o.size for o in all_of)]) for all_of in (outs, windows))]


def best_ref(x, row, column, lod, row_lod, column_lod, topks, channel_num):
    outs, places = [], []
    for p in pictures(x, row_lod, column_lod, lod, channel_num):
        order = np.argsort(-p, -1)
        best = np.concatenate([np.sort(p, -1)[..., ::-1], np.zeros((*p.shape[:2], max(topks)))], -1)
        outs.append(np.stack([best[..., :k].sum(-1) / k for k in topks], -1).transpose(1, 0, 2).reshape(p.shape[1], -1))
        places.append(np.pad(order, ((0, 0), (0, 0), (0, max(topks))), constant_values=-1)[..., :max(topks)].transpose(1, 0, 2).ravel())
    return [np.concatenate(outs), np.concatenate(places)]


ROWS, COLUMNS = [const([0, 2, 3], "int64")], [const([0, 3, 5], "int64")]  # pictures of 2 x 3 and 1 x 2
TWO_CHANNELS = [const([0, 12, 16], "int64")]
KEEP = {"noncontiguous": False, "small": False}
CASES = [
    OpCase("match_matrix_tensor", [f(3, 2), f(5, 4), f(2, 3, 4), ROWS, COLUMNS], dim_t=3, ref=match_ref, unknown=False, **KEEP,
           errors=[bad(ValueError, f(3, 2), f(5, 4), f(2, 1, 4), ROWS, COLUMNS, dim_t=3, match="weight"),
                   bad(ValueError, f(3, 2), f(6, 4), f(2, 3, 4), ROWS, LOD, dim_t=3, match="sequences")]),
    OpCase("var_conv_2d", [f(16, 1), f(3, 1), f(5, 1), f(3, 12), TWO_CHANNELS, ROWS, COLUMNS], input_channel=2, output_channel=3,
           kernel_h=3, kernel_w=2, stride_h=2, ref=var_conv_ref, unknown=False, grad=[0, 3], **KEEP,
           errors=[bad(ValueError, f(16, 1), f(3, 1), f(5, 1), f(3, 6), TWO_CHANNELS, ROWS, COLUMNS, input_channel=1, output_channel=3,
                       kernel_h=3, kernel_w=2, match="numbers by picture")]),
    OpCase("sequence_topk_avg_pooling", [distinct(16, 1), f(3, 1), f(5, 1), TWO_CHANNELS, ROWS, COLUMNS], topks=[1, 2, 4],
           channel_num=2, ref=best_ref, unknown=False, grad=[0], **KEEP),
    *[OpCase("sequence_pool", [distinct(6, 2), lod], pooltype=kind, pad_value=0.25, ref=pool_ref, **KEEP,
             errors=[bad(ValueError, f(6, 2), [const([0, 3], "int64")], pooltype="SUM", match="offsets"),
                     bad(ValueError, f(6, 2), pooltype="SUM", match="lengths")] if kind == "SUM" else ())
      for kind in ("SUM", "AVERAGE", "SQRT", "MAX", "FIRST", "LAST") for lod in (LOD, EMPTY)],
    OpCase("sequence_softmax", [f(6, 1), LOD], ref=softmax_ref, **KEEP),
    OpCase("sequence_conv", [f(6, 2), None, f(6, 3), LOD], context_length=3, context_start=-1, ref=conv_ref, unknown=False, **KEEP,
           errors=[bad(ValueError, f(6, 2), None, f(5, 3), LOD, context_length=3, match="filter"),
                   bad(NotImplementedError, f(6, 2), None, f(6, 3), LOD, context_length=3, context_stride=2)]),
    OpCase("row_conv", [f(6, 2), f(2, 2), LOD], ref=lambda x, w, lod: np.concatenate([
        s * w[0] + np.concatenate([s[1:], s[:1] * 0]) * w[1] for s in parts(x, lod)]), unknown=False, **KEEP),
    OpCase("sequence_expand", [f(6, 2), f(3, 1), LOD, [const([0, 2, 2, 3], "int64")]], grad=[0], **KEEP,
           ref=lambda x, y, lod, y_lod: [np.concatenate([x[0:3], x[0:3], x[4:6]]), np.array([0, 3, 6, 8])],
           errors=[bad(ValueError, f(6, 2), f(3, 1), LOD, [const([0, 3], "int64")], match="3 sequences")]),
    OpCase("sequence_expand", [f(3, 2), f(6, 1), None, LOD], grad=[0], unknown=False, **KEEP,
           ref=lambda x, y, lod, y_lod: np.repeat(x, [3, 1, 2], 0)),
    OpCase("sequence_expand_as", [f(3, 2), f(6, 1), LOD], grad=[0], ref=lambda x, y, lod: np.repeat(x, [3, 1, 2], 0), unknown=False, **KEEP,
           errors=[bad(ValueError, f(2, 2), f(6, 1), LOD, match="2 rows")]),
    OpCase("sequence_concat", [[f(6, 2), f(4, 2)], [*LOD, const([0, 1, 1, 4], "int64")]], **KEEP, rejects_text=False,
           ref=lambda xs, lods: [np.concatenate([xs[0][:3], xs[1][:1], xs[0][3:4], xs[0][4:], xs[1][1:]]), np.array([0, 4, 5, 10])],
           errors=[bad(ValueError, [f(6, 2), f(4, 2)], [*LOD, const([0, 4], "int64")], match="sequences")]),
    OpCase("sequence_pad", [f(6, 2), f(2), LOD], padded_length=4, ref=pad_ref, unknown=False, **KEEP,
           errors=[bad(ValueError, f(6, 2), f(1), LOD, padded_length=2, match="maxlen")]),
    OpCase("sequence_pad", [f(6, 2), f(1), LOD], ref=pad_ref, **KEEP),
    OpCase("sequence_unpad", [f(3, 4, 2), const([2, 0, 4], "int64")], **KEEP,
           ref=lambda x, n: [np.concatenate([x[0, :2], x[2]]), np.array([0, 2, 2, 6])],
           errors=[bad(ValueError, f(2, 3, 2), const([1, 4], "int64"), match="lengths")]),
    OpCase("sequence_reshape", [f(6, 2), [const([0, 2, 6], "int64")]], new_dim=4, **KEEP,
           ref=lambda x, lod, new_dim: [x.reshape(3, 4), np.array([0, 1, 3])],
           errors=[bad(ValueError, f(6, 2), LOD, new_dim=4, match="fill rows")]),
    OpCase("sequence_reverse", [f(6, 2), LOD], ref=lambda x, lod: np.concatenate([s[::-1] for s in parts(x, lod)]), **KEEP),
    OpCase("sequence_slice", [f(6, 2), const([1, 0, 0], "int64"), const([2, 1, 1], "int64"), LOD], **KEEP,
           ref=lambda x, skip, size, lod: [x[[1, 2, 3, 4]], np.array([0, 2, 3, 4])],
           errors=[bad(ValueError, f(6, 2), const([1, 1, 0], "int64"), const([2, 1, 1], "int64"), LOD, match="fit")]),
    OpCase("sequence_enumerate", [i(6, 1), LOD], win_size=2, pad_value=9, **KEEP,
           ref=lambda x, lod, win_size, pad_value: np.concatenate([np.c_[s, [*s[1:, 0], 9]] for s in parts(x, lod)])),
    OpCase("sequence_scatter", [f(3, 4), const([[0], [2], [0], [1], [3], [3]], "int64"), f(6, 1), LOD, LOD], unknown=False,
           ref=scatter_ref, **KEEP,
           errors=[bad(ValueError, f(2, 4), i(6, 1), f(6, 1), LOD, LOD, match="sequences")]),
    OpCase("lod_reset", [f(6, 2), None, LOD, None], target_lod=[0, 2, 6], **KEEP,
           ref=lambda x, y, lod, y_lod, target_lod: [x, np.array([0, 2, 6])],
           errors=[bad(ValueError, f(6, 2), None, LOD, None, target_lod=[0, 2, 5], match="offsets")]),
    OpCase("lod_reset", [f(3, 2), f(4, 1), [const([0, 1, 3], "int64")], [const([0, 1, 3], "int64")]], grad=[0], append=True,
           **KEEP, ref=lambda x, y, lod, y_lod, append: [x, np.array([0, 1, 3]), np.array([0, 1, 3])]),
    OpCase("im2sequence", [f(2, 2, 3, 4)], kernels=(2, 2), strides=(1, 2), paddings=(0, 0, 1, 0), ref=windows_ref, **KEEP,
           errors=[bad(ValueError, f(2, 3))]),
]
