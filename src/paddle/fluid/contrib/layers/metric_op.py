"""fluid.contrib.layers: what click-through models are judged by, summed up over batches."""

from ....static import metric
from ...state import fluid_call

__all__ = ["ctr_metric_bundle"]


@fluid_call
def ctr_metric_bundle(input, label, ins_tag_weight=None):
    """Sums over all batches so far: squared errors, absolute errors, predictions, sigmoids of these, labels, and how many there
    are (1.x; successor: paddle.static.ctr_metric_bundle).

    Args:
        input: predicted probabilities [N, 1].
        label: 0 or 1, of the same shape.
        ins_tag_weight: weight [N, 1] of each.
    """
    return metric.ctr_metric_bundle(input, label, ins_tag_weight)
