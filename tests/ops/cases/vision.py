"""Padding, resizing, sampling, shuffling, windows as columns, undone pooling, small ops of models."""

import itertools

import numpy as np
from opcase import OpCase, bad, const, distinct, f, i

from paddle.ops.manipulation import pad
from paddle.ops.nn import grid_sample as sample
from paddle.ops.nn import interpolate as interp

F = "paddle.nn.functional."
NUMPY = {"constant": "constant", "reflect": "reflect", "replicate": "edge", "circular": "wrap"}


def pad_ref(x, pad, mode="constant", data_format="NCHW", value=0.0):
    pairs = [(pad[k], pad[k + 1]) for k in range(0, len(pad), 2)][::-1]
    more = {"constant_values": value} if mode == "constant" else {}
    return np.pad(x, [(0, 0), (0, 0), *pairs], mode=NUMPY[mode], **more)


def sample_ref(x, grid, mode, padding_mode, align_corners):
    """Cell by cell, 2-d."""
    n, c, h, w = x.shape
    out = np.zeros((n, c, *grid.shape[1:3]))

    def place(v, size):
        v = (v + 1) / 2 * (size - 1) if align_corners else ((v + 1) * size - 1) / 2
        if padding_mode == "reflection":
            low, high = (0, size - 1) if align_corners else (-0.5, size - 0.5)
            while not low <= v <= high:
                v = 2 * low - v if v < low else 2 * high - v
        return v if padding_mode == "zeros" else min(max(v, 0), size - 1)

    for b, p, q in itertools.product(range(n), *map(range, grid.shape[1:3])):
        gx, gy = place(grid[b, p, q, 0], w), place(grid[b, p, q, 1], h)
        if mode == "nearest":
            cells = [(round(gy), round(gx), 1.0)]
        else:
            x0, y0 = int(np.floor(gx)), int(np.floor(gy))
            cells = [(y0 + j, x0 + k, (1 - abs(gy - y0 - j)) * (1 - abs(gx - x0 - k))) for j in (0, 1) for k in (0, 1)]
        for cy, cx, share in cells:
            if 0 <= cy < h and 0 <= cx < w:
                out[b, :, p, q] += share * x[b, :, cy, cx]
    return out


def grid_ref(theta, out_shape, align_corners):
    lines = [np.linspace(-1, 1, s) if align_corners else (np.arange(s) * 2 + 1) / s - 1 for s in out_shape[2:]]
    out = np.zeros((theta.shape[0], *out_shape[2:], len(lines)))
    for b in range(theta.shape[0]):
        for at in itertools.product(*map(range, out_shape[2:])):
            out[(b, *at)] = theta[b] @ np.array([*[line[a] for line, a in zip(lines, at)][::-1], 1.0])
    return out


def bilinear_resize_ref(x, size, align_corners=False, align_mode=0, **_):
    for axis, out in zip((2, 3), size):
        n = x.shape[axis]
        rows = []
        for k in range(out):
            at = k * (n - 1) / (out - 1) if align_corners else max((k + 0.5) * n / out - 0.5, 0) if align_mode == 0 else k * n / out
            low = min(int(at), n - 1)
            share = at - low if low < n - 1 else 0
            rows.append(np.take(x, low, axis) * (1 - share) + np.take(x, min(low + 1, n - 1), axis) * share)
        x = np.stack(rows, axis)
    return x


def unfold_ref(x, k, s, p, d):
    x = np.pad(x, ((0, 0), (0, 0), (p, p), (p, p)))
    outs = [(n - d * (k - 1) - 1) // s + 1 for n in x.shape[2:]]
    columns = [x[:, :, a * s:a * s + d * (k - 1) + 1:d, b * s:b * s + d * (k - 1) + 1:d].reshape(x.shape[0], -1)
               for a in range(outs[0]) for b in range(outs[1])]
    return np.stack(columns, 2)


def fold_ref(x, output_sizes, kernel_sizes):
    k, out = kernel_sizes, np.zeros((x.shape[0], x.shape[1] // kernel_sizes ** 2, *output_sizes))
    wide = output_sizes[1] - k + 1
    for column in range(x.shape[2]):
        a, b = divmod(column, wide)
        out[:, :, a:a + k, b:b + k] += x[:, :, column].reshape(x.shape[0], -1, k, k)
    return out


def unpool_ref(x, index, size):
    out = np.zeros((*x.shape[:2], int(np.prod(size))))
    for n, c in np.ndindex(*x.shape[:2]):
        out[n, c, index[n, c].ravel()] = x[n, c].ravel()
    return out.reshape(*x.shape[:2], *size)


CASES = [
    *[OpCase(F + "pad", [f(2, 3, 4, 5)], pad=[1, 2, 0, 1], mode=mode, ref=pad_ref, unknown=mode == "constant",
             errors=[bad(ValueError, f(1, 1, 2, 2), pad=[3, 0, 0, 0], mode="reflect", match="at most"),
                     bad(ValueError, f(1, 1, 2, 2), pad=[1, 0, 2])]) for mode in NUMPY],
    OpCase(F + "pad", [f(1, 2, 3)], pad=[1, 2], mode="replicate", data_format="NCL", ref=pad_ref, unknown=False),
    OpCase(F + "pad", [f(1, 2, 3)], pad=[7, 8], mode="circular", data_format="NCL", unknown=False,
           ref=lambda x, **_: x[..., np.arange(-7, 11) % 3]),
    OpCase(F + "pad", [f(1, 2, 3, 3, 2)], pad=[1, 0, 0, 2, 1, 1], value=0.5, data_format="NCDHW", ref=pad_ref),
    OpCase(F + "pad", [f(3, 4)], pad=[1, 1, 2, 0], value=1.5,
           ref=lambda x, pad, value: np.pad(x, [(1, 1), (2, 0)], constant_values=value)),
    OpCase(F + "zeropad2d", [f(1, 2, 3, 2)], padding=[1, 2, 0, 1],
           ref=lambda x, padding: np.pad(x, ((0, 0), (0, 0), (0, 1), (1, 2)))),
    OpCase(pad.pad_around, [f(3, 4)], pairs=((1, 2), (3, 0)), mode="circular", unknown=False,
           ref=lambda x, pairs, mode: np.pad(x, pairs, mode="wrap")),
    *[OpCase(F + "interpolate", [f(2, 2, 4, 5)], size=[7, 3], mode="bilinear", align_corners=a, align_mode=m,
             ref=bilinear_resize_ref, tol=1e-4) for a, m in ((False, 0), (True, 0), (False, 1))],
    OpCase(F + "interpolate", [f(2, 2, 3)], scale_factor=2, mode="linear", data_format="NCW", tol=1e-4,
           ref=lambda x, **_: bilinear_resize_ref(x[:, :, None], (1, 6))[:, :, 0]),
    OpCase(F + "interpolate", [f(1, 2, 3, 2)], scale_factor=2,
           ref=lambda x, scale_factor: x.repeat(2, 2).repeat(2, 3),
           errors=[bad(ValueError, f(1, 1, 2, 2), match="exactly one"), bad(ValueError, f(2, 2), size=[2])]),
    OpCase(F + "interpolate", [f(1, 2, 4, 4)], size=[2, 2], mode="area",
           ref=lambda x, **_: x.reshape(1, 2, 2, 2, 2, 2).mean((3, 5))),
    OpCase(F + "interpolate", [f(1, 1, 2, 3, 2)], size=[4, 3, 3], mode="trilinear", align_corners=True, data_format="NCDHW",
           tol=1e-4, check=lambda out, x: np.allclose(out[0, 0, [0, -1]][:, :, [0, -1]], x[0, 0][:, :, [0, -1]], atol=1e-5)),
    OpCase(F + "interpolate", [f(1, 2, 4, 5)], size=[8, 10], mode="bicubic", align_corners=False, tol=1e-4,
           check=lambda out, x: abs(out.mean() - x.mean()) < 0.2),
    OpCase(interp.resample, [f(1, 2, 3)], outs=(5,), scales=(0.0,), method="nearest",
           ref=lambda x, **_: x[:, :, [0, 0, 1, 1, 2]]),
    *[OpCase(F + "grid_sample", [f(2, 2, 4, 5), f(2, 3, 2, 2, low=-1.3, high=1.3)], mode=mode, padding_mode=p, align_corners=a,
             ref=sample_ref, tol=1e-4, unknown=False)
      for mode, p, a in (("bilinear", "zeros", True), ("bilinear", "border", False), ("bilinear", "reflection", True),
                         ("bilinear", "reflection", False), ("nearest", "zeros", False))],
    OpCase(sample.spot_gather, [f(1, 2, 3, 2), const([[[0, 5], [-1, 2]]], "int64")], unknown=False,
           ref=lambda x, at: np.where(at[:, None] < 0, 0, x.reshape(1, 2, 6)[:, :, at[0]])),
    OpCase(F + "affine_grid", [f(2, 2, 3)], out_shape=[2, 3, 4, 5], align_corners=True, ref=grid_ref, unknown=False,
           errors=[bad(ValueError, f(2, 2, 2), out_shape=[2, 3, 4, 5], match="theta")]),
    OpCase(F + "affine_grid", [f(2, 2, 3)], out_shape=[5, 3, 4, 5], align_corners=True, ref=grid_ref, unknown=False),
    OpCase(F + "affine_grid", [f(1, 3, 4)], out_shape=[1, 1, 2, 3, 2], align_corners=False, ref=grid_ref, unknown=False),
    OpCase(F + "pixel_shuffle", [f(2, 8, 2, 3)], upscale_factor=2, unknown=False,
           ref=lambda x, upscale_factor: x.reshape(2, 2, 2, 2, 2, 3).transpose(0, 1, 4, 2, 5, 3).reshape(2, 2, 4, 6),
           errors=[bad(ValueError, f(1, 3, 2, 2), upscale_factor=2)]),
    OpCase(F + "pixel_unshuffle", [f(2, 2, 4, 6)], downscale_factor=2, unknown=False,
           ref=lambda x, downscale_factor: x.reshape(2, 2, 2, 2, 3, 2).transpose(0, 1, 3, 5, 2, 4).reshape(2, 8, 2, 3)),
    OpCase(F + "channel_shuffle", [f(2, 6, 1, 2)], groups=2, unknown=False, small=False,
           ref=lambda x, groups: x[:, [0, 3, 1, 4, 2, 5]]),
    OpCase(F + "temporal_shift", [f(4, 4, 1, 2)], seg_num=2, unknown=False, small=False,
           ref=lambda x, seg_num: np.concatenate([
               np.concatenate([np.stack([0 * v[0, :1], v[0, :1]]), np.stack([v[1, 1:2], 0 * v[0, 1:2]]), v[:, 2:]], 1)
               for v in (x[:2], x[2:])])),
    OpCase(F + "unfold", [f(2, 3, 4, 5)], kernel_sizes=2, strides=2, paddings=1, dilations=1, method=False,
           ref=lambda x, kernel_sizes, strides, paddings, dilations: unfold_ref(x, kernel_sizes, strides, paddings, dilations),
           errors=[bad(ValueError, f(1, 1, 2, 2), kernel_sizes=4, match="do not fit")]),
    OpCase(F + "unfold", [f(2, 3, 3, 3)], kernel_sizes=4, strides=2, method=False,  # beyond the end by less than a stride
           ref=lambda x, kernel_sizes, strides: unfold_ref(np.pad(x, ((0, 0), (0, 0), (0, 1), (0, 1))), 4, 2, 0, 1)),
    OpCase(F + "unfold", [f(1, 2, 5, 5)], kernel_sizes=2, dilations=2, method=False,
           ref=lambda x, kernel_sizes, dilations: unfold_ref(x, kernel_sizes, 1, 0, dilations)),
    OpCase(F + "fold", [f(2, 8, 6)], output_sizes=[3, 4], kernel_sizes=2, ref=fold_ref,
           errors=[bad(ValueError, f(2, 8, 5), output_sizes=[3, 4], kernel_sizes=2)]),
    OpCase(F + "bilinear", [f(3, 2), f(3, 4), f(5, 2, 4), f(1, 5)], unknown=False,
           ref=lambda a, b, w, c: np.einsum("ni,kij,nj->nk", a, w, b) + c,
           errors=[bad(ValueError, f(3, 2), f(3, 4), f(5, 4, 2))]),
    OpCase(F + "label_smooth", [f(3, 4)], epsilon=0.2, ref=lambda x, epsilon: 0.8 * x + 0.05),
    OpCase(F + "label_smooth", [f(3, 4), f(1, 4)], epsilon=0.2, unknown=False, ref=lambda x, p, epsilon: 0.8 * x + 0.2 * p),
    OpCase(F + "sequence_mask", [const([1, 3, 0], "int64")], maxlen=4, dtype="float32", grad=False,
           ref=lambda x, maxlen, dtype: (np.arange(4) < x[:, None]).astype(dtype), noncontiguous=False),
    OpCase(F + "gather_tree", [i(3, 2, 2), i(3, 2, 2, high=2)], grad=False,
           check=lambda out, ids, parents: all(
               out[2, n, k] == ids[2, n, k] and out[1, n, k] == ids[1, n, parents[2, n, k]] and
               out[0, n, k] == ids[0, n, parents[1, n, parents[2, n, k]]] for n in range(2) for k in range(2))),
    OpCase(F + "max_unpool1d", [distinct(1, 2, 2), const([[[1, 2], [0, 3]]], "int32")], kernel_size=2,
           ref=lambda x, at, kernel_size: unpool_ref(x, at, [4]), noncontiguous=False),
    OpCase(F + "max_unpool2d", [distinct(1, 1, 2, 2), const([[[[0, 3], [9, 14]]]], "int32")], kernel_size=2,
           ref=lambda x, at, kernel_size: unpool_ref(x, at, [4, 4]), noncontiguous=False,
           errors=[bad(ValueError, f(1, 1, 2, 2), const([[[[0, 3], [9, 99]]]], "int32"), kernel_size=2, match="out of range")]),
    OpCase(F + "max_unpool3d", [distinct(1, 1, 1, 2, 1), const([[[[[0], [6]]]]], "int32")], kernel_size=2,
           ref=lambda x, at, kernel_size: unpool_ref(x, at, [2, 4, 2]), noncontiguous=False),
]
