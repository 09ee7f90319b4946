"""fluid 1.4 and 1.5 in a guard: names, building on first call, gradients, saving; and the same model as a static program."""

import os

import numpy as np
import pytest

import paddle.fluid as fluid
from paddle.fluid.dygraph.base import to_variable
from paddle.fluid.dygraph.nn import FC, Conv2D, Pool2D
from paddle.fluid.optimizer import AdamOptimizer, SGDOptimizer

RNG = np.random.RandomState(1)
IMAGES = RNG.rand(8, 1, 28, 28).astype("float32")
LABELS = RNG.randint(0, 10, [8, 1]).astype("int64")


class SimpleImgConvPool(fluid.dygraph.Layer):
    """As the tutorials of 1.4 (with channels) and 1.5 (without) write it."""

    def __init__(self, scope, channels, filters):
        super().__init__(scope)
        given = {} if channels is None else {"num_channels": channels}
        self._conv2d = Conv2D(self.full_name(), num_filters=filters, filter_size=5, stride=1, padding=0, dilation=1, groups=1,
                              param_attr=None, bias_attr=None, act="relu", use_cudnn=False, **given)
        self._pool2d = Pool2D(self.full_name(), pool_size=2, pool_type="max", pool_stride=2, pool_padding=0)

    def forward(self, x):
        return self._pool2d(self._conv2d(x))


class MNIST(fluid.dygraph.Layer):
    def __init__(self, scope, channels=True):
        super().__init__(scope)
        self._one = SimpleImgConvPool(self.full_name(), 1 if channels else None, 4)
        self._two = SimpleImgConvPool(self.full_name(), 4 if channels else None, 6)
        self._fc = FC(self.full_name(), 10, param_attr=fluid.param_attr.ParamAttr(
            initializer=fluid.initializer.NormalInitializer(loc=0.0, scale=0.1)), act="softmax")

    def forward(self, x):
        return self._fc(self._two(self._one(x)))


NAMES = [f"mnist/MNIST_0/{part}" for part in (
    "SimpleImgConvPool_0/Conv2D_0.w_0", "SimpleImgConvPool_0/Conv2D_0.b_0", "SimpleImgConvPool_1/Conv2D_0.w_0",
    "SimpleImgConvPool_1/Conv2D_0.b_0", "FC_0.w_0", "FC_0.b_0")]


def step(model, optimizer):
    loss = fluid.layers.mean(fluid.layers.cross_entropy(model(to_variable(IMAGES)), to_variable(LABELS)))
    loss.backward()
    optimizer.minimize(loss)
    model.clear_gradients()
    return float(loss.numpy())


@pytest.mark.parametrize("channels", [True, False])
def test_names_and_parameters_that_come_with_the_first_call(channels):
    for _ in range(2):
        with fluid.dygraph.guard():
            model = MNIST("mnist", channels)
            assert model.full_name() == "mnist/MNIST_0"
            assert len(model.parameters()) == (4 if channels else 0)
            model(to_variable(IMAGES))
            assert [p.name for p in model.parameters()] == NAMES


def test_training_without_a_parameter_list_updates_the_guard():
    with fluid.dygraph.guard():
        model, adam = MNIST("mnist"), AdamOptimizer(learning_rate=0.01)
        losses = [step(model, adam) for _ in range(12)]
    assert losses[-1] < 0.7 * losses[0]


def test_checkpoints_of_both_forms(tmp_path):
    folder = str(tmp_path / "save_dir")
    with fluid.dygraph.guard():
        model, adam = MNIST("mnist"), AdamOptimizer(learning_rate=0.01)
        step(model, adam)
        fluid.dygraph.save_persistables(model.state_dict(), folder)
        want = {p.name: p.numpy().copy() for p in model.parameters()}
        fresh = MNIST("mnist")  # built in the same guard: other names
        assert fresh.full_name() == "mnist/MNIST_1"
    assert os.path.isfile(os.path.join(folder, *NAMES[0].split("/")))
    with fluid.dygraph.guard():
        model = MNIST("mnist")
        restored = fluid.dygraph.load_persistables(model.state_dict(), folder)  # 1.4
        assert set(restored) == set(NAMES[:4])
    with fluid.dygraph.guard():
        model = MNIST("mnist")
        restored, _ = fluid.dygraph.load_persistables(folder)  # 1.5
        model.load_dict(restored)
        model(to_variable(IMAGES))  # FC exists only now
        for p in model.parameters():
            np.testing.assert_array_equal(p.numpy(), want[p.name])


def test_gradients_of_intermediates_and_of_data():
    class MyLayer(fluid.Layer):
        def forward(self, inputs):
            x = fluid.layers.relu(inputs)
            self._x_for_debug = x
            return [fluid.layers.reduce_sum(fluid.layers.elementwise_mul(x, x))]

    with fluid.dygraph.guard():
        layer = MyLayer("my_layer")
        out = layer(to_variable(np.array([1.0, 2.0, -1.0], np.float32)))[0]
        assert out.shape == [1]
        out.backward()
        np.testing.assert_array_equal(layer._x_for_debug.gradient(), [2, 4, 0])
        layer.clear_gradients()
        total = fluid.layers.reduce_sum(fluid.layers.sums([to_variable(np.ones([2, 2], np.float32)) for _ in range(10)]))
        total.backward()
        assert total.gradient().tolist() == [1.0] and total.numpy().tolist() == [40.0]
        assert f"{total.numpy():.3}" == "40.0"


def test_build_once_of_both_generations():
    class Old(fluid.dygraph.Layer):
        def build_once(self, x):
            self.w = self.create_parameter(None, [x.shape[1], 2], "float32")

        def forward(self, x):
            return fluid.layers.matmul(x, self.w)

    class New(Old):
        build_once = None

        def _build_once(self, x):
            self.w = self.create_parameter(attr=None, shape=[x.shape[1], 2], dtype="float32", is_bias=False)

    with fluid.dygraph.guard():
        for kind in (Old, New):
            layer = kind("net")
            assert layer.parameters() == []
            assert layer(to_variable(np.ones([3, 4], "float32"))).shape == [3, 2]
            assert layer.parameters()[0].name == f"net/{kind.__name__}_0.w_0"
            assert layer.never_set is None


def test_eval_is_for_the_whole_guard():
    with fluid.dygraph.guard():
        model = MNIST("mnist")
        model.eval()
        x = to_variable(np.ones([100], "float32"))
        np.testing.assert_allclose(fluid.layers.dropout(x, 0.4).numpy(), 0.6)
        assert model(to_variable(IMAGES)).stop_gradient
        model.train()
        assert set(np.unique(fluid.layers.dropout(x, 0.4).numpy())) == {0.0, 1.0}
        assert not model(to_variable(IMAGES)).stop_gradient
        model.eval()
        with fluid.dygraph.guard():
            assert not MNIST("mnist")(to_variable(IMAGES)).stop_gradient


def test_the_same_model_as_a_static_program():
    def values(model_or_list):
        return [np.asarray(v) for v in model_or_list]

    with fluid.dygraph.guard():
        model, sgd = MNIST("mnist"), SGDOptimizer(learning_rate=0.1)
        model(to_variable(IMAGES))
        begin = {p.name: p.numpy().copy() for p in model.parameters()}
        eager = [step(model, sgd) for _ in range(3)]
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard(), fluid.scope_guard(fluid.Scope()):
        model, sgd = MNIST("mnist"), SGDOptimizer(learning_rate=0.1)
        image = fluid.layers.data("pixel", [1, 28, 28])
        label = fluid.layers.data("label", [1], dtype="int64")
        assert tuple(image.shape) == (-1, 1, 28, 28)
        loss = fluid.layers.mean(fluid.layers.cross_entropy(model(image), label))
        sgd.minimize(loss)
        run = fluid.Executor(fluid.CPUPlace())
        first = values(run.run(startup, fetch_list=[p.name for p in model.parameters()]))
        assert [p.name for p in model.parameters()] == NAMES and [f.shape for f in first] == [begin[n].shape for n in NAMES]
        for name in NAMES:
            fluid.global_scope().find_var(name).get_tensor().set(begin[name], fluid.CPUPlace())
        static = [float(np.asarray(run.run(main, feed={"pixel": IMAGES, "label": LABELS}, fetch_list=[loss])[0]).reshape(-1)[0])
                  for _ in range(3)]
    np.testing.assert_allclose(eager, static, rtol=1e-4)


@pytest.mark.parametrize("make, shape, out", [
    (lambda: fluid.dygraph.BatchNorm("bn", 3, act="relu"), [2, 3, 4, 4], [2, 3, 4, 4]),
    (lambda: fluid.dygraph.BatchNorm(3), [2, 3, 4, 4], [2, 3, 4, 4]),
    (lambda: fluid.dygraph.Conv2DTranspose("ct", num_filters=2, filter_size=3), [1, 3, 4, 4], [1, 2, 6, 6]),
    (lambda: fluid.dygraph.Conv3D(3, 2, 3), [1, 3, 4, 4, 4], [1, 2, 2, 2, 2]),
    (lambda: fluid.dygraph.LayerNorm("ln", begin_norm_axis=1), [2, 3, 4], [2, 3, 4]),
    (lambda: fluid.dygraph.GroupNorm("gn", 3), [2, 3, 4, 4], [2, 3, 4, 4]),
    (lambda: fluid.dygraph.InstanceNorm(3), [2, 3, 4, 4], [2, 3, 4, 4]),
    (lambda: fluid.dygraph.PRelu("pr", mode="all"), [2, 3], [2, 3]),
    (lambda: fluid.dygraph.Linear(3, 5, act="tanh"), [2, 3], [2, 5]),
    (lambda: fluid.dygraph.Pool2D(pool_size=2, pool_stride=2, pool_type="avg"), [1, 3, 4, 4], [1, 3, 2, 2]),
    (lambda: fluid.dygraph.Pool2D("p", global_pooling=True), [1, 3, 4, 4], [1, 3, 1, 1]),
    (lambda: fluid.dygraph.RowConv("rc", 2), [2, 5, 3], [2, 5, 3]),
])
def test_layers_run_and_have_gradients(make, shape, out):
    with fluid.dygraph.guard():
        layer = make()
        y = layer(to_variable(RNG.randn(*shape).astype("float32")))
        assert y.shape == out
        fluid.layers.reduce_sum(y * y).backward()
        for p in layer.parameters():
            assert p.stop_gradient or p.gradient().shape == tuple(p.shape)


def test_embedding_ids_end_in_one_only_with_a_scope():
    ids = np.array([[[1], [2]]], "int64")
    with fluid.dygraph.guard():
        assert fluid.dygraph.Embedding("e", [5, 3])(to_variable(ids)).shape == [1, 2, 3]
        assert fluid.dygraph.Embedding([5, 3])(to_variable(ids[..., 0])).shape == [1, 2, 3]


def test_backward_strategy_and_graphs_gone_through_are_no_errors():
    with fluid.dygraph.guard():
        layer = fluid.dygraph.Linear(2, 1, bias_attr=False)
        loss = fluid.layers.reduce_sum(layer(to_variable(np.ones([3, 2], "float32"))))
        strategy = fluid.dygraph.BackwardStrategy()
        strategy.sort_sum_gradient = True
        loss.backward(strategy)
        loss.backward()
        np.testing.assert_array_equal(layer.weight.gradient(), [[3.0], [3.0]])
        frozen = to_variable(np.ones([2], "float32"))
        frozen.stop_gradient = True
        (frozen * 2).backward()
    x = fluid.dygraph.to_variable(np.ones([2], "float32"))
    (x * 2).backward()
    with pytest.raises(RuntimeError, match="freed"):
        y = x * x * 2
        y.backward()
        y.backward()


def test_parameters_added_by_name_in_scoped_layers():
    class Net(fluid.Layer):
        def _build_once(self, x):
            self._weights = [self.add_parameter(f"w_{n}", self.create_parameter(
                attr=fluid.ParamAttr(initializer=fluid.initializer.Constant(0.5)), shape=[2, 2], dtype="float32"))
                for n in range(2)]

        def forward(self, x):
            for w in self._weights:
                x = fluid.layers.matmul(x, w)
            return x

    with fluid.dygraph.guard():
        net = Net("net")
        assert net(to_variable(np.ones([1, 2], "float32"))).numpy().tolist() == [[1.0, 1.0]]
        assert [p.name for p in net.parameters()] == ["net/Net_0.w_0", "net/Net_0.w_1"]
        with pytest.raises(KeyError, match="forward"):
            net.add_parameter("forward", net._weights[0])


def test_gradient_clip_of_a_program():
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.scope_guard(fluid.Scope()):
        w = fluid.layers.create_parameter([4], "float32", default_initializer=fluid.initializer.Constant(0.0))
        fluid.clip.set_gradient_clip(fluid.clip.GradientClipByGlobalNorm(1.0))
        fluid.optimizer.SGD(1.0).minimize(fluid.layers.reduce_sum(w * 3.0))
        run = fluid.Executor(fluid.CPUPlace())
        run.run(startup)
        run.run(main)
        np.testing.assert_allclose(np.asarray(fluid.global_scope().find_var(w.name).get_tensor()), -0.5, rtol=1e-6)


def test_parameters_made_by_functions_belong_to_the_guard():
    with fluid.dygraph.guard():
        w = fluid.layers.create_parameter([2], "float32", default_initializer=fluid.initializer.Constant(1.0))
        loss = fluid.layers.reduce_sum(w * 2.0)
        loss.backward()
        SGDOptimizer(learning_rate=0.5).minimize(loss)
        assert w.numpy().tolist() == [0.0, 0.0]


def test_seeds_make_guards_repeatable():
    def drawn(inside):
        with fluid.dygraph.guard():
            if inside:
                fluid.default_startup_program().random_seed = fluid.default_main_program().random_seed = 90
            x = to_variable(np.ones([50], "float32"))
            return fluid.dygraph.Linear(2, 3).weight.numpy().copy(), fluid.layers.dropout(x, 0.5).numpy().copy()

    with fluid.program_guard(fluid.Program(), fluid.Program()):
        for inside in (True, False):  # the second time the seed is there when the guard is entered
            for a, b in zip(drawn(inside), drawn(inside)):
                np.testing.assert_array_equal(a, b)
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        assert (drawn(False)[0] != drawn(False)[0]).any()


@pytest.mark.parametrize("kind", ["Normal", "Uniform", "TruncatedNormal", "Xavier", "MSRA"])
def test_initializers_have_seeds(kind):
    with fluid.dygraph.guard():
        weights = [fluid.dygraph.Linear(2, 3, param_attr=getattr(fluid.initializer, kind)(seed=seed)).weight.numpy()
                   for seed in (7, 7, 8)]
    np.testing.assert_array_equal(weights[0], weights[1])
    assert (weights[0] != weights[2]).any()


def test_counts_of_accuracy():
    with fluid.dygraph.guard():
        correct, total = (fluid.layers.create_tensor("int32") for _ in range(2))
        share = fluid.layers.accuracy(to_variable(np.array([[0.9, 0.1], [0.8, 0.2], [0.3, 0.7]], "float32")),
                                      to_variable(np.array([[0], [1], [1]])), correct=correct, total=total)
        assert share.numpy() == np.float32(2 / 3) and correct.numpy().tolist() == [2] and total.numpy().tolist() == [3]
