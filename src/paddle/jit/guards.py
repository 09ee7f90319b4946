"""What a traced program silently depends on: plain attributes of layers, and plain values from around the function."""

import weakref

from ..core.context import process
from ..core.tensor import Tensor
from .source import HELPER
from .training import StepGuards

PLAIN = (bool, int, float, complex, str, bytes, type(None))


def token(value):
    """Something that is equal as long as a program traced with the value may be used with it."""
    return (value.__class__, value) if isinstance(value, PLAIN) else id(value)


class Guards:
    """True while nothing that the trace looked at has changed."""

    def __init__(self, trace):
        self.layers = [(weakref.ref(layer), {key: token(v) for key, v in state.items()}) for layer, state in
                       trace.layers.values()]
        self.outer = [(read, token(value)) for read, value in trace.outer]
        self.frozen = [(ref, version) for ref, version in trace.frozen if ref() is not None]
        self.step = StepGuards(trace) if trace.gradients.trains or trace.gradients.leaves else None
        self.seen, self.expected = None, [*trace.expected, *trace.reads.values()]

    def hold(self, tensors):
        """May the program be used with these arguments?"""
        if self.step is not None and not self.step.hold(tensors):
            return False
        for read, expected in self.outer:
            if token(read()) != expected:
                return False
        for expected in self.expected:
            if not expected.hold():
                return False
        for ref, version in self.frozen:
            tensor = ref()
            if tensor is not None and tensor._version != version:
                return False
        if self.seen == process.layer_changes:
            return True
        for ref, expected in self.layers:
            layer = ref()
            if layer is None or not _same(layer, expected):
                return False
        self.seen = process.layer_changes
        return True


def _same(layer, expected):
    table = layer.__dict__
    for (registry, name), known in expected.items():
        values = table if registry is None else table[registry]
        if name not in values or token(values[name]) != known:
            return False
    return True


def outer_values(function):
    """(how to read it, value) of the plain values and tensors that a function reads from its globals and closure.

    Names that it assigns are left out: they are Places (see ``mutations.touch_scopes``).
    """
    from .mutations import stored
    found, code = [], function.__code__
    cells, assigned = stored(code)
    names = set(code.co_names)
    for inner in code.co_consts:
        if hasattr(inner, "co_names"):
            names |= set(inner.co_names)
    table = function.__globals__
    for name in names - assigned:
        if name in table and isinstance(table[name], (*PLAIN, Tensor)) and not name.startswith("__"):
            found.append((lambda name=name: table.get(name), table[name]))
    made_inside = HELPER in code.co_freevars  # by translated code: what it shares with that code is no outer value
    for name, cell in () if made_inside else zip(code.co_freevars, function.__closure__ or ()):
        if name in cells:
            continue
        try:
            value = cell.cell_contents
        except ValueError:
            continue
        if isinstance(value, (*PLAIN, Tensor)):
            found.append((lambda cell=cell: _contents(cell), value))
    return found


def _contents(cell):
    try:
        return cell.cell_contents
    except ValueError:
        return None
