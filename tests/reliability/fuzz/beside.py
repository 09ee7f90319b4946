"""The attacks on files and on saving, by public names alone: any Python that has a ``paddle`` can run them.

    python tests/reliability/fuzz/beside.py files NUMBER     # damaged files, each read by a child
    python tests/reliability/fuzz/beside.py pickles          # pickles that would run a function
    python tests/reliability/fuzz/beside.py kills NUMBER     # kill -9 while saving, of each kind
    python tests/reliability/fuzz/beside.py disks NUMBER     # disks that are full at a random byte

With this package's Python and with that of real Paddle they get the same files and the same random numbers. A line of counts each.
"""

import collections
import os
import pickle
import random
import resource
import signal
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import paddle
from paddle import static

TESTS = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TESTS))
from serialization.damage import mutate  # noqa: E402  (this file is run as a program)

FIXTURES = TESTS / "fixtures" / "paddle26"
SECONDS, PATIENCE, MEGABYTES = 20, 300, 3000  # of the processor, of the clock
ROWS, OLD, NEW = 64, 3000, 4200  # of a weight: what is there, and what is saved over it
SPEC = [static.InputSpec([None, ROWS], "float32")]


def in_child(work):
    """What comes of some work in a child: value, exception, crash or hang."""
    pid = os.fork()
    if pid == 0:
        code = 3
        try:
            null = os.open(os.devnull, os.O_RDWR)
            for stream in (0, 1, 2):
                os.dup2(null, stream)
            used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
            resource.setrlimit(resource.RLIMIT_AS, (used + (MEGABYTES << 20),) * 2)
            resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 1))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            for number in (signal.SIGSEGV, signal.SIGABRT, signal.SIGFPE, signal.SIGBUS):
                signal.signal(number, signal.SIG_DFL)
            work()
            code = 0
        except Exception:
            code = 1
        finally:
            os._exit(code)
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            return {0: "value", 1: "exception", -signal.SIGXCPU: "hang"}.get(os.waitstatus_to_exitcode(status), "crash")
        time.sleep(0.002)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return "hang"


# ---- files ----
def run_model(prefix, feed):
    layer = paddle.jit.load(prefix)
    layer.eval()
    for out in paddle.utils.flatten(layer(*[paddle.to_tensor(value) for value in feed])):
        out.numpy()


def attack_file(kind, number, folder):
    """Read a damaged state, or a model of which a file is damaged, and run it."""
    rng = random.Random(f"beside {kind} {number}")
    if kind in ("pdparams", "pdopt"):
        source = rng.choice(sorted(FIXTURES.glob(f"*.{kind}")))
        path = Path(folder, f"file{number}.{kind}")
        path.write_bytes(mutate(source.read_bytes(), rng))
        return in_child(lambda: paddle.load(str(path)))
    name = rng.choice([p.stem for p in sorted(FIXTURES.glob("*.pdmodel"))])
    prefix = os.path.join(folder, f"{name}{number}")
    for ending in ("pdmodel", "pdiparams", "pdiparams.info"):
        data = (FIXTURES / f"{name}.{ending}").read_bytes()
        Path(f"{prefix}.{ending}").write_bytes(mutate(data, rng) if ending == kind else data)
    arrays = np.load(FIXTURES / f"{name}.npz")
    feed = [arrays[key] for key in sorted(arrays.files) if key.startswith(("in_", "c0_in_"))]
    return in_child(lambda: run_model(prefix, feed))


def attack_files(number):
    for kind in ("pdparams", "pdopt", "pdmodel", "pdiparams"):
        with tempfile.TemporaryDirectory() as folder:
            yield kind, collections.Counter(attack_file(kind, n, folder) for n in range(number))


class Call:
    """Pickled as the call of a function."""

    def __init__(self, function, *args):
        self.call = function, args

    def __reduce__(self):
        return self.call


def attack_pickles():
    """Pickles that make a file when they are read as Python reads them."""
    counts = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        made = os.path.join(folder, "made")
        calls = [Call(os.mkdir, made), Call(os.system, f"mkdir {made}"), Call(eval, f"__import__('os').mkdir({made!r})"),
                 Call(exec, f"import os; os.mkdir({made!r})"), Call(os.makedirs, made)]
        for call in calls:
            for value in (call, {"weight": call}, [np.zeros(3), (call,)]):
                for protocol in range(2, 5):
                    path = os.path.join(folder, "state.pdparams")
                    with open(path, "wb") as file:
                        pickle.dump(value, file, protocol=protocol)
                    result = in_child(lambda path=path: paddle.load(path))
                    if os.path.exists(made):
                        os.rmdir(made)
                        result = "ran the code"
                    counts[result] += 1
    yield "pickles", counts


# ---- saves ----
def model_of(width):
    layer = paddle.nn.Linear(ROWS, width, weight_attr=paddle.ParamAttr(initializer=paddle.nn.initializer.Constant(float(width))))
    optimizer = paddle.optimizer.Adam(parameters=layer.parameters(), learning_rate=0.0)
    layer(paddle.ones([2, ROWS])).sum().backward()
    optimizer.step()
    return layer, optimizer


def hapi(width):
    layer, optimizer = model_of(width)
    model = paddle.Model(layer)
    model.prepare(optimizer)
    return model


def state_width(path, name="weight"):
    """The width of the weight in a file of states, which must be whole."""
    value = next(np.asarray(v) for k, v in paddle.load(path).items() if name in k and len(v.shape) == 2)
    if name == "weight" and not (value == value.shape[1]).all():
        raise ValueError("another save's numbers")
    return value.shape[1]


def model_width(prefix):
    width = state_width(prefix + ".pdparams")
    if state_width(prefix + ".pdopt", "moment1") != width:
        raise ValueError("parameters of one save beside the optimizer of another")
    return width


def jit_width(prefix):
    out = paddle.jit.load(prefix)(paddle.ones([1, ROWS])).numpy()
    if not (out == ROWS * out.shape[1]).all():
        raise ValueError("another save's numbers")
    return out.shape[1]


WAYS = {  # kind -> (save something of a width, the width that is found)
    "params": (lambda p, n: paddle.save(model_of(n)[0].state_dict(), p), state_width),
    "optimizer": (lambda p, n: paddle.save(model_of(n)[1].state_dict(), p), lambda p: state_width(p, "moment1")),
    "jit": (lambda p, n: paddle.jit.save(model_of(n)[0], p, input_spec=SPEC), jit_width),
    "Model": (lambda p, n: hapi(n).save(p), model_width),
}


def found(kind, prefix, widths):
    """Is what is there whole? In a child, because what is not may crash its reader."""
    def look():
        if WAYS[kind][1](prefix) not in widths:
            raise ValueError("another width")
    return in_child(look) == "value"


def kill_once(kind, number, folder):
    """Kill a process that saves over a good file again and again."""
    rng, prefix = random.Random(f"kills {kind} {number}"), os.path.join(folder, f"{kind}{number}")
    save = WAYS[kind][0]
    save(prefix, OLD)
    pid = os.fork()
    if pid == 0:
        try:
            while True:
                save(prefix, OLD)
        finally:
            os._exit(1)
    time.sleep(rng.uniform(0.05, 0.4))
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return "whole" if found(kind, prefix, (OLD,)) else "lost"


def fill_once(kind, number, folder):
    """Save where no file can grow beyond some size."""
    rng, prefix = random.Random(f"disks {kind} {number}"), os.path.join(folder, f"{kind}{number}")
    save = WAYS[kind][0]
    save(prefix, OLD)
    limit = int(10 ** rng.uniform(0, 6.3))

    def write():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        save(prefix, NEW)
    told = in_child(write)
    if told == "value":
        return "saved" if found(kind, prefix, (NEW,)) else "lost without a word"
    return f"{told}, {'old files whole' if found(kind, prefix, (OLD,)) else 'old files lost'}"


def attack_saves(once, number):
    for kind in WAYS:
        with tempfile.TemporaryDirectory() as folder:
            yield kind, collections.Counter(once(kind, n, folder) for n in range(number))


def main(what, number=20):
    attacks = {"files": lambda: attack_files(number), "pickles": attack_pickles,
               "kills": lambda: attack_saves(kill_once, number), "disks": lambda: attack_saves(fill_once, number)}
    for kind, counts in attacks[what]():
        print(what, kind, dict(sorted(counts.items())), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
