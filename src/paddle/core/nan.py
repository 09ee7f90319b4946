"""The NaN finder: with FLAGS_check_nan_inf every op's result is checked, and the first bad one is named with its place."""

import os
import sys

import numpy as np

from . import flags, hooks
from .tensor import Tensor

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


def _place():
    """(text of the user's line, names of the layers on the way to the op), from the calling frames."""
    frame, line, layers = sys._getframe(1), None, []
    while frame is not None:
        me = frame.f_locals.get("self")
        if frame.f_code.co_name == "forward" and hasattr(me, "full_name"):
            layers.append(me.full_name())
        if line is None and not frame.f_code.co_filename.startswith(_PACKAGE):
            line = f"{frame.f_code.co_filename}:{frame.f_lineno}"
        frame = frame.f_back
    return line or "an unknown line", layers


class NanFinder(hooks.OpHook):
    """Raises FloatingPointError at the first op whose result is not finite."""

    programs = True

    def after(self, op, args, outs):
        for out in outs if isinstance(outs, (tuple, list)) else [outs]:
            if not isinstance(out, Tensor) or out._data.dtype.kind not in "fc":
                continue
            if np.isfinite(out._data).all():
                continue
            bad = "NaN" if np.isnan(out._data).any() else "Inf"
            line, layers = _place()
            inside = f" in layer {' < '.join(layers)}" if layers else ""
            raise FloatingPointError(f"{op.name}() gave {bad} (shape {list(out._data.shape)}){inside}, called at {line}")


_finder = NanFinder()


def _switch(on):
    _finder.remove()
    if on:
        _finder.install()


flags.define("FLAGS_check_nan_inf", False, "raise at the first op whose result has NaN or Inf", _switch)
