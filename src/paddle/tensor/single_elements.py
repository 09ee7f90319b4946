"""2.0 alpha to 2.4 had no tensors of shape []: whatever an operator computes there has one axis at least."""

from ..core.autograd import node_of, retain
from ..core.context import context, process
from ..ops.manipulation import reshape


def _give_axis(out):
    """Give a result of shape [] the shape [1], with a node of the tape for it."""
    if context.rules.element_ndim and not context.depth:  # gradient rules compute in the shapes of the operators
        made = reshape.reshape(out, None, None, [1])
        node, index = node_of(out)
        out._data, out._edge, out.stop_gradient = made._data, made._edge, made.stop_gradient
        if node is not None and node.retained:  # the gradient to be kept is that of shape [1]
            node.retained.pop(index)
            retain(out)


def choose_generation(rules):
    """Follow the generation that was chosen for the process."""
    wanted = rules is not None and not rules.is_fluid and rules.element_ndim == 1  # fluid's own functions see to it themselves
    process.on_scalar = _give_axis if wanted else None


choose_generation(process.chosen)
