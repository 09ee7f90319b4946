"""Callbacks of paddle.Model: what each writes, saves or changes; the progress bar in a terminal, a pipe and a notebook."""

import io
import os
import re
import sys
import types

import numpy as np
import pytest

import paddle
from paddle import callbacks, nn
from paddle.hapi.progressbar import ProgressBar


def data(n=8):
    x = np.random.RandomState(0).rand(n, 4).astype("float32")
    return paddle.io.TensorDataset([paddle.to_tensor(x), paddle.to_tensor((x.sum(1) > 2).astype("int64").reshape(-1, 1))])


def made(rate=0.1):
    paddle.seed(1)
    np.random.seed(1)  # the order of samples
    model = paddle.Model(nn.Sequential(nn.Linear(4, 2)))
    model.prepare(paddle.optimizer.Adam(rate, parameters=model.parameters()), nn.CrossEntropyLoss(), paddle.metric.Accuracy())
    return model


class Recorded(callbacks.Callback):
    """Writes down every event."""

    def __init__(self):
        super().__init__()
        self.events = []


for _name in [name for name in dir(callbacks.Callback) if name.startswith("on_")]:
    setattr(Recorded, _name, lambda self, *args, _name=_name: self.events.append(_name[3:]))


def test_every_event_comes_where_it_belongs():
    seen = Recorded()
    model = made()
    model.fit(data(4), data(2), batch_size=2, verbose=0, callbacks=seen)
    batch, one = ["train_batch_begin", "train_batch_end"], ["eval_batch_begin", "eval_batch_end"]
    assert seen.events == ["train_begin", "epoch_begin", *batch, *batch, "epoch_end", "eval_begin", *one, "eval_end", "train_end"]
    seen.events.clear()
    model.predict(data(2), batch_size=2, verbose=0, callbacks=seen)
    assert seen.events == ["predict_begin", "predict_batch_begin", "predict_batch_end", "predict_end"]
    seen.events.clear()
    model.evaluate(data(2), batch_size=2, verbose=0, callbacks=[seen])
    assert seen.events == ["eval_begin", *one, "eval_end"]


# ---- progress --------------------------------------------------------------------------------------------------------------
class Terminal(io.StringIO):
    def isatty(self):
        return True


class Notebook(io.StringIO):
    """As the stream of a notebook's kernel: no terminal, but it understands carriage returns."""


Notebook.__module__ = "ipykernel.iostream"


def screen(text):
    """The lines that are seen after a terminal has got the text."""
    lines, at = [""], 0
    for character in text:
        if character == "\n":
            lines, at = [*lines, ""], 0
        elif character == "\r":
            at = 0
        else:
            lines[-1] = lines[-1][:at] + character + lines[-1][at + 1:]
            at += 1
    return [line.rstrip() for line in lines]


@pytest.mark.parametrize("kind", [Terminal, Notebook])
def test_the_line_is_rewritten_where_that_works(kind, monkeypatch):
    file = kind()
    monkeypatch.setenv("COLUMNS", "70")
    monkeypatch.setattr(sys, "stdout", file)
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    made().fit(data(), data(4), batch_size=2, epochs=2, verbose=1)
    model = made()
    model.predict(data(4), batch_size=2, verbose=1)
    lines = screen(file.getvalue())
    line = re.compile(r"step \d/\d \[=+\] - loss: \d\.\d{4} - acc: \d\.\d{4} - \d+(us|ms|s)/step")
    assert file.getvalue().count("\r") >= 10
    assert [i for i, text in enumerate(lines) if line.fullmatch(text)] == [1, 3, 6, 8]
    assert max(map(len, lines)) <= (69 if kind is Terminal else 90)
    assert lines[0] == "Epoch 1/2" and lines[2] == "Eval begin..." and lines[4] == "Eval samples: 4"
    assert lines[10] == "Predict begin..." and lines[-2] == "Predict samples: 4" and lines[-1] == ""


def test_a_pipe_gets_whole_lines(capsys):
    made().fit(data(), batch_size=1, epochs=1, verbose=1, log_freq=3)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(" [")[0] for line in lines] == ["Epoch 1/1", "step 3/8", "step 6/8", "step 8/8"]
    assert lines[1].split("]")[0] == "step 3/8 [===========>.................."


def test_one_line_per_log(capsys):
    made().fit(data(), batch_size=2, epochs=1, verbose=2, log_freq=2)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(" - ")[0] for line in lines] == ["Epoch 1/1", "step 2/4", "step 4/4"] and "[" not in lines[1]
    made().fit(data(), batch_size=2, epochs=1, verbose=3, log_freq=2)
    line = capsys.readouterr().out.splitlines()[1]
    assert re.search(r"avg_reader_cost: \d+\.\d{5} sec - avg_batch_cost: \d+\.\d{5} sec - ips: \d+\.\d{5} samples/sec", line)


def test_an_epoch_that_ends_early_ends_its_line(monkeypatch):
    file = Terminal()
    monkeypatch.setattr(sys, "stdout", file)

    class Stop(callbacks.Callback):
        def on_train_batch_end(self, step, logs=None):
            self.model.stop_training = True

    class Endless(paddle.io.IterableDataset):
        def __iter__(self):
            return iter([data()[k] for k in range(3)])
    made().fit(Endless(), batch_size=2, epochs=2, verbose=1, callbacks=Stop())
    assert screen(file.getvalue())[-1] == "" and "Epoch 2" not in file.getvalue()


def test_a_line_is_never_wider_than_the_terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "30")
    file = Terminal()
    bar = ProgressBar(2, verbose=1, file=file)
    bar.update(1, [("loss", 1.0), ("accuracy", 0.5)])
    bar.update(2, [("loss", 123456.0), ("accuracy", [0.5, "many"])])
    assert all(len(line) < 30 for line in screen(file.getvalue())) and len(screen(file.getvalue())) == 2


# ---- checkpoints and learning rates ------------------------------------------------------------------------------------------
def test_checkpoints(tmp_path):
    made().fit(data(), batch_size=4, epochs=4, verbose=0, callbacks=callbacks.ModelCheckpoint(2, str(tmp_path)))
    assert sorted(os.listdir(tmp_path)) == sorted(f"{n}.{kind}" for n in ("0", "2", "final") for kind in ("pdopt", "pdparams"))


def test_the_scaler_is_saved_with_the_model(tmp_path):
    def scaled(scale):
        model = made()
        model.prepare(model._optimizer, nn.CrossEntropyLoss(), amp_configs={"level": "O1", "init_loss_scaling": scale})
        return model
    first = scaled(8.0)
    first.save(str(tmp_path / "model"))
    second = scaled(2.0)
    second.load(str(tmp_path / "model"))
    assert second._scaler.get_init_loss_scaling() == 8.0


@pytest.mark.parametrize("patience, evaluations", [(0, 2), (1, 2), (3, 4)])
def test_training_stops_after_so_many_evaluations_without_progress(patience, evaluations, tmp_path):
    seen, stop = Recorded(), callbacks.EarlyStopping("loss", patience=patience, verbose=0)
    model = made(rate=0.0)
    model.fit(data(), data(), batch_size=4, epochs=10, verbose=0, callbacks=[stop, seen], save_dir=str(tmp_path))
    assert seen.events.count("eval_end") == evaluations and stop.stopped_epoch == evaluations
    assert os.path.exists(tmp_path / "best_model.pdparams")


def test_a_baseline_must_be_beaten():
    model, seen = made(), Recorded()
    model.fit(data(), data(), batch_size=8, epochs=5, verbose=0,
              callbacks=[callbacks.EarlyStopping("acc", "max", 1, 0, baseline=2.0, save_best_model=False), seen])
    assert seen.events.count("eval_end") == 1


def test_the_rate_falls_on_a_plateau(capsys):
    model = made(rate=1e-9)
    plateau = callbacks.ReduceLROnPlateau(factor=0.5, patience=1, cooldown=1, min_lr=4e-10, verbose=1)
    model.fit(data(), data(), batch_size=8, epochs=6, verbose=0, callbacks=plateau)
    assert model._optimizer.get_lr() == pytest.approx(4e-10) and capsys.readouterr().out.count("reduced") == 2
    with pytest.warns(UserWarning, match="gave no 'auc'"):
        made().fit(data(), data(), batch_size=8, verbose=0, callbacks=callbacks.ReduceLROnPlateau("auc"))


# ---- writers -----------------------------------------------------------------------------------------------------------------
class Wandb(types.ModuleType):
    """Stands in for the package wandb."""

    class Run:
        def __init__(self, **settings):
            self.settings, self.defined, self.logged, self.ended = settings, [], [], 0

        def define_metric(self, name, step_metric=None):
            self.defined.append((name, step_metric))

        def log(self, values):
            self.logged.append(values)

        def finish(self):
            self.ended += 1

    def __init__(self):
        super().__init__("wandb")
        self.run, self.runs = None, []

    def init(self, **settings):
        self.runs.append(self.Run(**settings))
        return self.runs[-1]


@pytest.fixture
def wandb(monkeypatch):
    module = Wandb()
    monkeypatch.setitem(sys.modules, "wandb", module)
    return module


def test_wandb_gets_training_by_step_and_evaluation_by_epoch(wandb):
    callback = callbacks.WandbCallback("project", name="first", tags=["t"])
    made().fit(data(4), data(2), batch_size=2, epochs=2, verbose=0, callbacks=callback)
    (run,) = wandb.runs
    assert run.settings == {"project": "project", "name": "first", "tags": ["t"]} and run.ended == 1
    assert ("train/*", "train/step") in run.defined and ("eval/*", "epoch") in run.defined
    assert [sorted(values) for values in run.logged] == [
        *[["train/acc", "train/loss", "train/step"]] * 2, ["epoch", "eval/acc", "eval/loss"],
        *[["train/acc", "train/loss", "train/step"]] * 2, ["epoch", "eval/acc", "eval/loss"]]
    assert [values.get("train/step", values.get("epoch")) for values in run.logged] == [1, 2, 0, 3, 4, 1]


def test_wandb_uses_the_run_in_progress(wandb):
    wandb.run = Wandb.Run()
    with pytest.warns(UserWarning, match="in progress"):
        callback = callbacks.WandbCallback()
    made().evaluate(data(2), batch_size=2, verbose=0, callbacks=callback)
    assert wandb.runs == [] and len(wandb.run.logged) == 1 and wandb.run.ended == 1


def test_without_wandb_it_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "wandb", None)
    with pytest.raises(ImportError, match="pip install wandb"):
        callbacks.WandbCallback()


def test_visualdl_writes_training_and_evaluations_alone(tmp_path):
    made().fit(data(4), data(2), batch_size=2, epochs=2, verbose=0, callbacks=callbacks.VisualDL(str(tmp_path / "fit")))
    written = b"".join(path.read_bytes() for path in (tmp_path / "fit").iterdir())
    assert written.count(b"train/loss") == 4 and written.count(b"eval/acc") == 2
    made().evaluate(data(2), batch_size=2, verbose=0, callbacks=callbacks.VisualDL(str(tmp_path / "eval")))
    assert b"".join(path.read_bytes() for path in (tmp_path / "eval").iterdir()).count(b"eval/loss") == 1


def test_a_progress_bar_of_no_steps():
    with pytest.raises(TypeError, match="num must be None or a positive int, got -1"):
        paddle.hapi.progressbar.ProgressBar(-1)


def test_a_list_of_callbacks_for_loops_of_ones_own():
    from paddle.hapi.callbacks import LRScheduler, ModelCheckpoint, ProgBarLogger, config_callbacks

    class Notes(paddle.callbacks.Callback):
        def __getattribute__(self, name):
            if name.startswith("on_"):
                return lambda *args: seen.append((name, *args))
            return super().__getattribute__(name)
    seen, model = [], paddle.Model(paddle.nn.Linear(1, 1))
    calls = config_callbacks(Notes(), model=model, epochs=2, steps=3, metrics=["loss"], verbose=0)
    assert {type(c) for c in calls.callbacks} == {Notes, LRScheduler, ModelCheckpoint}
    assert any(isinstance(c, ProgBarLogger) for c in config_callbacks(model=model, mode="test").callbacks)
    only = type(calls)([calls.callbacks[0]], model, {"epochs": 2})
    only.on_begin("train"), only.on_epoch_begin(0), only.on_batch_begin("train", 1, {"a": 2}), only.on_batch_end("eval", 1)
    only.on_epoch_end(0, {"loss": 1.0}), only.on_end("predict", {})
    assert seen == [("on_train_begin", None), ("on_epoch_begin", 0, None), ("on_train_batch_begin", 1, {"a": 2}),
                    ("on_eval_batch_end", 1, None), ("on_epoch_end", 0, {"loss": 1.0}), ("on_predict_end", {})]
