"""Calls of public functions with awkward arguments, made in forked children with limits on time and memory.

A case is plain data (``{"function": "paddle.nn.functional.relu", "args": [...], "kwargs": {...}}``; a Tensor is
``{"tensor": shape, "dtype": ..., "fill": ..., "grad": ...}``), so that what was found can be kept as a line of corpus.jsonl.
``"mode": "static"`` builds a Program of the call and runs it; ``"mode": "layer"`` makes a layer and gives it ``"input"``.
"""

import faulthandler
import importlib
import inspect
import json
import os
import random
import re
import resource
import select
import signal
import warnings
from dataclasses import dataclass, field

import numpy as np

import paddle
from paddle.core import addresses

PLACES = ("paddle", "paddle.nn.functional", "paddle.linalg", "paddle.fft", "paddle.signal", "paddle.vision.ops", "paddle.geometric",
          "paddle.incubate", "paddle.incubate.nn.functional", "paddle.metric", "paddle.text", "paddle.sparse", "paddle.nn.utils")
# Functions that change the process, use files or the network, or take no values.
LEFT_OUT = {"save", "load", "enable_static", "disable_static", "enable_imperative", "disable_imperative", "set_device",
            "summary", "flops", "batch", "set_printoptions", "disable_signal_handler", "enable_dygraph", "disable_dygraph",
            "set_flags", "set_default_dtype", "set_grad_enabled", "set_cuda_rng_state", "set_rng_state", "run_check",
            "in_dynamic_mode", "read_file", "decode_jpeg", "monkey_patch_math_tensor", "monkey_patch_variable", "grad",
            "seed", "manual_seed", "export", "create_parameter", "set_num_threads", "set_default_device", "check_shape",
            "from_dlpack", "enable_compat", "use_generation", "set_generation"}
UNTOUCHED = ("name", "niter")  # parameters left at their default: names, and numbers of rounds, which may well take for ever
CLEAN = (ValueError, TypeError, IndexError, NotImplementedError, MemoryError, OverflowError, RuntimeError, KeyError)
SECONDS, MEGABYTES, BATCH = 20, 3000, 100  # seconds of the processor; six times as many of the clock, for what only waits


def functions():
    """name -> function, of all that are attacked."""
    found = {}
    for place in PLACES:
        module = importlib.import_module(place)
        elsewhere = addresses.table().get(place, ())  # there once a program has asked for them, so that they would depend on it
        for name in vars(module).get("__all__") or dir(module):
            value = getattr(module, name, None)
            if inspect.isfunction(value) and name not in LEFT_OUT and name not in elsewhere and not name.startswith("_"):
                found.setdefault(value, f"{place}.{name}")
    return {name: function for function, name in sorted(found.items(), key=lambda pair: pair[1])}


def layers():
    """name -> class, of all layers."""
    return {f"paddle.nn.{name}": value for name, value in sorted(vars(paddle.nn).items())
            if inspect.isclass(value) and issubclass(value, paddle.nn.Layer) and value is not paddle.nn.Layer}


# ---- cases ----
SHAPES = ([], [0], [1], [3], [2, 3], [3, 3], [0, 3], [2, 0, 3], [2, 3, 4], [1, 1, 5, 5], [2, 3, 4, 4], [1, 2, 3, 3, 3],
          [2, 2, 2, 2, 2, 2])
DTYPES = ("float32", "float32", "float32", "float64", "int64", "int32", "bool", "float16", "bfloat16", "complex64", "uint8", "int8")
FILLS = ("normal", "normal", "ones", "zeros", "nan", "inf", "large", "negative", "indices")
SCALARS = (0, 1, -1, 2, 3, -2, 7, 2**31, -2**31, 2**40, 2**63, -2**63, 0.0, 0.5, -1.5, 1e30, 1e-30, float("inf"), float("nan"),
           True, False, None, "", "x", "float32", "mean", "sum", "none",
           "same", "NCHW", "NHWC", "constant", "reflect", "max")
LISTS = ([], [0], [1, 1], [2, 3], [-1], [0, 1], [1, 0], [-1, -1], [3, 3], [2**40], [0, 0], [1, 2, 3], [0.5, 2.0], ["a"],
         [None], [1, 1, 1, 1])


def make_tensor(rng):
    return {"tensor": rng.choice(SHAPES), "dtype": rng.choice(DTYPES), "fill": rng.choice(FILLS), "grad": rng.random() < 0.3}


def make_value(rng, parameter):
    """A value for a parameter: often one of the kind that its name asks for, often not."""
    chance = rng.random()
    if parameter.default is inspect.Parameter.empty and chance < 0.75 or chance < 0.15:
        return make_tensor(rng)
    if chance < 0.85:
        return rng.choice(SCALARS)
    if chance < 0.95:
        return rng.choice(LISTS)
    return [make_tensor(rng) for _ in range(rng.randrange(1, 4))]


def make_case(table, seed, number, mode="eager"):
    """The case with a number: always the same one for a seed and a set of functions."""
    rng = random.Random(f"calls {seed} {number}" if mode == "eager" else f"{mode} {seed} {number}")
    name = rng.choice(list(table))
    args, kwargs = [], {}
    for parameter in inspect.signature(table[name]).parameters.values():
        if parameter.kind is parameter.VAR_POSITIONAL:
            args += [make_value(rng, parameter) for _ in range(rng.randrange(3))]
        elif parameter.kind is parameter.POSITIONAL_OR_KEYWORD and parameter.default is parameter.empty:
            args.append(make_value(rng, parameter))
        elif parameter.kind is not parameter.VAR_KEYWORD and parameter.name not in UNTOUCHED and rng.random() < 0.3:
            kwargs[parameter.name] = make_value(rng, parameter)
    case = {"function": name, "args": args, "kwargs": kwargs}
    if mode != "eager":
        case["mode"] = mode
    if mode == "layer":
        case["args"] = [v if isinstance(v, dict) or rng.random() < 0.2 else rng.randrange(1, 5) for v in args]
        case["input"] = make_tensor(rng)
    return case


def build(value, make):
    """The argument that a piece of a case stands for; ``make`` makes a tensor of a piece that describes one."""
    if isinstance(value, list):
        return [build(v, make) for v in value]
    return make(value) if isinstance(value, dict) else value


def array_of(value):
    """The values of the tensor that a piece of a case describes, as float32."""
    shape, random_numbers = value["tensor"], np.random.RandomState(3)
    array = {"normal": lambda: random_numbers.randn(*shape), "ones": lambda: np.ones(shape), "zeros": lambda: np.zeros(shape),
             "nan": lambda: np.full(shape, np.nan), "inf": lambda: np.full(shape, np.inf), "large": lambda: np.full(shape, 1e30),
             "negative": lambda: np.full(shape, -3.0),
             "indices": lambda: np.arange(int(np.prod(shape))).reshape(shape) % 3}[value["fill"]]()
    return np.asarray(array).astype("float32")


def tensor_of(value):
    """The tensor that a piece of a case describes."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tensor = paddle.to_tensor(array_of(value)).astype(value["dtype"])
    tensor.stop_gradient = not (value["grad"] and value["dtype"].startswith(("float", "bfloat", "complex")))
    return tensor


def find(name):
    place, _, last = name.rpartition(".")
    return getattr(importlib.import_module(place), last)


def tensors_of(value):
    if isinstance(value, (list, tuple)):
        return [t for v in value for t in tensors_of(v)]
    return [value] if isinstance(value, paddle.Tensor) else []


def called(function, case, make):
    return function(*build(case["args"], make), **{k: build(v, make) for k, v in case["kwargs"].items()})


def run_eager(function, case):
    """Call, read the values, and go backwards from the first that has a gradient."""
    result = called(function, case, tensor_of)
    if case.get("mode") == "layer":
        result = result(tensor_of(case["input"]))
    for tensor in tensors_of(result):
        tensor.numpy()
        if not tensor.stop_gradient and tensor.is_floating_point():
            tensor.sum().backward()
            break


def run_static(function, case):
    """The same call in a Program, built and run."""
    feed = {}

    def make(value):
        name = f"x{len(feed)}"
        feed[name] = array_of(value)
        variable = paddle.static.data(name, value["tensor"], "float32").astype(value["dtype"])
        variable.stop_gradient = not value["grad"]
        return variable

    paddle.enable_static()
    try:
        main, startup = paddle.static.Program(), paddle.static.Program()
        with paddle.static.program_guard(main, startup), paddle.static.scope_guard(paddle.static.Scope()):
            result = called(function, case, make)
            fetch = [v for v in (result if isinstance(result, (list, tuple)) else [result])
                     if isinstance(v, paddle.static.Variable)]
            executor = paddle.static.Executor()
            executor.run(startup)
            executor.run(main, feed=feed, fetch_list=fetch)
    finally:
        paddle.disable_static()


def outcome(case):
    """(kind, text): value, refused, unnamed (an exception without the function's name), or unclean."""
    function, name = find(case["function"]), case["function"].rpartition(".")[2]
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            (run_static if case.get("mode") == "static" else run_eager)(function, case)
        return "value", ""
    except Exception as error:
        text = f"{type(error).__name__}: {error}"
        meant = isinstance(error, ZeroDivisionError) and name in str(error)  # which Paddle raises for celu(alpha=0)
        if not isinstance(error, CLEAN) and not meant or isinstance(error, RecursionError):
            return "unclean", text
        names = (name.rstrip("_"), function.__name__)  # what was called, and what a second name of a function stands for
        said = "\n".join([str(error), *getattr(error, "__notes__", ())])  # a layer's call adds a note
        if case.get("mode") == "layer" and re.match(r"(?!float|int|index|bool)[\w.]+\(\)", str(error)):
            return "refused", text  # by the function that the layer calls
        return ("refused" if isinstance(error, MemoryError) or any(n in said for n in names) else "unnamed"), text


# ---- children ----
@dataclass
class Tally:
    """What came of the cases."""

    counts: dict = field(default_factory=dict)
    found: list = field(default_factory=list)  # (kind, text, case) of all but values and refusals

    def add(self, kind, text, case):
        self.counts[kind] = self.counts.get(kind, 0) + 1
        if kind not in ("value", "refused"):
            self.found.append((kind, text, case))


def child(cases, pipe):
    """Make the calls, and write a line before and after each."""
    faulthandler.disable()  # a crash is told by the status of the child
    limit = MEGABYTES << 20
    used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize() if os.path.exists("/proc/self/statm") else 0
    resource.setrlimit(resource.RLIMIT_AS, (used + limit, used + limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(null, stream)
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    for case in cases:
        os.write(pipe, b"\n")
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        kind, text = outcome(case)
        os.write(pipe, json.dumps([kind, text[:300]]).encode())


def run_batch(cases, tally):
    """Run cases in one child; returns how many it got through (all, or up to the one that ended it)."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            os.close(reader)
            child(cases, writer)
            code = 0
        finally:
            os._exit(code)
    os.close(writer)
    data, hung = b"", False
    while True:
        if not select.select([reader], [], [], 6 * SECONDS)[0]:
            hung = True
            os.kill(pid, signal.SIGKILL)
            break
        part = os.read(reader, 65536)
        if not part:
            break
        data += part
    os.close(reader)
    status = os.waitpid(pid, 0)[1]
    hung = hung or os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGPROF
    lines = data.split(b"\n")[1:]
    for case, line in zip(cases, lines):
        if line:
            tally.add(*json.loads(line), case)
        else:
            tally.add("hang" if hung else "crash", f"status {status}", case)
    return max(1, len(lines))


def attack(cases, tally=None):
    """Run all cases, in as many children as it takes."""
    tally = tally or Tally()
    cases = list(cases)
    while cases:
        del cases[:run_batch(cases[:BATCH], tally)]
    return tally
