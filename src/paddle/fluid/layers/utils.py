"""fluid.layers.utils: nested lists, tuples and dicts as flat lists, and back."""

from ...core.errors import describe

__all__ = ["is_sequence", "flatten", "pack_sequence_as", "map_structure", "assert_same_structure", "convert_to_list"]


def convert_to_list(value, n, name, dtype=int):
    """A number as a list of n of them; a list of n numbers as it is (1.x; successor: none)."""
    items = [value] * n if isinstance(value, dtype) else value
    if not isinstance(items, (list, tuple)) or len(items) != n or not all(isinstance(item, dtype) for item in items):
        raise ValueError(f"{name} must be one {dtype.__name__} or a list of {n}, got {describe(value)}")
    return list(items)


def is_sequence(seq):
    """Is it a list, tuple or dict (1.x; successor: isinstance)?"""
    return isinstance(seq, (list, tuple, dict))


def _parts(nest):
    return [nest[key] for key in sorted(nest)] if isinstance(nest, dict) else list(nest)


def flatten(nest):
    """The leaves of nested lists, tuples and dicts (by sorted keys) in order (1.x; successor: none)."""
    return [leaf for part in _parts(nest) for leaf in flatten(part)] if is_sequence(nest) else [nest]


def pack_sequence_as(structure, flat_sequence):
    """Leaves put into the form of a structure (1.x; successor: none)."""
    if not isinstance(flat_sequence, (list, tuple)):
        raise TypeError(f"pack_sequence_as(): flat_sequence must be a list or tuple, got {describe(flat_sequence)}")
    wanted = len(flatten(structure))
    if wanted != len(flat_sequence):
        raise ValueError(f"pack_sequence_as(): the structure has {wanted} leaves, flat_sequence {len(flat_sequence)}")
    return _packed(structure, iter(flat_sequence))


def _packed(structure, leaves):
    if not is_sequence(structure):
        return next(leaves)
    if isinstance(structure, dict):
        made = {key: _packed(structure[key], leaves) for key in sorted(structure)}
        return type(structure)((key, made[key]) for key in structure)
    made = [_packed(part, leaves) for part in structure]
    return type(structure)(*made) if hasattr(structure, "_fields") else type(structure)(made)


def map_structure(func, *structure):
    """func of the leaves of structures of one form, in that form (1.x; successor: none)."""
    for other in structure[1:]:
        assert_same_structure(structure[0], other, check_types=False)
    return pack_sequence_as(structure[0], [func(*leaves) for leaves in zip(*map(flatten, structure))])


def assert_same_structure(nest1, nest2, check_types=True):
    """ValueError or TypeError unless two structures have one form (1.x; successor: none)."""
    if is_sequence(nest1) != is_sequence(nest2):
        raise ValueError(f"assert_same_structure(): one is nested, the other is not: {describe(nest1)}, {describe(nest2)}")
    if not is_sequence(nest1):
        return
    if check_types and type(nest1) is not type(nest2):
        raise TypeError(f"assert_same_structure(): {type(nest1).__name__} and {type(nest2).__name__}")
    if len(nest1) != len(nest2) or isinstance(nest1, dict) and isinstance(nest2, dict) and set(nest1) != set(nest2):
        raise ValueError(f"assert_same_structure(): the parts differ: {describe(nest1)}, {describe(nest2)}")
    for one, other in zip(_parts(nest1), _parts(nest2)):
        assert_same_structure(one, other, check_types)
