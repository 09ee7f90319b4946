"""Nested results (lists, tuples, dicts) taken apart and put together again."""


def flatten(nested):
    """The leaves of a nested structure, in order (dicts by their keys' order)."""
    if isinstance(nested, dict):
        return [leaf for key in nested for leaf in flatten(nested[key])]
    if isinstance(nested, (list, tuple)):
        return [leaf for item in nested for leaf in flatten(item)]
    return [nested]


def pack(like, leaves):
    """A structure like another one, with other leaves."""
    leaves = iter(leaves)

    def build(part):
        if isinstance(part, dict):
            return type(part)((key, build(value)) for key, value in part.items())
        if isinstance(part, tuple) and hasattr(part, "_fields"):
            return type(part)(*[build(item) for item in part])
        if isinstance(part, (list, tuple)):
            return type(part)(build(item) for item in part)
        return next(leaves)
    return build(like)


def shape_of(nested):
    """Text of a structure without its leaves, for comparing and for messages."""
    if isinstance(nested, dict):
        return "{" + ", ".join(f"{key!r}: {shape_of(value)}" for key, value in nested.items()) + "}"
    if isinstance(nested, (list, tuple)):
        inside = ", ".join(shape_of(item) for item in nested)
        return f"[{inside}]" if isinstance(nested, list) else f"({inside})"
    return "None" if nested is None else "*"
