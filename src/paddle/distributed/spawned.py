"""``spawn``: run a function on several ranks from inside a program. Also the program that those ranks run."""

import atexit
import multiprocessing.spawn
import os
import pickle
import shutil
import sys
import tempfile
import traceback

from .launch.job import NO_RANKS, Job, describe_failure
from .launch.mpiexec import job_command, job_environment
from .launch.plan import Node, Plan
from .launch.worker import usable_cores

PACKAGE_ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class SpawnContext:
    """Ranks that run a function; what ``spawn(join=False)`` returns."""

    def __init__(self, job, folder):
        self._job, self._folder = job, folder
        self._checked = False

    def join(self, timeout=None):
        """Wait for all ranks; False when some still run after ``timeout`` seconds.

        Raises RuntimeError with the rank's traceback when one failed; the others are ended then.
        """
        code = self._job.wait(timeout)
        if code is None:
            return False
        if not self._checked:
            self._checked = True
            try:
                self._check(code)
            finally:
                shutil.rmtree(self._folder, ignore_errors=True)
        return True

    def _check(self, code):
        if code == 0:
            return
        failures = self._job.failures
        text = "\n".join(describe_failure(report) for report in failures) or f"the job ended with exit code {code}"
        for report in failures:
            path = os.path.join(self._folder, f"error.{report['rank']}")
            if os.path.exists(path):
                with open(path, encoding="utf-8") as file:
                    text += f"\n\n{file.read()}"
                break
        raise RuntimeError(f"spawn(): {text}")

    def end(self):
        """End all ranks now."""
        self._job.end()
        shutil.rmtree(self._folder, ignore_errors=True)


def count_ranks(nprocs, options):
    """How many ranks ``spawn`` starts."""
    devices = options.get("gpus") or os.environ.get("CUDA_VISIBLE_DEVICES") or ""
    listed = [d for d in str(devices).split(",") if d.strip()]
    if nprocs == -1:
        return len(listed) or usable_cores()
    if not isinstance(nprocs, int) or nprocs < 1:
        raise ValueError(f"spawn(): nprocs must be a positive number or -1, got {nprocs!r}")
    if options.get("gpus") and nprocs != len(listed):
        raise ValueError(f"spawn(): nprocs={nprocs} disagrees with the {len(listed)} devices of gpus={devices!r}")
    return nprocs


def packed(func, args):
    """A call as bytes for the ranks. What was typed in has no file that they could import, so it carries its code."""
    typed_in = getattr(func, "__module__", None) == "__main__" and not hasattr(sys.modules["__main__"], "__file__")
    if not typed_in:
        return pickle.dumps((func, args))
    try:
        import cloudpickle  # optional, for notebooks only
    except ImportError:
        raise RuntimeError(f"spawn(): {func.__name__} was typed into a notebook or at a prompt, where new processes cannot import "
                           "it from: pip install cloudpickle, or put the function into a .py file") from None
    return cloudpickle.dumps((func, args))


def spawn(func, args=(), nprocs=-1, join=True, daemon=False, **options):
    """Run ``func(*args)`` on ``nprocs`` ranks, new processes that import this program's main module.

    Args:
        func: a function at the top level of a module; it and ``args`` travel as a pickle. One that was typed into a notebook
            or at a prompt travels with its code, by cloudpickle.
        nprocs: number of ranks; -1 means one per device of ``gpus`` or CUDA_VISIBLE_DEVICES, or one per core.
        join: wait for the end, and raise if a rank failed. False returns a context whose ``join()`` does it.
        daemon: end the ranks when this program ends, instead of waiting for them.
        options: ``gpus`` ("0,1"), ``start_method`` ("spawn"), ``backend`` ("mpi" or "auto").
    """
    unknown = sorted(set(options) - {"gpus", "start_method", "backend"})
    if unknown:
        raise ValueError(f"spawn(): unknown options {', '.join(unknown)}; known: backend, gpus, start_method")
    if options.get("start_method", "spawn") != "spawn":
        raise ValueError(f"spawn(): start_method must be 'spawn', got {options['start_method']!r}")
    if options.get("backend", "auto") not in ("auto", "mpi", "gloo"):
        raise ValueError(f"spawn(): backend must be 'auto', 'mpi' or 'gloo' (all MPI here), got {options['backend']!r}")
    if not hasattr(os, "fork"):
        raise NotImplementedError(f"spawn(): {NO_RANKS}")
    ranks = count_ranks(nprocs, options)
    call = packed(func, tuple(args))
    folder = tempfile.mkdtemp(prefix="paddle-spawn-")  # readable by this user only
    main_module = multiprocessing.spawn.get_preparation_data("spawned")
    main_module.pop("authkey", None)  # a secret of this process; ranks don't need it
    with open(os.path.join(folder, "main"), "wb") as file:
        pickle.dump(main_module, file)
    with open(os.path.join(folder, "call"), "wb") as file:
        file.write(call)
    plan = Plan([Node("127.0.0.1", ranks)], [str(i) for i in range(ranks)])
    env = job_environment(plan, os.environ)
    env["PYTHONPATH"] = os.pathsep.join([PACKAGE_ROOT, *filter(None, [env.get("PYTHONPATH")])])
    command = [sys.executable, "-u", "-m", "paddle.distributed.spawned", folder]
    context = SpawnContext(Job(job_command(plan, command), env), folder)
    if join:
        try:
            context.join()
        except BaseException:
            context.end()
            raise
    else:
        atexit.register(context.end if daemon else context.join)
    return context


def read(path):
    """What the starting process left in its private folder."""
    with open(path, "rb") as file:
        return pickle.load(file)  # noqa: S301  (written by the process that started this one)


def main(folder):
    """The program of one spawned rank."""
    try:
        multiprocessing.spawn.prepare(read(os.path.join(folder, "main")))
        func, args = read(os.path.join(folder, "call"))
        func(*args)
    except BaseException:
        with open(os.path.join(folder, f"error.{os.environ['PADDLE_TRAINER_ID']}"), "w", encoding="utf-8") as file:
            traceback.print_exc(file=file)
        raise


if __name__ == "__main__":
    main(sys.argv[1])
