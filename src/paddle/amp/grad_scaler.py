"""GradScaler: losses multiplied before backward, gradients divided after it, so that small ones do not vanish."""

import numpy as np

from ..core import errors
from ..core.addresses import lookup as _lookup
from ..core.autograd import no_grad

__all__ = ["GradScaler"]


class GradScaler:
    """Scale losses, and adapt the scale to whether gradients overflow.

    Args:
        init_loss_scaling (float): the first scale.
        incr_ratio, incr_every_n_steps (float, int): multiply the scale by this after so many good steps in a row.
        decr_ratio, decr_every_n_nan_or_inf (float, int): multiply it by this after so many steps that overflowed.
        use_dynamic_loss_scaling (bool): adapt the scale at all?
        enable (bool): False does nothing.
    Raises:
        ValueError: ``incr_ratio`` is not above 1, or ``decr_ratio`` not between 0 and 1.
        TypeError: ``init_loss_scaling`` is not a number.

    >>> model, scaler = paddle.nn.Linear(2, 1), paddle.amp.GradScaler(init_loss_scaling=1024)
    >>> sgd = paddle.optimizer.SGD(0.1, parameters=model.parameters())
    >>> scaler.scale(model(paddle.ones([1, 2])).mean()).backward()
    >>> scaler.step(sgd)
    >>> scaler.update()
    """

    def __init__(self, enable=True, init_loss_scaling=65536.0, incr_ratio=2.0, decr_ratio=0.5, incr_every_n_steps=2000,
                 decr_every_n_nan_or_inf=1, use_dynamic_loss_scaling=True):
        if incr_ratio <= 1.0:
            raise ValueError(f"GradScaler(): incr_ratio must be above 1, got {incr_ratio}")
        if not 0 < decr_ratio < 1.0:
            raise ValueError(f"GradScaler(): decr_ratio must be in (0, 1), got {decr_ratio}")
        errors.check_type(init_loss_scaling, (int, float, np.number), "GradScaler", "init_loss_scaling")
        self._enable, self._scale = bool(enable), float(init_loss_scaling) if enable else 1.0
        self._incr_ratio, self._decr_ratio = incr_ratio, decr_ratio
        self._incr_every_n_steps, self._decr_every_n_nan_or_inf = incr_every_n_steps, decr_every_n_nan_or_inf
        self._use_dynamic_loss_scaling = bool(use_dynamic_loss_scaling)
        self._incr_count = self._decr_count = 0
        self._found_inf, self._unscaled = False, set()

    def scale(self, var):
        """The loss multiplied by the scale."""
        return var * self._scale if self._enable else var

    @no_grad()
    def unscale_(self, optimizer):
        """Divide the gradients of the optimizer's parameters by the scale, and look for ones that are not finite."""
        if not self._enable:
            return
        if id(optimizer) in self._unscaled:
            raise RuntimeError("unscale_(): it was called for this optimizer already since the last update()")
        self._unscaled.add(id(optimizer))
        found = False
        for p in _parameters(optimizer):
            if (g := p._grad_ivar()) is not None:
                array = g._data * np.asarray(1 / self._scale).astype(g._data.dtype)
                found = found or not np.isfinite(array.astype(np.float32)).all()
                g.replace(array)
        self._found_inf = self._found_inf or found

    def step(self, optimizer):
        """Unscale unless done, and step the optimizer unless a gradient is not finite."""
        self._run(optimizer, optimizer.step)

    def _run(self, optimizer, update, *args, **kwargs):
        """What ``update`` returns; it is not called, and None comes back, where a gradient is not finite."""
        if self._enable:
            if id(optimizer) not in self._unscaled:
                self.unscale_(optimizer)
            if self._found_inf:
                return None
        return update(*args, **kwargs)

    def update(self):
        """Adapt the scale; call it once after every step."""
        if not self._enable:
            return
        if self._use_dynamic_loss_scaling:
            if self._found_inf:
                self._incr_count, self._decr_count = 0, self._decr_count + 1
                if self._decr_count == self._decr_every_n_nan_or_inf:
                    self._scale, self._decr_count = max(self._scale * self._decr_ratio, 1.0), 0
            else:
                self._decr_count, self._incr_count = 0, self._incr_count + 1
                if self._incr_count == self._incr_every_n_steps:
                    self._scale, self._incr_count = self._scale * self._incr_ratio, 0
        self._found_inf = False
        self._unscaled.clear()

    def minimize(self, optimizer, *args, **kwargs):
        """Unscale, call ``optimizer.minimize`` with the other arguments unless a gradient is not finite, and ``update``.

        Returns what the optimizer does, or None.
        """
        result = self._run(optimizer, optimizer.minimize, *args, **kwargs)
        self.update()
        return result

    def is_enable(self):
        """Is scaling on?"""
        return self._enable

    def is_use_dynamic_loss_scaling(self):
        """Is the scale adapted?"""
        return self._use_dynamic_loss_scaling

    def get_init_loss_scaling(self):
        """The scale."""
        return self._scale

    def set_init_loss_scaling(self, new_init_loss_scaling):
        """Set the scale."""
        self._scale = float(new_init_loss_scaling)

    def get_incr_ratio(self):
        """What the scale is multiplied by after good steps."""
        return self._incr_ratio

    def set_incr_ratio(self, new_incr_ratio):
        """Set what the scale is multiplied by after good steps."""
        self._incr_ratio = new_incr_ratio

    def get_decr_ratio(self):
        """What the scale is multiplied by after overflows."""
        return self._decr_ratio

    def set_decr_ratio(self, new_decr_ratio):
        """Set what the scale is multiplied by after overflows."""
        self._decr_ratio = new_decr_ratio

    def get_incr_every_n_steps(self):
        """After how many good steps the scale grows."""
        return self._incr_every_n_steps

    def set_incr_every_n_steps(self, new_incr_every_n_steps):
        """Set after how many good steps the scale grows."""
        self._incr_every_n_steps = new_incr_every_n_steps

    def get_decr_every_n_nan_or_inf(self):
        """After how many overflows the scale shrinks."""
        return self._decr_every_n_nan_or_inf

    def set_decr_every_n_nan_or_inf(self, new_decr_every_n_nan_or_inf):
        """Set after how many overflows the scale shrinks."""
        self._decr_every_n_nan_or_inf = new_decr_every_n_nan_or_inf

    def state_dict(self):
        """What is needed to go on later."""
        if not self._enable:
            return {}
        return {"scale": np.array([self._scale], np.float32), "incr_ratio": self._incr_ratio, "decr_ratio": self._decr_ratio,
                "incr_every_n_steps": self._incr_every_n_steps, "decr_every_n_nan_or_inf": self._decr_every_n_nan_or_inf,
                "incr_count": self._incr_count, "decr_count": self._decr_count,
                "use_dynamic_loss_scaling": self._use_dynamic_loss_scaling}

    def load_state_dict(self, state_dict):
        """Go on from a saved state."""
        if not self._enable:
            return
        if not state_dict:
            raise RuntimeError("load_state_dict(): the state is empty: it was saved by a scaler that was not enabled")
        self._scale = float(np.asarray(state_dict["scale"]).reshape(-1)[0])
        for key in ("incr_ratio", "decr_ratio", "incr_every_n_steps", "decr_every_n_nan_or_inf", "incr_count", "decr_count",
                    "use_dynamic_loss_scaling"):
            setattr(self, "_" + key, state_dict[key])

    set_state_dict = load_state_dict


def _parameters(optimizer):
    """All parameters of an optimizer, those of groups too."""
    found = []
    for item in optimizer._parameter_list or []:
        found += item["params"] if isinstance(item, dict) else [item]
    return found


__getattr__ = _lookup(__name__)
