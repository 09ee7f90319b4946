"""What 2.0 to 2.4 did otherwise than 2.6: there were no tensors of shape [], and up to 2.3 intermediates kept their gradients."""

import concurrent.futures
import os
import subprocess
import sys

import numpy as np
import pytest

import paddle
from paddle.core.context import process
from paddle.core.rooms import rooms

X = np.arange(6, dtype="float32").reshape(2, 3)
CALLS = {
    "mean": lambda x: paddle.mean(x), "sum": lambda x: x.sum(), "max": lambda x: x.max(), "norm": lambda x: paddle.norm(x),
    "logsumexp": lambda x: paddle.logsumexp(x), "std": lambda x: x.std(), "argmax": lambda x: x.argmax(),
    "all": lambda x: paddle.all(x > 0), "element": lambda x: x[0, 0], "dot": lambda x: paddle.dot(x[0], x[1]),
    "mse": lambda x: paddle.nn.functional.mse_loss(x, x * 2), "to_tensor": lambda x: paddle.to_tensor(3.0),
    "cross_entropy": lambda x: paddle.nn.functional.cross_entropy(x, paddle.to_tensor([0, 1])),
    "accuracy": lambda x: paddle.metric.accuracy(paddle.nn.functional.softmax(x), paddle.to_tensor([[0], [1]])),
}


@pytest.fixture
def generation():
    chosen, rules = process.chosen, process.rules
    yield paddle.set_generation
    paddle.set_generation("2.6")
    process.chosen, process.rules = chosen, rules
    rooms.choose_generation(process.chosen)


@pytest.mark.parametrize("version,shape", [("2.0", [1]), ("2.2", [1]), ("2.4", [1]), ("2.5", []), ("2.6", [])])
@pytest.mark.parametrize("name", CALLS)
def test_single_results(name, version, shape, generation):
    generation(version)
    assert CALLS[name](paddle.to_tensor(X)).shape == shape


@pytest.mark.parametrize("name", ["mean", "sum", "max", "norm", "logsumexp", "std", "dot", "mse", "cross_entropy"])
def test_their_gradients_are_the_same(name, generation):
    found = []
    for version in ("2.6", "2.4"):
        generation(version)
        x = paddle.to_tensor(X, stop_gradient=False)
        (CALLS[name](x) * 3).backward()
        found.append(x.grad.numpy())
    np.testing.assert_array_equal(*found)


def test_rows_of_two_matrices_multiplied(generation):
    generation("2.4")
    assert paddle.dot(paddle.to_tensor(X), paddle.to_tensor(X)).shape == [2, 1]
    generation("2.6")
    assert paddle.dot(paddle.to_tensor(X), paddle.to_tensor(X)).shape == [2]


def test_training_and_a_loss_that_is_indexed(generation):
    generation("2.2")
    paddle.seed(1)
    net = paddle.nn.Sequential(paddle.nn.Linear(3, 4), paddle.nn.ReLU(), paddle.nn.Linear(4, 1))
    adam = paddle.optimizer.Adam(0.05, parameters=net.parameters())
    losses = []
    for _ in range(20):
        loss = paddle.nn.functional.mse_loss(net(paddle.to_tensor(X)), paddle.to_tensor([[1.0], [2.0]]))
        loss.backward()
        adam.step()
        adam.clear_grad()
        losses.append(loss.numpy()[0])
    assert losses[-1] < losses[0] / 2


def test_fetched_numbers(generation):
    main = paddle.static.Program()
    with paddle.static.program_guard(main):
        x = paddle.static.data("x", [2, 3])
        mean = paddle.mean(x)
    for version, shape in (("2.4", (1,)), ("2.6", ())):
        generation(version)
        assert paddle.static.Executor().run(main, feed={"x": X}, fetch_list=[mean])[0].shape == shape


def test_second_derivatives(generation):
    generation("2.4")
    x = paddle.to_tensor([2.0, 3.0], stop_gradient=False)
    dx, = paddle.grad(x[0] ** 3 * x[1], x, create_graph=True)
    ddx, = paddle.grad(dx.sum(), x)
    assert dx.tolist() == [36.0, 8.0] and ddx.tolist() == [48.0, 12.0]


@pytest.mark.parametrize("version,place,dtype", [
    ("2.0", "CPUPlace", "VarType.FP32"), ("2.1", "CPUPlace", "paddle.float32"), ("2.2", "CPUPlace", "paddle.float32"),
    ("2.3", "Place(cpu)", "paddle.float32"), ("2.6", "Place(cpu)", "paddle.float32")])
def test_text_of_places_and_types(version, place, dtype, generation):
    """By the sources of the releases: operator<< of places, and the patched repr of VarType."""
    generation(version)
    x = paddle.to_tensor([1.0])
    assert str(x.place) == place and f"place={place}," in str(x) and str(x.dtype) == dtype


PROGRAM = """
import numpy as np, paddle, paddle.fluid as fluid
layers = fluid.layers
assert fluid.in_dygraph_mode()
net, x = fluid.dygraph.Linear(2, 1), fluid.dygraph.to_variable(np.ones([3, 2], "float32"))
loss = layers.reduce_mean(net(x))
loss.backward()
fluid.optimizer.SGD(0.1, parameter_list=net.parameters()).minimize(loss)
assert loss.shape == [1] and paddle.nn.Linear(2, 2).weight.name == "linear_1.w_0"
paddle.enable_static()
assert not fluid.in_dygraph_mode()
y = layers.fc(layers.data("a", [2]), 3)
exe = fluid.Executor(fluid.CPUPlace())
exe.run(fluid.default_startup_program())
assert exe.run(feed={"a": np.ones([1, 2], "float32")}, fetch_list=[y])[0].shape == (1, 3)
paddle.disable_static()
assert fluid.in_dygraph_mode() and layers.fill_constant([1], "float32", 2.0).numpy()[0] == 2
"""


@pytest.mark.parametrize("version,eager", [("1.8", False), ("2.0", True), ("2.4", True), ("2.6", False)])
def test_fluid_is_eager_beside_paddle(version, eager, tmp_path):
    """2.0 to 2.4 begin in dynamic mode, fluid's functions too, and have one switch; before and elsewhere fluid builds programs."""
    file = tmp_path / "program.py"
    file.write_text(PROGRAM)
    ended = subprocess.run([sys.executable, "-W", "ignore", file], env={**os.environ, "PADDLE_GENERATION": version},
                           capture_output=True, text=True)
    assert (ended.returncode == 0) is eager, ended.stderr


@pytest.mark.parametrize("version,kept", [("2.0", True), ("2.2", True), ("2.3", True), ("2.4", False), ("2.6", False)])
def test_intermediate_gradients_are_kept_up_to_2_3(version, kept, generation):
    """By hand: d(sum(y * y))/dy = 2 y; as it is before the hook, which doubles what goes on to x, and overwritten, not added to."""
    generation(version)

    def found():
        x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
        y = x * 3
        y.register_hook(lambda g: g * 2)
        loss = (y * y).sum()
        loss.backward(retain_graph=True)
        loss.backward()
        return x.grad.tolist(), y.grad, loss.grad
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        for x, y, loss in (found(), pool.submit(found).result()):
            assert x == [72.0, 144.0] and (y is not None) is (loss is not None) is kept
            assert not kept or (y.tolist(), list(loss.shape), loss.tolist()) == ([6.0, 12.0], [1], [1.0])


BETA = """
import numpy as np
import paddle
assert paddle.get_generation() == "2.0-beta" and not paddle.in_dynamic_mode()
x = paddle.static.data("x", [None, 2])
w = paddle.zeros([2, 1])  # of the program
import paddle.fluid as fluid
made = fluid.layers.fc(x, 1)
exe = paddle.static.Executor(paddle.CPUPlace())
exe.run(paddle.static.default_startup_program())
print([list(part.shape) for part in exe.run(feed={"x": np.ones([3, 2], "float32")}, fetch_list=[made, w])])
paddle.disable_static()
net = paddle.nn.Sequential(paddle.nn.Conv2d(1, 2, 3), paddle.nn.BatchNorm2d(2), paddle.nn.ReLU(), paddle.nn.MaxPool2d(2, 2))
rate = paddle.optimizer.lr_scheduler.StepLR(0.1, step_size=1, gamma=0.5)
opt = paddle.optimizer.Adam(rate, parameters=net.parameters())
loss = paddle.mean(net(paddle.to_tensor(np.ones([1, 1, 6, 6], "float32"))))
loss.backward()
opt.step()
rate.step()
print(loss.shape, opt.get_lr(), len(net.sublayers()), fluid.layers.reduce_sum(paddle.to_variable(np.ones([3], "float32"))).numpy())
"""


def test_2_0_beta_is_static_until_told_otherwise_and_has_names_of_its_own():
    """disable_static() is not called at the end of import in 2.0.0-beta0, as in rc0 and later."""
    run = subprocess.run([sys.executable, "-c", BETA], env={**os.environ, "PADDLE_GENERATION": "2.0-beta"}, capture_output=True,
                         text=True, timeout=300)
    assert run.stdout.splitlines() == ["[[3, 1], [2, 1]]", "[1] 0.05 4 [3.]"], run.stderr


def test_averages_of_2_0_beta_count_the_padding():
    x = paddle.ones([1, 1, 2, 2])
    assert paddle.nn.AvgPool2d(2, 2, 1)(x).tolist() == [[[[0.25, 0.25], [0.25, 0.25]]]]
    assert paddle.nn.AvgPool2d(2, 2, 1, count_include_pad=False)(x).tolist() == paddle.nn.AvgPool2D(2, 2, 1)(x).tolist()
    assert [part.shape for part in paddle.nn.MaxPool2d(2, return_indices=True)(x)] == [[1, 1, 1, 1]] * 2


RECURRENT = [("LSTM", ()), ("GRU", ()), ("SimpleRNN", ("relu",))]


@pytest.mark.parametrize("name, first", RECURRENT)
def test_recurrent_layers_of_2_0_beta_have_dropout_before_time_major(name, first, generation):
    """The order of v2.0.0-beta0; 2.0 has the other one."""
    make = getattr(paddle.nn, name)
    generation("2.0-beta")
    for layer in (make(3, 4, 2, *first, "bidirectional", 0.25, True),
                  make(3, 4, 2, *first, "bidirectional", 0.25, time_major=True)):
        assert (layer.dropout, layer.time_major, layer.num_directions) == (0.25, True, 2)
    with pytest.raises(TypeError, match=name):
        make(*[3] * 13)
    generation("2.0")
    layer = make(3, 4, 2, "bidirectional", True, 0.25)
    assert (layer.dropout, layer.time_major, layer.num_directions) == (0.25, True, 2)


@pytest.mark.parametrize("version,kind", [("2.0-beta", np.ndarray), ("2.0", np.ndarray), ("2.1", paddle.Tensor),
                                          ("2.6", paddle.Tensor)])
def test_gradients_are_arrays_in_2_0(version, kind, generation):
    """v2.0.2 has grad as another name of gradient(); optimizers and clipping work as ever. By hand: 6 is cut to 1, and
    3 - 0.5 * 1 = 2.5."""
    generation(version)
    w = paddle.create_parameter([1], "float32", default_initializer=paddle.nn.initializer.Constant(3.0))
    assert w.grad is None
    (w * w).sum().backward()
    assert type(w.grad) is kind and np.asarray(w.grad).tolist() == [6.0]
    paddle.nn.utils.clip_grad_norm_([w], 1.0)
    paddle.optimizer.SGD(0.5, parameters=[w]).step()
    np.testing.assert_allclose(w.numpy(), [2.5], rtol=1e-5)


@pytest.mark.parametrize("version,old", [("2.0", True), ("2.2", True), ("2.3", False), ("2.6", False)])
def test_categories_are_drawn_by_their_weights_up_to_2_2(version, old, generation):
    """From the sources: multinomial(logits) there, of the softmax from 2.3 on; a weight of 0 is never drawn, exp(0) often is."""
    generation(version)
    one = paddle.distribution.Categorical(paddle.to_tensor([[0.0, 0.1], [0.1, 0.0]]))
    drawn = one.sample([200]).numpy()
    assert (drawn == [1, 0]).all() if old else 0 < (drawn == [1, 0]).mean() < 1
    p = np.exp([0.0, 0.1]) / np.exp([0.0, 0.1]).sum()
    entropy = one.entropy()
    assert entropy.shape == ([2, 1] if old else [2])
    np.testing.assert_allclose(entropy.numpy().ravel(), [-(p * np.log(p)).sum()] * 2, rtol=1e-5)


@pytest.mark.parametrize("version", ["2.0", "2.4", "2.6"])
def test_draws_of_a_distribution_of_numbers_have_the_shape_that_is_asked_for(version, generation):
    generation(version)
    made = [paddle.distribution.Normal(0.5, 2.0), paddle.distribution.Uniform(0, 2.0)]
    assert [d.sample([2, 3]).shape for d in made] == [[2, 3]] * 2
    assert paddle.distribution.Normal([0.5], 2.0).sample([2]).shape == [2, 1]


class Rows(paddle.io.Dataset):
    """Single arrays."""

    def __getitem__(self, index):
        return np.full([2], index, "float32")

    def __len__(self):
        return 4


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("version,listed", [("2.0", True), ("2.1", False), ("2.6", False)])
def test_batches_of_single_arrays_are_lists_up_to_2_0(version, listed, workers, generation):
    """default_collate_fn of v2.0.2 stacks them into a list of one; real 2.6.2 gives the Tensor."""
    generation(version)
    batches = list(paddle.io.DataLoader(Rows(), batch_size=2, num_workers=workers))
    found = [batch[0] if listed else batch for batch in batches]
    assert all(isinstance(batch, list) is listed for batch in batches)
    assert [batch.tolist() for batch in found] == [[[0, 0], [1, 1]], [[2, 2], [3, 3]]]


OF_2 = "import paddle, package\npackage.use(paddle.to_tensor([1.0, 2.0]))\n"
OF_1 = "import paddle.fluid as fluid, package\npackage.build(fluid.layers.data('x', [2]))\n"
PACKAGE = """
import paddle, paddle.fluid as fluid
from paddle.fluid.framework import _dygraph_tracer, in_dygraph_mode

def use(x):
    assert in_dygraph_mode() and _dygraph_tracer()._has_grad and isinstance(x, fluid.Variable)
    made = fluid.layers.concat([x, fluid.layers.ones([1], "float32")])
    assert isinstance(made, paddle.Tensor) and made.tolist() == [1, 2, 1]
    assert paddle.sum(made).shape == []
    paddle.enable_static()
    assert not in_dygraph_mode() and _dygraph_tracer() is None
    assert not isinstance(fluid.layers.ones([1], "float32"), paddle.Tensor)

def build(x):
    assert not in_dygraph_mode() and _dygraph_tracer() is None
    assert not isinstance(fluid.layers.ones([1], "float32"), paddle.Tensor)
"""


@pytest.mark.parametrize("program", [OF_2, OF_1])
def test_fluid_in_packages_goes_by_the_program_that_uses_them(program, tmp_path):
    """In 2.0 to 2.4 fluid ran at once like paddle; packages of that time use it in programs that don't name it."""
    (tmp_path / "installed").mkdir()
    (tmp_path / "installed" / "package.py").write_text(PACKAGE)
    file = tmp_path / "program.py"
    file.write_text(program)
    ended = subprocess.run([sys.executable, "-W", "ignore", file], env={**os.environ, "PYTHONPATH": str(tmp_path / "installed")},
                           capture_output=True, text=True)
    assert not ended.returncode, ended.stderr
