"""Side by side with PyTorch and the original Paddle: interleaved rounds, a Markdown table with ratios.

    python benchmarks/compare.py [--rounds 5] [--threads 2] [--quick] [--only lenet_step,...] [--out FILE]

Interpreters of the rivals come from BENCH_TORCH_PYTHON and BENCH_PADDLE_PYTHON (``make bench`` prepares them); without one
its column is left out. Every round measures each framework once, one after the other, so that a busy machine slows all of
them alike; the table shows medians over the rounds and the lowest and highest round.
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
ALL = ["small_forward", "small_train", "lenet_step", "lenet_infer_64", "lenet_infer_1", "mlp_step", "linear_step",
       "resnet18_step", "lstm_step", "transformer_step", "matmul_1024", "big_elementwise"]
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


def frameworks():
    """(column, interpreter, framework, environment) of everything that can be measured here."""
    rows = [("ours", sys.executable, "paddle", {})]
    if os.environ.get("BENCH_TORCH_PYTHON"):
        rows.append(("PyTorch", os.environ["BENCH_TORCH_PYTHON"], "torch", {}))
    if os.environ.get("BENCH_PADDLE_PYTHON"):
        rows.append(("Paddle 2.6.2", os.environ["BENCH_PADDLE_PYTHON"], "paddle", {}))
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
    lines = [f"Measured {datetime.date.today()} on {cpu()}, {threads} threads, Python {platform.python_version()}. "
             "Medians of interleaved rounds (lowest..highest round).", "",
             "| workload | unit | " + " | ".join(columns) + " | ours / PyTorch | ours / Paddle |",
             "|---|---|" + "---|" * (len(columns) + 2)]
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
        for rival in ("PyTorch", "Paddle 2.6.2"):
            pairs = [a["median"] / b["median"] for a, b in zip(rows.get("ours", []), rows.get(rival, []))]
            ratios.append(f"{statistics.median(pairs):.2f}" if pairs else "-")
        lines.append(f"| {workload} | {unit} | " + " | ".join(cells + ratios) + " |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=1.5)
    parser.add_argument("--quick", action="store_true", help="five workloads, three short rounds")
    parser.add_argument("--only", default="")
    parser.add_argument("--out", default="")
    a = parser.parse_args()
    chosen = a.only.split(",") if a.only else QUICK if a.quick else ALL
    rounds, seconds = (3, 0.7) if a.quick else (a.rounds, a.seconds)
    columns = frameworks()
    results = {w: {} for w in chosen}
    for n in range(rounds):
        for workload in chosen:
            for column, python, framework, extra in columns:
                row = run(python, framework, workload, a.threads, seconds, extra)
                if row is not None:
                    results[workload].setdefault(column, []).append(row)
        print(f"round {n + 1} of {rounds} done", file=sys.stderr)
    text = table(results, [c[0] for c in columns], a.threads)
    print(text)
    if a.out:
        with open(a.out, "w", encoding="utf-8") as f:
            f.write(text)


if __name__ == "__main__":
    main()
