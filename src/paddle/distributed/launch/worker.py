"""Supervisor of one rank: sets its environment and its log, waits for it, and reports when it fails.

mpiexec starts one of these per rank on the rank's own machine: ``python worker.py COMMAND...``. It stands alone
(standard library only, started by path) so that it is up in milliseconds, and talks to the launcher through its
standard error, which mpiexec carries back from any machine: a failure is one line, ``REPORT_MARK`` followed by JSON.
"""

import json
import os
import signal
import socket
import subprocess
import sys
import time

REPORT_MARK = "\x1epaddle-rank-failed "
TAIL_BYTES = 6000
TAIL_LINES = 25
ECHO_INTERVAL = 0.1  # seconds between two looks at the log that is shown on the terminal
LAUNCH_PREFIX = "PADDLE_LAUNCH_"  # variables between launcher and supervisor; the rank never sees them


def rank_environment(parent):
    """The variables Paddle programs expect, for the rank that this supervisor starts."""
    rank, local_rank = int(parent.get("PMI_RANK", 0)), int(parent.get("MPI_LOCALRANKID", 0))
    local_size = int(parent.get("MPI_LOCALNRANKS", 1))
    endpoints = parent["PADDLE_TRAINER_ENDPOINTS"].split(",")
    devices = [d for d in parent.get(LAUNCH_PREFIX + "DEVICES", "").split(",") if d]
    env = {k: v for k, v in parent.items() if not k.startswith(LAUNCH_PREFIX)}
    env.update(
        PADDLE_TRAINER_ID=str(rank),
        PADDLE_GLOBAL_RANK=str(rank),
        PADDLE_LOCAL_RANK=str(local_rank),
        PADDLE_RANK_IN_NODE=str(local_rank),
        PADDLE_LOCAL_SIZE=str(local_size),
        PADDLE_SUPERVISED="1",
        PADDLE_TRAINERS_NUM=str(len(endpoints)),
        PADDLE_GLOBAL_SIZE=str(len(endpoints)),
        PADDLE_CURRENT_ENDPOINT=endpoints[rank],
        FLAGS_selected_gpus=devices[local_rank] if local_rank < len(devices) else str(local_rank),
    )
    env.setdefault("OMP_NUM_THREADS", str(max(1, usable_cores() // local_size)))
    return env


def usable_cores():
    """Cores that this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def tail(path):
    """The last lines of a log file."""
    with open(path, "rb") as log:
        log.seek(max(0, os.path.getsize(path) - TAIL_BYTES))
        return log.read().decode("utf-8", "replace").splitlines()[-TAIL_LINES:]


def wait(child, echo):
    """Wait for the rank; copy what it writes into the log named ``echo`` to the terminal meanwhile."""
    if not echo:
        return child.wait()
    with open(echo, "rb", buffering=0) as log:
        log.seek(0, os.SEEK_END)
        while True:
            ended = child.poll() is not None
            text = log.read()
            if text:
                sys.stdout.buffer.write(text)
                sys.stdout.flush()
            elif ended:
                return child.returncode
            else:
                time.sleep(ECHO_INTERVAL)


def main(command):
    """Run the rank and return its exit code; never returns when the rank failed."""
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    from tether import tethered

    env = rank_environment(os.environ)
    rank, log_path, log = env["PADDLE_TRAINER_ID"], None, None
    # mpiexec signals the whole process group, so the rank has its own copy; the supervisor only must not die of it.
    for signum in (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2):
        signal.signal(signum, lambda *_: None)
    if env.get("PADDLE_LOG_DIR"):
        os.makedirs(env["PADDLE_LOG_DIR"], exist_ok=True)
        log_path = os.path.join(env["PADDLE_LOG_DIR"], "workerlog." + rank)
        log = open(log_path, os.environ.get(LAUNCH_PREFIX + "LOG_MODE", "w"))
    echo = log_path if rank == os.environ.get(LAUNCH_PREFIX + "ECHO_RANK") else None
    # The rank talks to its process manager through an inherited descriptor: close_fds must stay off.
    child = subprocess.Popen(tethered(command), env=env, stdout=log, stderr=log and subprocess.STDOUT, close_fds=False)
    code = wait(child, echo)
    if code:
        report = {"rank": int(rank), "host": env.get("PMI_HOSTNAME", socket.gethostname()), "pid": child.pid,
                  "code": code, "log": log_path, "tail": tail(log_path) if log_path else []}
        sys.stderr.write("\n" + REPORT_MARK + json.dumps(report) + "\n")
        sys.stderr.flush()
        if "PMI_RANK" in env:
            # mpiexec ends the other ranks only when one dies of a signal; the pause lets it fetch the report first.
            time.sleep(0.2)
            os.kill(os.getpid(), signal.SIGKILL)
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
