"""fluid.contrib.layers: recurrent layers against a loop in NumPy, and small functions."""

import numpy as np
import pytest

import paddle.fluid as fluid
from paddle.fluid.contrib import layers as contrib

X = np.random.RandomState(0).randn(2, 3, 4).astype("float32")
LENGTHS = np.array([3, 2])


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def gru_step(x, state, values):
    h, = state
    gates = sigmoid(np.concatenate([x, h], 1) @ values["w_gate"] + values["b_gate"])
    r, u = np.split(gates, 2, 1)
    c = np.tanh(np.concatenate([x, r * h], 1) @ values["w_candidate"] + values["b_candidate"])
    return [u * h + (1 - u) * c]


def lstm_step(x, state, values):
    h, c = state
    i, j, f, o = np.split(np.concatenate([x, h], 1) @ values["w"] + values["b"], 4, 1)
    c = c * sigmoid(f + 1.0) + sigmoid(i) * np.tanh(j)
    return [np.tanh(c) * sigmoid(o), c]


def loop(x, step, kinds, values, backward, size=5):
    """(outputs [N, T, H], last states) with states that stay where a sequence has ended."""
    state, outs = [np.zeros((len(x), size)) for _ in range(kinds)], []
    order = range(x.shape[1])
    for t in reversed(order) if backward else order:
        alive = (t < LENGTHS)[:, None]
        state = [np.where(alive, new, old) for new, old in zip(step(x[:, t], state, values), state)]
        outs.append(state[0])
    return np.stack(outs[::-1] if backward else outs, 1), state


@pytest.mark.parametrize("kind, step, kinds", [("basic_gru", gru_step, 1), ("basic_lstm", lstm_step, 2)])
def test_recurrent_layers(kind, step, kinds):
    main, startup, exe = fluid.Program(), fluid.Program(), fluid.Executor(fluid.CPUPlace())
    attr = fluid.ParamAttr(name="w", initializer=fluid.initializer.UniformInitializer(-0.5, 0.5))
    bias = fluid.ParamAttr(name="b", initializer=fluid.initializer.UniformInitializer(-0.5, 0.5))
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        x, lengths = fluid.data("x", [None, 3, 4]), fluid.data("lengths", [None], "int64")
        out, *last = getattr(contrib, kind)(x, *[None] * kinds, 5, sequence_length=lengths, bidirectional=True, param_attr=attr,
                                            bias_attr=bias)
        loss = fluid.layers.reduce_mean(out)
        fluid.optimizer.SGD(0.0).minimize(loss)
    with fluid.scope_guard(fluid.Scope()) as _:
        exe.run(startup)
        got, *states = exe.run(main, feed={"x": X, "lengths": LENGTHS}, fetch_list=[out, *last])
        values = {p.name: np.array(fluid.global_scope().find_var(p.name).get_tensor()) for p in main.all_parameters()}
    want, ends = [], []
    for way in ("fw", "bw"):
        own = {name.replace(f"_{way}_w_0", "").replace(f"_{way}_b_0", ""): v for name, v in values.items() if f"_{way}_" in name}
        found, state = loop(X.astype("float64"), step, kinds, own, way == "bw")
        want.append(found)
        ends.append(state)
    np.testing.assert_allclose(got, np.concatenate(want, 2), rtol=1e-4, atol=1e-5)
    for k, state in enumerate(states):
        np.testing.assert_allclose(state, np.stack([ends[0][k], ends[1][k]]), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("kind, kinds", [("basic_gru", 1), ("basic_lstm", 2)])
def test_recurrent_layers_go_on_from_given_states(kind, kinds):
    """Two halves of the steps, the second with the last states of the first, are the whole."""
    attr, bias = [fluid.ParamAttr(name=n, initializer=fluid.initializer.UniformInitializer(-0.5, 0.5)) for n in "wb"]
    exe = fluid.Executor(fluid.CPUPlace())
    with fluid.program_guard(fluid.Program(), fluid.Program()), fluid.scope_guard(fluid.Scope()):
        x = fluid.data("x", [None, 4, 3])

        def run(steps, states):
            return getattr(contrib, kind)(steps, *states, 5, num_layers=2, param_attr=attr, bias_attr=bias, name="one")
        whole = run(x, [None] * kinds)
        _, *first = run(fluid.layers.slice(x, [1], [0], [2]), [None] * kinds)
        second = run(fluid.layers.slice(x, [1], [2], [4]), first)
        exe.run(fluid.default_startup_program())
        fed = np.random.RandomState(0).uniform(-1, 1, [2, 4, 3]).astype("float32")
        found = exe.run(feed={"x": fed}, fetch_list=[*whole, *second])
    np.testing.assert_allclose(found[1 + kinds], found[0][:, 2:], rtol=1e-5, atol=1e-6)
    for end, same in zip(found[1:1 + kinds], found[2 + kinds:]):
        np.testing.assert_allclose(same, end, rtol=1e-5, atol=1e-6)


def test_fused_and_partial_functions():
    with fluid.dygraph.guard():
        a, b = (fluid.dygraph.to_variable(v) for v in (X[0], X[1]))
        np.testing.assert_allclose(contrib.fused_elemwise_activation(a, b, ["elementwise_add", "tanh"]).numpy(),
                                   X[0] + np.tanh(X[1]),
                                   rtol=1e-5)
        np.testing.assert_allclose(contrib.fused_elemwise_activation(a, b, "relu,elementwise_mul").numpy(),
                                   np.maximum(X[0] * X[1], 0), rtol=1e-5)
        np.testing.assert_array_equal(contrib.partial_concat([a, b], 1, 2).numpy(), np.concatenate([X[0][:, 1:3], X[1][:, 1:3]], 1))
        np.testing.assert_allclose(contrib.partial_sum([a, b], 2).numpy(), X[0][:, 2:] + X[1][:, 2:], rtol=1e-6)
        picked = contrib.index_sample(a, fluid.dygraph.to_variable(np.array([[2, 0]] * len(X[0]), "int32")))
        np.testing.assert_array_equal(picked.numpy(), X[0][:, [2, 0]])
        with pytest.raises(ValueError, match="functor_list must be one of"):
            contrib.fused_elemwise_activation(a, b, ["relu", "tanh"])


def test_nodes_of_a_tree():
    """Children and samples by level, of the nodes that Paddle 2.6.2 draws with this seed; without one they differ and are legal."""
    tree, travel = np.array([[0, 0, 0, 1, 2], [0, 1, 0, 3, 4], [0, 1, 0, 5, 0], *[[k, 2, 1, 0, 0] for k in (7, 8, 9)]]), np.array(
        [[1, 3], [1, 4], [2, 5], [2, 0]])
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup):
        x = fluid.data("x", [None, 1], "int32")

        def fixed(values):
            return fluid.ParamAttr(initializer=fluid.initializer.NumpyArrayInitializer(values.astype("int32")))
        child, leaf = contrib.tdm_child(x, 6, 2, fixed(tree))
        layers = contrib.tdm_sampler(x, [1, 1], [2, 4], 4, fixed(travel), fixed(np.arange(1, 7).reshape(6, 1)), seed=5)
        free, _, mask = contrib.tdm_sampler(x, [1, 3], [2, 4], 4, fixed(travel), fixed(np.arange(1, 7).reshape(6, 1)),
                                            output_positive=False, output_list=False)
        with pytest.raises(ValueError, match="more nodes than are drawn"):
            contrib.tdm_sampler(x, [2, 1], [2, 4], 4)
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(startup)
    found = exe.run(main, feed={"x": np.array([[0], [3], [1], [2]], "int32")}, fetch_list=[child, leaf, *layers[0], free, mask])
    assert [f[..., 0].tolist() if k in (2, 3) else f.tolist() for k, f in enumerate(found[:4])] == [
        [[[0, 0]], [[0, 0]], [[3, 4]], [[5, 0]]], [[[0, 0]], [[0, 0]], [[1, 1]], [[1, 0]]],
        [[1, 2], [2, 1], [1, 2], [2, 1]], [[3, 5], [0, 0], [4, 3], [5, 3]]]
    assert [sorted(row) for row in found[4].tolist()] == [[2, 4, 5, 6], [0, 0, 0, 1], [2, 3, 5, 6], [1, 3, 4, 6]]
    assert found[5].tolist() == [[1] * 4, [1, 0, 0, 0], [1] * 4, [1] * 4]


def test_rows_are_shuffled():
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()):
        x = fluid.data("x", [None, 2])
        fixed, free = contrib.shuffle_batch(x, 7), contrib.shuffle_batch(x)
    value, exe = np.arange(24, dtype="float32").reshape(12, 2), fluid.Executor(fluid.CPUPlace())
    runs = [exe.run(main, feed={"x": value}, fetch_list=[fixed, free]) for _ in range(2)]
    for found in (*runs[0], *runs[1]):
        assert found.tolist() != value.tolist() and sorted(found.tolist()) == value.tolist()
    assert runs[0][0].tolist() == runs[1][0].tolist() and runs[0][1].tolist() != runs[1][1].tolist()
