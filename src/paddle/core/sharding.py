"""How tensors that are cut over ranks travel through an op: the fact ``sharding`` of its record.

A call is described by labels: one for every axis of every input and output that may be cut, None for an axis that has to be whole
on each rank. Axes with one label are cut together. A label that an output has not is summed over: that output is then a part of a
sum on each rank. The fact is a function ``(op, inputs, attrs) -> Travel`` of Specs (as shape rules take them), or a pattern for
the common case: ``"*B n, n -> *B n"``, where words in capitals may be cut, others not, and ``*B`` stands for any number of axes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any


class Part:
    """Which part of the axes of one label a rank has: ``size`` of ``whole`` elements from ``start`` on."""

    __slots__ = ("start", "size", "whole")

    def __init__(self, start: int, size: int, whole: int) -> None:
        self.start, self.size, self.whole = start, size, whole


class Travel:
    """How one call may be cut.

    Attributes:
        inputs: labels of the axes of each input: a tuple, a list of tuples for a list of tensors, None where none is given.
        outputs: the same for each output; None for an output that a cut call can't give.
        linear: may inputs be parts of a sum, so that the outputs are? ``"each"``: one of them, ``"all"``: all at once,
            ``"first"``: the first; None: no.
        run: called as ``run(op, arguments, parts)`` in the place of the op, with the rank's parts of the tensors and {label: Part}
            for the labels that are cut.
        units: for labels whose axes differ in size, a number that the number of parts must divide.
    """

    __slots__ = ("inputs", "outputs", "linear", "run", "units")

    def __init__(self, inputs: Sequence[Any], outputs: Sequence[Any], linear: str | None = None,
                 run: Callable[..., Any] | None = None, units: Mapping[Any, int] | None = None) -> None:
        self.inputs, self.outputs, self.linear, self.run, self.units = inputs, outputs, linear, run, units or {}


def travel_of(op: Any, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> Travel | None:
    """The Travel of a call, or None if nothing is known: then every rank computes the whole."""
    fact = None if op.facts.whole else op.facts.sharding
    if isinstance(fact, str):
        return matched(fact, inputs)
    return None if fact is None else fact(op, inputs, attrs)


def matched(pattern: str, inputs: Sequence[Any]) -> Travel | None:
    """The Travel that a pattern means for these inputs; None if they do not fit it."""
    left, _, right = pattern.partition("->")
    stars: dict[str, int] = {}
    words = [side.split() for side in left.split(",")]
    found = []
    for spec, names in zip(inputs, [*words, *[[] for _ in inputs[len(words):]]]):
        labels = None if spec is None else _labels(names, spec, stars)
        if spec is not None and labels is None:
            return None
        found.append(labels)
    return Travel(found, [_spread(side.split(), stars) for side in right.split(",")])


def _labels(names: Sequence[str], spec: Any, stars: dict[str, int]) -> Any:
    if isinstance(spec, list):
        return None
    if names == ["_"] or not names:
        return (None,) * len(spec.shape)
    star = next((name for name in names if name[0] == "*"), None)
    free = len(spec.shape) - len(names) + (star is not None)
    if free < 0 or star is None and free != 0 or star is not None and stars.setdefault(star, free) != free:
        return None
    return tuple(None if size == 1 else label for label, size in zip(_spread(names, stars), spec.shape))


def _spread(names: Sequence[str], stars: Mapping[str, int]) -> tuple[Any, ...]:
    """The labels of a side of a pattern: a starred word becomes as many as there are axes."""
    found: list[Any] = []
    for name in names:
        if name[0] == "*":
            found += [(name, k) if name[1:].isupper() else None for k in range(stars[name])]
        else:
            found.append(name if name.isupper() else None)
    return tuple(found)
