"""Measure the thresholds of src/paddle/kernels/native/thresholds.h and kernels/thresholds.py again, on this machine.

    python benchmarks/thresholds.py [--only MOVE_GRAIN,...] [--rounds 3]

For each name the native library is built once for every value in the table below, in a copy of the package in a temporary folder,
and the operators of single_ops.py that the value is for are timed, all builds in turn; a * marks the value that the header holds.
Those of the Python file are set in turn in this process. Prints milliseconds; nothing is changed: what is better has to be written
into the file by hand.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import timeit

import single_ops

import paddle
import paddle.nn.functional as F
from paddle.kernels import thresholds

ROOT = os.path.dirname(single_ops.HERE)
HEADER = os.path.join(ROOT, "src", "paddle", "kernels", "native", "thresholds.h")
TABLE = {  # name: (values, operators, threads)
    "MOVE_GRAIN": ([16384, 65536, 262144], ["transpose and copy", "cat", "where", "index_select"], 2),
    "SCAN_GRAIN": ([8192, 32768, 131072], ["cumsum", "cumsum, first axis"], 2),
    "SORT_GRAIN": ([1024, 4096, 16384], ["argsort"], 2),
    "SORT_SMALL": ([16, 40, 96], ["argsort", "topk"], 1),
    "BEST_SMALL": ([16, 64, 256], ["topk"], 1),
    "STREAM_BYTES": ([20 << 20, 40 << 20, 80 << 20], ["add", "exp", "broadcast add"], 2),
    "COLUMNS_BYTES": ([0, 16384, 65536], ["conv 1x1, short sums", "conv 3x3"], 1),
}


def product(*shapes, **options):
    """A product of random matrices, to be timed."""
    x, y = (paddle.rand(shape) for shape in shapes)
    return lambda: paddle.matmul(x, y, **options)


def program(function, *shapes):
    """A function as a program that has run often enough to be a routine, to be timed."""
    made, given = paddle.jit.to_static(function), [paddle.rand(shape) for shape in shapes]
    for _ in range(4):
        made(*given)
    return lambda: made(*given)


def chain(x):
    return F.relu(x * 2.0 + x) * x


def fixed_product(rows):
    weight = paddle.rand([256, 256])
    return program(lambda x: paddle.matmul(x, weight), [rows, 256])


PYTHON = {  # name: (values, {what is timed: function that makes it})
    "BATCH_PRODUCT": ([0, 100_000, 10**9], {f"{n} of 16 x 16": (lambda n=n: product([n, 16, 16], [n, 16, 16]))
                                            for n in (4, 16, 64)}),
    "NARROW_COLUMNS": ([2, 16, 64], {f"{n} columns": (lambda n=n: product([512, 256], [512, n], transpose_x=True))
                                     for n in (8, 32)}),
    "NARROW_PRODUCT": ([0, 200_000, 10**9], {f"{n} rows": (lambda n=n: product([n, 64], [n, 10], transpose_x=True))
                                             for n in (64, 512)}),
    "CHAIN_ELEMENTS": ([0, 32, 10**6], {f"{n} elements": (lambda n=n: program(chain, [n])) for n in (16, 64, 1024)}),
    "PACKED_ROWS": ([0, 4, 64], {f"{n} rows": (lambda n=n: fixed_product(n)) for n in (2, 8, 32)}),
}


def measure_python(name, rounds):
    """Print the table of one name of the Python file."""
    values, cases = PYTHON[name]
    now = getattr(thresholds, name)
    print(f"{name:16}" + "".join(f"{f'{value}' + '*' * (value == now):>12}" for value in values))
    for case, make in cases.items():
        best = dict.fromkeys(values, float("inf"))
        for value in values * rounds:
            setattr(thresholds, name, value)
            best[value] = min(best[value], min(timeit.repeat(make(), number=20, repeat=20)) / 20 * 1000)
        print(f"  {case:22}" + "".join(f"{best[value]:12.4f}" for value in values))
    setattr(thresholds, name, now)


def current(name):
    """The value that the header holds."""
    with open(HEADER, encoding="utf-8") as f:
        text = re.search(rf"#define {name} (\(.*?\) << \d+\)|\d+)", f.read()).group(1)
    shifted = re.search(r"<< (\d+)", text)
    return 1 << int(shifted.group(1)) if shifted else int(text)


def build(folder, name, value):
    """A copy of the package whose native library was compiled with this value; its ``src`` folder."""
    shutil.copytree(os.path.join(ROOT, "src"), os.path.join(folder, "src"), ignore=shutil.ignore_patterns("_native*.so", "*.pyc"))
    for file in ("setup.py", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(os.path.join(ROOT, file), folder)
    subprocess.run([sys.executable, "setup.py", "-q", "build_ext", "--inplace"], cwd=folder, check=True,
                   env={**os.environ, "CFLAGS": f"-D{name}={value}"})
    return os.path.join(folder, "src")


def measure(name, rounds):
    """Print the table of one name."""
    values, operators, threads = TABLE[name]
    now = current(name)
    with tempfile.TemporaryDirectory() as folder:
        processes = {value: single_ops.start(sys.executable, "paddle", threads,
                                             {"PYTHONPATH": build(os.path.join(folder, str(value)), name, value)})
                     for value in sorted({*values, now})}
        best = single_ops.compare(processes, operators, False, rounds, 0.2)
        for process in processes.values():
            process.stdin.close()
            process.wait()
    print(f"{name:16}" + "".join(f"{f'{value}' + '*' * (value == now):>12}" for value in processes))
    for operator, row in best.items():
        print(f"  {operator:22}" + "".join(f"{row[value]:12.3f}" for value in processes))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="")
    parser.add_argument("--rounds", type=int, default=3)
    a = parser.parse_args()
    for name in a.only.split(",") if a.only else [*TABLE, *PYTHON]:
        (measure_python if name in PYTHON else measure)(name, a.rounds)


if __name__ == "__main__":
    main()
