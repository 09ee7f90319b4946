"""Gradient rules of ops, and the backward recipe that the tape makes of them for a recorded call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from . import engine
from .autograd import BackwardRecipe
from .signature import arguments
from .steps import written_out

WIDENS = (np.array(1, np.float32) * 2.0).dtype != np.float32  # NumPy 1: a 0-d array and a Python number give double precision


class Rule:
    """A gradient rule with the names of what it needs."""

    __slots__ = ("fn", "names", "takes_repeated")

    def __init__(self, op: Any, fn: Callable[..., Any], extra: tuple[Any, ...] = ()) -> None:
        self.fn = fn
        self.names = list(arguments(fn))
        self.takes_repeated = False  # may g be one number repeated (steps.repeated)?
        for n in self.names:
            base, _, what = n.rpartition("_")
            known = n in op.params or n in ("g", "out", *extra) or (base in op.params and what in ("shape", "dtype"))
            if not known:
                raise TypeError(f"gradient rule of {op.name}: unknown name {n!r}; known: g, out, {', '.join(op.params)}, "
                                "and <input>_shape, <input>_dtype")

    def narrowed(self, parameter: str) -> Rule:
        """The rule with gradients of 0-d tensors in the element type of the input."""
        fn, made = self.fn, object.__new__(Rule)

        def rule(*values: Any) -> Any:
            result, kind = fn(*values[:-1]), values[-1]
            if isinstance(result, (np.ndarray, np.generic)) and not result.ndim and result.dtype != kind:
                result = np.asarray(result, kind) if result.dtype.kind == np.dtype(kind).kind else result
            return result
        made.fn, made.names, made.takes_repeated = rule, [*self.names, parameter + "_dtype"], self.takes_repeated
        return made


class Recipe(engine.RecipeBase, BackwardRecipe):
    """The backward recipe of one op for one set of inputs that need gradients (``active``).

    A call keeps the arguments at the positions ``kept`` (of which ``tensors`` are tensors), shapes and dtypes (``metas``:
    pairs of an input's position and the attribute's name), and its output if ``saves_out``. The values of a backward call
    are (g, kept arguments..., metas..., out); each of ``rules`` is a pair of a function and its arguments' positions among
    those. One rule for all inputs (``Op.vjp``) is told what it ``needs``, else that is None.
    """

    __slots__ = ()

    def __init__(self, op: Any, active: list[Any]) -> None:
        rules = [op.rules[i] for i in active] if op.shared_rule is None else [op.shared_rule]
        if WIDENS and op.shared_rule is None:
            rules = [rule if op.inputs[i].is_list else rule.narrowed(op.params[i]) for rule, i in zip(rules, active)]
        names = list(dict.fromkeys(n for rule in rules for n in rule.names))
        kept = [n for n in names if n in op.params]
        metas = [n for n in names if n not in op.params and n not in ("g", "out", "needs")]
        order = ["g", *kept, *metas, "out"]
        positions = tuple([op.params.index(n) for n in kept])
        super().__init__(
            op, active=tuple(active), kept=positions, tensors=tuple([p for p in positions if p < op.n_in]),
            metas=tuple([(op.params.index(n.rpartition("_")[0]), n.rpartition("_")[2]) for n in metas]),
            saves_out="out" in names,
            rules=tuple([(rule.fn, tuple([order.index(n) for n in rule.names if n != "needs"])) for rule in rules]),
            needs=None if op.shared_rule is None else tuple([i in active for i in range(op.n_in)]),
            takes_repeated=all(rule.takes_repeated for rule in rules))

    name = property(lambda self: self.op.name)
    takes_none = property(lambda self: self.op.takes_none)

    def reads_output(self, index: int) -> bool:
        """False only where the rule says which outputs it looks at (``Op.vjp``) and this is none of them."""
        return not isinstance(self.op.reads, tuple) or index in self.op.reads

    def keep(self, values: list[Any] | tuple[Any, ...]) -> tuple[Any, ...]:
        """What a node saves of a call's arguments, whose tensors are arrays."""
        saved = tuple([values[i] for i in self.kept])
        return saved + tuple([_meta(values[i], what) for i, what in self.metas]) if self.metas else saved

    def gradients(self, node: Any, g: Any, create_graph: bool, final: bool) -> list[Any]:
        saved, out = node.saved, node.out
        if create_graph:
            tensors = dict(zip(self.tensors, node.tensors))
            saved = (*[tensors.get(p, value) for p, value in zip(self.kept, saved)], *saved[len(self.kept):])
            if self.saves_out:
                out = node.rewrap(out)
        values = (g, *saved, out)
        results = [fn(*([] if self.needs is None else [self.needs]), *[values[i] for i in pick]) for fn, pick in self.rules]
        if self.needs is None:
            results = [written_out(one) for one in results]
        return results if self.needs is None else [results[0][i] for i in self.active]


def _meta(value: Any, what: str) -> Any:
    if value is None:
        return None
    if isinstance(value, list):
        return [_meta(v, what) for v in value]
    found = getattr(value, what)
    return tuple(found) if what == "shape" else found
