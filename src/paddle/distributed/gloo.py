"""The three gloo functions of 2.6: a barrier for programs that need nothing else. MPI carries it here."""

from .collective import barrier
from .env import ParallelEnv
from .group import init_parallel_env


def gloo_init_parallel_env(rank_id, rank_num, server_endpoint):
    """Join the other ranks. The launcher has decided rank and size already; both are checked against it."""
    env = ParallelEnv()
    if (rank_id, rank_num) != (env.rank, env.world_size):
        raise ValueError(f"gloo_init_parallel_env(): rank {rank_id} of {rank_num} was given, this process is rank "
                         f"{env.rank} of {env.world_size}; start it with python -m paddle.distributed.launch")
    if not isinstance(server_endpoint, str) or ":" not in server_endpoint:
        raise ValueError(f"gloo_init_parallel_env(): server_endpoint must be 'ip:port', got {server_endpoint!r}")
    init_parallel_env()


def gloo_barrier():
    """Wait until every rank has come here."""
    barrier()


def gloo_release():
    """Wait for the others a last time; what is left is given back when the program ends."""
    barrier()
