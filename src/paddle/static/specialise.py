"""Ops and their gradients as the kernel calls that they come down to once dtypes, shapes and layouts are known.

``bind.py`` explains when: a call runs on Knowns, through ``note``, which remembers what was called.
"""

import numpy as np

from .. import kernels
from ..core.walk import sum_to
from .bare import GRADIENTS, OPS


def bind_op(call, note, ins):
    """The outputs of an OpCall as Knowns; None to take the general way."""
    entry = OPS.get(call.type)
    found = None if entry is None else _bare(call, note, ins, entry, call, *ins)
    if found is not None or not call.flat:
        return found
    args = [*ins, *map(note.constant, call.values)]
    values = [k.value for k in args]
    for when, fast in call.op.kernels:
        if when is None or when(*values):
            found = _noted(note, call.single, fast, args)
            if found is not None:
                return found
    return _noted(note, call.single, call.op.fn, args)


def _noted(note, single, function, args):
    """The Knowns of a call, None if it declines."""
    if not single:
        return note.several(function, *args)
    found = note(function, *args)
    return None if found is None else [found]


def _bare(call, note, ins, entry, *arguments):
    """What an entry of ``bare.py`` makes of a call, if it has the dtypes and shapes that the general way gives."""
    if kernels.native is None or not call.pure:
        return None
    expected = call.prepare()(*[k.value for k in ins])
    mark = note.mark()
    try:
        found = entry(note, *arguments)
    except (TypeError, ValueError):  # a kernel refuses a dtype or layout that it has no code for
        found = None
    if found is not None:
        expected = [expected] if call.single else expected
        wrong = [e for e, k in zip(expected, found) if e is not None and (
            k.value is None or np.shape(e) != k.value.shape or np.asarray(e).dtype != k.value.dtype)]
        if not wrong and len(found) == len(expected):
            return found
    note.back_to(mark)
    return None


def bind_gradient(call, note, ins):
    """The gradients of a GradCall over an OpCall as Knowns, one per input; None to take the general way."""
    inner, op, n = call.inner, call.inner.op, call.n_in
    grads = ins[n + call.n_out:]
    if all(g.value is None for g in grads):
        return None
    entry = GRADIENTS.get(inner.type)
    if entry is not None and all(g.value is not None for g in grads[:1]):
        found = _bare(call, note, ins, entry, call, ins[:n], ins[n:n + call.n_out], grads)
        if found is not None:
            return found
    if not inner.flat or call.aligns:
        return None
    if op.single:
        return _by_rules(call, note, ins[:n], ins[n], grads[0])
    if op.shared_rule is None or not op.takes_none and any(g.value is None for g in grads):
        return None  # zeros are to be filled in
    return _by_rules(call, note, ins[:n], ins[n:n + call.n_out], grads)


def _by_rules(call, note, ins, out, g):
    """Every rule as a call of its own; shapes and dtypes that rules ask for are constants.

    ``out`` and ``g`` are lists where the op has several outputs.
    """
    op, attributes = call.inner.op, call.inner.values

    def argument(name):
        if name in ("g", "out"):
            return g if name == "g" else out
        if name in op.params:
            k = op.params.index(name)
            return ins[k] if k < len(ins) else attributes[k - len(ins)]
        of, _, what = name.rpartition("_")
        value = ins[op.params.index(of)].value
        return None if value is None else tuple(value.shape) if what == "shape" else value.dtype
    results = [note.constant(None)] * len(ins)
    if op.shared_rule is not None:
        names = [n for n in op.shared_rule.names if n != "needs"]
        found = note.several(*_flattened(op.shared_rule.fn, call.recipe.needs, [argument(n) for n in names]))
        pairs = [(w, found[w]) for w in call.wanted]
    else:
        pairs = [(w, note(op.rules[w].fn, *map(argument, op.rules[w].names))) for w in call.wanted]
    for w, r in pairs:
        if r.value is not None and op.family == "broadcast" and r.value.shape != tuple(ins[w].value.shape):
            r = note(sum_to, r, tuple(ins[w].value.shape))
        results[w] = r
    return results


def _flattened(rule, needs, arguments):
    """A function and its arguments that call a rule; lists among the arguments are taken apart, and given as tuples."""
    if not any(a.__class__ is list for a in arguments):
        return rule, needs, *arguments
    cuts, flat = [], []
    for a in arguments:
        cuts.append((len(flat), len(flat) + len(a)) if a.__class__ is list else len(flat))
        flat += a if a.__class__ is list else [a]

    def call(*values):
        return rule(needs, *[values[c] if c.__class__ is int else values[c[0]:c[1]] for c in cuts])
    return call, *flat
