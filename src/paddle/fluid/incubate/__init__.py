"""fluid.incubate: fleet of 1.x for collective jobs; parameter servers are not supported."""

import importlib

from ...core.addresses import find as _find

_REFUSED = {"data_generator": "it feeds parameter servers, which are not supported; use paddle.io.DataLoader"}


def __getattr__(name):
    if name == "fleet":
        return importlib.import_module(f"{__name__}.fleet")
    if name in _REFUSED:
        raise NotImplementedError(f"fluid.incubate.{name}: {_REFUSED[name]}")
    return _find(__name__, name, [*_REFUSED, "fleet"])
