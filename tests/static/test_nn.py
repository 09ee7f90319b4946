"""Functions of paddle.static.nn, static metrics, averages and the small names."""

import json
from pathlib import Path

import numpy as np
import pytest

import paddle
from paddle import static
from paddle.nn import functional as F

NAMES = json.loads((Path(__file__).resolve().parent.parent / "oracle/names.json").read_text())["names"]


def array(*shape, seed=0):
    return np.random.RandomState(seed).randn(*shape).astype("float32")


@pytest.mark.parametrize("module", ["paddle.static", "paddle.static.nn", "paddle.inference", "paddle.onnx"])
def test_every_name_of_paddle_exists(module):
    found = __import__(module, fromlist=["x"])
    assert [n for n in NAMES[module] if not hasattr(found, n)] == []


def run(out, feed):
    exe = static.Executor()
    exe.run(static.default_startup_program())
    return exe.run(feed=feed, fetch_list=out if isinstance(out, list) else [out])


def value(name):
    return paddle.to_tensor(static.global_scope().get(name))


def test_fc(static_mode):
    x = static.data("x", [None, 2, 3])
    y = static.nn.fc(x, 4, activation="relu")
    z = static.nn.fc([x, x], 5, num_flatten_dims=2, bias_attr=False)
    a = array(6, 2, 3)
    got_y, got_z = run([y, z], {"x": a})
    assert y.shape == (-1, 4) and z.shape == (-1, 2, 5)
    paddle.disable_static()
    assert {"fc_0.w_0", "fc_0.b_0", "fc_1.w_0", "fc_1.w_1"} == set(static.global_scope().values)
    t = paddle.to_tensor(a)
    np.testing.assert_allclose(got_y, F.relu(t.reshape([6, 6]) @ value("fc_0.w_0") + value("fc_0.b_0")).numpy(), rtol=1e-5)
    np.testing.assert_allclose(got_z, (t @ value("fc_1.w_0") + t @ value("fc_1.w_1")).numpy(), rtol=1e-5, atol=1e-6)


def test_convolutions_and_norms(static_mode):
    x = static.data("x", [None, 4, 8, 8])
    y = static.nn.conv2d(x, 6, 3, padding=1, groups=2, act="relu")
    up = static.nn.conv2d_transpose(x, 2, filter_size=2, stride=2)
    bn = static.nn.batch_norm(x, act="relu", moving_mean_name="mean", moving_variance_name="var")
    test = static.nn.batch_norm(x, is_test=True)
    ln = static.nn.layer_norm(x, begin_norm_axis=2)
    gn, inorm = static.nn.group_norm(x, 2), static.nn.instance_norm(x)
    a = array(3, 4, 8, 8)
    got = run([y, up, bn, test, ln, gn, inorm], {"x": a})
    scope = static.global_scope()
    paddle.disable_static()
    t = paddle.to_tensor(a)
    ones = paddle.ones([4])
    expected = [F.relu(F.conv2d(t, value("conv2d_0.w_0"), value("conv2d_0.b_0"), padding=1, groups=2)),
                F.conv2d_transpose(t, value("conv2d_transpose_0.w_0"), value("conv2d_transpose_0.b_0"), 2),
                F.relu(F.batch_norm(t, paddle.zeros([4]), paddle.ones([4]), ones, ones * 0, True)),
                F.batch_norm(t, paddle.zeros([4]), paddle.ones([4]), ones, ones * 0, False),
                F.layer_norm(t, [8, 8]), F.group_norm(t, 2), F.instance_norm(t)]
    for g, e in zip(got, expected):
        np.testing.assert_allclose(g, e.numpy(), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(scope.get("mean"), 0.1 * a.mean(axis=(0, 2, 3)), rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(scope.get("var"), 0.9 + 0.1 * a.var(axis=(0, 2, 3)), rtol=1e-4)


def test_embedding_prelu_bilinear_row_conv(static_mode):
    ids = static.data("ids", [None, 3], "int64")
    x, y = static.data("x", [None, 4]), static.data("y", [None, 5])
    seq = static.data("seq", [None, None, 4])
    e = static.nn.embedding(ids, [10, 6], padding_idx=2)
    p = static.nn.prelu(x, "all")
    b = static.nn.bilinear_tensor_product(x, y, 3)
    r = static.nn.row_conv(seq, 2)
    feed = {"ids": np.array([[1, 2, 9]]), "x": array(2, 4), "y": array(2, 5, seed=1), "seq": array(2, 6, 4)}
    got = run([e, p, b, r], feed)
    scope = static.global_scope()
    table = scope.get("embedding_0.w_0")
    np.testing.assert_array_equal(got[0][0], [table[1], table[2] * 0, table[9]])
    np.testing.assert_allclose(got[1], np.where(feed["x"] > 0, feed["x"], 0.25 * feed["x"]), rtol=1e-6)
    w = scope.get("bilinear_tensor_product_0.w_0")
    np.testing.assert_allclose(got[2], np.einsum("ni,kij,nj->nk", feed["x"], w, feed["y"]), rtol=1e-4, atol=1e-5)
    weight = scope.get("row_conv_0.w_0")
    padded = np.pad(feed["seq"], ((0, 0), (0, 2), (0, 0)))
    np.testing.assert_allclose(got[3], sum(padded[:, k:k + 6] * weight[k] for k in range(3)), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("settings, kernel", [  # as 2.6.2 chooses them
    ({"output_size": [16, 14], "stride": 2}, [4, 4]), ({"output_size": 16, "stride": 2, "padding": 1}, [6, 8]),
    ({"output_size": [9, 8], "padding": "SAME"}, [3, 3]), ({"output_size": [16, 14], "stride": 2, "dilation": 2}, [2, 2])])
def test_the_filter_that_gives_an_output_size(settings, kernel, static_mode):
    main = static.Program()
    with static.program_guard(main, static.Program()):
        out = static.nn.conv2d_transpose(static.data("x", [-1, 3, 7, 6]), 4, bias_attr=False, **settings)
    assert [list(p.shape) for p in main.all_parameters()] == [[3, 4, *kernel]]
    assert list(out.shape)[2:] == np.broadcast_to(settings["output_size"], 2).tolist()


def test_gradients_of_an_embedding_by_frequency(static_mode):
    table = np.random.RandomState(0).rand(5, 2).astype(np.float32)
    ids, w = static.data("ids", [4], "int64"), static.data("w", [5, 2])
    w.stop_gradient = False
    out = F.embedding(ids, w, scale_grad_by_freq=True)
    gradients = static.gradients(out * out, w)
    found = static.Executor().run(feed={"ids": np.array([1, 2, 1, 4]), "w": table}, fetch_list=[out, *gradients])
    assert np.array_equal(found[0], table[[1, 2, 1, 4]])
    assert np.allclose(found[1], 2 * table * [[0], [1], [1], [0], [1]])


def test_weight_norm(static_mode):
    x = static.data("x", [None, 4])
    y = static.nn.fc(x, 3, weight_attr=static.WeightNormParamAttr(dim=1, name="w"), bias_attr=False)
    paddle.optimizer.SGD(0.1).minimize(paddle.mean(y))
    a = array(5, 4)
    exe = static.Executor()
    exe.run(static.default_startup_program())
    v, g = (static.global_scope().get(n).copy() for n in ("w_v", "w_g"))
    got, = exe.run(feed={"x": a}, fetch_list=[y])
    np.testing.assert_allclose(got, a @ (g * v / np.sqrt((v ** 2).sum(axis=0, keepdims=True))), rtol=1e-4, atol=1e-5)
    assert (static.global_scope().get("w_g") != g).all()


def test_bad_arguments_say_so(static_mode):
    with pytest.raises(ValueError, match="sequence_pool.*lod_level"):
        static.nn.sequence_pool(static.data("rows", [None, 2]) * 2.0, "max")
    with pytest.raises(ValueError, match="no activation 'rellu'"):
        static.nn.fc(static.data("x", [None, 2]), 3, activation="rellu")
    paddle.disable_static()
    with pytest.raises(TypeError, match="static Variable"):
        static.nn.fc(paddle.ones([2, 2]), 3)


def test_accuracy_and_auc(static_mode):
    p, label = static.data("p", [None, 3]), static.data("label", [None, 1], "int64")
    top1, top2 = static.accuracy(p, label), static.accuracy(p, label, k=2)
    scores = np.array([[0.1, 0.7, 0.2], [0.5, 0.3, 0.2], [0.2, 0.3, 0.5]], "float32")
    got = run([top1, top2], {"p": scores, "label": np.array([[1], [1], [0]])})
    np.testing.assert_allclose(got, [1 / 3, 2 / 3], rtol=1e-6)


def test_auc_of_all_and_of_the_last_batch(static_mode):
    p, label = static.data("p", [None, 2]), static.data("label", [None, 1], "int64")
    total, batch, states = static.auc(p, label, num_thresholds=1000)
    exe = static.Executor()
    exe.run(static.default_startup_program())
    rng, seen = np.random.RandomState(0), [[], []]

    def exact(scores, labels):
        pos, neg = scores[labels == 1], scores[labels == 0]
        return np.mean((pos[:, None] > neg[None, :]) + 0.5 * (pos[:, None] == neg[None, :]))
    for _ in range(3):
        s, l = rng.rand(200).astype("float32"), rng.randint(0, 2, 200)
        s = np.round(np.clip(s * 0.7 + l * 0.2, 0, 1), 3)
        seen[0].append(s), seen[1].append(l)
        got = exe.run(feed={"p": np.stack([1 - s, s], 1).astype("float32"), "label": l[:, None]}, fetch_list=[total, batch])
        np.testing.assert_allclose(got[1], exact(s, l), atol=2e-3)
    np.testing.assert_allclose(got[0], exact(np.concatenate(seen[0]), np.concatenate(seen[1])), atol=2e-3)
    assert len(states) == 4


def test_moving_average(static_mode):
    x = static.data("x", [None, 3])
    layer = paddle.nn.Linear(3, 1)
    loss = paddle.mean(layer(x))
    test = static.default_main_program().clone(for_test=True)
    paddle.optimizer.SGD(0.5).minimize(loss)
    ema = static.ExponentialMovingAverage(0.8)
    ema.update()
    exe = static.Executor()
    exe.run(static.default_startup_program())
    scope, name, history = static.global_scope(), layer.weight.name, []
    for k in range(4):
        exe.run(feed={"x": array(4, 3, seed=k)})
        history.append(scope.get(name).copy())
    average = 0
    for w in history:
        average = 0.8 * average + 0.2 * w
    now = scope.get(name).copy()
    with ema.apply(exe):
        np.testing.assert_allclose(scope.get(name), average / (1 - 0.8 ** 4), rtol=1e-5)
        exe.run(test, {"x": array(4, 3)}, [loss.name])
    np.testing.assert_array_equal(scope.get(name), now)


def test_pylayer(static_mode):
    x, w = static.data("x", [3]), static.data("w", [3])
    x.stop_gradient = w.stop_gradient = False
    y = static.nn.static_pylayer(lambda a, b: paddle.exp(a) * b, [x, w], lambda g: (g * 10, g * w * 100))
    gx, gw = static.gradients(paddle.sum(y * 2), [x, w])
    plain = static.nn.static_pylayer(lambda a: a * 3, [x])
    assert plain.stop_gradient
    a, b = array(3), array(3, seed=1)
    got = static.Executor().run(feed={"x": a, "w": b}, fetch_list=[y, gx, gw, plain])
    np.testing.assert_allclose(got[0], np.exp(a) * b, rtol=1e-5)
    np.testing.assert_allclose(got[1], np.full(3, 20.0))
    np.testing.assert_allclose(got[2], 200 * b, rtol=1e-5)
    np.testing.assert_allclose(got[3], a * 3)


def test_print(static_mode, capsys):
    x = static.data("x", [3])
    x.stop_gradient = False
    y = static.Print(x, first_n=2, message="look", summarize=2)
    static.gradients(paddle.sum(y * 2), x)
    exe = static.Executor()
    for _ in range(3):
        exe.run(feed={"x": np.arange(3, dtype="float32")}, fetch_list=["x@GRAD"])
    text = capsys.readouterr().out
    assert text.count("look Variable: x\n") == 2 and "data: [0. 1. ...]" in text and "shape: [3]" in text
    assert text.count("@GRAD\n") == 2 and "data: [2. 2. ...]" in text


def test_assert(static_mode):
    x = static.data("x", [2])
    static.nn.Assert(paddle.all(x > 0), [x])
    y = x * 2
    exe = static.Executor()
    exe.run(feed={"x": np.ones(2, "float32")}, fetch_list=[y])
    with pytest.raises(ValueError, match=r"condition is false\n  x \[2\]: \[-1. -1.\]"):
        exe.run(feed={"x": -np.ones(2, "float32")}, fetch_list=[y])


def test_py_func(static_mode):
    x = static.data("x", [None, 2])
    x.stop_gradient = False
    out = static.default_main_program().current_block().create_var(shape=[-1, 2], dtype="float32")
    static.py_func(np.tanh, x, out, lambda x, y, g: g * (1 - y * y))
    g, = static.gradients(paddle.sum(out), x)
    a = array(3, 2)
    got = static.Executor().run(feed={"x": a}, fetch_list=[out, g])
    np.testing.assert_allclose(got[0], np.tanh(a), rtol=1e-6)
    np.testing.assert_allclose(got[1], 1 - np.tanh(a) ** 2, rtol=1e-5)
    skipping = static.default_main_program().current_block().create_var(shape=[-1, 2], dtype="float32")
    static.py_func(np.exp, x, skipping, lambda y, g: g * y, skip_vars_in_backward_input=x)
    g, = static.gradients(paddle.sum(skipping), x)
    np.testing.assert_allclose(static.Executor().run(feed={"x": a}, fetch_list=[g])[0], np.exp(a), rtol=1e-5)
    with pytest.raises(TypeError, match="callable"):
        static.py_func(3, x, out)


def test_places_guards_and_devices():
    assert len(static.cpu_places(2)) == 2
    with pytest.raises(ValueError, match="device_count"):
        static.cpu_places(0)
    with pytest.raises(ValueError, match="device_guard"), static.device_guard("toaster"):
        pass
    main = static.Program()
    with static.program_guard(main), static.name_scope("a"), static.name_scope("b"):
        paddle.exp(static.data("x", [1]))
    assert main.global_block().ops[0].attr("op_namescope") == "/a/b/"
    for make in (static.IpuStrategy, static.IpuCompiledProgram, static.ipu_shard_guard):
        with pytest.raises(NotImplementedError, match="IPU"):
            make()


def test_create_parameter_in_both_modes():
    p = static.create_parameter([2, 3], "float32", name="p")
    assert isinstance(p, paddle.Tensor) and p.name == "p" and not p.stop_gradient
    paddle.enable_static()
    v = static.create_parameter([2, 3], "float32", is_bias=True)
    assert v.is_parameter and v.name == "create_parameter_0.b_0"
    run(v, {})
    assert not static.global_scope().get(v.name).any()


def test_sums_of_click_through_models():
    main, startup = paddle.static.Program(), paddle.static.Program()
    with paddle.static.program_guard(main, startup):
        predicted, label = paddle.static.data("p", [None, 1]), paddle.static.data("l", [None, 1], "int32")
        weight = paddle.static.data("w", [None, 1], "int64")
        sums = paddle.static.ctr_metric_bundle(predicted, label, weight)
    exe = paddle.static.Executor()
    exe.run(startup)
    p, y, w = np.float32([[0.2], [0.7], [0.9]]), np.int32([[0], [1], [1]]), np.int64([[1], [1], [0]])
    for runs in (1, 2):
        got = exe.run(main, {"p": p, "l": y, "w": w}, list(sums))
        parts = [(p - y) ** 2, abs(p - y), p, 1 / (1 + np.exp(-p)), y, np.ones_like(p)]
        np.testing.assert_allclose([v.item() for v in got], [runs * (part * w).sum() for part in parts], rtol=1e-6)


@pytest.mark.parametrize("act, expected", [  # recorded with Paddle 2.6.2: the operators' own settings
    ("leaky_relu", [-0.05, -0.008, 3.0]), ("stanh", [-1.5995785, -0.44915882, 1.6553755]),
    ("elu", [-0.917915, -0.32967997, 3.0]), ("hard_swish", [-0.20833333, -0.17333333, 3.0])])
def test_activations_by_name(act, expected):
    eye = paddle.ParamAttr(initializer=paddle.nn.initializer.Assign(np.eye(3, dtype="float32")))
    with static.program_guard(static.Program(), static.Program()):
        y = static.nn.fc(static.data("x", [None, 3]), 3, weight_attr=eye, bias_attr=False, activation=act)
        exe = static.Executor()
        exe.run(static.default_startup_program())
        out = exe.run(feed={"x": np.array([[-2.5, -0.4, 3.0]], "float32")}, fetch_list=[y])[0]
    np.testing.assert_allclose(out, [expected], rtol=1e-6)


def test_group_norm_has_parameters_where_an_attribute_asks_for_them(static_mode):
    x = static.data("x", [2, 4, 3], "float64")
    static.nn.group_norm(x, 2)
    assert not static.default_main_program().all_parameters()
    static.nn.group_norm(x, 2, param_attr=paddle.ParamAttr(name="scale"), bias_attr=True)
    assert [(p.name, p.dtype) for p in static.default_main_program().all_parameters()] == [
        ("scale", paddle.float64), ("group_norm_1.b_0", paddle.float64)]


@pytest.mark.parametrize("function", [static.nn.conv2d, static.nn.conv2d_transpose])
def test_use_cudnn_is_true_or_false(static_mode, function):
    with pytest.raises(ValueError, match=r"use_cudnn must be one of"):
        function(static.data("x", [1, 3, 4, 4]), 3, filter_size=2, use_cudnn=[0])


def test_a_variable_for_an_axis_holds_integers(static_mode):
    with pytest.raises(TypeError, match=r"chunk\(\): axis must be of an integer type, got float32"):
        paddle.chunk(static.data("x", [4]), 2, static.data("axis", [1]))


@pytest.mark.parametrize("filters, size", [(0, 3), (3, 0), (3, [2, 0])])
def test_filters_have_sizes(static_mode, filters, size):
    with pytest.raises(ValueError, match="num_filters and filter_size must be positive"):
        static.nn.conv2d(static.data("x", [1, 3, 4, 4]), filters, size)
