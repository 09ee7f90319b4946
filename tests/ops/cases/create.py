"""Tensors from numbers, diagonals, triangles, complex numbers."""

import itertools

import numpy as np
from opcase import OpCase, bad, f, i, pos

NO = {"grad": False, "rejects_text": False}


def full(shape, fill_value, dtype=None):
    return np.full(shape, fill_value, dtype or "float32")


def diagonal_into(x, y, offset=0, axis1=0, axis2=1):
    out = x.copy()
    view = np.diagonal(out, offset, axis1, axis2)
    view.flags.writeable = True
    view[...] = y
    return out


def block_diag(xs):
    xs = [np.atleast_2d(x) for x in xs]
    out = np.zeros((sum(x.shape[0] for x in xs), sum(x.shape[1] for x in xs)), xs[0].dtype)
    r = k = 0
    for x in xs:
        out[r:r + x.shape[0], k:k + x.shape[1]] = x
        r, k = r + x.shape[0], k + x.shape[1]
    return out


CASES = [
    OpCase("paddle.full", [[2, 3]], fill_value=2.5, ref=full, more=[[[]], [[0, 3]]], **NO,
           errors=[bad(ValueError, [-1], fill_value=1), bad(TypeError, [2], fill_value="a"),
                   bad(TypeError, "a", fill_value=1)]),
    OpCase("paddle.full", [(2,)], fill_value=2.9, dtype="int32", ref=lambda s, fill_value, dtype: full(s, 2, dtype),
           **NO),
    OpCase("paddle.zeros", [[2, 3]], dtype="int64", ref=np.zeros, **NO),
    OpCase("paddle.ones", [[2, 3]], dtype="float64", ref=np.ones, **NO),
    OpCase("paddle.empty", [[2, 0]], ref=lambda s: np.zeros(s), **NO, errors=[bad(ValueError, [-1])]),
    OpCase("paddle.full_like", [f(2, 3)], fill_value=3, ref=lambda x, fill_value: np.full_like(x, 3), grad=False),
    OpCase("paddle.zeros_like", [f(2, 3)], dtype="int32", ref=np.zeros_like, grad=False),
    OpCase("paddle.ones_like", [i(2, 3)], ref=np.ones_like, grad=False),
    OpCase("paddle.empty_like", [f(2, 3)], check=lambda out, x: out.shape == [2, 3] and out.numpy().dtype == x.dtype,
           grad=False),
    OpCase("fill_constant_batch_size_like", [f(4, 3)], shape=[-1, 2], value=5.0, dtype="float32", grad=False,
           ref=lambda x, shape, value, dtype: np.full((4, 2), value, dtype)),
    OpCase("assign_value", [], shape=[2, 2], dtype="int32", values=[1, 2, 3, 4], ref=lambda shape, dtype, values:
           np.array(values, dtype).reshape(shape), **NO),
    OpCase("paddle.arange", [1, 9], step=3, ref=np.arange, **NO, more=[[9, 1]],
           errors=[bad(ValueError, 1, 2, 0), bad(TypeError, "a")]),
    OpCase("paddle.arange", [0.0, 1.0], step=0.3, ref=lambda a, e, step: np.arange(a, e, step).astype("float32"), **NO),
    OpCase("paddle.linspace", [1, 4, 7], ref=lambda a, e, n: np.linspace(a, e, n).astype("float32"), **NO,
           errors=[bad(ValueError, 0, 1, 0)]),
    OpCase("paddle.logspace", [0, 3, 4], base=2.0, dtype="float64", ref=lambda a, e, n, base, dtype:
           np.logspace(a, e, n, base=base), **NO),
    OpCase("paddle.eye", [3, 4], dtype="int32", ref=np.eye, **NO, errors=[bad(ValueError, -1)]),
    OpCase("paddle.tril_indices", [3, 4], offset=-1, ref=lambda r, k, offset: np.stack(np.tril_indices(r, offset, k)),
           **NO),
    OpCase("paddle.triu_indices", [3, 4], offset=1, ref=lambda r, k, offset: np.stack(np.triu_indices(r, offset, k)),
           **NO),
    OpCase("paddle.assign", [f(2, 3)], ref=np.copy, more=[[f(0, 2)], [f()]]),
    OpCase("paddle.clone", [f(2, 3)], ref=np.copy),
    OpCase("share_data", [f(2, 3)], ref=np.copy),
    OpCase("memcpy", [f(2, 3)], ref=np.copy),
    OpCase("paddle.shape", [f(2, 3)], ref=lambda x: np.array(x.shape), grad=False, more=[[f()]]),
    OpCase("paddle.numel", [f(2, 3)], ref=np.size, grad=False, more=[[f(0, 3)]]),
    OpCase("paddle.rank", [f(2, 3)], ref=np.ndim, grad=False, more=[[f()]]),
    OpCase("paddle.is_empty", [f(2, 0)], ref=lambda x: np.array(True), grad=False),
    # ---- diagonals and triangles
    OpCase("paddle.diag", [f(3)], offset=-1, padding_value=2.0, ref=lambda x, offset, padding_value:
           np.where(np.eye(4, k=-1, dtype=bool), np.diag(x, -1), 2.0).astype(x.dtype),
           errors=[bad(ValueError, f(2, 2, 2))]),
    OpCase("paddle.diag", [f(3, 4)], offset=1, ref=lambda x, offset: np.diag(x, offset)),
    OpCase("paddle.diagflat", [f(2, 2)], offset=1, ref=lambda x, offset: np.diagflat(x, offset)),
    OpCase("paddle.diag_embed", [f(2, 3)], offset=1, ref=lambda x, offset: np.stack([np.diag(r, 1) for r in x]),
           errors=[bad(ValueError, f(3), dim1=0, dim2=0), bad(ValueError, f(3), dim1=5)]),
    OpCase("paddle.diag_embed", [f(2, 3)], dim1=0, dim2=2, ref=lambda x, dim1, dim2:
           np.moveaxis(np.stack([np.diag(r) for r in x]), 0, 1)),
    OpCase("paddle.diagonal", [f(2, 3, 4)], offset=1, axis1=-1, axis2=1, ref=lambda x, **k: np.diagonal(x, *k.values()),
           errors=[bad(ValueError, f(3)), bad(ValueError, f(2, 3), axis1=0, axis2=0),
                   bad(ValueError, f(2, 3), axis1=-2 ** 40)]),
    OpCase("paddle.tril", [f(2, 3, 4)], diagonal=1, ref=lambda x, diagonal: np.tril(x, 1), inplace=True, small=False,
           errors=[bad(ValueError, f(3))]),
    OpCase("paddle.triu", [f(3, 4)], diagonal=-1, ref=lambda x, diagonal: np.triu(x, -1), inplace=True, small=False),
    OpCase("paddle.Tensor.fill_diagonal_tensor", [f(3, 4), f(3)], offset=1, ref=diagonal_into, inplace=True,
           errors=[bad(ValueError, f(3, 4), f(2)), bad(TypeError, f(2, 2), i(2))]),
    OpCase("paddle.diagonal_scatter", [f(2, 3, 4), f(3, 2)], axis1=0, axis2=2, ref=diagonal_into),
    OpCase("fill_diagonal", [f(4, 3)], value=2.0, offset=-1, ref=lambda x, value, offset:
           np.where(np.eye(4, 3, -1, dtype=bool) & (np.arange(4) < 3)[:, None], 2.0, x).astype(x.dtype), small=False),
    OpCase("fill_diagonal", [f(7, 3)], value=2.0, wrap=True, ref=lambda x, value, wrap:
           (lambda y: (np.fill_diagonal(y, 2.0, True), y)[1])(x.copy()), small=False),
    OpCase("fill_diagonal", [f(3, 3, 3)], value=2.0, wrap=True, ref=lambda x, value,
           wrap: (lambda y: (np.fill_diagonal(y, 2.0),
                                                                                      y)[1])(x.copy()),
           small=False, errors=[bad(ValueError, f(2, 3, 3)), bad(ValueError, f(3))]),
    # ---- complex numbers and constructions
    OpCase("paddle.complex", [f(3, 1), f(2)], ref=lambda x, y: x + 1j * y, errors=[bad(TypeError, i(2), i(2))]),
    OpCase("paddle.polar", [pos(3), f(3)], ref=lambda r, a: r * np.exp(1j * a)),
    OpCase("paddle.vander", [f(3)], n=4, increasing=True, ref=lambda x, n, increasing: np.vander(x, n, increasing),
           errors=[bad(ValueError, f(2, 2)), bad(ValueError, f(2), n=-1)]),
    OpCase("paddle.vander", [f(3)], ref=np.vander, unknown=False),
    OpCase("paddle.block_diag", [[f(2, 3), f(2), f()]], unknown=False, ref=block_diag,
           errors=[bad(ValueError, [f(2, 2, 2)]), bad(TypeError, 3)]),
    OpCase("paddle.combinations", [f(4)], unknown=False, r=3, ref=lambda x,
           r: np.array(list(itertools.combinations(x, r))),
           errors=[bad(ValueError, f(2, 2)), bad(ValueError, f(2), r=-1)]),
    OpCase("paddle.combinations", [i(3)], r=2, with_replacement=True, ref=lambda x, r, with_replacement:
           np.array(list(itertools.combinations_with_replacement(x, r)))),
    OpCase("paddle.cartesian_prod", [[f(2), f(3)]], ref=lambda x: np.array(list(itertools.product(*x)))),
    OpCase("paddle.Tensor.fill_diagonal_", [i(3, 3)], value=7, check=lambda out, x,
           **_: (out.numpy().diagonal() == 7).all(),
           rejects_text=False),
]
