"""The sublayers of a layer, depth first; and as earlier generations list them."""


def every_sublayer(layer, prefix):
    """Pairs (structured name, layer) of a layer and its sublayers, under every name that they have."""
    yield prefix, layer
    for name, part in layer._sub_layers.items():
        if part is not None:
            yield from every_sublayer(part, prefix + ("." if prefix else "") + name)


def walk(layer, prefix, include_self, seen, deep=True):
    """Pairs (structured name, layer) of a layer's sublayers, depth first, each layer once."""
    if include_self and layer not in seen:
        seen.add(layer)
        yield prefix, layer
    for name, part in layer._sub_layers.items():
        if part is None or part in seen:
            continue
        seen.add(part)
        path = prefix + ("." if prefix else "") + name
        yield path, part
        if deep and part._sub_layers:
            yield from part.named_sublayers(path, layers_set=seen)


def named_sublayers_alone(self, prefix="", include_sublayers=True, include_self=False, layers_set=None):
    """Pairs (structured name, layer) as before 2.0: ``include_sublayers=False`` leaves out what is below the sublayers."""
    return walk(self, prefix, include_self, set() if layers_set is None else layers_set, include_sublayers)


def sublayers_alone(self, include_sublayers=True, include_self=False):
    """Sublayers as before 2.0: the first argument says whether those below them are wanted."""
    return [layer for _, layer in self.named_sublayers(include_self=include_self, include_sublayers=include_sublayers)]
