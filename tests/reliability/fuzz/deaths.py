"""Workers and ranks that die, and jobs that are stopped, at any moment: the others say so and end, and no process stays."""

import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time

import numpy as np
from distributed.conftest import clean_environment, processes_of

import paddle

from .interrupts import children_of, wait

PATIENCE = 150  # seconds
DEADLY = (signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM, signal.SIGABRT)


class Slow(paddle.io.Dataset):
    """Samples without end in sight."""

    def __len__(self):
        return 100_000

    def __getitem__(self, index):
        time.sleep(0.001)
        return np.full(50, index, "float32")


def lose_worker(rng):
    """In a child: kill one worker of a DataLoader at some moment; the loop must end with a RuntimeError that tells of it."""
    loader = iter(paddle.io.DataLoader(Slow(), batch_size=4, num_workers=2, use_shared_memory=rng.random() < 0.5))
    victims = []

    def kill():
        time.sleep(rng.uniform(0.0, 0.3))
        while not children_of(os.getpid()):
            time.sleep(0.005)
        victims.append(rng.choice(children_of(os.getpid())))
        os.kill(victims[0], rng.choice(DEADLY))
    threading.Thread(target=kill, daemon=True).start()
    try:
        for _ in loader:
            pass
    except RuntimeError as error:
        assert "worker" in str(error) and victims, error
    else:
        raise AssertionError("the epoch went on without its worker")
    del loader
    until = time.monotonic() + 20
    while children_of(os.getpid()):
        assert time.monotonic() < until, "workers stay"
        time.sleep(0.05)


def worker_dies(seed, number):
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            lose_worker(random.Random(f"worker {seed} {number}"))
            code = 0
        except BaseException:
            sys.excepthook(*sys.exc_info())
            sys.stderr.flush()
        finally:
            os._exit(code)
    status = wait(pid, 60)
    assert status == 0, f"worker_dies({seed}, {number}): {status}"


JOB = """
import os, paddle, paddle.distributed as dist
open(f"pid.{os.environ.get('PADDLE_TRAINER_ID')}", "w").write(str(os.getpid()))
dist.init_parallel_env()
model = paddle.DataParallel(paddle.nn.Linear(4, 2))
while True:
    model(paddle.ones([2, 4])).mean().backward()
    x = paddle.ones([10])
    dist.all_reduce(x)
    assert float(x[0]) == dist.get_world_size()
"""


def job_dies(seed, number):
    """Two ranks that train: one is killed, or the launcher gets Ctrl-C, from the moment it starts on. Returns which."""
    rng = random.Random(f"job {seed} {number}")
    what = ("rank killed", "Ctrl-C", "launcher killed")[number % 3]
    with tempfile.TemporaryDirectory() as folder:
        folder = os.path.realpath(folder)
        with open(os.path.join(folder, "train.py"), "w", encoding="utf-8") as file:
            file.write(JOB)
        job = subprocess.Popen([sys.executable, "-m", "paddle.distributed.launch", "--selected_gpus", "0,1", "--log_dir", "logs",
                                "--grace", "2", "train.py"], cwd=folder, text=True, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT,
                               env=clean_environment(PYTHONPATH=os.pathsep.join(p for p in sys.path if p)))
        try:
            said = end(job, what, rng, os.path.join(folder, f"pid.{rng.randrange(2)}"))
        finally:
            job.kill()
            job.wait()
            job.stdout.close()
        assert job.returncode not in (0, -signal.SIGSEGV, -signal.SIGABRT), (what, job.returncode, said[-1000:])
        assert what != "rank killed" or "SIGKILL" in said, f"the dead rank is not named: {said[-1000:]}"
        until = time.monotonic() + 20
        while processes_of(folder):
            assert time.monotonic() < until, f"{what}: {processes_of(folder)} stay"
            time.sleep(0.05)
    return what


def end(job, what, rng, started):
    """Have a job ended, when its rank has written the file ``started`` or before; returns what it prints."""
    if what == "rank killed" or rng.random() < 0.5:
        until = time.monotonic() + PATIENCE
        while not (os.path.exists(started) and os.path.getsize(started)):
            assert time.monotonic() < until and job.poll() is None, "the job does not start"
            time.sleep(0.01)
    time.sleep(rng.uniform(0.0, 0.5))
    if what == "rank killed":
        with open(started, encoding="ascii") as file:
            os.kill(int(file.read()), signal.SIGKILL)
    else:
        job.send_signal(signal.SIGINT if what == "Ctrl-C" else signal.SIGKILL)
    return job.communicate(timeout=PATIENCE)[0]
