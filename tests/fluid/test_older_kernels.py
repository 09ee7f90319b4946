"""Operators of 1.x against NumPy: windows of pictures of given sizes, one LSTM step, mean IoU, attention by ranks, weight norm."""

import numpy as np
import pytest

import paddle.fluid as fluid

layers = fluid.layers


def run(build, feed):
    """What the Variables that build() gives hold in a program of their own."""
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.scope_guard(fluid.Scope()):
        found = build()
        exe = fluid.Executor(fluid.CPUPlace())
        exe.run(startup)
        return exe.run(main, feed=feed, fetch_list=list(found), return_numpy=False)


def test_windows_of_pictures_of_given_sizes():
    x, sizes = np.arange(32, dtype="float32").reshape(2, 1, 4, 4), np.array([[4, 4], [6, 4]], "float32")
    out, = run(lambda: [layers.im2sequence(layers.data("x", [1, 4, 4]), [2, 2], 1, 0, layers.data("y", [2]), 2)],
               {"x": x, "y": sizes})
    assert out.recursive_sequence_lengths() == [[1, 2]]  # 2 x 2 and 3 x 2 pixels are left
    assert np.array(out).tolist() == [[0, 1, 4, 5], [16, 17, 20, 21], [20, 21, 24, 25]]
    with pytest.raises(ValueError, match="picture 0 has size"):
        run(lambda: [layers.im2sequence(layers.data("x", [1, 4, 4]), [2, 2], 1, 0, layers.data("y", [2]), 1)],
            {"x": x, "y": sizes * 2})


def test_lstm_unit_is_the_step_of_an_lstm():
    rng = np.random.RandomState(0)
    x, h, c = (rng.rand(3, 2).astype("float32") for _ in range(3))
    one = fluid.ParamAttr(initializer=fluid.initializer.Constant(0.5))
    hidden, cell = run(lambda: layers.lstm_unit(*(layers.data(n, [2]) for n in "xhc"), 1.0, one), {"x": x, "h": h, "c": c})
    gate = 0.5 * np.concatenate([x, h], 1).sum(1, keepdims=True)
    sigmoid = lambda v: 1 / (1 + np.exp(-v))  # noqa: E731
    wanted = sigmoid(gate + 1) * c + sigmoid(gate) * np.tanh(gate)
    np.testing.assert_allclose(np.array(cell), wanted, rtol=1e-6)
    np.testing.assert_allclose(np.array(hidden), sigmoid(gate) * np.tanh(wanted), rtol=1e-6)


def test_mean_iou():
    got, label = np.array([[0, 1, 1, 2]], "int64"), np.array([[0, 1, 2, 2]], "int64")
    mean, wrong, right = run(lambda: layers.mean_iou(*(layers.data(n, [4], dtype="int64") for n in "xy"), 4),
                             {"x": got, "y": label})
    np.testing.assert_allclose(np.array(mean), [(1 + 0.5 + 0.5) / 3], rtol=1e-6)
    assert np.array(wrong).tolist() == [0, 1, 1, 0] and np.array(right).tolist() == [1, 1, 1, 0]


def test_rank_attention():
    rng = np.random.RandomState(1)
    x, table = rng.rand(3, 2).astype("float32"), rng.rand(8, 2).astype("float32")
    offset = np.array([[1, 1, 0, 2, 1], [2, 0, 0, 1, 2], [0, 1, 0, 1, 1]], "int32")
    attr = fluid.ParamAttr(name="ranks", initializer=fluid.initializer.NumpyArrayInitializer(table))
    out, = run(lambda: [fluid.contrib.layers.rank_attention(
        fluid.data("x", [None, 2]), fluid.data("r", [None, 5], "int32"), [8, 2], attr, 2)], {"x": x, "r": offset})
    matrix = table.reshape(2, 2, 2, 2)  # own rank, other rank
    wanted = np.stack([x[0] @ matrix[0, 0] + x[1] @ matrix[0, 1], x[2] @ matrix[1, 0], np.zeros(2)])
    np.testing.assert_allclose(np.array(out), wanted, rtol=1e-5)


def test_hsigmoid_reads_one_label_for_each_row():
    x, label = np.ones((2, 3), "float32"), np.array([[1, 0], [1, 1]], "int64")

    def loss(width):
        return lambda: [layers.hsigmoid(layers.data("x", [3]), layers.data("y", [width], dtype="int64"), 2,
                                        fluid.ParamAttr(initializer=fluid.initializer.Constant(0.1)))]
    wide, = run(loss(2), {"x": x, "y": label})
    flat, = run(loss(1), {"x": x, "y": label.reshape(-1, 1)[:2]})
    assert np.array(wide).tolist() == np.array(flat).tolist()


@pytest.mark.parametrize("dim, shape", [(None, [1, 1]), (1, [1, 3]), (0, [4, 1])])
def test_weight_norm_begins_with_the_lengths_of_its_direction(dim, shape):
    start = np.arange(12, dtype="float32").reshape(4, 3) + 1
    attr = fluid.WeightNormParamAttr(dim=dim, name="w", initializer=fluid.initializer.NumpyArrayInitializer(start))

    def build():
        out = layers.fc(layers.data("x", [4]), 3, param_attr=attr, bias_attr=False)
        fluid.backward.append_backward(layers.reduce_sum(out))
        return [out.block.var("w_g"), out]
    g, out = run(build, {"x": np.eye(4, dtype="float32")})
    axis = None if dim is None else 1 - dim
    np.testing.assert_allclose(np.array(g), np.linalg.norm(start, axis=axis, keepdims=True).reshape(shape), rtol=1e-6)
    np.testing.assert_allclose(np.array(out), start, rtol=1e-6)


@pytest.mark.parametrize("name, alone, default", [("softshrink", {"alpha": 0.3}, 0.5), ("hard_shrink", {"threshold": 0.3}, 0.5),
                                                  ("thresholded_relu", {"threshold": 0.3}, 1.0)])
def test_shrinks_in_the_names_of_1_8(name, alone, default):
    x = np.array([[-0.7, 0.2, 0.4, 1.2]], "float32")
    chosen, whole = run(lambda: [getattr(layers, name)(layers.data("x", [4]), **given) for given in (alone, {})], {"x": x})
    for out, edge in ((chosen, 0.3), (whole, default)):
        wanted = np.where(np.abs(x) > edge, x - np.sign(x) * edge, 0) if name == "softshrink" else np.where(
            (np.abs(x) if name == "hard_shrink" else x) > edge, x, 0)
        np.testing.assert_allclose(np.array(out), wanted, rtol=1e-6)


def _cell(context):
    from paddle.fluid.contrib.decoder.beam_search_decoder import InitState, StateCell
    cell = StateCell(inputs={"x": None}, states={"h": InitState(init=context, need_reorder=True)}, out_state="h")

    @cell.state_updater
    def update(cell):
        cell.set_state("h", layers.fc([cell.get_state("h"), cell.get_input("x")], 4, act="tanh"))
    return cell


def test_decoders_around_one_cell():
    from paddle.fluid.contrib.decoder import BeamSearchDecoder, TrainingDecoder
    rows = fluid.create_lod_tensor(np.random.RandomState(0).rand(5, 3).astype("float32"), [[2, 3]], fluid.CPUPlace())

    def train():
        decoder = TrainingDecoder(_cell(layers.data("h", [4])))
        with decoder.block():
            decoder.state_cell.compute_state({"x": decoder.step_input(layers.data("x", [3], lod_level=1))})
            decoder.output(decoder.state_cell.get_state("h"))
            decoder.state_cell.update_states()
        return [decoder()]
    out, = run(train, {"h": np.zeros((2, 4), "float32"), "x": rows})
    assert out.recursive_sequence_lengths() == [[2, 3]] and np.abs(np.array(out)).max() > 0

    def search():
        decoder = BeamSearchDecoder(_cell(layers.data("h", [4])), layers.data("ids", [1], dtype="int64", lod_level=2),
                                    layers.data("scores", [1], lod_level=2), 10, 3, topk_size=5, max_len=4, beam_size=2, end_id=1)
        decoder.decode()
        return decoder()
    ones = [[1, 1], [1, 1]]
    ids, scores = run(search, {
        "h": np.zeros((2, 4), "float32"), "ids": fluid.create_lod_tensor(np.zeros((2, 1), "int64"), ones, fluid.CPUPlace()),
        "scores": fluid.create_lod_tensor(np.ones((2, 1), "float32"), ones, fluid.CPUPlace())})
    assert ids.recursive_sequence_lengths()[0] == [2, 2] and ids.recursive_sequence_lengths() == scores.recursive_sequence_lengths()


@pytest.mark.parametrize("bias", [None, False])
def test_batch_norms_are_folded_into_convolutions(bias):
    x = np.random.RandomState(0).rand(2, 3, 5, 5).astype("float32")
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.scope_guard(fluid.Scope()):
        conv = layers.conv2d(layers.data("x", [3, 5, 5]), 4, 3, bias_attr=bias)
        out = layers.batch_norm(conv, param_attr=fluid.ParamAttr(name="scale", initializer=fluid.initializer.Constant(0.7)),
                                moving_mean_name="mean", moving_variance_name="variance", act="relu")
        exe = fluid.Executor(fluid.CPUPlace())
        exe.run(startup)
        for name, value in (("mean", 0.3), ("variance", 2.0)):
            values = np.linspace(value, value + 1, 4).astype("float32")
            fluid.global_scope().find_var(name).get_tensor().set(values, fluid.CPUPlace())
        test = main.clone(for_test=True)
        small = test.clone()
        fluid.transpiler.InferenceTranspiler().transpile(small, fluid.CPUPlace())
        types = [op.type for op in small.global_block().ops]
        assert "batch_norm" not in types and types.count("elementwise_add") == 1
        folded, whole = (exe.run(program, feed={"x": x}, fetch_list=[out.name])[0] for program in (small, test))
    np.testing.assert_allclose(folded, whole, rtol=1e-4, atol=1e-6)
