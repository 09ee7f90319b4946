"""The command that starts a plan's ranks: mpiexec of the mpich wheel (or of the system), or the supervisor alone."""

import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig

INSTALL = "pip install 'dygraph[distributed]'"
WORKER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "worker.py")
PROXY_VARIABLES = ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY")  # they break gRPC in older programs
# What a rank of an outer job holds about itself; a job started inside it must not inherit it.
RANK_VARIABLES = ("PMI_RANK", "PMI_SIZE", "PMI_FD", "PMI_HOSTNAME", "MPI_LOCALRANKID", "MPI_LOCALNRANKS",
                  "HYDI_CONTROL_FD", "PADDLE_TRAINER_ID", "PADDLE_GLOBAL_RANK", "PADDLE_LOCAL_RANK",
                  "PADDLE_RANK_IN_NODE", "PADDLE_CURRENT_ENDPOINT", "FLAGS_selected_gpus")


def find_mpiexec(environ=os.environ):
    """Path of a Hydra mpiexec: PADDLE_MPIEXEC, else beside this Python (where the wheel puts it), else on PATH."""
    if importlib.util.find_spec("mpi4py") is None:
        raise ImportError(f"more than one rank needs MPI, and mpi4py is not installed; run: {INSTALL}")
    scripts = [sysconfig.get_path("scripts"), os.path.dirname(sys.executable)]
    candidates = [environ.get("PADDLE_MPIEXEC")] if environ.get("PADDLE_MPIEXEC") else [
        shutil.which(name, path=path) for path in (*scripts, None) for name in ("mpiexec.hydra", "mpiexec")]
    for candidate in candidates:
        if candidate and is_hydra(candidate):
            return candidate
    raise ImportError(f"more than one rank needs MPICH's mpiexec, which is not installed; run: {INSTALL}")


def is_hydra(path):
    """True for MPICH's process manager; other MPIs have other options."""
    try:
        shown = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return "HYDRA" in shown.stdout


def job_environment(plan, environ, log_dir=None, append=False, echo_rank=None, restarts=0, iface=None):
    """Environment of mpiexec, which hands it to every supervisor."""
    env = {k: v for k, v in environ.items() if k not in PROXY_VARIABLES and k not in RANK_VARIABLES}
    env.update(
        PADDLE_TRAINER_ENDPOINTS=",".join(plan.endpoints),
        PADDLE_MASTER=plan.endpoints[0],
        PADDLE_NNODES=str(len(plan.nodes)),
        PADDLE_DISTRI_BACKEND="mpi",
        PADDLE_RESTART_COUNT=str(restarts),
        PADDLE_LAUNCH_DEVICES=",".join(plan.devices),
        PADDLE_LAUNCH_LOG_MODE="a" if append else "w",
    )
    env.pop("PADDLE_LOG_DIR", None)
    if log_dir:
        env["PADDLE_LOG_DIR"] = os.path.abspath(log_dir)
    if echo_rank is not None:
        env["PADDLE_LAUNCH_ECHO_RANK"] = str(echo_rank)
    if iface:  # the transports of the wheel: UCX and libfabric's TCP provider
        env["UCX_NET_DEVICES"] = env["FI_TCP_IFACE"] = iface
    return env


def job_command(plan, rank_command, launcher=None, launcher_exec=None, iface=None, localhost=None):
    """Command line that starts every rank of the plan running ``rank_command``."""
    supervised = [sys.executable, "-u", WORKER, *rank_command]
    if plan.size == 1:
        return supervised
    command = [find_mpiexec()]
    if len(plan.nodes) > 1 or launcher:
        command += ["-launcher", launcher or "ssh"]
        command += ["-hosts", ",".join(f"{node.address}:{node.ranks}" for node in plan.nodes)]
    if launcher_exec:
        command += ["-launcher-exec", launcher_exec]
    if iface:
        command += ["-iface", iface]
    if localhost and len(plan.nodes) > 1:
        command += ["-localhost", localhost]
    return [*command, "-n", str(plan.size), *supervised]
