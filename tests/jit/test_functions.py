"""to_static: cache, guards, state of layers, gradients, fallback, errors."""

import copy
import importlib.util
import traceback
import warnings

import numpy as np
import pytest

import paddle
from paddle import nn
from paddle.jit import settings
from paddle.jit.dy2static.utils import Dygraph2StaticException
from paddle.static import InputSpec


def close(a, b, tolerance=1e-6):
    np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=tolerance, atol=tolerance)


def count(function):
    return sum(map(len, function.program_cache.values()))


class Net(nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc1, self.norm, self.fc2 = nn.Linear(4, 8), nn.BatchNorm1D(8), nn.Linear(8, 2)

    def forward(self, x):
        return self.fc2(nn.functional.relu(self.norm(self.fc1(x))))


def test_layer_trains_as_eagerly():
    results = []
    for translate in (False, True):
        paddle.seed(5)
        net = Net()
        if translate:
            assert paddle.jit.to_static(net) is net
        optimizer = paddle.optimizer.Adam(0.01, parameters=net.parameters())
        for k in range(5):
            x = paddle.to_tensor(np.random.RandomState(k).randn(6, 4).astype("float32"))
            loss = (net(x) ** 2).mean()
            loss.backward()
            optimizer.step()
            optimizer.clear_grad()
        results.append([float(loss), *[t.numpy().copy() for t in net.state_dict().values()]])
    for a, b in zip(*results):
        close(a, b, 2e-5)


def test_train_and_eval_are_traced_apart():
    net = paddle.jit.to_static(Net())
    x = paddle.randn([6, 4])
    net(x)
    mean = net.norm._mean.numpy().copy()
    net.eval()
    out = net(x)
    close(net.norm._mean, mean)
    paddle.jit.enable_to_static(False)
    close(out, net(x), 1e-5)
    paddle.jit.enable_to_static(True)
    assert count(net.forward) == 2


def test_input_spec_takes_any_batch_without_tracing_again():
    net = paddle.jit.to_static(Net(), input_spec=[InputSpec([None, 4])], full_graph=True)
    for n in (2, 3, 7):
        assert net(paddle.ones([n, 4])).shape == [n, 2]
    assert count(net.forward) == 1
    with pytest.raises(ValueError, match="inner sizes"):  # as in Paddle, what comes counts, not what was announced
        net(paddle.ones([2, 5]))


def test_cache_is_bound():
    from paddle.jit import static_function
    f = paddle.jit.to_static(lambda x: x * 2)
    for n in range(1, static_function.CACHE_SIZE + 10):
        assert f(paddle.ones([n])).shape == [n]
    assert count(f) == static_function.CACHE_SIZE


def test_python_arguments_belong_to_the_key():
    @paddle.jit.to_static
    def f(x, n=2, flag=True):
        return x * n if flag else x
    x = paddle.ones([2])
    close(f(x), [2, 2])
    close(f(x, 3), [3, 3])
    close(f(x, flag=False), [1, 1])
    assert count(f) == 3


@paddle.jit.to_static
def whole(x, parts, **named):
    return {"sum": x + parts[0] + parts[1]["k"], "named": named["z"] * 2, "same": x, "text": "t"}


def test_nested_arguments_and_results():
    x, y, z = (paddle.full([2], float(k)) for k in (1, 2, 3))
    out = whole(x, [y, {"k": np.ones([2], "float32")}], z=z)
    close(out["sum"], [4, 4])
    close(out["named"], [6, 6])
    assert out["same"] is x and out["text"] == "t"


def test_parameters_computed_with_each_other_keep_their_gradients():
    class Tied(nn.Layer):
        def __init__(self):
            super().__init__()
            self.w, self.v = self.create_parameter([2, 2]), self.create_parameter([2, 2])

        @paddle.jit.to_static
        def forward(self, x):
            return x @ (self.w * self.v + 1)
    net = Tied()
    x = paddle.ones([1, 2])
    net(x).sum().backward()
    close(net.w.grad, net.v.numpy())
    with paddle.no_grad():
        net.v.set_value(np.full([2, 2], 2.0, "float32"))
    close(net(x), (net.w.numpy() * 2 + 1).sum(0, keepdims=True))


class Stateful(nn.Layer):
    def __init__(self):
        super().__init__()
        self.register_buffer("seen", paddle.zeros([2]))
        self.hidden, self.factor, self.calls = None, 1.0, 0

    @paddle.jit.to_static(full_graph=True)
    def forward(self, x):
        if x.sum() > 0:
            self.seen.add_(x)
        self.hidden = x * 2 if self.hidden is None else self.hidden + x
        self.calls += 1
        return self.seen * self.factor


def test_buffers_attributes_and_python_state():
    net = Stateful()
    for k in range(1, 4):
        close(net(paddle.ones([2])), [k, k])
        close(net.seen, [k, k])
        close(net.hidden, [k + 1, k + 1])
        assert net.calls == k
    net.factor = 5.0
    close(net(-paddle.ones([2])), [15, 15])
    close(net.hidden, [3, 3])
    assert isinstance(net.seen, paddle.Tensor) and isinstance(net.hidden, paddle.Tensor)


SCALE = 2.0


def test_globals_and_closures_are_watched():
    global SCALE
    inner = 1.0

    @paddle.jit.to_static
    def f(x):
        return x * SCALE + inner
    close(f(paddle.ones([1])), [3])
    SCALE, inner = 3.0, 5.0
    close(f(paddle.ones([1])), [8])
    SCALE = 2.0


def test_tensors_from_outside_are_read_at_every_call():
    weight = paddle.to_tensor([2.0])
    held = [paddle.to_tensor([1.0])]

    @paddle.jit.to_static
    def f(x):
        return x * weight + held[0]
    close(f(paddle.ones([1])), [3])
    weight.set_value(np.array([4.0], "float32"))
    close(f(paddle.ones([1])), [5])
    held[0].set_value(np.array([10.0], "float32"))
    close(f(paddle.ones([1])), [14])


def test_random_numbers_are_fresh_and_seeded():
    f = paddle.jit.to_static(lambda x: nn.functional.dropout(x, 0.5) + paddle.rand([64]))
    x = paddle.ones([64])
    assert not np.array_equal(f(x).numpy(), f(x).numpy())
    paddle.seed(3)
    a = f(x).numpy()
    paddle.seed(3)
    close(f(x), a)


def test_gradients_of_gradients():
    def f(x):
        i = paddle.to_tensor(0)
        while i < 2:
            x = x * x
            i += 1
        if x.sum() > 0:
            x = x + x ** 2
        return x
    found = []
    for g in (f, paddle.jit.to_static(f, full_graph=True)):
        x = paddle.to_tensor([1.0, 1.5], stop_gradient=False)
        dx, = paddle.grad(g(x).sum(), x, create_graph=True)
        ddx, = paddle.grad(dx.sum(), x)
        found.append((dx.numpy(), ddx.numpy()))
    close(found[0], found[1], 1e-5)


def test_gradients_inside_and_outside():
    def f(x):
        slope, = paddle.grad((x ** 4).sum(), x, create_graph=True)
        curve, = paddle.grad(slope.sum(), x, create_graph=True)
        return (slope * curve).sum()
    found = []
    for g in (f, paddle.jit.to_static(f, full_graph=True)):
        x = paddle.to_tensor([1.0, 1.5], stop_gradient=False)
        dx, = paddle.grad(g(x), x, create_graph=True)
        ddx, = paddle.grad(dx.sum(), x)
        found.append((dx.numpy(), ddx.numpy()))
    close(found[0], found[1], 1e-5)
    close(found[0], [[240, 240 * 1.5 ** 4], [960, 960 * 1.5 ** 3]], 1e-5)  # of 48 x^5


def test_gradients_of_gradients_repeat_the_random_numbers():
    f = paddle.jit.to_static(lambda x: nn.functional.dropout(x * x, 0.5))
    x = paddle.ones([100])
    x.stop_gradient = False
    y = f(x)
    dx, = paddle.grad(y.sum(), x, create_graph=True)
    close(dx, y.numpy() * 2)


def test_outputs_without_gradient():
    @paddle.jit.to_static
    def f(x, y):
        return x * 2, y * 2, x > 0
    x = paddle.ones([2])
    x.stop_gradient = False
    a, b, c = f(x, paddle.ones([2]))
    assert not a.stop_gradient and b.stop_gradient and c.stop_gradient
    with paddle.no_grad():
        assert f(x, x)[0].stop_gradient


def test_translated_functions_call_each_other():
    @paddle.jit.to_static
    def inner(x):
        return x * 2 if x.sum() > 0 else x

    outer = paddle.jit.to_static(lambda x: inner(x) + inner(-x), full_graph=True)
    close(outer(paddle.ones([2])), [1, 1])
    assert sum(op.type == "select_input" for op in outer.main_program.global_block().ops) == 2


def test_method_of_a_plain_class_and_static_method():
    class Plain:
        def __init__(self, k):
            self.k = k

        @paddle.jit.to_static
        def run(self, x):
            return x * self.k

        @staticmethod
        @paddle.jit.to_static
        def double(x):
            return x * 2
    close(Plain(3.0).run(paddle.ones([1])), [3])
    close(Plain(4.0).run(paddle.ones([1])), [4])
    close(Plain.double(paddle.ones([1])), [2])


# ---- what can't be translated ----

def reads_value(x):
    if float(x.numpy().sum()) > 0:
        return x * 2
    return x


def test_falls_back_to_eager_with_one_warning():
    f = paddle.jit.to_static(reads_value)
    with pytest.warns(UserWarning, match=r"reads_value runs eagerly.*test_functions.py:\d+.*numpy\(\)"):
        close(f(paddle.ones([2])), [2, 2])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        close(f(-paddle.ones([2])), [-1, -1])


def reads_list(x):
    return x * len(x.tolist())


def test_full_graph_raises_at_the_users_line():
    f = paddle.jit.to_static(reads_list, full_graph=True)
    with pytest.raises(Exception, match=r"tolist\(\): the value of a tensor") as caught:
        f(paddle.ones([2]))
    frames = [(frame.filename, frame.line) for frame in traceback.extract_tb(caught.value.__traceback__)]
    assert (__file__, "return x * len(x.tolist())") in frames


def test_numpy_is_the_tensor_in_a_full_graph():
    """As in 2.6.2: the program goes on with the tensor, in conditions and in arithmetic."""
    f = paddle.jit.to_static(reads_value, full_graph=True)
    close(f(paddle.ones([2])), [2, 2])
    close(f(-paddle.ones([2])), [-1, -1])
    close(paddle.jit.to_static(lambda x: x * x.numpy()[1], full_graph=True)(paddle.to_tensor([1.0, 3.0])), [3, 9])
    close(paddle.jit.to_static(lambda x: (x + 1).item() * x, full_graph=True)(paddle.to_tensor([3.0])), [12])
    with pytest.raises(paddle.jit.errors.Untranslatable, match="item"):
        paddle.jit.to_static(lambda x: x.item(), full_graph=True)(paddle.ones([1, 1]))


def test_eval_and_train_of_a_function():
    f = paddle.jit.to_static(lambda x: x * 2)
    x = paddle.ones([2])
    x.stop_gradient = False
    assert not f(x).stop_gradient
    f.eval()
    assert f(x).stop_gradient
    f.train()
    assert not f(x).stop_gradient
    layer = paddle.jit.to_static(paddle.nn.Linear(2, 2))
    with pytest.raises(RuntimeError, match="is a method of a layer"):
        layer.forward.eval()


def either(a, b):
    while a.sum() < 3 and b.reshape([1]) < 10:
        a, b = a + 1, b + 1
    return b


def test_flags_of_two_forms_meet_in_and():
    close(paddle.jit.to_static(either, full_graph=True)(paddle.zeros([2]), paddle.ones([])), 3)


def one_branch(x):
    if x.sum() > 0:
        y = x * 2
    return y


def test_a_name_of_one_branch_is_checked_when_it_is_used():
    f = paddle.jit.to_static(one_branch, full_graph=True)
    close(f(paddle.ones([2])), [2, 2])
    with pytest.raises(AssertionError, match="'y' gets a value in only one branch.*give it a value in the other"):
        f(-paddle.ones([2]))


def some_branches(x):
    if x.mean() > 5:
        q = x + 1
    elif x.mean() > 2:
        q = x + 2
    y = x * 2
    if x.mean() > 2:
        y = y + q
    return y


@pytest.mark.parametrize("value", [1.0, 3.0, 6.0])
def test_a_name_of_some_branches(value):
    x, z = (paddle.full([2], value) for _ in range(2))
    x.stop_gradient = z.stop_gradient = False
    out, eager = paddle.jit.to_static(some_branches, full_graph=True)(x), some_branches(z)
    out.sum().backward()
    eager.sum().backward()
    close(out, eager.numpy())
    close(x.grad, z.grad.numpy())


def one_branch_gives_text(x):
    if x.sum() > 0:
        y = "text"
    else:
        y = x
    return y


def test_values_that_no_tensor_holds_say_what_to_do():
    with pytest.raises(UnboundLocalError, match="'y' depends on a tensor here: one branch gives it 'text'.*every path") as caught:
        paddle.jit.to_static(one_branch_gives_text, full_graph=True)(paddle.ones([2]))
    assert any(frame.filename == __file__ and frame.line == "return y"
               for frame in traceback.extract_tb(caught.value.__traceback__))
    assert isinstance(caught.value, Dygraph2StaticException)


def truths_of_all_kinds(x, y=None):
    if x.mean() > 0 and (x is not None and x.mean() > 1) and y:
        x = x - 1
    if x.mean() + 1 and x.mean() > 1 and x is not None or [] or y:
        x = x * 2
    if not (x[0] and (x * x)[1]):
        x = x + 1
    return x + 1 if x.mean() and "text" else x


@pytest.mark.parametrize("value", [-2.0, 0.0, 6.0])
@pytest.mark.parametrize("y", [None, 3])
def test_conditions_of_all_kinds(value, y):
    x = paddle.full([2], value)
    close(paddle.jit.to_static(truths_of_all_kinds, full_graph=True)(x, y), truths_of_all_kinds(x, y).numpy())


def test_a_condition_of_many_elements_fails_only_where_it_runs():
    @paddle.jit.to_static(full_graph=True)
    def f(x):
        if x.sum() < 0:
            if x > 0:
                x = x + 1
        return x
    close(f(paddle.ones([2])), [1, 1])
    with pytest.raises(AssertionError, match="the condition must have one element"):
        f(-paddle.ones([2]))


def test_a_name_may_mean_different_things_in_loops_that_set_it_first():
    def f(x):
        i = paddle.to_tensor(0)
        while i < 2:
            for w in (0.5, 1.5):
                x = x + w
            for w in range(paddle.to_tensor(2)):
                x = x + w * 0.1
            w = paddle.stack([x, x])
            x = w.mean(0)
            i += 1
        return x
    close(paddle.jit.to_static(f, full_graph=True)(paddle.ones([2])), f(paddle.ones([2])).numpy())

    @paddle.jit.to_static(full_graph=True)
    def g(x):
        while x.sum() < 100:
            x = paddle.stack([x, x])
        return x
    with pytest.raises(UnboundLocalError, match="'x' depends on a tensor here: it changes in a loop from"):
        g(paddle.ones([2]))


def test_a_name_of_one_branch_that_is_used_only_there():
    @paddle.jit.to_static(full_graph=True)
    def f(x):
        if x.sum() > 0:
            y = x * 2
            x = y + 1
        return x
    close(f(paddle.ones([1])), [3])


class Holder:
    def __init__(self, value):
        self.value = value

    def __array__(self, dtype=None, copy=None):
        return self.value.numpy()


@pytest.mark.parametrize("body", [
    lambda x: (x.sum() > 0 and {"a": x}) or x,
    lambda x: x if x.sum() > 0 else None,
    lambda x: x if x.sum() > 0 else x.astype("int64"),
    lambda x: "yes" if x.sum() > 0 else "no",
    lambda x: x.tolist(),
    lambda x: Holder(x * 2),
    lambda x: np.exp(np.asarray(x)),
])
def test_what_no_tensor_can_hold_falls_back(body):
    f = paddle.jit.to_static(body)
    for k in (1.0, -1.0):
        x = paddle.full([2], k)
        expected = body(x)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            got = f(x)
        assert type(got) is type(expected)
        assert np.array_equal(np.asarray(got), np.asarray(expected))


def test_eager_errors_stay_what_they_are():
    f = paddle.jit.to_static(lambda x: paddle.matmul(x, paddle.ones([5, 5])))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(ValueError, match="inner sizes"):
            f(paddle.ones([2, 3]))


def test_error_while_the_program_runs_names_the_users_line():
    def f(x, i):
        return x[i] + paddle.reshape(x, [2, -1]).sum()
    g = paddle.jit.to_static(f, input_spec=[InputSpec([None]), InputSpec([], "int64")])
    with pytest.raises(ValueError, match=r"test_functions.py:\d+"):
        g(paddle.ones([3]), paddle.to_tensor(0))


def test_layers_are_as_before_when_tracing_fails():
    class Failing(nn.Layer):
        def __init__(self):
            super().__init__()
            self.count, self.register = 0, None
            self.register_buffer("total", paddle.zeros([1]))

        def forward(self, x):
            self.count += 1
            self.total = self.total + 1
            return x * float(x.numpy()[0])
    net = paddle.jit.to_static(Failing())
    with pytest.warns(UserWarning, match="runs eagerly"):
        close(net(paddle.to_tensor([2.0])), [4])
    assert net.count == 1
    close(net.total, [1])


def test_not_to_static_and_ignored_modules():
    seen = []

    @paddle.jit.not_to_static
    def helper(x):
        seen.append(type(x).__name__)
        return x + 1

    @paddle.jit.to_static
    def f(x):
        return helper(x) * 2
    close(f(paddle.ones([1])), [4])
    close(f(paddle.ones([1])), [4])
    assert seen == ["Variable"]


def test_functions_of_ignored_modules_are_left_alone(tmp_path):
    path = tmp_path / "left_alone.py"
    path.write_text("def positive(x):\n    return x.sum() > 0 and True\n")
    spec = importlib.util.spec_from_file_location("left_alone", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    def f(x):
        return module.positive(x)
    assert bool(paddle.jit.to_static(f, full_graph=True)(paddle.ones([1])))
    paddle.jit.ignore_module(module)
    try:
        with pytest.raises(TypeError, match="bool"):
            paddle.jit.to_static(f, full_graph=True)(paddle.ones([1]))
    finally:
        settings.ignored_modules.remove(module)


def test_programs_for_given_arguments():
    @paddle.jit.to_static
    def f(x, scale):
        return x * scale
    concrete, runner = f.get_concrete_program(InputSpec([None, 2], name="inp"), 3.0)
    assert [v.shape for v in concrete.inputs] == [(-1, 2)] and concrete.outputs[0].shape == (-1, 2)
    close(runner([paddle.ones([3, 2])])[0], np.full([3, 2], 3.0))
    assert f.concrete_program is concrete and f.main_program is concrete.program
    with pytest.raises(ValueError, match="needs a value for 'scale'"):
        f.concrete_program_specify_input_spec([InputSpec([2])])
    assert f.rollback() is f.dygraph_function


def test_looking_inside():
    @paddle.jit.to_static(input_spec=[InputSpec([None, 2], name="inp")])
    def f(x):
        if x.sum() > 0:
            x = x * 2
        return x
    assert [v.name for v in f.inputs] == ["inp"]
    assert f.concrete_program.main_program is f.main_program
    assert "if_" in f.code and "def f(x)" in f.code
    assert "conditional_block" in [op.type for op in f.main_program.global_block().ops]
    assert f.rollback()(paddle.ones([1, 2])).tolist() == [[2, 2]]
    net = paddle.jit.to_static(Net())
    net.forward.rollback()
    assert not isinstance(net.forward, paddle.jit.StaticFunction)


def test_code_is_printed(capsys):
    def to_be_printed(x):
        return x if x.sum() > 0 else -x
    paddle.jit.set_code_level(100, also_to_stdout=True)
    try:
        paddle.jit.to_static(to_be_printed)(paddle.ones([1]))
    finally:
        paddle.jit.set_code_level(0)
    assert "__jit__.choose" in capsys.readouterr().out


def test_programs_are_printed_and_passes_turned_off(capsys):
    paddle.jit.set_verbosity(1, also_to_stdout=True)
    strategy = paddle.static.BuildStrategy()
    strategy.enable_auto_fusion = False
    try:
        f = paddle.jit.to_static(lambda x: paddle.tanh(x * 2 + 1) * 3, build_strategy=strategy)
        close(f(paddle.zeros([64])), np.full([64], np.tanh(1.0) * 3), 1e-6)
    finally:
        paddle.jit.set_verbosity(0)
    assert "tanh" in capsys.readouterr().out
    plan = f.program_cache.last()[1][1].plan
    assert "chain" not in [node.type for node in plan.nodes]


def test_bad_arguments():
    with pytest.raises(TypeError, match="function must be"):
        paddle.jit.to_static(3)
    with pytest.raises(TypeError, match="unknown argument"):
        paddle.jit.to_static(lambda x: x, nonsense=1)
    with pytest.raises(TypeError, match="input_spec"):
        paddle.jit.to_static(lambda x: x, input_spec=3)
    with pytest.raises(TypeError, match="enable_to_static"):
        paddle.jit.enable_to_static(1)


def test_assert_raises_what_python_raises():
    def f(x):
        assert x.sum() > 0, f"sum of {len(x)} numbers"
        assert x.max() > 1
        return x
    g = paddle.jit.to_static(f, full_graph=True)
    close(g(paddle.full([2], 2.0)), [2, 2])
    with pytest.raises(AssertionError, match=r"sum of 2 numbers \(at .*test_functions.py:\d+\)"):
        g(-paddle.ones([2]))
    with pytest.raises(AssertionError, match="the condition is false"):
        g(paddle.ones([2]))


def test_programs_with_hooks_are_saved_not_asked_for():
    static = paddle.jit.to_static(lambda x: x + 1, input_spec=[paddle.static.InputSpec([None, 2])])
    assert static.concrete_program_specify_input_spec() is static.concrete_program
    with pytest.raises(NotImplementedError, match="with_hook"):
        static.concrete_program_specify_input_spec(with_hook=True)


def test_the_environment_decides_whether_untranslatable_code_may_run_eagerly():
    from paddle.jit.api import sot_mode_guard
    from paddle.jit.sot.opcode_translator.executor.executor_cache import OpcodeExecutorCache

    def reads_its_source(x):
        return x * 2 if float(x.numpy()) else x

    with sot_mode_guard(False):
        strict = paddle.jit.to_static(reads_its_source)
    with sot_mode_guard(True):
        lenient = paddle.jit.to_static(reads_its_source)
    assert strict.full_graph and not lenient.full_graph
    twice = paddle.jit.to_static(lambda x: x * 2)
    assert twice(paddle.ones([2])).tolist() == [2.0, 2.0] and twice._own.entries
    OpcodeExecutorCache().clear()
    assert not twice._own.entries and twice(paddle.ones([2])).tolist() == [2.0, 2.0]


def test_a_copy_of_a_function_is_the_function_as_written():
    f = paddle.jit.to_static(reads_list)
    assert copy.deepcopy(f) is reads_list


@pytest.mark.parametrize("part", [slice(1, None), slice(-2, None), slice(0, 10), slice(1, -1), slice(5, 9), slice(None, None)])
def test_a_slice_of_a_list_whose_length_a_tensor_decides(part):
    def f(x, n):
        members = []
        for k in range(n):
            members.append(x * (k + 1))
        return members[part], members
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    for n in (2, 4):
        found, whole = paddle.jit.to_static(f, full_graph=True)(x, paddle.to_tensor(n))
        expected = [np.array([1.0, 2.0]) * (k + 1) for k in range(n)]
        assert [t.numpy().tolist() for t in whole] == [a.tolist() for a in expected]
        assert [t.numpy().tolist() for t in found] == [a.tolist() for a in expected[part]]
        if found:
            dx, = paddle.grad(sum(found).sum(), x)
            close(dx, [sum(range(n + 1)[1:][part])] * 2)


def arrays_of_its_own(x):
    i = paddle.zeros([1], "int64")
    array = paddle.tensor.array_write(x, i)
    paddle.tensor.array_write(x * 2, i + 1, array)
    total = paddle.zeros_like(x)
    for member in array:
        total = total + member
    return total + array[1], len(array)


def test_an_array_has_its_members_not_their_rows():
    """Length, items and iteration of what array_write made: its Variable has the shape of the members."""
    x = paddle.ones([5, 3])
    total, length = paddle.jit.to_static(arrays_of_its_own, full_graph=True)(x)
    close(total, arrays_of_its_own(x)[0])
    assert int(length) == 2
    with paddle.static.program_guard(paddle.static.Program()):
        paddle.enable_static()
        try:
            array = paddle.tensor.array_write(paddle.static.data("x", [5, 3]), paddle.zeros([1], "int64"))
            assert array[paddle.zeros([1], "int64")].shape == (5, 3)
            with pytest.raises(TypeError, match="array_length"):
                len(array)
        finally:
            paddle.disable_static()


def test_a_tensor_made_to_receive_gradients_stays_so():
    def made(x):
        leaf = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
        return leaf, paddle.to_tensor([1.0, 2.0]), x * 2
    for x in (paddle.ones([2]), paddle.to_tensor([1.0, 1.0], stop_gradient=False)):
        results = paddle.jit.to_static(made, full_graph=True)(x)
        assert [t.stop_gradient for t in results] == [t.stop_gradient for t in made(x)] == [False, True, x.stop_gradient]


def test_the_cache_gives_the_program_that_was_used_last():
    f = paddle.jit.to_static(lambda x, c=1: x + c)
    x, wide = paddle.ones([2]), paddle.ones([2, 3])
    f(x)
    first = f.program_cache.last()
    f(wide), f(x, c=4)
    assert f.program_cache.last() != first and len(f.program_cache) == 3
    f(x)
    assert f.program_cache.last() == first and f.concrete_program is first[1][0]


def test_whole_programs_do_not_become_part_of_others():
    whole, part = (paddle.jit.to_static(lambda x: x * 2, full_graph=full) for full in (True, False))
    paddle.enable_static()
    try:
        with paddle.static.program_guard(paddle.static.Program()):
            x = paddle.static.data("x", [2])
            assert part(x).shape == (2,)
            with pytest.raises(RuntimeError, match="disable_static"):
                whole(x)
    finally:
        paddle.disable_static()


def test_a_translated_function_takes_another_spec():
    class Net(paddle.nn.Layer):
        @paddle.jit.to_static(input_spec=[paddle.static.InputSpec([-1, 4], name="x")])
        def twice(self, x):
            return x * 2
    net = Net()
    again = paddle.jit.to_static(net.twice, input_spec=[paddle.static.InputSpec([3], name="y")])
    shapes = [[(v.name, v.shape) for v in f.concrete_program.inputs] for f in (net.twice, again)]
    assert shapes == [[("x", (-1, 4))], [("y", (3,))]] and again(paddle.ones([3])).tolist() == [2.0, 2.0, 2.0]


def test_code_for_a_compiler_may_fall_back():
    def shape_from_values(x):
        return paddle.to_tensor(np.ones(x.numpy()))
    strategy = paddle.static.BuildStrategy()
    x = paddle.to_tensor([2])
    with pytest.raises(TypeError):
        paddle.jit.to_static(shape_from_values, build_strategy=strategy, full_graph=True)(x)
    strategy.build_cinn_pass = True
    f = paddle.jit.to_static(shape_from_values, build_strategy=strategy, full_graph=True)
    with pytest.warns(UserWarning, match="runs eagerly"):
        assert f(x).tolist() == [1.0, 1.0]
    with pytest.raises(RuntimeError, match="runs eagerly"):
        f.main_program  # noqa: B018


def test_whole_tensors_are_cast_where_everything_is_a_program():
    def casts(x):
        return int(x), bool(x), float(x)
    f = paddle.jit.to_static(casts, full_graph=True)
    x = np.array([[-1.5, 0.0, 2.7]], "float32")
    found = [v.numpy() for v in f(paddle.to_tensor(x))]
    for value, kind in zip(found, ("int64", "bool", "float32")):
        np.testing.assert_array_equal(value, x.astype(kind), strict=True)
    with pytest.raises(TypeError, match="one-element"), pytest.warns(UserWarning, match="runs eagerly"):
        paddle.jit.to_static(casts, full_graph=False)(paddle.to_tensor(x))


@pytest.mark.parametrize("start", [1.0, 20.0])
def test_a_number_becomes_a_tensor_of_one_element_in_a_loop(start):
    class Box:
        def __init__(self):
            self.a, self.c = 3, 5

    def by_name(i):
        total = 0
        while i < 10:
            total = total + i * paddle.ones([1, 1])
            i = i + 4
        return total + 1

    def by_attribute(i):
        box = Box()
        while i < 10:
            box.c = paddle.zeros([1]) + box.a
            i += 1
            if box.c > 6:
                break
        return box.c * 2
    for function in (by_name, by_attribute):
        x = paddle.to_tensor(start)
        np.testing.assert_array_equal(np.ravel(paddle.jit.to_static(function, full_graph=True)(x)), np.ravel(function(x)))


@pytest.mark.parametrize("start", [0.0, 3.0])
def test_operands_behind_one_that_decides_are_not_evaluated(start):
    def asked(x, a=None):
        return x - 1 if x > 1 or a is None or a > 1 else x + 1

    def given(x, a=None):
        chosen = x > 1 and a is not None and a[0]
        return x * 2 if a is None else chosen
    for function in (asked, given):
        x = paddle.to_tensor(start)
        assert float(paddle.jit.to_static(function, full_graph=True)(x)) == float(function(x))
