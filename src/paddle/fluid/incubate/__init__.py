"""fluid.incubate: fleet of 1.x for collective jobs; parameter servers are not supported."""

import importlib

from ...core.addresses import find as _find


def __getattr__(name):
    if name == "fleet":
        return importlib.import_module(f"{__name__}.fleet")
    return _find(__name__, name, ["fleet"])
