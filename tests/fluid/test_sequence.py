"""Packed sequences (LoD): values, lengths and gradients as real Paddle 2.6 has them, feeding, fetching, errors."""

import os

import numpy as np
import pytest
from fluid import sequence_programs as recorded

import paddle
from paddle import fluid, inference, kernels, static


@pytest.fixture(autouse=True)
def static_programs():
    with static.program_guard(static.Program(), static.Program()), static.scope_guard(static.Scope()):
        paddle.enable_static()
        yield
        paddle.disable_static()


@pytest.mark.parametrize("name", recorded.PROGRAMS)
def test_as_real_paddle(name):
    with np.load(recorded.FILE) as file:
        wanted = {key: file[key] for key in file.files if key.startswith(name + "/")}
    got = recorded.run(paddle, name)
    assert wanted and wanted.keys() <= got.keys()
    for key, array in got.items():  # an input that has no gradient there may have one of zeros here
        np.testing.assert_allclose(array, wanted.get(key, array * 0), rtol=1e-5, atol=1e-6, err_msg=key)


def small_model():
    """(words, prediction) of a network whose saved program needs lengths that the file does not name."""
    words = fluid.layers.data("words", [1], dtype="int64", lod_level=1)
    embedded = fluid.layers.embedding(words, [10, 4])
    both = fluid.layers.sequence_concat([embedded, fluid.layers.sequence_reverse(embedded)])
    hidden = fluid.layers.dynamic_gru(fluid.layers.fc(both, 9), 3)
    return words, fluid.layers.fc(fluid.layers.sequence_pool(hidden, "max"), 2, act="softmax")


def test_inference_models_keep_their_lengths(tmp_path):
    words, prediction = small_model()
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fluid.default_startup_program())
    feed = {"words": fluid.create_lod_tensor(np.array([[1], [2], [3], [9], [5]]), [[2, 3]], None)}
    wanted, = exe.run(feed=feed, fetch_list=[prediction])
    fluid.io.save_inference_model(str(tmp_path), ["words"], [prediction], exe)
    program, feeds, fetches = fluid.io.load_inference_model(str(tmp_path), exe)
    assert feeds == ["words"] and not [n for n in (tmp_path / "__model__").read_bytes().split(b"@") if n.startswith(b"LOD")]
    got, = exe.run(program, feed=feed, fetch_list=fetches)
    np.testing.assert_allclose(got, wanted, rtol=1e-6)


def test_sequences_of_several_tensors_stand_one_behind_the_other():
    parts = [fluid.layers.data(name, [1], lod_level=2) for name in "abc"]
    whole = fluid.layers.concat(parts, axis=0)
    beside = fluid.layers.concat(parts, axis=1)
    feed = {"a": (np.float32([[1], [2]]), [[1, 1], [1, 1]]), "b": (np.float32([[3], [4]]), [[2], [1, 1]]),
            "c": (np.float32([[5], [6]]), [[1], [2]])}
    got = fluid.Executor(fluid.CPUPlace()).run(feed={name: fluid.create_lod_tensor(*given, None) for name, given in feed.items()},
                                               fetch_list=[whole, beside, fluid.layers.sequence_pool(whole, "sum")],
                                               return_numpy=False)
    assert got[0].recursive_sequence_lengths() == [[1, 1, 2, 1], [1, 1, 1, 1, 2]]
    assert np.ravel(got[0]).tolist() == [1, 2, 3, 4, 5, 6] and got[1].recursive_sequence_lengths() == [[1, 1], [1, 1]]
    assert np.ravel(got[2]).tolist() == [1, 2, 3, 4, 11]
    with fluid.dygraph.guard():
        part = fluid.dygraph.to_variable(np.ones([2, 1], "float32"))
        assert fluid.layers.concat([part, part], axis=0).shape == [4, 1] and fluid.layers.concat([part, part], 1).shape == [2, 2]


def test_lengths_pass_through_print(capsys):
    x = fluid.layers.data("x", [1], lod_level=1)
    shown = fluid.layers.Print(x, message="rows")
    total = fluid.layers.sequence_pool(shown, "sum")
    feed = {"x": fluid.create_lod_tensor(np.float32([[1], [2], [3]]), [[1, 2]], None)}
    whole, sums = fluid.Executor(fluid.CPUPlace()).run(feed=feed, fetch_list=[shown, total], return_numpy=False)
    assert whole.recursive_sequence_lengths() == [[1, 2]] and "rows Variable: x" in capsys.readouterr().out
    np.testing.assert_array_equal(np.array(sums), [[1], [5]])


MODELS = {"packed": {"words": (np.array([[1], [7], [3], [11], [5], [2]]), [[2, 3, 1]])},
          "beams": {"ids": (np.full([4, 1], 2, "int64"), [[1] * 4] * 2), "scores": (np.zeros([4, 1], "float32"), [[1] * 4] * 2),
                    "state": np.random.RandomState(0).uniform(-1, 1, (4, 6)).astype("float32")}}


@pytest.mark.parametrize("name", MODELS)
def test_models_of_real_paddle(name, tmp_path):
    """Recorded by record_models.py: run as they are, and again when we have written them anew."""
    exe, prefix = static.Executor(), os.path.join(os.path.dirname(recorded.FILE), name)
    program, feeds, fetches = static.load_inference_model(prefix, exe)
    again = static.Program.parse_from_string(program.serialize_to_string())
    with np.load(prefix + ".npz") as wanted:
        for one in (program, again):
            got = exe.run(one, feed=MODELS[name], fetch_list=[f.name for f in fetches], return_numpy=False)
            for k, value in enumerate(got):
                np.testing.assert_allclose(np.array(value), wanted[f"out{k}"], rtol=1e-4, atol=1e-5)
                lod = value.lod() if isinstance(value, fluid.LoDTensor) else []
                assert [n for level in lod for n in [-1, *level]] == wanted[f"lod{k}"].tolist()
    assert feeds == list(MODELS[name])


def test_a_predictor_takes_packed_sequences():
    prefix = os.path.join(os.path.dirname(recorded.FILE), "packed")
    predictor = inference.create_predictor(inference.Config(prefix + ".pdmodel", prefix + ".pdiparams"))
    words, lengths = MODELS["packed"]["words"]
    handle = predictor.get_input_handle("words")
    handle.copy_from_cpu(words)
    with pytest.raises(RuntimeError, match="set_lod"):
        predictor.run()
    handle.set_lod([np.cumsum([0, *lengths[0]])])
    predictor.run()
    with np.load(prefix + ".npz") as wanted:
        for k, name in enumerate(predictor.get_output_names()):
            out = predictor.get_output_handle(name)
            np.testing.assert_allclose(out.copy_to_cpu(), wanted[f"out{k}"], rtol=1e-4, atol=1e-5)
            assert [n for level in out.lod() for n in [-1, *level]] == wanted[f"lod{k}"].tolist()


L = fluid.layers
ROWS = np.arange(12, dtype="float32").reshape(6, 2)


def run(feed, fetch, return_numpy=True):
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fluid.default_startup_program())
    return exe.run(feed=feed, fetch_list=fetch, return_numpy=return_numpy)


def test_values_are_fed_with_their_lengths():
    x = L.data("x", [2], lod_level=1)
    y = L.scale(x, 2.0)
    assert x.lod_level == y.lod_level == 1 and L.transpose(x, [1, 0]).lod_level == 0
    for value in (fluid.create_lod_tensor(ROWS, [[1, 5]], None), (ROWS, [[1, 5]])):
        got, = run({"x": value}, [y], return_numpy=False)
        assert got.lod() == [[0, 1, 6]] and got.recursive_sequence_lengths() == [[1, 5]] and got.shape() == [6, 2]
        np.testing.assert_array_equal(np.array(got), ROWS * 2)
    for plain in (ROWS, fluid.LoDTensor(ROWS)):  # no operator asks for the lengths
        got, = run({"x": plain}, [y], return_numpy=False)
        assert got.lod() == [] and np.array_equal(np.array(got), ROWS * 2)
    L.sequence_pool(y, "sum")
    for bad, message in ((ROWS, "feed a LoDTensor"), ((ROWS, [[1, 4]]), "add up to 5"), ((ROWS, [[1], [6]]), "1 level"),
                         (fluid.LoDTensor(ROWS), "1 level")):
        with pytest.raises(ValueError, match=message):
            run({"x": bad}, [y])
    with pytest.raises(ValueError, match="sequence_pool.*must have sequence lengths"):
        L.sequence_pool(L.transpose(x, [1, 0]), "sum")


def test_feeders_and_readers_pack_samples():
    pairs = L.data("pairs", [2], lod_level=2)
    fed = fluid.DataFeeder([pairs], None).feed([([[[1, 2], [3, 4]], [[5, 6]]],), ([[[7, 8]]],)])["pairs"]
    assert fed.recursive_sequence_lengths() == [[2, 1], [2, 1, 1]] and np.array(fed).shape == (4, 2)
    reader = L.py_reader(4, [[-1, 1], [-1, 1]], ["int64", "float32"], lod_levels=[1, 0])
    words, target = L.read_file(L.double_buffer(reader))
    both = L.sequence_pool(L.cast(words, "float32"), "sum") + target
    samples = [([1, 2, 3], [0.5]), ([4], [1.5])]
    reader.decorate_paddle_reader(lambda: iter([samples, samples[:1]]))
    exe, found = fluid.Executor(fluid.CPUPlace()), []
    reader.start()
    with pytest.raises(fluid.core.EOFException):
        while True:
            found.append(exe.run(fetch_list=[both])[0].ravel().tolist())
    reader.reset()
    assert found == [[6.5, 5.5], [6.5]]


def test_inference_models_make_sequences_of_padded_rows(tmp_path):
    """No input has sequence lengths: they are made inside, by sequence_unpad."""
    with fluid.program_guard(fluid.Program(), fluid.Program()), fluid.scope_guard(fluid.Scope()):
        x, n = fluid.data("x", [None, 4, 2]), fluid.data("n", [None], "int64")
        pooled = fluid.layers.sequence_pool(fluid.layers.sequence_unpad(x, n), "sum")
        total = fluid.layers.fc(pooled, 1, param_attr=fluid.initializer.Constant(1.0), bias_attr=False)
        exe = fluid.Executor(fluid.CPUPlace())
        exe.run(fluid.default_startup_program())
        values, lengths = np.arange(16, dtype="float32").reshape(2, 4, 2), np.array([3, 1], "int64")
        fluid.io.save_inference_model(str(tmp_path), ["x", "n"], [total], exe)
        program, feeds, fetches = fluid.io.load_inference_model(str(tmp_path), exe)
        found, = exe.run(program, feed=dict(zip(feeds, (values, lengths))), fetch_list=fetches)
    assert found.tolist() == [[values[0, :3].sum()], [values[1, 0].sum()]]


def test_operators_that_were_taken_as_activations():
    with fluid.program_guard(fluid.Program(), fluid.Program()), fluid.scope_guard(fluid.Scope()):
        x = fluid.layers.data("x", [2], lod_level=1)
        ones = fluid.ParamAttr(initializer=fluid.initializer.Constant(1.0))
        made = [fluid.layers.fc(x, 1, param_attr=ones, act=act) for act in (None, "sequence_softmax", "cumsum")]
        exe = fluid.Executor(fluid.CPUPlace())
        exe.run(fluid.default_startup_program())
        values = np.arange(8, dtype="float32").reshape(4, 2) / 8
        fed = fluid.create_lod_tensor(values, [[3, 1]], fluid.CPUPlace())
        plain, shares, same = exe.run(feed={"x": fed}, fetch_list=made, return_numpy=True)
    sums = values.sum(1, keepdims=True)
    first = np.exp(sums[:3]) / np.exp(sums[:3]).sum()
    np.testing.assert_allclose(plain, sums, rtol=1e-6)
    np.testing.assert_allclose(shares, np.concatenate([first, [[1.0]]]), rtol=1e-6)
    np.testing.assert_allclose(same, sums, rtol=1e-6)  # along the last axis, which has one element


def test_decoders_losses_and_orders():
    logits, label = L.data("logits", [4], lod_level=1), L.data("label", [1], dtype="int32", lod_level=1)
    logits.stop_gradient = False
    loss, decoded = L.warpctc(logits, label), L.ctc_greedy_decoder(logits, 0)
    order = L.lod_rank_table(logits)
    turned, ahead = L.reorder_lod_tensor_by_rank(logits, order), L.row_conv(logits, 1)
    gradient, = fluid.gradients(L.reduce_sum(loss), [logits])
    x = np.random.RandomState(2).uniform(-1, 1, (7, 4)).astype("float32")
    feed = {"logits": (x, [[3, 4]]), "label": (np.array([[1], [2], [2]], "int32"), [[1, 2]])}
    got = run(feed, [loss, gradient, decoded, order, turned, ahead], return_numpy=False)
    paddle.disable_static()
    padded = paddle.to_tensor(np.stack([np.pad(x[:3], ((0, 1), (0, 0))), x[3:]], 1), stop_gradient=False)
    wanted = paddle.nn.functional.ctc_loss(padded, paddle.to_tensor([[1, 0], [2, 2]], "int32"), paddle.to_tensor([3, 4]),
                                           paddle.to_tensor([1, 2]), reduction="none")
    wanted.sum().backward()
    np.testing.assert_allclose(np.array(got[0]).ravel(), wanted.numpy().ravel(), rtol=1e-5)
    by_rows = padded.grad.numpy().transpose(1, 0, 2)
    np.testing.assert_allclose(np.array(got[1]), np.concatenate([by_rows[0, :3], by_rows[1]]), rtol=1e-4, atol=1e-6)
    spelled = [[k for k, before in zip(best, [-1, *best]) if k and k != before] for best in (x[:3].argmax(1), x[3:].argmax(1))]
    assert np.array(got[2]).ravel().tolist() == sum(spelled, []) and np.diff(got[2].lod()[0]).tolist() == [*map(len, spelled)]
    assert np.array(got[3]).tolist() == [1, 0] and got[4].recursive_sequence_lengths() == [[4, 3]] and got[5].lod() == [[0, 3, 7]]
    np.testing.assert_array_equal(np.array(got[4]), np.concatenate([x[3:], x[:3]]))


def test_sampled_losses_fall():
    x, label = L.data("x", [4]), L.data("label", [1], dtype="int64")
    hidden = L.fc(x, 8, act="tanh")
    sampled = L.sampled_softmax_with_cross_entropy(L.fc(hidden, 20), label, num_samples=5)
    loss = L.mean(L.nce(hidden, label, 20, num_neg_samples=5)) + L.mean(sampled)
    fluid.optimizer.Adam(0.05).minimize(loss)
    exe, rng = fluid.Executor(fluid.CPUPlace()), np.random.RandomState(0)
    paddle.seed(1)
    exe.run(fluid.default_startup_program())
    losses = []
    for _ in range(60):
        k = rng.randint(0, 4, (16, 1))
        feed = {"x": np.eye(4, dtype="float32")[k.ravel()], "label": k * 5}
        losses.append(float(exe.run(feed=feed, fetch_list=[loss])[0].item()))
    assert np.mean(losses[-10:]) < 0.5 * np.mean(losses[:5])


def test_recurrent_layers_with_projection_and_stacks():
    x, stacked = L.data("x", [8], lod_level=1), fluid.data("stacked", [5, 2, 3])
    projected, cell = L.dynamic_lstmp(x, 8, 3, use_peepholes=False)
    start = L.fill_constant([4, 2, 6], "float32", 0.0)
    out, last_h, last_c = L.lstm(stacked, start, start, 5, 6, 2, is_bidirec=True)
    rows, block = np.ones([6, 8], "float32"), np.ones([5, 2, 3], "float32")
    got = run({"x": (rows, [[2, 4]]), "stacked": block}, [projected, cell, out, last_h, last_c], return_numpy=False)
    assert [tuple(np.array(g).shape) for g in got] == [(6, 3), (6, 2), (5, 2, 12), (4, 2, 6), (4, 2, 6)]
    assert got[0].lod() == got[1].lod() == [[0, 2, 6]]
    np.testing.assert_allclose(np.array(got[0])[0], np.array(got[0])[2], rtol=1e-6)  # both sequences begin alike


def test_loops_carry_lengths():
    """A variable whose sequences lose a row in every turn, in both kinds of loops."""
    x = L.data("x", [2], lod_level=1)
    x.stop_gradient = False
    skip, count, rest = np.array([[1], [1]]), L.fill_constant([1], "int64", 0), L.assign(x)

    def shorter(v):
        lengths = L.cast(L.sequence_pool(L.ones_like(v), "sum"), "int64")
        return L.sequence_slice(v, L.assign(skip), L.slice(lengths, [1], [0], [1]) - 1)
    going = L.less_than(count, L.fill_constant([1], "int64", 2))
    with L.While(going).block():
        L.assign(shorter(rest), rest)
        L.increment(count, 1.0)
        L.less_than(count, L.fill_constant([1], "int64", 2), cond=going)
    _, other = L.while_loop(lambda i, v: i < 2, lambda i, v: [i + 1, shorter(v)], [L.fill_constant([1], "int64", 0), x])
    pooled = L.sequence_pool(other, "average")
    gradient, = fluid.gradients(L.reduce_sum(pooled), [x])
    got = run({"x": (ROWS, [[3, 3]])}, [rest, other, pooled, L.sequence_pool(x, "sum"), gradient], return_numpy=False)
    for value in got[:2]:
        assert value.lod() == [[0, 1, 2]]
        np.testing.assert_array_equal(np.array(value), ROWS[[2, 5]])
    np.testing.assert_array_equal(np.array(got[2]), ROWS[[2, 5]])
    np.testing.assert_array_equal(np.array(got[3]), [ROWS[:3].sum(0), ROWS[3:].sum(0)])
    np.testing.assert_array_equal(np.array(got[4])[:, 0], [0, 0, 1, 0, 0, 1])
    with pytest.raises(ValueError, match="also those of other variables"):
        L.assign(L.lod_reset(x, target_lod=[0, 6]), L.scale(x))


@pytest.mark.skipif(not kernels.enabled(), reason="without fast kernels the reference runs")
def test_recurrence_that_is_trained_keeps_its_run():
    x, h0 = L.data("x", [8], lod_level=1), L.data("h0", [2])
    x.stop_gradient = False
    hidden, cell = L.dynamic_lstm(x, 8, h0, h0)
    total = L.reduce_sum(L.dynamic_gru(L.fc(hidden, 6), 2) ** 2) + L.reduce_sum(cell)
    gradient, = fluid.gradients(total, [x])
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fluid.default_startup_program())
    feed = {"x": (np.random.RandomState(3).randn(6, 8).astype("float32"), [[3, 1, 2]]), "h0": np.ones([3, 2], "float32")}
    text = str(exe.plan(feed=[*feed, "x@LOD_0"], fetch_list=[gradient]))
    assert "lstm_keeping" in text and "gru_back" in text
    got = exe.run(feed=feed, fetch_list=[total, gradient])
    paddle.set_flags({"FLAGS_static_disabled_passes": "keep_runs"})
    try:
        for a, b in zip(got, exe.run(feed=feed, fetch_list=[total, gradient])):
            np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)
    finally:
        paddle.set_flags({"FLAGS_static_disabled_passes": ""})


def test_branches_by_row_take_whole_sequences():
    x = L.data("x", [2], lod_level=1)
    totals = L.sequence_pool(x, "sum")
    large = L.greater_than(L.reduce_sum(totals, 1, keep_dim=True), L.fill_constant([1], "float32", 20.0))
    branches = L.IfElse(large)
    with branches.true_block():
        branches.output(L.sequence_pool(branches.input(x), "max"))
    with branches.false_block():
        branches.output(L.sequence_pool(branches.input(x), "first") * -1.0)
    got, = run({"x": (ROWS, [[1, 3, 2]])}, branches())
    np.testing.assert_array_equal(got, [-ROWS[0], ROWS[3], ROWS[5]])
