"""fleet of 1.x (successor: paddle.distributed.fleet): its collective mode. Parameter servers are refused."""

from ....core.addresses import find as _find


def __getattr__(name):
    if name == "parameter_server":
        raise NotImplementedError(f"fluid.incubate.fleet.{name}: parameter servers are not supported; fleet.collective is")
    return _find(__name__, name)
