"""fluid.io in folders, DataFeeder, metrics, profiler."""

import numpy as np
import pytest

import paddle.fluid as fluid

L = fluid.layers
RNG = np.random.RandomState(3)
ROWS = RNG.rand(8, 4).astype("float32")


@pytest.fixture
def trained():
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard(), fluid.scope_guard(fluid.Scope()):
        x, y = L.data("x", [4]), L.data("y", [1])
        out = L.fc(x, 1, name="out")
        loss = L.mean(L.square_error_cost(out, y))
        fluid.optimizer.Adam(0.1).minimize(loss)
        run = fluid.Executor(fluid.CPUPlace())
        run.run(startup)
        for _ in range(3):
            run.run(main, feed={"x": ROWS, "y": ROWS[:, :1]}, fetch_list=[loss])
        yield main, run, x, out


@pytest.mark.parametrize("filename", [None, "all"])
def test_persistables_come_back(trained, tmp_path, filename):
    main, run, _, out = trained
    fluid.io.save_persistables(run, str(tmp_path), main, filename)
    want = run.run(main, feed={"x": ROWS, "y": ROWS[:, :1]}, fetch_list=["out.w_0", out])
    run.run(main, feed={"x": ROWS, "y": ROWS[:, :1]})
    fluid.io.load_persistables(run, str(tmp_path), main, filename)
    got = run.run(main, feed={"x": ROWS, "y": ROWS[:, :1]}, fetch_list=["out.w_0", out])
    for a, b in zip(want, got):
        np.testing.assert_allclose(a, b, rtol=1e-6)


def test_inference_model_in_a_folder(trained, tmp_path):
    main, run, x, out = trained
    assert fluid.io.save_inference_model(str(tmp_path), ["x"], [out], run, main) == ["save_infer_model/scale_0.tmp_0"]
    want = np.asarray(run.run(main.clone(for_test=True), feed={"x": ROWS, "y": ROWS[:, :1]}, fetch_list=[out])[0])
    assert {p.name for p in tmp_path.iterdir()} == {"__model__", "out.w_0", "out.b_0"}
    with fluid.scope_guard(fluid.Scope()):
        program, feeds, fetches = fluid.io.load_inference_model(str(tmp_path), run)
        got, = run.run(program, feed={feeds[0]: ROWS}, fetch_list=fetches)
    np.testing.assert_allclose(got, want, rtol=1e-5)


def test_data_feeder(trained):
    main, run, x, _ = trained
    feeder = fluid.DataFeeder([x, "y"], fluid.CPUPlace(), main)
    fed = feeder.feed([(row.tolist(), [0]) for row in ROWS])
    assert np.array(fed["x"]).dtype == np.float32 and fed["x"].shape() == [8, 4] and fed["y"].shape() == [8, 1]
    with pytest.raises(ValueError, match="sample 0 has 1 fields"):
        feeder.feed([(ROWS[0],)])


def test_metrics():
    auc = fluid.metrics.Auc("auc")
    scores, labels = RNG.rand(50), RNG.randint(0, 2, 50)
    auc.update(np.stack([1 - scores, scores], 1), labels[:, None])
    pairs = [(a > b) + 0.5 * (a == b) for a in scores[labels == 1] for b in scores[labels == 0]]
    assert abs(auc.eval() - np.mean(pairs)) < 2e-3
    before = auc.eval()
    auc.reset()
    auc.update(np.concatenate([np.stack([1 - scores, scores], 1), np.full([9, 2], 0.5)]), labels[:, None])
    assert auc.eval() == before  # scores without a label do not count
    accuracy = fluid.metrics.Accuracy()
    accuracy.update(np.array([0.5]), 2)
    accuracy.update(1.0, 6)
    assert accuracy.eval() == 0.875
    precision, recall = fluid.metrics.Precision(), fluid.metrics.Recall()
    for metric in (precision, recall):
        metric.update(np.array([0.9, 0.8, 0.1, 0.2]), np.array([1, 0, 1, 0]))
    assert precision.eval() == 0.5 and recall.eval() == 0.5
    mean = fluid.average.WeightedAverage()
    mean.add(1.0, 1)
    mean.add(4.0, 2)
    assert mean.eval() == 3.0


def test_profiler_counts_operators(capsys, tmp_path):
    with fluid.dygraph.guard(), fluid.profiler.profiler("CPU", "total", str(tmp_path / "times")):
        x = fluid.dygraph.to_variable(ROWS)
        for _ in range(3):
            L.relu(x)
    text = capsys.readouterr().out
    assert "relu" in text and text == (tmp_path / "times").read_text()


def test_nets():
    with fluid.dygraph.guard():
        x = fluid.dygraph.to_variable(RNG.rand(2, 3, 4).astype("float32"))
        out = fluid.nets.scaled_dot_product_attention(x, x, x, num_heads=2).numpy()
        rows = x.numpy().reshape(2, 3, 2, 2).transpose(0, 2, 1, 3)
        weights = np.exp(rows @ rows.transpose(0, 1, 3, 2) / 2 ** 0.5)
        want = (weights / weights.sum(-1, keepdims=True)) @ rows
        np.testing.assert_allclose(out, want.transpose(0, 2, 1, 3).reshape(2, 3, 4), rtol=1e-5)
        image = fluid.dygraph.to_variable(RNG.rand(1, 1, 8, 8).astype("float32"))
        assert fluid.nets.simple_img_conv_pool(image, 2, 3, 2, 2, act="relu").shape == [1, 2, 3, 3]
