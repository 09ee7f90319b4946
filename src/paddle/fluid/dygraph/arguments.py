"""How calls of fluid's dygraph layers are read: several signatures, told apart by their arguments."""


def bind(who, names, args, kwargs):
    """Keyword arguments from positional ones under the given names."""
    if len(args) > len(names):
        raise TypeError(f"{who}() takes {len(names)} arguments but {len(args)} were given")
    given = dict(zip(names, args))
    twice = set(given) & set(kwargs)
    if twice:
        raise TypeError(f"{who}() got two values for {sorted(twice)}")
    given.update(kwargs)
    strange = set(given) - set(names)
    if strange:
        raise TypeError(f"{who}() got unexpected arguments {sorted(strange)}; it takes {', '.join(names)}")
    return given


def scope_of(args, kwargs):
    """(name_scope or None, remaining positional arguments)."""
    if args and isinstance(args[0], str):
        return args[0], args[1:]
    return kwargs.pop("name_scope", None), args
