"""Optimizers in programs: the same parameters as eager training, step by step."""

import numpy as np
import pytest

import paddle
from paddle import static

X = np.random.RandomState(3).randn(16, 5).astype("float32")
Y = X @ np.random.RandomState(4).randn(5, 1).astype("float32") + 0.3


class Net(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        attr = paddle.ParamAttr(learning_rate=0.5, regularizer=paddle.regularizer.L1Decay(0.01), need_clip=False)
        self.a, self.b = paddle.nn.Linear(5, 8), paddle.nn.Linear(8, 1, weight_attr=attr)

    def forward(self, x):
        return self.b(paddle.tanh(self.a(x)))


def schedule():
    return paddle.optimizer.lr.ExponentialDecay(0.1, 0.9)


OPTIMIZERS = {
    "sgd": lambda p: paddle.optimizer.SGD(0.1, parameters=p),
    "sgd_decay_clip": lambda p: paddle.optimizer.SGD(0.1, parameters=p, weight_decay=0.05,
                                                     grad_clip=paddle.nn.ClipGradByGlobalNorm(0.5)),
    "momentum": lambda p: paddle.optimizer.Momentum(0.05, 0.9, parameters=p, use_nesterov=True,
                                                    grad_clip=paddle.nn.ClipGradByNorm(0.3)),
    "adam": lambda p: paddle.optimizer.Adam(schedule(), parameters=p, weight_decay=paddle.regularizer.L2Decay(0.1),
                                            grad_clip=paddle.nn.ClipGradByValue(0.2)),
    "adamw": lambda p: paddle.optimizer.AdamW(schedule(), parameters=p, weight_decay=0.1,
                                              apply_decay_param_fun=lambda name: name.endswith("w_0")),
}
for _name, _make in {
        "adagrad": lambda p: paddle.optimizer.Adagrad(0.1, parameters=p),
        "adamax": lambda p: paddle.optimizer.Adamax(0.05, parameters=p),
        "adadelta": lambda p: paddle.optimizer.Adadelta(0.5, parameters=p),
        "rmsprop": lambda p: paddle.optimizer.RMSProp(0.01, parameters=p, momentum=0.5, centered=True),
        "lamb": lambda p: paddle.optimizer.Lamb(0.05, parameters=p)}.items():
    if hasattr(paddle.optimizer, {"adagrad": "Adagrad", "adamax": "Adamax", "adadelta": "Adadelta", "rmsprop": "RMSProp",
                                  "lamb": "Lamb"}[_name]):
        OPTIMIZERS[_name] = _make


def train_static(make, weights, steps):
    paddle.enable_static()
    main, startup = static.Program(), static.Program()
    with static.program_guard(main, startup):
        x, y = static.data("x", [None, 5]), static.data("y", [None, 1])
        net = Net()
        loss = paddle.mean((net(x) - y) ** 2)
        optimizer = make(None)
        ops, pairs = optimizer.minimize(loss)
    updates = [op for op in ops if op.type == (optimizer.of_programs or optimizer.type)]
    assert len(updates) == len(pairs) == 4 and {op.type for op in ops if op not in updates} <= {"scale"}
    exe = static.Executor()
    exe.run(startup)
    names = [p.name for p in net.parameters()]
    for name, value in zip(names, weights):
        static.global_scope().set(name, value.copy())
    losses = []
    for _ in range(steps):
        losses.append(exe.run(main, {"x": X, "y": Y}, [loss])[0].item())
        if not isinstance(optimizer._learning_rate, float):
            optimizer._learning_rate.step()
    paddle.disable_static()
    return losses, [static.global_scope().get(n) for n in names], main


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_static_training_equals_eager_training(name):
    net = Net()
    weights = [p.numpy().copy() for p in net.parameters()]
    optimizer = OPTIMIZERS[name](net.parameters())
    losses = []
    for _ in range(5):
        loss = paddle.mean((net(paddle.to_tensor(X)) - paddle.to_tensor(Y)) ** 2)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        losses.append(loss.item())
        if not isinstance(optimizer._learning_rate, float):
            optimizer._learning_rate.step()
    got_losses, got, main = train_static(OPTIMIZERS[name], weights, 5)
    np.testing.assert_allclose(got_losses, losses, rtol=1e-5)
    for a, p in zip(got, net.parameters()):
        np.testing.assert_allclose(a, p.numpy(), rtol=1e-4, atol=1e-6)


def test_states_have_paddles_names_and_roles():
    weights = [p.numpy() for p in Net().parameters()]
    _, _, main = train_static(OPTIMIZERS["adam"], weights, 1)
    names = {v.name for v in main.list_vars() if v.persistable}
    parameter = next(p.name for p in main.all_parameters())
    assert {f"{parameter}_moment1_0", f"{parameter}_moment2_0", f"{parameter}_beta1_pow_acc_0", "learning_rate_0"} <= names
    roles = [op.attrs.get("op_role", 0) for op in main.global_block().ops]
    assert roles == sorted(roles, key=lambda r: {0: 0, 256: 1, 1: 2, 257: 2, 2: 3}[r])


def test_rate_and_powers_of_double_parameters_are_double(static_mode):
    start, rate, betas, epsilon = np.array([1.0, -2.0]), 0.1, (0.9, 0.999), 1e-8
    p = paddle.create_parameter([2], "float64", default_initializer=paddle.nn.initializer.Assign(start))
    paddle.optimizer.Adam(rate).minimize((p * p).sum())
    exe = static.Executor()
    exe.run(static.default_startup_program())
    expected, m, v = start, 0.0, 0.0
    for k in range(1, 4):
        g = 2 * expected
        m, v = betas[0] * m + (1 - betas[0]) * g, betas[1] * v + (1 - betas[1]) * g * g
        expected = expected - rate * (m / (1 - betas[0] ** k)) / (np.sqrt(v / (1 - betas[1] ** k)) + epsilon)
        exe.run(static.default_main_program())
        np.testing.assert_allclose(static.global_scope().get(p.name), expected, rtol=1e-12)
    assert {static.global_scope().get(n).dtype for n in ("learning_rate_0", f"{p.name}_beta1_pow_acc_0")} == {np.dtype("float64")}


def test_set_lr_reaches_the_program(static_mode):
    x = static.data("x", [None, 5])
    loss = paddle.mean(paddle.nn.Linear(5, 1, bias_attr=False)(x))
    optimizer = paddle.optimizer.SGD(0.5)
    optimizer.minimize(loss)
    exe = static.Executor()
    exe.run(static.default_startup_program())

    def change():
        before = static.global_scope().get("linear_0.w_0").copy()
        exe.run(feed={"x": X}, fetch_list=[loss])
        return np.abs(static.global_scope().get("linear_0.w_0") - before).max()
    first = change()
    optimizer.set_lr(0.25)
    np.testing.assert_allclose(change() / first, 0.5, rtol=1e-4)
    static.global_scope().set("learning_rate_0", np.array([0.125], "float32"))  # as 1.x programs do
    np.testing.assert_allclose(change() / first, 0.25, rtol=1e-4)


def test_parameter_lists_and_groups(static_mode):
    x = static.data("x", [None, 5])
    a, b = paddle.nn.Linear(5, 4), paddle.nn.Linear(4, 1)
    loss = paddle.mean(b(a(x)))
    _, pairs = paddle.optimizer.SGD(0.1).minimize(loss, parameters=[a.weight])
    assert [p.name for p, _ in pairs] == [a.weight.name]
    groups = paddle.optimizer.SGD(0.1, parameters=[{"params": [a.weight], "learning_rate": 0.1}, {"params": [b.weight]}])
    _, pairs = groups.minimize(loss)
    assert [p.name for p, _ in pairs] == [a.weight.name, b.weight.name]
    with pytest.warns(UserWarning, match="no trainable parameter"):
        assert paddle.optimizer.SGD(0.1).minimize(paddle.mean(x)) == ([], [])


def test_fetched_weights_do_not_change_later(static_mode):
    x = static.data("x", [None, 5])
    layer = paddle.nn.Linear(5, 1)
    paddle.optimizer.Adam(0.1).minimize(paddle.mean(layer(x)))
    exe = static.Executor()
    exe.run(static.default_startup_program())
    held = static.global_scope().get(layer.weight.name)
    before = held.copy()
    exe.run(feed={"x": X})
    np.testing.assert_array_equal(held, before)  # somebody holds the array: the update must not write into it
    assert (static.global_scope().get(layer.weight.name) != before).all()


HALF = {"sgd": lambda p, m: paddle.optimizer.SGD(0.1, parameters=p, multi_precision=m, weight_decay=0.01),
        "momentum": lambda p, m: paddle.optimizer.Momentum(0.05, parameters=p, multi_precision=m),
        "adam": lambda p, m: paddle.optimizer.Adam(0.02, parameters=p, multi_precision=m),
        "adamw": lambda p, m: paddle.optimizer.AdamW(0.02, parameters=p, multi_precision=m)}


@pytest.mark.parametrize("master", [True, False], ids=["master", "plain"])
@pytest.mark.parametrize("name", HALF)
def test_parameters_of_16_bits_are_updated_in_float32(name, master):
    first = paddle.nn.initializer.Constant(0.3)
    w = paddle.create_parameter([5, 1], "float16", default_initializer=first)
    optimizer, x, y = HALF[name]([w], master), X.astype("float16"), Y.astype("float16")
    expected = []
    for _ in range(6):
        loss = paddle.mean((paddle.matmul(paddle.to_tensor(x), w) - paddle.to_tensor(y)) ** 2)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        expected.append(w.numpy().copy())
    paddle.enable_static()
    main, startup = static.Program(), static.Program()
    with static.program_guard(main, startup):
        v = paddle.create_parameter([5, 1], "float16", default_initializer=first)
        error = paddle.matmul(static.data("x", [None, 5], "float16"), v) - static.data("y", [None, 1], "float16")
        HALF[name](None, master).minimize(paddle.mean(error ** 2))
    exe = static.Executor()
    exe.run(startup)
    for one in expected:
        got, = exe.run(main, feed={"x": x, "y": y}, fetch_list=[v])
        assert got.dtype == np.float16
        np.testing.assert_allclose(got.astype("float32"), one.astype("float32"), rtol=2e-3, atol=2e-3)
    kept = {n: a for n, a in static.global_scope().values.items() if "master" in n}
    assert len(kept) == master and all(a.dtype == np.float32 for a in kept.values())


def _with_decayed_betas(sparse):
    """A program whose Adam reads its betas and its epsilon from variables that other operators change."""
    x = static.data("x", [None, 3], "int64" if sparse else "float32")
    b1, b2, epsilon = [static.create_global_var([1], value, "float32", persistable=True) for value in (0.8, 0.9, 0.01)]
    attr = paddle.ParamAttr(name="w", initializer=paddle.nn.initializer.Constant(0.3))
    if sparse:
        y = static.nn.embedding(x, [7, 2], is_sparse=True, param_attr=attr)
    else:
        y = static.nn.fc(x, 2, weight_attr=attr, bias_attr=False)
    loss = (y * y).mean()
    paddle.optimizer.Adam(0.1, beta1=b1, beta2=b2, epsilon=epsilon).minimize(loss)
    paddle.assign(b1 * 0.9, b1)
    paddle.assign(b2 * 0.99, b2)
    return loss


def test_betas_that_are_variables_are_read_at_every_step(tmp_path):
    real = [[0.28007475, 0.28004929, 0.28005055], [0.17274919, 0.17710526, 0.17547782], [0.08565716, 0.09753577, 0.09826428],
            [0.01627998, 0.04330699, 0.03809391], [-0.02414439, 0.00902165, 0.00255696]]  # of Paddle 2.6.2
    paddle.enable_static()
    main, startup = static.Program(), static.Program()
    with static.program_guard(main, startup):
        _with_decayed_betas(sparse=False)
    update, = [op for op in main.global_block().ops if op.type == "adam"]
    assert all(update.input(slot) for slot in ("Beta1Tensor", "Beta2Tensor", "EpsilonTensor"))
    again = static.Program.parse_from_string(main.desc.serialize_to_string())
    for program in (main, again):
        exe, rng = static.Executor(), np.random.RandomState(0)
        exe.run(startup)
        got = [exe.run(program, feed={"x": rng.rand(4, 3).astype("float32")}, fetch_list=["w"])[0][:, 0] for _ in real]
        np.testing.assert_allclose(got, real, atol=1e-6)


def test_betas_that_are_variables_with_gradients_of_rows():
    paddle.enable_static()
    main, startup = static.Program(), static.Program()
    with static.program_guard(main, startup):
        _with_decayed_betas(sparse=True)
    exe, feed = static.Executor(), np.array([[0, 2, 2], [5, 2, 0]])
    exe.run(startup)
    got = [exe.run(main, feed={"x": feed}, fetch_list=["w"])[0] for _ in range(3)]
    w, m, v, p1, p2, b1, b2 = np.full((7, 2), 0.3), 0.0, 0.0, 0.9, 0.999, 0.8, 0.9
    counts = np.bincount(feed.ravel(), minlength=7)[:, None]
    for one in got:
        g = 2 * w * counts / feed.size / 2
        m, v = b1 * m + (1 - b1) * g, b2 * v + (1 - b2) * g * g
        w = w - 0.1 * np.sqrt(1 - p2) / (1 - p1) * m / (np.sqrt(v) + 0.01 * np.sqrt(1 - p2))
        p1, p2, b1, b2 = p1 * b1, p2 * b2, b1 * 0.9, b2 * 0.99
        np.testing.assert_allclose(one, w, atol=2e-6)


def test_betas_of_optimizers_that_do_not_read_variables_are_refused():
    paddle.enable_static()
    with static.program_guard(static.Program(), static.Program()):
        beta = static.create_global_var([1], 0.8, "float32")
        with pytest.raises(TypeError, match=r"Lamb\(\): beta1 must be a number"):
            paddle.optimizer.Lamb(0.1, beta1=beta)
