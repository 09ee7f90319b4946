"""Functional derivatives of a function of tensors; the stable ones live in paddle.autograd."""

from ...autograd.functional import jvp, vjp
from ...core.backward import grad as _grad
from ...core.errors import describe
from ...core.tensor import Tensor
from ...tensor.functions import concat, stack, zeros_like
from .primapi import disable_prim, enable_prim, forward_grad, grad, prim2orig, prim_enabled  # noqa: F401

__all__ = ["Hessian", "Jacobian", "disable_prim", "enable_prim", "forward_grad", "grad", "jvp", "prim_enabled", "vjp"]


class Jacobian:
    """The matrix of derivatives of func at xs, [outputs, inputs] with both flattened, or [batch, outputs, inputs].

    Rows are computed when the matrix is first looked at.

    Args:
        func: from tensors to a tensor or several.
        xs: a tensor or several.
        is_batched: the first axis of all tensors is a batch, whose members don't depend on each other.

    >>> paddle.incubate.autograd.Jacobian(lambda x: x * x, paddle.to_tensor([1., 2.]))[:].tolist()
    [[2.0, 0.0], [0.0, 4.0]]
    """

    def __init__(self, func, xs, is_batched=False):
        self._xs = [xs] if isinstance(xs, Tensor) else list(xs)
        if not callable(func) or not all(isinstance(x, Tensor) for x in self._xs):
            raise TypeError(f"{type(self).__name__}(): func must be callable and xs Tensors, got {describe(func)}, {describe(xs)}")
        self._lead = int(bool(is_batched))
        leaves = [x.detach() for x in self._xs]
        for leaf in leaves:
            leaf.stop_gradient = False
        ys = func(*leaves)
        self._leaves, self._ys = leaves, self._flat([ys] if isinstance(ys, Tensor) else list(ys))
        self._matrix = None

    def _flat(self, tensors):
        """Tensors side by side in one, [outputs] or [batch, outputs]."""
        return concat([t.reshape([*t.shape[:self._lead], -1]) for t in tensors], self._lead)

    @property
    def shape(self):
        """Sizes of the matrix."""
        return [*self._ys.shape, self._flat(self._leaves).shape[-1]]

    def _row(self, i):
        output = self._ys[:, i].sum() if self._lead else self._ys[i]
        found = [None] * len(self._leaves)
        if not output.stop_gradient:
            found = _grad(output, self._leaves, create_graph=True, allow_unused=True)
        return self._flat([zeros_like(x) if g is None else g for g, x in zip(found, self._leaves)])

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
            if not isinstance(y, Tensor) or y.size != (inputs[0].shape[0] if is_batched else 1):
                raise ValueError(f"Hessian(): func must return one number{' for each of the batch' if is_batched else ''}, "
                                 f"got {describe(y)}")
            return [zeros_like(x) if g is None else g
                    for g, x in zip(_grad(y.sum(), list(inputs), create_graph=True, allow_unused=True), inputs)]
        super().__init__(slope, xs, is_batched)
