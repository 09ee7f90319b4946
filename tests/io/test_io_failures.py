"""What happens when something goes wrong around worker processes."""

import gc
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from paddle import io

pytestmark = pytest.mark.usefixtures("no_leak")


class Numbers(io.Dataset):
    def __init__(self, size=20, at=None, action=None):
        self.size, self.at, self.action = size, at, action

    def __getitem__(self, index):
        if index == self.at:
            self.action()
        return np.full(300, index)

    def __len__(self):
        return self.size


class OddError(Exception):
    def __init__(self, code, reason):
        super().__init__(code, reason)


def fail(error):
    def action():
        raise error
    return action


def consumed(loader):
    """The batches that come before an exception, and the exception."""
    batches = []
    try:
        for batch in loader:
            batches.append(int(batch.numpy()[0, 0]))
    except Exception as error:
        return batches, error.with_traceback(None)  # whose frames hold on to the last batch
    return batches, None


@pytest.mark.parametrize("error, kind", [
    (ValueError("bad sample"), ValueError), (KeyError("missing key"), KeyError), (OddError(1, "odd"), RuntimeError),
    (SystemExit(3), RuntimeError), (StopIteration(), RuntimeError), (FileNotFoundError(2, "gone"), FileNotFoundError),
])
def test_exceptions_of_workers(error, kind):
    batches, raised = consumed(io.DataLoader(Numbers(at=5, action=fail(error)), num_workers=2))
    assert batches == [0, 1, 2, 3, 4]  # those before it come, in order
    assert type(raised) is kind
    text = str(raised)
    assert "DataLoader worker 1 (pid" in text and type(error).__name__ in text
    assert "in __getitem__" in text and "raise error" in text and "\\n" not in text  # the worker's traceback, readable


def test_exceptions_of_a_class_that_only_the_worker_knows():
    class Local(Exception):
        pass

    _, raised = consumed(io.DataLoader(Numbers(at=0, action=fail(Local("here"))), num_workers=1))
    assert type(raised) is RuntimeError and "Local" in str(raised)


def test_exceptions_of_collate_fn_and_worker_init_fn():
    def broken(argument):
        raise ValueError("broken function")

    for options in ({"collate_fn": broken}, {"worker_init_fn": broken}):
        with pytest.raises(ValueError, match="broken function"):
            list(io.DataLoader(Numbers(), num_workers=2, **options))


def test_what_cannot_be_pickled_is_named():
    with pytest.raises(Exception, match="DataLoader worker 0 .*lambda|lambda"):
        list(io.DataLoader(Numbers(), num_workers=1, collate_fn=lambda samples: lambda: 0))


def test_a_loader_works_again_after_an_exception(tmp_path):
    marker = tmp_path / "fail"
    marker.touch()

    def action():
        if marker.exists():
            raise ValueError("once")

    loader = io.DataLoader(Numbers(4, at=2, action=action), num_workers=2, persistent_workers=True)
    assert isinstance(consumed(loader)[1], ValueError)
    marker.unlink()
    assert consumed(loader) == ([0, 1, 2, 3], None)


@pytest.mark.parametrize("number, name, hint", [
    (signal.SIGKILL, "SIGKILL", "memory"), (signal.SIGUSR1, "SIGUSR1", ""),
])
def test_a_killed_worker_is_named(number, name, hint):
    pids = []

    def collate(samples):
        return np.array([os.getpid(), samples[0][0]])

    def die():
        os.kill(os.getpid(), number)

    loader = io.DataLoader(Numbers(at=5, action=die), num_workers=2, collate_fn=collate)
    with pytest.raises(RuntimeError) as caught:
        for batch in loader:
            pids.append(int(batch.numpy()[0]))
    del batch
    assert f"worker 1 (pid {pids[1]})" in str(caught.value)
    assert f"killed by signal {int(number)} ({name})" in str(caught.value) and hint in str(caught.value)


def test_a_worker_killed_from_outside_while_it_waits():
    loader = iter(io.DataLoader(Numbers(40), num_workers=2, collate_fn=lambda samples: np.array([os.getpid()])))
    pid = int(next(loader).numpy()[0])
    os.kill(pid, signal.SIGKILL)
    with pytest.raises(RuntimeError, match=rf"worker 0 \(pid {pid}\).* killed by signal 9"):
        list(loader)


def test_a_worker_that_exits():
    with pytest.raises(RuntimeError, match="ended by itself with exit code 3"):
        list(io.DataLoader(Numbers(at=1, action=lambda: os._exit(3)), num_workers=1))


def test_timeout():
    loader = io.DataLoader(Numbers(at=1, action=lambda: time.sleep(60)), num_workers=1, timeout=0.3)
    batches, error = consumed(loader)
    assert batches == [0] and type(error) is RuntimeError
    assert "batch 1 did not come within timeout=0.3 s from worker 0 (pid" in str(error)


def test_a_timeout_long_enough_does_nothing():
    loader = io.DataLoader(Numbers(3, at=1, action=lambda: time.sleep(0.2)), num_workers=1, timeout=20)
    assert consumed(loader) == ([0, 1, 2], None)


@pytest.mark.parametrize("options", [{}, {"persistent_workers": True}, {"use_shared_memory": False}])
@pytest.mark.parametrize("taken", [0, 1, 5])
def test_an_iterator_dropped_in_mid_epoch(options, taken):
    iterator = iter(io.DataLoader(Numbers(), num_workers=2, **options))
    for _ in range(taken):
        next(iterator)
    del iterator


def test_a_drop_does_not_wait_for_a_slow_sample():
    iterator = iter(io.DataLoader(Numbers(at=1, action=lambda: time.sleep(600)), num_workers=1))
    next(iterator)
    del iterator  # the fixture sees to it that the worker is gone


def test_an_exception_in_the_loop_ends_the_workers():
    with pytest.raises(ZeroDivisionError):
        for _ in io.DataLoader(Numbers(), num_workers=2):
            1 / 0
    gc.collect()


def test_loading_in_a_thread_that_ends_early():
    def load():
        next(iter(io.DataLoader(Numbers(), num_workers=1)))

    thread = threading.Thread(target=load)
    thread.start()
    thread.join()


SCRIPT = """
import os, sys, time
import numpy as np
from paddle import io

class Numbers(io.Dataset):
    def __getitem__(self, index):
        time.sleep(0.01)
        return np.full(30000, os.getpid())
    def __len__(self):
        return 100000

if __name__ == "__main__":
    loader = io.DataLoader(Numbers(), num_workers=2, persistent_workers="persistent" in sys.argv)
    pids = set()
    for batch in loader:
        if len(pids) < 2:
            pids.add(int(batch.numpy()[0, 0]))
            if len(pids) == 2:
                print(*pids, flush=True)
                if "leave" in sys.argv:
                    sys.exit(0)
                if "hold" in sys.argv:
                    keep = iter(loader)
                    next(keep)
                    break
"""


def running(*arguments):
    """A program in a process group of its own that loads data with two workers, and their process numbers."""
    source = str(pathlib.Path(io.__file__).parents[2])
    program = subprocess.Popen([sys.executable, "-c", SCRIPT, *arguments], text=True, start_new_session=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               env={**os.environ, "PYTHONPATH": source})
    return program, [int(pid) for pid in program.stdout.readline().split()]


def ended(pids, seconds=20):
    """Are all the processes gone within some seconds?"""
    for _ in range(seconds * 50):
        if not any(pathlib.Path(f"/proc/{pid}").exists() for pid in pids):
            return True
        time.sleep(0.02)
    return False


@pytest.mark.parametrize("arguments", [(), ("persistent",)])
def test_ctrl_c(arguments):
    program, pids = running(*arguments)
    os.killpg(program.pid, signal.SIGINT)
    _, errors = program.communicate(timeout=30)
    assert program.returncode != 0 and "KeyboardInterrupt" in errors
    assert errors.count("Traceback") == 1, errors  # the workers are silent
    assert len(pids) == 2 and ended(pids)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_killed_parent_leaves_no_orphans(number):
    program, pids = running()
    program.send_signal(number)
    program.communicate(timeout=30)
    assert len(pids) == 2 and ended(pids)


@pytest.mark.parametrize("arguments", [("leave",), ("hold",), ("leave", "persistent")])
def test_the_end_of_the_program_ends_the_workers(arguments):
    program, pids = running(*arguments)
    _, errors = program.communicate(timeout=30)
    assert (program.returncode, errors) == (0, "")
    assert len(pids) == 2 and ended(pids)


def test_a_forked_copy_of_the_program_leaves_the_workers_alone():
    loader = iter(io.DataLoader(Numbers(), num_workers=1))
    next(loader)
    gc.disable()
    try:
        child = os.fork()
        if not child:
            loader.close()
            os._exit(0)
        os.waitpid(child, 0)
    finally:
        gc.enable()
    assert [int(batch.numpy()[0, 0]) for batch in loader] == list(range(1, 20))
