"""fluid.contrib.trainer and inferencer: a regression with events, saved, resumed and divided over places."""

import numpy as np
import pytest

import paddle.fluid as fluid
from paddle.fluid.contrib.inferencer import Inferencer
from paddle.fluid.contrib.trainer import (
    BeginEpochEvent,
    BeginStepEvent,
    CheckpointConfig,
    EndEpochEvent,
    EndStepEvent,
    Trainer,
    build_feed_var_list,
    check_and_get_place,
    clean_checkpoint,
)

RNG = np.random.RandomState(5)
X = RNG.rand(24, 3).astype("float32")
Y = X @ np.array([[1.0], [-2.0], [3.0]], "float32") + 0.5
RATE = 0.1


def batches():
    for begin in range(0, 24, 8):
        yield list(zip(X[begin:begin + 8], Y[begin:begin + 8]))


def network():
    return fluid.layers.fc(fluid.layers.data("x", [3]), 1, param_attr=fluid.ParamAttr(
        initializer=fluid.initializer.ConstantInitializer(0.0)))


def loss_and_output():
    y, out = fluid.layers.data("y", [1]), network()
    return [fluid.layers.mean(fluid.layers.square_error_cost(out, y)), out]


def trainer(**options):
    with fluid.unique_name.guard():
        return Trainer(loss_and_output, lambda: fluid.optimizer.SGD(RATE), place=fluid.CPUPlace(), **options)


def by_hand(steps):
    """(losses, weight, bias) of gradient descent in float64."""
    w, b, losses = np.zeros((3, 1)), 0.0, []
    for step in range(steps):
        rows = slice(8 * (step % 3), 8 * (step % 3) + 8)
        error = X[rows] @ w + b - Y[rows]
        losses.append((error ** 2).mean())
        w, b = w - RATE * 2 * X[rows].T @ error / 8, b - RATE * 2 * error.mean()
    return losses, w, b


def run(one, epochs=4, handler=lambda event: None, order=("x", "y")):
    """What the trainer told its handler: [(event's class, its numbers ...)], and the losses."""
    told, losses = [], []

    def handle(event):
        told.append((type(event), event.epoch, *([event.step] if hasattr(event, "step") else [])))
        if isinstance(event, EndStepEvent) and event.metrics:
            losses.append(float(np.mean(event.metrics[0])))
        handler(event)

    one.train(epochs, handle, batches, list(order))
    return told, losses


def test_events_and_losses():
    told, losses = run(trainer(), 2)
    want = []
    for epoch in range(2):
        want += [(BeginEpochEvent, epoch)]
        for step in range(3):
            want += [(BeginStepEvent, epoch, step), (EndStepEvent, epoch, step)]
        want += [(EndEpochEvent, epoch)]
    assert told == want
    np.testing.assert_allclose(losses, by_hand(6)[0], rtol=1e-5)
    assert losses[3] < losses[0]


def test_stop_and_spared_metrics():
    one, metrics = trainer(), []

    def handler(event):
        if isinstance(event, BeginStepEvent):
            event.fetch_metrics = event.step != 0
        if isinstance(event, EndStepEvent):
            metrics.append(len(event.metrics))
            if event.step == 1:
                one.stop()

    assert run(one, handler=handler)[0][-1] == (EndStepEvent, 0, 1)
    assert metrics == [0, 2]


def test_test_and_saved_models(tmp_path):
    one = trainer()
    run(one)
    _, w, b = by_hand(12)
    mean = np.mean([((X[k:k + 8] @ w + b - Y[k:k + 8]) ** 2).mean() for k in (0, 8, 16)])
    loss, first = one.test(batches, ["x", "y"])
    np.testing.assert_allclose(loss, mean, rtol=1e-4)
    np.testing.assert_allclose(first, (X[::8] @ w + b).mean(0), rtol=1e-4)
    with pytest.raises(ValueError, match="no batch"):
        one.test(lambda: iter(()), ["x", "y"])

    one.save_params(str(tmp_path / "params"))
    got, = Inferencer(network, str(tmp_path / "params")).infer({"x": X})
    np.testing.assert_allclose(got, X @ w + b, rtol=1e-4)
    with pytest.raises(ValueError, match="dict"):
        Inferencer(network, str(tmp_path / "params")).infer([X])

    one.save_inference_model(str(tmp_path / "model"), ["x"], [1])
    with fluid.scope_guard(fluid.Scope()):
        run_it = fluid.Executor(fluid.CPUPlace())
        program, names, outputs = fluid.io.load_inference_model(str(tmp_path / "model"), run_it)
        assert names == ["x"]
        np.testing.assert_array_equal(run_it.run(program, {"x": X}, outputs)[0], got)

    again = trainer(param_path=str(tmp_path / "params"))
    np.testing.assert_array_equal(again.test(batches, ["x", "y"])[0], loss)


def test_inference_takes_the_statistics_of_training(tmp_path):
    def normal():
        return fluid.layers.dropout(fluid.layers.batch_norm(fluid.layers.data("x", [3])), 0.5)

    with fluid.unique_name.guard():
        one = Trainer(lambda: fluid.layers.mean(normal()), lambda: fluid.optimizer.SGD(0.0))
    one.train(1, lambda event: None, lambda: iter([[(row,) for row in X]]), ["x"])
    one.save_params(str(tmp_path))
    mean, variance = 0.1 * X.mean(0), 0.9 + 0.1 * X.var(0)  # one step with momentum 0.9 from 0 and 1
    got, = Inferencer(normal, str(tmp_path)).infer({"x": X})
    np.testing.assert_allclose(got, (X - mean) / np.sqrt(variance + 1e-5) * 0.5, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("last", [(0, 0), (0, 2), (1, 1)])
def test_checkpoint_resumes(tmp_path, last):
    """A training that breaks off goes on as if it had not."""
    class Break(Exception):
        pass

    def handler(event):
        if isinstance(event, EndStepEvent) and (event.epoch, event.step) == last:
            raise Break

    folder = tmp_path / "kept"
    with pytest.raises(Break):
        run(trainer(checkpoint_config=CheckpointConfig(str(folder), 2, step_interval=1)), handler=handler)
    done = 3 * last[0] + last[1] + 1
    assert sorted(p.name for p in folder.iterdir()) == [f"checkpoint_{k}" for k in range(max(done - 2, 0), done)]

    half = folder / f"checkpoint_{done}" / "__model__"  # written by a process that died before its mark
    half.mkdir(parents=True)
    (half / "fc_0.w_0").write_bytes(b"")
    (folder / "notes_of_mine.txt").write_text("")
    told, losses = run(trainer(checkpoint_config=CheckpointConfig(str(folder), 2, step_interval=1)))
    assert told[0] == (BeginEpochEvent, last[0])
    np.testing.assert_allclose(losses, by_hand(12)[0][done:], rtol=1e-4)
    assert [p.name for p in folder.iterdir()] == ["notes_of_mine.txt"]  # a training that ends removes its checkpoints
    (folder / "notes_of_mine.txt").unlink()
    clean_checkpoint(str(folder), delete_dir=True)
    assert not folder.exists()


def test_intervals_of_checkpoints(tmp_path):
    seen = {}
    config = CheckpointConfig(str(tmp_path), 10, epoch_interval=2, step_interval=2)
    run(trainer(checkpoint_config=config), handler=lambda event: seen.update(
        {tuple(int((p / "trainer_0" / name).read_text()) for name in ("epoch_id", "step_id")): p.name for p in tmp_path.iterdir()}))
    assert seen == {(0, 0): "checkpoint_0", (0, 2): "checkpoint_1", (2, 0): "checkpoint_2", (2, 2): "checkpoint_3"}
    with pytest.raises(AssertionError, match="step_interval"):
        CheckpointConfig(step_interval=0)


def test_two_places(tmp_path, monkeypatch):
    """Two batches a step, one for each place, are one batch of both."""
    monkeypatch.setenv("CPU_NUM", "2")
    one = trainer(parallel=True)
    told, _ = run(one, 1)
    assert told == [(BeginEpochEvent, 0), (BeginStepEvent, 0, 0), (EndStepEvent, 0, 0), (EndEpochEvent, 0)]
    one.save_params(str(tmp_path))
    w, b = RATE * 2 * X[:16].T @ Y[:16] / 16, RATE * 2 * Y[:16].mean()
    got, = Inferencer(network, str(tmp_path), parallel=True).infer({"x": X})
    np.testing.assert_allclose(got, X @ w + b, rtol=1e-5)


def test_order_of_fields():
    program = trainer().train_program

    def names(order):
        return [var.name for var in build_feed_var_list(program, order)]

    assert names(["x", "y"]) == names({"y": 1, "x": 0}) == ["x", "y"]
    assert names(None) == ["y", "x"]
    with pytest.raises(ValueError, match="from 0 on"):
        names({"x": 1, "y": 2})
    with pytest.raises(TypeError):
        names("x")


@pytest.mark.parametrize("name", ["PADDLE_TRAINING_ROLE", "PADDLE_TRAINER_IPS"])
def test_what_is_refused(monkeypatch, name):
    with pytest.raises(TypeError):
        check_and_get_place("cpu")
    with pytest.raises(TypeError, match="Optimizer"):
        Trainer(loss_and_output, lambda: 0.1)
    with pytest.raises(TypeError, match="reader"):
        trainer().train(1, print)
    monkeypatch.setenv(name, "TRAINER")
    with pytest.raises(NotImplementedError, match=name):
        trainer()


def test_reached_from_contrib():
    assert fluid.contrib.trainer.Trainer is Trainer and fluid.contrib.inferencer.Inferencer is Inferencer
