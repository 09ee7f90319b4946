"""Several machines: network namespaces with their own addresses stand for them.

Data between the ranks must go through the link: shared memory is switched off, and the link's counters are read.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time

import pytest
from distributed.conftest import LIMIT, clean_environment

pytestmark = pytest.mark.usefixtures("nothing_left")

PROGRAM = """
import os, socket, sys
import numpy as np
import paddle
import paddle.distributed as dist
dist.init_parallel_env()
x = paddle.to_tensor(np.full(500_000, dist.get_rank() + 1.0, "float32"))
dist.all_reduce(x)
print("rank", dist.get_rank(), "sum", float(x[0]), os.environ["PADDLE_CURRENT_ENDPOINT"],
      os.environ["PADDLE_LOCAL_RANK"], os.environ["PADDLE_NNODES"])
if "once" in sys.argv and dist.get_rank() == 1 and os.environ["PADDLE_RESTART_COUNT"] == "0":
    sys.exit(5)
if "fail" in sys.argv and dist.get_rank() == 1:
    raise ValueError("on the other machine")
dist.barrier()
"""
LINK = "paddle0"  # the interface on both sides
ENTER = """#!{python}
import os, sys
words = [w for w in sys.argv[1:] if w != "-x"]  # as ssh is called: options, host, command
os.execvp("ip", ["ip", "netns", "exec", "{prefix}" + words[0].rsplit(".", 1)[1], "sh", "-c", " ".join(words[1:])])
"""


def processes_under(pid):
    """Numbers of the processes that one has started, and those have."""
    found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True).stdout.split()
    return [int(child) for child in found] + [n for child in found for n in processes_under(child)]


def ip(*words):
    return subprocess.run(["ip", *words], capture_output=True, text=True)


class Machines:
    """Two namespaces, 10.77.<n>.1 and .2, joined by a link."""

    def __init__(self, folder):
        self.folder, number = folder, os.getpid() % 250 + 1
        self.prefix = f"paddle{os.getpid()}-"
        self.addresses = [f"10.77.{number}.1", f"10.77.{number}.2"]
        self.enter = folder / "enter.py"
        self.enter.write_text(ENTER.format(python=sys.executable, prefix=self.prefix))
        self.enter.chmod(0o755)
        (folder / "train.py").write_text(PROGRAM)

    def up(self):
        names = [self.prefix + "1", self.prefix + "2"]
        steps = [["netns", "add", name] for name in names]
        steps += [["link", "add", LINK, "netns", names[0], "type", "veth", "peer", "name", LINK, "netns", names[1]]]
        for name, address in zip(names, self.addresses):
            steps += [["-n", name, "addr", "add", address + "/24", "dev", LINK], ["-n", name, "link", "set", LINK, "up"],
                      ["-n", name, "link", "set", "lo", "up"]]
        for step in steps:
            done = ip(*step)
            if done.returncode:
                return done.stderr.strip()
        for name in names:  # an interface that does not run yet is passed over by the transports
            for _ in range(200):
                if "state UP" in ip("-n", name, "link", "show", LINK).stdout:
                    break
                time.sleep(0.02)
            else:
                return f"the link of {name} does not come up"
        return None

    def down(self):
        for n in "12":
            ip("netns", "del", self.prefix + n)

    def start(self, machine, *flags, args=()):
        env = clean_environment(MPIR_CVAR_CH4_NETMOD="ofi", FI_PROVIDER="tcp", MPIR_CVAR_NOLOCAL="1")
        return subprocess.Popen(
            ["ip", "netns", "exec", f"{self.prefix}{machine}", sys.executable, "-m", "paddle.distributed.launch",
             "--log_dir", "logs", "--iface", LINK, *flags, "train.py", *args], cwd=self.folder, env=env, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True)

    def log(self, rank):
        return (self.folder / "logs" / f"workerlog.{rank}").read_text()

    def bytes_on_link(self):
        text = ip("netns", "exec", self.prefix + "2", "cat", "/proc/net/dev").stdout
        return int(re.search(LINK + r":\s*(\d+)", text)[1])


@pytest.fixture
def machines(tmp_path):
    pytest.importorskip("mpi4py")
    if shutil.which("ip") is None:
        pytest.skip("needs the command ip (iproute2) to make network namespaces")
    pair = Machines(tmp_path)
    try:
        problem = pair.up()
        if problem and re.search("permitted|denied|Read-only|not supported", problem):
            pytest.skip(f"network namespaces are not permitted here: {problem}")
        assert problem is None, problem
        yield pair
    finally:
        pair.down()


def expected(machines, rank, local, size):
    address = machines.addresses[0 if rank < size // 2 else 1]
    return f"rank {rank} sum {sum(range(1, size + 1))}.0 {address}:{6070 + local} {local} 2\n"


def test_host_list_and_a_launcher_of_ones_own(machines):
    job = machines.start(1, "--ips", ",".join(machines.addresses), "--nproc_per_node", "2", "--launcher_exec",
                         str(machines.enter))
    out = job.communicate(timeout=LIMIT)[0]
    assert job.returncode == 0, out
    for rank, local in ((0, 0), (1, 1), (2, 0), (3, 1)):
        assert machines.log(rank) == expected(machines, rank, local, 4)
    assert machines.bytes_on_link() > 2_000_000  # the ranks' arrays of 2 MB went through it


def test_machines_that_meet(machines):
    flags = ["--nnodes", "2", "--master", f"{machines.addresses[0]}:29400", "--nproc_per_node", "1"]
    second = machines.start(2, *flags)
    time.sleep(0.2)  # either may come first; this order makes the second wait for the address
    first = machines.start(1, *flags)
    outputs = [job.communicate(timeout=LIMIT)[0] for job in (first, second)]
    assert (first.returncode, second.returncode) == (0, 0), outputs
    for rank in (0, 1):
        assert machines.log(rank) == expected(machines, rank, 0, 2)
    assert machines.bytes_on_link() > 2_000_000


def test_machines_that_met_start_again(machines):
    flags = ["--nnodes", "2", "--master", f"{machines.addresses[0]}:29400", "--max_restart", "1", "--rank"]
    first, second = (machines.start(n + 1, *flags, str(n), args=["once"]) for n in (0, 1))
    outputs = [job.communicate(timeout=LIMIT)[0] for job in (first, second)]
    assert (first.returncode, second.returncode) == (0, 0), outputs
    assert "starting again, 1 of 1" in outputs[0]
    assert machines.log(1).count(expected(machines, 1, 0, 2)) == 2


def test_failure_on_the_other_machine_is_reported_here(machines):
    flags = ["--nnodes", "2", "--master", f"{machines.addresses[0]}:29400", "--rank"]
    first, second = (machines.start(n + 1, *flags, str(n), args=["fail"]) for n in (0, 1))
    out = first.communicate(timeout=LIMIT)[0]
    second.communicate(timeout=LIMIT)
    assert (first.returncode, second.returncode) == (1, 1)
    assert re.search(r"rank 1 on .*ended with exit code 1", out) and "ValueError: on the other machine" in out


def test_a_machine_of_another_job_is_turned_away(machines):
    flags = ["--nnodes", "2", "--master", f"{machines.addresses[0]}:29400"]
    first = machines.start(1, *flags, "--job_id", "mine", "--join_timeout", "2")
    time.sleep(0.3)
    second = machines.start(2, *flags, "--job_id", "yours")
    assert "turned away" in second.communicate(timeout=LIMIT)[0]
    assert "only 1 machines came" in first.communicate(timeout=LIMIT)[0]
    assert (first.returncode, second.returncode) == (2, 2)


ELASTIC = """
import json, os, sys, time
import numpy as np
import paddle
import paddle.distributed as dist
from paddle.io import DistributedBatchSampler

dist.init_parallel_env()
rank = dist.get_rank()
sampler = DistributedBatchSampler(list(range(48)), batch_size=2, shuffle=True)
seen = []
if os.path.exists("checkpoint.json"):
    with open("checkpoint.json") as file:
        state = json.load(file)
    seen = state["seen"]
    sampler.set_state_dict(state["sampler"])
for step, batch in enumerate(sampler):
    everybody = []
    dist.all_gather_object(everybody, batch)
    seen = seen + [n for part in everybody for n in part]
    if rank == 0:
        with open("checkpoint.tmp", "w") as file:
            json.dump({"seen": seen, "sampler": sampler.state_dict(step + 1), "ranks": dist.get_world_size()}, file)
        os.replace("checkpoint.tmp", "checkpoint.json")
    if dist.get_world_size() == 2:
        time.sleep(0.3)  # so that there is something left to do when the other machine goes
"""


def test_a_job_goes_on_with_the_machines_that_are_left(machines):
    (machines.folder / "train.py").write_text(ELASTIC)
    flags = ["--nnodes", "1:2", "--master", f"{machines.addresses[0]}:29400", "--elastic_timeout", "3", "--rank"]
    first, second = (machines.start(n + 1, *flags, str(n)) for n in (0, 1))
    checkpoint = machines.folder / "checkpoint.json"
    for _ in range(600):
        if checkpoint.exists() and len(json.loads(checkpoint.read_text())["seen"]) >= 8:
            break
        time.sleep(0.05)
    halfway = json.loads(checkpoint.read_text())
    for process in [second.pid, *processes_under(second.pid)]:
        os.kill(process, signal.SIGKILL)
    second.communicate(timeout=LIMIT)
    out = first.communicate(timeout=2 * LIMIT)[0]
    assert first.returncode == 0, out
    assert f"without {machines.addresses[1]} from now on" in out and "starting again, 1 of 3" in out
    state = json.loads(checkpoint.read_text())
    assert halfway["ranks"] == 2 and state["ranks"] == 1
    assert sorted(state["seen"]) == list(range(48)), "every sample once"
