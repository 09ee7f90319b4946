"""Events of a run of paddle.Model, and what is called at them."""

from .. import distributed

_EVENTS = ["on_train_begin", "on_train_end", "on_eval_begin", "on_eval_end", "on_predict_begin", "on_predict_end",
           "on_epoch_begin", "on_epoch_end", "on_train_batch_begin", "on_train_batch_end", "on_eval_batch_begin",
           "on_eval_batch_end", "on_predict_batch_begin", "on_predict_batch_end"]


class Callback:
    """Base of callbacks: override the events wanted; ``self.model`` is the Model, ``self.params`` what it was called with.

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

    def on_begin(self, mode, logs=None):
        """A run of a mode ("train", "eval", "predict") begins."""
        self(f"on_{mode}_begin", logs)

    def on_end(self, mode, logs=None):
        """A run of a mode ends."""
        self(f"on_{mode}_end", logs)

    def on_epoch_begin(self, epoch=None, logs=None):
        """An epoch of training begins."""
        self("on_epoch_begin", epoch, logs)

    def on_epoch_end(self, epoch=None, logs=None):
        """An epoch of training ends."""
        self("on_epoch_end", epoch, logs)

    def on_batch_begin(self, mode, step=None, logs=None):
        """A batch of a mode begins."""
        self(f"on_{mode}_batch_begin", step, logs)

    def on_batch_end(self, mode, step=None, logs=None):
        """A batch of a mode ends."""
        self(f"on_{mode}_batch_end", step, logs)


def plain(value):
    """The number that stands for a value of the logs: losses are lists."""
    return value[0] if isinstance(value, (list, tuple)) else value


def is_first():
    """Is this process the one that prints and saves? In a run of several, rank 0 is."""
    return distributed.ParallelEnv().rank == 0
