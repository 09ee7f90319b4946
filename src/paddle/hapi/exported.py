"""Parameters of an exported model for a network: files without a layer's names call them linear_0.w_0, as the program does."""

import re

from ..framework.io import load

_NUMBERED = re.compile(r"(.*?)_(\d+)(\..*|)$")


def exported_state(prefix, own):
    """Name in the network's state dict -> array, from ``prefix.json`` or ``prefix.pdmodel`` and ``prefix.pdiparams``.

    Without the layer's own names (``.pdiparams.info``) the layers of a kind are taken in their order: the first Linear of the
    network is the first linear of the file.

    Args:
        prefix: file names without their endings.
        own: state dict of the network.
    """
    arrays = load(prefix)
    if set(arrays) & set(own) or not arrays:
        return arrays
    stored, wanted = _in_order(arrays), _in_order({tensor.name: key for key, tensor in own.items()})
    if {kind: len(names) for kind, names in stored.items()} != {kind: len(names) for kind, names in wanted.items()}:
        raise ValueError(f"load(): {prefix} has other layers than the network: {_listed(stored)} in the file, {_listed(wanted)} in "
                         "the network")
    keys = {tensor.name: key for key, tensor in own.items()}
    return {keys[mine]: arrays[name] for kind, names in stored.items() for name, mine in zip(names, wanted[kind])}


def _in_order(names):
    """Kind of layer and of parameter -> names, in the order of the layers' numbers."""
    found = {}
    for name in names:
        match = _NUMBERED.match(name)
        kind, number = ((match[1], match[3]), int(match[2])) if match else ((name, ""), 0)
        found.setdefault(kind, []).append((number, name))
    return {kind: [name for _, name in sorted(numbered)] for kind, numbered in sorted(found.items())}


def _listed(kinds):
    return ", ".join(f"{len(names)} {kind[0]}{kind[1]}" for kind, names in kinds.items())
