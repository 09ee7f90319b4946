"""Timing of one workload in one process: warm up, then samples; prints one JSON line.

    python timing.py FRAMEWORK WORKLOAD [--threads N] [--seconds S]

FRAMEWORK is ``paddle`` (whichever package of that name is installed: ours or the original) or ``torch``.
"""

import argparse
import importlib
import json
import os
import resource
import statistics
import sys
import time


def measure(call, seconds):
    """Milliseconds of each call over about ``seconds``, after a warm-up of a third of it."""
    end = time.perf_counter() + seconds / 3
    call()
    while time.perf_counter() < end:
        call()
    samples, end = [], time.perf_counter() + seconds
    while time.perf_counter() < end or len(samples) < 5:
        start = time.perf_counter()
        call()
        samples.append((time.perf_counter() - start) * 1e3)
    return samples


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("framework", choices=("paddle", "torch"))
    parser.add_argument("workload")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=2.0)
    a = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = str(a.threads)
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    modules = [importlib.import_module(f"workloads_{a.framework}")]
    if a.workload not in modules[0].WORKLOADS:
        modules.append(importlib.import_module(f"deploy_{a.framework}"))
    call, per, unit = modules[-1].WORKLOADS[a.workload](a.threads)
    samples = [s / per for s in measure(call, a.seconds)]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"median": statistics.median(samples), "min": min(samples), "samples": len(samples), "unit": unit,
                      "peak_mb": peak}))


if __name__ == "__main__":
    main()
