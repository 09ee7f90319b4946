"""Shapes of what branches of different ranks give: operators are checked with each shape that their inputs may have."""

import itertools

from ...core.context import context
from ...core.facts import Spec

MOST_CASES = 64


class OpenSpec(Spec):
    """A Spec of several possible shapes, one of each rank."""

    __slots__ = ("shapes",)

    def __init__(self, shapes, dtype):
        self.shapes = shapes
        super().__init__([-1] * max(map(len, shapes)), dtype)


def common_shape(a, b):
    """Sizes that two shapes share, -1 where they differ."""
    return [p if p == q else -1 for p, q in zip(a, b)] if len(a) == len(b) else [-1] * max(len(a), len(b))


def one_of_each_rank(shapes):
    """Shapes that hold for all that are given, one of each rank."""
    found = {}
    for shape in shapes:
        found[len(shape)] = tuple(common_shape(found.get(len(shape), shape), shape))
    return tuple(found.values())


def possible_shapes(value):
    """The shapes that a Variable may have: one, unless its number of dimensions is open."""
    return (tuple(value.shape),) if value.shapes is None else value.shapes


def extent(value):
    """What a new Variable of the same shape is told of it."""
    return {"shape": value.shape} if value.shapes is None else {"shapes": value.shapes, "why": value.why}


def extent_of(shapes, why):
    """What a new Variable is told that has one of these shapes; ``why`` is said where one is asked for that a run decides."""
    found = one_of_each_rank(shapes)
    return {"shape": found[0]} if len(found) == 1 else {"shapes": found, "why": why}


def infer_each(slots, specs, infer):
    """Specs of the outputs of an operator with inputs (Variables, by slot) of open rank; ``infer`` finds them for given
    specs of the inputs. A case that the op refuses is left to the run, unless it refuses all."""
    unsure = list({id(v): v for items in slots for v in items or () if v.shapes is not None}.values())
    cases = list(itertools.islice(itertools.product(*[v.shapes for v in unsure]), MOST_CASES + 1))
    if len(cases) > MOST_CASES:
        context.trace.refuse_shape(unsure[0])
    found, error = [], None
    for case in cases:
        shapes = {id(v): shape for v, shape in zip(unsure, case)}
        try:
            found.append(infer([_with(items, spec, shapes) for items, spec in zip(slots, specs)]))
        except (ValueError, TypeError, IndexError) as failure:
            error = error or failure
    if not found:
        raise error
    return [_merged(each) for each in itertools.zip_longest(*found)]


def _with(items, spec, shapes):
    """The spec, or specs, of a slot in one case."""
    if isinstance(spec, list):
        return [s.like(shapes[id(v)]) if id(v) in shapes else s for v, s in zip(items, spec)]
    return spec.like(shapes[id(items[0])]) if spec is not None and id(items[0]) in shapes else spec


def _merged(specs):
    specs = [s for s in specs if s is not None]
    if not specs:
        return None
    shapes = one_of_each_rank(s.shape for s in specs)
    return Spec(shapes[0], specs[0].dtype) if len(shapes) == 1 else OpenSpec(shapes, specs[0].dtype)
