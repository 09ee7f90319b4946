"""fluid.incubate: fleet of 1.x lives in paddle.distributed.fleet now; parameter servers are not supported."""


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(f"module 'paddle.fluid.incubate' has no attribute {name!r}")
    raise NotImplementedError(f"fluid.incubate.{name}: fleet of 1.x is not supported; use paddle.distributed.fleet")
