"""How cost grows with batch, depth, tensor size and length of the graph, beside PyTorch: JSON and pictures.

    python benchmarks/growth.py [--rounds 3] [--threads 2] [--only batch,depth,...] [--out docs/pictures]

Takes about three minutes. PyTorch's interpreter comes from BENCH_TORCH_PYTHON; without it its line is left out. Rounds
alternate between the frameworks; a point is the median of its rounds. Prints, for each curve, the steepest growth between
neighbouring sizes of the upper half: 1.0 is time in proportion to the work.
"""

import argparse
import importlib
import json
import math
import os
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
CURVES = {  # name: title, horizontal axis, sizes
    "batch": ("LeNet training step", "images in a batch", [1, 4, 16, 64, 256, 1024]),
    "depth": ("Training step of Linear(64, 64) + ReLU layers, batch 32", "layers", [2, 5, 10, 20, 50, 100, 200, 500]),
    "elements": ("relu(x * y + x)", "elements", [10 ** k for k in range(9)]),
    "ops": ("Chain of products, forward and backward", "ops in the graph", [10 ** k for k in range(7)])}


def seconds_of(call):
    """Median seconds of a call: samples for a third of a second after the first, but only that of a very long call."""
    start = time.perf_counter()
    call()
    first = time.perf_counter() - start
    if first > 3:
        return first
    samples, end = [], time.perf_counter() + 0.3
    while time.perf_counter() < end or len(samples) < 3:
        start = time.perf_counter()
        call()
        samples.append(time.perf_counter() - start)
    return statistics.median(samples)


def measure(framework, curve, threads):
    """Run by the driver in a process of its own: prints one JSON line, seconds for each size."""
    sys.path.insert(0, HERE)
    if framework == "torch":
        importlib.import_module("torch").set_num_threads(threads)
    make = importlib.import_module(f"growth_{framework}").CURVES[curve]
    print(json.dumps([seconds_of(make(size)) for size in CURVES[curve][2]]))


def run(python, framework, curve, threads):
    env = {**os.environ, "OMP_NUM_THREADS": str(threads)}
    command = [python, os.path.abspath(__file__), "--measure", framework, "--only", curve, "--threads", str(threads)]
    done = subprocess.run(command, capture_output=True, text=True, env=env, check=False)
    if done.returncode:
        raise RuntimeError(f"{framework} {curve}: {done.stderr[-2000:]}")
    return json.loads(done.stdout.strip().splitlines()[-1])


def steepest(line):
    """The largest exponent between neighbouring points of the upper half."""
    upper = line[len(line) // 2:]
    return max(math.log(t2 / t1) / math.log(n2 / n1) for (n1, t1), (n2, t2) in zip(upper, upper[1:]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--only", default="")
    parser.add_argument("--out", default=os.path.join(os.path.dirname(HERE), "docs", "pictures"))
    parser.add_argument("--measure", choices=("paddle", "torch"), help=argparse.SUPPRESS)
    a = parser.parse_args()
    if a.measure:
        measure(a.measure, a.only, a.threads)
        return
    from chart import line_chart
    interpreters = {"ours": (sys.executable, "paddle")}
    if os.environ.get("BENCH_TORCH_PYTHON"):
        interpreters["PyTorch"] = (os.environ["BENCH_TORCH_PYTHON"], "torch")
    os.makedirs(a.out, exist_ok=True)
    file = os.path.join(a.out, "growth.json")
    results = {}
    if os.path.exists(file):  # curves that are not measured now keep their figures
        with open(file, encoding="utf-8") as f:
            results = json.load(f)
    for curve in a.only.split(",") if a.only else CURVES:
        title, x_title, sizes = CURVES[curve]
        rounds = {name: [] for name in interpreters}
        for _ in range(a.rounds):
            for name, (python, framework) in interpreters.items():
                rounds[name].append(run(python, framework, curve, a.threads))
        lines = {name: list(zip(sizes, map(statistics.median, zip(*rows)))) for name, rows in rounds.items()}
        results[curve] = {name: dict(line) for name, line in lines.items()}
        with open(os.path.join(a.out, f"growth-{curve}.svg"), "w", encoding="utf-8") as f:
            f.write(line_chart(title, x_title, lines))
        for name, line in lines.items():
            figures = "  ".join(f"{n}: {t * 1e3:.4g}" for n, t in line)
            print(f"{curve:9} {name:8} steepest {steepest(line):.2f}   ms {figures}", flush=True)
    with open(file, "w", encoding="utf-8") as f:
        json.dump(results, f, indent=1)
        f.write("\n")


if __name__ == "__main__":
    main()
