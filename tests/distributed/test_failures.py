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


# The line has its messages ready when the ranks begin to differ.
AGREED_BEFORE = "[dist.all_reduce(paddle.ones([3 + (k == 3) * rank]), group=g) for k in range(5)]"

# What rank 0 calls, what rank 1 calls, what the message shows of both.
MISMATCHES = [
    ("dist.all_reduce(x, group=g)", "dist.barrier(g)", "all_reduce(float32[3], op=SUM)", "barrier()"),
    ("dist.all_reduce(x, group=g)", "dist.all_reduce(x.astype('float64'), group=g)", "float32[3]", "float64[3]"),
    ("dist.all_reduce(x, group=g)", "dist.all_reduce(paddle.ones([4]), group=g)", "float32[3]", "float32[4]"),
    ("dist.all_reduce(x, group=g)", "dist.all_reduce(paddle.ones([100000]), group=g)", "float32[3]", "float32[100000]"),
    ("dist.all_reduce(x, group=g)", "dist.all_reduce(x, dist.ReduceOp.MAX, g)", "op=SUM", "op=MAX"),
    ("dist.all_reduce(paddle.ones([5000]), group=g)", "dist.all_reduce(paddle.ones([5001]), group=g)", "[5000]", "[5001]"),
    ("dist.broadcast(paddle.ones([5000]), 0, g)", "dist.barrier(g)", "broadcast(float32[5000], root=0)", "barrier()"),
    ("dist.send(x, 1, g)", "dist.all_reduce(x, group=g)", "message(float32[3])", "all_reduce(float32[3], op=SUM)"),
    ("dist.reduce(x, 0, group=g)", "dist.reduce(x, 1, group=g)", "root=0", "root=1"),
    ("dist.broadcast(x, 0, g)", "dist.broadcast(x.astype('int64'), 0, g)", "float32[3]", "int64[3]"),
    ("dist.all_gather([], x, g)", "dist.all_gather([], x.astype('int32'), g)", "float32[3]", "int32[3]"),
    ("dist.gather(x, [], 0, g)", "dist.gather(paddle.ones([2]), None, 0, g)", "float32[3]", "float32[2]"),
    ("dist.scatter(x, [x, x], 0, g)", "dist.scatter(paddle.ones([5]), None, 0, g)", "float32[3]", "float32[5]"),
    ("dist.reduce_scatter(x, [x, x], group=g)", "dist.reduce_scatter(x[:2].clone(), [x[:2], x[:2]], group=g)",
     "float32[3]", "float32[2]"),
    ("dist.alltoall([x, x], [], g)", "dist.alltoall([x.astype('int32')] * 2, [], g)",
     "float32[3] from rank", "int32[3] from rank"),
    ("dist.alltoall_single(paddle.ones([4]), paddle.ones([4]), group=g)",
     "dist.alltoall_single(paddle.ones([3]), paddle.ones([3]), [1, 2], [1, 2], g)",
     "float32[2] from rank", "float32[1] from rank"),
    ("dist.send(x, 1, g)", "dist.recv(x.astype('float16'), 0, g)", "float32[3]", "float16[3]"),
    ("dist.send(x, 1, g)", "dist.recv(paddle.zeros([2]), 0, g)", "float32[3]", "float32[2]"),
    ("paddle.DataParallel(nn.Linear(4, 2), group=g)", "paddle.DataParallel(nn.Linear(4, 3), group=g)",
     "weight: float32[4, 2]", "weight: float32[4, 3]"),
    ("paddle.DataParallel(nn.Linear(4, 2), group=g)", "paddle.DataParallel(nn.Linear(4, 2).to(dtype='float64'), group=g)",
     "bias: float32[2]", "bias: float64[2]"),
    ("paddle.DataParallel(nn.Linear(4, 2), group=g)", "paddle.DataParallel(nn.Linear(4, 2, bias_attr=False), group=g)",
     "only on rank 0: bias: float32[2]", "at"),
    (AGREED_BEFORE, AGREED_BEFORE, "float32[3]", "float32[4]"),
    ("dist.new_group([0])", "dist.new_group([1])", "ranks=[0]", "ranks=[1]"),
]


def test_ranks_that_disagree_are_told_both_sides(launch):
    """All in one job, each case in a group of its own, because a mismatch leaves unfinished transfers behind."""
    cases = "".join(f"""
    g = dist.new_group([0, 1])
    try:
        {a} if rank == 0 else {b}
        print("{n} accepted")
    except RuntimeError as error:
        print({n}, type(error).__name__, *str(error).split())
    """ for n, (a, b, *_) in enumerate(MISMATCHES))
    done = launch(HEAD + "    from paddle import nn\n" + cases + """
    sys.stdout.flush()
    os._exit(0)
    """, 2, env={"PADDLE_DISTRIBUTED_TIMEOUT": 20})
    for rank in (0, 1):
        lines = dict(line.split(maxsplit=1) for line in done.log(rank).splitlines())
        for n, (a, _, *words) in enumerate(MISMATCHES):
            if rank == 0 and a.startswith("dist.send"):  # a message is refused where it comes in
                assert lines[str(n)] == "accepted"
                continue
            assert lines[str(n)].startswith("CollectiveMismatch"), (n, lines[str(n)])
            assert lines[str(n)].count("train.py:") == 2, lines[str(n)]
            for word in words:
                assert word in lines[str(n)]


def test_a_mismatch_ends_all_ranks(launch):
    done = launch(HEAD + """
    if rank == 0:
        dist.all_reduce(x)
    else:
        dist.all_reduce(x[:2].clone())
    print("went on")
    """, 2, code=1)
    assert "went on" not in done.log(0) + done.log(1)
    for word in ("CollectiveMismatch", "float32[3]", "float32[2]", "train.py:12", "train.py:14"):
        assert word in done.err


def test_shapes_are_compared_in_debug_mode(launch):
    source = HEAD + """
    dist.all_reduce(paddle.ones([2, 3] if rank == 0 else [3, 2]))
    """
    launch(source, 2)
    done = launch(source, 2, env={"PADDLE_DISTRIBUTED_DEBUG": 1}, code=1)
    assert "float32[2, 3]" in done.err and "float32[3, 2]" in done.err


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
