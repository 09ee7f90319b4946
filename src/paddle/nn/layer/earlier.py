"""How layers of earlier generations take values."""


def load_every(layer, stat_dict, include_sublayers=True, use_structured_name=True):
    """Load values by structured name (or parameter name) into a layer, and its sublayers unless told otherwise; RuntimeError
    where one is missing."""
    own = layer.state_dict(include_sublayers=include_sublayers)
    names = {key: key if use_structured_name else value.name for key, value in own.items()}
    missing = [name for name in names.values() if name not in stat_dict]
    if missing:
        raise RuntimeError(f"{type(layer).__name__}.set_dict(): the given dict has no value for {', '.join(missing)}")
    layer.set_state_dict({name: stat_dict[name] for name in names.values()}, use_structured_name)
