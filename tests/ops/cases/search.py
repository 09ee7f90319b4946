"""Sorting, searching, uniqueness."""

import numpy as np
from opcase import OpCase, b, bad, const, distinct, f, i


def top(x, k, axis=-1, largest=True):
    order = np.argsort(-x if largest else x, axis, kind="stable").take(np.arange(k), axis)
    return [np.take_along_axis(x, order, axis), order]


def kth(x, k, axis=-1, keepdim=False):
    order = np.argsort(x, axis, kind="stable").take([k - 1], axis)
    found = [np.take_along_axis(x, order, axis), order]
    return found if keepdim else [np.squeeze(v, axis) for v in found]


def most(x, axis=-1, keepdim=False):
    def one(row):
        values, counts = np.unique(row, return_counts=True)
        value = values[counts.argmax()]
        return [value, np.flatnonzero(row == value)[-1]]
    found = np.apply_along_axis(one, axis, x)
    out = [np.take(found, 0, axis).astype(x.dtype), np.take(found, 1, axis).astype("int64")]
    return [np.expand_dims(o, axis) for o in out] if keepdim else out


CASES = [
    OpCase("paddle.argmax", [distinct(3, 4)], axis=1, keepdim=True, ref=lambda x, axis, keepdim: x.argmax(1)[:, None],
           grad=False,
           errors=[bad(ValueError, f(0)), bad(ValueError, f(2, 0), axis=1), bad(ValueError, f(3), axis=1),
                   bad(TypeError, f(3), dtype="float32")]),
    OpCase("paddle.argmax", [const([[1.0, 3.0], [3.0, 0.0]])], ref=np.argmax, grad=False, more=[[f()]]),
    OpCase("paddle.argmin", [distinct(3, 4)], axis=-2, dtype="int32", ref=lambda x, axis, dtype: x.argmin(0),
           grad=False,
           errors=[bad(ValueError, f(0))]),
    OpCase("paddle.sort", [distinct(3, 4)], axis=0, ref=np.sort, errors=[bad(ValueError, f(3), axis=1)]),
    OpCase("paddle.sort", [distinct(3, 4)], descending=True, ref=lambda x, descending: -np.sort(-x) if x.ndim else x,
           more=[[f()], [f(0, 3)]]),
    OpCase("paddle.argsort", [const([1.0, 2.0, 1.0, 0.0, 2.0])], descending=True, ref=lambda x, descending:
           np.argsort(-x, kind="stable"), grad=False),
    OpCase("paddle.topk", [distinct(3, 5)], k=2, ref=top, errors=[
        bad(ValueError, f(3), k=4, match="4"), bad(ValueError, f(3), k=0), bad(ValueError, f(2, 0), k=1)]),
    OpCase("paddle.topk", [distinct(4, 3)], k=3, axis=0, largest=False, ref=top),
    OpCase("paddle.topk", [distinct(100, 3)], k=5, axis=0, largest=False, ref=top, unknown=False),
    OpCase("paddle.topk", [i(4, 80, high=3)], k=6, ref=top, more=[[i(4, 80, high=40)], [i(0, 80)]]),
    OpCase("top_k", [distinct(3, 5)], k=2, ref=top),
    OpCase("paddle.kthvalue", [distinct(3, 5)], k=2, axis=0, keepdim=True, ref=kth,
           errors=[bad(ValueError, f(3), k=4), bad(ValueError, f(3), k=0)]),
    OpCase("paddle.kthvalue", [distinct(3, 5)], k=5, ref=kth),
    OpCase("paddle.mode", [distinct(3, 5)], ref=most, errors=[bad(ValueError, f(3), axis=1), bad(ValueError, f(2, 0))]),
    OpCase("paddle.mode", [i(4, 6, high=3)], axis=0, keepdim=True, ref=most),
    OpCase("paddle.nonzero", [i(3, 4, high=2)], ref=np.argwhere, more=[[b(3)], [i(0)]]),
    OpCase("paddle.nonzero", [b(3, 4)], as_tuple=True, ref=lambda x, as_tuple: [v[:, None] for v in np.nonzero(x)]),
    OpCase("paddle.searchsorted", [const([1.0, 3.0, 5.0]), const([[3.0, 0.0], [5.0, 9.0]])], right=True, grad=False,
           ref=lambda s, v, right: np.searchsorted(s, v, "right"), method=False,
           errors=[bad(ValueError, f(), f(2)), bad(ValueError, f(2, 3), f(3, 3))]),
    OpCase("paddle.searchsorted", [const([[1, 3], [2, 4]]), const([[3], [5]])], out_int32=True,
           ref=lambda s, v, out_int32: np.array([[1], [2]]), method=False),
    OpCase("paddle.bucketize", [const([[3.0, 0.0], [5.0, 9.0]]), const([1.0, 3.0, 5.0])], grad=False,
           ref=lambda v, s: np.searchsorted(s, v), errors=[bad(ValueError, f(2), f(2, 2))]),
    OpCase("paddle.unique", [i(4, 3, high=3)], return_index=True, return_inverse=True, return_counts=True,
           ref=lambda x, **k: [v.ravel() for v in np.unique(x, **k)], more=[[i(0)]],
           errors=[bad(TypeError, i(3), dtype="float32")]),
    OpCase("paddle.unique", [const([[1, 2], [0, 3], [1, 2]])], axis=0, ref=lambda x, axis: np.unique(x, axis=axis)),
    OpCase("paddle.unique_consecutive", [const([1, 1, 2, 2, 1])], return_inverse=True, return_counts=True,
           ref=lambda x, **_: [np.array([1, 2, 1]), np.array([0, 0, 1, 1, 2]), np.array([2, 2, 1])]),
    OpCase("paddle.unique_consecutive", [const([[1, 2], [1, 2], [0, 3]])], axis=0, ref=lambda x, axis: x[[0, 2]]),
]
