"""Role makers: who is who in a job. In collective training every process is a worker."""

import os

from ..env import ParallelEnv


class Role:
    """Roles that Paddle names; only WORKER exists here."""

    WORKER = 1
    SERVER = 2
    HETER_WORKER = 3
    ALL = 4
    COORDINATOR = 5


class PaddleCloudRoleMaker:
    """Takes rank and size from the launcher's variables. Without ``is_collective`` it is a job of one worker: where the launcher
    names parameter servers, it is refused."""

    def __init__(self, is_collective=False, **kwargs):
        if not is_collective and (os.environ.get("PADDLE_PSERVERS_IP_PORT_LIST") or ParallelEnv().world_size > 1):
            raise NotImplementedError(f"{type(self).__name__}(is_collective=False): the parameter server is not supported; "
                                      "is_collective=True is")
        if kwargs.get("init_gloo") or kwargs.get("server_endpoints"):
            raise NotImplementedError(f"{type(self).__name__}(init_gloo=, server_endpoints=): the parameter server is not "
                                      "supported; is_collective=True is")
        kwargs = {name: value for name, value in kwargs.items() if name not in ("init_gloo", "path", "server_endpoints")}
        if kwargs:
            raise ValueError(f"{type(self).__name__}(): unknown arguments {', '.join(sorted(kwargs))}")
        self._env = ParallelEnv()

    def generate_role(self):
        """Nothing: the role stands since the role maker was made."""

    def worker_index(self):
        """Number of this worker."""
        return self._env.rank

    def worker_num(self):
        """Number of workers."""
        return self._env.world_size

    def is_worker(self):
        """Always True: there are only workers."""
        return True

    def is_server(self):
        """Always False: there is no parameter server."""
        return False

    def is_first_worker(self):
        """Is this worker number 0?"""
        return self._env.rank == 0

    def get_trainer_endpoints(self):
        """Endpoints of all workers."""
        return self._env.trainer_endpoints

    _worker_index, _worker_num, _is_first_worker, _is_worker, _is_server = (worker_index, worker_num, is_first_worker, is_worker,
                                                                            is_server)
    _get_trainer_endpoints = get_trainer_endpoints


class UserDefinedRoleMaker(PaddleCloudRoleMaker):
    """Rank and size by hand; they must be those of the launcher."""

    def __init__(self, is_collective=False, init_gloo=False, current_id=None, role=Role.WORKER, worker_num=None,
                 worker_endpoints=None, **kwargs):
        super().__init__(is_collective, **kwargs)
        if role != Role.WORKER:
            raise NotImplementedError(f"UserDefinedRoleMaker(): role {role} is not supported; Role.WORKER is")
        given = (current_id, worker_num if worker_num is not None else worker_endpoints and len(worker_endpoints))
        for what, value, actual in zip(("current_id", "worker_num"), given, (self._env.rank, self._env.world_size)):
            if value is not None and value != actual:
                raise ValueError(f"UserDefinedRoleMaker(): {what}={value}, but the launcher says {actual}")
        self._init_gloo = bool(init_gloo)  # MPI serves the barriers that gloo would


class UserDefinedCollectiveRoleMaker(UserDefinedRoleMaker):
    """Number and endpoints of the workers by hand; they must be those of the launcher. (1.x; successor: PaddleCloudRoleMaker)"""

    def __init__(self, current_id=0, worker_endpoints=None):
        super().__init__(is_collective=True, current_id=current_id, worker_endpoints=worker_endpoints)
