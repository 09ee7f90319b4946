"""Single operators at large sizes, side by side with PyTorch: interleaved rounds, a Markdown table with ratios.

    python benchmarks/single_ops.py [--rounds 5] [--threads 2] [--group medium] [--only sigmoid,topk] [--backward]
                                    [--against DIR]

BENCH_TORCH_PYTHON names PyTorch's interpreter (``make bench`` makes one under build/rivals/torch). Every framework is one process
that stays; the parent asks each in turn for the quickest of several calls, so that a busy machine slows all of them alike, and the
quickest round counts. With ``--threads 1`` it is the processor's time that counts, which other processes hardly disturb.
``--backward`` measures forward and backward of a sum. ``--against DIR`` adds another checkout of ours. ``--group medium`` takes the
operators of medium_ops.py, those without a gradient forward only.
"""

import argparse
import json
import math
import os
import subprocess
import sys
import time

from medium_ops import MEDIUM
from medium_ops import NO_GRADIENT as PLAIN
from moving_ops import MOVING, NOT_DIFFERENTIABLE

HERE = os.path.dirname(os.path.abspath(__file__))
SQUARE = {"x": (2048, 2048)}
PAIR = {"x": (2048, 2048), "y": (2048, 2048)}
IMAGES = {"x": (16, 64, 56, 56)}

# name: (operands, ours, PyTorch's); an operand is a shape of normal float32 numbers, or (kind, shape, bound)
OPS = {
    "sigmoid": (SQUARE, lambda p, x: p.nn.functional.sigmoid(x), lambda t, x: t.sigmoid(x)),
    "topk": ({"x": (1000, 4096)}, lambda p, x: p.topk(x, 10, axis=1), lambda t, x: t.topk(x, 10, dim=1)),
    "take_along_axis": ({"x": (2048, 1024), "i": ("int", (2048, 1024), 1024)},
                        lambda p, x, i: p.take_along_axis(x, i, 1), lambda t, x, i: t.gather(x, 1, i)),
    "cumsum": (SQUARE, lambda p, x: p.cumsum(x, axis=1), lambda t, x: t.cumsum(x, 1)),
    "cumsum, first axis": (SQUARE, lambda p, x: p.cumsum(x, axis=0), lambda t, x: t.cumsum(x, 0)),
    "transpose and copy": (SQUARE, lambda p, x: x.t().contiguous(), lambda t, x: x.t().contiguous()),
    "transpose heads": ({"x": (16, 512, 8, 64)}, lambda p, x: p.transpose(x, [0, 2, 1, 3]).contiguous(),
                        lambda t, x: x.permute(0, 2, 1, 3).contiguous()),
    "cat": (PAIR, lambda p, x, y: p.concat([x, y], axis=1), lambda t, x, y: t.cat([x, y], 1)),
    "mean of all": ({"x": (4096, 4096)}, lambda p, x: p.mean(x), lambda t, x: t.mean(x)),
    "gelu": (SQUARE, lambda p, x: p.nn.functional.gelu(x), lambda t, x: t.nn.functional.gelu(x)),
    "sort": ({"x": (1000, 2048)}, lambda p, x: p.sort(x, axis=1), lambda t, x: t.sort(x, 1)[0]),
    "argsort": ({"x": (1000, 2048)}, lambda p, x: p.argsort(x, axis=1), lambda t, x: t.argsort(x, 1)),
    "where": ({"c": ("bool", (2048, 2048), 2), **PAIR}, lambda p, c, x, y: p.where(c, x, y), lambda t, c, x, y: t.where(c, x, y)),
    "sum over last": (SQUARE, lambda p, x: p.sum(x, axis=1), lambda t, x: t.sum(x, 1)),
    "sum over first": (SQUARE, lambda p, x: p.sum(x, axis=0), lambda t, x: t.sum(x, 0)),
    "index_select": ({"x": (8192, 256), "i": ("int", (16384,), 8192)}, lambda p, x, i: p.index_select(x, i, 0),
                     lambda t, x, i: t.index_select(x, 0, i)),
    "broadcast add": ({"x": (2048, 2048), "y": (2048,)}, lambda p, x, y: x + y, lambda t, x, y: x + y),
    "add": (PAIR, lambda p, x, y: x + y, lambda t, x, y: x + y),
    "exp": (SQUARE, lambda p, x: p.exp(x), lambda t, x: t.exp(x)),
    "tanh": (SQUARE, lambda p, x: p.tanh(x), lambda t, x: t.tanh(x)),
    "int64 add": ({"x": ("int", (2048, 1024), 1000), "y": ("int", (2048, 1024), 1000)}, lambda p, x, y: x + y,
                  lambda t, x, y: x + y),
    "bmm": ({"x": (32, 256, 256), "y": (32, 256, 256)}, lambda p, x, y: p.bmm(x, y), lambda t, x, y: t.bmm(x, y)),
    "softmax": (SQUARE, lambda p, x: p.nn.functional.softmax(x, -1), lambda t, x: t.softmax(x, -1)),
    "log_softmax": (SQUARE, lambda p, x: p.nn.functional.log_softmax(x, -1), lambda t, x: t.log_softmax(x, -1)),
    "layer_norm": ({"x": (4096, 1024), "w": (1024,), "b": (1024,)}, lambda p, x, w, b: p.nn.functional.layer_norm(x, 1024, w, b),
                   lambda t, x, w, b: t.nn.functional.layer_norm(x, (1024,), w, b)),
    "argmax": (SQUARE, lambda p, x: p.argmax(x, axis=1), lambda t, x: t.argmax(x, 1)),
    "conv 3x3": ({**IMAGES, "w": (64, 64, 3, 3)}, lambda p, x, w: p.nn.functional.conv2d(x, w, padding=1),
                 lambda t, x, w: t.nn.functional.conv2d(x, w, padding=1)),
    "conv 1x1, short sums": ({**IMAGES, "w": (256, 64, 1, 1)}, lambda p, x, w: p.nn.functional.conv2d(x, w),
                             lambda t, x, w: t.nn.functional.conv2d(x, w)),
    "depthwise 3x3": ({**IMAGES, "w": (64, 1, 3, 3)}, lambda p, x, w: p.nn.functional.conv2d(x, w, padding=1, groups=64),
                      lambda t, x, w: t.nn.functional.conv2d(x, w, padding=1, groups=64)),
    "max_pool": (IMAGES, lambda p, x: p.nn.functional.max_pool2d(x, 3, 2, 1), lambda t, x: t.nn.functional.max_pool2d(x, 3, 2, 1)),
}
GROUPS = {"large": list(OPS), "medium": list(MEDIUM), "moving": list(MOVING)}
OPS.update({**MEDIUM, **MOVING})
NO_GRADIENT = {"argsort", "argmax", "int64 add", *NOT_DIFFERENTIABLE}


def operand(what):
    """The array of an operand's entry; the same numbers in every process."""
    import numpy as np

    kind, shape, bound = what if isinstance(what[0], str) else ("float", what, 0)
    rng = np.random.RandomState(math.prod(shape) % 1000)
    if kind == "float":
        return rng.standard_normal(shape).astype("float32")
    if kind == "positive":
        return (rng.random_sample(shape) + 0.1).astype("float32")
    values = rng.randint(0, bound, shape)
    return values.astype("bool" if kind == "bool" else "int64")


def worker(framework, threads):
    """Answer every line ``[name, backward, seconds]`` with the milliseconds of the quickest call."""
    if framework == "torch":
        import torch as module

        module.set_num_threads(threads)
    else:
        import paddle as module
    for line in sys.stdin:
        name, backward, seconds = json.loads(line)
        operands, *calls = OPS[name]
        tensors = [tensor_of(module, framework, operand(what), backward) for what in operands.values()]
        print(json.dumps(quickest(module, calls[framework == "torch"], tensors, backward, seconds, threads == 1)), flush=True)


def tensor_of(module, framework, array, backward):
    if framework == "torch":
        t = module.from_numpy(array)
        return t.requires_grad_() if backward and array.dtype.kind == "f" else t
    return module.to_tensor(array, stop_gradient=not (backward and array.dtype.kind == "f"))


def quickest(module, call, tensors, backward, seconds, alone):
    """Milliseconds of the quickest call within ``seconds``; with ``backward`` of the call and its gradients.

    With ``alone`` it is the quickest tenth's slowest: a virtual machine's clock of processor time can leave out part of a call.
    """
    times, end = [], time.perf_counter() + seconds
    clock = time.thread_time if alone else time.perf_counter
    while len(times) < 5 or time.perf_counter() < end:
        start = clock()
        out = call(module, *tensors)
        if backward:
            (out[0] if isinstance(out, (tuple, list)) else out).sum().backward()
        times.append(clock() - start)
        for t in tensors if backward else ():
            t.grad = None
    times.sort()
    return times[len(times) // 10 if alone else 0] * 1e3


def start(python, framework, threads, extra, script=None, role=None):
    """A process that answers questions: this script, or another one with the same way of talking, in its role."""
    env = {**os.environ, "OMP_NUM_THREADS": str(threads), **extra}
    command = [python, script or os.path.abspath(__file__), "--worker", *(role or [framework]), "--threads", str(threads)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env)


def ask(process, *question):
    process.stdin.write(json.dumps(question) + "\n")
    process.stdin.flush()
    return json.loads(process.stdout.readline())


def compare(processes, names, backward, rounds, seconds):
    """{name: {column: milliseconds}}, each the quickest of the interleaved rounds."""
    best = {name: dict.fromkeys(processes, math.inf) for name in names}
    for _ in range(rounds):
        for name in names:
            for column, process in processes.items():
                best[name][column] = min(best[name][column], ask(process, name, backward and name not in PLAIN, seconds))
    return best


def table(best):
    columns = list(next(iter(best.values())))
    rivals = columns[1:]
    lines = ["| operator | sizes | " + " | ".join(f"{c} (ms)" for c in columns) + " | "
             + " | ".join(f"ours / {c}" for c in rivals) + " |", "|---|---|" + "---|" * (len(columns) + len(rivals))]
    for name, row in best.items():
        sizes = ", ".join("x".join(map(str, w[1] if isinstance(w[0], str) else w)) for w in OPS[name][0].values())
        lines.append(f"| {name} | {sizes} | " + " | ".join(f"{row[c]:.3g}" for c in columns) + " | "
                     + " | ".join(f"{row['ours'] / row[c]:.2f}" for c in rivals) + " |")
    means = [math.exp(sum(math.log(row["ours"] / row[c]) for row in best.values()) / len(best)) for c in rivals]
    lines.append("| geometric mean | |" + " |" * len(columns) + " " + " | ".join(f"**{m:.2f}**" for m in means) + " |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=0.15)
    parser.add_argument("--group", default="large", choices=list(GROUPS))
    parser.add_argument("--only", default="")
    parser.add_argument("--backward", action="store_true")
    parser.add_argument("--against", default="", metavar="DIR", help="another checkout of ours, compiled in place")
    parser.add_argument("--worker", default="", help=argparse.SUPPRESS)
    a = parser.parse_args()
    if a.worker:
        return worker(a.worker, a.threads)
    names = a.only.split(",") if a.only else [n for n in GROUPS[a.group] if not (a.backward and n in NO_GRADIENT)]
    processes = {"ours": start(sys.executable, "paddle", a.threads, {})}
    if a.against:
        processes["before"] = start(sys.executable, "paddle", a.threads,
                                    {"PYTHONPATH": os.path.join(os.path.abspath(a.against), "src")})
    if os.environ.get("BENCH_TORCH_PYTHON"):
        processes["PyTorch"] = start(os.environ["BENCH_TORCH_PYTHON"], "torch", a.threads, {})
    print(table(compare(processes, names, a.backward, a.rounds, a.seconds)))
    for process in processes.values():
        process.stdin.close()
        process.wait()
    return 0


if __name__ == "__main__":
    sys.exit(main())
