"""What fit returns and writes down: curves by name, the best checkpoint, a file of comma-separated values, tqdm's bar."""

import csv
import io
import os
import sys
import types

import numpy as np
import pytest

import paddle
from paddle import callbacks, nn


def batches(*means):
    """One batch per number: y is that number, x is 1."""
    return [(paddle.ones([2, 1]), paddle.full([2, 1], mean)) for mean in means]


def made(rate=0.0):
    model = paddle.Model(nn.Linear(1, 1, nn.initializer.Constant(0.0), bias_attr=False))
    model.prepare(paddle.optimizer.SGD(rate, parameters=model.parameters()), nn.MSELoss())
    return model


def test_losses_are_means_over_the_epoch():
    uneven = [*batches(1.0), (paddle.ones([6, 1]), paddle.full([6, 1], 3.0))]
    history = made().fit(uneven, batches(2.0, 4.0), epochs=3, eval_freq=2, verbose=0)
    assert history == {"loss": [(2 * 1 + 6 * 9) / 8] * 3, "eval_loss": [10.0] * 2}
    assert history.epochs == {"loss": [0, 1, 2], "eval_loss": [0, 2]} and history.eval_loss is history["eval_loss"]
    assert repr(history) == "<History of 3 epochs: loss 7, eval_loss 10>"
    with pytest.raises(AttributeError, match="no curve 'acc'; there are: loss, eval_loss"):
        history.acc  # noqa: B018


def test_metrics_and_several_losses():
    model = paddle.Model(nn.Linear(1, 2))
    model.prepare(paddle.optimizer.SGD(0.1, parameters=model.parameters()),
                  lambda out, y: [nn.functional.cross_entropy(out, y), (out * 0).sum() + 2.0], paddle.metric.Accuracy())
    history = model.fit([(paddle.ones([2, 1]), paddle.zeros([2, 1], "int64"))], epochs=2, verbose=0)
    assert list(history) == ["loss_0", "loss_1", "acc"] and history.loss_1 == [2.0, 2.0] and history.loss_0[1] < history.loss_0[0]


class Axes:
    """What plot calls of matplotlib."""

    def __init__(self):
        self.lines = {}

    def plot(self, x, y, marker, label):
        self.lines[label] = (x, y)

    def set_xlabel(self, text):
        self.label = text

    def legend(self):
        self.has_legend = True


def test_curves_are_drawn(monkeypatch):
    history = made().fit(batches(1.0), batches(2.0), epochs=2, verbose=0)
    axes = history.plot(axes=Axes())
    assert axes.lines == {"loss": ([1, 2], [1.0, 1.0]), "eval_loss": ([1, 2], [4.0, 4.0])} and axes.has_legend
    assert list(history.plot("loss", axes=Axes()).lines) == ["loss"]
    with pytest.raises(ValueError, match="no curve 'x'"):
        history.plot("x", axes=Axes())
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match="pip install matplotlib"):
        history.plot()


def test_only_the_best_is_kept(tmp_path):
    class Shift(callbacks.Callback):  # the evaluations' losses are 4, 1, 0, 1
        def on_epoch_begin(self, epoch, logs=None):
            self.model.network.weight.set_value(np.array([[float(epoch)]], "float32"))
    best = callbacks.ModelCheckpoint(save_dir=str(tmp_path), save_best_only=True)
    made().fit(batches(2.0), batches(2.0), epochs=4, verbose=0, callbacks=[Shift(), best])
    assert (best.best, best.best_epoch) == (0.0, 2) and "best.pdparams" in os.listdir(tmp_path)
    assert all(name.startswith("best.") for name in os.listdir(tmp_path))
    assert paddle.load(str(tmp_path / "best.pdparams"))["weight"].tolist() == [[2.0]]
    with pytest.raises(ValueError, match="no eval_data"):
        made().fit(batches(1.0), verbose=0, callbacks=callbacks.ModelCheckpoint(save_dir=str(tmp_path), save_best_only=True))


def test_a_file_of_values(tmp_path):
    path = tmp_path / "runs" / "curves.csv"
    made().fit(batches(1.0), batches(2.0), epochs=3, eval_freq=2, verbose=0, callbacks=callbacks.CSVLogger(path))
    rows = list(csv.DictReader(path.read_text().splitlines()))
    assert list(rows[0]) == ["epoch", "lr", "loss", "eval_loss"]
    assert [row["eval_loss"] for row in rows] == ["4.0", "", "4.0"] and [row["epoch"] for row in rows] == ["0", "1", "2"]
    made().fit(batches(1.0), batches(2.0), verbose=0, callbacks=callbacks.CSVLogger(path, append=True))
    assert len(path.read_text().splitlines()) == 5
    made().fit(batches(1.0), verbose=0, callbacks=callbacks.CSVLogger(path, separator=";"))
    assert path.read_text().splitlines() == ["epoch;lr;loss", "0;0.0;1.0"]
    with pytest.raises(ValueError, match="no column 'eval_loss', only epoch, lr, loss"):
        made().fit(batches(1.0), batches(1.0), verbose=0, callbacks=callbacks.CSVLogger(path, ";", append=True))


class Notebook(io.StringIO):
    """As the stream of a notebook's kernel."""


Notebook.__module__ = "ipykernel.iostream"


def test_notebooks_get_the_bar_of_tqdm(monkeypatch):
    made_bars = []

    class Bar:
        def __init__(self, total, unit):
            self.total, self.n, self.open = total, 0, True
            made_bars.append(self)

        def set_postfix_str(self, text, refresh):
            self.text = text

        def update(self, steps):
            self.n += steps

        def close(self):
            self.open = False
    monkeypatch.setitem(sys.modules, "tqdm.auto", types.SimpleNamespace(tqdm=Bar))
    monkeypatch.setattr(sys, "stdout", Notebook())
    made().fit(batches(1.0, 2.0, 3.0), batches(1.0), verbose=1)
    assert [(bar.total, bar.n, bar.text, bar.open) for bar in made_bars] == [
        (3, 3, "loss: 9.0000", False), (1, 1, "loss: 1.0000", False)]


def test_summary_has_rows_for_recurrent_layers(capsys):
    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.embedding, self.rnn, self.out = nn.Embedding(10, 3), nn.LSTM(3, 4, 2), nn.Linear(4, 2)

        def forward(self, x):
            return self.out(self.out(self.rnn(self.embedding(x))[1][0][-1]).matmul(paddle.ones([2, 4])))
    rows = {}
    for network, size, dtype in ((nn.LSTM(3, 4), (2, 5, 3), None), (nn.GRU(3, 4, 2, direction="bidirect"), (2, 5, 3), None),
                                 (nn.SimpleRNN(3, 4), (2, 5, 3), None), (nn.RNN(nn.GRUCell(3, 4)), (2, 5, 3), None),
                                 (Net(), (2, 5), "int64")):
        paddle.summary(network, size, dtype)
        body = capsys.readouterr().out.split("=\n")[1].splitlines()[:-1]
        rows[type(network).__name__] = [(line.split()[0].rpartition("-")[0], int(line.split()[-1])) for line in body]
    assert rows == {"LSTM": [("LSTM", 144)], "GRU": [("GRU", 552)], "SimpleRNN": [("SimpleRNN", 36)], "RNN": [("GRUCell", 108)],
                       "Net": [("Embedding", 30), ("LSTM", 304), ("Linear", 10)]}  # as real 2.6.2 prints
