"""Running sums, products and extremes; statistics over axes."""

import numpy as np
from opcase import OpCase, away, b, bad, const, distinct, f, i

import paddle
from paddle.ops.math.cumulative import logcumsumexp as logcumsumexp_op

zeros_inside = const([[1.5, 0.0, 2.0, -1.0], [0.0, 0.0, 3.0, 0.5], [0.3, -0.7, 1.1, 2.0]])


def others(name, ref, inputs=None, **more):
    """A case of a reduction with every way of giving axes among its further inputs."""
    return OpCase("paddle." + name, [inputs or distinct(2, 3, 4)], ref=ref, **more)


def keep(function):
    return lambda x, axis=None, keepdim=False: function(x, axis=tuple(axis) if isinstance(axis, list) else axis, keepdims=keepdim)


def logsumexp(x, axis=None, keepdim=False):
    return np.log(np.sum(np.exp(x), axis=tuple(axis) if isinstance(axis, list) else axis, keepdims=keepdim))


def exclusive_log(reverse):
    """The op, with the logarithms of empty sums (lowest finite numbers) cut to -50."""
    return lambda x: paddle.clip(logcumsumexp_op(x, 1, False, True, reverse), -50.0)


def exclusive_log_ref(reverse):
    def ref(x):
        sums = np.cumsum(np.exp(x[:, ::-1] if reverse else x), 1)[:, :-1]
        logs = np.concatenate([np.full((len(x), 1), -50.0, x.dtype), np.log(sums)], 1)
        return logs[:, ::-1] if reverse else logs
    return ref


def running(function, better):
    def ref(x, axis=None):
        y = x.reshape(-1) if axis is None else x
        out = function.accumulate(y, axis or 0)
        places = np.zeros(y.shape, np.int64)
        rows, found = np.moveaxis(y, axis or 0, 0), np.moveaxis(places, axis or 0, 0)
        for k in range(1, len(rows)):
            found[k] = np.where(better(rows[k], np.take_along_axis(rows, found[k - 1][None], 0)[0]), k, found[k - 1])
        return [out, places]
    return ref


def trapezoid(y, x=None, dx=1.0, axis=-1):
    return getattr(np, "trapezoid", None)(y, x, dx, axis) if hasattr(np, "trapezoid") else np.trapz(y, x, dx, axis)


def quantile(x, q, axis=None, keepdim=False):
    return np.quantile(x.astype("float64"), q, axis=tuple(axis) if isinstance(axis, list) else axis, keepdims=keepdim)


CASES = [
    OpCase("paddle.cumsum", [f(3, 4)], ref=lambda x: np.cumsum(x), more=[[f(0)], [f()]], inplace=False,
           errors=[bad(ValueError, f(2), axis=3), bad(TypeError, f(2), axis="a")]),
    OpCase("paddle.cumsum", [f(3, 4)], axis=-1, ref=lambda x, axis: np.cumsum(x, axis), more=[[f(0, 2)]]),
    OpCase("cumsum", [f(3, 4)], axis=0, exclusive=True, reverse=True,
           ref=lambda x, axis, exclusive, reverse: np.cumsum(x[::-1], 0)[::-1] - x),
    OpCase("paddle.cumprod", [f(3, 4)], dim=1, ref=lambda x, dim: np.cumprod(x, dim), more=[[f(0, 2)]], inplace=True,
           errors=[bad(ValueError, f(2), dim=1)], name="cumprod"),
    OpCase("paddle.cumprod", [zeros_inside], dim=1, ref=lambda x, dim: np.cumprod(x, dim)),
    OpCase("paddle.cumprod", [f(2, 3)], ref=lambda x: np.cumprod(x), inplace=False),
    OpCase("paddle.logcumsumexp", [f(3, 4)], axis=1, ref=lambda x, axis: np.log(np.cumsum(np.exp(x), axis)),
           errors=[bad(ValueError, f(2), axis=1)]),
    OpCase("paddle.logcumsumexp", [f(2, 3)], ref=lambda x: np.log(np.cumsum(np.exp(x)))),
    *[OpCase(exclusive_log(reverse), [f(3, 4)], ref=exclusive_log_ref(reverse), name="logcumsumexp_exclusive", rejects_text=False,
             method=False) for reverse in (False, True)],
    OpCase("logcumsumexp", [f(3, 4)], axis=0, reverse=True,
           ref=lambda x, axis, reverse: np.log(np.cumsum(np.exp(x)[::-1], 0))[::-1]),
    OpCase("paddle.cummax", [distinct(3, 4)], axis=1, ref=running(np.maximum, np.greater),
           errors=[bad(ValueError, f(2), axis=2), bad(TypeError, f(2), dtype="float32")]),
    OpCase("paddle.cummin", [distinct(3, 4)], ref=running(np.minimum, np.less)),
    OpCase("paddle.diff", [f(3, 4)], ref=np.diff,
           errors=[bad(ValueError, f(2), n=0), bad(ValueError, f()), bad(ValueError, f(2), axis=3)]),
    OpCase("paddle.diff", [f(3, 4)], n=2, axis=0, ref=lambda x, n, axis: np.diff(x, n, axis)),
    OpCase(lambda x, a, z: paddle.diff(x, prepend=a, append=z), [f(3, 4), f(3, 1), f(3, 2)],
           ref=lambda x, a, z: np.diff(x, prepend=a, append=z), name="diff_joined", rejects_text=False, method=False),
    OpCase("paddle.trapezoid", [f(3, 4)], ref=trapezoid, errors=[bad(ValueError, f(3), f(3), 1.0)]),
    OpCase("paddle.trapezoid", [f(3, 4), f(4)], axis=-1, ref=trapezoid),
    OpCase("paddle.trapezoid", [f(3, 4), None, const(2)], ref=trapezoid, grad=[0], unknown=False),
    OpCase("paddle.cumulative_trapezoid", [f(3, 4)], dx=0.5,
           ref=lambda y, dx: np.cumsum((y[:, 1:] + y[:, :-1]) * dx / 2, -1)),
    others("prod", keep(np.prod), errors=[bad(ValueError, f(2), axis=1)], more=[[f(0, 2)], [f()]]),
    others("prod", keep(np.prod), axis=[0, 2], keepdim=True),
    others("prod", keep(np.prod), zeros_inside, axis=1),
    others("logsumexp", logsumexp, f(2, 3, 4), errors=[bad(ValueError, f(2), axis=[0, 0])], more=[[f()]]),
    others("logsumexp", logsumexp, f(2, 3, 4), axis=[0, 2], keepdim=True),
    others("all", keep(np.all), b(3, 4), grad=False, errors=[bad(ValueError, b(2), axis=4)]),
    others("any", keep(np.any), b(3, 4), axis=1, grad=False),
    others("count_nonzero", lambda x, axis: np.count_nonzero(x, axis), axis=0, grad=False),
    others("nansum", keep(np.nansum), f(3, 4), axis=0),
    OpCase(lambda x: paddle.nansum(x.detach()), [const([1.0, np.nan, 2.0])], ref=lambda x: np.asarray(np.nansum(x)), grad=False,
           name="nansum_of_nan", rejects_text=False, method=False, static=False),
    others("nanmean", keep(np.nanmean), f(3, 4), axis=1),
    OpCase("paddle.var", [f(3, 4)], axis=1, ref=lambda x, axis: np.var(x, axis, ddof=1),
           errors=[bad(ValueError, f(2), axis=1)]),
    OpCase("paddle.std", [f(3, 4)], unbiased=False, ref=lambda x, unbiased: np.asarray(np.std(x))),
    OpCase("paddle.median", [distinct(3, 4)], unknown=False, ref=lambda x: np.asarray(np.median(x)), tol=1e-6,
           errors=[bad(ValueError, f(0)), bad(ValueError, f(2), axis=1)]),
    OpCase("paddle.median", [distinct(3, 4)], axis=0, keepdim=True, unknown=False,
           ref=lambda x, axis, keepdim: np.median(x, axis, keepdims=keepdim)),
    OpCase("paddle.nanmedian", [distinct(3, 4)], ref=lambda x: np.asarray(np.nanmedian(x)),
           errors=[bad(ValueError, f(0)), bad(ValueError, f(2), axis=1)], more=[[const([1.0, np.nan, 5.0, 2.0])]]),
    OpCase("paddle.nanmedian", [distinct(2, 3, 4)], axis=[0, 2], keepdim=True,
           ref=lambda x, axis, keepdim: np.nanmedian(x, tuple(axis), keepdims=keepdim)),
    OpCase("paddle.quantile", [distinct(3, 4)], q=0.3, unknown=False, ref=quantile, dtypes=("float64",),
           errors=[bad(ValueError, f(2), q=1.5), bad(ValueError, f(0), q=0.5)]),
    OpCase("paddle.quantile", [distinct(3, 4)], q=[0.25, 0.9], axis=1, ref=quantile, dtypes=("float64",)),
    OpCase("paddle.nanquantile", [distinct(3, 4)], q=0.4, axis=0, unknown=False, ref=quantile, dtypes=("float64",)),
    OpCase("paddle.bincount", [i(6)], ref=np.bincount, grad=False,
           errors=[bad(ValueError, const([-1])), bad(TypeError, f(2)), bad(ValueError, i(2, 2)), bad(ValueError, i(2), minlength=-1)]),
    OpCase("paddle.bincount", [i(6), f(6)], minlength=8, ref=lambda x, w, minlength: np.bincount(x, w, minlength), grad=False, unknown=False),
    OpCase("paddle.histogram", [f(20)], bins=5, min=-1, max=1, grad=False,
           ref=lambda x, bins, min, max: np.histogram(x, bins, (min, max))[0],
           errors=[bad(ValueError, f(2), bins=0), bad(ValueError, f(2), min=2, max=1)]),
    OpCase("paddle.multiplex", [[f(4, 3), f(4, 3)], const([[1], [0], [0], [1]])],
           ref=lambda xs, ids: np.stack([xs[k][r] for r, k in enumerate(ids.ravel())]),
           errors=[bad(IndexError, [f(2, 3), f(2, 3)], const([[0], [2]])), bad(ValueError, [f(2, 3), f(3, 3)], const([[0], [1]]))]),
    OpCase("shift_one", [f(3, 4)], axis=1, fill=2.0, ref=lambda x, axis, fill: np.concatenate(
        [np.full((3, 1), fill, x.dtype), x[:, :-1]], 1)),
    OpCase("linear_scan", [f(4), f(4)], ref=lambda a, z: np.array([
        a[0], a[1] + z[1] * a[0], a[2] + z[2] * (a[1] + z[1] * a[0]), a[3] + z[3] * (a[2] + z[2] * (a[1] + z[1] * a[0]))]),
        small=False),
    OpCase("linear_scan", [f(3), f(3)], reverse=True, small=False,
           ref=lambda a, z, reverse: np.array([a[0] + z[1] * (a[1] + z[2] * a[2]), a[1] + z[2] * a[2], a[2]])),
    OpCase("median_positions", [const([[3.0, 1.0, 2.0]])], grad=False, ref=lambda x: np.array([[2, 2]])),
    OpCase("paddle.renorm", [away(3, 4)], p=2.0, axis=0, max_norm=1.0, tol=1e-5, inplace=True, dtypes=("float32",),
           ref=lambda x, p, axis, max_norm: x * np.minimum(1, max_norm / np.sqrt((x * x).sum(1, keepdims=True))),
           errors=[bad(ValueError, f(), p=2.0, axis=0, max_norm=1.0), bad(ValueError, f(2, 2), p=-1.0, axis=0, max_norm=1.0)]),
    OpCase("paddle.dist", [f(3, 4), f(4)], ref=lambda x, y: np.asarray(np.linalg.norm(x - y)),
           errors=[bad(ValueError, f(2), f(3))]),
    *[OpCase("paddle.dist", [distinct(3), f(3, low=5, high=6)], p=p,
             ref=lambda x, y, p: np.asarray(np.linalg.norm(x - y, p))) for p in (1.0, 3.0, np.inf, 0.5)],
    OpCase("paddle.cdist", [f(3, 4), f(2, 4)], bits=False, ref=lambda x, y: np.linalg.norm(x[:, None] - y[None], axis=-1),
           errors=[bad(ValueError, f(3), f(3)), bad(ValueError, f(2, 3), f(2, 4)), bad(ValueError, f(2, 3), f(2, 3), p=-1)]),
    OpCase("p_norm", [away(3, 4)], porder=3.0, axis=0, keepdim=True,
           ref=lambda x, porder, axis, keepdim: np.linalg.norm(x, porder, axis, keepdims=keepdim)),
    OpCase("frobenius_norm", [away(3, 4)], ref=lambda x: np.asarray(np.linalg.norm(x))),
    OpCase("norm_over", [away(3, 4)], p=2.0, axis=(1,), ref=lambda x, p, axis: np.linalg.norm(x, axis=1, keepdims=True)),
    OpCase("renorm_scale", [f(3, low=1.5, high=2.0)], ref=lambda x: 1 / (x + x.dtype.type(1e-7)), tol=1e-6),
    OpCase("renorm_over", [f(3, low=0.0, high=2.0)], ref=lambda x: (x > 1).astype(x.dtype), grad=False),
    OpCase("safe_ratio", [f(3), away(3)], ref=lambda x, y: x / y),
]
