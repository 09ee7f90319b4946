"""Writers that are killed: whatever the moment, the old or the new file is there, whole."""

import os
import random
import signal
import time

import numpy as np

import paddle

KINDS = ("params", "optimizer", "jit")


def model_of(width):
    """A layer whose values tell its width, and a step of whose optimizer has been made."""
    layer = paddle.nn.Linear(4, width, weight_attr=paddle.nn.initializer.Constant(float(width)))
    optimizer = paddle.optimizer.Adam(parameters=layer.parameters(), learning_rate=0.0)
    layer(paddle.ones([2, 4])).sum().backward()
    optimizer.step()
    return layer, optimizer


def save(kind, prefix, width):
    """Save something of a width, by one of the ways."""
    layer, optimizer = model_of(width)
    if kind == "params":
        paddle.save(layer.state_dict(), prefix)
    elif kind == "optimizer":
        paddle.save(optimizer.state_dict(), prefix)
    else:
        paddle.jit.save(layer, prefix, input_spec=[paddle.static.InputSpec([None, 4], "float32")])


def check(kind, prefix, widths):
    """Load what is there; it must be one of the widths, and whole."""
    if kind == "params":
        weight = paddle.load(prefix)["weight"].numpy()
    elif kind == "optimizer":
        moments = [v.numpy() for k, v in paddle.load(prefix).items() if "moment1" in k and v.ndim == 2]
        weight = np.full(moments[0].shape, moments[0].shape[1])
    else:
        weight = paddle.jit.load(prefix).parameters()[0].numpy()
        weight = weight if weight.ndim == 2 else paddle.jit.load(prefix).parameters()[1].numpy()
    assert weight.shape[1] in widths and (weight == weight.shape[1]).all(), (kind, weight.shape, weight.ravel()[:3])


def kill_once(kind, seed, number, folder):
    """Kill a process that saves over a good file again and again; returns the seconds it was given."""
    rng = random.Random(f"saves {kind} {seed} {number}")
    prefix = os.path.join(folder, f"{kind}{number}")
    save(kind, prefix, 300)
    delay = rng.uniform(0.0, 0.05)
    pid = os.fork()
    if pid == 0:
        try:
            while True:
                save(kind, prefix, 300)
        finally:
            os._exit(1)
    time.sleep(delay)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    check(kind, prefix, (300,))
    return delay
