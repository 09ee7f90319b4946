"""Softmax over some classes out of very many, and normalisation by running sums."""

import numpy as np

from ...core.op import op
from ...core.random import numpy_generator
from ..composed import composed
from ..manipulation.gather_scatter import take_along_axis
from ..math.reduction import sum as sum_of
from ..nn.grid_sample import plain
from .nce import chances


@op("class_samples(Label) -> Samples", family="own", random=True, shapes="b t -> b t+count")
def class_samples(label, count=10, total=1, seed=0):
    """Each row's labels, then ``count`` different classes for all rows, lower numbers more likely (log-uniform)."""
    labels = label.reshape(len(label), -1).astype(np.int64)
    if labels.size and (labels.min() < 0 or labels.max() >= total):
        raise ValueError(f"labels must be in [0, {total}), got {labels.min()} to {labels.max()}")
    if count > total:
        raise ValueError(f"{count} different classes can't be drawn from {total}")
    rng, found = numpy_generator(seed), []
    while len(found) < count:
        drawn = np.exp(rng.random(4 * count) * np.log(total + 1)).astype(np.int64) - 1
        found += [c for c in dict.fromkeys(np.minimum(drawn, total - 1).tolist()) if c not in found]
    return np.concatenate([labels, np.tile(np.array(found[:count], np.int64), (len(labels), 1))], 1)


@composed("sampled_logits(Logits, Samples) -> Out", family="own")
def sampled_logits(logits, samples, true=1, remove_accidental_hits=True):
    """Logits [N, classes] of the sampled classes less the log of how often each is drawn; a class drawn that is a label of its
    row counts for nothing."""
    chosen = np.asarray(plain(samples)).astype(np.int64)
    expected = chances(chosen, logits.shape[1] + 1, 1) * max(chosen.shape[1] - true, 1)
    out = take_along_axis(logits, chosen, 1) - np.log(expected).astype(plain(logits).dtype)
    if not remove_accidental_hits:
        return out
    hit = (chosen[:, true:, None] == chosen[:, None, :true]).any(2)
    return out - np.concatenate([np.zeros((len(hit), true)), hit * 1e20], 1).astype(plain(logits).dtype)


@op("data_norm(scale_w?, bias?, X, BatchSize, BatchSum, BatchSquareSum) -> Y, Means?, Scales?", family="own", flops=2,
    shapes="_, _, *x -> *x:x")
def data_norm(scale, shift, x, size, total, square, epsilon=1e-4, slot_dim=-1, summary_decay_rate=0.9999999,
              enable_scale_and_shift=False, data_layout="NCHW", sync_stats=False):
    """(x - total / size) * sqrt(size / square), then a scale and a shift if wanted."""
    if slot_dim > 0 or sync_stats:
        raise NotImplementedError("data_norm(): slot_dim and sync_stats belong to parameter servers, which are not supported")
    y = (x - total / size) * np.sqrt(size / square)
    return y * scale + shift if enable_scale_and_shift else y


@data_norm.vjp
def _data_norm_back(needs, g, scale, shift, x, size, total, square, epsilon, enable_scale_and_shift):
    """The "gradients" of the three sums are the batch's own sums, as Paddle has it."""
    mean, width, count = total / size, (size / square) ** 0.5, float(x.shape[0])
    sums = size * 0 + count, sum_of(x, 0), sum_of((x - mean) ** 2, 0) + count * epsilon
    if not enable_scale_and_shift:
        return (None, None, g * width, *sums)
    return (sum_of(g * (x - mean) * width, 0), sum_of(g, 0), g * scale * width, *sums)
