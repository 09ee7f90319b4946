"""Noise-contrastive estimation: the loss of true classes against some drawn at random, in place of all classes."""

import numpy as np

from ...core.op import op
from ...core.random import numpy_generator
from ..math.reduction import sum as sum_of
from ..math.unary import log
from ..nn.activation import sigmoid
from ..nn.embedding import embedding, embedding_grad
from ..nn.grid_sample import plain

SAMPLERS = ("uniform", "log_uniform", "custom_dist")


def chances(ids, classes, sampler, custom=None):
    """The probability of drawing each class. As in Paddle those of ``log_uniform`` add up to a little more than 1."""
    if sampler == 2:
        return custom[ids]
    return np.log((ids + 2) / (ids + 1)) / np.log(classes) if sampler == 1 else np.full(ids.shape, 1 / classes)


def _draw(shape, classes, sampler, custom, seed):
    generator = numpy_generator(seed)
    if sampler == 2:
        return generator.choice(classes, shape, p=custom / custom.sum())
    if sampler == 1:
        return np.minimum(np.exp(generator.random(shape) * np.log(classes)).astype(np.int64) - 1, classes - 1)
    return generator.integers(0, classes, shape)


def alias_table(probabilities):
    """(other class, probability of keeping the first) for each class: how Paddle's files hold a distribution to draw from."""
    p = np.asarray(probabilities, np.float64)
    keep, other = p * len(p), np.full(len(p), -1, np.int32)
    small, large = [k for k in range(len(p)) if keep[k] < 1], [k for k in range(len(p)) if keep[k] > 1]
    while small and large:
        low, high = small.pop(), large.pop()
        other[low] = high
        keep[high] -= 1 - keep[low]
        if keep[high] != 1:
            (small if keep[high] < 1 else large).append(high)
    keep[other < 0] = 1
    return other, keep.astype(np.float32)


@op("nce(Input, Label, Weight, Bias?, SampleWeight?, CustomDistProbs?, CustomDistAlias?, CustomDistAliasProbs?) -> "
    "Cost, SampleLogits, SampleLabels", family="own", extra={"remote_prefetch": False, "is_test": False}, random=True,
    shapes="b ?, b t -> b 1, b t+num_neg_samples, b t+num_neg_samples:int64")
def nce(x, label, weight, bias=None, sample_weight=None, probs=None, alias=None, alias_probs=None, num_total_classes=1,
        num_neg_samples=10, sampler=0, seed=0, is_sparse=False, custom_neg_classes=()):
    """Cost [N, 1] of telling the labels [N, true] from classes drawn at random; also the probabilities and the classes.

    ``sampler`` is 0 for even chances, 1 for chances that fall with the class's number, 2 for those of ``probs``. ``alias`` and
    ``alias_probs`` say the same as ``probs`` and are not needed here. ``custom_neg_classes`` are taken instead of draws.
    """
    label = label.reshape(label.shape[0], -1).astype(np.int64)
    if label.size and (label.min() < 0 or label.max() >= num_total_classes):
        raise ValueError(f"nce(): labels must be in [0, {num_total_classes})")
    if len(custom_neg_classes) not in (0, num_neg_samples):
        raise ValueError(f"nce(): custom_neg_classes must be {num_neg_samples} classes, got {len(custom_neg_classes)}")
    drawn = (np.tile(np.array(custom_neg_classes, np.int64), (len(label), 1)) if len(custom_neg_classes) else
             _draw([len(label), num_neg_samples], num_total_classes, sampler, probs, seed))
    ids = np.concatenate([label, drawn.astype(np.int64)], 1)
    p = _scores(x, ids, weight, bias)
    cost = _cost(p, *_noise(x, ids, num_total_classes, num_neg_samples, sampler, probs))
    return cost if sample_weight is None else cost * sample_weight.reshape(-1, 1), p, ids


def _noise(x, ids, classes, drawn, sampler, probs):
    """(expected number of times that each class is drawn, 1 for true classes and 0 for drawn ones)."""
    custom = None if probs is None else np.asarray(plain(probs))
    noise = chances(np.asarray(plain(ids)), classes, sampler, custom) * drawn
    true = np.arange(noise.shape[1]) < noise.shape[1] - drawn
    return noise.astype(plain(x).dtype), true.astype(plain(x).dtype)


def _cost(p, noise, true):
    return sum_of(log(p + noise) - log(p * true + noise * (1 - true)), 1, True)


def _scores(x, ids, weight, bias):
    """Probabilities of the chosen classes, each by itself."""
    count, width = x.shape
    scores = sum_of(embedding(ids, weight) * x.reshape([count, 1, width]), 2)
    if bias is not None:
        scores = scores + embedding(ids, bias.reshape([-1, 1])).reshape(list(ids.shape))
    return sigmoid(scores)


@nce.vjp(takes_none=True)
def _(needs, g, out, x, weight, bias, sample_weight, probs, num_total_classes, num_neg_samples, sampler):
    ids, (count, width) = out[2], x.shape
    noise, true = _noise(x, ids, num_total_classes, num_neg_samples, sampler, probs)
    p, by_score, by_weight = _scores(x, ids, weight, bias), 0, None
    if g[0] is not None:
        slope = (p - (p + noise) * true) * (1 - p) / (p + noise)
        by_score = slope * (g[0] if sample_weight is None else g[0] * sample_weight.reshape([-1, 1]))
        by_weight = (g[0] * _cost(p, noise, true)).reshape(list(sample_weight.shape)) if needs[4] else None
    if g[1] is not None:
        by_score = by_score + g[1] * p * (1 - p)
    each = by_score.reshape([count, noise.shape[1], 1])
    return (sum_of(each * embedding(ids, weight), 1) if needs[0] else None, None,
            embedding_grad(ids, each * x.reshape([count, 1, width]), num_total_classes) if needs[2] else None,
            embedding_grad(ids, each, num_total_classes).reshape(list(bias.shape)) if needs[3] else None, by_weight,
            None, None, None)
