"""The curves of a run of Model.fit: kept as a History, written as a table of comma-separated values."""

import csv
import os

from .events import Callback, is_first

__all__ = ["CSVLogger", "History"]


class History(dict):
    """What Model.fit returns: for every name the list of its values, one per epoch; ``history.loss`` is ``history["loss"]``.

    ``loss`` is the mean over the epoch's batches (several losses are ``loss_0``, ``loss_1``, ...), metrics are what they had
    accumulated at its end. Values of evaluations begin with ``eval_``; ``epochs[name]`` says to which epochs they belong.

    >>> model = paddle.Model(paddle.nn.Linear(2, 1))
    >>> model.prepare(paddle.optimizer.SGD(0.1, parameters=model.parameters()), paddle.nn.MSELoss())
    >>> history = model.fit([(paddle.ones([4, 2]), paddle.ones([4, 1]))], epochs=3, verbose=0)
    >>> len(history.loss), history.epochs["loss"], history.loss[-1] < history.loss[0]
    (3, [0, 1, 2], True)
    """

    def __init__(self):
        super().__init__()
        self.epochs = {}

    def __getattr__(self, name):
        if name in self:
            return self[name]
        raise AttributeError(f"History has no curve {name!r}; there are: {', '.join(self) or 'none'}")

    def __repr__(self):
        epochs = max((len(kept) for kept in self.epochs.values()), default=0)
        last = ", ".join(f"{name} {values[-1]:.4g}" for name, values in self.items())
        return f"<History of {epochs} epoch{'s' * (epochs != 1)}{': ' * bool(last)}{last}>"

    def add(self, epoch, values):
        """Append the values {name: number} of an epoch."""
        for name, value in values.items():
            self.setdefault(name, []).append(value)
            self.epochs.setdefault(name, []).append(epoch)

    def plot(self, *names, axes=None):
        """Draw the curves (all of them, or those named) with matplotlib, into ``axes`` or a new figure; returns the axes."""
        unknown = [name for name in names if name not in self]
        if unknown:
            raise ValueError(f"History.plot(): there is no curve {unknown[0]!r}; there are: {', '.join(self) or 'none'}")
        if axes is None:
            try:
                from matplotlib import pyplot  # an extra, and slow to import
            except ImportError as e:
                raise ImportError("History.plot(): matplotlib is missing, pip install matplotlib") from e
            axes = pyplot.subplots()[1]
        for name in names or self:
            marker = "." if len(self[name]) < 20 else None
            axes.plot([epoch + 1 for epoch in self.epochs[name]], self[name], marker=marker, label=name)
        axes.set_xlabel("epoch")
        axes.legend()
        return axes


class EpochValues(Callback):
    """Collects the values of every epoch and of the evaluation after it, and hands them to ``epoch_done``."""

    def on_train_begin(self, logs=None):
        """Forget earlier runs."""
        self._epoch, self._values, self._means = None, {}, Means()

    def on_epoch_begin(self, epoch=None, logs=None):
        """The evaluation after the epoch before, if any, is over."""
        self._close()
        self._epoch, self._means = epoch, Means()

    def on_train_batch_end(self, step, logs=None):
        """Add up losses."""
        self._means.add(logs)

    def on_epoch_end(self, epoch, logs=None):
        """Keep the values of training."""
        self._values.update(self._read(logs, ""))
        self._means = Means()

    def on_eval_batch_end(self, step, logs=None):
        """Add up losses."""
        self._means.add(logs)

    def on_eval_end(self, logs=None):
        """Keep the values of the evaluation."""
        self._values.update(self._read(logs, "eval_"))

    def on_train_end(self, logs=None):
        """The last epoch is over."""
        self._close()

    def _read(self, logs, prefix):
        found = dict(self._means.values())
        found.update((k, float(v)) for k, v in (logs or {}).items() if k in self.params.get("metrics", ()) and k != "loss")
        return {prefix + name: value for name, value in found.items()}

    def _close(self):
        if self._epoch is not None and self._values:
            self.epoch_done(self._epoch, self._values)
        self._values = {}

    def epoch_done(self, epoch, values):
        """Called once per epoch with {name: number}."""
        raise NotImplementedError(f"{type(self).__name__}.epoch_done() must be defined")


class Means:
    """The mean of the losses of batches, weighted by their sizes."""

    def __init__(self):
        self.sums, self.samples = [], 0

    def add(self, logs):
        """Count one batch."""
        losses, size = (logs or {}).get("loss") or [], (logs or {}).get("batch_size", 1)
        self.sums = [total + loss * size for total, loss in zip(self.sums or [0.0] * len(losses), losses)]
        self.samples += size

    def values(self):
        """Pairs (name, mean)."""
        names = ["loss"] if len(self.sums) == 1 else [f"loss_{k}" for k in range(len(self.sums))]
        return [(name, total / self.samples) for name, total in zip(names, self.sums)]


class Recorder(EpochValues):
    """Fills a History."""

    def __init__(self):
        super().__init__()
        self.history = History()

    def epoch_done(self, epoch, values):
        """Append them."""
        self.history.add(epoch, values)


class CSVLogger(EpochValues):
    """Write a line per epoch to a file of comma-separated values: epoch, losses and metrics, learning rate, those of evaluations.

    Args:
        filename: the file; its folder is made.
        separator: between values.
        append: go on in a file that is there (with the same columns) instead of beginning it anew.

    >>> paddle.callbacks.CSVLogger("curves.csv").filename
    'curves.csv'
    """

    def __init__(self, filename, separator=",", append=False):
        super().__init__()
        self.filename, self.separator, self.append = os.fspath(filename), separator, append
        self._columns = None

    def on_train_begin(self, logs=None):
        """Read the columns of a file that is to be continued."""
        super().on_train_begin(logs)
        self._columns = None
        if self.append and os.path.exists(self.filename):
            with open(self.filename, newline="", encoding="utf-8") as file:
                self._columns = next(csv.reader(file, delimiter=self.separator), None)

    def epoch_done(self, epoch, values):
        """Write the line; an evaluation that this epoch did not have leaves its columns empty."""
        if not is_first():
            return
        row = {"epoch": epoch, "lr": self.model._optimizer.get_lr(), **values}
        fresh = self._columns is None
        if fresh:
            self._columns = self._all_columns(row)
            os.makedirs(os.path.dirname(self.filename) or ".", exist_ok=True)
        unknown = [name for name in row if name not in self._columns]
        if unknown:
            raise ValueError(f"CSVLogger(): {self.filename} has no column {unknown[0]!r}, only {', '.join(self._columns)}")
        with open(self.filename, "w" if fresh else "a", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, self._columns, delimiter=self.separator)
            if fresh:
                writer.writeheader()
            writer.writerow(row)

    def _all_columns(self, row):
        """Also those of evaluations that come later, when not every epoch has one."""
        trained = [name for name in row if not name.startswith("eval_")]
        evaluated = ["eval_" + name for name in trained if name not in ("epoch", "lr")] if self.params.get("evaluates") else []
        return trained + evaluated
