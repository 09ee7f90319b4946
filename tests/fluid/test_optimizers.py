"""Optimizers that only 1.x had, against what 2.6.2's operators compute (legacy.json), in guards and in static programs; what
wraps training; decays of static programs."""

import json
import pathlib

import numpy as np
import pytest
from fluid.versions import rules_of

import paddle.fluid as fluid
from paddle.core.op import OPS
from paddle.fluid.dygraph import to_variable
from paddle.static.program.registry import find

REAL = json.loads(pathlib.Path(__file__).with_name("legacy.json").read_text())
PARAM, GRADS = np.array(REAL["param"], "float32"), [np.array(g, "float32") for g in REAL["grads"]]
MADE = {
    "Ftrl": lambda: fluid.optimizer.Ftrl(0.1, 0.02, 0.1),
    "Ftrl power": lambda: fluid.optimizer.FtrlOptimizer(learning_rate=0.1, lr_power=-0.7),
    "LarsMomentum": lambda: fluid.optimizer.LarsMomentum(0.1, 0.9, 0.01, 0.05, epsilon=1e-3),
    "LarsMomentum plain": lambda: fluid.optimizer.LarsMomentumOptimizer(0.1, momentum=0.9, lars_coeff=0.01, lars_weight_decay=0.0),
    "DecayedAdagrad": lambda: fluid.optimizer.DecayedAdagrad(0.1, 0.9, 1e-4),
    "Dpsgd": lambda: fluid.optimizer.Dpsgd(0.1, 1.5, 4.0, sigma=0.0),
}


@pytest.fixture
def program():
    """Fresh programs, names and scope; gives a function that runs the startup program, and then the main one each time."""
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard(), fluid.scope_guard(fluid.Scope()):
        exe = fluid.Executor(fluid.CPUPlace())

        def run(*fetch, feed=None):
            if startup is not None and not run.started:
                exe.run(startup)
                run.started = True
            return exe.run(main, feed=feed, fetch_list=list(fetch))
        run.started, run.exe = False, exe
        yield run


def weight(shape, value):
    return fluid.layers.create_parameter(shape, "float32", name="w",
                                         default_initializer=fluid.initializer.NumpyArrayInitializer(value))


def value(name="w"):
    return np.array(fluid.global_scope().find_var(name).get_tensor())


@pytest.mark.parametrize("name", sorted(MADE))
def test_steps_in_a_guard(name):
    with fluid.dygraph.guard():
        class Net(fluid.Layer):
            def __init__(self):
                super().__init__("net")
                self.w = self.create_parameter(None, [2, 3], "float32")

        net, optimizer = Net(), MADE[name]()
        net.w.set_value(PARAM)
        for g, want in zip(GRADS, REAL["updates"][name]["params"]):
            loss = fluid.layers.reduce_sum(net.w * to_variable(g))
            loss.backward()
            optimizer.minimize(loss)
            net.clear_gradients()
            np.testing.assert_allclose(net.w.numpy(), want, rtol=2e-5, atol=1e-6)


@pytest.mark.parametrize("name", sorted(MADE))
def test_steps_of_a_program(program, name):
    g = fluid.data("g", [2, 3])
    loss = fluid.layers.reduce_sum(weight([2, 3], PARAM) * g)
    MADE[name]().minimize(loss)
    row = REAL["updates"][name]
    for given, want in zip(GRADS, row["params"]):
        program(loss, feed={"g": given})
        np.testing.assert_allclose(value(), want, rtol=2e-5, atol=1e-6)
    operator = next(o for o in fluid.default_main_program().global_block().ops if o.type == row["type"])
    for key, setting in row["attrs"].items():
        if key != "seed":
            np.testing.assert_allclose(operator.attr(key), setting, rtol=1e-6)


def test_dpsgd_adds_noise_of_the_given_size():
    run = OPS["dpsgd"].run_arrays
    p, g, lr = np.zeros(4000, "float32"), np.zeros(4000, "float32"), np.array([1.0], "float32")
    noise = run([p, g, lr, 2.0, 4.0, 3.0, 7])
    assert abs(noise.std() - 2.0 * 3.0 / 4.0) < 0.05 and abs(noise.mean()) < 0.1


def test_adadelta_of_1x_has_no_use_for_its_rate():
    after = []
    for rate in (0.1, 10.0):
        with fluid.dygraph.guard():
            layer = fluid.dygraph.Linear(2, 1, param_attr=fluid.initializer.Constant(1.0))
            optimizer = fluid.optimizer.Adadelta(rate)
            loss = fluid.layers.reduce_sum(layer(to_variable(np.ones([1, 2], "float32"))))
            loss.backward()
            optimizer.minimize(loss)
            after.append(layer.weight.numpy().copy())
    np.testing.assert_array_equal(*after)
    np.testing.assert_allclose(after[0], 1 - np.sqrt(1e-6 / (0.05 + 1e-6)), rtol=1e-5)


def test_model_average_sums_as_the_real_operator():
    kept = {k: np.zeros(np.shape(v), "int64" if k.startswith(("num", "old")) else "float32")
            for k, v in REAL["averages"][0].items()}
    for g, want in zip(GRADS * 3, REAL["averages"]):
        outs = find("average_accumulates").run_arrays([PARAM + g, *kept.values(), 0.5, 4, 2])
        kept = dict(zip(kept, outs))
        for key, expected in want.items():
            np.testing.assert_allclose(kept[key], expected, rtol=1e-6)


def test_model_average_of_a_program(program):
    w = weight([2], np.array([1.0, 2.0], "float32"))
    loss = fluid.layers.reduce_sum(w)
    fluid.optimizer.SGD(0.5).minimize(loss)
    average = fluid.optimizer.ModelAverage(0.5, min_average_window=2, max_average_window=10)
    for _ in range(3):
        program(loss)
    np.testing.assert_allclose(value(), [-0.5, 0.5])
    with average.apply(program.exe):
        np.testing.assert_allclose(value(), [0.0, 1.0])  # of (0.5, 0, -0.5): the full window of two, and the new one
    np.testing.assert_allclose(value(), [-0.5, 0.5])
    with average.apply(program.exe, need_restore=False):
        pass
    np.testing.assert_allclose(value(), [0.0, 1.0])
    average.restore(program.exe)
    np.testing.assert_allclose(value(), [-0.5, 0.5])


def ema(values, decay):
    average = 0.0
    for v in values:
        average = decay * average + (1 - decay) * v
    return average / (1 - decay ** len(values))


def test_moving_average_of_a_program(program):
    w = weight([1], np.array([2.0], "float32"))
    loss = fluid.layers.reduce_sum(w)
    fluid.optimizer.SGD(0.5).minimize(loss)
    average = fluid.optimizer.ExponentialMovingAverage(0.8)
    average.update()
    for _ in range(3):
        program(loss)
    with average.apply(program.exe):
        np.testing.assert_allclose(value(), [ema([1.5, 1.0, 0.5], 0.8)], rtol=1e-6)
    np.testing.assert_allclose(value(), [0.5])


def test_moving_average_of_a_guard():
    with fluid.dygraph.guard():
        layer = fluid.dygraph.Linear(1, 1, param_attr=fluid.initializer.Constant(2.0), bias_attr=False)
        sgd, average = fluid.optimizer.SGD(0.5), fluid.optimizer.ExponentialMovingAverage(0.8)
        for _ in range(3):
            loss = fluid.layers.reduce_sum(layer(to_variable(np.ones([1, 1], "float32"))))
            loss.backward()
            sgd.minimize(loss)
            layer.clear_gradients()
            average.update()
        with average.apply():
            np.testing.assert_allclose(layer.weight.numpy(), [[ema([1.5, 1.0, 0.5], 0.8)]], rtol=1e-6)
        np.testing.assert_allclose(layer.weight.numpy(), [[0.5]])
        with pytest.raises(RuntimeError, match="ModelAverage"):
            fluid.optimizer.ModelAverage(0.5)



def test_lookahead_in_a_guard_and_in_a_program(program):
    want = [1.0, 1.0, 0.0, 0.0, -1.0, -1.0]
    w = weight([1], np.array([2.0], "float32"))
    loss = fluid.layers.reduce_sum(w)
    fluid.optimizer.LookaheadOptimizer(fluid.optimizer.SGD(1.0), alpha=0.5, k=2).minimize(loss)
    found = []
    for _ in want:
        program(loss)
        found.append(float(value()[0]))
    assert found == want
    found = []
    with fluid.dygraph.guard():
        layer = fluid.dygraph.Linear(1, 1, param_attr=fluid.initializer.Constant(2.0), bias_attr=False)
        optimizer = fluid.optimizer.LookaheadOptimizer(fluid.optimizer.SGD(1.0), alpha=0.5, k=2)
        for _ in want:
            loss = fluid.layers.reduce_sum(layer(to_variable(np.ones([1, 1], "float32"))))
            loss.backward()
            optimizer.minimize(loss)
            layer.clear_gradients()
            found.append(float(layer.weight.numpy()[0, 0]))
    assert found == want
    for bad in ({"alpha": 2.0}, {"k": 0}, {"inner_optimizer": 3}):
        with pytest.raises((ValueError, TypeError), match="LookaheadOptimizer"):
            fluid.optimizer.LookaheadOptimizer(**{"inner_optimizer": optimizer, **bad})


DECAYS = {
    "noam_decay": ((64, 3), [64 ** -0.5 * min(t ** -0.5, t * 3 ** -1.5) for t in range(1, 6)]),
    "exponential_decay": ((0.1, 2, 0.5), [0.1 * 0.5 ** (t / 2) for t in range(5)]),
    "natural_exp_decay": ((0.1, 2, 0.5, True), [0.1 * np.exp(-0.5 * (t // 2)) for t in range(5)]),
    "inverse_time_decay": ((0.1, 2, 0.5), [0.1 / (1 + 0.5 * t / 2) for t in range(5)]),
    "polynomial_decay": ((0.1, 3, 0.01, 2.0), [0.09 * (1 - min(t, 3) / 3) ** 2 + 0.01 for t in range(5)]),
    "piecewise_decay": (([1, 3], [0.1, 0.2, 0.3]), [0.1, 0.2, 0.2, 0.3, 0.3]),
    "cosine_decay": ((0.1, 2, 3), [0.05 * (np.cos(t // 2 * np.pi / 3) + 1) for t in range(5)]),
    "linear_lr_warmup": ((0.5, 3, 0.0, 0.3), [0.0, 0.1, 0.2, 0.5, 0.5]),
}


@pytest.mark.parametrize("name", sorted(DECAYS))
def test_decays_of_programs_are_variables(program, name):
    given, want = DECAYS[name]
    loss = fluid.layers.reduce_sum(weight([1], np.array([2.0], "float32")))
    rate = getattr(fluid.layers, name)(*given)
    optimizer = fluid.optimizer.SGD(rate)
    test = fluid.default_main_program().clone(for_test=True)
    optimizer.minimize(loss)
    assert optimizer._global_learning_rate() is rate
    found = []
    for _ in want:
        found.append(float(program(rate)[0].reshape(())))
        program.exe.run(test, fetch_list=[loss])  # counts nothing
    np.testing.assert_allclose(found, want, rtol=1e-5, atol=1e-8)
    np.testing.assert_allclose(value(), 2.0 - sum(want), rtol=1e-5)


def test_learning_rates_as_variables(program):
    loss = fluid.layers.reduce_sum(weight([1], np.array([2.0], "float32")))
    sgd = fluid.optimizer.SGD(0.25)
    assert sgd._global_learning_rate() is None
    sgd.minimize(loss)
    assert program(sgd._global_learning_rate())[0].tolist() == [0.25]
    with pytest.raises(TypeError, match="inside a guard"):
        fluid.optimizer.SGD(fluid.dygraph.PiecewiseDecay([1], [0.1, 0.2], 0)).minimize(loss)
    with fluid.dygraph.guard():
        assert fluid.optimizer.SGD(fluid.layers.piecewise_decay([1], [0.5, 0.2]))._global_learning_rate().numpy() == 0.5


def test_arguments_of_both_orders():
    with fluid.dygraph.guard():
        l2 = fluid.regularizer.L2Decay(0.1)
        layer = fluid.dygraph.Linear(1, 1)
        assert fluid.optimizer.Adam(0.1, 0.9, 0.99, 1e-8, l2, "adam", False)._name == "adam"  # 1.5
        newer = fluid.optimizer.Adam(0.1, 0.9, 0.99, 1e-8, layer.parameters(), l2, None, "adam")  # 1.8
        assert newer.regularization is l2 and newer._parameter_list == layer.parameters()
        assert fluid.optimizer.Adagrad(0.1, 1e-6, l2, None, 0.5).regularization is l2
        with pytest.raises(TypeError, match="FtrlOptimizer.. misses its argument 'learning_rate'"):
            fluid.optimizer.Ftrl()
        with pytest.raises(TypeError, match="unexpected arguments .'rho'"):
            fluid.optimizer.Ftrl(0.1, rho=1)
        with pytest.raises(TypeError, match="takes 3 arguments but 4"):
            fluid.optimizer.SGD(0.1, None, None, 1)


def test_recomputing_gives_the_same_updates(program):
    x = fluid.data("x", [None, 3])
    attr = fluid.ParamAttr(name="a", initializer=fluid.initializer.Constant(0.1))
    hidden = fluid.layers.fc(x, 4, act="tanh", param_attr=attr, bias_attr=False)
    loss = fluid.layers.mean(fluid.layers.fc(fluid.layers.exp(hidden), 1, param_attr=fluid.initializer.Constant(0.2)))
    optimizer = fluid.optimizer.RecomputeOptimizer(fluid.optimizer.SGD(0.5))
    with pytest.raises(RuntimeError, match="_set_checkpoints"):
        optimizer.minimize(loss)
    optimizer.backward(loss, checkpoints=[hidden])  # 1.6 and 1.7
    assert optimizer._checkpoints == [hidden]
    fluid.clip.set_gradient_clip(fluid.clip.GradientClipByValue(0.01))
    optimizer.minimize(loss)
    given = np.arange(6, dtype="float32").reshape(2, 3) / 10
    program(loss, feed={"x": given})
    slope = 0.2 * np.exp(np.tanh(given @ np.full([3, 4], 0.1))) / np.cosh(given @ np.full([3, 4], 0.1)) ** 2 / 2
    np.testing.assert_allclose(value("a"), 0.1 - 0.5 * np.clip(given.T @ slope, -0.01, 0.01), rtol=1e-5)
    with fluid.dygraph.guard(), pytest.raises(RuntimeError, match="static programs"):
        optimizer.minimize(to_variable(np.ones([1], "float32")))


def test_clips_of_single_parameters(program):
    def parameter(name, **attr):
        return fluid.layers.create_parameter([2], "float32", attr=fluid.ParamAttr(
            name=name, initializer=fluid.initializer.Constant(0.0), **attr))

    a = parameter("a", gradient_clip=fluid.clip.GradientClipByValue(0.5))
    b, c, d = parameter("b"), parameter("c"), parameter("d")
    fluid.clip.set_gradient_clip(fluid.clip.GradientClipByGlobalNorm(1.0))
    fluid.clip.set_gradient_clip(fluid.clip.GradientClipByNorm(2.0), param_list=["d"])
    loss = fluid.layers.reduce_sum(a * 3.0 + b * 3.0 + c * 4.0 + d * 8.0)
    fluid.optimizer.SGD(1.0).minimize(loss)
    program(loss)
    joint = np.sqrt(2 * 9 + 2 * 16)
    for name, want in {"a": 0.5, "b": 3 / joint, "c": 4 / joint, "d": 2 / np.sqrt(2)}.items():
        np.testing.assert_allclose(value(name), -want, rtol=1e-5)
    with pytest.raises(TypeError, match="must be a gradient clip"):
        fluid.clip.set_gradient_clip(3.0)


# ---- moments as they are, before 2.0 -----------------------------------------------------------------------------------------
def stepped(lamb, raw, p, grads, rate=0.1, beta1=0.9, beta2=0.999, epsilon=1e-4, decay=0.01):
    """Adam or Lamb in float64; ``raw``: epsilon beside the uncorrected root, Lamb without correction (1.4.1 to 2.0 alpha)."""
    m = v = 0.0
    for t, g in enumerate(grads, 1):
        m, v, left1, left2 = beta1 * m + (1 - beta1) * g, beta2 * v + (1 - beta2) * g * g, 1 - beta1 ** t, 1 - beta2 ** t
        if lamb:
            left1, left2 = (1, 1) if raw else (left1, left2)
            step = m / left1 / (np.sqrt(v / left2) + epsilon) + decay * p
            p = p - rate * np.linalg.norm(p) / np.linalg.norm(step) * step
        else:
            p = p - rate * np.sqrt(left2) / left1 * m / (np.sqrt(v) + epsilon * (1 if raw else np.sqrt(left2)))
    return p


def adam_or_lamb(lamb, **more):
    if lamb:
        return fluid.optimizer.LambOptimizer(0.1, 0.01, epsilon=1e-4, **more)
    return fluid.optimizer.Adam(0.1, epsilon=1e-4, **more)


@rules_of("1.4", "1.8", "2.0-alpha", "2.0")
@pytest.mark.parametrize("lamb", [False, True])
def test_epsilon_and_moments_of_the_version(version, program, lamb):
    raw = version in ("1.4", "1.8", "2.0-alpha")
    begin, grads = np.float32([1.0, -2.0, 3.0]), [np.float32([1e-3, -2e-3, 3e-4])] * 2
    want = stepped(lamb, raw, begin.astype("float64"), grads)
    assert np.abs(want - stepped(lamb, not raw, begin.astype("float64"), grads)).max() > 1e-3
    w, factor = weight([3], begin), fluid.layers.data("g", [3], append_batch_size=False)
    adam_or_lamb(lamb).minimize(fluid.layers.reduce_sum(w * factor))
    for g in grads:
        program(feed={"g": g})
    np.testing.assert_allclose(value(), want, rtol=2e-6)
    with fluid.dygraph.guard():
        layer = fluid.dygraph.Layer("one")
        layer.w = layer.create_parameter([3], default_initializer=fluid.initializer.NumpyArrayInitializer(begin))
        optimizer = adam_or_lamb(lamb, parameter_list=[layer.w])
        for g in grads:
            loss = fluid.layers.reduce_sum(layer.w * to_variable(g))
            loss.backward()
            optimizer.minimize(loss)
            optimizer.clear_gradients()
        np.testing.assert_allclose(layer.w.numpy(), want, rtol=2e-6)


@rules_of("1.8")
@pytest.mark.parametrize("made", [fluid.optimizer.SGD, fluid.optimizer.Adam])
def test_rows_added_to_an_array_update_alike_in_both_modes(version, program, made):
    table, ids = np.random.default_rng(0).uniform(-1, 1, [300, 8]).astype("float32"), np.arange(6).reshape(3, 2)

    def loss_of(rows, weight):
        scores = fluid.layers.matmul(rows, fluid.layers.transpose(weight, [1, 0]))  # the table once by rows, once whole
        return fluid.layers.mean(fluid.layers.square(scores))
    attr = fluid.ParamAttr("w", fluid.initializer.NumpyArrayInitializer(table))
    rows = fluid.embedding(fluid.data("ids", [3, 2], "int64"), [300, 8], is_sparse=True, param_attr=attr)
    made(0.01).minimize(loss_of(rows, fluid.default_main_program().global_block().var("w")))
    for _ in range(10):
        program(feed={"ids": ids})
    with fluid.dygraph.guard():
        layer = fluid.dygraph.Embedding([300, 8], is_sparse=True, param_attr=attr)
        optimizer = made(0.01, parameter_list=layer.parameters())
        for _ in range(10):
            loss = loss_of(layer(to_variable(ids)), layer.weight)
            loss.backward()
            optimizer.minimize(loss)
            optimizer.clear_gradients()
        np.testing.assert_array_equal(value(), layer.weight.numpy())


def _decayed(w, b, gradient, coeff, steps):
    """SGD at 0.1 on parameters that first lose a part of themselves, the bias nothing."""
    for _ in range(steps):
        w, b = w * (1 - coeff) - 0.1 * gradient, b - 0.1
    return w, b


def test_decoupled_decay_of_any_optimizer(program):
    extended = fluid.contrib.extend_with_decoupled_weight_decay(fluid.optimizer.SGD)
    x = np.array([[1, 2, 3]], "float32")
    data = fluid.layers.data("x", [3])
    loss = fluid.layers.reduce_sum(fluid.layers.fc(data, 2, param_attr="w", bias_attr="b"))
    rate = fluid.layers.fill_constant([1], "float32", 0.25)
    extended(weight_decay=rate, apply_decay_param_fun=lambda name: name == "w", learning_rate=0.1).minimize(loss)
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fluid.default_startup_program())
    first = [np.array(fluid.global_scope().find_var(name).get_tensor()) for name in ("w", "b")]
    for _ in range(3):
        got = exe.run(feed={"x": x}, fetch_list=["w", "b"])
    for value, expected in zip(got, _decayed(*first, x.T, 0.25, 3)):
        np.testing.assert_allclose(value, expected, rtol=1e-5, atol=1e-6)


def test_decoupled_decay_in_a_guard():
    extended = fluid.contrib.extend_with_decoupled_weight_decay(fluid.optimizer.SGD)
    x = np.array([[1, 2, 3]], "float32")
    with fluid.dygraph.guard():
        layer = fluid.dygraph.Linear(3, 2)
        optimizer = extended(weight_decay=0.25, apply_decay_param_fun=lambda name: name == layer.weight.name, learning_rate=0.1,
                             parameter_list=layer.parameters())
        first = layer.weight.numpy().copy(), layer.bias.numpy().copy()
        for _ in range(3):
            loss = fluid.layers.reduce_sum(layer(to_variable(x)))
            loss.backward()
            optimizer.minimize(loss)
            layer.clear_gradients()
        for value, expected in zip((layer.weight, layer.bias), _decayed(*first, x.T, 0.25, 3)):
            np.testing.assert_allclose(value.numpy(), expected, rtol=1e-5, atol=1e-6)
        assert str(optimizer) == f"Weight Decay, params: {layer.weight.name}"
    with pytest.raises(TypeError, match="weight_decay must be"):
        extended(weight_decay=1, learning_rate=0.1)
    with pytest.raises(TypeError, match="base_optimizer must be a class of optimizers"):
        fluid.contrib.extend_with_decoupled_weight_decay(fluid.dygraph.Linear)


def test_a_learning_rate_that_a_program_counts_itself_is_not_counted_in_tests(program):
    layers = fluid.layers
    w = weight([1], np.array([2.0], "float32"))
    loss, seen = layers.reduce_sum(w), layers.reduce_sum(layers.square(w))  # `seen` is for the eye only
    step = layers.cast(layers.autoincreased_step_counter("steps", begin=1), "float32")
    rate = 0.1 / step
    twice = layers.scale(layers.cast(layers.autoincreased_step_counter("others", begin=1), "float32"), 2.0)  # of no update
    fluid.optimizer.SGD(rate).minimize(loss)
    test = fluid.default_main_program().clone(for_test=True)
    found = []
    for turn in range(3):
        found.append(float(program(rate)[0].reshape(())))
        tested = program.exe.run(test, fetch_list=[loss, seen, twice])
        np.testing.assert_allclose(np.ravel(tested[1]), np.ravel(tested[0]) ** 2, rtol=1e-6)
        assert np.ravel(tested[2]) == [2 * (2 * turn + 2)]
    np.testing.assert_allclose(found, [0.1, 0.05, 0.1 / 3], rtol=1e-6)
    assert not test.global_block().has_var("steps")


def test_ftrl_leaves_rows_without_a_gradient_alone():
    """A sparse table keeps what a whole gradient, of zeros there, would pull to 0."""
    found = {}
    for sparse in (False, True):
        main, start = fluid.Program(), fluid.Program()
        with fluid.program_guard(main, start), fluid.scope_guard(fluid.Scope()):
            ids = fluid.data("ids", [None], "int64")
            attr = fluid.ParamAttr(name="table", initializer=fluid.initializer.Constant(1.0))
            rows = fluid.embedding(ids, [4, 2], is_sparse=sparse, param_attr=attr)
            fluid.optimizer.Ftrl(0.1, l1=0.1, l2=0.1).minimize(fluid.layers.reduce_sum(rows * rows))
            exe = fluid.Executor(fluid.CPUPlace())
            exe.run(start)
            exe.run(main, feed={"ids": np.array([1, 3, 1])})
            found[sparse] = np.array(fluid.global_scope().find_var("table").get_tensor())[:, 0]
    assert found[False][[0, 2]].tolist() == [0, 0] and found[True][[0, 2]].tolist() == [1, 1]
    np.testing.assert_allclose(found[True][[1, 3]], found[False][[1, 3]])
