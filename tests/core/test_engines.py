"""What both builds of the tape's hot path promise: who holds what, how often a kernel runs, what is told of errors."""

import inspect
import signal
import subprocess
import sys
import threading
import weakref

import numpy as np
import pytest

import paddle
from paddle.core import engine as core_engine
from paddle.core import hooks
from paddle.core.context import changed, context, process
from paddle.core.facts import Facts
from paddle.core.op import BY_NAME, Op, use_native
from paddle.core.recipe import Recipe
from paddle.core.walk import Walk

pytestmark = pytest.mark.usefixtures("engine")


def declared(fn, signature="test(X) -> Out", family="same"):
    """An op that no registry knows."""
    return Op(fn, signature, family, Facts(), {}, None, None, None)


def leaf(*values):
    return paddle.to_tensor(np.array(values, "float32"), stop_gradient=False)


# ---- the call --------------------------------------------------------------------------------------------------------------
def test_arguments_are_held_while_a_kernel_runs():
    """The tensor gets another array during the call (another thread's set_value): what the tape saves is still the old one."""
    program = """
import sys, weakref
import numpy as np
import paddle
from paddle.core import engine
from paddle.core.facts import Facts
from paddle.core.op import Op

with engine.chosen(sys.argv[1]):
    x = paddle.to_tensor(np.arange(5000.0), stop_gradient=False)
    old = weakref.ref(x._data)

    def square(x_):
        result = x_ * x_
        x.replace(np.zeros(5000))
        return result
    op = Op(square, "test(X) -> Out", "same", Facts(), {}, None, None, None).grad(x_=lambda g, x_: g * x_ * 2)
    y = op(x)
    assert old() is not None and y._edge.saved[0] is old(), "what the kernel was given is gone"
    paddle.to_tensor(np.full(5000, 7.0))  # takes freed memory
    y._edge.version = x._version
    y.backward()
    assert x.grad.tolist() == (np.arange(5000.0) * 2).tolist()
"""
    build = "python" if core_engine.run_walk is None else "c"
    done = subprocess.run([sys.executable, "-c", program, build], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-500:]


def test_a_tensor_may_change_in_one_thread_while_ops_run_in_another():
    x, stop = paddle.to_tensor(np.ones(1 << 16, "float32"), stop_gradient=False), threading.Event()

    def change():
        while not stop.is_set():
            x.set_value(np.ones(1 << 16, "float32"))
    thread = threading.Thread(target=change)
    thread.start()
    try:
        for _ in range(40):
            y = paddle.nn.functional.relu(x) * x
            assert y.numpy()[0] == 1.0
    finally:
        stop.set()
        thread.join()


def test_every_call_runs_its_kernel_once():
    runs = []

    def double(x):
        runs.append(1)
        return x * 2
    op, x = declared(double).grad(x=lambda g: g * 2), leaf(1.0)
    for n in range(1, 4):
        op(x)
        assert len(runs) == n
    context.retain_all = True  # the rules of older generations
    try:
        y = op(x)
        assert len(runs) == 4
        y.backward()
        assert y.grad.tolist() == [1.0]
    finally:
        context.retain_all = False


def test_outputs_keep_their_gradients_before_hooks_change_them():
    x = paddle.ones([2, 3])
    x.stop_gradient = False
    with changed(retain_all=True):  # the rules of older generations
        kept, gone = x * 2, x * 3
        first, second = paddle.split(x, 2)
        kept.register_hook(lambda g: g * 10)
        loss = (kept + gone).sum() + (first * 5).sum()
        del gone
        loss.backward()
    assert kept.grad.tolist() == [[1.0] * 3] * 2 and first.grad.tolist() == [[5.0] * 3] and second.grad.tolist() == [[0.0] * 3]
    assert x.grad.tolist() == [[28.0] * 3, [23.0] * 3]


def test_the_first_recorded_draw_is_that_of_every_other():
    x = paddle.to_tensor(-np.ones(8, "float32"), stop_gradient=False)
    for op in BY_NAME.values():
        op.recipes.clear()
    draws = []
    for _ in range(3):
        paddle.seed(5)
        draws.append(paddle.poisson(paddle.exp(x) * 9).tolist() + paddle.nn.functional.rrelu(x, training=True).tolist())
    assert draws[0] == draws[1] == draws[2]


@pytest.mark.parametrize("kind", [ValueError, TypeError, IndexError, ZeroDivisionError])
def test_an_error_is_explained_without_a_second_run(kind):
    runs = []

    def broken(x, alpha=0.5):
        runs.append(1)
        raise kind("no good")
    wanted = ValueError if kind is ZeroDivisionError else kind
    with pytest.raises(wanted, match=r"broken\(\): no good\n\nArguments received: x=Tensor\(shape=\[1\].*alpha=0.5") as caught:
        declared(broken)(leaf(1.0))
    assert len(runs) == 1 and type(caught.value.__cause__) is kind


def test_an_error_that_names_its_function_is_left_alone():
    error = ValueError("broken(): x is too small")

    def broken(x):
        raise error
    with pytest.raises(ValueError) as caught:
        declared(broken)(leaf(1.0))
    assert caught.value is error and error.__cause__ is None


def test_a_kernel_declines_by_notimplemented_and_its_errors_are_errors():
    op = declared(lambda x: x + 1)
    op.name = "shift"
    op.kernel(native=False)(lambda k, x: NotImplemented)
    assert op(leaf(1.0)).tolist() == [2.0]

    @op.kernel(native=False)
    def broken(k, x):
        raise TypeError("a mistake in the kernel")
    with pytest.raises(TypeError, match=r"shift\(\): a mistake in the kernel"):
        op(leaf(1.0))


@pytest.mark.skipif(not paddle.kernels.built(), reason="needs the native kernels")
def test_errors_of_native_kernels_are_not_swallowed():
    class Broken:
        def unary(self, name, x, *rest):
            raise ValueError("unary(): broken")

        def prepared(self, *declared):
            return self.unary

        def __getattr__(self, name):  # any other function
            return self.unary
    try:
        use_native(Broken())
        with pytest.raises(ValueError, match=r"unary\(\): broken"):
            paddle.nn.functional.relu(leaf(1.0))
    finally:
        paddle.kernels.use(paddle.kernels.enabled())


# ---- the recipe ------------------------------------------------------------------------------------------------------------
def many(count):
    """An op of many inputs whose rules ask for the shape and dtype of every input, and for every input."""
    names = [f"x{k}" for k in range(count)]

    def total(*arrays):
        return sum(arrays)
    total.__signature__ = inspect.Signature([inspect.Parameter(n, inspect.Parameter.POSITIONAL_OR_KEYWORD) for n in names])
    op = declared(total, f"test({', '.join(n.upper() for n in names)}) -> Out")
    asked = ["out", *[f"{n}_{what}" for n in names for what in ("dtype", "shape")], *names, "g"]

    def rule(out, *values):
        values, arrays, g = values[:2 * count], values[2 * count:-1], values[-1]
        assert list(values) == [v for a in arrays for v in (a.dtype, a.shape)] and len(arrays) == count
        return g * out
    rule.__signature__ = inspect.Signature([inspect.Parameter(n, inspect.Parameter.POSITIONAL_OR_KEYWORD) for n in asked])
    return op.grad(**dict.fromkeys(names, rule))


@pytest.mark.parametrize("count", [2, 16, 24, 30])
def test_rules_may_ask_for_more_than_an_op_has_arguments(count):
    """A call in C has room for 24 arguments; its rules may ask for each of them, its shape, its dtype, and the output."""
    leaves = [leaf(float(k), 1.0) for k in range(count)]
    op = many(count)
    (op(*leaves) + op(*leaves)).sum().backward()
    wanted = [2.0 * sum(range(count)), 2.0 * count]
    assert all(x.grad.tolist() == wanted for x in leaves)


@pytest.mark.skipif(core_engine.fast is None, reason="the fields are checked in C")
def test_a_recipe_that_does_not_fit_its_op_is_refused():
    op = declared(lambda x, alpha=1.0: x)
    fields = {"active": (0,), "kept": (1,), "tensors": (), "metas": ((0, "shape"),), "saves_out": False,
              "rules": ((len, (0, 1, 2, 3)),), "needs": None, "takes_repeated": False}
    assert core_engine.RecipeBase(op, **fields).rules == fields["rules"]
    for name, value in [("active", (1,)), ("kept", (2,)), ("kept", (-1,)), ("kept", [1]), ("tensors", (1,)), ("kept", ("x",)),
                        ("metas", ((3, "shape"),)), ("metas", ((0, 1),)), ("rules", ((len, (4,)),)), ("rules", ()),
                        ("rules", ((len, 1),)), ("rules", (len,))]:
        with pytest.raises((TypeError, ValueError, SystemError)):
            core_engine.RecipeBase(op, **{**fields, name: value})
    with pytest.raises(AttributeError):
        Recipe(declared(lambda x: x).grad(x=lambda g: g), [0]).rules = ()


# ---- the walk --------------------------------------------------------------------------------------------------------------
def test_a_rule_that_frees_its_own_node_takes_nothing_away():
    """As another thread's backward over the same graph would."""
    held = []

    def first(g, x, y):
        held[0].free()
        return g * y
    op = declared(lambda x, y: x * y, "test(X, Y) -> Out").grad(x=first, y=lambda g, x: g * x)
    x, y = leaf(2.0, 3.0), leaf(5.0, 7.0)
    z = op(x * 1, y * 1)
    held.append(z._edge)
    z.backward()
    assert x.grad.tolist() == [5.0, 7.0] and y.grad.tolist() == [2.0, 3.0]


def test_two_threads_may_go_back_over_one_graph():
    """One of them may find it freed; none crashes, and no gradient is half added."""
    for _ in range(20):
        x = paddle.to_tensor(np.ones(1 << 12, "float32"), stop_gradient=False)
        y = x
        for _ in range(20):
            y = y * x
        loss, errors = y.sum(), []

        def back(loss=loss, errors=errors):
            try:
                loss.backward()
            except (RuntimeError, TypeError) as error:
                errors.append(error)
        threads = [threading.Thread(target=back) for _ in range(3)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        assert len(errors) <= 3 and all("freed" in str(e) for e in errors)
        assert x.grad is None or set(x.grad.tolist()) <= {21.0 * k for k in range(1, 4)}


def test_threads_have_tapes_of_their_own():
    results = {}

    def work(n):
        total = 0.0
        for k in range(50):
            x = leaf(float(n + k))
            with paddle.no_grad():
                assert (x * x).stop_gradient
            dx, = paddle.grad((x * x * x).sum(), x, create_graph=k % 5 == 0)
            (x * x).sum().backward()
            total += float(dx) + float(x.grad)
        results[n] = total
    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert results == {n: float(sum(3.0 * (n + k) ** 2 + 2.0 * (n + k) for k in range(50))) for n in range(8)}


class Alarm(Exception):
    pass


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs interval timers")
@pytest.mark.parametrize("way", ["calls", "backward", "grad"])
def test_a_signal_interrupts(way):
    """Ctrl-C reaches a long loop of calls and a long backward pass, and everything works afterwards."""
    def handler(number, frame):
        if not frame.f_globals["__name__"].startswith("coverage."):
            raise Alarm
        signal.setitimer(signal.ITIMER_REAL, 0.0005)  # later: the tracer's lock would stay locked for ever
    x = leaf(1.0)
    if way != "calls":
        y = x
        op = declared(lambda x: x.copy()).grad(x=lambda g: g)
        for _ in range(60000):
            y = op(y)
    before = signal.signal(signal.SIGALRM, handler)
    try:
        with pytest.raises(Alarm):
            signal.setitimer(signal.ITIMER_REAL, 0.005)
            if way == "calls":
                for _ in range(10 ** 7):
                    x * x
            elif way == "backward":
                y.backward()
            else:
                paddle.grad(y, x)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    x.clear_grad()
    (x * x).sum().backward()
    assert x.grad.tolist() == [2.0]


def test_targets_constants_and_unused_inputs():
    x, y, w = leaf(1.0, 2.0), leaf(3.0, 4.0), leaf(9.0)
    a = x * y
    parts = paddle.split(a * a, 2)
    loss = parts[0] * 2 + parts[1] * 3
    da, dpart, dx = paddle.grad(loss, [a, parts[1], x], retain_graph=True)
    assert (da.tolist(), dpart.tolist(), dx.tolist()) == ([12.0, 48.0], [3.0], [36.0, 192.0])
    assert paddle.grad(loss, [x, w], retain_graph=True, allow_unused=True, no_grad_vars=[parts[0]])[0].tolist() == [0.0, 192.0]
    assert paddle.grad(loss, [x], retain_graph=True, allow_unused=True, no_grad_vars=[a]) == [None]
    assert paddle.grad(loss, [x], retain_graph=True, no_grad_vars=[y])[0].tolist() == [36.0, 192.0]
    assert paddle.grad(loss, [w], retain_graph=True, allow_unused=True) == [None]
    with pytest.raises(ValueError, match="no output depends on input 0"):
        paddle.grad(loss, [w], retain_graph=True)
    assert x.grad is None and y.grad is None
    assert paddle.grad(loss, [loss, x])[0].tolist() == [1.0]
    with pytest.raises(RuntimeError, match="already freed"):  # rather than None for an input that was used
        paddle.grad(loss, [parts[1]], allow_unused=True)


def test_hooks_replace_gradients_on_the_way_to_a_target():
    x = leaf(1.0, 2.0)
    y = x * 3
    y.register_hook(lambda g: g * 10)
    x.register_hook(lambda g: g + 1)
    dx, dy = paddle.grad((y * y).sum(), [x, y], retain_graph=True)
    assert dy.tolist() == [60.0, 120.0] and dx.tolist() == [181.0, 361.0]
    assert x.grad is None
    (y * y).sum().backward()
    assert x.grad.tolist() == [181.0, 361.0]


def test_leaf_watchers_hear_of_a_leaf_as_soon_as_it_is_complete():
    x, w = leaf(1.0), leaf(2.0)
    y = x * w
    z = (y * w) * w
    z._edge.hooks = {0: {0: lambda g: heard.append("first")}}
    y.register_hook(lambda g: heard.append("y"))
    heard = []

    def watcher(tensor):
        heard.append("x" if tensor is x else "w")
    process.leaf_watchers.append(watcher)
    try:
        z.backward()
    finally:
        process.leaf_watchers.remove(watcher)
    assert heard[:2] == ["first", "y"] and sorted(heard[2:]) == ["w", "x"]
    assert x.grad.tolist() == [8.0] and w.grad.tolist() == [12.0]


def test_hooks_are_told_of_the_steps_of_backward():
    class Steps(hooks.OpHook):
        gradients = True
        seen = []

        def after(self, op, args, outs):
            self.seen.append(op.name)
    x = leaf(1.0)
    with Steps() as steps:
        (x * x).exp().backward()
        seen, steps.seen[:] = list(steps.seen), []
        paddle.grad((x * x).exp(), x)
    assert seen[:2] == ["multiply", "exp"] and [s for s in seen if s.endswith("_grad")] == ["exp_grad", "multiply_grad"]
    assert [s for s in steps.seen if s.endswith("_grad")] == ["exp_grad", "multiply_grad"]


@pytest.mark.parametrize("way", ["backward", "grad"])
def test_anomaly_mode_shows_the_forward_call(way):
    def broken(g):
        raise ValueError("no way back")
    op, x = declared(lambda x: x.copy()).grad(x=broken), leaf(1.0)
    before = paddle.autograd.set_detect_anomaly(True)
    try:
        y = op(x)  # the place
        with pytest.raises(RuntimeError, match=r"failed: no way back\n\nIts forward call was here:\n(.|\n)*# the place"):
            y.backward() if way == "backward" else paddle.grad(y, x)
    finally:
        paddle.autograd.set_detect_anomaly(before)
    assert op(x)._edge.where is None


def test_the_walk_frees_what_it_has_gone_through():
    x = leaf(1.0)
    y = x * 2
    held = weakref.ref(y._edge)
    loss = (y * y).sum()
    del y
    loss.backward()
    assert held() is None or held().saved is None
    del loss
    assert held() is None


def test_every_pass_is_the_build_s_own(engine, monkeypatch):
    from paddle.core import walk
    loops = []

    class Loop(walk.PythonLoop):
        def __init__(self, *args):
            loops.append(1)
            super().__init__(*args)
    monkeypatch.setattr(walk, "PythonLoop", Loop)
    x = leaf(2.0)
    (x * x).backward()
    paddle.grad(x * x, x)
    paddle.grad(x * x, x, create_graph=True)
    assert len(loops) == (0 if engine == "c" else 3)
    assert isinstance(Walk(False, False), Walk)


def test_no_memory_is_no_memory_in_a_pass_that_knows_where_calls_were_made():
    """With anomaly detection other errors of rules become RuntimeErrors that tell where the forward call was."""
    def failing(kind):
        def rule(g):
            raise kind("in the rule")
        return rule
    for kind, wanted in ((MemoryError, MemoryError), (ValueError, RuntimeError)):
        x = leaf(1.0)
        with changed(anomaly=True):
            y = declared(lambda x: x * 2).grad(x=failing(kind))(x)
        with pytest.raises(wanted, match="in the rule"):
            y.backward()
