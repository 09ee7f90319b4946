"""Callbacks: what happens around epochs and batches of paddle.Model."""

import numbers
import os
import sys
import warnings

from .progressbar import ProgressBar

__all__ = ["Callback", "ProgBarLogger", "ModelCheckpoint", "VisualDL", "LRScheduler", "EarlyStopping", "ReduceLROnPlateau",
           "WandbCallback"]

_EVENTS = ["on_train_begin", "on_train_end", "on_eval_begin", "on_eval_end", "on_predict_begin", "on_predict_end",
           "on_epoch_begin", "on_epoch_end", "on_train_batch_begin", "on_train_batch_end", "on_eval_batch_begin",
           "on_eval_batch_end", "on_predict_batch_begin", "on_predict_batch_end"]


class Callback:
    """Base of callbacks: override the events wanted; ``self.model`` is the Model, ``self.params`` what it was called with.

    >>> import paddle
    >>> class Count(paddle.callbacks.Callback):
    ...     steps = 0
    ...     def on_train_batch_end(self, step, logs=None):
    ...         self.steps += 1
    """

    def __init__(self):
        self.model, self.params = None, {}

    def set_params(self, params):
        """Given by the Model before it starts."""
        self.params = params

    def set_model(self, model):
        """Given by the Model before it starts."""
        self.model = model


def _nothing(kind):
    if "batch" in kind:
        def event(self, step, logs=None):
            pass
    elif "epoch" in kind:
        def event(self, epoch, logs=None):
            pass
    else:
        def event(self, logs=None):
            pass
    event.__name__, event.__doc__ = kind, f"Called {kind[3:].replace('_', ' ')}."
    return event


for _kind in _EVENTS:
    setattr(Callback, _kind, _nothing(_kind))


class CallbackList:
    """All callbacks of a run, called in order."""

    def __init__(self, callbacks, model, params):
        self.callbacks = list(callbacks)
        for c in self.callbacks:
            c.set_model(model)
            c.set_params(params)

    def __call__(self, event, *args):
        for c in self.callbacks:
            getattr(c, event)(*args)


def configure(callbacks, model, **params):
    """The user's callbacks and those every run has: progress, checkpoints, learning rate."""
    given = list(callbacks) if isinstance(callbacks, (list, tuple)) else [callbacks] if callbacks else []
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
    return CallbackList(given, model, params)


class ProgBarLogger(Callback):
    """Show the progress: verbose 0 nothing, 1 a bar that is rewritten, 2 a line every ``log_freq`` batches.

    >>> import paddle
    >>> paddle.callbacks.ProgBarLogger(log_freq=10).log_freq
    10
    """

    def __init__(self, log_freq=1, verbose=2):
        super().__init__()
        self.log_freq, self.verbose = log_freq, verbose

    def _values(self, logs):
        return [(k, logs[k]) for k in self.params.get("metrics", ()) if k in (logs or {})]

    def _start(self, total):
        self.bar, self.shown = ProgressBar(total, self.verbose), 0

    def _step(self, step, logs):
        done = step + 1
        if self.verbose == 1 or done % self.log_freq == 0 or done == self.bar.total:
            self.bar.update(done, self._values(logs))
            self.shown = done

    def _say(self, text):
        if self.verbose:
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
        self._say(f"Predict samples: {(logs or {}).get('samples', 0)}")


class ModelCheckpoint(Callback):
    """Save model and optimizer to ``save_dir/<epoch>`` every ``save_freq`` epochs, and to ``save_dir/final`` at the end.

    >>> import paddle
    >>> paddle.callbacks.ModelCheckpoint(save_freq=2, save_dir="checkpoints").save_freq
    2
    """

    def __init__(self, save_freq=1, save_dir=None):
        super().__init__()
        self.save_freq, self.save_dir = save_freq, save_dir

    def on_epoch_end(self, epoch, logs=None):
        """Save."""
        if self.save_dir and epoch % self.save_freq == 0:
            self.model.save(os.path.join(self.save_dir, str(epoch)))

    def on_train_end(self, logs=None):
        """Save."""
        if self.save_dir:
            self.model.save(os.path.join(self.save_dir, "final"))


class LRScheduler(Callback):
    """Step the optimizer's learning-rate scheduler after every batch (``by_step``) or epoch (``by_epoch``).

    >>> import paddle
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


def _plain(value):
    return value[0] if isinstance(value, (list, tuple)) else value


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
        return float(_plain(logs[self.monitor]))


class EarlyStopping(_Watcher):
    """Stop when ``monitor`` has not become better by ``min_delta`` in ``patience`` evaluations in a row.

    The best model is saved to ``best_model`` in the ``save_dir`` of fit.

    >>> import paddle
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
            if self.save_best_model and self.save_dir:
                self.model.save(os.path.join(self.save_dir, "best_model"))
            return
        self.wait += 1
        if self.wait > self.patience or (self.patience == 0 and self.wait):
            self.model.stop_training = True
            self.stopped_epoch = self.evaluations
            if self.verbose:
                sys.stdout.write(f"Stopped early: {self.monitor} has not improved on {self.best} in {self.wait} evaluations\n")


class ReduceLROnPlateau(_Watcher):
    """Multiply the learning rate by ``factor`` when ``monitor`` has not become better in ``patience`` evaluations.

    >>> import paddle
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
                if self.verbose:
                    sys.stdout.write(f"Learning rate reduced to {rate}\n")


class VisualDL(Callback):
    """Write the values of training and evaluation to TensorBoard event files in ``log_dir``.

    >>> import paddle
    >>> paddle.callbacks.VisualDL("logs").log_dir
    'logs'
    """

    def __init__(self, log_dir):
        super().__init__()
        self.log_dir, self.writer, self.steps = log_dir, None, {"train": 0, "eval": 0}

    def _write(self, mode, logs, step):
        if self.writer is None:
            from ..utils.tensorboard import EventWriter
            self.writer = EventWriter(self.log_dir)
        for name in self.params.get("metrics", ()):
            if name in (logs or {}):
                self.writer.add_scalar(f"{mode}/{name}", float(_plain(logs[name])), step)

    def on_train_batch_end(self, step, logs=None):
        """Write."""
        self.steps["train"] += 1
        self._write("train", logs, self.steps["train"])

    def on_eval_end(self, logs=None):
        """Write."""
        self.steps["eval"] += 1
        self._write("eval", logs, self.steps["eval"])
        self.writer.flush()

    def on_train_end(self, logs=None):
        """Close the file."""
        if self.writer is not None:
            self.writer.close()
            self.writer = None


class WandbCallback(Callback):
    """Send the values of training and evaluation to Weights & Biases; needs the package wandb.

    >>> import paddle
    >>> paddle.callbacks.WandbCallback.__name__
    'WandbCallback'
    """

    def __init__(self, project=None, entity=None, name=None, dir=None, mode=None, job_type=None, **kwargs):
        super().__init__()
        try:
            import wandb
        except ImportError:
            raise ImportError("WandbCallback(): the package wandb is not installed: pip install wandb") from None
        given = {"project": project, "entity": entity, "name": name, "dir": dir, "mode": mode, "job_type": job_type, **kwargs}
        self.wandb, self.run = wandb, wandb.init(**{k: v for k, v in given.items() if v is not None})

    def _log(self, mode, logs):
        self.run.log({f"{mode}/{k}": float(_plain(logs[k])) for k in self.params.get("metrics", ()) if k in (logs or {})})

    def on_train_batch_end(self, step, logs=None):
        """Send."""
        self._log("train", logs)

    def on_eval_end(self, logs=None):
        """Send."""
        self._log("eval", logs)

    def on_train_end(self, logs=None):
        """End the run."""
        self.run.finish()
