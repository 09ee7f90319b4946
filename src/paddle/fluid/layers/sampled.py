"""fluid.layers: softmax over classes drawn at random."""

from ...nn import functional as F
from ...ops.loss import sampled_softmax
from ...tensor import functions as tensor
from ..state import fluid_call

__all__ = ["sampled_softmax_with_cross_entropy"]


@fluid_call
def sampled_softmax_with_cross_entropy(logits, label, num_samples, num_true=1, remove_accidental_hits=True,
                                       use_customized_samples=False, customized_samples=None, customized_probabilities=None,
                                       seed=0):
    """Cross entropy of the labels [N, num_true] among them and ``num_samples`` classes drawn at random, low numbers more likely
    than high ones, [N, 1] (1.x; successor: paddle.nn.functional.cross_entropy over all classes)."""
    if use_customized_samples:
        raise NotImplementedError("sampled_softmax_with_cross_entropy(): use_customized_samples is not supported; leave it False")
    label = tensor.cast(label, "int64")
    samples = sampled_softmax.class_samples(label, int(num_samples), logits.shape[1], int(seed))
    scores = sampled_softmax.sampled_logits(logits, samples, int(num_true), bool(remove_accidental_hits))
    target = tensor.cast(tensor.arange(num_true + num_samples) < num_true, scores.dtype) * tensor.ones_like(scores)
    return F.softmax_with_cross_entropy(scores, target, soft_label=True) / float(num_true)
