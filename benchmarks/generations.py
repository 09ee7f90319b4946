"""LeNet in the spellings of older generations beside that of 2.x: a training step and a run of a static program.

    python benchmarks/generations.py [--rounds 6] [--seconds 0.5]

Every spelling is a process of ours that stays and is asked in turn; the quickest call counts, by the processor's time of one
thread.
The networks are the same: two convolutions of 5x5 with pooling behind them, three linear layers, SGD, batches of 64.
"""

import argparse
import json
import math
import os
import sys

import numpy as np
import single_ops

RNG = np.random.RandomState(0)
IMAGES, LABELS = RNG.rand(64, 1, 28, 28).astype("float32"), RNG.randint(0, 10, (64, 1)).astype("int64")
CONVOLUTIONS, WIDTHS = ((1, 6), (6, 16)), (256, 120, 84, 10)


# ---- training steps ----
def modern(paddle):
    nn, parts = paddle.nn, []
    for i, o in CONVOLUTIONS:
        parts += [nn.Conv2D(i, o, 5), nn.ReLU(), nn.MaxPool2D(2, 2)]
    parts.append(nn.Flatten())
    for i, o in zip(WIDTHS, WIDTHS[1:]):
        parts += [nn.Linear(i, o), nn.ReLU()]
    net = nn.Sequential(*parts[:-1])
    optimizer = paddle.optimizer.SGD(0.01, parameters=net.parameters())
    x, label = paddle.to_tensor(IMAGES), paddle.to_tensor(LABELS)

    def call():
        paddle.nn.functional.cross_entropy(net(x), label).backward()
        optimizer.step()
        optimizer.clear_grad()
    return call


def fluid_layers(fluid, old):
    """LeNet of fluid.dygraph; ``old``: layers are given a name's beginning, and find out what comes in."""
    dygraph = fluid.dygraph

    class Net(dygraph.Layer):
        def __init__(self):
            super().__init__(*(("lenet",) if old else ()))
            self.bodies, self.ends = [], []
            for n, (i, o) in enumerate(CONVOLUTIONS):
                made = dygraph.Conv2D(self.full_name(), o, 5, act="relu") if old else dygraph.Conv2D(i, o, 5, act="relu")
                pool = dygraph.Pool2D(*((self.full_name(),) if old else ()), pool_size=2, pool_type="max", pool_stride=2)
                self.bodies += [self.add_sublayer(f"conv{n}", made), self.add_sublayer(f"pool{n}", pool)]
            for n, (i, o) in enumerate(zip(WIDTHS, WIDTHS[1:])):
                act = "relu" if o > 10 else None
                made = dygraph.FC(self.full_name(), o, act=act) if old else dygraph.Linear(i, o, act=act)
                self.ends.append(self.add_sublayer(f"fc{n}", made))

        def forward(self, x):
            for layer in self.bodies:
                x = layer(x)
            x = fluid.layers.reshape(x, [-1, WIDTHS[0]])
            for layer in self.ends:
                x = layer(x)
            return x
    return Net()


def older(paddle, old):
    from paddle import fluid
    fluid.dygraph.enable_dygraph()
    net = fluid_layers(fluid, old)
    optimizer = fluid.optimizer.SGDOptimizer(0.01, **({} if old else {"parameter_list": net.parameters()}))
    x, label = fluid.dygraph.to_variable(IMAGES), fluid.dygraph.to_variable(LABELS)
    x.stop_gradient = True  # up to 1.6 pictures got gradients too

    def call():
        loss = fluid.layers.mean(fluid.layers.softmax_with_cross_entropy(net(x), label))
        loss.backward()
        optimizer.minimize(loss)
        net.clear_gradients()
    return call


def alpha(paddle):
    paddle.enable_imperative()
    nn = paddle.nn

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.convs = nn.LayerList([nn.Conv2D(i, o, 5) for i, o in CONVOLUTIONS])
            self.lines = nn.LayerList([nn.Linear(i, o) for i, o in zip(WIDTHS, WIDTHS[1:])])
            self.pool, self.relu = nn.Pool2D(2, "max", 2), nn.ReLU()

        def forward(self, x):
            for layer in self.convs:
                x = self.pool(self.relu(layer(x)))
            x = paddle.reshape(x, [-1, WIDTHS[0]])
            for n, layer in enumerate(self.lines):
                x = layer(x) if n == 2 else self.relu(layer(x))
            return x
    net = Net()
    optimizer = paddle.optimizer.SGDOptimizer(0.01, parameter_list=net.parameters())
    loss_of = nn.CrossEntropyLoss()
    x, label = paddle.imperative.to_variable(IMAGES), paddle.imperative.to_variable(LABELS)

    def call():
        loss = loss_of(net(x), label)
        loss.backward()
        optimizer.minimize(loss)
        net.clear_gradients()
    return call


# ---- static programs ----
def modern_program(paddle):
    paddle.enable_static()
    static, nn = paddle.static, paddle.nn.functional
    main, start = static.Program(), static.Program()
    with static.program_guard(main, start):
        x, label = static.data("x", [None, 1, 28, 28]), static.data("label", [None, 1], "int64")
        y = x
        for _, o in CONVOLUTIONS:
            y = nn.max_pool2d(static.nn.conv2d(y, o, 5, act="relu"), 2, 2)
        for o in WIDTHS[1:]:
            y = static.nn.fc(y, o, activation="relu" if o > 10 else None)
        loss = paddle.mean(nn.softmax_with_cross_entropy(y, label))
        paddle.optimizer.SGD(0.01).minimize(loss)
    return running(static.Executor(), main, start, loss)


def older_program(paddle):
    from paddle import fluid
    layers = fluid.layers
    main, start = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, start):
        x, label = layers.data("x", [1, 28, 28]), layers.data("label", [1], dtype="int64")
        y = x
        for _, o in CONVOLUTIONS:
            y = layers.pool2d(layers.conv2d(y, o, 5, act="relu"), 2, "max", 2)
        for o in WIDTHS[1:]:
            y = layers.fc(y, o, act="relu" if o > 10 else None)
        loss = layers.mean(layers.softmax_with_cross_entropy(y, label))
        fluid.optimizer.SGDOptimizer(0.01).minimize(loss)
    return running(fluid.Executor(fluid.CPUPlace()), main, start, loss)


def running(executor, main, start, loss):
    executor.run(start)
    return lambda: executor.run(main, feed={"x": IMAGES, "label": LABELS}, fetch_list=[loss])


# workload -> {generation: call of paddle}; the first is what the others are compared with
WORKLOADS = {
    "LeNet step": {"2.6": modern, "1.5": lambda p: older(p, True), "1.8": lambda p: older(p, False), "2.0-alpha": alpha},
    "LeNet static run": {"2.6": modern_program, "1.5": older_program, "1.8": older_program, "2.0-alpha": older_program},
}


def worker(generation):
    """Answer every line ``[workload, _, seconds]`` with the milliseconds of the quickest call."""
    import paddle
    paddle.set_generation(generation)
    calls = {}
    for line in sys.stdin:
        name, _, seconds = json.loads(line)
        if name not in calls:
            calls[name] = WORKLOADS[name][generation](paddle)
        print(json.dumps(single_ops.quickest(None, lambda _, name=name: calls[name](), (), False, seconds, True)), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--seconds", type=float, default=0.5)
    parser.add_argument("--worker", nargs="*", help=argparse.SUPPRESS)
    parser.add_argument("--threads", type=int, default=1, help=argparse.SUPPRESS)
    a = parser.parse_args()
    if a.worker:
        return worker(a.worker[0])
    generations = [*WORKLOADS["LeNet step"]]
    print("| workload | " + " | ".join(f"{g} (ms)" for g in generations) + " | " +
          " | ".join(f"{g} / {generations[0]}" for g in generations[1:]) + " |\n|---|" + "---|" * (2 * len(generations) - 1))
    for name in WORKLOADS:
        processes = {g: single_ops.start(sys.executable, g, 1, {}, os.path.abspath(__file__), [g]) for g in generations}
        best = dict.fromkeys(generations, math.inf)
        for _ in range(a.rounds):
            for g, process in processes.items():
                best[g] = min(best[g], single_ops.ask(process, name, False, a.seconds))
        for process in processes.values():
            process.stdin.close()
            process.wait()
        print(f"| {name} | " + " | ".join(f"{t:.3f}" for t in best.values()) + " | " +
              " | ".join(f"{best[g] / best[generations[0]]:.2f}" for g in generations[1:]) + " |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
