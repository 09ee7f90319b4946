"""fluid.incubate: fleet of 1.x lives in paddle.distributed.fleet now; parameter servers are not supported."""

from ...core.errors import suggest as _suggest

_REFUSED = {"fleet": "fleet of 1.x is not supported; use paddle.distributed.fleet",
            "data_generator": "it feeds parameter servers, which are not supported; use paddle.io.DataLoader"}


def __getattr__(name):
    if name in _REFUSED:
        raise NotImplementedError(f"fluid.incubate.{name}: {_REFUSED[name]}")
    raise AttributeError(f"module 'paddle.fluid.incubate' has no attribute {name!r}{_suggest(name, _REFUSED)}")
