"""What layers of earlier generations do otherwise: how they list their sublayers and take values."""


def sublayers_alone(self, include_sublayers=True, include_self=False):
    """Sublayers as before 2.0: the first argument says whether those below them are wanted."""
    return [layer for _, layer in self.named_sublayers(include_self=include_self, include_sublayers=include_sublayers)]


def load_every(layer, stat_dict, include_sublayers=True, use_structured_name=True):
    """Load values by structured name (or parameter name) into a layer, and its sublayers unless told otherwise; RuntimeError
    where one is missing."""
    own = layer.state_dict(include_sublayers=include_sublayers)
    names = {key: key if use_structured_name else value.name for key, value in own.items()}
    missing = [name for name in names.values() if name not in stat_dict]
    if missing:
        raise RuntimeError(f"{type(layer).__name__}.set_dict(): the given dict has no value for {', '.join(missing)}")
    layer.set_state_dict({name: stat_dict[name] for name in names.values()}, use_structured_name)
