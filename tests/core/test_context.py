"""What a thread switches is its own; what Paddle keeps for the process is shared; guards change the context and nothing else."""

import contextlib
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import threading
import weakref

import numpy as np
import pytest

import paddle
import paddle.fluid as fluid
from paddle import nn
from paddle.core import engine, rules
from paddle.core.context import changed, context, process
from paddle.core.hooks import OpHook, installed
from paddle.core.rooms import rooms
from paddle.utils import unique_name

HERE = pathlib.Path(__file__).parent
SCRIPT = HERE.parents[1] / "scripts" / "record_thread_state.py"
RECORD = json.loads((HERE / "thread_state.json").read_text())
OURS_ALONE = {"static.program_guard", "static.scope_guard", "utils.unique_name.guard"}  # a guard is its thread's own here
X = np.array([[1.0, 2.0], [3.0, 4.0]], "float32")


@pytest.fixture(autouse=True)
def nothing_is_left_behind():
    def state():
        return (context.grad, context.static_mode, context.trace, context.hooks, context.guard, context.own_rules, context.main,
                context.names, context.retain_all, process.rules, process.hooks, process.listeners, process.dtype)
    before = state()
    yield
    assert state() == before


def in_thread(function):
    """What a function gives in a thread of its own; its error is raised here."""
    found = []

    def run():
        try:
            found.append((True, function()))
        except BaseException as error:  # noqa: BLE001  (raised again below)
            found.append((False, error))
    thread = threading.Thread(target=run)
    thread.start()
    thread.join(120)
    assert found, "the thread hangs"
    good, value = found[0]
    if not good:
        raise value
    return value


@contextlib.contextmanager
def held(manager):
    """While another thread is inside ``with manager():``."""
    entered, leave = threading.Event(), threading.Event()

    def run():
        with manager():
            entered.set()
            leave.wait(120)
    thread = threading.Thread(target=run)
    thread.start()
    assert entered.wait(120)
    try:
        yield
    finally:
        leave.set()
        thread.join()


# ---- against the record of the real Paddle -------------------------------------------------------------------------------
@pytest.mark.skipif(not SCRIPT.exists(), reason="the scripts are not part of a source distribution")
@pytest.mark.parametrize("name", RECORD)
def test_threads_see_what_they_see_in_paddle(name):
    spec = importlib.util.spec_from_file_location("record_thread_state", SCRIPT)
    probes = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(probes)
    assert probes.PROBES.keys() == RECORD.keys()
    assert probes.run(name) == ({"earlier": False, "later": False} if name in OURS_ALONE else RECORD[name])


# ---- what used to leak ---------------------------------------------------------------------------------------------------
def test_a_trace_is_not_seen_by_other_threads():
    entered, leave, results = threading.Event(), threading.Event(), []

    @paddle.jit.to_static
    def traced(x):
        entered.set()
        leave.wait(120)
        return x + 1

    thread = threading.Thread(target=lambda: results.append(traced(paddle.ones([2]))))
    thread.start()
    assert entered.wait(120)
    try:
        x = paddle.to_tensor([1.0, 2.0])
        made = [paddle.zeros([2]), x, paddle.arange(3), paddle.rand([2]), x.detach(), nn.Linear(2, 3)(paddle.ones([1, 2]))]
        assert all(isinstance(value, paddle.Tensor) for value in made)
        x.stop_gradient = False
        (x * x).sum().backward()
        assert x.grad.tolist() == [2.0, 4.0] and paddle.in_dynamic_mode()
    finally:
        leave.set()
        thread.join()
    assert results[0].tolist() == [2.0, 2.0]


def test_a_fluid_guard_is_not_seen_by_other_threads():
    with held(fluid.dygraph.guard):
        x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
        assert x[0].shape == [] and str(paddle.float32) == "paddle.float32" and str(x).startswith("Tensor(")
        for _ in range(2):
            (x * x).sum().backward()
        assert x.grad.tolist() == [4.0, 8.0]  # 1.x would have overwritten the first
        y = x * x
        y.backward(x)
        with pytest.raises(RuntimeError, match="already freed"):
            y.backward(x)
        assert x.name.startswith("generated_tensor") and not fluid.in_dygraph_mode()


def test_guards_and_the_profiler_end_in_any_order():
    methods = paddle.Tensor.backward, paddle.Tensor.gradient, paddle.Tensor.__getitem__, nn.Layer.__call__
    profiler = paddle.profiler.Profiler(on_trace_ready=lambda p: None)
    guard = fluid.dygraph.guard()
    guard.__enter__()
    profiler.start()
    guard.__exit__(None, None, None)
    profiler.stop()
    assert methods == (paddle.Tensor.backward, paddle.Tensor.gradient, paddle.Tensor.__getitem__, nn.Layer.__call__)
    x = paddle.to_tensor([1.0], stop_gradient=False)
    y = x * x
    y.backward()
    with pytest.raises(RuntimeError, match="already freed"):  # 1.x ignored it
        y.backward()


def test_guards_change_no_class_and_no_module():
    def everything():
        owners = [paddle.Tensor, paddle.core.tensor.Parameter, nn.Layer, nn.Linear, paddle.optimizer.SGD, paddle.dtype, paddle,
                  paddle.nn.functional, paddle.optimizer, sys.modules[__name__]]
        return [dict(vars(owner)) for owner in owners]
    paddle.enable_imperative()  # imports what it needs
    paddle.disable_imperative()
    before = everything()
    with fluid.dygraph.guard():
        assert everything() == before
    with paddle.imperative.guard():
        assert everything() == before
    with paddle.profiler.Profiler(on_trace_ready=lambda p: None):
        assert everything() == before


def test_mixed_precision_is_not_seen_by_other_threads():
    with held(lambda: paddle.amp.auto_cast(dtype="bfloat16")):
        assert (paddle.ones([2, 2]) @ paddle.ones([2, 2])).dtype == paddle.float32
        assert not installed()


def test_static_mode_is_not_seen_by_other_threads():
    def static():
        paddle.enable_static()
        return contextlib.closing(type("Leave", (), {"close": staticmethod(paddle.disable_static)}))
    with held(static):
        assert paddle.in_dynamic_mode() and isinstance(paddle.zeros([1]), paddle.Tensor)
    paddle.enable_static()
    try:
        assert not in_thread(paddle.in_dynamic_mode)  # what the main thread starts goes on in its mode
    finally:
        paddle.disable_static()


# ---- eight at once -------------------------------------------------------------------------------------------------------
ROUNDS = 6


def _traces(k):
    @paddle.jit.to_static
    def f(x):
        if x.sum() > 0:
            return x * k
        return x - k
    np.testing.assert_array_equal(f(paddle.to_tensor(X)).numpy(), X * k)
    np.testing.assert_array_equal(f(paddle.to_tensor(-X)).numpy(), -X - k)


def _static(k):
    main, startup = paddle.static.Program(), paddle.static.Program()
    paddle.enable_static()
    try:
        with paddle.static.program_guard(main, startup), paddle.static.scope_guard(paddle.static.Scope()):
            x = paddle.static.data("x", [2, 2])
            out = paddle.static.nn.fc(x, k + 1) * 0.0 + float(k)
            assert paddle.static.default_main_program() is main
            exe = paddle.static.Executor()
            exe.run(startup)
            found = exe.run(main, feed={"x": X}, fetch_list=[out])[0]
        assert sorted({op.type for op in main.global_block().ops}) and found.tolist() == [[float(k)] * (k + 1)] * 2
        assert len(main.all_parameters()) == 2
    finally:
        paddle.disable_static()


def _fluid(k):
    with fluid.dygraph.guard():
        layer = fluid.dygraph.Linear(2, 1)
        assert layer.weight.name == "linear_0.w_0"  # counters of its own
        for _ in range(2):
            loss = fluid.layers.reduce_sum(layer(fluid.dygraph.to_variable(X)))
            loss.backward()
        assert loss.shape == [1] and layer.weight.gradient().tolist() == [[4.0], [6.0]]
        assert paddle.get_generation() == "1.8"


def _mixed(k):
    a = paddle.to_tensor(X)
    with paddle.amp.auto_cast(dtype="bfloat16"):
        assert (a @ a).dtype == paddle.bfloat16
    assert (a @ a).dtype == paddle.float32


def _without_gradients(k):
    x = paddle.to_tensor(X, stop_gradient=False)
    with paddle.no_grad():
        assert (x * x).stop_gradient and not paddle.is_grad_enabled()
    (x * x).sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), 2 * X)
    assert x[0, 0].shape == []


def _alpha(k):
    with paddle.imperative.guard():
        parts = paddle.split(paddle.imperative.to_variable(X), 2, dim=1)
        assert [part.shape for part in parts] == [[2, 1], [2, 1]] and paddle.get_generation() == "2.0-alpha"
    assert [part.shape for part in paddle.split(paddle.to_tensor(X), 2, axis=1)] == [[2, 1], [2, 1]]


def test_eight_threads_at_once_see_their_own():
    if not paddle.amp.is_bfloat16_supported():
        pytest.skip("needs ml-dtypes")
    jobs, start, errors = [_traces, _static, _fluid, _mixed, _without_gradients, _alpha, _traces, _fluid], threading.Barrier(8), []

    def run(k):
        try:
            start.wait(120)
            for turn in range(ROUNDS):
                jobs[(k + turn) % 8](k)
                assert paddle.in_dynamic_mode() and paddle.is_grad_enabled() and paddle.get_generation() == "2.6"
        except BaseException as error:  # noqa: BLE001  (raised again below)
            errors.append(error)
    threads = [threading.Thread(target=run, args=(k,)) for k in range(8)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-4)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(300)
    finally:
        sys.setswitchinterval(interval)
    assert not any(thread.is_alive() for thread in threads)
    if errors:
        raise errors[0]


# ---- what is shared ------------------------------------------------------------------------------------------------------
def test_the_default_dtype_is_shared():
    paddle.set_default_dtype("float64")
    try:
        assert in_thread(lambda: paddle.to_tensor([1.5]).dtype) == paddle.float64
        in_thread(lambda: paddle.set_default_dtype("float32"))
        assert paddle.to_tensor([1.5]).dtype == paddle.float32
    finally:
        paddle.set_default_dtype("float32")


def test_names_are_drawn_from_one_set_of_counters():
    with unique_name.guard():
        assert unique_name.generate("shared_key") == "shared_key_0"
    drawn = []

    def draw():
        drawn.extend([unique_name.generate("shared_key") for _ in range(300)])
    threads = [threading.Thread(target=draw) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(drawn)) == 2400


def test_the_generator_is_shared():
    paddle.seed(3)
    expected = [paddle.rand([2]).tolist() for _ in range(2)]
    paddle.seed(3)
    assert in_thread(lambda: paddle.rand([2]).tolist()) == expected[0]
    assert paddle.rand([2]).tolist() == expected[1]


def test_a_trace_does_not_rewind_what_other_threads_draw():
    paddle.seed(3)
    expected = [paddle.rand([2]).tolist() for _ in range(2)]
    paddle.seed(3)
    entered, leave = threading.Event(), threading.Event()

    @paddle.jit.to_static
    def traced(x):
        entered.set()
        leave.wait(120)
        return x + paddle.rand([2])
    thread = threading.Thread(target=lambda: traced.get_concrete_program(paddle.ones([2])))
    thread.start()
    assert entered.wait(120)
    drawn = paddle.rand([2]).tolist()
    leave.set()
    thread.join()
    assert [drawn, paddle.rand([2]).tolist()] == expected


def test_default_programs_are_shared_outside_guards():
    assert in_thread(paddle.static.default_main_program) is paddle.static.default_main_program()


def test_hooks_are_of_one_thread_or_of_all():
    class Count(OpHook):
        def __init__(self):
            self.calls = 0

        def after(self, op, args, outs):
            self.calls += 1

    class CountAll(Count):
        everywhere = True

    with Count() as own, CountAll() as every:
        paddle.ones([2]) + 1
        seen = own.calls
        assert seen and every.calls == seen
        in_thread(lambda: paddle.ones([2]) + 1)
        assert own.calls == seen and every.calls > seen


# ---- the object itself ---------------------------------------------------------------------------------------------------
def test_a_context_goes_with_its_thread():
    class Anything:
        pass
    thing = Anything()
    known = weakref.ref(thing)

    def keep(thing):
        context.trace = thing
    thread = threading.Thread(target=keep, args=(thing,))
    thread.start()
    thread.join()
    del thing, thread
    assert known() is None and context.trace is None


def test_changed_puts_back_what_was_there():
    with pytest.raises(KeyError), changed(grad=False, names=unique_name.Counters("a")):
        assert not context.grad and unique_name.generate("b") == "ab_0"
        raise KeyError
    assert context.grad and context.names is None
    with pytest.raises(AttributeError), changed(no_such_field=1):
        pass
    if engine.fast is not None:  # C reads it as a tuple
        with pytest.raises(TypeError, match="tuple"):
            context.hooks = []


# ---- generations ---------------------------------------------------------------------------------------------------------
def test_generations_by_name():
    assert " ".join(rules.BY_NAME) == "1.4 1.5 1.6 1.7 1.8 2.0-alpha 2.0-beta 2.0 2.1 2.2 2.3 2.4 2.5 2.6 3"
    assert [r.number for r in rules.BY_NAME.values()] == list(range(15)) and paddle.get_generation() == "2.6"
    for wrong in ("1.3", "2", "2.7", "alpha", "", None, 2.6):
        with pytest.raises(ValueError, match=r"set_generation\(\): .*1\.4, 1\.5.*2\.0-alpha.*2\.6, 3"):
            paddle.set_generation(wrong)


@pytest.fixture
def choose():
    """Chooses a generation for the process, as set_generation does, until the test ends."""
    before = process.chosen, process.rules
    yield paddle.set_generation
    paddle.set_generation("2.6")  # which takes down what a generation needs
    process.chosen, process.rules = before
    rooms.choose_generation(process.chosen)


def test_a_choice_is_for_all_threads(choose):
    choose("2.4")
    assert paddle.get_generation() == in_thread(paddle.get_generation) == "2.4"
    assert paddle.to_tensor([1.0, 2.0])[0].shape == [1]
    choose("2.5")
    assert paddle.to_tensor([1.0, 2.0])[0].shape == []


def test_a_guard_goes_by_the_choice(choose):
    def rules_inside(make=lambda: None):
        with fluid.dygraph.guard():
            make()
            return paddle.get_generation()
    assert rules_inside() == "1.8"
    assert rules_inside(lambda: fluid.dygraph.Layer("scope")) == "1.5"  # as only layers of 1.4 and 1.5 are made
    assert rules_inside(lambda: fluid.dygraph.Conv2D("conv", num_channels=1, num_filters=1, filter_size=3)) == "1.4"
    choose("1.6")
    assert rules_inside() == rules_inside(lambda: fluid.dygraph.Layer("scope")) == "1.6"
    with paddle.imperative.guard():
        assert paddle.get_generation() == "2.0-alpha"
    choose("2.6")
    assert rules_inside() == "1.8"


@pytest.mark.parametrize("name, second, missing", [("1.4", 4.0, ValueError), ("1.5", 2.0, ValueError), ("1.6", 2.0, None),
                                                   ("1.8", 2.0, None)])
def test_generations_of_fluid_differ(choose, name, second, missing):
    choose(name)
    with fluid.dygraph.guard():
        x = fluid.dygraph.to_variable(np.ones([1], "float32"))
        x.stop_gradient = False
        for _ in range(2):
            (x * x).backward()
        assert x.gradient().tolist() == [second]
        other = fluid.dygraph.to_variable(np.ones([1], "float32"))
        if missing is None:
            assert other.gradient() is None
        else:
            with pytest.raises(missing, match="has no gradient"):
                other.gradient()


def test_the_environment_chooses():
    def run(name):
        program = "import paddle; print(paddle.get_generation())"
        return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                              env={**os.environ, "PADDLE_GENERATION": name}, timeout=120)
    assert run("1.5").stdout.strip() == "1.5" and run("").stdout.strip() == "2.6"
    wrong = run("1.9")
    assert wrong.returncode and "ValueError: PADDLE_GENERATION(): the generation must be one of 1.4," in wrong.stderr


def test_alpha_can_be_chosen_for_a_whole_program(choose):
    choose("2.0-alpha")
    assert paddle.reshape is paddle.reshape and paddle.sum(paddle.to_tensor(X), dim=0, keep_dim=True).shape == [1, 2]
    assert paddle.sum(paddle.to_tensor(X), axis=0).shape == [2]  # a keyword that only 2.x has
