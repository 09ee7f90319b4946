"""Side by side with PyTorch and the original Paddle: interleaved rounds, a Markdown table with ratios.

    python benchmarks/compare.py [--rounds 3] [--threads 2] [--quick] [--only lenet_step,...] [--out FILE] [--resume FILE]
                                 [--against DIR]

Interpreters of the rivals come from BENCH_TORCH_PYTHON and BENCH_PADDLE_PYTHON (``make bench`` prepares them); without one
its column is left out. Every round measures each framework once, one after the other, so that a busy machine slows all of
them alike; the table shows medians over the rounds and the lowest and highest round. With ``--resume`` every measurement is
kept in that file at once, and those that are in it already are not made again: a stopped run goes on where it was.

``--against DIR`` adds another checkout of ours, compiled in place (``python setup.py build_ext --inplace`` there), and the
ratio to it: the same workloads and interpreter on the package in DIR/src. ``benchmarks/run.py --against DIR`` leaves the
rivals out unless they are named.
"""

import argparse
import datetime
import json
import os
import platform
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
AGAINST = "the other checkout"
ALL = {  # workload: what the table calls it
    "small_forward": "small op, forward", "small_train": "small op, forward and backward",
    "lenet_step": "LeNet training step, batch 64", "lenet_epoch": "LeNet epoch on MNIST with feeding",
    "lenet_infer_64": "LeNet inference, batch 64", "lenet_infer_1": "LeNet inference, batch 1",
    "mlp_step": "branching MLP step (seed 004)", "autoencoder_step": "shared-weight autoencoder step (seed 004)",
    "linear_step": "one-layer step, batch 16 (seed 002)",
    "static_step": "LeNet static step (Executor; torch.compile)",
    "static_infer_64": "LeNet static inference, batch 64 (Executor; torch.compile)",
    "static_infer_1": "LeNet static inference, batch 1 (Executor; torch.compile)",
    "predictor_64": "LeNet inference, batch 64 (predictor; torch.compile)",
    "predictor_1": "LeNet inference, batch 1 (predictor; torch.compile)",
    "to_static_step": "LeNet step with to_static (torch.compile)", "resnet18_step": "ResNet-18 step, 64x64, batch 16",
    "lstm_step": "LSTM 128 step, sequence 32, batch 32", "transformer_step": "Transformer 2x128 step, sequence 64, batch 16",
    "matmul_1024": "matmul 1024", "big_elementwise": "relu(x*y+z), 10 million",
    "dataloader": "DataLoader over MNIST, batch 64"}
FIRST_CALL = {"paddle": "x = paddle.ones([4]); x.stop_gradient = False; (x * x).sum().backward()",
              "torch": "x = torch.ones([4], requires_grad=True); (x * x).sum().backward()"}
QUICK = ["small_forward", "small_train", "lenet_step", "lenet_infer_1", "matmul_1024"]


def run(python, framework, workload, threads, seconds, extra):
    """The figures of one measurement, or None with the reason on standard error."""
    command = [python, os.path.join(HERE, "timing.py"), framework, workload, "--threads", str(threads), "--seconds",
               str(seconds)]
    env = {**os.environ, "OMP_NUM_THREADS": str(threads), **extra}
    done = subprocess.run(command, capture_output=True, text=True, env=env)
    if done.returncode:
        print(f"{framework} {workload}: {done.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
        return None
    return json.loads(done.stdout.strip().splitlines()[-1])


def kept_rows(file):
    """{(round, workload, column): figures} of a file that --resume wrote, empty if there is none."""
    if not file or not os.path.exists(file):
        return {}
    with open(file, encoding="utf-8") as f:
        return {tuple(key): row for key, row in map(json.loads, f)}


def keep_row(file, key, row):
    """Add a measurement to the file of --resume."""
    with open(file, "a", encoding="utf-8") as f:
        f.write(json.dumps([key, row]) + "\n")


def checkout(folder):
    """The row of frameworks() for another checkout of ours; SystemExit if there is none, or none that was compiled."""
    source = os.path.join(os.path.abspath(folder), "src")
    extra = {"PYTHONPATH": source}
    program = "import paddle; print(paddle.__file__, paddle.kernels.built(), paddle.core.engine.fast is not None)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env={**os.environ, **extra})
    found = done.stdout.split()
    if done.returncode or not found[0].startswith(source + os.sep) or found[1:] != ["True", "True"]:
        sys.exit(f"--against {folder}: {source} must hold the package, compiled in place; got {done.stdout or done.stderr}")
    return AGAINST, sys.executable, "paddle", extra


def frameworks(against):
    """(column, interpreter, framework, environment) of everything that can be measured here."""
    rows = [("ours", sys.executable, "paddle", {})] + ([checkout(against)] if against else [])
    if os.environ.get("BENCH_TORCH_PYTHON"):
        rows.append(("PyTorch", os.environ["BENCH_TORCH_PYTHON"], "torch", {}))
    if os.environ.get("BENCH_PADDLE_PYTHON"):
        rows.append(("Paddle 2.6.2", os.environ["BENCH_PADDLE_PYTHON"], "paddle", {}))
        if "AMD" in cpu():  # there MKL runs at a quarter of its speed unless told otherwise
            rows.append(("Paddle 2.6.2, MKL type 5", os.environ["BENCH_PADDLE_PYTHON"], "paddle", {"MKL_DEBUG_CPU_TYPE": "5"}))
    return rows


def cpu():
    try:
        with open("/proc/cpuinfo") as f:
            names = [line.split(":", 1)[1].strip() for line in f if line.startswith("model name")]
        return f"{names[0]}, {len(names)} processors"
    except (OSError, IndexError):
        return platform.processor() or platform.machine()


def table(results, columns, threads):
    rivals = [c for c in columns if c in (AGAINST, "PyTorch", "Paddle 2.6.2")]
    lines = [f"Measured {datetime.date.today()} on {cpu()}, {threads} threads, Python {platform.python_version()}. "
             "Medians of interleaved rounds (lowest..highest round).", "",
             "| workload | unit | " + " | ".join(columns + [f"ours / {rival}" for rival in rivals]) + " |",
             "|---|---|" + "---|" * (len(columns) + len(rivals))]
    for workload, rows in results.items():
        unit = next((r["unit"] for c in columns for r in rows.get(c, [])), "")
        cells, medians = [], {}
        for c in columns:
            values = [r["median"] for r in rows.get(c, [])]
            if values:
                medians[c] = statistics.median(values)
                cells.append(f"{medians[c]:.3g} ({min(values):.3g}..{max(values):.3g})")
            else:
                cells.append("-")
        ratios = []
        for rival in rivals:
            pairs = [a["median"] / b["median"] for a, b in zip(rows.get("ours", []), rows.get(rival, []))]
            ratios.append(f"{statistics.median(pairs):.2f}" if pairs else "-")
        lines.append(f"| {ALL[workload]} | {unit} | " + " | ".join(cells + ratios) + " |")
    return "\n".join(lines) + "\n"


def startup(python, framework, extra):
    """(seconds of the import, milliseconds of the first small step after it) in a new process."""
    program = (f"import time; start = time.perf_counter(); import {framework}; imported = time.perf_counter(); "
               f"{FIRST_CALL[framework]}; print(imported - start, (time.perf_counter() - imported) * 1e3)")
    env = {k: v for k, v in {**os.environ, **extra}.items() if k != "PYTHONDONTWRITEBYTECODE"}  # compiled, as installed
    return tuple(map(float, subprocess.run([python, "-c", program], capture_output=True, text=True, env=env).stdout.split()[-2:]))


def footprint(columns, results, rounds):
    """A line per framework: its import, the first call after it, and the highest memory of a process that trains LeNet."""
    lines = ["", "| | import (s) | first call (ms) | peak memory of the LeNet step (MB) |", "|---|---|---|---|"]
    times = {column: [] for column, *_ in columns}
    for _ in range(rounds + 1):
        for column, *how in columns:
            times[column].append(startup(*how))
    for column, *_ in columns:
        imports, calls = zip(*times[column][1:])  # the first one may compile
        peaks = [r["peak_mb"] for r in results.get("lenet_step", {}).get(column, [])]
        peak = f"{statistics.median(peaks):.0f}" if peaks else "-"
        lines.append(f"| {column} | {statistics.median(imports):.3f} | {statistics.median(calls):.2f} | {peak} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--quick", action="store_true", help="five workloads, three short rounds")
    parser.add_argument("--only", default="")
    parser.add_argument("--out", default="")
    parser.add_argument("--resume", default="")
    parser.add_argument("--against", default="", metavar="DIR", help="another checkout of ours, compiled in place")
    a = parser.parse_args()
    chosen = a.only.split(",") if a.only else QUICK if a.quick else list(ALL)
    unknown = sorted(set(chosen) - set(ALL))
    if unknown:
        parser.error(f"--only: no workload {', '.join(unknown)}; there are {', '.join(ALL)}")
    rounds, seconds = (3, 0.7) if a.quick else (a.rounds, a.seconds)
    columns = frameworks(a.against)
    results, kept = {w: {} for w in chosen}, kept_rows(a.resume)
    for n in range(rounds):
        for workload in chosen:
            for column, python, framework, extra in columns:
                row = kept.get((n, workload, column)) or run(python, framework, workload, a.threads, seconds, extra)
                if a.resume and row is not None and (n, workload, column) not in kept:
                    keep_row(a.resume, (n, workload, column), row)
                if row is not None:
                    results[workload].setdefault(column, []).append(row)
        print(f"round {n + 1} of {rounds} done", file=sys.stderr)
    text = table(results, [c[0] for c in columns], a.threads) + footprint(columns, results, max(rounds, 5))
    print(text)
    if a.out:
        with open(a.out, "w", encoding="utf-8") as f:
            f.write(text)


if __name__ == "__main__":
    main()
