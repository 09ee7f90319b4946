"""Losses for very many classes: hierarchical sigmoid, angular margins, and the sampling of class centres."""

import numpy as np

from ...core.op import op
from ...core.random import numpy_generator
from ..composed import composed
from ..manipulation.gather_scatter import gather
from ..math import arithmetic
from ..math.reduction import sum as sum_of
from ..math.unary import acos, cos, exp
from ..nn.activation import softplus
from ..nn.grid_sample import plain
from ..nn.softmax import label_rows, log_softmax


def _paths(label, classes):
    """(node or -1, bit) along the way to each class in the complete binary tree: [N, longest] each."""
    code = np.ravel(label).astype(np.int64) + classes
    if code.size and (code.min() < classes or code.max() >= 2 * classes):
        raise ValueError(f"hsigmoid_loss(): labels must be in [0, {classes})")
    steps = np.arange(int(2 * classes - 1).bit_length() - 1)
    exists = (code[:, None] >> (steps + 1)) > 0
    return np.where(exists, (code[:, None] >> (steps + 1)) - 1, -1), (code[:, None] >> steps) & 1


@composed("hierarchical_sigmoid(X, W, Label, PathTable?, PathCode?, Bias?) -> Out, PreOut?, W_Out?", family="own",
          layer_name="hsigmoid_loss", amp="black", shapes="b ? -> b 1")
def hierarchical_sigmoid(x, weight, label, path_table=None, path_code=None, bias=None, num_classes=2, is_sparse=False):
    """Cross entropy of the decisions on the way to each label's leaf of a binary tree, added up: [N, 1]."""
    if path_table is None:
        nodes, bits = _paths(plain(label), num_classes)
    else:
        nodes, bits = np.asarray(plain(path_table)).astype(np.int64), np.asarray(plain(path_code))
    dtype = plain(x).dtype
    count, depth = nodes.shape
    known, flat = (nodes >= 0).astype(dtype), np.maximum(nodes, 0).reshape(-1)
    rows = gather(weight, flat).reshape([count, depth, x.shape[1]])
    score = sum_of(rows * x.reshape([count, 1, x.shape[1]]), 2)
    if bias is not None:
        score = score + gather(bias.reshape([-1]), flat).reshape([count, depth])
    score = arithmetic.clip(score, None, None, -40.0, 40.0)
    score = score * known  # where a way has ended, log 2 is added all the same: losses are those of Paddle
    return sum_of(softplus(score) - score * bits.astype(dtype), 1, True)


@composed("margin_cross_entropy(Logits, Label) -> Softmax, Loss", family="own", amp="black", shapes="b c -> b c, b 1")
def margin_cross_entropy(logits, label, return_softmax=False, ring_id=0, rank=0, nranks=1, margin1=1.0, margin2=0.5,
                         margin3=0.0, scale=64.0):
    """Cross entropy of scale * cosines, the label's one replaced by cos(margin1 * angle + margin2) - margin3."""
    labels = np.asarray(plain(label)).reshape(-1, 1)
    hot = label_rows(plain(logits), labels)
    target = sum_of(arithmetic.multiply(logits, hot), 1, True)
    moved = cos(acos(arithmetic.clip(target, None, None, -1.0, 1.0)) * margin1 + margin2) - margin3
    logs = log_softmax((logits + (moved - target) * hot) * scale, -1)
    return exp(logs), sum_of(logs * hot, 1, True) * -1.0


@op("class_center_sample(Label) -> RemappedLabel, SampledLocalClassCenter", family="dynamic", random=True, shapes="*l -> *l, ?")
def class_center_sample(label, num_classes=1, num_samples=1, ring_id=0, rank=0, nranks=1, fix_seed=False, seed=0):
    """All classes that occur and random others up to num_samples, in order; and the labels counted among them."""
    if label.size and (label.min() < 0 or label.max() >= num_classes):
        raise ValueError(f"labels must be in [0, {num_classes})")
    present = np.unique(label)
    if present.size < num_samples:
        others = np.setdiff1d(np.arange(num_classes, dtype=label.dtype), present)
        picked = numpy_generator(seed if fix_seed else 0).permutation(others)[:num_samples - present.size]
        present = np.sort(np.concatenate([present, picked]))
    return np.searchsorted(present, label).astype(label.dtype), present.astype(label.dtype)
