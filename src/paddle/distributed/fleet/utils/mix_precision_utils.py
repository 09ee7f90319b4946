"""Training with 16-bit parameters whose gradients are added up in float32, in ``main_grad``."""

import weakref

import numpy as np

from ....core.addresses import lookup as _lookup
from ....core.autograd import no_grad
from ....core.context import process
from ....core.rows_tensor import whole_array
from ....core.tensor import ZERO, wrap
from ....nn import Layer
from .hybrid_parallel_util import obtain_optimizer_parameters_list


class MixPrecisionLayer(Layer):
    """A layer whose parameters' gradients go into ``main_grad``, float32, as soon as backward has them; ``grad`` stays None."""

    def __init__(self, layers, dtype="float16"):
        if dtype not in ("float16", "bfloat16"):
            raise ValueError(f"MixPrecisionLayer(): dtype must be 'float16' or 'bfloat16', got {dtype!r}")
        super().__init__(layers.full_name() + "_mix_precision")
        self._layers, self._dtype = layers, dtype
        params = {}
        for p in layers.parameters():
            if not hasattr(p, "main_grad"):
                p.main_grad = None
                params[id(p)] = p
        _collect(self, params)

    def forward(self, *inputs, **kwargs):
        return self._layers(*inputs, **kwargs)

    def _state_dict_impl(self, destination, include_sublayers, prefix, use_hook, all_buffers):
        return self._layers._state_dict_impl(destination, include_sublayers, prefix, use_hook, all_buffers)


def _collect(layer, params):
    """Have the tape tell of complete gradients for as long as the layer lives."""

    def on_leaf(leaf):
        p = params.get(id(leaf))
        if p is None or p._grad is None or p._grad is ZERO:
            return
        array, p._grad = whole_array(p._grad), None
        if p.main_grad is None:
            p.main_grad = wrap(array.astype(np.float32))
        else:
            p.main_grad.replace(p.main_grad._data + array.astype(np.float32))

    process.leaf_watchers.append(on_leaf)
    weakref.finalize(layer, process.leaf_watchers.remove, on_leaf)


class MixPrecisionOptimizer:
    """An optimizer that steps with ``main_grad``."""

    def __init__(self, optimizer):
        self._inner_opt = optimizer
        self._parameter_list = obtain_optimizer_parameters_list(optimizer)

    def __getattr__(self, name):
        return getattr(self._inner_opt, name)

    def _with_gradients(self, params):
        return [(p, p.main_grad) for p in params if not p.stop_gradient and getattr(p, "main_grad", None) is not None]

    @no_grad()
    def step(self):
        """Update every parameter that has a main gradient."""
        for group in self._inner_opt._groups:
            pairs = self._with_gradients(group["params"])
            if pairs:
                self._inner_opt._apply(pairs, group)

    def clear_grad(self, set_to_zero=True):
        """Set main gradients to zero, or take them away."""
        for p in self._parameter_list:
            if not hasattr(p, "main_grad"):
                p.clear_gradient(set_to_zero)
            elif p.main_grad is not None:
                p.main_grad = wrap(np.zeros_like(p.main_grad._data)) if set_to_zero else None

    clear_gradients = clear_grad


class MixPrecisionScaler:
    """A scaler that unscales ``main_grad``."""

    def __init__(self, scaler):
        self._inner_scaler = scaler

    def __getattr__(self, name):
        return getattr(self._inner_scaler, name)

    @no_grad()
    def unscale_(self, optimizer):
        """Divide main gradients by the scale, and look for ones that are not finite."""
        inner = self._inner_scaler
        if not inner._enable:
            return
        inner._unscaled.add(id(optimizer))
        for p in obtain_optimizer_parameters_list(optimizer):
            g = getattr(p, "main_grad", None)
            if g is not None:
                g.replace(g._data * np.float32(1 / inner._scale))
                inner._found_inf = inner._found_inf or not np.isfinite(g._data).all()

    def step(self, optimizer):
        """Unscale unless done, and step the optimizer unless a gradient is not finite."""
        if self._inner_scaler._enable and id(optimizer) not in self._inner_scaler._unscaled:
            self.unscale_(optimizer)
        self._inner_scaler.step(optimizer)

    def minimize(self, optimizer, *args, **kwargs):
        """Unscale, call ``optimizer.minimize`` unless a gradient is not finite, and update the scale."""
        if self._inner_scaler._enable and id(optimizer) not in self._inner_scaler._unscaled:
            self.unscale_(optimizer)
        return self._inner_scaler.minimize(optimizer, *args, **kwargs)


__getattr__ = _lookup(__name__)
