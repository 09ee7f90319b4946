"""Functional derivatives of a function of tensors, or of Variables of a program; the stable ones live in paddle.autograd."""

from ...autograd import functional
from ...core.backward import grad as _grad
from ...core.errors import describe
from ...core.op import Symbolic
from ...core.tensor import Tensor
from ...static.backward import tangents as _tangents
from ...tensor.functions import concat, ones_like, stack, zeros_like
from .primapi import _several, disable_prim, enable_prim, forward_grad, grad, gradients, prim2orig, prim_enabled  # noqa: F401

__all__ = ["Hessian", "Jacobian", "disable_prim", "enable_prim", "forward_grad", "grad", "jvp", "prim_enabled", "vjp"]


def _of_program(xs):
    return isinstance(xs[0] if isinstance(xs, (list, tuple)) and xs else xs, Symbolic)


def _zeros_for_none(found, like):
    return [zeros_like(x) if g is None else g for g, x in zip(found, like)]


def vjp(func, xs, v=None):
    """(outputs of func at xs, v times its Jacobian); v defaults to ones. In a program xs and v are Variables.

    >>> paddle.incubate.autograd.vjp(lambda x: x * x, paddle.to_tensor([1., 2.]))[1].tolist()
    [2.0, 4.0]
    """
    if not _of_program(xs):
        return functional.vjp(func, xs, v)
    inputs = functional.separate(_several("vjp", xs=xs))
    ys = func(*inputs)
    outputs = _several("vjp", func=ys)
    given = None if v is None else functional.factors(_several("vjp", v=v), outputs, "vjp")
    found = gradients(outputs, inputs, given)
    found = _zeros_for_none(found, inputs)
    return ys, found if isinstance(xs, (list, tuple)) else found[0]


def jvp(func, xs, v=None):
    """(outputs of func at xs, its Jacobian times v); v defaults to ones. In a program xs and v are Variables.

    >>> paddle.incubate.autograd.jvp(lambda x: x * x, paddle.to_tensor([1., 2.]))[1].tolist()
    [2.0, 4.0]
    """
    if not _of_program(xs):
        return functional.jvp(func, xs, v)
    inputs = functional.separate(_several("jvp", xs=xs))
    ys = func(*inputs)
    outputs = _several("jvp", func=ys)
    given = [ones_like(x) for x in inputs] if v is None else functional.factors(_several("jvp", v=v), inputs, "jvp")
    found = _tangents(outputs, inputs, given, heed_stops=True)
    found = _zeros_for_none(found, outputs)
    return ys, found if isinstance(ys, (list, tuple)) else found[0]


def _slopes(output, inputs):
    """Derivatives of one number by each of the inputs, None where it does not depend on one."""
    if isinstance(output, Symbolic):
        return gradients([output], inputs)
    if output.stop_gradient:
        return [None] * len(inputs)
    return _grad(output, inputs, create_graph=True, allow_unused=True)


class Jacobian:
    """The matrix of derivatives of func at xs, [outputs, inputs] with both flattened, or [batch, outputs, inputs].

    Rows are computed when the matrix is first looked at.

    Args:
        func: from tensors to a tensor or several.
        xs: a Tensor or several; in a program Variables, whose sizes behind the batch are known.
        is_batched: the first axis of all tensors is a batch, whose members don't depend on each other.

    >>> paddle.incubate.autograd.Jacobian(lambda x: x * x, paddle.to_tensor([1., 2.]))[:].tolist()
    [[2.0, 0.0], [0.0, 4.0]]
    """

    def __init__(self, func, xs, is_batched=False):
        self._xs = list(xs) if isinstance(xs, (list, tuple)) else [xs]
        if not callable(func) or not self._xs or not all(isinstance(x, (Tensor, Symbolic)) for x in self._xs):
            raise TypeError(f"{type(self).__name__}(): func must be callable and xs Tensors, got {describe(func)}, {describe(xs)}")
        self._lead = int(bool(is_batched))
        self._leaves = functional.separate(self._xs)
        ys = func(*self._leaves)
        self._ys = self._flat(list(ys) if isinstance(ys, (list, tuple)) else [ys])
        self._matrix = None

    def _flat(self, tensors):
        """Tensors side by side in one, [outputs] or [batch, outputs]."""
        return concat([t.flatten(self._lead) if len(t.shape) > self._lead else t.unsqueeze(-1) for t in tensors], self._lead)

    @property
    def shape(self):
        """Sizes of the matrix."""
        return [*self._ys.shape, self._flat(self._leaves).shape[-1]]

    def _row(self, i):
        output = self._ys[:, i].sum() if self._lead else self._ys[i]
        return self._flat(_zeros_for_none(_slopes(output, self._leaves), self._leaves))

    def __getitem__(self, index):
        if self._matrix is None:
            self._matrix = stack([self._row(i) for i in range(self._ys.shape[self._lead])], self._lead)
        return self._matrix[index]


class Hessian(Jacobian):
    """The matrix of second derivatives of a function with one number as its result, [inputs, inputs], or one for each member
    of a batch. See ``Jacobian`` for the arguments.

    >>> paddle.incubate.autograd.Hessian(lambda x: (x ** 3).sum(), paddle.to_tensor([1., 2.]))[:].tolist()
    [[6.0, 0.0], [0.0, 12.0]]
    """

    def __init__(self, func, xs, is_batched=False):
        def slope(*inputs):
            y = func(*inputs)
            if not isinstance(y, (Tensor, Symbolic)) or any(n != 1 for n in y.shape[int(is_batched):]):
                raise RuntimeError(f"Hessian(): func must return one number{' for each of the batch' if is_batched else ''}, "
                                   f"got {describe(y)}")
            return _zeros_for_none(_slopes(y.sum(), list(inputs)), inputs)
        super().__init__(slope, xs, is_batched)
