"""Role makers of fleet 1.x: those of paddle.distributed.fleet; the ones for parameter servers are refused."""

from .....distributed.fleet.roles import PaddleCloudRoleMaker, Role, UserDefinedCollectiveRoleMaker, UserDefinedRoleMaker

__all__ = ["Role", "PaddleCloudRoleMaker", "UserDefinedRoleMaker", "UserDefinedCollectiveRoleMaker"]


def __getattr__(name):
    if name in ("MPISymetricRoleMaker", "GeneralRoleMaker", "MPIRoleMaker"):
        raise NotImplementedError(f"role_maker.{name}: it divides ranks into workers and parameter servers, which are not "
                                  "supported; PaddleCloudRoleMaker(is_collective=True) is")
    raise AttributeError(f"module 'paddle.fluid.incubate.fleet.base.role_maker' has no attribute {name!r}")
