"""Callbacks: what happens around epochs and batches of paddle.Model."""

import numbers
import os
import sys
import time
import warnings

from ..core.errors import describe
from .events import Callback, CallbackList, is_first, plain
from .history import CSVLogger
from .progressbar import make_bar
from .writers import VisualDL, WandbCallback

__all__ = ["Callback", "ProgBarLogger", "ModelCheckpoint", "VisualDL", "LRScheduler", "EarlyStopping", "ReduceLROnPlateau",
           "WandbCallback", "CSVLogger"]


def configure(callbacks, model, *more, **params):
    """The user's callbacks and those every run has: progress, checkpoints, learning rate, and ``more``."""
    given = list(callbacks) if isinstance(callbacks, (list, tuple)) else [callbacks] if callbacks else []
    for c in given:
        if not hasattr(c, "set_model"):
            raise TypeError(f"callbacks must be a Callback or a list of them, got {describe(c)}")
    if params.get("verbose") and not any(isinstance(c, ProgBarLogger) for c in given):
        given.insert(0, ProgBarLogger(params.get("log_freq", 1), params["verbose"]))
    if params.get("mode") == "train":
        if not any(isinstance(c, LRScheduler) for c in given):
            given.append(LRScheduler())
        if not any(isinstance(c, ModelCheckpoint) for c in given):
            given.append(ModelCheckpoint(params.get("save_freq", 1), params.get("save_dir")))
    for c in given:
        if isinstance(c, EarlyStopping) and c.save_dir is None:
            c.save_dir = params.get("save_dir")
    return CallbackList([*given, *more], model, params)


def config_callbacks(callbacks=None, model=None, batch_size=None, epochs=None, steps=None, log_freq=2, verbose=2, save_freq=1,
                     save_dir=None, metrics=None, mode="train"):
    """The list of callbacks of a run of ``Model.fit`` (mode "train"), ``evaluate`` or ``predict``.

    >>> from paddle.hapi.callbacks import config_callbacks
    >>> calls = config_callbacks(model=paddle.Model(paddle.nn.Linear(1, 1)), epochs=2, steps=3, metrics=["loss"], verbose=0)
    >>> calls.on_begin("train", {})
    """
    return configure(callbacks, model, batch_size=batch_size, epochs=epochs, steps=steps, log_freq=log_freq, verbose=verbose,
                     save_freq=save_freq, save_dir=save_dir, metrics=[] if mode == "test" else metrics or [], mode=mode)


class ProgBarLogger(Callback):
    """Show the progress: verbose 0 nothing, 1 a bar that is rewritten, 2 a line every ``log_freq`` batches, 3 with times.

    Args:
        log_freq (int): batches between two lines.
        verbose (int): 0 to 3, as above.

    >>> paddle.callbacks.ProgBarLogger(log_freq=10).log_freq
    10
    """

    def __init__(self, log_freq=1, verbose=2):
        super().__init__()
        self.log_freq, self.verbose = log_freq, verbose

    def _values(self, logs):
        values = [(k, logs[k]) for k in self.params.get("metrics", ()) if k in (logs or {})]
        if self.verbose == 3:
            values += self.times.values()
            self.times = Times()
        return values

    def _start(self, total):
        self.bar, self.times = make_bar(total, self.verbose if is_first() else 0), Times()

    def _data(self):
        self.times.data()

    def _step(self, step, logs):
        self.times.batch((logs or {}).get("batch_size", 1))
        done = step + 1
        if self.bar.verbose and (self.bar.rewrites or done % self.log_freq == 0 or done == self.bar.total):
            self.bar.update(done, self._values(logs))

    def on_train_batch_begin(self, step, logs=None):
        """The batch is there."""
        self._data()

    def on_eval_batch_begin(self, step, logs=None):
        """The batch is there."""
        self._data()

    def on_predict_batch_begin(self, step, logs=None):
        """The batch is there."""
        self._data()

    def on_epoch_end(self, epoch, logs=None):
        """End the line."""
        self.bar.finish()

    def _say(self, text):
        if self.verbose and is_first():
            sys.stdout.write(text + "\n")
            sys.stdout.flush()

    def on_epoch_begin(self, epoch=None, logs=None):
        """Start a bar."""
        self._say(f"Epoch {epoch + 1}/{self.params.get('epochs')}")
        self._start(self.params.get("steps"))

    def on_train_batch_end(self, step, logs=None):
        """Show the batch."""
        self._step(step, logs)

    def on_eval_begin(self, logs=None):
        """Start a bar."""
        self._say("Eval begin...")
        self._start((logs or {}).get("steps"))

    def on_eval_batch_end(self, step, logs=None):
        """Show the batch."""
        self._step(step, logs)

    def on_eval_end(self, logs=None):
        """Say how many samples there were."""
        self.bar.finish()
        self._say(f"Eval samples: {(logs or {}).get('samples', 0)}")

    def on_predict_begin(self, logs=None):
        """Start a bar."""
        self._say("Predict begin...")
        self._start((logs or {}).get("steps"))

    def on_predict_batch_end(self, step, logs=None):
        """Show the batch."""
        self._step(step, logs)

    def on_predict_end(self, logs=None):
        """Say how many samples there were."""
        self.bar.finish()
        self._say(f"Predict samples: {(logs or {}).get('samples', 0)}")


class Times:
    """Seconds spent on waiting for data and on batches since it was made."""

    def __init__(self):
        self.waited = self.worked = 0.0
        self.batches = self.samples = 0
        self.since = time.perf_counter()

    def _lap(self):
        before, self.since = self.since, time.perf_counter()
        return self.since - before

    def data(self):
        """The next batch has come."""
        self.waited += self._lap()

    def batch(self, samples):
        """A batch of so many samples is done."""
        self.worked += self._lap()
        self.batches, self.samples = self.batches + 1, self.samples + samples

    def values(self):
        """Pairs (name, text) for a line of progress."""
        n = max(self.batches, 1)
        return [("avg_reader_cost", f"{self.waited / n:.5f} sec"), ("avg_batch_cost", f"{self.worked / n:.5f} sec"),
                ("ips", f"{self.samples / max(self.waited + self.worked, 1e-9):.5f} samples/sec")]


class _Watcher(Callback):
    """What looks at one value of evaluations and whether it gets better."""

    def _watch(self, monitor, mode, min_delta):
        if mode not in ("auto", "min", "max"):
            warnings.warn(f"{type(self).__name__}(): mode {mode!r} is unknown, 'auto' is taken", stacklevel=3)
            mode = "auto"
        self.monitor, self.min_delta = monitor, abs(min_delta)
        self.sign = 1 if mode == "max" or (mode == "auto" and "acc" in monitor) else -1

    def _better(self, value, best):
        return best is None or self.sign * (value - best) > self.min_delta

    def _current(self, logs):
        if self.monitor not in (logs or {}):
            warnings.warn(f"{type(self).__name__}(): the evaluation gave no {self.monitor!r}, only {sorted(logs or {})}",
                          stacklevel=3)
            return None
        return float(plain(logs[self.monitor]))


class ModelCheckpoint(_Watcher):
    """Save model and optimizer to ``save_dir/<epoch>`` every ``save_freq`` epochs, and to ``save_dir/final`` at the end.

    Args:
        save_freq, save_dir: how often (in epochs) and where; no folder, no files.
        save_best_only: write ``save_dir/best`` alone, after every evaluation that was better than all before.
        monitor, mode: the evaluation's value that is compared, and whether 'min' or 'max' is better ('auto': 'max' for accuracies).

    >>> paddle.callbacks.ModelCheckpoint(save_freq=2, save_dir="checkpoints").save_freq
    2
    """

    def __init__(self, save_freq=1, save_dir=None, save_best_only=False, monitor="loss", mode="auto"):
        super().__init__()
        self._watch(monitor, mode, 0)
        self.save_freq, self.save_dir, self.save_best_only = save_freq, save_dir, save_best_only
        self.best, self.best_epoch, self._epoch = None, None, None

    def _save(self, name):
        if self.save_dir and is_first():
            self.model.save(os.path.join(self.save_dir, name))

    def on_train_begin(self, logs=None):
        """Forget earlier runs."""
        self.best, self.best_epoch, self._epoch = None, None, None
        if self.save_best_only and not self.params.get("evaluates"):
            raise ValueError("ModelCheckpoint(): save_best_only compares evaluations, but fit() was given no eval_data")

    def on_epoch_end(self, epoch, logs=None):
        """Save."""
        self._epoch = epoch
        if not self.save_best_only and epoch % self.save_freq == 0:
            self._save(str(epoch))

    def on_eval_end(self, logs=None):
        """Save, if it is the best so far."""
        value = self._current(logs) if self.save_best_only else None
        if value is not None and self._better(value, self.best):
            self.best, self.best_epoch = value, self._epoch
            self._save("best")

    def on_train_end(self, logs=None):
        """Save."""
        if not self.save_best_only:
            self._save("final")


class LRScheduler(Callback):
    """Step the optimizer's learning-rate scheduler after every batch (``by_step``) or epoch (``by_epoch``).

    Args:
        by_step (bool): step after every batch.
        by_epoch (bool): step after every epoch. Not both.

    >>> paddle.callbacks.LRScheduler(by_step=False, by_epoch=True).by_epoch
    True
    """

    def __init__(self, by_step=True, by_epoch=False):
        super().__init__()
        if by_step and by_epoch:
            raise ValueError("LRScheduler(): only one of by_step and by_epoch can be set")
        self.by_step, self.by_epoch = by_step, by_epoch

    def _step(self):
        scheduler = getattr(self.model._optimizer, "_learning_rate", None)
        if hasattr(scheduler, "step"):
            scheduler.step()

    def on_train_batch_end(self, step, logs=None):
        """Step."""
        if self.by_step:
            self._step()

    def on_epoch_end(self, epoch, logs=None):
        """Step."""
        if self.by_epoch:
            self._step()


class EarlyStopping(_Watcher):
    """Stop when ``monitor`` has not become better by ``min_delta`` in ``patience`` evaluations in a row.

    The best model is saved to ``best_model`` in the ``save_dir`` of fit.

    Args:
        monitor (str): the value of the evaluation to watch: "loss" or the name of a metric.
        mode (str): "min", "max", or "auto": "max" for names that contain "acc", else "min".
        patience (int): evaluations without improvement before training stops.
        verbose (int): 1 says when and why it stopped, 0 nothing.
        min_delta (float): smaller changes are no improvement.
        baseline (float or None): the value that has to be surpassed first.
        save_best_model (bool): save the best model, if fit was given ``save_dir``.

    >>> paddle.callbacks.EarlyStopping("acc", patience=2).patience
    2
    """

    def __init__(self, monitor="loss", mode="auto", patience=0, verbose=1, min_delta=0, baseline=None, save_best_model=True):
        super().__init__()
        self._watch(monitor, mode, min_delta)
        self.patience, self.verbose, self.baseline, self.save_best_model = patience, verbose, baseline, save_best_model
        self.save_dir, self.stopped_epoch = None, 0

    def on_train_begin(self, logs=None):
        """Forget earlier runs."""
        self.wait, self.best, self.evaluations = 0, self.baseline, 0

    def on_eval_end(self, logs=None):
        """Compare with the best evaluation so far."""
        value = self._current(logs)
        if value is None:
            return
        self.evaluations += 1
        if self._better(value, self.best):
            self.best, self.wait = value, 0
            if self.save_best_model and self.save_dir and is_first():
                self.model.save(os.path.join(self.save_dir, "best_model"))
            return
        self.wait += 1
        if self.wait >= self.patience:
            self.model.stop_training = True
            self.stopped_epoch = self.evaluations
            if self.verbose and is_first():
                sys.stdout.write(f"Stopped early: {self.monitor} has not improved on {self.best} in {self.wait} evaluations\n")


class ReduceLROnPlateau(_Watcher):
    """Multiply the learning rate by ``factor`` when ``monitor`` has not become better in ``patience`` evaluations.

    Args:
        monitor (str): the value to watch: "loss" or the name of a metric.
        factor (float): below 1; the new rate is the old one times this.
        patience (int): evaluations without improvement before the rate changes.
        verbose (int): 1 prints each change.
        mode (str): "min", "max" or "auto", as of EarlyStopping.
        min_delta (float): smaller changes are no improvement.
        cooldown (int): evaluations after a change that are not counted.
        min_lr (float): the rate does not fall below this.

    >>> paddle.callbacks.ReduceLROnPlateau(factor=0.5).factor
    0.5
    """

    def __init__(self, monitor="loss", factor=0.1, patience=10, verbose=1, mode="auto", min_delta=1e-4, cooldown=0, min_lr=0):
        super().__init__()
        if factor >= 1.0:
            raise ValueError(f"ReduceLROnPlateau(): factor must be below 1, got {factor}")
        self._watch(monitor, mode, min_delta)
        self.factor, self.patience, self.verbose, self.cooldown, self.min_lr = factor, patience, verbose, cooldown, min_lr

    def on_train_begin(self, logs=None):
        """Forget earlier runs."""
        self.best, self.wait, self.resting = None, 0, 0

    def on_eval_end(self, logs=None):
        """Compare with the best evaluation so far."""
        value = self._current(logs)
        optimizer = self.model._optimizer
        if value is None:
            return
        if not isinstance(getattr(optimizer, "_learning_rate", None), numbers.Number):
            warnings.warn("ReduceLROnPlateau(): the learning rate is a scheduler's, not a number; nothing is reduced",
                          stacklevel=2)
            return
        if self.resting:
            self.resting, self.wait = self.resting - 1, 0
        if self._better(value, self.best):
            self.best, self.wait = value, 0
        elif not self.resting:
            self.wait += 1
            if self.wait >= self.patience and optimizer.get_lr() > self.min_lr:
                rate = max(optimizer.get_lr() * self.factor, self.min_lr)
                optimizer.set_lr(rate)
                self.resting, self.wait = self.cooldown, 0
                if self.verbose and is_first():
                    sys.stdout.write(f"Learning rate reduced to {rate}\n")
