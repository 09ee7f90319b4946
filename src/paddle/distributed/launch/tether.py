"""Become a command that dies with the process that started it: ``python tether.py PARENT_PID SIGNAL COMMAND...``.

A launcher or supervisor that is killed with SIGKILL cannot tidy up; the kernel does it for them. Where the kernel
cannot (anything but Linux) the command simply runs. Stands alone: it is started by path, without the package.
"""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def bind_to_parent(parent, signum):
    """Ask the kernel to send ``signum`` to this process when its parent ends; survives exec."""
    if sys.platform != "linux":
        return
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signum, 0, 0, 0)
    if os.getppid() != parent:  # the parent ended before the request was made
        os.kill(os.getpid(), signum)


def tethered(command):
    """The command line that runs ``command`` tied to the calling process."""
    return [sys.executable, "-I", "-S", os.path.abspath(__file__), str(os.getpid()), str(int(signal.SIGKILL)), *command]


if __name__ == "__main__":
    bind_to_parent(int(sys.argv[1]), int(sys.argv[2]))
    os.execvp(sys.argv[3], sys.argv[3:])
