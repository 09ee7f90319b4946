"""paddle.utils.layers_utils: nested lists, tuples and dicts."""

from collections.abc import Mapping, Sequence

from ..core.addresses import lookup as _lookup
from ..core.errors import describe

__all__ = ["assert_same_structure", "convert_to_list", "flatten", "is_sequence", "map_structure", "pack_sequence_as",
           "to_sequence"]


def is_sequence(seq):
    """Is it a list, tuple or dict (not a text)?"""
    return isinstance(seq, (Sequence, Mapping)) and not isinstance(seq, str)


def to_sequence(nest):
    """The structure itself, or a list of the one leaf."""
    return nest if is_sequence(nest) else [nest]


def flatten(nest):
    """The leaves of a structure, in order; those of dicts by their sorted keys.

    >>> paddle.utils.flatten([1, {'b': 2, 'a': (3, 4)}])
    [1, 3, 4, 2]
    """
    if isinstance(nest, Mapping):
        return [leaf for key in _keys(nest) for leaf in flatten(nest[key])]
    if is_sequence(nest):
        return [leaf for item in nest for leaf in flatten(item)]
    return [nest]


def _keys(mapping):
    try:
        return sorted(mapping)
    except TypeError:
        raise TypeError("flatten(): the keys of a dict must be of one type that can be sorted, got "
                        f"{', '.join(map(describe, mapping))}") from None


def pack_sequence_as(structure, flat_sequence):
    """A structure like another one, with other leaves, in the order of ``flatten``.

    >>> paddle.utils.pack_sequence_as([0, {'b': 0, 'a': 0}], [1, 2, 3])
    [1, {'b': 3, 'a': 2}]
    """
    if not is_sequence(flat_sequence):
        raise TypeError(f"pack_sequence_as(): flat_sequence must be a list, got {describe(flat_sequence)}")
    count = len(flatten(structure))
    if not is_sequence(structure) and len(flat_sequence) != 1 or count != len(flat_sequence):
        raise ValueError(f"pack_sequence_as(): the structure has {count} leaves, flat_sequence {len(flat_sequence)}")
    return _pack(structure, iter(flat_sequence))


def _pack(structure, leaves):
    if isinstance(structure, Mapping):
        made = {key: _pack(structure[key], leaves) for key in _keys(structure)}
        return type(structure)((key, made[key]) for key in structure)
    if isinstance(structure, tuple) and hasattr(structure, "_fields"):
        return type(structure)(*[_pack(item, leaves) for item in structure])
    if is_sequence(structure):
        return type(structure)(_pack(item, leaves) for item in structure)
    return next(leaves)


def map_structure(func, *structure):
    """A structure of the results of a function on the leaves of one or several structures.

    >>> paddle.utils.map_structure(lambda a, b: a + b, [1, (2,)], [10, (20,)])
    [11, (22,)]
    """
    leaves = [flatten(s) for s in structure]
    for other in leaves[1:]:
        if len(other) != len(leaves[0]):
            raise ValueError(f"map_structure(): the structures have {len(leaves[0])} and {len(other)} leaves")
    return pack_sequence_as(structure[0], [func(*items) for items in zip(*leaves)])


def assert_same_structure(nest1, nest2, check_types=True):
    """ValueError where two structures do not have the same form, TypeError where their containers are of other types."""
    if is_sequence(nest1) != is_sequence(nest2) or len(flatten(nest1)) != len(flatten(nest2)):
        raise ValueError(f"assert_same_structure(): the structures differ: {describe(nest1)} and {describe(nest2)}")
    if not is_sequence(nest1):
        return
    if check_types and type(nest1) is not type(nest2):
        raise TypeError(f"assert_same_structure(): {type(nest1).__name__} and {type(nest2).__name__} are of other types")
    if isinstance(nest1, Mapping) and set(nest1) != set(nest2):
        raise ValueError(f"assert_same_structure(): the keys differ: {sorted(nest1)} and {sorted(nest2)}")
    pairs = ((nest1[k], nest2[k]) for k in nest1) if isinstance(nest1, Mapping) else zip(nest1, nest2)
    for one, other in pairs:
        assert_same_structure(one, other, check_types)


def convert_to_list(value, n, name, dtype=int):
    """A list of n numbers: one number n times, or the given ones; ValueError where they are others."""
    if isinstance(value, dtype):
        return [value] * n
    try:
        values = list(value)
    except TypeError:
        values = None
    if values is None or len(values) != n or not all(isinstance(v, dtype) for v in values):
        raise ValueError(f"{name} must be {dtype.__name__} or {n} of them, got {describe(value)}")
    return values


__getattr__ = _lookup(__name__)
