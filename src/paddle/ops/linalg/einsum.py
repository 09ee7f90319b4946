"""Einstein's summation: an equation taken apart into transposes, sums and matrix products in the cheapest order."""

import functools
import math

import numpy as np

from ...core.errors import ArgumentError, describe
from ...core.facts import Spec
from ..composed import composed
from ..manipulation import reshape
from ..manipulation.construct import diagonal
from ..math import arithmetic, reduction
from . import matmul

_SPARE = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def _parse(equation, shapes):
    """See _parsed, which is kept for equations and shapes that come again."""
    if not isinstance(equation, str):
        raise TypeError(f"einsum(): equation must be a str, got {describe(equation)}")
    return _parsed(equation, tuple(map(tuple, shapes)))


@functools.lru_cache(maxsize=256)
def _parsed(equation, shapes):
    """Labels of each operand and of the result; the axes of an ellipsis take letters that the equation does not use."""
    text = equation.replace(" ", "")
    left, arrow, right = text.partition("->")
    terms = left.split(",")
    if len(terms) != len(shapes):
        raise ArgumentError(f"einsum(): equation {equation!r} names {len(terms)} operands, got {len(shapes)}")
    spare = [ch for ch in _SPARE if ch not in text]
    hidden = 0
    for term, shape in zip(terms, shapes):
        letters = term.replace("...", "")
        if not all(ch.isalpha() and ch.isascii() for ch in letters) or term.count("...") > 1:
            raise ArgumentError(f"einsum(): {term!r} in the equation {equation!r} is not made of letters and one '...'")
        if "..." in term:
            if len(letters) > len(shape):
                raise ArgumentError(f"einsum(): {term!r} names more axes than the operand of shape {list(shape)} has")
            hidden = max(hidden, len(shape) - len(letters))
        elif len(letters) != len(shape):
            raise ArgumentError(f"einsum(): {term!r} names {len(letters)} axes, the operand has shape {list(shape)}")
    if hidden > len(spare):
        raise ArgumentError(f"einsum(): the equation {equation!r} uses too many letters")
    extra = "".join(spare[:hidden])
    labels = []
    for term, shape in zip(terms, shapes):
        n = len(shape) - len(term.replace("...", ""))
        labels.append(term.replace("...", extra[hidden - n:] if n else ""))
    if arrow:
        if right.count("...") > 1 or not all(ch.isalpha() for ch in right.replace("...", "")):
            raise ArgumentError(f"einsum(): {right!r} in the equation {equation!r} is not made of letters and one '...'")
        out = right.replace("...", extra)
    else:
        joined = "".join(term.replace("...", "") for term in terms)
        out = extra + "".join(sorted(ch for ch in set(joined) if joined.count(ch) == 1))
    known = set("".join(labels))
    if len(set(out)) != len(out) or not set(out) <= known:
        raise ArgumentError(f"einsum(): the result {right!r} of {equation!r} names an axis twice or one that no operand has")
    return tuple(labels), out


def _sizes(labels, shapes, equation):
    """The size of each axis, -1 where only a running program knows it."""
    sizes = {}
    for term, shape in zip(labels, shapes):
        for ch, n in zip(term, shape):
            before = sizes.get(ch, 1)
            if before != n and 1 not in (before, n) and -1 not in (before, n):
                raise ArgumentError(f"einsum(): axis {ch!r} of {equation!r} has the sizes {before} and {n}")
            sizes[ch] = n if before == 1 or (before == -1 and n != 1) else before
    return sizes


def _single(x, term, keep):
    """x with repeated labels on their diagonal and labels that nobody needs summed away; its labels."""
    for ch in dict.fromkeys(term):
        while term.count(ch) > 1:
            i = term.index(ch)
            j = term.index(ch, i + 1)
            x = diagonal(x, 0, i, j)
            term = term[:i] + term[i + 1:j] + term[j + 1:] + ch
    drop = [i for i, ch in enumerate(term) if ch not in keep]
    if drop:
        x = reduction.sum(x, tuple(drop), False)
        term = "".join(ch for ch in term if ch in keep)
    return x, term


def _ordered(x, term, wanted):
    """x with its axes in the order of ``wanted``, size 1 where x has no such axis."""
    present = [ch for ch in wanted if ch in term]
    perm = [term.index(ch) for ch in present]
    if perm != list(range(len(perm))):
        x = reshape.transpose(x, perm)
    if len(present) != len(wanted):
        shape = iter(x.shape)
        x = reshape.reshape(x, None, None, [next(shape) if ch in term else 1 for ch in wanted])
    return x


def _pair(a, ta, b, tb, keep):
    """Two operands contracted into one: a matrix product over the shared labels that nobody needs any more."""
    a, ta = _single(a, ta, keep | set(tb))
    b, tb = _single(b, tb, keep | set(ta))
    summed = [ch for ch in ta if ch in tb and ch not in keep]
    if any(a.shape[ta.index(ch)] != b.shape[tb.index(ch)] for ch in summed):  # one of them is stretched from size 1
        both = "".join(dict.fromkeys(ta + tb))
        return _single(arithmetic.multiply(_ordered(a, ta, both), _ordered(b, tb, both)), both, keep)
    batch = [ch for ch in ta if ch in tb and ch in keep]
    left, right = [ch for ch in ta if ch not in tb], [ch for ch in tb if ch not in ta]
    if not summed:
        both = "".join(batch + left + right)
        return arithmetic.multiply(_ordered(a, ta, both), _ordered(b, tb, both)), both
    a = _ordered(a, ta, batch + left + summed)
    b = _ordered(b, tb, batch + summed + right)
    k = len(batch)

    def merged(x, groups):
        shape, at = list(x.shape[:k]), k
        for g in groups:
            part = x.shape[at:at + g]
            shape.append(-1 if -1 in part else math.prod(part))
            at += g
        return reshape.reshape(x, None, None, shape)
    rows, columns = list(a.shape[k:k + len(left)]), list(b.shape[k + len(summed):])
    out = matmul.matmul(merged(a, [len(left), len(summed)]), merged(b, [len(summed), len(right)]))
    shape = [*out.shape[:k], *rows, *columns]
    return reshape.reshape(out, None, None, shape), "".join(batch + left + right)


def _path(labels, out, sizes):
    """The cheapest order of contraction, pair by pair, as NumPy finds it."""
    if len(labels) < 3:
        return [tuple(range(len(labels)))] if len(labels) == 2 else []
    return _cheapest(tuple(labels), out, tuple([tuple([max(sizes[ch], 1) for ch in term]) for term in labels]))


@functools.lru_cache(maxsize=256)
def _cheapest(labels, out, shapes):
    stand_ins = [np.broadcast_to(np.zeros(()), shape) for shape in shapes]
    path = np.einsum_path(",".join(labels) + "->" + out, *stand_ins, optimize="greedy" if len(labels) > 6 else "optimal")[0]
    steps = []
    for step in path[1:]:
        # a step of several operands goes pair by pair
        step = sorted(step, reverse=True)
        steps.append(tuple(step))
    return steps


def result_shape(equation, shapes):
    """The shape of what an equation makes of operands of these shapes."""
    labels, out = _parse(equation, shapes)
    sizes = _sizes(labels, shapes, equation)
    return tuple(sizes[ch] for ch in out)


def contract(equation, operands, pair=_pair):
    """The operands multiplied and summed as the equation says, two at a time by ``pair``."""
    shapes = [x.shape for x in operands]
    labels, out = _parse(equation, shapes)
    sizes = _sizes(labels, shapes, equation)
    pending = list(zip(operands, labels))
    for step in _path(labels, out, sizes):
        chosen = [pending.pop(i) for i in sorted(step, reverse=True)][::-1]
        while len(chosen) > 1:
            (b, tb), (a, ta) = chosen.pop(1), chosen.pop(0)
            keep = set(out).union(*[t for _, t in pending + chosen])
            chosen.insert(0, pair(a, ta, b, tb, keep))
        pending.append(chosen[0])
    x, term = pending[0]
    x, term = _single(x, term, set(out))
    return _ordered(x, term, out)


def _result(operands, equation):
    return Spec(result_shape(equation, [s.shape for s in operands]), np.result_type(*[s.dtype for s in operands]))


@composed("einsum(Operands*) -> Out, InnerCache?, XShape?", family="own", amp="white", shapes=_result)
def einsum(operands, equation=""):
    """One or two operands (as in files) multiplied and summed as the equation says."""
    return contract(equation, operands)


def _recorded_pair(a, ta, b, tb, keep):
    kept = "".join(dict.fromkeys(ch for ch in ta + tb if ch in keep))
    return einsum([a, b], f"{ta},{tb}->{kept}"), kept


def record(equation, variables):
    """einsum ops added to a static program: files have it with at most two operands and an equation that names the result."""
    labels, out = _parse(equation, [x.shape for x in variables])
    explicit = equation if "->" in equation else ",".join(labels) + "->" + out
    return einsum(variables, explicit) if len(variables) < 3 else contract(explicit, variables, _recorded_pair)
