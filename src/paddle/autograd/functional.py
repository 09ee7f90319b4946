"""Products with Jacobians, whole Jacobians and Hessians."""

import numpy as np

from ..core.addresses import lookup as _lookup
from ..core.autograd import enable_grad
from ..core.backward import grad
from ..core.errors import describe
from ..core.op import Symbolic
from ..core.tensor import Tensor, wrap
from ..tensor.functions import assign, stack


def _list(value, function, argument):
    items = [value] if isinstance(value, Tensor) else value
    if not isinstance(items, (list, tuple)) or not items or not all(isinstance(t, Tensor) for t in items):
        raise TypeError(f"{function}(): {argument} must be a Tensor or a list of Tensors, got {describe(value)}")
    return list(items)


def separate(tensors):
    """Tensors of the same values to derive by: those that receive gradients lead on to what they came from, others to nothing."""
    found = [assign(t) if isinstance(t, Symbolic) or not t.stop_gradient else t.detach() for t in tensors]
    for t in found:
        t.stop_gradient = False
    return found


def _zeros_for_none(grads, tensors):
    return [wrap(np.zeros(t._data.shape, t._data.dtype)) if g is None else g for g, t in zip(grads, tensors)]


def factors(v, like, function):
    """The Tensors or Variables to multiply a Jacobian by, None for none, each of the shape of what it goes with."""
    if v is None:
        return None
    if len(v) != len(like):
        raise RuntimeError(f"{function}(): v must have {len(like)} tensors, got {len(v)}")
    for k, (t, other) in enumerate(zip(v, like)):
        if len(t.shape) != len(other.shape) or any(n != m and -1 not in (n, m) for n, m in zip(t.shape, other.shape)):
            raise RuntimeError(f"{function}(): v[{k}] must have shape {list(other.shape)}, got {list(t.shape)}")
    return v


def vjp(func, xs, v=None):
    """(outputs of func at xs, v times its Jacobian); v defaults to ones.

    >>> _, g = paddle.autograd.vjp(lambda x: x * x, paddle.to_tensor([1., 2.]))
    >>> g.tolist()
    [2.0, 4.0]
    """
    with enable_grad():
        leaves = separate(_list(xs, "vjp", "xs"))
        ys = func(*leaves)
        outs = _list(ys, "vjp", "the result of func")
        given = factors(None if v is None else _list(v, "vjp", "v"), outs, "vjp")
        grads = grad(outs, leaves, given, create_graph=True, allow_unused=True)
    grads = _zeros_for_none(grads, leaves)
    return ys, grads[0] if isinstance(xs, Tensor) else grads


def jvp(func, xs, v=None):
    """(outputs of func at xs, its Jacobian times v); v defaults to ones. Computed by differentiating a vjp twice.

    >>> _, d = paddle.autograd.jvp(lambda x: x * x, paddle.to_tensor([1., 2.]))
    >>> d.tolist()
    [2.0, 4.0]
    """
    with enable_grad():
        leaves = separate(_list(xs, "jvp", "xs"))
        ys = func(*leaves)
        outs = _list(ys, "jvp", "the result of func")
        dummies = separate([wrap(np.zeros(o._data.shape, o._data.dtype)) for o in outs])
        pulled = grad(outs, leaves, dummies, create_graph=True, allow_unused=True)
        tangents = factors(None if v is None else _list(v, "jvp", "v"), leaves, "jvp")
        tangents = [wrap(np.ones(t._data.shape, t._data.dtype)) for t in leaves] if tangents is None else tangents
        pairs = [(p, t) for p, t in zip(pulled, tangents) if p is not None and not p.stop_gradient]
        pushed = grad([p for p, _ in pairs], dummies, [t for _, t in pairs], create_graph=True,
                      allow_unused=True) if pairs else [None] * len(outs)
    pushed = _zeros_for_none(pushed, outs)
    return ys, pushed[0] if isinstance(ys, Tensor) else pushed


def _operator(name):
    """An operator of tensors for matrices that are computed when they are needed."""
    def compute(self, *others):
        return getattr(self._all(), name)(*[other._all() if isinstance(other, _Matrix) else other for other in others])
    compute.__name__ = compute.__qualname__ = name
    return compute


def _check_batch_axis(batch_axis, function):
    if batch_axis not in (None, 0):
        raise ValueError(f"{function}(): batch_axis must be None or 0, got {batch_axis}")


def _check_axes(tensor, lead, name, function):
    if not lead <= tensor._data.ndim <= 1 + lead:
        raise ValueError(f"{function}(): {name} must have {lead} or {lead + 1} dimensions with batch_axis="
                         f"{0 if lead else None}, got shape {tensor.shape}")


class _Matrix:
    """A lazily computed Jacobian or Hessian of one output and one input: rows are computed when they are looked at."""

    def __init__(self, y, x, batch_axis, function):
        _check_batch_axis(batch_axis, function)
        lead = 0 if batch_axis is None else 1
        for t, name in ((y, "ys"), (x, "xs")):
            _check_axes(t, lead, name, function)
        self._y, self._x, self._batched = y, x, batch_axis is not None
        self._rows = {}

    @property
    def shape(self):
        """Sizes of the matrix: outputs by inputs (behind the batch)."""
        lead = 1 if self._batched else 0
        batch = [self._y.shape[0]] if self._batched else []
        return batch + list(self._y.shape[lead:]) + list(self._x.shape[lead:])

    def _row(self, i):
        if i not in self._rows:
            with enable_grad():
                flat = self._y.reshape([self._y.shape[0], -1] if self._batched else [-1])
                picked = flat[:, i].sum() if self._batched else flat[i]
                g = grad([picked], [self._x], create_graph=True, allow_unused=True)[0] if not picked.stop_gradient else None
            self._rows[i] = wrap(np.zeros(self._x._data.shape, self._x._data.dtype)) if g is None else g
        return self._rows[i]

    def _all(self):
        lead = 1 if self._batched else 0
        n = int(np.prod(self._y._data.shape[lead:]))
        rows = [self._row(i) for i in range(n)]
        if self._y._data.ndim == lead:
            return rows[0]
        return stack(rows, axis=lead)

    def __getitem__(self, index):
        return self._all()[index]

    def numpy(self):
        """The whole matrix as a NumPy array."""
        return self._all().numpy()

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self._all()._data, dtype)

    def __repr__(self):
        return repr(self._all())

    def __getattr__(self, name):
        return getattr(self._all(), name)

    def __len__(self):
        return self.shape[0]

    __add__, __radd__, __sub__, __rsub__ = map(_operator, ("__add__", "__radd__", "__sub__", "__rsub__"))
    __mul__, __rmul__, __truediv__, __rtruediv__ = map(_operator, ("__mul__", "__rmul__", "__truediv__", "__rtruediv__"))
    __matmul__, __rmatmul__, __pow__, __rpow__ = map(_operator, ("__matmul__", "__rmatmul__", "__pow__", "__rpow__"))
    __floordiv__, __mod__, __neg__, __abs__ = map(_operator, ("__floordiv__", "__mod__", "__neg__", "__abs__"))
    __lt__, __le__, __gt__, __ge__ = map(_operator, ("__lt__", "__le__", "__gt__", "__ge__"))
    __eq__, __ne__ = map(_operator, ("__eq__", "__ne__"))
    __hash__ = object.__hash__


def _pairs(ys, xs, make):
    single_y, single_x = isinstance(ys, Tensor), isinstance(xs, Tensor)
    if single_y and single_x:
        return make(ys, xs)
    if single_y:
        return tuple(make(ys, x) for x in xs)
    if single_x:
        return tuple(make(y, xs) for y in ys)
    return tuple(tuple(make(y, x) for x in xs) for y in ys)


def jacobian(ys, xs, batch_axis=None):
    """The Jacobian of ``ys`` with respect to ``xs``, computed row by row as it is looked at.

    For lists the result is a tuple (of tuples). With ``batch_axis=0`` samples are independent.

    >>> x = paddle.to_tensor([1., 2.], stop_gradient=False)
    >>> paddle.autograd.jacobian(x * x, x)[:].tolist()
    [[2.0, 0.0], [0.0, 4.0]]
    """
    _list(ys, "jacobian", "ys"), _list(xs, "jacobian", "xs")
    return _pairs(ys, xs, lambda y, x: _Matrix(y, x, batch_axis, "jacobian"))


def hessian(ys, xs, batch_axis=None):
    """The Hessian of a scalar ``ys`` with respect to ``xs``, computed row by row as it is looked at.

    >>> x = paddle.to_tensor([1., 2.], stop_gradient=False)
    >>> paddle.autograd.hessian((x * x * x).sum(), x)[:].tolist()
    [[6.0, 0.0], [0.0, 12.0]]
    """
    if not isinstance(ys, Tensor):
        raise TypeError(f"hessian(): ys must be one Tensor, got {describe(ys)}")
    _check_batch_axis(batch_axis, "hessian")
    size = ys._data.size if batch_axis is None else ys._data.size // max(ys._data.shape[0], 1)
    if size != 1:
        raise ValueError(f"hessian(): ys must have one element{' per sample' if batch_axis == 0 else ''}, got shape {ys.shape}")
    inputs = _list(xs, "hessian", "xs")
    for x in inputs:
        _check_axes(x, 0 if batch_axis is None else 1, "xs", "hessian")
    with enable_grad():
        first = _zeros_for_none(grad([ys], inputs, create_graph=True, allow_unused=True), inputs)
    return _pairs(first[0] if isinstance(xs, Tensor) else first, xs,
                  lambda y, x: _Matrix(y, x, batch_axis, "hessian"))


__getattr__ = _lookup(__name__)
