"""Losses over alignments (CTC, transducer) and over very many classes."""

from ...core.errors import check_choice, describe, own_errors
from ...core.op import Symbolic
from ...ops.loss import class_loss, ctc
from ...ops.manipulation import reshape as manip
from ...ops.math import arithmetic
from ...ops.math import reduction as reduction_ops
from ...tensor.convert import as_tensor, cast, numpy_dtype
from ...utils import naming
from .loss import reduced

__all__ = ["ctc_loss", "rnnt_loss", "hsigmoid_loss", "margin_cross_entropy", "class_center_sample"]


def ctc_loss(log_probs, labels, input_lengths, label_lengths, blank=0, reduction="mean", norm_by_times=False):
    """Connectionist temporal classification: -log of the probability of all paths that spell the labels.

    Args:
        log_probs (Tensor): scores [T, N, C], before softmax (which is computed here).
        labels (Tensor): [N, longest], without blanks.
        input_lengths, label_lengths (Tensor): how much of each sequence counts, [N].
        reduction (str): 'mean' divides by the label lengths first.
        norm_by_times (bool): divide the gradient (not the value) by the input lengths.
        blank (int): class of the blank.
    Returns:
        0-D Tensor for 'mean' and 'sum', [N] for 'none'.
    Raises:
        ValueError: the shapes are incompatible, a length or label is out of range, or ``reduction`` is unknown.
        TypeError: ``log_probs`` is not a Tensor.

    >>> two = paddle.to_tensor([2])
    >>> loss = paddle.nn.functional.ctc_loss(paddle.zeros([2, 1, 2]), paddle.to_tensor([[1]]), two, paddle.to_tensor([1]))
    >>> round(float(loss), 4)
    0.2877
    """
    check_choice(reduction, ("mean", "sum", "none"), "ctc_loss", "reduction")
    x, labels, times, sizes = (as_tensor(t, "ctc_loss", n) for t, n in (
        (log_probs, "log_probs"), (labels, "labels"), (input_lengths, "input_lengths"), (label_lengths, "label_lengths")))
    if 0 in labels.shape or 0 in x.shape:
        raise ValueError(f"ctc_loss(): log_probs and labels must not be empty, got shapes {list(x.shape)} and {list(labels.shape)}")
    loss = manip.squeeze(ctc.warpctc(x, labels, times, sizes, int(blank), bool(norm_by_times)), axes=[-1])
    if reduction == "mean":
        return reduction_ops.mean(arithmetic.divide(loss, cast(sizes, numpy_dtype(loss))))
    return reduced(loss, reduction, "ctc_loss")


@own_errors
def rnnt_loss(input, label, input_lengths, label_lengths, blank=0, fastemit_lambda=0.001, reduction="mean", name=None):
    """Transducer loss: -log of the probability of all paths through the lattice that spell the labels.

    Args:
        input: log-probabilities [B, T, U + 1, V] (they are not normalised here, as on the CPU elsewhere).
        label: [B, U].
        fastemit_lambda: makes the gradient of emitting a label steeper by this fraction.
        reduction: 'mean' (sum over the batch size), 'sum' or 'none'.

    >>> one = paddle.to_tensor([1], dtype="int32")
    >>> label, half = paddle.to_tensor([[1]], dtype="int32"), paddle.full([1, 1, 2, 2], 0.5).log()
    >>> round(float(paddle.nn.functional.rnnt_loss(half, label, one, one)), 4)
    1.3863
    """
    x, label, times, sizes = (as_tensor(t, "rnnt_loss", n) for t, n in (
        (input, "input"), (label, "label"), (input_lengths, "input_lengths"), (label_lengths, "label_lengths")))
    out = reduced(ctc.warprnnt(x, label, times, sizes, int(blank), float(fastemit_lambda)), reduction, "rnnt_loss")
    return naming.named(out, name)


@own_errors
def hsigmoid_loss(input, label, num_classes, weight, bias=None, path_table=None, path_code=None, is_sparse=False, name=None):
    """Cross entropy of the decisions on the way to each label in a binary tree of classes: [N, 1].

    Args:
        weight, bias: one row for each inner node, [num_classes - 1, size] and [num_classes - 1, 1].
        path_table, path_code: nodes and decisions on the way to each sample's label, [N, depth], -1 where the way has ended;
            without them the tree is the complete one.
        is_sparse: only changes how a gradient is stored elsewhere; gradients are dense here.

    >>> loss = paddle.nn.functional.hsigmoid_loss(paddle.ones([1, 2]), paddle.to_tensor([0]), 2, paddle.zeros([1, 2]))
    >>> round(float(loss), 4)
    0.6931
    """
    who = "hsigmoid_loss"
    if num_classes < 2:
        raise ValueError(f"{who}(): num_classes must be at least 2, got {num_classes}")
    if (path_table is None) != (path_code is None):
        raise ValueError(f"{who}(): path_table and path_code must be given together")
    given = [None if t is None else as_tensor(t, who, n)
             for t, n in ((path_table, "path_table"), (path_code, "path_code"), (bias, "bias"))]
    input = as_tensor(input, who, "input")
    if len(input.shape) != 2:
        raise ValueError(f"{who}(): input must have two dimensions, [N, features], got {describe(input)}")
    out = class_loss.hierarchical_sigmoid(input, as_tensor(weight, who, "weight"),
                                          as_tensor(label, who, "label"), *given, int(num_classes), bool(is_sparse))
    return naming.named(out, name)


def _one_process(group, function):
    if group not in (None, False) and getattr(group, "nranks", 1) > 1:
        raise NotImplementedError(f"{function}(): classes spread over several processes (group) are not supported")


@own_errors
def margin_cross_entropy(logits, label, margin1=1.0, margin2=0.5, margin3=0.0, scale=64.0, group=None, return_softmax=False,
                         reduction="mean"):
    """Cross entropy of cosines with a margin: the label's becomes cos(margin1 * angle + margin2) - margin3; all * scale.

    >>> loss = paddle.nn.functional.margin_cross_entropy(paddle.zeros([1, 2]), paddle.to_tensor([0]), margin2=0.0, scale=1.0)
    >>> round(float(loss), 4)
    0.6931
    """
    _one_process(group, "margin_cross_entropy")
    check_choice(reduction, ("mean", "sum", "none", None), "margin_cross_entropy", "reduction")
    logits, label = as_tensor(logits, "margin_cross_entropy", "logits"), as_tensor(label, "margin_cross_entropy", "label")
    softmax, loss = class_loss.margin_cross_entropy(logits, label, bool(return_softmax), 0, 0, 1, float(margin1), float(margin2),
                                                    float(margin3), float(scale))
    loss = reduced(loss, reduction or "none", "margin_cross_entropy")
    return (loss, softmax) if return_softmax else loss


@own_errors
def class_center_sample(label, num_classes, num_samples, group=None):
    """(labels renumbered, class numbers): all classes that occur and random others, ``num_samples`` at least.

    >>> new, classes = paddle.nn.functional.class_center_sample(paddle.to_tensor([7, 3, 7]), 10, 2)
    >>> new.tolist(), classes.tolist()
    ([1, 0, 1], [3, 7])
    """
    _one_process(group, "class_center_sample")
    label = as_tensor(label, "class_center_sample", "label")
    if num_samples > num_classes:
        raise ValueError(f"class_center_sample(): num_samples {num_samples} exceeds num_classes {num_classes}")
    if len(label.shape) != 1 or isinstance(label, Symbolic) and -1 in label.shape[1:]:
        raise ValueError(f"class_center_sample(): label must have one axis, got shape {list(label.shape)}")
    return class_loss.class_center_sample(label, int(num_classes), int(num_samples))
