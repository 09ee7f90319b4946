"""gradcheck: compare gradients with finite differences."""

import numpy as np

from ..core.backward import grad
from ..core.errors import describe
from ..core.tensor import Tensor, wrap


def gradcheck(func, inputs, eps=1e-6, atol=1e-5, rtol=1e-3, order=1, seed=0, raise_exception=True):
    """Are the gradients of ``func`` right? Compared along random directions with central differences, in float64.

    Args:
        func: function of Tensors returning a Tensor (or a list of Tensors).
        inputs: a list of Tensors; floating ones are checked, as float64.
        order: 2 checks the gradients of the gradients too.
        raise_exception: raise AssertionError with the figures instead of returning False.

    >>> paddle.autograd.gradcheck(lambda x: paddle.sin(x), [paddle.rand([3])])
    True
    """
    given = [inputs] if isinstance(inputs, Tensor) else list(inputs)
    for t in given:
        if not isinstance(t, Tensor):
            raise TypeError(f"gradcheck(): inputs must be Tensors, got {describe(t)}")
    checked = [i for i, t in enumerate(given) if t._data.dtype.kind == "f"]
    if not checked:
        raise ValueError("gradcheck(): no input is of a floating type")
    rng = np.random.default_rng(seed)
    point = [t._data.astype(np.float64) if i in checked else t._data for i, t in enumerate(given)]
    return _check(func, point, checked, rng, eps, atol, rtol, order, raise_exception)


def _leaves(arrays, checked):
    tensors = [wrap(a) for a in arrays]
    for i in checked:
        tensors[i].stop_gradient = False
    return tensors


def _outputs(func, tensors):
    result = func(*tensors)
    return [result] if isinstance(result, Tensor) else list(result)


def _check(func, point, checked, rng, eps, atol, rtol, order, raise_exception):
    def projected(arrays, weights):
        return sum(float((o._data * w).sum()) for o, w in zip(_outputs(func, _leaves(arrays, ())), weights))

    tensors = _leaves(point, checked)
    outs = _outputs(func, tensors)
    weights = [rng.standard_normal(o._data.shape) if o._data.dtype.kind == "f" else np.zeros(o._data.shape) for o in outs]
    live = [(o, wrap(w)) for o, w in zip(outs, weights) if not o.stop_gradient]
    if not live:
        raise ValueError("gradcheck(): no output depends on the inputs")
    grads = grad([o for o, _ in live], [tensors[i] for i in checked], [w for _, w in live], allow_unused=True)
    direction = {i: rng.standard_normal(point[i].shape) for i in checked}
    analytic = sum(float((g._data * direction[i]).sum()) for g, i in zip(grads, checked) if g is not None)

    def moved(step):
        return [p + step * direction[i] if i in checked else p for i, p in enumerate(point)]
    numeric = (projected(moved(eps), weights) - projected(moved(-eps), weights)) / (2 * eps)
    if abs(analytic - numeric) > atol + rtol * abs(numeric):
        if raise_exception:
            raise AssertionError(f"gradcheck(): along a random direction the gradient gives {analytic}, finite differences "
                                 f"{numeric}")
        return False
    if order < 2:
        return True

    def gradient(*tensors):
        leaves = list(tensors)
        for i in checked:
            leaves[i] = leaves[i] if not leaves[i].stop_gradient else _leaves([leaves[i]._data], (0,))[0]
        results = [o for o in _outputs(func, leaves) if not o.stop_gradient]
        found = grad(results, [leaves[i] for i in checked], [w for _, w in live], create_graph=True, allow_unused=True)
        return [f if f is not None else leaves[i] * 0 for f, i in zip(found, checked)]
    return _check(gradient, point, checked, rng, eps, atol, rtol, order - 1, raise_exception)
