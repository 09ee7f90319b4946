"""Names of Graphcore IPUs, which are not part of this build: all of them say so."""


def _refuse(name):
    raise NotImplementedError(f"{name}: Graphcore IPUs are not part of this build, which runs programs on the CPU")


class IpuStrategy:
    """Not supported: settings of IPUs."""

    def __init__(self):
        _refuse("IpuStrategy()")


class IpuCompiledProgram:
    """Not supported: a program compiled for IPUs."""

    def __init__(self, program=None, scope=None, ipu_strategy=None):
        _refuse("IpuCompiledProgram()")


def ipu_shard_guard(index=-1, stage=-1):
    """Not supported: placing operators on IPUs."""
    _refuse("ipu_shard_guard()")


def set_ipu_shard(call_func, index=-1, stage=-1):
    """Not supported: placing a function's operators on IPUs."""
    _refuse("set_ipu_shard()")
