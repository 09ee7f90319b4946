"""Nothing hangs: ranks that end, fail or stay away are noticed and named.

Beside the data every rank has a control line to every other. A rank whose program ends says goodbye; one that waits too
long asks all others where they are, and the answers (or silences) become its error message. An uncaught exception ends
the whole job at once instead of leaving the others waiting.
"""

import atexit
import json
import os
import sys
import time

import numpy as np

from .errors import CollectiveTimeout, PeerLost

GOODBYE, WHERE, HERE = 1, 2, 3  # tags
LISTED = 20  # ranks that a message names
ANSWER_SECONDS = 2.0  # how long a roll call waits; waiting ranks look every quarter of a second


class Control:
    """The control line of this process.

    Args:
        mpi: the module ``mpi4py.MPI``.
        handle: a duplicate of the world for control messages only.
        timeout: seconds after which waiting fails.
    """

    def __init__(self, mpi, handle, timeout):
        self.mpi, self.handle, self.timeout = mpi, handle, timeout
        self.rank, self.size = handle.Get_rank(), handle.Get_size()
        self.gone = {}  # rank -> what it said when it left
        self.answers = {}
        self.pending = []  # sends under way, with their buffers
        self.owner = os.getpid()

    # ---- messages ----
    def post(self, peer, tag, message):
        """Send a small message without waiting for it."""
        data = np.frombuffer(json.dumps(message).encode(), np.uint8)
        self.pending = [(r, d) for r, d in self.pending if not r.Test()]
        self.pending.append((self.handle.Isend([data, self.mpi.BYTE], peer, tag), data))

    def read(self, work):
        """Take in all control messages; ``work`` is what this rank waits for (None: its program has ended)."""
        status = self.mpi.Status()
        while self.handle.Iprobe(self.mpi.ANY_SOURCE, self.mpi.ANY_TAG, status):
            data = np.empty(status.Get_count(self.mpi.BYTE), np.uint8)
            peer, tag = status.Get_source(), status.Get_tag()
            self.handle.Recv([data, self.mpi.BYTE], peer, tag)
            message = json.loads(data.tobytes())
            if tag == GOODBYE:
                self.gone[peer] = message
            elif tag == WHERE:
                self.post(peer, HERE, {"op": None} if work is None else work.describe())
            else:
                self.answers[peer] = message

    def attend(self, work, waited, test):
        """Called now and then while ``work`` waits: fail if it waits for a rank that ended, or for too long."""
        self.read(work)
        left = [r for r in work.comm.members if r in self.gone]
        if left and not test():
            raise PeerLost(f"{self.sentence(work)} waits in vain: the program of rank {left[0]} has already ended")
        if waited > work.comm.timeout:
            self.roll_call(work, waited, test)

    def sentence(self, work):
        return f"rank {self.rank}: {work.name} (number {work.number} of {work.comm.label}, called at {work.site})"

    def roll_call(self, work, waited, test):
        """Ask the others of the group where they are and fail with the answers."""
        others = [r for r in work.comm.members if r != self.rank]
        self.answers = {}
        for peer in others:
            self.post(peer, WHERE, {})
        end = time.monotonic() + ANSWER_SECONDS
        while time.monotonic() < end and len(self.answers) < len(others):
            if test():
                return
            self.read(work)
            time.sleep(0.01)
        lines, mine = [], work.describe()
        for peer in others:
            there = self.answers.get(peer)
            if there is None:
                lines.append(f"rank {peer} never arrived: it does not answer (it computes, sleeps or hangs)")
            elif there["op"] is None:
                lines.append(f"rank {peer} never arrived: its program has ended")
            elif (there["op"], there["number"], there["group"]) != (mine["op"], mine["number"], mine["group"]):
                lines.append(f"rank {peer} waits elsewhere: {there['op']} (number {there['number']} of "
                             f"{there['group']}, called at {there['site']})")
        if len(lines) > LISTED:
            lines[LISTED:] = [f"and {len(lines) - LISTED} more"]
        raise CollectiveTimeout(
            f"{self.sentence(work)} waited {waited:.0f} s (the limit is {work.comm.timeout:g}; "
            "PADDLE_DISTRIBUTED_TIMEOUT sets it)\n  " + "\n  ".join(lines or ["every rank arrived, MPI is stuck"]))

    # ---- the end of a program ----
    def install(self):
        """End the job at once on an uncaught exception, and say goodbye when the program ends."""
        self._previous_hook, sys.excepthook = sys.excepthook, self.on_exception
        atexit.register(self.leave)

    def on_exception(self, kind, error, trace):
        """Show the exception as usual, then end all ranks."""
        self._previous_hook(kind, error, trace)
        if os.getpid() != self.owner:  # a forked worker process: only its own end
            return
        sys.stderr.write(f"rank {self.rank}: uncaught {kind.__name__}, ending all ranks\n")
        sys.stdout.flush()
        sys.stderr.flush()
        code = 130 if issubclass(kind, KeyboardInterrupt) else 1
        if os.environ.get("PADDLE_SUPERVISED"):
            os._exit(code)  # the supervisor reports it and has the others ended
        self.handle.Abort(code)

    def leave(self):
        """Say goodbye, then wait until everybody has: MPI must not be taken down under a rank that still works."""
        if os.getpid() != self.owner or self.mpi.Is_finalized():
            return
        for peer in range(self.size):
            if peer != self.rank:
                self.post(peer, GOODBYE, {})
        request, start, nap, passed = self.handle.Ibarrier(), time.monotonic(), 0.0005, False
        while not passed or len(self.gone) < self.size - 1:  # and nobody's goodbye is left in the line
            passed = passed or request.Test()
            self.read(None)
            time.sleep(nap)
            nap = 0.0005 if time.monotonic() - start < 1 else 0.05
        self.mpi.Request.Waitall([request for request, _ in self.pending])
