"""Clipping by the norm of gradients that lie on several ranks."""

import math

import numpy as np

from ..core.context import process
from ..core.tensor import wrap
from ..nn.clip import ClipGradByGlobalNorm, ClipGradByNorm
from .comm import ReduceOp


def sum_squares(arrays):
    """The sum of the squares of all elements, as a Python float."""
    wide = [a if a.dtype.char in "fd" else a.astype(np.float32) for a in arrays]
    if process.native is not None:
        kinds = ([np.ascontiguousarray(a) for a in wide if a.dtype.char == char] for char in "fd")
        return float(sum(process.native.sum_squares(same) for same in kinds if same))
    return float(sum(np.sum(np.square(a, dtype=np.float64)) for a in wide))


def is_cut(p):
    """Does each rank of the model axis have another part of the parameter?"""
    return getattr(p, "is_distributed", False)


def clip_together(clip, pairs, cut=None, groups=(), is_cut=is_cut):
    """Clip (parameter, gradient) pairs of which this rank has a part; every rank of the groups calls it, also with none.

    Args:
        clip: the optimizer's clip, or None.
        cut: the group over whose ranks some parameters are cut; the others are equal on all of them.
        groups: groups whose ranks have gradients of different parameters.
        is_cut: tells which parameters are cut.
    """
    if clip is None:
        return pairs
    if not isinstance(clip, ClipGradByGlobalNorm):
        _check_single(clip, pairs, cut, is_cut)
        return clip(pairs) if pairs else pairs
    chosen = [(p, g) for p, g in pairs if g is not None and getattr(p, "need_clip", True)]
    counted = [(p, g) for p, g in chosen if getattr(p, "is_firstly_shared", True)]
    parts = cut is not None and cut.nranks > 1
    mine = sum_squares([g._data for p, g in counted if parts and is_cut(p)])
    whole = sum_squares([g._data for p, g in counted if not (parts and is_cut(p))])
    total = np.array([mine], np.float64)
    if parts:
        cut.comm.allreduce(total, ReduceOp.SUM).wait()
    total += whole
    for group in groups:
        if group.nranks > 1:
            group.comm.allreduce(total, ReduceOp.SUM).wait()
    factor = clip.clip_norm / max(math.sqrt(total[0]), clip.clip_norm)
    scaled = {id(p) for p, _ in chosen}
    return [(p, wrap(g._data * g._data.dtype.type(factor)) if id(p) in scaled else g) for p, g in pairs]


def _check_single(clip, pairs, cut, is_cut):
    """Refuse a clip by the norm of single gradients that no rank has whole."""
    if type(clip) is ClipGradByNorm and cut is not None and cut.nranks > 1:
        for p, _ in pairs:
            if is_cut(p):
                raise NotImplementedError(f"ClipGradByNorm: parameter {p.name} is cut over {cut.nranks} ranks; "
                                          "ClipGradByGlobalNorm and ClipGradByValue are supported there")
