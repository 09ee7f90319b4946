"""fluid.layers: results against NumPy, in a guard and in a static program."""

import numpy as np
import pytest

import paddle.fluid as fluid

L = fluid.layers
RNG = np.random.RandomState(7)
X = RNG.randn(4, 6).astype("float32")
IMAGE = RNG.randn(2, 4, 4, 6).astype("float32")


def softplus(x):
    return np.log1p(np.exp(x))


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


CASES = {
    "soft_relu": ((X,), {}, lambda x: softplus(x)),
    "brelu": ((X,), {"t_min": -0.5, "t_max": 0.5}, lambda x: np.clip(x, -0.5, 0.5)),
    "hard_sigmoid": ((X,), {}, lambda x: np.clip(0.2 * x + 0.5, 0, 1)),
    "hard_swish": ((X,), {}, lambda x: x * np.clip(x + 3, 0, 6) / 6),
    "leaky_relu": ((X,), {}, lambda x: np.where(x > 0, x, 0.02 * x)),
    "swish": ((X,), {"beta": 2.0}, lambda x: x * sigmoid(2 * x)),
    "stanh": ((X,), {}, lambda x: 1.7159 * np.tanh(0.67 * x)),
    "clip_by_norm": ((X,), {"max_norm": 1.0}, lambda x: x / np.linalg.norm(x)),
    "cumsum": ((X,), {"axis": 1, "exclusive": True, "reverse": True},
               lambda x: np.cumsum(x[:, ::-1], 1)[:, ::-1] - x),
    "reverse": ((X,), {"axis": 0}, lambda x: x[::-1]),
    "expand": ((X,), {"expand_times": [2, 1]}, lambda x: np.tile(x, (2, 1))),
    "reduce_sum": ((X,), {"dim": 1, "keep_dim": True}, lambda x: x.sum(1, keepdims=True)),
    "reduce_mean": ((X,), {}, lambda x: x.mean().reshape(1)),
    "smooth_l1": ((X, X[::-1] * 1), {}, lambda x, y: np.where(
        abs(x - y) < 1, 0.5 * (x - y) ** 2, abs(x - y) - 0.5).sum(1, keepdims=True)),
    "huber_loss": ((X, X[::-1] * 1), {"delta": 0.7}, lambda x, y: np.where(
        abs(x - y) <= 0.7, 0.5 * (x - y) ** 2, 0.7 * (abs(x - y) - 0.35))),
    "cos_sim": ((X, X[::-1] * 1), {}, lambda x, y: ((x * y).sum(1) / np.linalg.norm(x, axis=1)
                                                    / np.linalg.norm(y, axis=1))[:, None]),
    "pad": ((X,), {"paddings": [1, 0, 0, 2], "pad_value": 3.0}, lambda x: np.pad(x, ((1, 0), (0, 2)), constant_values=3.0)),
    "pad2d": ((IMAGE,), {"paddings": [1, 2, 0, 1], "mode": "edge"},
              lambda x: np.pad(x, ((0, 0), (0, 0), (1, 2), (0, 1)), mode="edge")),
    "resize_nearest": ((IMAGE,), {"out_shape": [7, 3]}, lambda x: x[:, :, [0, 1, 1, 2, 2, 3, 3]][..., [0, 3, 5]]),
    "space_to_depth": ((IMAGE,), {"blocksize": 2}, lambda x: x.reshape(2, 4, 2, 2, 3, 2).transpose(0, 3, 5, 1, 2, 4)
                       .reshape(2, 16, 2, 3)),
    "lrn": ((IMAGE,), {"n": 3, "alpha": 0.1}, lambda x: x / (1 + 0.1 * np.stack(
        [(x[:, max(0, c - 1):c + 2] ** 2).sum(1) for c in range(4)], 1)) ** 0.75),
    "crop": ((X,), {"shape": [2, 3], "offsets": [1, 2]}, lambda x: x[1:3, 2:5]),
    "rank": ((IMAGE,), {}, lambda x: np.array([4])),
    "size": ((X,), {}, lambda x: np.array([24])),
}


@pytest.mark.parametrize("name", sorted(CASES))
def test_like_numpy_in_a_guard_and_in_a_program(name):
    arrays, settings, expected = CASES[name]
    want = expected(*arrays)
    with fluid.dygraph.guard():
        got = getattr(L, name)(*[fluid.dygraph.to_variable(a) for a in arrays], **settings).numpy()
    assert got.shape == want.shape
    np.testing.assert_allclose(got, want, rtol=2e-5, atol=2e-6)
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()):
        inputs = [L.data(f"x{n}", list(a.shape), append_batch_size=False) for n, a in enumerate(arrays)]
        out = getattr(L, name)(*inputs, **settings)
    again, = fluid.Executor(fluid.CPUPlace()).run(main, feed={f"x{n}": a for n, a in enumerate(arrays)}, fetch_list=[out])
    np.testing.assert_allclose(again, want, rtol=2e-5, atol=2e-6)


def test_hsigmoid_gives_a_distribution_over_classes():
    classes = 8  # all ways have one length: where one ends early, Paddle's loss has log 2 added
    with fluid.dygraph.guard():
        x = fluid.dygraph.to_variable(X[:1])
        attr = fluid.ParamAttr(initializer=fluid.initializer.NumpyArrayInitializer(RNG.randn(classes - 1, 6).astype("float32")))
        labels = [fluid.dygraph.to_variable(np.array([[c]])) for c in range(classes)]
        losses = [float(L.hsigmoid(x, label, classes, param_attr=attr, bias_attr=False).numpy()) for label in labels]
    assert abs(np.exp(-np.array(losses)).sum() - 1) < 1e-5


def test_gru_and_lstm_units():
    h = 3
    with fluid.dygraph.guard():
        x, before = X[:2, :6], RNG.randn(2, h).astype("float32")
        w = RNG.randn(9, 4 * h).astype("float32")
        attr = fluid.ParamAttr(initializer=fluid.initializer.NumpyArrayInitializer(w))
        cell = RNG.randn(2, h).astype("float32")
        hidden, new = L.lstm_unit(*[fluid.dygraph.to_variable(a) for a in (x, before, cell)], forget_bias=1.0, param_attr=attr,
                                  bias_attr=False)
        i, f, o, c = np.split(np.concatenate([x, before], 1) @ w, 4, 1)
        want = sigmoid(f + 1) * cell + sigmoid(i) * np.tanh(c)
        np.testing.assert_allclose(new.numpy(), want, rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(hidden.numpy(), sigmoid(o) * np.tanh(want), rtol=1e-4, atol=1e-5)
        w = RNG.randn(h, 3 * h).astype("float32")
        attr = fluid.ParamAttr(initializer=fluid.initializer.NumpyArrayInitializer(w))
        projected = RNG.randn(2, 3 * h).astype("float32")
        out, _, _ = L.gru_unit(fluid.dygraph.to_variable(projected), fluid.dygraph.to_variable(before), 3 * h, attr, False)
        gates, new = w.ravel()[:2 * h * h].reshape(h, 2 * h), w.ravel()[2 * h * h:].reshape(h, h)  # one behind the other
        u, r = np.split(sigmoid(projected[:, :2 * h] + before @ gates), 2, 1)
        c = np.tanh(projected[:, 2 * h:] + (r * before) @ new)
        np.testing.assert_allclose(out.numpy(), (1 - u) * before + u * c, rtol=1e-4, atol=1e-5)


def test_loops_and_branches_of_programs():
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()):
        i, n = L.fill_constant([1], "int64", 0), L.fill_constant([1], "int64", 5)
        total = L.fill_constant([1], "float32", 0.0)
        going = L.less_than(i, n)
        loop = L.While(going)
        with loop.block():
            L.assign(total + 2.0, total)
            L.increment(i)
            L.less_than(i, n, cond=going)
        rate = L.fill_constant([1], "float32", 0.0)
        with L.Switch() as switch:
            with switch.case(L.less_than(i, L.fill_constant([1], "int64", 3))):
                L.assign(L.fill_constant([1], "float32", 1.0), rate)
            with switch.case(L.less_than(i, L.fill_constant([1], "int64", 9))):
                L.assign(L.fill_constant([1], "float32", 2.0), rate)
            with switch.default():
                L.assign(L.fill_constant([1], "float32", 3.0), rate)
    found = fluid.Executor(fluid.CPUPlace()).run(main, fetch_list=[total, rate, i])
    assert [float(v[0]) for v in found] == [10.0, 2.0, 5.0]


def test_if_else_splits_rows():
    with fluid.dygraph.guard():
        x = fluid.dygraph.to_variable(X)
        both = L.IfElse(L.greater_than(L.reduce_sum(x, 1, True), L.zeros([4, 1], "float32")))
        with both.true_block():
            both.output(both.input(x) * 2.0)
        with both.false_block():
            both.output(both.input(x) - 1.0)
        out, = both()
    np.testing.assert_allclose(out.numpy(), np.where(X.sum(1, keepdims=True) > 0, X * 2, X - 1), rtol=1e-6)


@pytest.mark.parametrize("decay, rates", [
    (lambda: L.exponential_decay(1.0, 1, 0.5), [1.0, 0.5, 0.25]),
    (lambda: L.piecewise_decay([1, 2], [1.0, 0.5, 0.1]), [1.0, 0.5, 0.1]),
    (lambda: L.natural_exp_decay(1.0, 1, 1.0), [1.0, np.exp(-1), np.exp(-2)]),
    (lambda: L.inverse_time_decay(1.0, 1, 1.0), [1.0, 0.5, 1 / 3]),
    (lambda: L.polynomial_decay(1.0, 2, 0.0), [1.0, 0.5, 0.0]),
    (lambda: L.noam_decay(4, 2), [0.5 * 2 ** -1.5, 0.5 * 2 ** -0.5, 0.5 * 3 ** -0.5]),
])
def test_decays_advance_in_both_modes(decay, rates):
    def steps(values):
        return np.abs(np.diff(np.concatenate([[0.0], values])))
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup):
        w = L.create_parameter([1], "float32", default_initializer=fluid.initializer.Constant(0.0))
        loss = L.reduce_sum(w)
        fluid.optimizer.SGD(decay()).minimize(loss)
    scope = fluid.Scope()
    with fluid.scope_guard(scope):
        run = fluid.Executor(fluid.CPUPlace())
        run.run(startup)
        seen = []
        for _ in rates:
            run.run(main)
            seen.append(float(np.asarray(scope.find_var(w.name).get_tensor())[0]))
    np.testing.assert_allclose(steps(seen), rates, rtol=1e-5, atol=1e-7)
    with fluid.dygraph.guard():
        layer = fluid.dygraph.Linear(1, 1, bias_attr=False)
        layer.weight.set_value(np.zeros([1, 1], "float32"))
        sgd, seen = fluid.optimizer.SGD(decay(), parameter_list=layer.parameters()), []
        for _ in rates:
            loss = L.reduce_sum(layer(fluid.dygraph.to_variable(np.ones([1, 1], "float32"))))
            loss.backward()
            sgd.minimize(loss)
            layer.clear_gradients()
            seen.append(float(layer.weight.numpy()))
    np.testing.assert_allclose(steps(seen), rates, rtol=1e-5, atol=1e-7)


def test_unknown_names_find_their_neighbours():
    with pytest.raises(AttributeError, match="did you mean reduce_sum"):
        L.reduce_summ  # noqa: B018


def test_names_of_1_8():
    with fluid.dygraph.guard():
        x, y = (fluid.dygraph.to_variable(RNG.randn(2, c, 3, 4).astype("float32")) for c in (2, 3))
        np.testing.assert_allclose(L.fsp_matrix(x, y).numpy(), np.einsum("nahw,nbhw->nab", x.numpy(), y.numpy()) / 12, rtol=1e-4,
                                   atol=1e-5)
        normal, abn = L.batch_norm(x).numpy(), L.inplace_abn(x, act="leaky_relu", act_alpha=0.3).numpy()
        np.testing.assert_allclose(abn, np.where(normal > 0, normal, 0.3 * normal), rtol=1e-4, atol=1e-5)
        assert L.Uniform(0.0, 2.0).sample([3]).shape[0] == 3
        with pytest.raises(ValueError, match="inplace_abn.*relu6"):
            L.inplace_abn(x, act="relu6")
