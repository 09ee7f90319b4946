"""Programs on several ranks: each test starts a small job with the launcher and looks at what it did."""

import os
import subprocess
import sys
import textwrap
import time

import pytest

LIMIT = 60  # seconds; a job that needs longer hangs


class Outcome:
    """What a job left behind."""

    def __init__(self, done, folder):
        self.code, self.out, self.err, self.folder = done.returncode, done.stdout, done.stderr, folder

    def log(self, rank):
        return (self.folder / "logs" / f"workerlog.{rank}").read_text(encoding="utf-8")


def clean_environment(**extra):
    """The environment without what an outer job or a test run would add."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(("PADDLE_", "PMI_", "MPI_", "FLAGS_selected"))}
    env.pop("CUDA_VISIBLE_DEVICES", None)
    env.update(OMP_NUM_THREADS="1", PYTHONFAULTHANDLER="1", **{k: str(v) for k, v in extra.items()})
    return env


@pytest.fixture
def launch(tmp_path):
    """Run a program on some ranks: ``launch(source, ranks, *flags, args=(), env={})`` gives an Outcome."""
    pytest.importorskip("mpi4py", reason="needs the extra 'distributed'")

    def run(source, ranks=2, *flags, args=(), env=None, code=0, name="train.py"):
        (tmp_path / name).write_text(textwrap.dedent(source), encoding="utf-8")
        command = [sys.executable, "-m", "paddle.distributed.launch", "--selected_gpus", ",".join(map(str, range(ranks))),
                   "--log_dir", "logs", *flags, name, *args]
        done = subprocess.run(command, cwd=tmp_path, env=clean_environment(**(env or {})), capture_output=True, text=True,
                              timeout=LIMIT)
        outcome = Outcome(done, tmp_path)
        if code is not None and done.returncode != code:
            logs = "".join(f"--- {p.name}\n{p.read_text()}" for p in sorted((tmp_path / "logs").glob("workerlog.*")))
            pytest.fail(f"exit code {done.returncode}, expected {code}\n{done.stdout}\n{done.stderr}\n{logs}")
        return outcome

    return run


def processes_of(folder):
    """Command lines of running processes that work in a folder."""
    found = []
    for entry in os.listdir("/proc") if os.path.isdir("/proc") else []:
        if entry.isdigit():
            try:
                if os.readlink(f"/proc/{entry}/cwd") == str(folder):
                    with open(f"/proc/{entry}/cmdline", "rb") as file:
                        found.append(file.read().replace(b"\0", b" ").decode())
            except OSError:
                pass
    return found


@pytest.fixture
def nothing_left(tmp_path):
    """After the test no process works in its folder any more (given a moment to leave)."""
    yield
    for _ in range(100):
        if not processes_of(tmp_path):
            return
        time.sleep(0.05)
    pytest.fail(f"left behind: {processes_of(tmp_path)}")
