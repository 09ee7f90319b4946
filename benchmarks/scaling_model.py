"""What averaging gradients costs from 2 to 1,000 ranks: a calculation from measured latencies.

    python benchmarks/scaling_model.py             # tables for the links below
    python benchmarks/scaling_model.py --measure   # first measure the link between two ranks of this machine

An all-reduce of n bytes between p ranks, with latency a (seconds per message), b (seconds per byte on the link) and c
(seconds per byte to add two arrays):

    ring      2 (p-1) a + 2 (p-1)/p n b + (p-1)/p n c     fewest bytes, most messages
    tree      ceil(log2 p) (a + n b + n c)                 fewest messages, most bytes (recursive doubling)
    halving   2 ceil(log2 p) a + 2 (p-1)/p n b + (p-1)/p n c   recursive halving and doubling

MPI picks among them by size; the model takes the cheapest. Buckets are simulated: gradients become ready at an even pace
during backward, a bucket is reduced when its last gradient is there and the one before it is done, and what is left after
backward ends is the cost that training feels. Ranks that are not equally fast wait for the slowest: with normally
distributed step times its expected lead is about s sqrt(2 ln p).
"""

import argparse
import json
import math
import subprocess
import sys
import tempfile
import time

# a, b, c in seconds; the first two were measured with --measure (two ranks, one machine), the
# others are the usual figures of such networks plus the cost of one call.
LINKS = {
    "shared memory (measured)": (5.0e-6, 1.2e-10, 7.3e-11),
    "TCP, one machine (measured)": (1.0e-5, 7.2e-10, 7.3e-11),
    "10 Gbit Ethernet": (3.0e-5, 8.0e-10, 7.3e-11),
    "100 Gbit InfiniBand": (5.0e-6, 8.0e-11, 7.3e-11),
}
# bytes of gradients, seconds of forward, seconds of backward on one core
MODELS = {"LeNet": (1.72e6, 0.0035, 0.0065), "wide (25 M parameters)": (1.0e8, 0.25, 0.5)}
RANKS = (2, 8, 32, 128, 512, 1000)
BUCKETS_MB = ((0.25, 0.03), (1, 0.06), (4, 0.25), (25, 1), (1e6, 1e6))  # size, size of the last one


def ring(p, n, a, b, c):
    return 2 * (p - 1) * a + 2 * (p - 1) / p * n * b + (p - 1) / p * n * c


def tree(p, n, a, b, c):
    return math.ceil(math.log2(p)) * (a + n * b + n * c)


def halving(p, n, a, b, c):
    return 2 * math.ceil(math.log2(p)) * a + 2 * (p - 1) / p * n * b + (p - 1) / p * n * c


def allreduce(p, n, link):
    """Seconds of the cheapest algorithm."""
    return 0.0 if p == 1 else min(f(p, n, *link) for f in (ring, tree, halving))


def exposed(p, gradients, backward, bucket, last, link):
    """Seconds that reductions last beyond the end of backward."""
    sizes, left = [], gradients
    first = min(last, left)
    left -= first
    while left > 0:
        sizes.append(min(bucket, left))
        left -= sizes[-1]
    sizes.append(first)  # the bucket of the first layers is small and goes last
    done = ready = 0.0
    for size in sizes:
        ready += backward * size / gradients
        done = max(done, ready) + allreduce(p, size, link)
    return max(0.0, done - backward)


def efficiency(p, model, bucket_mb, last_mb, link, jitter):
    """Share of the ideal speed that p ranks reach."""
    gradients, forward, backward = MODELS[model]
    step = forward + backward
    lost = exposed(p, gradients, backward, bucket_mb * 2**20, last_mb * 2**20, link)
    wait = jitter * step * math.sqrt(2 * math.log(p)) if p > 1 else 0.0
    return step / (step + lost + wait)


def tables(jitter):
    """Lines of the report, as Markdown."""
    yield "### One all-reduce, milliseconds (cheapest of ring, tree and halving)\n"
    yield "| link | bytes | " + " | ".join(f"{p} ranks" for p in RANKS) + " |"
    yield "|---|---|" + "---|" * len(RANKS)
    for name, link in LINKS.items():
        for n in (1e4, 1e6, 2.5e7):
            cells = []
            for p in RANKS:
                costs = {f.__name__: f(p, n, *link) for f in (ring, tree, halving)}
                best = min(costs, key=costs.get)
                cells.append(f"{costs[best] * 1e3:.3g} {best}")
            yield f"| {name} | {n:.0e} | " + " | ".join(cells) + " |"
    for model in MODELS:
        yield f"\n### {model}: efficiency in per cent by ranks and bucket size (jitter {jitter:.0%})\n"
        yield "| link | bucket | " + " | ".join(f"{p} ranks" for p in RANKS) + " |"
        yield "|---|---|" + "---|" * len(RANKS)
        for name, link in LINKS.items():
            for mb, last in BUCKETS_MB:
                label = "all in one" if mb == last else f"{mb:g} MB, last {last:g}"
                cells = [f"{efficiency(p, model, mb, last, link, jitter):.1%}" for p in RANKS]
                yield f"| {name} | {label} | " + " | ".join(cells) + " |"


PROBE = """
import json, time
import numpy as np
from paddle.distributed.comm import ReduceOp
from paddle.distributed.group import init_parallel_env
comm = init_parallel_env().comm
times = {}
for n in (1, 1000, 30000, 300000, 1000000):
    array, repeats = np.ones(n, "float32"), 300 if n < 100000 else 30
    samples = []
    for _ in range(repeats):
        comm.barrier().wait()
        start = time.perf_counter()
        comm.allreduce(array, ReduceOp.SUM).wait()
        samples.append(time.perf_counter() - start)
    times[4 * n] = min(samples)
a, b = np.ones(3000000, "float32"), np.ones(3000000, "float32")
samples = []
for _ in range(20):
    start = time.perf_counter()
    a += b
    samples.append(time.perf_counter() - start)
if comm.rank == 0:
    print(json.dumps({"times": times, "add": min(samples) / a.nbytes}))
"""


def measure():
    """(a, b, c) between two ranks of this machine, and the samples they come from."""
    with tempfile.TemporaryDirectory() as folder:
        with open(folder + "/probe.py", "w", encoding="utf-8") as file:
            file.write(PROBE)
        done = subprocess.run([sys.executable, "-m", "paddle.distributed.launch", "--selected_gpus", "0,1",
                               "--print_config", "0", folder + "/probe.py"], capture_output=True, text=True, check=True)
    shown = json.loads(done.stdout)
    times = {int(n): t for n, t in shown["times"].items()}
    small, large = min(times), max(times)
    c = shown["add"]
    b = max((times[large] - 2 * times[small]) / large - c / 2, 0.0)  # two ranks: n bytes each way, half of them added
    return (times[small], b, c), times


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--measure", action="store_true", help="measure the link between two ranks of this machine")
    parser.add_argument("--jitter", type=float, default=0.02, help="standard deviation of a rank's step time, of 1")
    options = parser.parse_args()
    if options.measure:
        link, times = measure()
        for n, t in times.items():
            print(f"all-reduce of {n:>9} bytes between two ranks: {t * 1e6:9.1f} us")
        print(f"a = {link[0]:.2e} s, b = {link[1]:.2e} s/byte, c = {link[2]:.2e} s/byte\n")
        LINKS["this machine, now"] = link
    start = time.perf_counter()
    print("\n".join(tables(options.jitter)))
    print(f"\n(calculated in {time.perf_counter() - start:.2f} s)")


if __name__ == "__main__":
    main()
