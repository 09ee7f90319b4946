"""Ctrl-C at any moment: the program gets its KeyboardInterrupt, nothing else, and what it did can be done again and is right.

Each state is work that is repeated in a forked child until a signal comes, many times over. After each interruption the child
looks at what a program can switch (static mode, gradients, current programs, casts) and does the work once more. What Python itself
cannot promise is left out: a signal that comes while a ``with`` statement is entered or left may keep the block from being undone,
whoever wrote it, so that the child's signal waits until it is through.
"""

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import traceback

import numpy as np

import paddle
from paddle import static
from paddle.core.context import context

ROUNDS = 25  # interruptions of one child
LONGEST = 0.03  # seconds until one


class Interrupted(KeyboardInterrupt):
    """What the child's signal raises: Ctrl-C, and known to be ours."""


# ---- states: each returns what is repeated, and gives a number that must always be the same ----
def importing(folder):
    """Modules that are imported when first used, each time as if it were the first."""
    def act():
        for name in [n for n in sys.modules if n.startswith(("paddle.audio", "paddle.text"))]:
            del sys.modules[name]
        import paddle.audio.functional as functional
        return float(functional.hz_to_mel(1000.0))
    return act


def building(folder):
    def act():
        with in_static():
            main = static.Program()
            with static.program_guard(main, static.Program()):
                x = static.data("x", [None, 4])
                for _ in range(3):
                    x = paddle.tanh(x + 1.0)
            return len(main.global_block().ops)
    return act


def training(folder):
    paddle.seed(3)
    layer = paddle.nn.Sequential(paddle.nn.Conv2D(2, 3, 3), paddle.nn.ReLU(), paddle.nn.Flatten(), paddle.nn.Linear(3 * 36, 2))
    optimizer = paddle.optimizer.Adam(learning_rate=0.0, parameters=layer.parameters())
    x = paddle.ones([2, 2, 8, 8])

    def act():
        optimizer.clear_grad()
        loss = (layer(x) ** 2).mean()
        loss.backward()
        optimizer.step()
        return float(loss) + float(layer[0].weight.grad.sum())
    return act


def guarded(folder):
    x = paddle.ones([3, 3])

    def act():
        with paddle.no_grad(), paddle.amp.auto_cast(dtype="bfloat16"):
            return float(paddle.matmul(x, x).sum())
    return act


def second_order(folder):
    def act():
        x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
        g, = paddle.grad((x ** 3).sum(), x, create_graph=True)
        (g * g).sum().backward()
        return float(x.grad.sum())
    return act


def executing(folder):
    main, startup, scope, executor = static.Program(), static.Program(), static.Scope(), static.Executor()
    with in_static(), static.program_guard(main, startup):
        x = static.data("x", [None, 4])
        loss = static.nn.fc(x, 3, weight_attr=paddle.nn.initializer.Constant(0.5)).mean()
        paddle.optimizer.SGD(0.0).minimize(loss)

    def act():
        with in_static(), static.scope_guard(scope):
            executor.run(startup)
            return float(executor.run(main, feed={"x": np.ones((5, 4), "float32")}, fetch_list=[loss])[0])
    return act


def tracing(folder):
    def act():
        @paddle.jit.to_static
        def function(x):
            total = x
            for k in range(3):
                if total.sum() > 0:
                    total = total + k
            return total.sum()
        return float(function(paddle.ones([2, 3])))
    return act


def saving(folder):
    layer = paddle.nn.Linear(4, 50, weight_attr=paddle.nn.initializer.Constant(2.0))
    prefix = os.path.join(folder, "model")

    def act():
        paddle.jit.save(layer, prefix, input_spec=[static.InputSpec([None, 4], "float32")])
        paddle.save(layer.state_dict(), prefix + ".state")
        left = [name for name in os.listdir(folder) if name.endswith(".tmp")]
        assert not left, f"temporary files stay: {left}"
        return float(paddle.jit.load(prefix)(paddle.ones([1, 4])).sum()) + float(paddle.load(prefix + ".state")["weight"].sum())
    return act


class Rows(paddle.io.Dataset):
    def __len__(self):
        return 12

    def __getitem__(self, index):
        return np.full(3, index, "float32")


def loading(folder):
    return lambda: sum(float(batch[0].sum()) for batch in paddle.io.DataLoader(Rows(), batch_size=4))


def loading_with_workers(folder):
    return lambda: sum(float(batch[0].sum()) for batch in paddle.io.DataLoader(Rows(), batch_size=4, num_workers=2))


STATES = {"import": importing, "building": building, "training": training, "guards": guarded, "create_graph": second_order,
          "executor": executing, "to_static": tracing, "saving": saving, "DataLoader": loading,
          "DataLoader with workers": loading_with_workers}


class in_static:  # noqa: N801 - used like a function
    def __enter__(self):
        paddle.enable_static()

    def __exit__(self, *error):
        paddle.disable_static()


def switches():
    """All that an interrupted program could leave switched."""
    return {"static": not paddle.in_dynamic_mode(), "gradients": paddle.is_grad_enabled(), "trace": context.trace is not None,
            "programs": (id(static.default_main_program()), id(static.default_startup_program())),
            "cast": str(paddle.matmul(paddle.ones([1, 1]), paddle.ones([1, 1])).dtype)}


# ---- the child ----
# functions that are not interrupted: guards, and what logging does around a fork, where an exception goes nowhere and a lock stays
DEAF = ("__enter__", "__exit__", "_acquireLock", "_releaseLock")


def child(state, rng, folder, pulse):
    """Interrupt ``ROUNDS`` times, touching a file after each; raises at whatever is not as it was."""
    def handler(number, frame):
        while frame is not None:
            if frame.f_code.co_name in DEAF:
                signal.setitimer(signal.ITIMER_REAL, 5e-5)
                return
            frame = frame.f_back
        raise Interrupted
    signal.signal(signal.SIGALRM, handler)
    act = STATES[state](folder)
    before, wanted = switches(), act()
    for _ in range(ROUNDS):
        try:
            until = time.monotonic() + 2
            signal.setitimer(signal.ITIMER_REAL, rng.uniform(1e-4, LONGEST))
            while True:
                act()
                if time.monotonic() > until:  # an exception in a finalizer goes nowhere: Ctrl-C is pressed again
                    signal.setitimer(signal.ITIMER_REAL, rng.uniform(1e-4, LONGEST))
        except Interrupted:
            pass
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0.0)
        assert switches() == before, f"{switches()}, before {before}"
        got = act()
        assert got == wanted, f"{got} after an interruption, {wanted} before"
        os.utime(pulse)
    until = time.monotonic() + 20
    while children_of(os.getpid()):
        assert time.monotonic() < until, "processes stay"
        time.sleep(0.05)


def children_of(pid):
    """The children that run; those that have ended are left to whoever started them."""
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            return [int(child) for child in file.read().split() if runs(child)]
    except OSError:
        return []


def runs(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def interrupt(state, seed, number):
    """One child; raises AssertionError with its last words if something was found."""
    with tempfile.TemporaryDirectory() as folder, tempfile.NamedTemporaryFile("w+", encoding="utf-8") as words:
        pid = os.fork()
        if pid == 0:
            code = 1
            try:
                child(state, random.Random(f"interrupts {state} {seed} {number}"), folder, words.name)
                code = 0
            except BaseException:
                traceback.print_exc(file=words)
                words.flush()
            finally:
                os._exit(code)
        status = wait(pid, 120, words.name)
        if status != 0:
            words.seek(0)  # parent and child have one place in it
            raise AssertionError(f"{state}, seed {seed}, number {number}: {status}\n{words.read()[-2000:]}")


def wait(pid, seconds, pulse=None):
    """The exit code of a child; it is ended when it hangs: so long after its start, or after it last touched the file ``pulse``."""
    begun = time.time()
    while time.time() < seconds + (os.stat(pulse).st_mtime if pulse else begun):
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return "hangs"


# ---- whole programs ----
def interrupt_import(seed, number):
    """Ctrl-C while a new Python imports the package, NumPy being there already: KeyboardInterrupt ends it, whenever it comes."""
    rng = random.Random(f"import {seed} {number}")
    program = ("import numpy, ml_dtypes, signal, time; signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a job in the
               "print('ready', flush=True); import paddle; time.sleep(60)")  # background of a shell starts without it
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               env={**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)})
    process.stdout.readline()
    time.sleep(rng.uniform(0.0, 0.3))
    process.send_signal(signal.SIGINT)
    error = process.communicate(timeout=60)[1]
    assert process.returncode == -signal.SIGINT and "KeyboardInterrupt" in error, (process.returncode, error[-500:])
