"""2.0 alpha to 2.4 had no tensors of shape []: whatever an operator computes there has one axis at least."""

from ..core import hooks
from ..core.context import context, process
from ..core.tensor import Tensor
from ..ops.manipulation import reshape


class _OneAxis(hooks.OpHook):
    """Gives results of shape [] the shape [1], with a node of the tape for it."""

    everywhere, every_op = True, False

    def after(self, op, args, outs):
        if context.depth or not context.rules.element_ndim:  # gradient rules compute in the shapes of the operators
            return
        for out in outs if isinstance(outs, (tuple, list)) else (outs,):
            if isinstance(out, Tensor) and not out._data.ndim:
                made = reshape.reshape(out, None, None, [1])
                out._data, out._edge, out.stop_gradient = made._data, made._edge, made.stop_gradient


_ONE_AXIS = _OneAxis()


def choose_generation(rules):
    """Follow the generation that was chosen for the process."""
    wanted = rules is not None and not rules.is_fluid and rules.element_ndim == 1  # fluid's own functions see to it themselves
    if wanted is not (_ONE_AXIS in process.hooks):
        _ONE_AXIS.install() if wanted else _ONE_AXIS.remove()


choose_generation(process.chosen)
