"""fluid.contrib.layers: what click-through models are judged by, summed up over batches."""

from .... import tensor
from ....nn import functional as F
from ....static.program.parameters import create_global_var
from ...layers.tensor import assign
from ...state import fluid_call

__all__ = ["ctr_metric_bundle"]


@fluid_call
def ctr_metric_bundle(input, label, ins_tag_weight=None):
    """Sums over all batches so far, each a persistable Variable of shape [1]: squared errors, absolute errors, predictions,
    sigmoids of these, labels, and how many there are (1.x; successor: none, compose it).

    Args:
        input: predicted probabilities [N, 1].
        label: 0 or 1, of the same shape and type.
        ins_tag_weight: weight [N, 1] of each.
    """
    if input.shape != label.shape:
        raise ValueError(f"ctr_metric_bundle(): label must have the shape {list(input.shape)} of input, got {list(label.shape)}")
    weighted = (lambda x: x) if ins_tag_weight is None else (lambda x: x * ins_tag_weight)
    parts = [(input - label) ** 2, tensor.abs(input - label), input, F.sigmoid(input), label, tensor.ones_like(label)]
    return tuple(_summed(weighted(part)) for part in parts)


def _summed(values):
    """A variable of the program that grows by the sum of the values at every run."""
    total = create_global_var([1], 0.0, values.dtype, persistable=True)
    assign(total + tensor.sum(values), total)
    return total
