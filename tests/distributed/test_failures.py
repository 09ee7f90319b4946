"""A rank that raises, leaves, stays away or does something else ends the job soon, with a message that names it."""

import subprocess
import sys

import pytest
from distributed.conftest import clean_environment

pytestmark = pytest.mark.usefixtures("nothing_left")

HEAD = """
    import os, sys, time
    import numpy as np
    import paddle
    import paddle.distributed as dist
    dist.init_parallel_env()
    rank = dist.get_rank()
    x = paddle.to_tensor(np.ones(3, "float32"))
    dist.all_reduce(x)
"""


def test_uncaught_exception_ends_all(launch):
    done = launch(HEAD + """
    if rank == 1:
        raise ValueError("something of mine")
    dist.all_reduce(x)
    """, 2, code=1)
    assert "rank 1 on" in done.err and "ValueError: something of mine" in done.err


def test_exit_of_one_rank_is_noticed(launch):
    done = launch(HEAD + """
    if rank == 1:
        sys.exit(0)
    dist.all_reduce(x)
    """, 2, code=1)
    assert "PeerLost" in done.log(0)
    assert "the program of rank 1 has already ended" in done.err


def test_rank_that_never_arrives(launch):
    done = launch(HEAD + """
    if rank == 1:
        time.sleep(600)
    dist.barrier()
    """, 2, env={"PADDLE_DISTRIBUTED_TIMEOUT": 1}, code=1)
    assert "CollectiveTimeout" in done.log(0)
    assert "rank 1 never arrived" in done.err
    assert "train.py:13" in done.err


def test_ranks_that_wait_for_each_other_in_different_places(launch):
    done = launch(HEAD + """
    half = dist.new_group([0, 1])
    dist.all_reduce(x, group=half if rank else None)
    """, 2, env={"PADDLE_DISTRIBUTED_TIMEOUT": 1}, code=1)
    assert "waits elsewhere: all_reduce" in done.err


def test_rank_that_never_starts(launch):
    done = launch("""
    import os, time
    if os.environ["PADDLE_TRAINER_ID"] == "1":
        time.sleep(600)
    import paddle.distributed as dist
    dist.init_parallel_env()
    """, 2, env={"PADDLE_DISTRIBUTED_TIMEOUT": 2}, code=1)
    assert "rank 0 on" in done.err
    assert "init_parallel_env" in done.log(0)


@pytest.mark.parametrize("calls, words", [
    (("dist.all_reduce(x)", "dist.barrier()"), ["all_reduce(float32[3])", "barrier()"]),
    (("dist.all_reduce(x)", "dist.all_reduce(x[:2])"), ["float32[3]", "float32[2]"]),
    (("dist.broadcast(x, 0)", "dist.broadcast(x, 1)"), ["root=0", "root=1"]),
    (("dist.send(x, 1)", "dist.recv(x[:2], 0)"), ["float32[3]", "float32[2]"]),
])
def test_debug_mode_shows_both_sides(launch, calls, words):
    done = launch(HEAD + f"""
    if rank == 0:
        {calls[0]}
    else:
        {calls[1]}
    """, 2, env={"PADDLE_DISTRIBUTED_DEBUG": 1}, code=1)
    assert "CollectiveMismatch" in done.err
    for word in [*words, "train.py:12", "train.py:14"]:
        assert word in done.err


def test_debug_mode_lets_right_programs_pass(launch):
    launch(HEAD + """
    parts = []
    dist.all_gather(parts, x)
    dist.alltoall(parts, [])
    task = dist.irecv(paddle.zeros([3]), 1 - rank)
    dist.isend(x, 1 - rank).wait()
    task.wait()
    dist.all_gather_object([], rank)
    assert dist.new_group([rank % 1]) is not None
    """, 2, env={"PADDLE_DISTRIBUTED_DEBUG": 1})


def test_message_of_another_size(launch):
    done = launch(HEAD + """
    if rank == 0:
        dist.send(x, 1)
    else:
        dist.recv(paddle.zeros([2]), 0)
    """, 2, code=1)
    assert "does not fit into the 8 bytes" in done.err


def test_a_killed_job_leaves_no_shared_memory(launch):
    """Its names are gone while the job still runs, so that however it ends the system takes the memory back."""
    done = launch(HEAD + """
    segments = [line for line in open("/proc/self/maps") if "mpich_shm" in line] if os.path.exists("/proc/self/maps") else []
    print("open", len([line for line in segments if "(deleted)" not in line]))
    """, 2)
    assert done.log(0) == done.log(1) == "open 0\n"


def run(code, **env):
    return subprocess.run([sys.executable, "-c", code], env=clean_environment(**env), capture_output=True, text=True,
                          timeout=60)


def test_without_mpi4py():
    hide = "import sys; sys.modules['mpi4py'] = None\n"
    one = run(hide + "import paddle.distributed as d; d.init_parallel_env(); d.barrier(); print(d.get_world_size())")
    assert (one.returncode, one.stdout) == (0, "1\n")
    two = run(hide + "import paddle.distributed as d; d.init_parallel_env()", PADDLE_TRAINERS_NUM=2, PADDLE_TRAINER_ID=0)
    assert two.returncode == 1
    assert "ImportError" in two.stderr and "pip install 'dygraph[distributed]'" in two.stderr


def test_variables_without_mpi_world():
    pytest.importorskip("mpi4py")
    done = run("import paddle.distributed as d; d.init_parallel_env()", PADDLE_TRAINERS_NUM=2, PADDLE_TRAINER_ID=1)
    assert "the environment says rank 1 of 2 ranks, MPI says rank 0 of 1" in done.stderr


def test_collectives_before_joining():
    done = run("import paddle, paddle.distributed as d; d.barrier()", PADDLE_TRAINERS_NUM=2, PADDLE_TRAINER_ID=1)
    assert "init_parallel_env() first" in done.stderr


@pytest.mark.parametrize("variable, value", [("PADDLE_TRAINERS_NUM", "two"), ("PADDLE_DISTRIBUTED_TIMEOUT", "-1")])
def test_wrong_variables_are_named(variable, value, monkeypatch):
    from paddle.distributed.env import ParallelEnv, read_timeout
    monkeypatch.setenv(variable, value)
    with pytest.raises(ValueError, match=variable):
        ParallelEnv()
        read_timeout()
