"""What a function changes outside itself, layers aside: put back after the trace, and set anew after every run."""

from ..core.references import references
from ..core.tensor import Tensor
from ..nn.layer.layers import Layer
from .errors import Unset, Untranslatable
from .guards import token
from .places import Cell, Global
from .signature import flatten


class Expected:
    """True while a place that the function changes is as it was before the trace."""

    def __init__(self, place, read):
        self.place = place
        self.known = [Tensor if isinstance(v, Tensor) and id(v) not in read else token(v) for v in place.before]

    def hold(self):
        """Is it? Of tensors that nobody read, only that they are tensors matters."""
        now = self.place.contents()
        return len(now) == len(self.known) and all(isinstance(v, Tensor) if k is Tensor else token(v) == k
                                                   for k, v in zip(self.known, now))


class PlaceSetter:
    """Puts what the program computed where the function put it."""

    def __init__(self, place):
        self.place, self.leaves = place, []
        self.structure = flatten(place.value(), self.leaves)

    def __call__(self, value, inputs):
        self.place.refill(value)


def settle(trace):
    """The setters of what the function changed; everything is as before again, and the trace knows what it expects."""
    _forget(trace.mutations[0].places, trace.reads)
    for read in trace.reads.values():
        read.settle(trace.met)
    known = [p for p in trace.mutations[0].places.values() if not isinstance(p.owner, Layer)]
    places = [p for p in known if p.differs()]
    for place in places:
        if id(place.owner) in trace.arguments:
            raise Untranslatable(f"{place.name} that is an argument of the function is changed by it")
        if place.value().__class__ is Unset:
            raise Untranslatable(f"{place.name} is deleted")
    setters = [PlaceSetter(p) for p in places]
    rewind(trace)
    trace.expected = [Expected(p, trace.met) for p in known if p in places or isinstance(p, (Cell, Global))]
    for place in known:
        place.loosen()
    return setters


def _forget(*tables):
    """Leave out what the function made for itself: nobody but the tables knows it."""
    before = None
    while sum(map(len, tables)) != before:
        before = sum(map(len, tables))
        by_owner = {}
        for table in tables:
            for key, kept in table.items():
                by_owner.setdefault(id(kept.owner), []).append((table, key))
        for places in by_owner.values():
            table, key = places[0]
            if references(getattr, table[key], "owner") == sum(t[k].references for t, k in places):
                for t, k in places:
                    del t[k]


def rewind(trace):
    """Put everything back."""
    for place in [p for mutations in trace.mutations[:1] for p in mutations.places.values()]:
        if not isinstance(place.owner, Layer):
            place.restore(place.before)


def containers(value):
    """Numbers (id) of the lists and dicts inside an argument."""
    if isinstance(value, dict):
        return {id(value)}.union(*[containers(v) for v in value.values()])
    if isinstance(value, (list, tuple)):
        return {id(value)}.union(*[containers(v) for v in value])
    return set()
