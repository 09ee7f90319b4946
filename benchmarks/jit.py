"""Training steps: eager, translated (to_static), translated as a whole, as a program; here and in real Paddle 2.6.2, in one run.

    BENCH_PADDLE_PYTHON=path/to/python-with-paddlepaddle-2.6.2 python benchmarks/jit.py [--rounds 12]

Prints a Markdown table of milliseconds per step: the best of several rounds that alternate between all candidates. In a "whole
step" forward, backward and update are one translated function, which Paddle 2.6.2 can't do.
"""

import argparse
import contextlib
import json
import os
import subprocess
import sys
import time

import numpy as np

import paddle
from paddle import nn


class LeNet(nn.Layer):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2D(1, 6, 3, padding=1), nn.ReLU(), nn.MaxPool2D(2, 2), nn.Conv2D(6, 16, 5),
                                      nn.ReLU(), nn.MaxPool2D(2, 2))
        self.fc = nn.Sequential(nn.Linear(400, 120), nn.Linear(120, 84), nn.Linear(84, 10))

    def forward(self, x):
        return self.fc(paddle.flatten(self.features(x), 1))


class CellLoop(nn.Layer):
    """32 turns of an LSTM cell in a Python loop."""

    def __init__(self):
        super().__init__()
        self.cell, self.out = nn.LSTMCell(8, 16), nn.Linear(16, 1)

    def forward(self, x):
        h, c = paddle.zeros([x.shape[0], 16]), paddle.zeros([x.shape[0], 16])
        for t in range(32):
            _, (h, c) = self.cell(x[:, t], (h, c))
        return self.out(h)


class Sequence(nn.Layer):
    """An LSTM layer over 32 steps."""

    def __init__(self):
        super().__init__()
        self.lstm, self.out = nn.LSTM(8, 16), nn.Linear(16, 1)

    def forward(self, x):
        return self.out(self.lstm(x)[0][:, -1])


class Line(nn.Layer):
    """A linear regression."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(13, 1)

    def forward(self, x):
        return self.fc(x)


class Small(nn.Layer):
    """Two small layers: what a call costs besides the arithmetic."""

    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(8, 16), nn.Linear(16, 1)

    def forward(self, x):
        return self.b(paddle.tanh(self.a(x)))


CASES = {"LeNet, batch 64": (LeNet, [64, 1, 28, 28], 4), "LSTM cell x 32, batch 16": (CellLoop, [16, 32, 8], 4),
         "LSTM layer, 32 steps, batch 16": (Sequence, [16, 32, 8], 10), "linear regression, batch 16": (Line, [16, 13], 50),
         "two small layers, batch 16": (Small, [16, 8], 50)}
THEIRS = ("eager", "to_static", "Executor")
WAYS = (*THEIRS, "whole step")


def batch(shape):
    """The input of a step."""
    return np.random.RandomState(0).rand(*shape).astype("float32")


def step_of(make, shape, way):
    """A training step as a function."""
    paddle.seed(1)
    if way == "Executor":
        return program_step(make, shape)
    net = make()
    if way == "to_static":
        net = paddle.jit.to_static(net, full_graph=True)
    optimizer = paddle.optimizer.SGD(0.01, parameters=net.parameters())
    x = paddle.to_tensor(batch(shape))

    def step(x):
        loss = (net(x) ** 2).mean()
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        return loss
    if way == "whole step":
        step = paddle.jit.to_static(step, full_graph=True)
    return lambda: step(x)


def program_step(make, shape):
    """The same step as a program."""
    paddle.enable_static()
    main, startup = paddle.static.Program(), paddle.static.Program()
    with paddle.static.program_guard(main, startup):
        x = paddle.static.data("x", [None, *shape[1:]] if make is not CellLoop else shape)
        loss = (make()(x) ** 2).mean()
        paddle.optimizer.SGD(0.01).minimize(loss)
    executor, scope = paddle.static.Executor(paddle.CPUPlace()), paddle.static.Scope()
    with paddle.static.scope_guard(scope):
        executor.run(startup)
    paddle.disable_static()
    feed = {"x": batch(shape)}

    def step():
        paddle.enable_static()  # Paddle 2.6.2 runs programs in static mode only
        executor.run(main, feed=feed, fetch_list=[loss], scope=scope)
        paddle.disable_static()
    return step


def milliseconds(step, repeats):
    """Time of one step."""
    start = time.perf_counter()
    for _ in range(repeats):
        step()
    return (time.perf_counter() - start) / repeats * 1e3


class Served:
    """Steps that run in this process, on request."""

    def __init__(self, ways):
        self.steps = {(name, way): step_of(make, shape, way) for name, (make, shape, _) in CASES.items() for way in ways}
        for step in self.steps.values():
            milliseconds(step, 3)

    def __call__(self, name, way):
        return milliseconds(self.steps[name, way], CASES[name][2])


class Remote:
    """Steps that run in another interpreter: requests and answers are lines of JSON."""

    def __init__(self, python, extra):
        self.process = subprocess.Popen([python, os.path.abspath(__file__), "--serve"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                                        env={**os.environ, "OMP_NUM_THREADS": "2", **extra})

    def __call__(self, name, way):
        self.process.stdin.write(json.dumps([name, way]) + "\n")
        self.process.stdin.flush()
        while True:
            line = self.process.stdout.readline()
            if line.startswith("time "):
                return float(line[5:])
            if not line:
                raise RuntimeError("the other interpreter ended")

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def candidates():
    """(title, run, way) of every column."""
    here = Served(WAYS)
    columns = [(way, here, way) for way in WAYS]
    python = os.environ.get("BENCH_PADDLE_PYTHON")
    if python:
        rivals = {"Paddle 2.6.2": {}}
        if "AMD" in cpu():  # there MKL runs at a quarter of its speed unless told otherwise
            rivals["Paddle 2.6.2, MKL type 5"] = {"MKL_DEBUG_CPU_TYPE": "5"}
        for title, extra in rivals.items():
            there = Remote(python, extra)
            columns += [(f"{title}, {way}", there, way) for way in THEIRS]
    return columns


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.serve:
        served = Served(THEIRS)
        for line in sys.stdin:
            print("time", served(*json.loads(line)), flush=True)
        return
    columns = candidates()
    print("| ms per training step | " + " | ".join(title for title, _, _ in columns) + " |")
    print("|---|" + "---|" * len(columns))
    for name in CASES:
        rounds = [[run(name, way) for _, run, way in columns] for _ in range(arguments.rounds)]
        print(f"| {name} | " + " | ".join(f"{min(times):.3g}" for times in zip(*rounds)) + " |", flush=True)
    for run in {run for _, run, _ in columns if isinstance(run, Remote)}:
        run.close()


def cpu():
    """Name of the processor."""
    with contextlib.suppress(OSError), open("/proc/cpuinfo") as file:
        return next((line.partition(":")[2].strip() for line in file if line.startswith("wayl name")), "")
    return ""


if __name__ == "__main__":
    main()
