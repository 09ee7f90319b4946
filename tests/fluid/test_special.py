"""Layers for many classes, trees and sequences: against recorded values of 2.6.2 (legacy.json) and NumPy."""

import json
import pathlib

import numpy as np
import pytest

import paddle
import paddle.fluid as fluid
from paddle.fluid.dygraph import to_variable
from paddle.ops.loss.nce import alias_table, chances, nce
from paddle.ops.random.sampling import uniform_random

REAL = json.loads(pathlib.Path(__file__).with_name("legacy.json").read_text())["nce"]
X, W, B = (np.array(REAL[k], "float32") for k in "xwb")
LABEL = np.array(REAL["label"])
RNG = np.random.RandomState(3)


def cost_of(p, ids, chance):
    noise = chance(ids) * 2
    return (np.log(p + noise) - np.where(np.arange(3) < 1, np.log(p), np.log(noise))).sum(1, keepdims=True)


@pytest.mark.parametrize("sampler", ["uniform", "log_uniform"])
def test_costs_follow_from_the_classes_drawn_as_in_paddle(sampler):
    number = ("uniform", "log_uniform").index(sampler)
    real = REAL["results"][sampler]
    ids, p = np.array(real["SampleLabels"]), np.array(real["SampleLogits"])
    np.testing.assert_allclose(cost_of(p, ids, lambda i: chances(i, 5, number)), real["Cost"], rtol=1e-5)
    cost, logits, drawn = nce(X, LABEL, W, B, None, None, None, None, 5, 2, number, 3)
    np.testing.assert_allclose(logits[:, :1], p[:, :1], rtol=1e-5)
    np.testing.assert_allclose(cost, cost_of(logits, drawn, lambda i: chances(i, 5, number)), rtol=1e-5)


def test_nce_against_given_classes():
    cost, logits, ids = nce(X, LABEL, W, B, num_total_classes=5, num_neg_samples=2, custom_neg_classes=[3, 0])
    assert ids[:, -2:].tolist() == [[3, 0]] * len(X)
    assert np.allclose(logits, 1 / (1 + np.exp(-np.einsum("nd,nkd->nk", X, W[ids]) - B.ravel()[ids])), rtol=1e-5)
    assert np.allclose(cost, cost_of(logits, ids, lambda i: chances(i, 5, 0)), rtol=1e-5)
    with pytest.raises(ValueError, match="2 classes, got 1"):
        nce(X, LABEL, W, B, num_total_classes=5, num_neg_samples=2, custom_neg_classes=[3])


def test_a_distribution_of_ones_own():
    real = REAL["results"]["forced"]
    with fluid.dygraph.guard():
        layer = fluid.dygraph.NCE(5, 4, num_neg_samples=2, sampler="custom_dist", custom_dist=[0, 0, 0, 1, 0])
        layer.weight.set_value(W)
        layer.bias.set_value(B)
        np.testing.assert_allclose(layer(to_variable(X), to_variable(LABEL)).numpy() * 3, real["Cost"], rtol=1e-5)


def test_draws_are_as_likely_as_they_should_be():
    label = np.zeros([1, 1], "int64")
    for number, probs in ((0, None), (1, None), (2, np.array([0.5, 0.1, 0.1, 0.3, 0.0], "float32"))):
        _, _, ids = nce(X[:1], label, W, None, None, probs, None, None, 5, 20000, number, 1)
        want = np.append(chances(np.arange(4), 5, 1), 0.0) if number == 1 else chances(np.arange(5), 5, number, probs)
        np.testing.assert_allclose(np.bincount(ids[0, 1:], minlength=5) / 20000, want, atol=0.015)
    other, keep = alias_table([0.5, 0.1, 0.1, 0.3, 0.0])
    drawn = np.array([(keep + np.bincount(other[other >= 0], (1 - keep)[other >= 0], 5)) / 5]).ravel()
    np.testing.assert_allclose(drawn, [0.5, 0.1, 0.1, 0.3, 0.0], atol=1e-6)


def test_nce_trains_in_a_guard_and_in_a_program():
    label = np.arange(20).reshape(-1, 1) % 5
    x = np.eye(5, dtype="float32")[label[:, 0]]
    paddle.seed(1)
    with fluid.dygraph.guard():
        layer, sgd = fluid.dygraph.NCE("n", 5, num_neg_samples=3, sampler="log_uniform"), fluid.optimizer.SGD(3.0)
        losses = []
        for _ in range(30):
            loss = fluid.layers.mean(layer(to_variable(x), to_variable(label)))
            loss.backward()
            sgd.minimize(loss)
            layer.clear_gradients()
            losses.append(float(loss.numpy()[0]))
        assert [p.name for p in layer.parameters()] == ["n/NCE_0.w_0", "n/NCE_0.b_0"]
    assert np.mean(losses[-5:]) < 0.8 * np.mean(losses[:5])
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.scope_guard(fluid.Scope()), fluid.unique_name.guard():
        layer = fluid.dygraph.NCE("n", 5, num_neg_samples=3)
        loss = fluid.layers.mean(layer(fluid.data("x", [None, 5]), fluid.data("label", [None, 1], "int64")))
        fluid.optimizer.SGD(3.0).minimize(loss)
        exe = fluid.Executor(fluid.CPUPlace())
        exe.run(startup)
        losses = [exe.run(main, feed={"x": x, "label": label}, fetch_list=[loss])[0].item() for _ in range(30)]
    assert np.mean(losses[-5:]) < 0.8 * np.mean(losses[:5])


def test_mistakes_with_nce_say_so():
    with fluid.dygraph.guard():
        with pytest.raises(ValueError, match="sampler must be one of"):
            fluid.dygraph.NCE("n", 5, sampler="odd")
        with pytest.raises(ValueError, match="goes with it"):
            fluid.dygraph.NCE("n", 5, custom_dist=[0.2] * 5)
        with pytest.raises(ValueError, match="5 probabilities"):
            fluid.dygraph.NCE("n", 5, sampler="custom_dist", custom_dist=[0.5, 0.5])
        with pytest.raises(ValueError, match=r"nce\(\): labels must be in \[0, 5\)"):
            fluid.dygraph.NCE("n", 5)(to_variable(X), to_variable(LABEL + 1))


def test_hierarchical_sigmoid_is_that_of_2x():
    table = np.array([[0, 2, -1, -1], [0, 1, 3, -1], [0, 1, 4, -1]])
    code = np.array([[0, 0, -1, -1], [1, 1, 1, -1], [1, 0, 0, -1]])
    with fluid.dygraph.guard():
        layer = fluid.dygraph.HSigmoid(4, 5)
        got = layer(to_variable(X), to_variable(LABEL))
        want = paddle.nn.functional.hsigmoid_loss(to_variable(X), to_variable(LABEL), 5, layer.weight, layer.bias)
        np.testing.assert_array_equal(got.numpy(), want.numpy())
        own = fluid.dygraph.HSigmoid(4, 5, is_custom=True, bias_attr=False)
        assert own.weight.shape == [5, 4]
        assert own(to_variable(X), to_variable(LABEL), to_variable(table), to_variable(code)).shape == [3, 1]
        with pytest.raises(ValueError, match="needs path_table"):
            own(to_variable(X), to_variable(LABEL))
        fluid.layers.hsigmoid(to_variable(X), to_variable(LABEL), 5).backward()


def test_trees():
    edges = to_variable(np.array([[[1, 2], [1, 3], [3, 4], [0, 0]]], "int32"))
    nodes = to_variable(RNG.randn(1, 5, 4).astype("float32"))
    with fluid.dygraph.guard():
        scoped, sized = fluid.dygraph.TreeConv("t", 6, 2), fluid.dygraph.TreeConv(4, 6, 2, act=None, bias_attr=False)
        assert scoped(nodes, edges).shape == [1, 5, 6, 2] and scoped.W.shape == [4, 3, 6, 2]
        y = sized(nodes, edges)
        # a leaf sees itself from the top; node 5 is in no tree; the root's children share its window from left and right
        x, w = nodes.numpy()[0], sized.weight.numpy()
        np.testing.assert_allclose(y.numpy()[0, 3], np.tensordot(x[3], w[:, 2], 1), rtol=1e-5, atol=1e-6)
        assert not y.numpy()[0, 4].any()
        root = (np.tensordot(x[0], w[:, 2], 1) + 0.5 * np.tensordot(x[1] + x[2], w[:, 2], 1) + 0.5 * np.tensordot(x[1], w[:, 1], 1)
                + 0.5 * np.tensordot(x[2], w[:, 0], 1) + 0.25 * np.tensordot(x[2], w[:, 1], 1))
        np.testing.assert_allclose(y.numpy()[0, 0], root, rtol=1e-4, atol=1e-5)
        fluid.layers.reduce_sum(y).backward()
        assert sized.weight.gradient().shape == (4, 3, 6, 2)


def test_sequence_conv_is_for_programs():
    rows = RNG.randn(5, 2).astype("float32")
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.scope_guard(fluid.Scope()), fluid.unique_name.guard():
        x = fluid.layers.data("x", [2], lod_level=1)
        y = fluid.dygraph.SequenceConv("s", 3, bias_attr=False)(x)
        exe = fluid.Executor(fluid.CPUPlace())
        weight, = exe.run(startup, fetch_list=["s/SequenceConv_0.w_0"])
        got = np.asarray(exe.run(main, feed={"x": fluid.create_lod_tensor(rows, [[2, 3]], fluid.CPUPlace())}, fetch_list=[y],
                                 return_numpy=False)[0])
    zero = np.zeros(2, "float32")
    parts = [rows[0], rows[1]], [rows[2], rows[3], rows[4]]
    want = [np.concatenate([([zero, *p, zero])[k + j] for j in range(3)]) @ weight for p in parts for k in range(len(p))]
    np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)
    with fluid.dygraph.guard(), pytest.raises(NotImplementedError, match="static programs only"):
        fluid.dygraph.SequenceConv("s", 3)


def sig(x):
    return 1 / (1 + np.exp(-x))


@pytest.mark.parametrize("apart", [True, False])
def test_recurrent_cells_of_18(apart):
    x, h, c = (RNG.randn(2, n) for n in (3, 4, 4))
    with fluid.dygraph.guard():
        given = [to_variable(v) for v in (x, h, c)]
        lstm = fluid.dygraph.LSTMCell(4, 3, forget_bias=0.5, use_cudnn_impl=apart)
        gru = fluid.dygraph.GRUCell(4, 3, use_cudnn_impl=apart)
        hidden, cell = lstm(*given)
        out = gru(*given[:2])
        p = {k: v.numpy() for k, v in {**lstm.state_dict(), **{"g" + k: v for k, v in gru.state_dict().items()}}.items()}
        fluid.layers.reduce_sum(out + hidden).backward()
        assert all(q.gradient().any() for layer in (lstm, gru) for q in layer.parameters())
        assert out.numpy().dtype == np.float64
        plain = fluid.dygraph.LSTMCell(4, 3, activation=fluid.layers.relu, bias_attr=False, dtype="float32")
        assert len(plain.parameters()) == 2
        assert (plain(*[to_variable(v.astype("float32")) for v in (x, h, c)])[0].numpy() >= 0).all()
    if apart:
        i, f, g, o = np.split(x @ p["_weight_ih"].T + p["_bias_ih"] + h @ p["_weight_hh"].T + p["_bias_hh"], 4, 1)
        xr, xz, xc = np.split(x @ p["g_weight_ih"].T + p["g_bias_ih"], 3, 1)
        hr, hz, hc = np.split(h @ p["g_weight_hh"].T + p["g_bias_hh"], 3, 1)
        z, n = sig(xz + hz), np.tanh(xc + sig(xr + hr) * hc)
    else:
        i, g, f, o = np.split(np.hstack([x, h]) @ p["_weight"] + p["_bias"], 4, 1)
        f = f + 0.5
        r, z = np.split(sig(np.hstack([x, h]) @ p["g_gate_weight"] + p["g_gate_bias"]), 2, 1)
        n = np.tanh(np.hstack([x, r * h]) @ p["g_candidate_weight"] + p["g_candidate_bias"])
    want = sig(f) * c + sig(i) * np.tanh(g)
    np.testing.assert_allclose(cell.numpy(), want)
    np.testing.assert_allclose(hidden.numpy(), sig(o) * np.tanh(want))
    np.testing.assert_allclose(out.numpy(), z * h + (1 - z) * n)


def test_transposed_convolutions_of_a_wanted_size():
    x = np.ones([1, 3, 4, 4], "float32")
    with fluid.dygraph.guard():
        for layer in (fluid.dygraph.Conv2DTranspose("t", 2, [9, 9], stride=2), fluid.dygraph.Conv2DTranspose("t", 2, 9, None, 0, 2),
                      fluid.dygraph.Conv2DTranspose(3, 2, None, 9, stride=2)):
            assert layer(to_variable(x)).shape == [1, 2, 9, 9] and layer.weight.shape == [3, 2, 3, 3]
        larger = fluid.dygraph.Conv2DTranspose("t", 2, filter_size=3, output_size=[10, 10], stride=2)
        assert larger(to_variable(x)).shape == [1, 2, 10, 10]
        with pytest.raises(TypeError, match="needs num_filters and filter_size"):
            fluid.dygraph.Conv2DTranspose("t", 2)


def test_a_uniform_parameter_with_a_diagonal():
    with fluid.dygraph.guard():
        plain, with_diagonal = (fluid.layers.create_parameter([3, 4], "float32", default_initializer=fluid.initializer.Uniform(
            -1.0, 1.0, 5, *diagonal)).numpy() for diagonal in ((), (3, 4, 2.0)))
    assert np.array_equal(with_diagonal, np.where(np.eye(3, 4), 2.0, plain).astype("float32"))
    with pytest.raises(ValueError, match="do not fit"):
        uniform_random(shape=[2, 2], diag_num=3, diag_step=2)
