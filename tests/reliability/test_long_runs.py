"""Memory and descriptors stay flat however long a program runs: under 3 MB over the second half of the steps."""

import gc
import mmap
import os
import threading

import numpy as np
import pytest

import paddle
from paddle import nn, static

GROWTH = 3 << 20  # bytes over the second half
pytestmark = pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="needs /proc")


def resident():
    gc.collect()
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def descriptors():
    return len(os.listdir("/proc/self/fd"))


def eager():
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
    optimizer = paddle.optimizer.Adam(parameters=model.parameters())
    x = paddle.ones([4, 8])

    def step(number):
        model(x).mean().backward()
        optimizer.step()
        optimizer.clear_grad()
    return step


def changing_shapes():
    @paddle.jit.to_static
    def double(x):
        return (x * 2).sum()
    return lambda number: double(paddle.ones([1 + number % 7, 3]))


def changing_arguments():
    @paddle.jit.to_static
    def times(x, n):
        return x * n
    x = paddle.ones([3])
    return lambda number: times(x, number)


def new_programs():
    executor = static.Executor()

    def step(number):
        with paddle.static.program_guard(static.Program(), static.Program()):
            x = static.data("x", [None, 3])
            out = paddle.tanh(x)
            executor.run(static.default_main_program(), feed={"x": np.ones((2, 3), "float32")}, fetch_list=[out])
    return in_static(step)


def new_feeds():
    executor, main = static.Executor(), static.Program()
    out = []

    def step(number):
        if not out:
            with static.program_guard(main, static.Program()):
                out.append(paddle.tanh(static.data("x", [None, 3])))
        executor.run(main, feed={"x": np.ones((1 + number % 9, 3), "float32")}, fetch_list=out)
    return in_static(step)


def in_static(step):
    def run(number):
        paddle.enable_static()
        try:
            step(number)
        finally:
            paddle.disable_static()
    return run


def py_layer():
    class Cube(paddle.autograd.PyLayer):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x * x

        @staticmethod
        def backward(ctx, g):
            x, = ctx.saved_tensor()
            return g * 3 * x * x

    def step(number):
        x = paddle.ones([64])
        x.stop_gradient = False
        Cube.apply(x).sum().backward()
    return step


def hooks():
    layer = nn.Linear(4, 4)

    def step(number):
        one = layer.register_forward_post_hook(lambda layer, inputs, out: out)
        out = layer(paddle.ones([2, 4]))
        out.register_hook(lambda g: g * 2)
        out.sum().backward()
        layer.clear_gradients()
        one.remove()
    return step


def second_order():
    def step(number):
        x = paddle.ones([16])
        x.stop_gradient = False
        g, = paddle.grad((x ** 3).sum(), x, create_graph=True)
        (g * g).sum().backward()
    return step


def loader():
    class Rows(paddle.io.Dataset):
        def __len__(self):
            return 8

        def __getitem__(self, index):
            return np.full(3, index, "float32")
    rows = Rows()

    def step(number):
        # workers are processes: every hundredth epoch has some
        for _ in paddle.io.DataLoader(rows, batch_size=4, num_workers=2 if number % 100 == 50 else 0):
            pass
    return step


def predictors(folder):
    prefix = os.path.join(folder, "model")
    paddle.jit.save(nn.Linear(4, 2), prefix, input_spec=[static.InputSpec([None, 4], "float32")])

    def step(number):
        predictor = paddle.inference.create_predictor(paddle.inference.Config(prefix + ".pdmodel", prefix + ".pdiparams"))
        predictor.get_input_handle(predictor.get_input_names()[0]).copy_from_cpu(np.ones((2, 4), "float32"))
        predictor.run()
    return step


def short_threads():
    layer = nn.Conv2D(3, 4, 3)

    def step(number):
        thread = threading.Thread(target=lambda: layer(paddle.ones([1, 3, 8, 8])).sum().backward())
        thread.start()
        thread.join()
        layer.clear_gradients()
    return step


def attention():
    """Heads that attend over lengths on both sides of the one from which weights are computed again; every tenth step a gradient of
    the gradient, every hundredth in a thread of its own."""
    layer = nn.MultiHeadAttention(8, 2, dropout=0.1)
    optimizer = paddle.optimizer.Adam(parameters=layer.parameters())

    def train(number):
        x = paddle.ones([1, (3, 7, 20, 260)[number % 4] if number % 40 == 3 else 3 + number % 5, 8])
        x.stop_gradient = False
        loss = (layer(x, x, x) ** 2).mean()
        if number % 10 == 0:
            g, = paddle.grad(loss, x, create_graph=True)
            loss = loss + (g * g).sum()
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()

    def step(number):
        if number % 100 != 50:
            return train(number)
        thread = threading.Thread(target=train, args=[number])
        thread.start()
        thread.join()
    return step


# kind -> (what makes its step, steps of the quick run)
KINDS = {"eager": (eager, 1000), "to_static, changing shapes": (changing_shapes, 600), "to_static, changing arguments":
         (changing_arguments, 300), "new programs": (new_programs, 200), "new feeds": (new_feeds, 600), "PyLayer": (py_layer, 1000),
         "hooks": (hooks, 1000), "create_graph": (second_order, 600), "DataLoader": (loader, 300), "predictors": (predictors, 100),
         "threads": (short_threads, 400), "attention": (attention, 400)}


def run(kind, steps, folder):
    """Make the steps; returns the growth of memory and of descriptors over the second half."""
    make = KINDS[kind][0]
    step = make(folder) if make is predictors else make()
    for number in range(steps // 2):
        step(number)
    before, open_before = resident(), descriptors()
    for number in range(steps // 2, steps):
        step(number)
    return resident() - before, descriptors() - open_before


@pytest.mark.parametrize("kind", KINDS)
def test_memory_stays_flat(kind, tmp_path):
    grown, opened = run(kind, KINDS[kind][1], str(tmp_path))
    assert grown < GROWTH and opened <= 0, f"{kind}: {grown / 1024:.0f} kB and {opened} descriptors more"


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_memory_stays_flat_over_many_steps(kind, tmp_path):
    grown, opened = run(kind, 20000, str(tmp_path))
    assert grown < GROWTH and opened <= 0, f"{kind}: {grown / 1024:.0f} kB and {opened} descriptors more"


def test_a_leak_would_be_seen(monkeypatch, tmp_path):
    kept = []

    def leak(number):
        kept.append(mmap.mmap(-1, 50_000))  # not from what the process has free
        kept[-1].write(bytes(50_000))
    monkeypatch.setitem(KINDS, "leak", (lambda: leak, 400))
    assert run("leak", 400, str(tmp_path))[0] > GROWTH
