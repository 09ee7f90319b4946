"""Behaviour of 1.4 to 1.8 and 2.0 alpha that programs of others rely on, beyond test_versions.py."""

import inspect

import numpy as np
import pytest

import paddle
import paddle.fluid as fluid
from paddle.core.context import process
from paddle.core.rooms import rooms
from paddle.fluid import core, layers
from paddle.fluid.dygraph import to_variable

X = np.arange(6, dtype="float32").reshape(2, 3)


@pytest.fixture
def alpha():
    chosen, rules = process.chosen, process.rules
    paddle.set_generation("2.0-alpha")
    yield
    paddle.set_generation("2.6")
    process.chosen, process.rules = chosen, rules
    rooms.choose_generation(process.chosen)


def fetch(variable, **feed):
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fluid.default_startup_program())
    return exe.run(feed=feed, fetch_list=[variable])[0]


# ---- gradients ---------------------------------------------------------------------------------------------------------------
def test_gradients_of_a_program_that_trains_nothing_have_names(programs):
    x = layers.data("x", [2, 3], append_batch_size=False)
    y = x * 2.0
    fluid.backward.append_backward(layers.reduce_sum(y * y))
    np.testing.assert_array_equal(fetch(y.name + "@GRAD", x=X), 4 * X)


def test_minimize_without_parameters_adds_nothing(programs):
    x = layers.data("x", [2, 3], append_batch_size=False)
    with pytest.warns(UserWarning, match="no trainable parameter"):
        assert fluid.optimizer.SGD(0.1).minimize(layers.reduce_mean(x)) == ([], [])


def test_grad_refuses_with_assertions_and_gives_what_can_be_differentiated():
    with fluid.dygraph.guard():
        x = to_variable(X)
        x.stop_gradient = False
        for outputs, inputs in ((None, None), (1, x), (x, 1), ([1], [x])):
            with pytest.raises(AssertionError):
                fluid.dygraph.grad(outputs, inputs)
        with pytest.raises(AssertionError):
            fluid.dygraph.grad([x], [x], grad_outputs=[x, x])
        for create_graph in (False, True):
            dx, = fluid.dygraph.grad([x], [x], create_graph=create_graph, retain_graph=True)
            assert dx.stop_gradient is not create_graph and (dx.numpy() == 1).all()


@pytest.mark.parametrize("clip,want", [
    (lambda need: fluid.clip.GradientClipByValue(1.0, need_clip=need), [1.0, 4.0]),
    (lambda need: fluid.clip.GradientClipByNorm(2.0, need_clip=need), [2.0, 4.0]),
    (lambda need: fluid.clip.GradientClipByGlobalNorm(2.0, need_clip=need), [2.0, 4.0])])
def test_clips_choose_parameters(clip, want):
    with fluid.dygraph.guard():
        first, second = to_variable(np.array([3.0], "float32")), to_variable(np.array([4.0], "float32"))
        first.name, second.name = "first", "second"
        pairs = clip(lambda p: p.name == "first")([(first, first), (second, None), (second, second)])
        assert [p.name for p, _ in pairs] == ["first", "second"]
        np.testing.assert_allclose([float(g.numpy()[0]) for _, g in pairs], want)
    with pytest.raises(TypeError, match="need_clip"):
        clip(3)


def test_the_clips_of_15():
    with fluid.dygraph.guard():
        g = to_variable(np.array([-3.0, 1.0, 9.0], "float32"))
        values = [list(fluid.dygraph_grad_clip.GradClipByValue(low, 5.0)([(g, g)])[0][1].numpy()) for low in (None, -1.0)]
    assert values == [[-3.0, 1.0, 5.0], [-1.0, 1.0, 5.0]]


# ---- names of C++ ------------------------------------------------------------------------------------------------------------
def test_tensors_are_variables_inside_guards_only():
    static = layers.data("v", [1])
    with fluid.dygraph.guard():
        tensor = core.VarBase(X)
        assert isinstance(tensor, fluid.Variable) and isinstance(static, fluid.Variable) and isinstance(tensor, core.VarBase)
    assert not isinstance(tensor, fluid.Variable) and isinstance(static, fluid.Variable) and not isinstance(static, core.VarBase)


def test_flags_are_a_mapping():
    flags = core.globals()
    before = flags["FLAGS_check_nan_inf"]
    flags["FLAGS_check_nan_inf"] = not before
    assert fluid.get_flags("FLAGS_check_nan_inf")["FLAGS_check_nan_inf"] is not before
    flags["FLAGS_check_nan_inf"] = before
    with pytest.raises(KeyError):
        flags["FLAGS_of_nobody"]


def test_the_layer_of_core_does_nothing_and_ours_must_be_defined():
    assert core.Layer().forward([]) == []
    with fluid.dygraph.guard(), pytest.raises(NotImplementedError):
        fluid.Layer("scope").forward([])


def test_static_variables_refuse_dynamic_methods_with_assertions(programs):
    x = layers.data("x", [1])
    for method in (x.backward, x.clear_gradient, x.numpy):
        with pytest.raises(AssertionError):
            method()
    assert core.EnforceNotMet == RuntimeError  # noqa: E721  (programs compare it so)


def test_decorators_keep_arguments():
    def function(a, b=1):
        return a + b
    assert inspect.getfullargspec(fluid.dygraph.no_grad(function)) == inspect.getfullargspec(function)


@pytest.mark.parametrize("call", [
    lambda: layers.create_global_var([1.0, 2.0], 2.0, "float32"), lambda: layers.create_parameter([1.0], "float32"),
    lambda: layers.create_parameter([2], "float32", default_initializer=X), lambda: fluid.data("d", 2, "float32"),
    lambda: layers.square_error_cost([1, 2], layers.data("l", [3])), lambda: layers.mse_loss([1, 2], layers.data("l", [3])),
    lambda: fluid.nets.scaled_dot_product_attention(X, X, X)])
def test_wrong_kinds_are_type_errors(call, programs):
    with pytest.raises(TypeError):
        call()


def test_name_scopes_count(programs):
    x = layers.data("x", [1])
    with fluid.name_scope("counted"):
        first = x + 1.0
    with fluid.name_scope("counted"):
        second = x * 2.0
    scopes = [op.attr("op_namescope") for op in fluid.default_main_program().global_block().ops]
    assert first is not second and scopes == ["/counted/", "/counted_1/"]


def test_what_tensors_of_guards_tell(alpha):
    with fluid.dygraph.guard():
        x = to_variable(X)
        assert x.block is fluid.default_main_program().global_block() and x.type == core.VarDesc.VarType.LOD_TENSOR
        assert x.to_string(True) == str(x) and (fluid.framework._var_base_to_np(x) == X).all()
        with pytest.raises(AssertionError):
            x.set_value(np.zeros([3, 3], "float32"))


def test_single_elements_of_static_variables_have_shape_1(alpha, programs):
    w = layers.data("w", [4, 3], append_batch_size=False)
    assert w[1, 1].shape == (1,) and w[1].shape == (3,)
    np.testing.assert_array_equal(fetch(w[1, 1], w=np.arange(12, dtype="float32").reshape(4, 3)), [4.0])


def test_a_variable_is_made_once(programs):
    block = fluid.default_main_program().global_block()
    made = block.create_var(name="once", shape=[2, 3], dtype="float32")
    assert block.create_var(name="once") is made
    with pytest.raises(ValueError, match="once"):
        block.create_var(name="once", shape=[3, 3])


def test_lod_tensors_share_memory():
    tensor = fluid.create_lod_tensor(np.array([[1], [2], [3]]), [[1, 2]], fluid.CPUPlace())
    shared = core.from_dlpack(tensor._to_dlpack())
    assert isinstance(shared, core.Tensor) and np.array(shared).tolist() == [[1], [2], [3]]


# ---- layers and programs -----------------------------------------------------------------------------------------------------
def test_losses_of_dygraph_have_shape_1():
    with fluid.dygraph.guard():
        for kind in (fluid.dygraph.L1Loss, fluid.dygraph.MSELoss):
            assert kind()(to_variable(X), to_variable(X)).shape == [1]
            assert kind(reduction="none")(to_variable(X), to_variable(X)).shape == [2, 3]


def test_an_inference_model_is_a_layer_to_train(programs, tmp_path):
    x = fluid.data("x", [None, 3])
    y = layers.fc(x, 2)
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fluid.default_startup_program())
    want = exe.run(feed={"x": X}, fetch_list=[y])[0]
    weight = next(p.name for p in fluid.default_main_program().all_parameters() if ".w_" in p.name)
    assert fluid.executor._fetch_var(weight).shape == (3, 2)
    fluid.io.save_inference_model(str(tmp_path), ["x"], [y], exe)
    with fluid.dygraph.guard():
        layer = fluid.dygraph.static_runner.StaticModelRunner(str(tmp_path))
        assert {p.name for p in layer.parameters()} == {p.name + core.loaded_var_suffix()
                                                        for p in fluid.default_main_program().all_parameters()}
        out = layer(to_variable(X))
        np.testing.assert_allclose(out.numpy(), want, rtol=1e-6)
        layers.reduce_sum(out).backward()
        fluid.optimizer.SGD(0.1, parameter_list=layer.parameters()).minimize(layers.reduce_sum(out))
        assert np.abs(layer(to_variable(X)).numpy() - want).max() > 0.1


def grow(x, n):
    kept = []
    for i in range(n):
        kept.append(x * float(i))
    if x.numpy()[0] > 0:
        x = x + 10.0
    else:
        x = x - 10.0
    return x, kept[1]


def test_functions_are_translated_into_the_program(programs):
    x = fluid.data("x", [2])
    sign, second = fluid.dygraph.jit.dygraph_to_static_func(grow)(x, 3)
    exe = fluid.Executor(fluid.CPUPlace())
    for values in ([1.0, 2.0], [-1.0, 2.0]):
        found = exe.run(feed={"x": np.array(values, "float32")}, fetch_list=[sign, second])
        step = 10.0 if values[0] > 0 else -10.0
        np.testing.assert_array_equal(found[0], np.array(values, "float32") + step)
        np.testing.assert_array_equal(found[1], np.array(values, "float32"))


def mixed(x, then):
    kept = []
    if x.numpy()[0] > 0:
        kept.append(x)
    else:
        kept.append(layers.fill_constant([1, 2], "int64", 9))
    return then(kept)


def test_lists_of_several_dtypes_are_written_sliced_and_returned(programs):
    x = fluid.data("x", [2])
    array = fluid.dygraph.jit.dygraph_to_static_func(mixed)(x, lambda kept: kept[0:])
    first = layers.array_read(array, layers.fill_constant([1], "int64", 0))
    exe = fluid.Executor(fluid.CPUPlace())
    for values, want in (([1.0, 2.0], np.float32([1, 2])), ([-1.0, 2.0], np.int64([[9, 9]]))):
        found, = exe.run(feed={"x": np.array(values, "float32")}, fetch_list=[first])
        assert found.dtype == want.dtype and found.tolist() == want.tolist()
    with pytest.raises(paddle.jit.errors.Untranslatable, match="several dtypes"):  # a sum has one dtype before the program runs
        fluid.dygraph.jit.dygraph_to_static_func(mixed)(x, lambda kept: kept[0] + 1)


# ---- 2.0 alpha ---------------------------------------------------------------------------------------------------------------
def test_convolutions_of_alpha_take_padding_first(alpha):
    with fluid.dygraph.guard():
        x, w = to_variable(np.ones([1, 2, 6, 6], "float32")), to_variable(np.ones([4, 2, 3, 3], "float32"))
        assert paddle.nn.functional.conv2d(x, w, None, 1, 2, act="relu").shape == [1, 4, 3, 3]
        assert paddle.nn.Conv2D(2, 4, 3, 1, 2, act="relu")(x).shape == [1, 4, 3, 3]
        last = to_variable(np.ones([1, 6, 6, 2], "float32"))
        assert paddle.nn.Conv2D(2, 4, 3, data_format="NHWC")(last).shape == [1, 4, 4, 4]
        turned = to_variable(np.ones([2, 4, 3, 3], "float32"))
        assert paddle.nn.functional.conv2d_transpose(x, turned, None, None, 1, 2).shape == [1, 4, 11, 11]
        for wrong in ({"use_cudnn": "no"}, {"groups": 3}, {"data_format": "NDHWC"}):
            with pytest.raises(ValueError):
                paddle.nn.functional.conv2d(x, w, **wrong)


def test_cross_entropy_of_pictures_in_alpha(alpha):
    logits = np.random.RandomState(0).rand(2, 3, 4, 5).astype("float32")
    label = np.random.RandomState(1).randint(0, 3, [2, 4, 5])
    with fluid.dygraph.guard():
        loss = paddle.nn.CrossEntropyLoss()(to_variable(logits), to_variable(label))
    chosen = np.log(np.exp(logits) / np.exp(logits).sum(-1, keepdims=True))
    want = -np.mean([chosen[n, label[n, h, w], h, w] for n in range(2) for h in range(4) for w in range(5)])
    np.testing.assert_allclose(loss.numpy(), [want], rtol=1e-5)


def test_row_conv_of_alpha(alpha):
    with fluid.dygraph.guard():
        x = to_variable(np.ones([1, 4, 3], "float32"))
        w = to_variable(np.ones([2, 3], "float32"))
        np.testing.assert_array_equal(paddle.nn.functional.row_conv(x, w).numpy()[0, :, 0], [2, 2, 2, 1])
        assert paddle.nn.RowConv(3, 1, act="relu")(x).shape == [1, 4, 3]


def test_batches_of_given_numbers_in_alpha():
    assert list(paddle.io.BatchSampler(indices=[5, 3, 1], batch_size=2)) == [[5, 3], [1]]
    assert len(paddle.io.BatchSampler(indices=[5, 3, 1], batch_size=2, drop_last=True)) == 1
    assert sorted(next(iter(paddle.io.BatchSampler(indices=[5, 3, 1], batch_size=3, shuffle=True)))) == [1, 3, 5]
    for wrong in ({"dataset": [1, 2], "indices": [0]}, {"indices": 3}):
        with pytest.raises(AssertionError):
            paddle.io.BatchSampler(batch_size=2, **wrong)


def test_integers_of_programs_divide_to_integers(alpha, programs):
    a = layers.data("a", [3], dtype="int64", append_batch_size=False)
    found = fetch(a / 7, a=np.array([6, 21, -8], "int64"))
    assert found.dtype == np.int64 and found.tolist() == [0, 3, -1]
