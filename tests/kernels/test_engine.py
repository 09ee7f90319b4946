"""The library's settings: instruction set, threads, turning it all off."""

import os
import subprocess
import sys
import threading

import numpy as np
import pytest

from paddle import kernels
from paddle.core.context import process

from .engine import engine, native


def run(code, **environment):
    """Run a program in a fresh interpreter; its output."""
    environment = {**os.environ, **environment}
    result = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return result.stdout.strip()


def test_instruction_set_can_only_be_lowered():
    best = native.isa()
    try:
        assert native.set_isa("base") == native.isa() == "base"
        assert native.set_isa("avx512") == best if best == "avx512" else native.isa() != "avx512"
    finally:
        native.set_isa(best)
    with pytest.raises(ValueError, match="'base', 'avx2' or 'avx512', got 'sse9'"):
        native.set_isa("sse9")


def test_environment_chooses_isa_threads_and_kernels():
    code = ("from paddle import _native as n; from paddle.kernels import threads\n"
            "print(n.isa(), threads.get_num_threads(), n.num_threads())")
    assert run(code, PADDLE_NATIVE_ISA="base", OMP_NUM_THREADS="3") == "base 3 3"
    code = ("from paddle import kernels; from paddle.core.context import process\n"
            "print(kernels.enabled(), kernels.built(), process.native, kernels.describe())")
    assert run(code, FLAGS_use_fast_kernels="0").startswith("False True None NumPy references")
    code = "from paddle import kernels; print(kernels.allocator.keeps_freed_memory)"
    assert run(code, FLAGS_keep_freed_memory="0") == "False"


def test_kernels_can_be_turned_off_and_on():
    before = kernels.use(False)
    try:
        assert not kernels.enabled() and process.native is None
        assert kernels.use(True) is False
        assert process.native is native
    finally:
        kernels.use(before)


def test_number_of_threads():
    before = kernels.threads.get_num_threads()
    try:
        kernels.threads.set_num_threads(3)
        assert kernels.threads.get_num_threads() == native.num_threads() == 3
    finally:
        kernels.threads.set_num_threads(before)
    for wrong, error in ((0, ValueError), (-1, ValueError), ("2", TypeError), (True, TypeError)):
        with pytest.raises(error, match="set_num_threads"):
            kernels.threads.set_num_threads(wrong)


def product(size=300):
    a = np.arange(size * size, dtype=np.float32).reshape(size, size) % 7
    return native.gemm(a, a)


def test_a_forked_child_has_a_working_pool():
    with engine(threads=3):
        expected = product()
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            ok = False
            try:
                ok = np.array_equal(product(), expected)
            finally:
                os.write(writer, b"y" if ok else b"n")
                os._exit(0)
        os.close(writer)
        assert os.read(reader, 1) == b"y"
        os.close(reader)
        os.waitpid(child, 0)
        np.testing.assert_array_equal(product(), expected)


def test_python_threads_may_call_at_the_same_time():
    with engine(threads=2):
        expected, wrong = product(), []

        def work():
            for _ in range(20):
                if not np.array_equal(product(), expected):
                    wrong.append(1)

        workers = [threading.Thread(target=work) for _ in range(4)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
    assert not wrong


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="needs Linux's account of memory")
@pytest.mark.skipif("asan" in os.environ.get("LD_PRELOAD", ""), reason="AddressSanitizer keeps what was freed, to find uses of it")
def test_threads_that_end_give_their_scratch_memory_back():
    code = """
import threading
import numpy as np
from paddle import _native as native

def resident():
    return int(open("/proc/self/statm").read().split()[1])

def work():
    x, w = np.ones((1, 8, 24, 24), "f"), np.ones((8, 8, 3, 3), "f")
    native.conv2d(x, w, padding=1)
    native.gemm(np.ones((64, 64), "f"), np.ones((64, 64), "f"))

def threads(count):
    for _ in range(count):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()

native.set_num_threads(1)
threads(50)
before = resident()
threads(300)
print(resident() - before)
"""
    assert int(run(code)) < 300  # pages: less than one for each thread
