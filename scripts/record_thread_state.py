"""What one thread changes and another one sees: the table of docs/engine.md, recorded in tests/core/thread_state.json.

Run it with a Python that has the real Paddle 2.6.2: ``python scripts/record_thread_state.py > tests/core/thread_state.json``.
tests/core/test_context.py runs the same probes on this package and compares. Each probe changes something in one thread and
looks at it from a thread that was there before the change ("earlier") and from one that is started after it ("later").
"""

import contextlib
import json
import queue
import subprocess
import sys
import threading

import paddle
from paddle.utils import unique_name

MAIN, SCOPE = paddle.static.Program(), paddle.static.Scope()
SEEDED = []  # what the seeded stream gives next
ENTERED, LEAVE = threading.Event(), threading.Event()


class Worker:
    """A thread that answers questions: functions to call in it."""

    def __init__(self):
        self.questions, self.answers = queue.Queue(), queue.Queue()
        self.thread = threading.Thread(target=self._answer, daemon=True)
        self.thread.start()

    def _answer(self):
        for question in iter(self.questions.get, None):
            self.answers.put(question())

    def ask(self, question):
        self.questions.put(question)
        return self.answers.get(timeout=120)

    def end(self):
        self.questions.put(None)
        self.thread.join()


@contextlib.contextmanager
def called(on, off):
    on()
    try:
        yield
    finally:
        off()


def waits(x):
    ENTERED.set()
    LEAVE.wait(100)
    return x + 1


@contextlib.contextmanager
def traced():
    """While another thread is in the middle of tracing a function."""
    ENTERED.clear()
    LEAVE.clear()
    function = paddle.jit.to_static(waits, full_graph=True)
    worker = threading.Thread(target=lambda: (paddle.disable_static(), function(paddle.ones([2]))))
    worker.start()
    if not ENTERED.wait(100):
        raise RuntimeError("the function was not traced")
    try:
        yield
    finally:
        LEAVE.set()
        worker.join()


@contextlib.contextmanager
def seeded():
    paddle.seed(7)
    SEEDED[:] = [paddle.rand([4]).tolist() for _ in range(2)]
    paddle.seed(7)
    yield


@contextlib.contextmanager
def static_worker():
    """While another thread is in static mode."""
    worker = Worker()
    worker.ask(paddle.enable_static)
    try:
        yield
    finally:
        worker.ask(paddle.disable_static)
        worker.end()


def set_flag(value):
    paddle.set_flags({"FLAGS_check_nan_inf": value})


def set_dtype(name):
    return lambda: paddle.set_default_dtype(name)


def product_type():
    return str(paddle.matmul(paddle.ones([2, 2]), paddle.ones([2, 2])).dtype)


# name: (context manager that changes it, what to look at, must the thread be in dynamic mode for that?)
PROBES = {
    "no_grad": (paddle.no_grad, lambda: not paddle.is_grad_enabled(), True),
    "set_grad_enabled": (lambda: paddle.set_grad_enabled(False), lambda: not paddle.is_grad_enabled(), True),
    "amp.auto_cast": (lambda: paddle.amp.auto_cast(dtype="bfloat16"), lambda: "bfloat16" in product_type(), True),
    "jit.to_static, while it traces": (traced, lambda: not isinstance(paddle.zeros([1]), paddle.Tensor), True),
    "enable_static in the main thread": (lambda: called(paddle.enable_static, paddle.disable_static),
                                         lambda: not paddle.in_dynamic_mode(), False),
    "enable_static in another thread": (static_worker, lambda: not paddle.in_dynamic_mode(), False),
    "static.program_guard": (lambda: paddle.static.program_guard(MAIN), lambda: paddle.static.default_main_program() is MAIN,
                             False),
    "static.scope_guard": (lambda: paddle.static.scope_guard(SCOPE), lambda: paddle.static.global_scope() is SCOPE, False),
    "utils.unique_name.guard": (lambda: unique_name.guard("inner_"), lambda: unique_name.generate("probe").startswith("inner_"),
                                False),
    "set_default_dtype": (lambda: called(set_dtype("float64"), set_dtype("float32")),
                          lambda: paddle.get_default_dtype() == "float64", False),
    "set_flags": (lambda: called(lambda: set_flag(True), lambda: set_flag(False)),
                  lambda: bool(paddle.get_flags("FLAGS_check_nan_inf")["FLAGS_check_nan_inf"]), False),
    "seed": (seeded, lambda: paddle.rand([4]).tolist() in SEEDED, True),
}


def in_dynamic_mode(look):
    return lambda: (paddle.disable_static(), look())[1]


def run(name):
    """{"earlier": does a thread see it that was there before?, "later": does one that is started after?}"""
    change, look, dynamic = PROBES[name]
    look = in_dynamic_mode(look) if dynamic else look
    earlier = Worker()
    earlier.ask(look)
    with change():
        later = Worker()
        found = {"earlier": earlier.ask(look), "later": later.ask(look)}
    earlier.end()
    later.end()
    return found


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(run(sys.argv[1])))
    else:  # a process for each: what one leaves behind must not be seen by the next
        print(json.dumps({name: json.loads(subprocess.run([sys.executable, __file__, name], check=True, text=True,
                                                          stdout=subprocess.PIPE).stdout) for name in PROBES}, indent=1))
