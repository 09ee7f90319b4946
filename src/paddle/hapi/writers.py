"""Callbacks that write what a run of paddle.Model gives to files and services."""

import warnings

from ..utils.tensorboard import EventWriter
from .events import Callback, is_first, plain


class _Writer(Callback):
    """Values of training by batch, values of evaluations by epoch."""

    def __init__(self):
        super().__init__()
        self.step, self.epoch, self.fitting = 0, 0, False

    def on_train_begin(self, logs=None):
        """Count from the start."""
        self.step, self.epoch, self.fitting = 0, 0, True

    def on_epoch_begin(self, epoch, logs=None):
        """Note the epoch."""
        self.epoch = epoch

    def on_train_batch_end(self, step, logs=None):
        """Write."""
        self.step += 1
        if is_first():
            self.write("train", self._values("train", logs), self.step)

    def on_eval_end(self, logs=None):
        """Write."""
        if is_first():
            self.write("eval", self._values("eval", logs), self.epoch)
            if not self.fitting:
                self.finish()

    def on_train_end(self, logs=None):
        """End the file or run."""
        if is_first():
            self.finish()
        self.fitting = False

    def _values(self, mode, logs):
        return {f"{mode}/{k}": float(plain(logs[k])) for k in self.params.get("metrics", ()) if k in (logs or {})}


class VisualDL(_Writer):
    """Write the values of training and evaluation to TensorBoard event files in ``log_dir``.

    >>> paddle.callbacks.VisualDL("logs").log_dir
    'logs'
    """

    def __init__(self, log_dir):
        super().__init__()
        self.log_dir, self.writer = log_dir, None

    def write(self, mode, values, step):
        """Add numbers to the file, which is made at the first ones."""
        if self.writer is None:
            self.writer = EventWriter(self.log_dir)
        for name, value in values.items():
            self.writer.add_scalar(name, value, step)
        if mode == "eval":
            self.writer.flush()

    def finish(self):
        """Close the file."""
        if self.writer is not None:
            self.writer.close()
            self.writer = None


class WandbCallback(_Writer):
    """Send the values of training and evaluation to Weights & Biases; needs the package wandb.

    Args:
        project, entity, name, dir, mode, job_type: of the run, see ``wandb.init``, which gets other keywords too.

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
        self.wandb, self.wandb_args, self._run = wandb, {k: v for k, v in given.items() if v is not None}, None
        if is_first():
            self.run  # noqa: B018, the run starts now

    @property
    def run(self):
        """The run that values go to: the one in progress, or a new one."""
        if self._run is None:
            if self.wandb.run is not None:
                warnings.warn("WandbCallback(): a run of wandb is in progress and is used; wandb.finish() would end it",
                              stacklevel=3)
            self._run = self.wandb.run if self.wandb.run is not None else self.wandb.init(**self.wandb_args)
        return self._run

    def on_train_begin(self, logs=None):
        """Say what the values are drawn over."""
        super().on_train_begin(logs)
        if is_first():
            for values, over in (("train/*", "train/step"), ("eval/*", "epoch")):
                self.run.define_metric(over)
                self.run.define_metric(values, step_metric=over)

    def write(self, mode, values, step):
        """Send numbers."""
        self.run.log({"train/step" if mode == "train" else "epoch": step, **values})

    def finish(self):
        """End the run; the next values start another one."""
        self.run.finish()
        self._run = None
