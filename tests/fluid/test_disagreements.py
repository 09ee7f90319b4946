"""Where generations disagree: one test for each row of the table in docs/generations-details.md, in all generations it tells apart.

A = 1.4, B = 1.5, B+ = 1.6 to 1.8 (fluid without name_scope), C = 2.0 alpha, E = 2.6.
"""

import numpy as np
import pytest

import paddle
import paddle.fluid as fluid
import paddle.nn.functional as F
from paddle.fluid.dygraph import to_variable

ONE = np.array([[0.2, 0.8], [0.6, 0.4]], "float32")
LABEL = np.array([[1], [0]])


@pytest.fixture
def fluid_guard():
    with fluid.dygraph.guard():
        yield


@pytest.fixture
def alpha():
    with paddle.imperative.guard():
        yield


def weight_after(passes, layer, x):
    for _ in range(passes):
        fluid.layers.reduce_sum(layer(to_variable(x))).backward()
    return layer


def net_14():
    return fluid.dygraph.Conv2D("c", 1, 1, 1, bias_attr=False)


def net_15():
    return fluid.dygraph.Conv2D("c", 1, 1, bias_attr=False)


def test_gradients_of_a_second_backward_before_clearing(fluid_guard):
    """A and E add, B, B+ and C overwrite. A call that only 1.4 had (here: num_channels behind a name_scope) says A."""
    x = np.ones([1, 1, 1, 3], "float32")
    assert weight_after(2, net_15(), x).weight.gradient().tolist() == [[[[3.0]]]]
    plus = weight_after(2, fluid.dygraph.Linear(3, 1, bias_attr=False), x)
    assert plus.weight.gradient().tolist() == [[1.0]] * 3
    modern = weight_after(2, paddle.nn.Linear(3, 1), x)
    assert modern.weight.grad.numpy().tolist() == [[2.0]] * 3
    with fluid.dygraph.guard():
        assert weight_after(2, net_14(), x).weight.gradient().tolist() == [[[[6.0]]]]
    with paddle.imperative.guard():
        c = weight_after(2, paddle.nn.Linear(3, 1), x)
        assert c.weight.gradient().tolist() == [[1.0]] * 3


@pytest.mark.parametrize("evidence", [
    lambda: fluid.dygraph.FC("f", 2, fluid.ParamAttr()),
    lambda: fluid.dygraph.Conv2D("c", num_channels=1, num_filters=1, filter_size=1)])
def test_calls_that_only_14_had(fluid_guard, evidence):
    """A: FC(scope, size, param_attr, ...) and Conv2D(scope, num_channels, ...)."""
    w = to_variable(np.ones([2], "float32"))
    for _ in range(2):
        fluid.layers.reduce_sum(w * 3.0).backward()
    assert w.gradient().tolist() == [3.0, 3.0]
    evidence()
    fluid.layers.reduce_sum(w * 3.0).backward()
    assert w.gradient().tolist() == [6.0, 6.0]


def test_one_pass_adds_all_uses_of_a_parameter(fluid_guard):
    layer = fluid.dygraph.Linear(2, 2, bias_attr=False)
    x = to_variable(np.ones([1, 2], "float32"))
    (fluid.layers.reduce_sum(layer(x)) + fluid.layers.reduce_sum(layer(x))).backward()
    assert layer.weight.gradient().tolist() == [[2.0, 2.0]] * 2


def test_elements_have_shape_1_before_25(fluid_guard):
    """A to D: x[0] of a vector, and any single element, has shape [1]; E: []."""
    x = to_variable(np.arange(6, dtype="float32").reshape(2, 3))
    assert x[0].shape == [3] and x[1, 2].shape == [1] and x[0][1].shape == [1]
    assert [e.shape for e in x[0]] == [[1]] * 3 and [row.shape for row in x] == [[3]] * 2
    x[1, 2].backward()
    assert x.gradient().tolist() == [[0, 0, 0], [0, 0, 1]]
    with paddle.imperative.guard():
        assert paddle.imperative.to_variable(np.ones(3, "float32"))[0].shape == [1]
    assert to_variable(np.array(3.0)).shape == [1]


def test_elements_have_shape_0_in_2x():
    assert paddle.to_tensor([1.0, 2.0])[0].shape == [] and paddle.to_tensor([[1.0]])[0, 0].shape == []
    assert [e.shape for e in paddle.to_tensor([1.0, 2.0])] == [[], []]


def test_reductions_over_everything():
    """A to D: [1]; E: []."""
    with fluid.dygraph.guard():
        x = to_variable(ONE)
        assert {tuple(f(x).shape) for f in (fluid.layers.mean, fluid.layers.reduce_sum, fluid.layers.reduce_max)} == {(1,)}
        assert fluid.layers.mean(x).numpy().shape == (1,)
    with paddle.imperative.guard():
        x = paddle.imperative.to_variable(ONE)
        assert {tuple(f(x).shape) for f in (paddle.mean, paddle.sum, paddle.max)} == {(1,)}
        assert paddle.metric.accuracy(input=x, label=paddle.imperative.to_variable(LABEL)).shape == [1]
    x = paddle.to_tensor(ONE)
    assert {tuple(f(x).shape) for f in (paddle.mean, paddle.sum, paddle.max)} == {()}
    assert paddle.metric.accuracy(x, paddle.to_tensor(LABEL)).shape == []


def test_gradient_of_what_got_none():
    """A, B: an error; B+, C, E: None."""
    with fluid.dygraph.guard():
        layer = fluid.dygraph.Linear(2, 2)
        assert layer.weight.gradient() is None
        scoped = fluid.dygraph.Embedding("e", [2, 2])
        with pytest.raises(ValueError, match=r"e/Embedding_0.w_0 has no gradient"):
            scoped.weight.gradient()
    with paddle.imperative.guard():
        assert paddle.nn.Linear(2, 2).weight.gradient() is None
    assert paddle.nn.Linear(2, 2).weight.grad is None


def test_gradient_of_what_was_cut_off():
    """C: zeros once a pass has run (seed 003); E: None, and so is .grad everywhere."""
    for manager, want in ((paddle.imperative.guard(), 0.0), (paddle.no_grad(), None)):
        with manager, paddle.enable_grad():
            w = paddle.to_tensor(np.ones([2], "float32"), stop_gradient=False)
            cut = (w * 2.0).detach()
            (cut * w).backward()
            assert (cut.gradient() is None) if want is None else (cut.gradient() == want).all()
            assert cut.grad is None


def test_clearing_leaves_zeros():
    """All generations: gradient() is zeros after clearing."""
    with fluid.dygraph.guard():
        layer = weight_after(1, fluid.dygraph.Linear(2, 1), np.ones([1, 2], "float32"))
        layer.clear_gradients()
        assert not layer.weight.gradient().any()
    with paddle.imperative.guard():
        layer = weight_after(1, paddle.nn.Linear(2, 1), np.ones([1, 2], "float32"))
        layer.clear_gradients()
        assert not layer.weight.gradient().any()
    layer = paddle.nn.Linear(2, 1)
    layer(paddle.ones([1, 2])).sum().backward()
    layer.clear_gradients()
    assert not layer.weight.grad.numpy().any()


def test_gradients_of_intermediates():
    """A to D: kept; E: None unless retained, even the loss's own."""
    for manager in (fluid.dygraph.guard(), paddle.imperative.guard()):
        with manager:
            w = to_variable(np.ones([2], "float32"))
            w.stop_gradient = False
            middle = w * 2.0
            loss = fluid.layers.reduce_sum(middle)
            loss.backward()
            assert middle.gradient().tolist() == [1.0, 1.0] and loss.gradient().tolist() == [1.0]
    w = paddle.to_tensor([1.0, 1.0], stop_gradient=False)
    middle = w * 2.0
    loss = middle.sum()
    loss.backward()
    assert middle.grad is None and loss.grad is None


def test_a_second_backward_through_the_same_graph():
    """A to C: nothing happens; E: an error."""
    for manager in (fluid.dygraph.guard(), paddle.imperative.guard()):
        with manager:
            w = to_variable(np.ones([2], "float32"))
            w.stop_gradient = False
            loss = fluid.layers.reduce_sum(w * w)
            loss.backward()
            loss.backward()
            assert w.gradient().tolist() == [2.0, 2.0]
    w = paddle.to_tensor([1.0, 1.0], stop_gradient=False)
    loss = (w * w).sum()
    loss.backward()
    with pytest.raises(RuntimeError):
        loss.backward()


def test_data_and_gradients():
    """A, B: gradients of data are computed anyway; C and 2.x: data is stopped, and backward on it does nothing."""
    with fluid.dygraph.guard():
        x = to_variable(ONE)
        total = fluid.layers.sums([x, x])
        loss = fluid.layers.reduce_sum(total)
        loss.backward()
        assert loss.gradient().tolist() == [1.0] and (x.gradient() == 2).all()
    with paddle.imperative.guard():
        x = paddle.imperative.to_variable(ONE)
        y = x * 2.0
        y.backward()
        assert x.stop_gradient and y.stop_gradient and x.gradient() is None
    y = paddle.to_tensor(ONE) * 2.0
    y.backward()
    assert y.grad is None


def test_eval():
    """A, B, C: nothing is recorded in evaluation; E: it is."""
    x = np.ones([1, 2], "float32")
    for manager, make in ((fluid.dygraph.guard(), fluid.dygraph.Linear), (paddle.imperative.guard(), paddle.nn.Linear)):
        with manager:
            layer = make(2, 1)
            layer.eval()
            assert layer(to_variable(x)).stop_gradient
            layer.train()
            assert not layer(to_variable(x)).stop_gradient
    layer = paddle.nn.Linear(2, 1)
    layer.eval()
    assert not layer(paddle.to_tensor(x)).stop_gradient


def test_cross_entropy():
    """A, B, C: probabilities in, [N, 1] out; E: logits in, the mean out."""
    want = -np.log([[0.8], [0.6]])
    with fluid.dygraph.guard():
        np.testing.assert_allclose(fluid.layers.cross_entropy(to_variable(ONE), to_variable(LABEL)).numpy(), want, rtol=1e-5)
    with paddle.imperative.guard():
        loss = paddle.nn.functional.cross_entropy(to_variable(ONE), to_variable(LABEL))
        np.testing.assert_allclose(loss.numpy(), want, rtol=1e-5)
    loss = F.cross_entropy(paddle.to_tensor(ONE), paddle.to_tensor(LABEL))
    logs = np.log(np.exp(ONE) / np.exp(ONE).sum(1, keepdims=True))
    np.testing.assert_allclose(loss.numpy(), -(logs[0, 1] + logs[1, 0]) / 2, rtol=1e-5)


def test_split_concat_and_sums():
    """A to C: input=, dim=, keep_dim=, split along the last axis; E: x=, axis=, keepdim=, split along the first."""
    x = np.arange(8, dtype="float32").reshape(2, 4)
    with fluid.dygraph.guard():
        assert fluid.layers.split(to_variable(x), 2)[0].shape == [2, 2]
        assert fluid.layers.concat(input=[to_variable(x)] * 2, axis=1).shape == [2, 8]
    with paddle.imperative.guard():
        v = paddle.imperative.to_variable(x)
        assert paddle.split(v, 2)[0].shape == [2, 2] and paddle.concat(input=[v, v], axis=1).shape == [2, 8]
        assert paddle.sum(v, dim=1, keep_dim=True).shape == [2, 1] and paddle.split(v, 2, axis=0)[0].shape == [1, 4]
    v = paddle.to_tensor(x)
    assert paddle.split(v, 2)[0].shape == [1, 4]
    with pytest.raises(TypeError):
        paddle.concat(input=[v, v])


def test_matmul_with_alpha():
    """A to C: matmul(x, y, transpose_x, transpose_y, alpha); E: no alpha."""
    with fluid.dygraph.guard():
        assert fluid.layers.matmul(to_variable(ONE), to_variable(ONE), alpha=2.0).numpy()[0, 0] == pytest.approx(1.04)
    with paddle.imperative.guard():
        assert paddle.matmul(to_variable(ONE), to_variable(ONE), alpha=2.0).numpy()[0, 0] == pytest.approx(1.04)
    with pytest.raises(TypeError):
        paddle.matmul(paddle.to_tensor(ONE), paddle.to_tensor(ONE), alpha=2.0)


def test_dropout():
    """A to C: what is kept is not rescaled, evaluation multiplies by 1 - p; E: rescaled in training."""
    x = np.ones([200], "float32")
    with fluid.dygraph.guard():
        assert set(np.unique(fluid.layers.dropout(to_variable(x), 0.5).numpy())) == {0.0, 1.0}
        layer = fluid.dygraph.Dropout(0.25)
        layer.eval()
        assert np.unique(layer(to_variable(x)).numpy()).tolist() == [0.75]
    with paddle.imperative.guard():
        assert set(np.unique(paddle.nn.Dropout(0.5)(to_variable(x)).numpy())) == {0.0, 1.0}
    assert set(np.unique(paddle.nn.Dropout(0.5)(paddle.to_tensor(x)).numpy())) == {0.0, 2.0}


def test_create_parameter():
    """A, B: the attribute first; C, E: the shape first."""
    with fluid.dygraph.guard():
        assert fluid.Layer("l").create_parameter(None, [2, 3], "float32").shape == [2, 3]
    with paddle.imperative.guard():
        assert paddle.nn.Layer().create_parameter([2, 3]).shape == [2, 3]
    assert paddle.nn.Layer().create_parameter([2, 3]).shape == [2, 3]


def test_attributes_never_set():
    """A: None; B to E: AttributeError. Registering before super().__init__(): an error in all."""
    with fluid.dygraph.guard():
        net_14()
        assert fluid.Layer("l").never is None
    with fluid.dygraph.guard():
        with pytest.raises(AttributeError):
            fluid.Layer("l").never  # noqa: B018
        with pytest.raises(AttributeError):
            fluid.Layer().never  # noqa: B018
    with pytest.raises(AttributeError):
        paddle.nn.Layer().never  # noqa: B018

    class Early(fluid.Layer):
        def __init__(self):
            self.part = fluid.Layer("inner")

    with fluid.dygraph.guard(), pytest.raises(ValueError, match="super"):
        Early()


def test_attributes_of_layers():
    """A, B: _filter_param, _bias_param, FC's _w and _b; C to E: weight, bias."""
    with fluid.dygraph.guard():
        conv, fc = net_14(), fluid.dygraph.FC("f", 2)
        fc(to_variable(ONE))
        assert conv._filter_param is conv.weight and conv._bias_param is None
        assert fc._w is fc._w0 and fc._b.shape == [2] and fc.weight is fc._w0


def test_keys_of_state_dicts():
    """A: structured names; B: names of parameters; B+ to E: structured names."""
    class Net(fluid.Layer):
        def __init__(self, make):
            super().__init__("net")
            self._conv = make()

    x = np.ones([1, 1, 2, 2], "float32")
    for make, want in ((net_14, "_conv.weight"), (net_15, "c/Conv2D_0.w_0")):
        with fluid.dygraph.guard():
            net = Net(make)
            net._conv(to_variable(x))
            assert list(net.state_dict()) == [want]
            # loading goes by the parameters' names in both
            loaded = {"c/Conv2D_0.w_0": np.full([1, 1, 1, 1], 7.0, "float32")}
            net.load_dict(loaded)
            assert net._conv.weight.numpy().item() == 7.0
            net.load_dict({})  # what is missing is kept silently
    assert list(paddle.nn.Linear(1, 1).state_dict()) == ["weight", "bias"]


def test_values_missing_when_loading():
    """A, B: kept silently; C: RuntimeError; E: reported in what set_state_dict returns."""
    with paddle.imperative.guard(), pytest.raises(RuntimeError, match="bias"):
        paddle.nn.Linear(1, 1).set_dict({"weight": np.zeros([1, 1], "float32")})
    missing, unexpected = paddle.nn.Linear(1, 1).set_state_dict({"weight": np.zeros([1, 1], "float32")})
    assert missing == ["bias"] and unexpected == []


def test_optimizers_without_parameters():
    """A, B: every parameter of the guard; C: AttributeError at minimize; E: AttributeError when it is made."""
    with fluid.dygraph.guard():
        layer = fluid.dygraph.Linear(2, 1)
        loss = fluid.layers.reduce_sum(layer(to_variable(ONE)))
        loss.backward()
        before = layer.weight.numpy().copy()
        fluid.optimizer.SGD(0.1).minimize(loss)
        assert (layer.weight.numpy() != before).all()
    with paddle.imperative.guard():
        layer = paddle.nn.Linear(2, 1)
        loss = paddle.mean(layer(to_variable(ONE)))
        loss.backward()
        with pytest.raises(AttributeError):
            paddle.optimizer.SGD(0.1).minimize(loss)
    with pytest.raises(AttributeError, match="parameters must be given"):
        paddle.optimizer.SGD(0.1)


def test_names():
    """A, B: <scope>/<Class>_<n>, counters fresh in each guard; C, E: the class in snake case; tensors by generation."""
    for _ in range(2):
        with fluid.dygraph.guard():
            assert net_15().full_name() == "c/Conv2D_0" and fluid.dygraph.Linear(1, 1).full_name() == "linear_0"
            assert to_variable(ONE).name == "generated_var_0"
            named = fluid.dygraph.Linear(1, 1, param_attr=fluid.ParamAttr(name="mine"))
            scoped = fluid.dygraph.Embedding("e", [2, 2], param_attr=fluid.ParamAttr(name="mine"))
            assert named.weight.name == "mine" and scoped.weight.name == "e/Embedding_0.mine"
    with paddle.imperative.guard():
        names = [paddle.nn.Linear(1, 1).full_name(), paddle.nn.BatchNorm2D(2).weight.name]
        assert names == ["linear_0", "batch_norm2d_0.w_0"]
    assert paddle.to_tensor(ONE).name.startswith("generated_tensor_")


def test_printing():
    """A to C: name, type and flat data; E: Tensor(shape=...)."""
    with fluid.dygraph.guard():
        lines = str(to_variable(np.array([[1.0, 2.5]], "float32"))).splitlines()
        assert lines[0].startswith("name generated_var_0, dtype: VarType.FP32 shape: [1, 2]")
        assert [line.strip() for line in lines[1:]] == ["dim: 1, 2", "layout: NCHW", "dtype: float", "data: [1 2.5]"]
        assert to_variable(ONE).dtype == fluid.core.VarDesc.VarType.FP32 and str(to_variable(LABEL).dtype) == "VarType.INT64"
    assert str(paddle.float32) == "paddle.float32"
    assert str(paddle.to_tensor([1.0])).startswith("Tensor(shape=[1], dtype=float32, place=Place(cpu)")


def test_numbers_in_arrays():
    """A, B: float() and format() of a loss's array work, as NumPy once did for shape (1,)."""
    with fluid.dygraph.guard():
        loss = fluid.layers.mean(to_variable(ONE)).numpy()
        assert f"{loss:.3}" == "0.5" and float(loss) == 0.5 and loss.shape == (1,)


def test_conditions():
    """All: one element has a truth value, more are an AssertionError; where the version is not known they are true, as in 1.7."""
    for manager in (fluid.dygraph.guard(), paddle.imperative.guard(), paddle.enable_grad()):
        with manager:
            assert not paddle.to_tensor(np.array([0.0], "float32"))
    with fluid.dygraph.guard():
        assert paddle.to_tensor(ONE)
    for manager in (paddle.imperative.guard(), paddle.enable_grad()):
        with manager, pytest.raises(AssertionError):
            bool(paddle.to_tensor(ONE))


def test_layers_of_both_signatures():
    """Conv2D, Pool2D, Linear, Embedding: arguments of A, B, B+, C and E."""
    image, ids = np.ones([1, 3, 4, 4], "float32"), np.array([[[1], [0]]])
    with fluid.dygraph.guard():
        for conv in (fluid.dygraph.Conv2D("c", 3, 2, 3), fluid.dygraph.Conv2D("c", 2, 3), fluid.dygraph.Conv2D(3, 2, 3),
                     fluid.dygraph.Conv2D("c", num_filters=2, filter_size=3), paddle.nn.Conv2D(3, 2, 3)):
            assert conv(to_variable(image)).shape == [1, 2, 2, 2]
        assert fluid.dygraph.Pool2D("p", 2, "max", 2)(to_variable(image)).shape == [1, 3, 2, 2]
        assert fluid.dygraph.Pool2D(2, "avg", 2)(to_variable(image)).shape == [1, 3, 2, 2]
        assert fluid.dygraph.Embedding("e", [3, 2])(to_variable(ids)).shape == [1, 2, 2]
        assert fluid.dygraph.Embedding([3, 2])(to_variable(ids)).shape == [1, 2, 1, 2]
    with paddle.imperative.guard():
        v = paddle.imperative.to_variable(image)
        assert paddle.nn.Conv2D(num_channels=3, num_filters=2, filter_size=3, act="relu")(v).shape == [1, 2, 2, 2]
        assert paddle.nn.Pool2D(pool_size=2, pool_stride=2)(v).shape == [1, 3, 2, 2]
        assert paddle.nn.Linear(4, 5, None, None, "tanh")(v).shape == [1, 3, 4, 5]
        assert paddle.nn.Embedding([3, 2])(paddle.imperative.to_variable(ids[..., 0])).shape == [1, 2, 2]
    assert paddle.nn.Conv2D(3, 2, 3)(paddle.to_tensor(image)).shape == [1, 2, 2, 2]
    assert paddle.nn.MaxPool2D(2)(paddle.to_tensor(image)).shape == [1, 3, 2, 2]


def test_static_outside_guards():
    """A, B: fluid is static outside a guard, also for layers of dygraph; E: eager."""
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup):
        image = fluid.layers.data("img", [1, 4, 4])
        assert tuple(image.shape) == (-1, 1, 4, 4) and image.stop_gradient and isinstance(image.shape, tuple)
        out = net_15()(image)
        assert isinstance(out, fluid.Variable) and not fluid.in_dygraph_mode()
        assert fluid.data("x", [None, 3]).shape == (-1, 3)
    assert paddle.in_dynamic_mode() and isinstance(paddle.ones([1]) + 1, paddle.Tensor)


def test_adadelta_and_its_rate():
    """A to C ignore Adadelta's learning rate; E multiplies by it."""
    moved = {}
    for which, make in {"fluid": lambda p: fluid.optimizer.Adadelta(0.5, parameter_list=p),
                        "2.x": lambda p: paddle.optimizer.Adadelta(0.5, parameters=p)}.items():
        with fluid.dygraph.guard():
            layer = fluid.dygraph.Linear(1, 1, param_attr=fluid.initializer.Constant(0.0))
            loss = fluid.layers.reduce_sum(layer(to_variable(np.ones([1, 1], "float32"))))
            loss.backward()
            make(layer.parameters()).minimize(loss)
            moved[which] = layer.weight.numpy().item()
    assert moved["2.x"] == pytest.approx(moved["fluid"] / 2)
