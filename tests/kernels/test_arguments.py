"""No argument of a native function is believed: each of a good call is replaced by others, which give a result or an exception that
names the function. (What would be read or written outside an array is seen under AddressSanitizer, ``make test-asan``.)"""

import copy
import ctypes
import mmap
import os
import pathlib
import sys

import numpy as np
import pytest

import paddle
from paddle.core.op import use_native

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "ops"))
import opcase

native = pytest.importorskip("paddle._native")

SETTINGS = {"isa", "set_isa", "num_threads", "set_num_threads", "fail_allocation", "keep_freed_memory", "limit_openblas",
            "set_winograd", "keep_lines"}  # what changes the module, not arrays


class Recorder:
    """The native module, noting the first calls of every function: one for each way in which its arguments are there or not."""

    def __init__(self):
        self.calls = {}

    def __getattr__(self, name):
        function = getattr(native, name)
        if not callable(function) or name in SETTINGS:
            return function

        def noted(*args, **kwargs):
            kept = copy.deepcopy((args, kwargs)) if len(self.calls.get(name, ())) < 12 else None
            result = function(*args, **kwargs)
            if kept is not None and result is not NotImplemented:
                form = tuple(str(getattr(a, "dtype", type(a).__name__)) for a in args), tuple(kwargs)
                self.calls.setdefault(name, {}).setdefault(form, kept)
            return result
        return noted


@pytest.fixture(scope="module")
def calls():
    """{function: its calls by the records of operators, forward and backward}."""
    recorder = Recorder()
    use_native(recorder)
    try:
        for case in opcase.load_cases():
            for dtype in ("float32", "float64"):
                opcase_run(case, dtype)
    finally:
        paddle.kernels.use(True)
    return {name: list(found.values()) for name, found in recorder.calls.items()}


def opcase_run(case, dtype):
    out, leaves = case.call(case.arrays(dtype), bool(case.grad))
    roots = opcase.differentiable_outputs(out)
    if roots and leaves:
        seeds = [paddle.to_tensor(w) for w in opcase.weights(opcase.numbers(roots), 3)]
        paddle.grad(roots, leaves, seeds, allow_unused=True)


def replaced(value):
    """What may come in place of a value: nothing, other types, other shapes, other memory; numbers that are too large or small."""
    yield from (None, "text", 3, -1, 2.5, (), [1, 2, 3, 4, 5, 6, 7], {}, b"", 2**70)
    if isinstance(value, np.ndarray):
        other = np.float64 if value.dtype != np.float64 else np.float32
        with np.errstate(all="ignore"):
            yield from (x.astype(kind) for x in (value.real,) for kind in (other, np.int16))
        yield from (value.astype(value.dtype.newbyteorder()), value[None], value.reshape(-1), np.asfortranarray(value),
                    np.zeros((0,) * max(1, value.ndim), value.dtype), np.zeros((3,) * 7, value.dtype))
        if value.ndim:
            yield from (np.concatenate([value, value], -1), np.repeat(value, 2, -1)[..., ::2], value[:0], value[..., :0],
                        value[..., None], np.concatenate([value, value], 0), value[0])
        fixed = value.copy()
        fixed.flags.writeable = False
        odd = np.empty(value.nbytes + 1, np.uint8)[1:].view(value.dtype).reshape(value.shape) if value.nbytes else fixed
        yield from (fixed, odd)
    elif isinstance(value, bool):
        yield not value
    elif isinstance(value, (int, float)):
        yield from (0, value + 1, -value, 300, float("nan"), -2**31)
    elif isinstance(value, (tuple, list)):
        yield from (value[:-1], (*value, 1), *((each,) * len(value) for each in (-1, 0, 2**40, "a")))


def test_replaced_arguments(calls):
    assert len(calls) > 60
    tried, bad = 0, set()

    def attempt(name, args, kwargs):
        """Is the call taken? Exceptions of other kinds, or such that don't name the function, are errors."""
        try:
            return getattr(native, name)(*args, **kwargs) is not NotImplemented
        except MemoryError:
            pass
        except Exception as error:
            if f"{name}()" not in str(error) or not isinstance(error, (TypeError, ValueError, IndexError)):
                bad.add(f"{name}: {type(error).__name__}: {str(error)[:150]}")
        return False
    for name, forms in sorted(calls.items()):
        for args, kwargs in forms:
            assert attempt(name, copy.deepcopy(args), copy.deepcopy(kwargs)), name
            for k in range(len(args)):
                for value in replaced(args[k]):
                    others = copy.deepcopy(args)
                    attempt(name, (*others[:k], value, *others[k + 1:]), copy.deepcopy(kwargs))
                    tried += 1
                attempt(name, args[:k], {})
            for key in kwargs:
                for value in replaced(kwargs[key]):
                    attempt(name, copy.deepcopy(args), {**copy.deepcopy(kwargs), key: value})
                    tried += 1
            attempt(name, args, {**kwargs, "no_such_argument": 1})
            attempt(name, (*args, *[None] * 40), {})
    assert not bad, "\n".join(sorted(bad))
    assert tried > 5000


def guarded(value, behind):
    """Arrays copied to where the memory behind them (or before them) is forbidden; anything else as it is."""
    if isinstance(value, (list, tuple)):
        return type(value)(guarded(v, behind) for v in value)
    if not isinstance(value, np.ndarray) or not value.nbytes or value.dtype.hasobject:
        return copy.deepcopy(value)
    page, libc = mmap.PAGESIZE, ctypes.CDLL(None, use_errno=True)
    room = -(-value.nbytes // page) * page
    memory = mmap.mmap(-1, room + page)
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    forbidden = start + room if behind else start
    assert libc.mprotect(ctypes.c_void_p(forbidden), ctypes.c_size_t(page), 0) == 0
    place = np.frombuffer(memory, np.uint8, value.nbytes, room - value.nbytes if behind else page)
    place = place.view(value.dtype).reshape(value.shape)
    place[...] = value
    return place


def odd_rows():
    """Calls with rows that end within a vector of any instruction set."""
    for n in (1, 5, 9, 17, 35):
        x, labels = np.linspace(-2, 2, 3 * n, dtype=np.float32).reshape(3, n), np.array([0, n - 1, n // 2])
        for name, args in (("softmax", (x,)), ("log_softmax", (x,)), ("softmax_backward", (x, x)), ("log_softmax_backward", (x, x)),
                           ("softmax_cross_entropy", (x, labels)), ("softmax_cross_entropy_backward", (x, labels, 0.5)),
                           ("argsort", (x[0],)), ("reduce", ("sum", x, 1))):
            yield name, args, {}


@pytest.mark.skipif(sys.platform != "linux", reason="mprotect")
@pytest.mark.parametrize("behind", [True, False], ids=["behind", "before"])
@pytest.mark.parametrize("isa", ["base", "avx2", "avx512"])
def test_nothing_outside_arrays_is_read(calls, isa, behind):
    """In a child: a read or write outside ends it."""
    ours, theirs = os.pipe()
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            native.set_isa(isa)
            for name, args, kwargs in [*odd_rows(), *((name, *form) for name, forms in sorted(calls.items()) for form in forms)]:
                os.write(theirs, f" {name}".encode())
                getattr(native, name)(*guarded(args, behind), **{k: guarded(v, behind) for k, v in kwargs.items()})
            code = 0
        finally:
            os._exit(code)
    os.close(theirs)
    with open(ours, encoding="ascii") as told:
        names = told.read().split()
    assert os.waitpid(pid, 0)[1] == 0, f"ended in {names[-1]}()"
    assert set(names) >= set(calls)


def test_lists_of_operator_are_looked_at():
    """Items of other kinds gave SystemError."""
    x = np.ones(3, "float32")
    assert native.operator("relu", [("X", x, None)], {}, ["Out"])[0][0].tolist() == [1, 1, 1]
    for inputs, outputs in [([1], ["Out"]), ([("X", x)], ["Out"]), ([(1, x, None)], ["Out"]), ([("X", x, None)], [1])]:
        with pytest.raises(TypeError, match=r"operator\(\): takes"):
            native.operator("relu", inputs, {}, outputs)
