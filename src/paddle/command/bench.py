"""Compare the speed of a few small workloads with PyTorch and Paddle, as far as they can be run: PyTorch if this Python has it,
either of them if BENCH_TORCH_PYTHON or BENCH_PADDLE_PYTHON names a Python that has it. Every framework runs in a process of its
own, with as many threads, by turns; the fastest of several repetitions counts. Use an idle machine."""

import importlib.util
import json
import os
import subprocess
import sys

from . import workloads

HELP = "compare the speed of small workloads with PyTorch and Paddle, where they are installed"
ROUNDS = 2


def arguments(parser):
    """What the subcommand takes."""
    parser.add_argument("--only", nargs="+", choices=workloads.NAMES, metavar="NAME", help=f"some of: {', '.join(workloads.NAMES)}")
    parser.add_argument("--seconds", type=float, default=0.5, help="time for each workload (0.5)")
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="threads of each framework (all cores)")
    parser.add_argument("--json", action="store_true", help="print the seconds as JSON")


def run(given):
    """Measure one framework after the other and print the table."""
    if given.threads < 1 or not given.seconds > 0:
        raise ValueError(f"--threads and --seconds must be above 0, got {given.threads} and {given.seconds}")
    measured = {}
    for label, command in [*candidates()] * ROUNDS:  # in turn, so that what else the machine does hits all of them
        done = measure(command, given)
        before = measured.setdefault(f"{label} {done['version']}", done["seconds"])
        before.update({name: min(before[name], seconds) for name, seconds in done["seconds"].items()})
    print(json.dumps(measured, indent=2) if given.json else table(measured))
    return 0


def candidates():
    """Pairs (name, command line): this package, then the others that can be run."""
    yield "dygraph", [sys.executable, "-m", "paddle.command.workloads", "paddle"]
    torch = os.environ.get("BENCH_TORCH_PYTHON")
    if torch is None and importlib.util.find_spec("torch") is not None:
        torch = sys.executable
    # -I: the script's folder, which has our modules, must not be on the path of another framework's Python
    if torch:
        yield "PyTorch", [torch, "-I", workloads.__file__, "torch"]
    if os.environ.get("BENCH_PADDLE_PYTHON"):
        yield "PaddlePaddle", [os.environ["BENCH_PADDLE_PYTHON"], "-I", workloads.__file__, "paddle"]


def measure(command, given):
    """What the script of workloads printed: {"version": text, "seconds": {workload: number}}."""
    threads = str(given.threads)
    env = dict(os.environ, OMP_NUM_THREADS=threads, MKL_NUM_THREADS=threads, OPENBLAS_NUM_THREADS=threads)
    command = [*command, str(given.seconds / ROUNDS), *(given.only or workloads.NAMES)]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise ValueError(f"{command[0]} could not run the workloads: {last}")
    return json.loads(done.stdout.strip().splitlines()[-1])


def table(measured):
    """The seconds of every framework in a readable unit, and how they compare with the first."""
    names = list(measured)
    first = measured[names[0]]
    rows = [["", *names]]
    for workload in first:
        row = [workloads.TITLES[workload]]
        for name in names:
            seconds = measured[name][workload]
            ratio = "" if name == names[0] else f" ({seconds / first[workload]:.2f}x)"
            row.append(_time(seconds) + ratio)
        rows.append(row)
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    lines = ["  ".join(f"{text:{w}}" if not k else f"{text:>{w}}" for k, (text, w) in enumerate(zip(row, widths))).rstrip()
             for row in rows]
    note = "(2.00x: it takes twice the time of dygraph)" if len(names) > 1 else (
        "nothing to compare with: pip install torch, or set BENCH_TORCH_PYTHON or BENCH_PADDLE_PYTHON to another Python")
    return "\n".join([*lines, note])


def _time(seconds):
    return f"{seconds * 1e6:.1f} us" if seconds < 1e-3 else f"{seconds * 1e3:.2f} ms"
