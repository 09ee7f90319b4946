"""Elements picked and placed by index, slices, masks."""

import numpy as np
from opcase import OpCase, b, bad, const, distinct, f, i

import paddle


def ids(*values):
    return const(values)


def put(how, include_self=True):
    """NumPy's put_along_axis, value by value, for the reductions."""
    def ref(x, index, value, axis, **_):
        out, counts = x.copy(), np.ones(x.shape)
        if not include_self:
            for p in np.ndindex(index.shape):
                q = (*p[:axis], index[p], *p[axis + 1:])
                out[q], counts[q] = {"add": 0, "mean": 0, "multiply": 1, "amax": -9e9, "amin": 9e9}[how], 0
        for p in np.ndindex(index.shape):
            q = (*p[:axis], index[p], *p[axis + 1:])
            v = value[p] if np.ndim(value) else value
            out[q] = {"assign": v, "add": out[q] + v, "mean": out[q] + v, "multiply": out[q] * v,
                      "amax": max(out[q], v),
                      "amin": min(out[q], v)}[how]
            counts[q] += 1
        return (out / counts).astype(x.dtype) if how == "mean" else out
    return ref


def along(how, include_self):
    return OpCase("paddle.put_along_axis", [distinct(3, 4), ids([0, 3, 0], [1, 1, 2], [2, 0, 1]), distinct(3, 3,
                                                                                                           step=0.07)],
                  axis=1,
                  reduce=how, include_self=include_self, broadcast=False, ref=put(how, include_self))


def scattered(x, index, updates, overwrite=True):
    out = x.copy()
    if not overwrite:
        out[index] = 0
    for k, row in zip(index, updates):
        out[k] = row if overwrite else out[k] + row
    return out


def added(x, index, updates):
    out = x.copy()
    np.add.at(out, tuple(np.moveaxis(index, -1, 0)), updates)
    return out


def assigned(x, index, value):
    out = x.copy()
    out[index] = value
    return out


def get(index, x=None, **more):
    return OpCase(lambda x: x[index], [x or distinct(3, 4, 5)], ref=lambda x: x[plain(index)], name="getitem",
                  rejects_text=False,
                  method=False, **more)


def put_in(index, value, x=None, **more):
    def run(x, value):
        y = x * 1
        y[index] = value
        return y
    return OpCase(run, [x or distinct(3, 4, 5), value], unknown=len(value.shape) < 4, ref=lambda x,
                  v: assigned(x, plain(index), v), name="setitem",
                  rejects_text=False, method=False, **more)


def plain(index):
    """The index as NumPy takes it."""
    return tuple(np.asarray(p) if isinstance(p, (list, paddle.Tensor)) else p for p in index) if isinstance(index,
                                                                                                            tuple) else \
        np.asarray(index) if isinstance(index, (list, paddle.Tensor)) else index


def flipped_where(c, x, y):
    return np.where(c, x, y).astype(x.dtype if np.ndim(x) else y.dtype)


T = paddle.to_tensor
CASES = [
    OpCase("paddle.gather", [f(3, 4), ids(2, 0, 2)], ref=lambda x, k: x[k], more=[[f(3, 0), ids(1)], [f(3), const(1)]],
           errors=[bad(IndexError, f(3), ids(5), match="5"), bad(IndexError, f(3), ids(-1)), bad(TypeError, f(3), f(1)),
                   bad(ValueError, f(3), ids(0), axis=1), bad(ValueError, f(), ids(0)),
                   bad(ValueError, f(3), const([[0, 1]]))]),
    OpCase("paddle.gather", [f(3, 4), ids(1, 1)], axis=-1, ref=lambda x, k, axis: np.take(x, k, axis)),
    OpCase("paddle.gather", [f(3, 4), const(2)], axis=1, ref=lambda x, k, axis: np.take(x, k, axis)),
    OpCase("paddle.gather_nd", [f(3, 4, 2), ids([0, 1], [2, 3], [0, 1])], ref=lambda x, k: x[k[:, 0], k[:, 1]],
           errors=[bad(IndexError, f(3), ids([3])), bad(IndexError, f(3), ids([-1])),
                   bad(ValueError, f(3), ids([0, 0])),
                   bad(TypeError, f(3), f(1))]),
    OpCase("paddle.index_select", [f(3, 4), ids(1, 0, 1)], axis=1, ref=lambda x, k, axis: np.take(x, k, axis),
           errors=[bad(IndexError, f(3), ids(-1)), bad(ValueError, f(3), const([[0]]))]),
    OpCase("paddle.index_sample", unknown=False, inputs=[f(2, 4), ids([0, 3, 3], [1, 1, 0])], ref=lambda x,
           k: np.take_along_axis(x, k, 1),
           errors=[bad(IndexError, f(2, 3), ids([3], [0])), bad(ValueError, f(3, 2), ids([0]))]),
    OpCase("paddle.take", [f(3, 4), ids([5, -12], [0, 11])], ref=lambda x, k: np.take(x, k),
           errors=[bad(IndexError, f(3), ids(3))]),
    OpCase("paddle.take", [f(3), ids(5, -4)], mode="wrap", ref=lambda x, k, mode: np.take(x, k, mode=mode)),
    OpCase("paddle.take", [f(3), ids(5, -4)], mode="clip", ref=lambda x, k, mode: np.take(x, k, mode=mode),
           errors=[bad(ValueError, f(3), ids(1), mode="any")]),
    OpCase("paddle.take_along_axis", [f(3, 4), ids([0, 3, 3], [1, 1, 0], [2, 2, 2])], axis=1, ref=np.take_along_axis,
           errors=[bad(IndexError, f(3), ids(9), axis=0), bad(IndexError, f(3), ids(-1), axis=0),
                   bad(ValueError, f(3), ids([0]), axis=0)]),
    OpCase("paddle.take_along_axis", [f(3, 4), ids([1])], axis=1, ref=lambda x, k, axis: x[:, 1:2]),
    OpCase("paddle.take_along_axis", [f(3, 4), ids([0, 3])], axis=1, broadcast=False, ref=lambda x, k,
           **_: x[:1, [0, 3]]),
    OpCase("paddle.put_along_axis", [f(3, 4), ids([0, 3], [1, 2], [2, 0]), f(3, 2)], axis=1, inplace=True,
           ref=put("assign"),
           errors=[bad(IndexError, f(3), ids(2 ** 62), 1.0, axis=0), bad(ValueError, f(3), ids(0), 1.0, axis=0,
                                                                         reduce="any"),
                   bad(ValueError, f(3), ids(0), 1.0, axis=1), bad(TypeError, f(3), ids(0), i(1), axis=0)]),
    OpCase("paddle.put_along_axis", [f(3, 4), ids([1])], values=2.0, axis=1, ref=lambda x, k, values, axis:
           assigned(x, (slice(None), 1), 2.0)),
    *[along(how, own) for how in ("add", "mean", "multiply", "amax", "amin") for own in (True, False)],
    OpCase("paddle.scatter", [f(4, 2), ids(2, 0), f(2, 2)], ref=scattered, inplace=True,
           errors=[bad(IndexError, f(3), ids(3), f(1)), bad(IndexError, f(3), ids(-1), f(1)),
                   bad(ValueError, f(3), ids(0), f(2)),
                   bad(TypeError, f(3), ids(0), i(1)), bad(ValueError, f(), ids(0), f(1))]),
    OpCase("paddle.scatter", [f(4, 2), ids(2, 0, 2), f(3, 2)], overwrite=False, ref=scattered),
    OpCase("paddle.scatter_nd_add", [f(3, 4), ids([0, 1], [0, 1], [2, 3]), f(3)], ref=added,
           more=[[f(3, 4), ids([1], [1]), f(2, 4)]],
           errors=[bad(IndexError, f(3), ids([3]), f(1)), bad(ValueError, f(3), ids([0]), f(2))]),
    OpCase("paddle.scatter_nd", [ids([1], [1]), f(2, 3)], shape=[4, 3], ref=lambda k, u,
           shape: added(np.zeros(shape, u.dtype), k, u),
           errors=[bad(IndexError, ids([4]), f(1), shape=[4])], method=False, rejects_text=False),
    OpCase("paddle.index_add", [i(3, 4), ids(0, 2, 0)], axis=1, value=T(np.arange(9).reshape(3, 3)),
           ref=lambda x, k, axis, value: added(x.T, k[:, None], value.numpy().T).T, inplace=True,
           errors=[bad(IndexError, f(3), ids(-1), 0, f(1)), bad(ValueError, f(3), ids(0), 0, f(2)),
                   bad(ValueError, f(3), ids([0]), 0, f(1))]),
    OpCase("index_add", [f(3, 4), ids(0, 2, 0), f(3, 3)], axis=1, ref=lambda x, k, v,
           axis: added(x.T, k[:, None], v.T).T),
    OpCase("paddle.index_put", [f(3, 4), [ids(0, -1), ids(1, 1)], f(2)], ref=lambda x, k, v: assigned(x, tuple(k), v),
           inplace=True,
           errors=[bad(IndexError, f(3), [ids(3)], f(1)), bad(TypeError, f(3), ids(0), f(1)),
                   bad(ValueError, f(3), [ids(0, 1)], f(3))]),
    OpCase("paddle.index_put", [f(3, 4), [ids(0, 0, 2)], f(4)], accumulate=True, ref=lambda x, k, v, accumulate:
           added(x, k[0][:, None], np.broadcast_to(v, (3, 4)))),
    OpCase("paddle.index_put", [f(3), [const([True, False, True])], f(2)], ref=lambda x, k, v: assigned(x, k[0], v)),
    OpCase("paddle.index_fill", [f(3, 4), ids(0, -1)], axis=1, value=3.0, inplace=True, ref=lambda x, k, axis, value:
           assigned(x, (slice(None), k), 3.0), errors=[bad(IndexError, f(3), ids(3), axis=0, value=1.0)]),
    OpCase("paddle.masked_select", [f(3, 4), b(3, 4)], ref=lambda x, m: x[np.broadcast_to(m, x.shape)],
           more=[[f(3, 4), b(4)], [f(0), b(0)]],
           errors=[bad(TypeError, f(3), f(3)), bad(ValueError, f(3), b(4), named=False)]),
    OpCase("paddle.masked_fill", [f(3, 4), b(4)], value=2.0, ref=lambda x, m,
           value: np.where(m, 2.0, x).astype(x.dtype), inplace=True,
           errors=[bad(TypeError, f(3), f(3), value=1.0), bad(ValueError, f(3), b(3), value=T([1.0, 2.0], "float64"))]),
    OpCase("paddle.masked_scatter", [f(3, 4), b(3, 4), f(12)], ref=lambda x, m, v: assigned(x, m, v[:m.sum()]),
           inplace=True,
           errors=[bad(ValueError, f(3), const([True, True, True]), f(2))]),
    OpCase("paddle.where", [b(3, 4), f(3, 4), f(4)], ref=flipped_where, method=False, inplace=False,
           more=[[b(3), 1, f(3)]], errors=[bad(ValueError, b(3), f(3)), bad(ValueError, b(3), f(3), f(2)),
                                            bad(ValueError, f(3), f(3), f(3), match="bool")]),
    OpCase("paddle.select_scatter", [f(3, 4), f(3)], axis=1, index=-1, ref=lambda x, v, axis,
           index: assigned(x, (slice(None), -1), v),
           errors=[bad(IndexError, f(3, 4), f(4), axis=0, index=3), bad(ValueError, f(3, 4), f(3), axis=0, index=0)]),
    OpCase("paddle.slice_scatter", [f(6, 2), f(3, 2)], axes=[0], starts=[0], ends=[6], strides=[2], ref=lambda x, v,
           **_:
           assigned(x, slice(0, 6, 2), v), errors=[bad(ValueError, f(6), f(4), axes=[0], starts=[0], ends=[6],
                                                       strides=[2],
                                                       named=False)]),
    # ---- rectangles
    OpCase("paddle.slice", [f(3, 4, 5)], axes=[0, -1], starts=[1, -3], ends=[100, -1], ref=lambda x,
           **_: x[1:, :, -3:-1],
           errors=[bad(ValueError, f(3), axes=[1], starts=[0], ends=[1]),
                   bad(ValueError, f(3), axes=[0], starts=[0], ends=[])]),
    OpCase("paddle.strided_slice", [f(3, 4, 5)], axes=[1, 2], starts=[3, 0], ends=[0, 5], strides=[-2, 2],
           ref=lambda x, **_:
           x[:, 3:0:-2, ::2], errors=[bad(ValueError, f(3), axes=[0], starts=[0], ends=[1], strides=[0])]),
    OpCase("slice", [f(3, 4)], axes=[0, 1], starts=[1, -1], ends=[2, 9], decrease_axis=[0, 1], ref=lambda x,
           **_: x[1, -1],
           errors=[bad(IndexError, f(3), axes=[0], starts=[3], ends=[4], decrease_axis=[0])]),
    OpCase("paddle.crop", [f(3, 4)], shape=[2, -1], offsets=[1, 2], ref=lambda x, shape, offsets: x[1:3, 2:],
           method=False,
           errors=[bad(ValueError, f(3), shape=[4]), bad(ValueError, f(3), shape=[1], offsets=[-1]),
                   bad(ValueError, f(3), shape=[1, 1])]),
    # ---- x[...]
    *[get(k) for k in (0, -1, (1, 2), (slice(None), slice(None, None, -1)), (..., 1), (None, slice(1, 3), None, 2),
                       [2, 0, 2],
                       (slice(None), [1, -1]), ([0, 1], [2, -3]), ([0, 1], slice(None), [3, 0]), ([[0], [2]], [1, 3]),
                       (slice(1, None), [0, 1], slice(None, None, 2)), (slice(5, None),), (0, 1, 2), True, ())],
    get([True, False, True]),
    get((slice(None), [True, False, True, True])),
    OpCase(lambda x: x[x > 0], [distinct(3, 4)], ref=lambda x: x[x > 0], name="getitem", rejects_text=False,
           method=False),
    get(np.array([], dtype="int64")),
    *[put_in(k, v) for k, v in ((0, f(4, 5)), ((1, -1), f()), ((slice(None), slice(None, None, -1)), f(5)),
                                ((..., 1), f(3, 1)),
                                ([2, 0], f(2, 4, 5)), ((slice(None), [1, -1]), f(2, 5)),
                                (([0, 1], slice(None), [3, 0]), f(2, 4)),
                                ((slice(None), None, 0), f(3, 1, 5)), ((slice(1, None), [0, 1], slice(None, None, 2)),
                                                                       f(2, 2, 3)),
                                ((0, 1, 2), f()), (slice(None), f()), ((slice(None), [0, 1]), f(1, 1, 2, 1)),
                                ([True, False, True], f(4, 5)))],
]
