"""fluid.incubate: fleet of 1.x lives in paddle.distributed.fleet now; parameter servers are not supported."""

_REFUSED = {"fleet": "fleet of 1.x is not supported; use paddle.distributed.fleet",
            "data_generator": "it feeds parameter servers, which are not supported; use paddle.io.DataLoader"}


def __getattr__(name):
    if name in _REFUSED:
        raise NotImplementedError(f"fluid.incubate.{name}: {_REFUSED[name]}")
    from ...core.errors import suggest
    raise AttributeError(f"module 'paddle.fluid.incubate' has no attribute {name!r}{suggest(name, _REFUSED)}")
