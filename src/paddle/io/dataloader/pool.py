"""The parent's side of worker processes: starting them, giving out work, collecting it in order, ending them."""

import contextlib
import multiprocessing
import os
import pickle
import signal
import sys
import time
import warnings
import weakref
from multiprocessing import connection as connections

from . import worker as workers
from .transfer import SlotReader

_GRACE_SECONDS = 1.0
_parent_ends = weakref.WeakSet()

_HINTS = {
    "SIGKILL": "often the system's way of ending a process when memory runs out: try fewer workers or smaller batches",
    "SIGBUS": "shared memory ran out: try fewer workers, smaller batches, or use_shared_memory=False",
    "SIGSEGV": "a crash in native code that the dataset uses",
}


END = object()  # in place of a batch: the worker's stream is over


class Pool:
    """Worker processes that hold a copy of a dataset each.

    Args:
        plans: one ``worker.Plan`` per process.
        timeout: seconds to wait for a batch; 0 waits as long as the workers live.
    """

    def __init__(self, plans, timeout):
        self.timeout = timeout
        self.epoch = 0
        self.replies = {}  # batch number -> (worker, what came)
        self.members = []
        # Runs when the pool is dropped, and at the end of the program.
        self.close = weakref.finalize(self, _end, self.members, os.getpid())
        context = _start_context()
        try:
            for plan in plans:
                self.members.append(_Member(context, plan))
        except BaseException:
            self.close()
            raise

    def begin(self, seed):
        """Forget what is under way and begin an epoch."""
        self.epoch += 1
        for member, reply in self.replies.values():
            member.slots.discard(reply)
        self.replies.clear()
        for member in self.members:
            self._tell(member, ("epoch", self.epoch, seed))

    def request(self, which, number, request):
        """Have worker ``which`` make batch ``number``."""
        member = self.members[which]
        self._tell(member, ("job", self.epoch, number, request, member.slots.take_returned()))

    def wait_for(self, number):
        """The batch of this number, or END; raises what its worker raised."""
        began = time.monotonic()
        while number not in self.replies:
            patience = 1.0
            if self.timeout:
                patience = min(patience, began + self.timeout - time.monotonic())
                if patience <= 0:
                    raise RuntimeError(f"DataLoader timed out: batch {number} did not come within "
                                       f"timeout={self.timeout} s from {', '.join(map(str, self.members))}")
            self._collect(patience, number)
        member, reply = self.replies.pop(number)
        if isinstance(reply, workers.Failure):
            raise reply.raised_in(member)
        return END if reply is None else member.slots.open(reply)

    def _collect(self, patience, number):
        """Take in what the workers have sent; raises when one of them has died."""
        ready = connections.wait([member.connection for member in self.members], patience)
        for member in self.members:
            if member.connection in ready:
                try:
                    epoch, done, reply = member.slots.receive(member.connection)
                except (EOFError, OSError):
                    raise member.death(number) from None
                if epoch == self.epoch:
                    self.replies[done] = member, reply
                else:
                    member.slots.discard(reply)
            elif not ready and not member.process.is_alive() and not member.connection.poll():
                raise member.death(number)

    def _tell(self, member, message):
        try:
            member.connection.send(message)
        except (BrokenPipeError, ConnectionResetError):
            raise member.death(None) from None


class _Member:
    """One worker process, its pipe and the memory it shares with us."""

    def __init__(self, context, plan):
        self.id = plan.id
        self.slots = SlotReader()
        self.connection, theirs = context.Pipe()
        _parent_ends.add(self.connection)
        inherited = list(_parent_ends) if context.get_start_method() == "fork" else []
        self.process = context.Process(target=workers.work, args=(plan, theirs, inherited), daemon=True,
                                       name=f"paddle-dataloader-{plan.id}")
        try:
            with _without_interrupt(), warnings.catch_warnings():
                # Forking is safe here: the kernels' thread pool starts anew in a child (kernels/native/threads.c).
                warnings.filterwarnings("ignore", message=".*fork", category=DeprecationWarning)
                self.process.start()
        except (AttributeError, TypeError, pickle.PicklingError) as error:
            self.connection.close()
            method = context.get_start_method()
            raise RuntimeError(f"DataLoader(): workers are started by {method!r} here, which needs a dataset, "
                               f"collate_fn and worker_init_fn that can be pickled: {error}") from error
        finally:
            theirs.close()

    def __str__(self):
        return f"worker {self.id} (pid {self.process.pid})"

    def death(self, number):
        """The exception that says how the process ended."""
        self.process.join(_GRACE_SECONDS)
        code = self.process.exitcode
        if code is not None and code < 0:
            name = signal.Signals(-code).name if -code in set(signal.Signals) else "unknown"
            how = f"was killed by signal {-code} ({name})" + (f"; {_HINTS[name]}" if name in _HINTS else "")
        else:
            how = "closed its pipe" if code is None else f"ended by itself with exit code {code}"
        waiting = "" if number is None else f" while batch {number} was awaited"
        return RuntimeError(f"DataLoader {self}{waiting} {how}")

    def ask_to_stop(self):
        with contextlib.suppress(OSError):
            self.connection.send(("stop", -1))


def _end(members, owner):
    """End processes: ask, then terminate, then kill. Does nothing in a forked copy of the parent."""
    if os.getpid() != owner:
        return
    for member in members:
        member.ask_to_stop()
    patient_until = time.monotonic() + _GRACE_SECONDS
    for member in members:
        member.process.join(max(0.0, patient_until - time.monotonic()))
    for end in ("terminate", "kill"):
        for member in members:
            if member.process.is_alive():
                getattr(member.process, end)()
        for member in members:
            member.process.join(_GRACE_SECONDS)
    for member in members:
        member.connection.close()
        member.slots.maps.clear()
        if member.process.exitcode is not None:
            member.process.close()
    members.clear()


def _start_context():
    """How processes are started: as the program chose with ``multiprocessing``, else by fork on Linux, else by spawn.

    Elsewhere system libraries that the parent uses do not survive a fork.
    """
    chosen = multiprocessing.get_start_method(allow_none=True)
    return multiprocessing.get_context(chosen or ("fork" if sys.platform == "linux" else "spawn"))


@contextlib.contextmanager
def _without_interrupt():
    """Hold Ctrl-C back until a new process is told to ignore it."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
