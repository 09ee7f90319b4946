"""Names of what static programs compute, as Paddle's own layers give them.

A layer draws one number for itself, and everything that it computes is numbered below it: ``conv2d_0.tmp_0``,
``conv2d_0.tmp_1``. An operator that is called on its own is a layer by itself.
"""

import contextlib

from ..core.context import changed, context
from . import unique_name

_NORMS = ("batch_norm", "layer_norm", "group_norm", "instance_norm", "data_norm")
_REPLACED = ("MeanOut", "VarianceOut", "DropoutState")  # slots whose variables Paddle takes from elsewhere: they use no number


def _inside(key):
    return changed(layer_key=key)


def layer(kind, name=None):
    """A ``with`` block in which outputs belong to one layer: ``<name>.tmp_0`` ...; inside another layer, to that one."""
    if context.layer_key is not None:
        return contextlib.nullcontext()
    return _inside((name or unique_name.generate(kind)) + ".tmp")


@contextlib.contextmanager
def owner(kind, name=None):
    """As ``layer``, for one that has parameters: it draws a number wherever it stands. Gives the layer's name."""
    base = name or unique_name.generate(kind)
    with _inside(base + ".tmp"):
        yield base


def numbered(key):
    """A ``with`` block in which outputs are called ``<key>_0``, ``<key>_1`` ..., as Paddle calls what Python operators give."""
    return contextlib.nullcontext() if context.layer_key is not None else _inside(key)


def apart(key):
    """A ``with`` block whose outputs belong to no layer, wherever it stands: ``<key>_0`` ..."""
    return _inside(key)


def slot_names(op, counts):
    """Names of an op's outputs: a list per slot; ``counts`` has the number of variables of each slot that is a list."""
    key = context.layer_key
    norm = op.type in _NORMS
    if key is None and op.type.startswith("elementwise_"):
        return {slot.name: [unique_name.generate(op.type)] for slot in op.file_outputs}
    late = () if not norm else ("Y",) if key is not None else ("Y", "ReserveSpace")
    if key is None:
        key = unique_name.generate(op.facts.layer_name or op.name) + ".tmp"
    names = {}
    for slot in sorted(op.file_outputs, key=lambda slot: late.index(slot.name) + 1 if slot.name in late else 0):
        source = "_generated_var" if slot.name in _REPLACED else key
        names[slot.name] = [unique_name.generate(source) for _ in range(counts.get(slot.name, 1))]
    return names


def named(result, name):
    """A function's result under the name that its caller gave, if one; only variables of programs take it.

    Functions of less than a microsecond ask themselves whether there is a name."""
    if name is None:
        return result
    for item in result if isinstance(result, (list, tuple)) else (result,):
        if hasattr(item, "take_layer_name"):
            item.take_layer_name(name)
            break
    return result
