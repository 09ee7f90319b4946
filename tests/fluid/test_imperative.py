"""2.0 alpha: what names mean while imperative mode is on, and that nothing of it is left when it is off."""

import os
import subprocess
import sys

import numpy as np
import pytest

import paddle
import paddle.metric
import paddle.nn.functional as F
from paddle import fluid, imperative
from paddle.core import context, generation, rules
from paddle.nn.functional import cross_entropy  # noqa: F401  (imported early, as programs do)

X = np.array([[1.0, -2.0, 3.0], [0.5, 4.0, -1.0]], "float32")
PROBABILITIES = np.array([[0.1, 0.7, 0.2], [0.5, 0.25, 0.25]], "float32")
LABELS = np.array([[1], [0]], "int64")


@pytest.fixture
def alpha():
    with imperative.guard():
        yield imperative.to_variable


def _public(name):
    module, _, last = name.rpartition(".")
    return getattr(sys.modules[module], last)


def test_enable_and_disable_are_idempotent_and_leave_nothing():
    before = {name: _public(name) for name in generation.DECLARED}
    methods = paddle.Tensor.backward, paddle.Tensor.gradient, paddle.nn.Layer.eval, paddle.nn.Layer.set_dict
    paddle.enable_imperative()
    paddle.enable_imperative()
    try:
        assert paddle.get_generation() == "2.0-alpha" and imperative.enabled()
        assert all(_public(name) is f for name, f in before.items())
    finally:
        paddle.disable_imperative()
    paddle.disable_imperative()
    assert paddle.get_generation() == "2.6" and not imperative.enabled()
    assert len(before) == 46 and all(_public(name) is f for name, f in before.items())
    assert methods == (paddle.Tensor.backward, paddle.Tensor.gradient, paddle.nn.Layer.eval, paddle.nn.Layer.set_dict)


def test_a_program_of_2x_never_loads_the_older_meanings():
    program = """
import sys, paddle
net = paddle.nn.Sequential(paddle.nn.Linear(3, 4), paddle.nn.ReLU(), paddle.nn.Linear(4, 2))
opt = paddle.optimizer.Adam(parameters=net.parameters())
loss = paddle.nn.functional.cross_entropy(net(paddle.rand([5, 3])), paddle.randint(0, 2, [5]))
loss.backward(); opt.step()
assert not hasattr(paddle.nn, 'NoSuchLayer')
assert not [m for m in sys.modules if m in ('paddle.imperative.era', 'paddle.imperative.functions', 'paddle.imperative.layers')]
print('untouched')
"""
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert result.stdout.strip() == "untouched", result.stderr


def test_cross_entropy_takes_probabilities_only_while_the_mode_is_on(alpha):
    out = F.cross_entropy(alpha(PROBABILITIES), alpha(LABELS))
    np.testing.assert_allclose(out.numpy(), -np.log([[0.7], [0.5]]), rtol=1e-5)
    np.testing.assert_allclose(cross_entropy(alpha(PROBABILITIES), alpha(LABELS)).numpy(), out.numpy())
    with context.changed(own_rules=rules.V2_6):
        logits = X - np.log(np.exp(X).sum(1, keepdims=True))
        assert abs(float(cross_entropy(paddle.to_tensor(X), paddle.to_tensor(LABELS))) + (logits[0, 1] + logits[1, 0]) / 2) < 1e-5


def test_layers_of_the_package_keep_their_own_meaning(alpha):
    loss = paddle.nn.CrossEntropyLoss()(alpha(X), alpha(LABELS))
    logits = X - np.log(np.exp(X).sum(1, keepdims=True))
    assert abs(float(loss) + (logits[0, 1] + logits[1, 0]) / 2) < 1e-5


def test_functions_with_older_arguments(alpha):
    x = alpha(X)
    assert paddle.concat(input=[x, x], axis=1).shape == [2, 6]
    assert paddle.concat(x=[x, x]).shape == [4, 3]
    assert [p.shape for p in paddle.split(x, 3)] == [[2, 1]] * 3
    assert [p.shape for p in paddle.split(input=x, num_or_sections=2, dim=0)] == [[1, 3]] * 2
    assert paddle.sum(x).shape == [1] and paddle.mean(x).shape == [1]
    np.testing.assert_allclose(paddle.max(input=x, dim=1, keep_dim=True).numpy(), X.max(1, keepdims=True))
    np.testing.assert_allclose(paddle.sum(x, axis=0).numpy(), X.sum(0), rtol=1e-6)
    np.testing.assert_allclose(paddle.matmul(x, x, transpose_y=True, alpha=0.5).numpy(), X @ X.T / 2, rtol=1e-6)
    np.testing.assert_allclose(paddle.reshape(x, [3, 2], act="relu").numpy(), X.reshape(3, 2).clip(0))
    np.testing.assert_allclose(paddle.add(x, x, alpha=2).numpy(), X * 3)
    np.testing.assert_allclose(F.softmax(input=x).numpy().sum(1), 1, rtol=1e-6)
    assert paddle.metric.accuracy(input=alpha(PROBABILITIES), label=alpha(LABELS)).shape == [1]
    np.testing.assert_allclose(paddle.clamp(x, 0.0, 1.0).numpy(), X.clip(0, 1))
    np.testing.assert_allclose(paddle.elementwise_add(x, x).numpy(), X * 2)


def test_layers_and_optimizers_by_keyword_or_mode():
    conv = paddle.nn.Conv2D(num_channels=1, num_filters=2, filter_size=3, act="relu", use_cudnn=False)
    assert conv(paddle.randn([1, 1, 5, 5])).numpy().min() >= 0
    assert type(paddle.nn.Conv2D(1, 2, 3)) is paddle.nn.Conv2D
    with imperative.guard():
        assert type(paddle.nn.Linear(3, 4)) is not paddle.nn.Linear
        assert type(paddle.nn.Linear(in_features=3, out_features=4)) is paddle.nn.Linear
        assert paddle.nn.Linear(3, 4, act="softmax")(imperative.to_variable(X)).numpy().sum() == pytest.approx(2)
        layer = paddle.nn.Linear(3, 1)
        for made in (paddle.optimizer.SGD(0.1, parameter_list=layer.parameters()),
                     paddle.optimizer.AdamOptimizer(learning_rate=0.1, parameter_list=layer.parameters()),
                     paddle.optimizer.Adam(imperative.ExponentialDecay(0.1, 1, 0.5), parameter_list=layer.parameters())):
            before = layer.weight.numpy().copy()
            loss = paddle.mean(layer(imperative.to_variable(X)))
            loss.backward()
            made.minimize(loss)
            made.clear_gradients()
            assert (layer.weight.numpy() != before).all()
        with pytest.raises(AttributeError, match="parameter_list must be given"):
            paddle.optimizer.SGDOptimizer(0.1).minimize(loss)
    assert type(paddle.nn.Linear(3, 4)) is paddle.nn.Linear


def test_gradients(alpha):
    y = alpha(np.ones([3], "float32"))
    assert y.stop_gradient
    y.stop_gradient = False
    x = y * 10
    (x * 1).backward()
    (y * 2).backward()
    np.testing.assert_array_equal(y.gradient(), [2, 2, 2])  # overwritten, not added
    np.testing.assert_array_equal(x.gradient(), [1, 1, 1])  # kept for intermediates
    y.clear_gradient()
    np.testing.assert_array_equal(y.gradient(), [0, 0, 0])
    data = alpha(np.ones([3], "float32"))
    (data * 2).backward()  # nothing to do
    assert data.gradient() is None
    cut = x.detach()
    assert cut.gradient() is None
    z = cut + y
    z.backward()
    z.backward()  # the graph is freed: nothing happens
    np.testing.assert_array_equal(cut.gradient(), [0, 0, 0])


def test_gradients_of_translated_code_are_overwritten_too(alpha):
    weight = paddle.nn.Linear(3, 1, bias_attr=False).weight

    @paddle.jit.to_static
    def product(x):
        return paddle.matmul(x, weight)

    for factor in (1.0, 2.0):  # one node of the tape, whose backward gives the gradient
        product(alpha(factor * X)).backward()
        np.testing.assert_allclose(weight.gradient(), factor * X.sum(0).reshape(3, 1), rtol=1e-6)

    def step(x):
        paddle.matmul(x, weight).backward()

    with pytest.warns(UserWarning, match="backward.. of 2.0 alpha, which does not accumulate"):
        eager = paddle.jit.to_static(step)
        eager(alpha(3 * X))
    eager(alpha(4 * X))
    np.testing.assert_allclose(weight.gradient(), 4 * X.sum(0).reshape(3, 1), rtol=1e-6)
    with pytest.raises(Exception, match="backward.. of 2.0 alpha"):
        paddle.jit.to_static(step, full_graph=True)(alpha(X))


def test_gradients_accumulate_again_afterwards():
    y = paddle.ones([2])
    y.stop_gradient = False
    (y * 2).backward()
    (y * 3).backward()
    assert y.grad.tolist() == [5, 5]


def test_eval_stops_recording_and_train_resumes(alpha):
    layer = paddle.nn.Linear(3, 2)
    layer.eval()
    assert layer(alpha(X)).stop_gradient
    layer.train()
    assert not layer(alpha(X)).stop_gradient
    layer.eval()


def test_recording_is_on_outside_the_guard_after_eval():
    with imperative.guard():
        paddle.nn.Linear(3, 2).eval()
    assert paddle.is_grad_enabled()


def test_set_dict_raises_for_missing_values(alpha, tmp_path):
    class Net(paddle.nn.Layer):
        def __init__(self):
            super().__init__()
            self.one, self.two = paddle.nn.Linear(3, 2), paddle.nn.Linear(2, 1)

    net, other = Net(), Net()
    path = str(tmp_path / "net")
    imperative.save(net.state_dict(), path)
    found, optimizer = imperative.load(path)
    assert optimizer is None
    other.set_dict(found)
    np.testing.assert_array_equal(other.one.weight.numpy(), net.one.weight.numpy())
    del found["two.bias"]
    with pytest.raises(RuntimeError, match="two.bias"):
        other.set_dict(found)


def test_names_of_parameters_restart_in_a_guard():
    for _ in range(2):
        with imperative.guard():
            assert [p.name for p in paddle.nn.Linear(2, 2).parameters()] == ["linear_0.w_0", "linear_0.b_0"]


def test_dropout_of_alpha_does_not_rescale(alpha):
    layer = paddle.nn.Dropout(0.5)
    assert set(np.unique(layer(alpha(np.ones([100], "float32"))).numpy())) == {0.0, 1.0}
    layer.eval()
    np.testing.assert_allclose(layer(alpha(np.ones([4], "float32"))).numpy(), 0.5)
    layer.train()


def test_two_generations_in_one_process():
    import paddle.fluid as fluid
    with fluid.dygraph.guard():
        old = fluid.dygraph.FC("fc", 2)(fluid.dygraph.to_variable(X))
        with imperative.guard():
            new = paddle.nn.Linear(3, 2, act="relu")(imperative.to_variable(X))
    assert old.shape == new.shape == paddle.nn.Linear(3, 2)(paddle.to_tensor(X)).shape == [2, 2]
    main = fluid.Program()
    with fluid.program_guard(main):
        out = fluid.layers.data("x", [3]) + 1.0
    np.testing.assert_allclose(fluid.Executor(fluid.CPUPlace()).run(main, feed={"x": X}, fetch_list=[out])[0], X + 1)


def test_typos_get_the_nearest_names():
    for module, name, near in ((paddle, "enable_imperativ", "enable_imperative"), (imperative, "to_varible", "to_variable"),
                               (paddle.nn, "Pool2d", "Pool2D"), (paddle.optimizer, "AdamOptimzer", "AdamOptimizer")):
        with pytest.raises(AttributeError, match=near):
            getattr(module, name)


def test_no_keyword_of_2x_selects_the_older_layer():
    class Layer:
        def __init__(self, size, act=None):
            pass

    with pytest.raises(TypeError, match=r"Layer: \['act'\] are arguments of 2.x too"):
        generation.construction("paddle.imperative.layers.Linear", {"act", "is_test"}, {"name"})(Layer)


def test_set_dict_of_a_layer_without_its_sublayers(alpha):
    class Net(paddle.nn.Layer):
        def __init__(self):
            super().__init__()
            self.w, self.inner = self.create_parameter([2]), paddle.nn.Linear(2, 2)

    net = Net()
    before = net.inner.weight.numpy().copy()
    net.set_dict({"w": np.full([2], 5.0, "float32"), "inner.weight": before + 1}, include_sublayers=False)
    assert net.w.numpy().tolist() == [5.0, 5.0]
    np.testing.assert_array_equal(net.inner.weight.numpy(), before)
    with pytest.raises(RuntimeError, match="no value for w"):
        net.set_dict({"inner.weight": before}, include_sublayers=False)


def test_functions_of_fluid_keep_their_own_meaning(alpha):
    shifted = X - X.max(1, keepdims=True)
    np.testing.assert_allclose(F.log_softmax(alpha(X)).numpy(), shifted - np.log(np.exp(shifted).sum(1, keepdims=True)), rtol=1e-5)
    picture = alpha(np.ones([1, 1, 5, 5], "float32"))
    layer = paddle.nn.Conv2D(num_channels=1, num_filters=2, filter_size=3, stride=2, padding=0)
    assert layer(picture).shape == [1, 2, 2, 2]
    assert paddle.fluid.layers.conv2d(picture, 2, 3, stride=2, padding=0).shape == [1, 2, 2, 2]


def test_gradients_of_results_that_a_loss_does_not_need():
    with paddle.imperative.guard():
        layer, other = paddle.nn.Linear(3, 2), paddle.nn.Linear(3, 2)
        x = paddle.imperative.to_variable(np.ones((1, 3), "float32"))
        used, unused = paddle.fluid.layers.split(layer(x), 2, dim=1)
        stopped = other(x)
        stopped.stop_gradient = True
        paddle.concat(input=[used, stopped], axis=1).backward()
        assert unused.gradient().tolist() == [[0]] and used.gradient().tolist() == [[1]]
        assert stopped.gradient().tolist() == [[0, 0]] and other.weight.gradient() is None


def test_gradients_of_a_cut_graph_are_zeros_but_its_parameters_have_none():
    with paddle.imperative.guard():
        layer, other = paddle.nn.Linear(3, 2), paddle.nn.Linear(3, 2)
        x = paddle.imperative.to_variable(np.ones((1, 3), "float32"))
        cut = layer(x).detach()
        paddle.concat(input=[cut, other(x)], axis=1).backward()
        assert (cut.gradient() == 0).all()
        assert layer.weight.gradient() is None
        assert other.weight.gradient().shape == (3, 2)


CUBE = np.arange(24, dtype="float32").reshape(2, 3, 4)


@pytest.mark.parametrize("call, expected", [
    (lambda v: paddle.argmax(input=v, axis=-1, keepdims=True), CUBE.argmax(-1)[..., None]),
    (lambda v: paddle.roll(input=v, shifts=1, dims=0), np.roll(CUBE, 1, 0)),
    (lambda v: paddle.flip(input=v, dims=[0]), CUBE[::-1]),
    (lambda v: paddle.full([2, 1], 5, dtype="int64", device="gpu", stop_gradient=False), np.full([2, 1], 5)),
    (lambda v: paddle.full_like(input=v, fill_value=2.0, device="cpu"), np.full_like(CUBE, 2)),
    (lambda v: paddle.trace(input=v, dim1=0, dim2=1), CUBE.trace()),
    (lambda v: paddle.index_select(input=v, index=paddle.imperative.to_variable(np.array([1])), dim=1), CUBE[:, [1]]),
    (lambda v: paddle.nn.functional.relu(input=v - 3.0, inplace=False), np.maximum(CUBE - 3, 0)),
    (lambda v: paddle.log1p(v, out=paddle.zeros([1])), np.log1p(CUBE)),
    (lambda v: paddle.equal(v, v), [True]),
    (lambda v: paddle.equal(v, v[0]), [False]),
    (lambda v: paddle.equal(v * 0.0, paddle.zeros([2]), axis=0), [True]),
    (lambda v: paddle.elementwise_equal(v, v + 0.0), CUBE == CUBE),
    (lambda v: paddle.elementwise_sum([v, v]), CUBE + CUBE),
    (lambda v: paddle.addcmul(v, v, v, value=0.5), CUBE + 0.5 * CUBE * CUBE),
    (lambda v: paddle.mul(v[0], paddle.transpose(v[0], [1, 0])), CUBE[0] @ CUBE[0].T),
    (lambda v: paddle.nn.functional.interpolate(input=paddle.unsqueeze(v, [0]), out_shape=[3, 4], resample="NEAREST"), CUBE[None]),
])
def test_keywords_of_alpha(call, expected):
    paddle.enable_imperative()
    try:
        made = call(paddle.imperative.to_variable(CUBE))
        np.testing.assert_allclose(made.numpy(), expected, rtol=1e-6)
    finally:
        paddle.disable_imperative()


def test_alpha_is_static_until_imperative_mode_is_on():
    text = ("import paddle\nx = paddle.full([2], 3.0, device='gpu', stop_gradient=False)\n"
            "print(type(x).__name__, x.stop_gradient)\npaddle.enable_imperative()\nprint(type(paddle.ones([2])).__name__)")
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True,
                          env={**os.environ, "PADDLE_GENERATION": "2.0-alpha"})
    assert done.stdout.split() == ["Variable", "False", "Tensor"], done.stderr


def test_names_and_arguments_that_came_with_alpha_and_2_0():
    assert not paddle.is_compiled_with_npu() and not paddle.device.is_compiled_with_npu() and not paddle.is_compiled_with_mlu()
    with fluid.dygraph.guard():
        x = fluid.dygraph.to_variable(np.arange(6.0).reshape(1, 2, 3), dtype="float32")
        assert x.numpy().dtype == np.float32
        np.testing.assert_allclose(fluid.layers.resize_linear(x, out_shape=[5]).numpy()[0, 0], [0, 0.5, 1, 1.5, 2])
    with fluid.program_guard(fluid.Program()):
        assert fluid.layers.fill_constant([1], "int64", 3, name="n").name == "n.tmp_0"
