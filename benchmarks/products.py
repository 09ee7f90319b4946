"""Matrix products side by side with OpenBLAS (NumPy's) and PyTorch's library: GFLOP/s by shape, and a picture of it.

    python benchmarks/products.py [--rounds 3] [--threads 2] [--isa avx2] [--only square] [--against DIR] [--picture FILE.svg]

BENCH_TORCH_PYTHON names PyTorch's interpreter. Processes stay and are asked in turn, as in single_ops.py; the quickest call counts,
by the processor's time with ``--threads 1``. ``--isa avx2`` holds all three to AVX2 (PyTorch as far as its libraries obey). "ready"
is our product with a right operand that was packed before, as predictors have it. The peak is measured by limits.c.
"""

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import time

import chart
import single_ops

# class: shapes of (rows, inner, columns, right operand transposed, left operand transposed, batch)
SIZES = (32, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048)
CLASSES = {
    "square": [(n, n, n) for n in SIZES],
    "tall": [(2048, 64, 64), (2048, 256, 64), (2048, 128, 512), (2048, 512, 128), (1500, 300, 100)],
    "wide": [(64, 64, 2048), (64, 256, 2048), (100, 300, 1500), (128, 768, 3072), (128, 3072, 768), (64, 2048, 64), (96, 2048, 96)],
    "small batch": [(m, 1024, 1024) for m in (1, 2, 4, 8, 16, 32, 64)],
    "right transposed": [(n, n, n, 1) for n in (64, 256, 1024)] + [(128, 784, 1024, 1), (2048, 512, 128, 1)],
    "left transposed": [(n, n, n, 0, 1) for n in (64, 256, 1024)] + [(784, 128, 1024, 0, 1), (128, 2048, 512, 0, 1)],
    "batched": [(n, k, n, 0, 0, 32) for n, k in ((32, 32), (64, 64), (128, 64), (256, 256))] + [(128, 64, 128, 1, 0, 32)],
}
ISA = {"ours": {"PADDLE_NATIVE_ISA": "{}"}, "OpenBLAS": {"OPENBLAS_CORETYPE": "Haswell"},
       "PyTorch": {"ONEDNN_MAX_CPU_ISA": "AVX2", "MKL_ENABLE_INSTRUCTIONS": "AVX2", "ATEN_CPU_CAPABILITY": "avx2"}}


def full(shape):
    return (*shape, *(0, 0, 1)[len(shape) - 3:])


def operands(shape):
    import numpy as np

    m, k, n, right, left, batch = full(shape)
    rng = np.random.RandomState(0)
    a = rng.standard_normal((batch, k, m) if left else (batch, m, k)).astype("float32")
    b = rng.standard_normal((batch, n, k) if right else (batch, k, n)).astype("float32")
    a, b = (a.swapaxes(1, 2) if left else a), (b.swapaxes(1, 2) if right else b)
    return (a, b) if batch > 1 else (a[0], b[0])


def call_of(framework, shape, threads):
    """A call of a product, without arguments."""
    a, b = operands(shape)
    if framework == "torch":
        import torch

        torch.set_num_threads(threads)
        a, b = torch.from_numpy(a), torch.from_numpy(b)
        return lambda: torch.matmul(a, b)
    if framework == "numpy":
        import numpy as np

        return lambda: np.matmul(a, b)
    from paddle import _native as native
    native.set_num_threads(threads)
    if framework == "ready":
        if full(shape)[5] > 1:
            return None
        made = native.gemm_prepare(b)
        return lambda: native.gemm_ready(a, b, made)
    return lambda: native.gemm(a, b)


def worker(framework, threads):
    """Answer every line ``[shape, _, seconds]`` with the milliseconds of the quickest call."""
    for line in sys.stdin:
        shape, _, seconds = json.loads(line)
        call = call_of(framework, shape, threads)
        time.sleep(0.05)  # until the threads of whoever was asked before sleep
        found = call and single_ops.quickest(None, lambda _, run=call: run(), (), False, seconds, threads == 1)
        print(json.dumps(found), flush=True)


def peak(threads):
    """GFLOP/s of multiply-adds in registers, on so many threads."""
    source = os.path.join(single_ops.HERE, "limits.c")
    with tempfile.TemporaryDirectory() as folder:
        made = os.path.join(folder, "limits")
        subprocess.run(["cc", "-O3", "-march=native", "-pthread", source, "-o", made], check=True)
        return json.loads(subprocess.run([made, str(threads)], check=True, capture_output=True, text=True).stdout)["gflops"]


def name_of(shape):
    m, k, n, right, left, batch = full(shape)
    words = f"{m} x {k} x {n}" + (", B transposed" if right else "") + (", A transposed" if left else "")
    return f"{batch} of {words}" if batch > 1 else words


def table(found, limit):
    columns = list(next(iter(found.values()))[0][1])
    rivals = [c for c in columns if c in ("OpenBLAS", "PyTorch")]
    lines = [f"Peak {limit:.0f} GFLOP/s.", "", "| class | m x k x n | " + " | ".join(columns) + " | of the best rival |",
             "|---|---|" + "---|" * (len(columns) + 1)]
    for group, rows in found.items():
        shares = []
        for shape, rates in rows:
            share = rates["ours"] / max(rates[c] for c in rivals) if rivals else math.nan
            shares.append(share)
            lines.append(f"| {group} | {name_of(shape)} | " + " | ".join(f"{rates[c]:.1f}" for c in columns) + f" | {share:.2f} |")
        lines.append(f"| **{group}** | geometric mean |" + " |" * len(columns)
                     + f" **{math.exp(sum(map(math.log, shares)) / len(shares)):.2f}** |")
    return "\n".join(lines)


def measure(processes, groups, rounds, seconds):
    """{class: [(shape, {column: GFLOP/s})]}."""
    found = {}
    for group in groups:
        found[group] = []
        for shape in CLASSES[group]:
            best = dict.fromkeys(processes, math.inf)
            for _ in range(rounds):
                for column, process in processes.items():
                    best[column] = min(best[column], single_ops.ask(process, shape, False, seconds) or math.inf)
            m, k, n, _, _, batch = full(shape)
            found[group].append((shape, {column: 2e-6 * m * k * n * batch / t for column, t in best.items()}))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=0.05)
    parser.add_argument("--only", default="")
    parser.add_argument("--isa", default="", choices=("", "avx2", "base"))
    parser.add_argument("--against", default="", metavar="DIR", help="another checkout of ours, compiled in place")
    parser.add_argument("--picture", default="", help="SVG of the square products")
    parser.add_argument("--worker", default="", help=argparse.SUPPRESS)
    a = parser.parse_args()
    if a.worker:
        return worker(a.worker, a.threads)
    held = {column: {k: v.format(a.isa) for k, v in names.items()} if a.isa else {} for column, names in ISA.items()}
    sides = {"ours": (sys.executable, "paddle", held["ours"]), "ready": (sys.executable, "ready", held["ours"])}
    if a.against:
        other = os.path.join(os.path.abspath(a.against), "src")
        sides["before"] = (sys.executable, "paddle", {**held["ours"], "PYTHONPATH": other})
    sides["OpenBLAS"] = (sys.executable, "numpy", {"OPENBLAS_NUM_THREADS": str(a.threads), **held["OpenBLAS"]})
    if os.environ.get("BENCH_TORCH_PYTHON"):
        sides["PyTorch"] = (os.environ["BENCH_TORCH_PYTHON"], "torch", held["PyTorch"])
    limit = peak(a.threads)
    processes = {column: single_ops.start(python, framework, a.threads, extra, os.path.abspath(__file__))
                 for column, (python, framework, extra) in sides.items()}
    groups = a.only.split(",") if a.only else list(CLASSES)
    found = measure(processes, groups, a.rounds, a.seconds)
    print(table(found, limit))
    for process in processes.values():
        process.stdin.close()
        process.wait()
    if a.picture:
        lines = {column: [(shape[0], rates[column]) for shape, rates in found["square"]] for column in sides if column != "before"}
        lines["peak"] = [(SIZES[0], limit), (SIZES[-1], limit)]
        title = f"Square products of float32, GFLOP/s, threads: {a.threads}" + (f", {a.isa}" if a.isa else "")
        with open(a.picture, "w", encoding="utf-8") as file:
            file.write(chart.rate_chart(title, "rows, columns and inner size", lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
