"""Model: a network with its training loop."""

import contextlib

import numpy as np

from .. import amp, distributed
from ..core.autograd import no_grad
from ..core.context import context
from ..core.errors import check_type, describe
from ..core.tensor import Tensor, wrap
from ..framework.io import load, save
from ..io import DataLoader, Dataset, IterableDataset
from ..metric import Metric
from ..nn.layer.layers import Layer
from ..serialization.atomic import together
from ..tensor.creation import to_tensor
from ..tensor.joining import concat
from . import callbacks as callbacks_module
from .exported import exported_state
from .history import Recorder
from .ranks import Ranks
from .static_mode import adopt, eagerly, make_eager
from .summary import summary

__all__ = ["Model"]


def _list(value):
    return list(value) if isinstance(value, (list, tuple)) else [] if value is None else [value]


def to_list(value):
    """A list: of what a sequence holds, or of the value itself; None stays None."""
    return None if value is None else _list(value)


def _tensors(values):
    return [v if isinstance(v, Tensor) else to_tensor(v) for v in _list(values)]


_SCALER = {"init_loss_scaling", "incr_ratio", "decr_ratio", "incr_every_n_steps", "decr_every_n_nan_or_inf",
           "use_dynamic_loss_scaling"}  # what amp_configs may say to GradScaler


def prepare_distributed_context(place=None):
    """Connect the processes of a program that was launched as several; alone, do nothing."""
    if distributed.ParallelEnv().nranks > 1:
        distributed.init_parallel_env()


def _all_gather(x):
    """The rows of all processes, one after the other."""
    parts = []
    distributed.all_gather(parts, x)
    return concat(parts, 0)


class Model:
    """A network that can be fitted, evaluated and asked.

    In a distributed job every rank trains with its share of a Dataset and with averaged gradients, and all ranks get the
    evaluations and predictions of the whole. In static mode a Model runs eagerly too.

    Args:
        network (Layer): what is trained.
        inputs, labels (InputSpec, list or None): InputSpecs (or one), for saving for inference and to tell labels from inputs
            in data.
    Raises:
        TypeError: ``network`` is not a Layer.
        RuntimeError: a batch is trained before ``prepare``.

    >>> model = paddle.Model(paddle.nn.Linear(2, 1))
    >>> model.prepare(paddle.optimizer.SGD(0.1, parameters=model.parameters()), paddle.nn.MSELoss())
    >>> data = paddle.io.TensorDataset([paddle.ones([4, 2]), paddle.ones([4, 1])])
    >>> history = model.fit(data, batch_size=2, epochs=2, verbose=0)
    >>> sorted(model.evaluate(data, batch_size=4, verbose=0))
    ['loss']
    """

    def __init__(self, network, inputs=None, labels=None):
        if not isinstance(network, Layer):
            raise TypeError(f"Model(): network must be a Layer, got {type(network).__name__}")
        if context.static_mode:
            make_eager(network)
        self.network, self._inputs, self._labels = network, _list(inputs), _list(labels)
        self._optimizer = self._loss = self._scaler = None
        self._metrics, self._amp, self._ranks = [], None, Ranks()
        self._seen = None  # sizes and types of the inputs of the first batch
        self.stop_training, self.mode = False, "train"

    # ---- one batch ---------------------------------------------------------------------------------------------------
    def prepare(self, optimizer=None, loss=None, metrics=None, amp_configs=None):
        """Set optimizer, loss (a Layer or function of outputs and labels), metrics and mixed precision.

        amp_configs: 'O1' or 'O2', or a dict with 'level' and arguments of auto_cast and GradScaler.
        """
        metrics = _list(metrics)
        for m in metrics:
            if not isinstance(m, Metric):
                raise TypeError(f"prepare(): metrics must be paddle.metric.Metric objects, got {type(m).__name__}")
        if loss is not None and not callable(loss):
            raise TypeError(f"prepare(): loss must be a Layer or a function, got {type(loss).__name__}")
        if context.static_mode:
            adopt(optimizer, self.network)
            if isinstance(loss, Layer):
                make_eager(loss)
        self._optimizer, self._loss, self._metrics = optimizer, loss, metrics
        if amp_configs:
            self._prepare_amp({"level": amp_configs} if isinstance(amp_configs, str) else dict(amp_configs))

    def _prepare_amp(self, config):
        level = config.pop("level", "O1")
        if level == "O0":
            return
        cast = {k: config.pop(k) for k in ("custom_white_list", "custom_black_list", "dtype", "use_promote") if k in config}
        for name in set(config) - _SCALER:
            raise ValueError(f"prepare(): amp_configs[{name!r}] " + ("is for static programs, which a Model does not make"
                             if name in ("use_fp16_guard", "custom_black_varnames") else
                             f"is unknown; known are level, dtype, the lists of auto_cast, and {', '.join(sorted(_SCALER))}"))
        self._amp = {"level": level, **cast}
        self._scaler = amp.GradScaler(**config)
        if level == "O2":
            self.network, self._optimizer = amp.decorate(self.network, self._optimizer, level="O2",
                                                         dtype=cast.get("dtype", "float16"))

    def _forward(self, inputs, labels, training=False):
        """(outputs, losses) of one batch."""
        if self._seen is None:
            self._seen = [(x.shape, x.dtype) for x in inputs]
        network = self._ranks.trained(self.network) if training else self.network
        with amp.auto_cast(enable=self._amp is not None, **(self._amp or {})):
            outputs = _list(network(*inputs))
            losses = self._losses(outputs, labels) if self._loss is not None and labels is not None else []
        return outputs, losses

    def _losses(self, outputs, labels):
        return _list(self._loss(*outputs, *labels))

    def _measure(self, outputs, labels):
        return [m.update(*_list(m.compute(*outputs, *labels))) for m in self._metrics]

    def _results(self, losses, metrics):
        losses = [(loss.astype("float32") if loss.dtype.itemsize == 2 else loss).numpy() for loss in losses]
        return (losses, metrics) if metrics and losses else losses or metrics

    @eagerly
    def train_batch(self, inputs, labels=None, update=True):
        """Train with one batch: [losses], or ([losses], [metrics]). Gradients are kept for the next batch unless ``update``."""
        if self._optimizer is None or self._loss is None:
            raise RuntimeError("train_batch(): call prepare() with an optimizer and a loss first")
        self._ranks.trained(self.network).train()
        labels = _tensors(labels)
        with contextlib.nullcontext() if update else self._ranks.alone():
            outputs, losses = self._forward(_tensors(inputs), labels, training=True)
            total = losses[0]
            for loss in losses[1:]:
                total = total + loss
            (self._scaler.scale(total) if self._scaler else total).backward()
        if update:
            self._update(total)
        return self._results(losses, self._measure(outputs, labels))

    def _update(self, loss):
        if self._scaler:
            self._scaler.minimize(self._optimizer, loss)
        else:
            self._optimizer.step()
        self._optimizer.clear_grad()

    @eagerly
    def eval_batch(self, inputs, labels=None):
        """Evaluate one batch: [losses], or ([losses], [metrics])."""
        return self._eval_batch(inputs, labels, None)

    @no_grad()
    def _eval_batch(self, inputs, labels, left):
        """The same; ``left``: samples that remain of a dataset whose batches are dealt out to the ranks, or None."""
        self.network.eval()
        labels = _tensors(labels)
        outputs, losses = self._forward(_tensors(inputs), labels)
        if left is None:
            return self._results(losses, self._measure(outputs, labels))
        outputs, labels = self._ranks.whole(outputs, left), self._ranks.whole(labels, left)
        losses = [wrap(loss) for loss in self._ranks.mean([loss._data for loss in losses])]
        return self._results(losses, self._measure(outputs, labels))

    @eagerly
    def predict_batch(self, inputs):
        """The outputs for one batch, as arrays."""
        return self._predict_batch(inputs, None)

    @no_grad()
    def _predict_batch(self, inputs, left):
        self.network.eval()
        outputs = self._forward(_tensors(inputs), None)[0]
        return [o.numpy() for o in (outputs if left is None else self._ranks.whole(outputs, left))]

    # ---- whole datasets ----------------------------------------------------------------------------------------------
    def _names(self):
        return ["loss"] * (self._loss is not None) + [n for m in self._metrics for n in _list(m.name())]

    def _loader(self, data, batch_size, shuffle, drop_last, num_workers):
        if isinstance(data, IterableDataset):
            return DataLoader(data, batch_size=batch_size, drop_last=drop_last, num_workers=num_workers)
        if isinstance(data, Dataset):
            return self._ranks.loader(data, batch_size, shuffle, drop_last, num_workers)
        if isinstance(data, (np.ndarray, Tensor)):
            raise TypeError(f"Model: data must be a Dataset or an iterable of batches such as a DataLoader, got {describe(data)}; "
                            "for arrays x and y write paddle.io.TensorDataset([x, y])")
        if not callable(data) and not hasattr(data, "__iter__") and not hasattr(data, "__getitem__"):
            raise TypeError(f"Model: data must be a Dataset or an iterable of batches such as a DataLoader, got {describe(data)}")
        return data

    def _count(self, batch, samples, total):
        """(samples seen after a batch, how many were left before it where batches are dealt out to the ranks, else None)."""
        if total is None:
            return samples + len(batch), None
        return min(samples + len(batch) * self._ranks.number, total), total - samples

    def _split(self, batch, labelled=True):
        """(inputs, labels) of a batch: as many inputs as were declared, else all but the last one."""
        batch = _list(batch)
        count = len(self._inputs) or (max(len(batch) - 1, 1) if labelled else len(batch))
        return batch[:count], batch[count:]

    def _steps(self, loader, limit):
        try:
            total = len(loader)
        except (TypeError, RuntimeError):
            total = None
        return total if limit is None else limit if total is None else min(total, limit)

    def _logs(self, results):
        losses = results[0] if isinstance(results, tuple) else results if self._loss is not None else []
        values = [[np.asarray(loss).item() for loss in losses]] if self._loss is not None else []
        for m in self._metrics:
            values += [v.item() if isinstance(v, np.generic) else v for v in _list(m.accumulate())]
        return dict(zip(self._names(), values))

    @eagerly
    def fit(self, train_data=None, eval_data=None, batch_size=1, epochs=1, eval_freq=1, log_freq=10, save_dir=None, save_freq=1,
            verbose=2, drop_last=False, shuffle=True, num_workers=0, callbacks=None, accumulate_grad_batches=1, num_iters=None):
        """Train for ``epochs`` epochs, evaluating every ``eval_freq``; returns the History of losses and metrics.

        Args:
            train_data, eval_data (Dataset, iterable or None): a Dataset, or an iterable of batches such as a DataLoader;
                without ``eval_data`` nothing is evaluated.
            batch_size (int or list): of a Dataset; a pair for training and evaluation.
            save_dir (str or None): folder to save to; None saves nothing.
            save_freq (int): save after so many epochs.
            accumulate_grad_batches (int): batches whose gradients are added before each update.
            num_iters (int or None): stop after so many batches in all; None: after the epochs.
            epochs (int): passes over the data.
            eval_freq (int): evaluate after so many epochs.
            log_freq (int): report after so many batches.
            verbose (int): 0 is silent, 1 a progress bar, 2 a line per report.
            drop_last (bool): leave an incomplete last batch out.
            shuffle (bool): another order of the training data in each epoch.
            num_workers (int): processes that load a Dataset.
            callbacks (Callback, list or None): what is called on the way.
        Returns:
            History: ``history[name]`` is the list of a loss or metric by epochs, ``plot()`` draws them.
        Raises:
            RuntimeError: ``prepare`` was not called with an optimizer and a loss.
            TypeError: the data is neither a Dataset nor iterable, ``epochs`` is not an int, or a callback is not a
                Callback.
            ValueError: no data is given, or ``batch_size`` is below 1.

        >>> data = paddle.io.TensorDataset([paddle.ones([8, 2]), paddle.ones([8, 1])])
        >>> model = paddle.Model(paddle.nn.Linear(2, 1))
        >>> model.prepare(paddle.optimizer.SGD(0.1, model.parameters()), paddle.nn.MSELoss())
        >>> len(model.fit(data, batch_size=4, epochs=3, verbose=0)["loss"])
        3
        """
        if train_data is None:
            raise ValueError("fit(): train_data must be given")
        check_type(epochs, (int, np.integer), "fit", "epochs")
        sizes = _list(batch_size) * 2 if not isinstance(batch_size, (list, tuple)) else list(batch_size)
        loader = self._loader(train_data, sizes[0], shuffle, drop_last, num_workers)
        steps = self._steps(loader, num_iters)
        recorder = Recorder()
        calls = callbacks_module.configure(callbacks, self, recorder, mode="train", epochs=epochs, steps=steps, log_freq=log_freq,
                                           verbose=verbose, save_dir=save_dir, save_freq=save_freq, metrics=self._names(),
                                           evaluates=eval_data is not None)
        self.stop_training, done, logs = False, 0, {}
        calls("on_train_begin", {})
        for epoch in range(epochs):
            calls("on_epoch_begin", epoch, {})
            for m in self._metrics:
                m.reset()
            for step, batch in enumerate(loader() if callable(loader) else loader):
                calls("on_train_batch_begin", step, logs)
                inputs, labels = self._split(batch)
                last = step + 1 == steps
                results = self.train_batch(inputs, labels, update=(step + 1) % accumulate_grad_batches == 0 or last)
                logs = {**self._logs(results), "step": step, "batch_size": len(inputs[0])}
                calls("on_train_batch_end", step, logs)
                done += 1
                if num_iters is not None and done >= num_iters:
                    self.stop_training = True
                    break
            calls("on_epoch_end", epoch, logs)
            if eval_data is not None and (epoch % eval_freq == 0 or epoch == epochs - 1):
                self._evaluate(self._loader(eval_data, sizes[-1], False, False, num_workers), calls, None)
            if self.stop_training:
                break
        calls("on_train_end", logs)
        return recorder.history

    def _evaluate(self, loader, calls, num_iters):
        for m in self._metrics:
            m.reset()
        steps, samples, logs, total = self._steps(loader, num_iters), 0, {}, self._ranks.dealt_out(loader)
        calls("on_eval_begin", {"steps": steps, "metrics": self._names()})
        for step, batch in enumerate(loader() if callable(loader) else loader):
            calls("on_eval_batch_begin", step, logs)
            inputs, labels = self._split(batch)
            samples, left = self._count(inputs[0], samples, total)
            logs = {**self._logs(self._eval_batch(inputs, labels, left)), "step": step, "batch_size": len(inputs[0])}
            calls("on_eval_batch_end", step, logs)
            if num_iters is not None and step + 1 >= num_iters:
                break
        calls("on_eval_end", {**logs, "samples": samples})
        return {k: logs[k] for k in self._names() if k in logs}

    @eagerly
    def evaluate(self, eval_data, batch_size=1, log_freq=10, verbose=2, num_workers=0, callbacks=None, num_iters=None):
        """Loss (of the last batch) and metrics (of all batches) by name."""
        loader = self._loader(eval_data, batch_size, False, False, num_workers)
        calls = callbacks_module.configure(callbacks, self, mode="eval", log_freq=log_freq, verbose=verbose, metrics=self._names())
        return self._evaluate(loader, calls, num_iters)

    @eagerly
    def predict(self, test_data, batch_size=1, num_workers=0, stack_outputs=False, verbose=1, callbacks=None):
        """For every output of the network, the list of its batches; with ``stack_outputs`` joined to one array."""
        loader = self._loader(test_data, batch_size, False, False, num_workers)
        calls = callbacks_module.configure(callbacks, self, mode="predict", verbose=verbose, metrics=[])
        found, samples, total = [], 0, self._ranks.dealt_out(loader)
        calls("on_predict_begin", {"steps": self._steps(loader, None)})
        for step, batch in enumerate(loader() if callable(loader) else loader):
            calls("on_predict_batch_begin", step, {})
            inputs, _ = self._split(batch, labelled=bool(self._inputs) or self._loss is not None and len(_list(batch)) > 1)
            samples, left = self._count(inputs[0], samples, total)
            found.append(self._predict_batch(inputs, left))
            calls("on_predict_batch_end", step, {})
        calls("on_predict_end", {"samples": samples})
        outputs = [list(parts) for parts in zip(*found)]
        return [np.concatenate(parts) for parts in outputs] if stack_outputs else outputs

    # ---- state -------------------------------------------------------------------------------------------------------
    @eagerly
    def save(self, path, training=True):
        """Write ``path.pdparams``, and ``path.pdopt`` and ``path.pdscaler`` if there is an optimizer and a scaler.

        With training=False, write a program for inference, for ``inputs`` or for batches like the first one that has run.

        Args:
            path (str): file names without their endings.
            training (bool): for training on, or for inference.
        Returns:
            None.
        Raises:
            RuntimeError: ``training`` is False, and neither ``inputs`` nor a batch tells the shapes.

        >>> import os, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     paddle.Model(paddle.nn.Linear(2, 1)).save(folder + "/net")
        ...     os.listdir(folder)
        ['net.pdparams']
        """
        if not training:
            from .. import jit, static  # two hundred modules that training needs not
            specs = self._inputs or [static.InputSpec([None, *sizes[1:]], kind) for sizes, kind in self._seen or ()]
            if not specs:
                raise RuntimeError("save(): saving for inference needs Model(inputs=[InputSpec ...]), or a batch to have run")
            return jit.save(self.network, path, input_spec=specs)
        state = self._optimizer.state_dict() if self._optimizer is not None else None
        with together():
            save(self.network.state_dict(), path + ".pdparams")
            if state:
                save(state, path + ".pdopt")
            if self._scaler is not None:
                save(self._scaler.state_dict(), path + ".pdscaler")
        return None

    @eagerly
    def load(self, path, skip_mismatch=False, reset_optimizer=False):
        """Read what ``save`` wrote: ``path.pdparams``, else the parameters of an exported model (``.json`` or ``.pdmodel``).

        Args:
            path (str): file names without their endings.
            skip_mismatch (bool): leave out parameters of other names or shapes.
            reset_optimizer (bool): leave the optimizer as it is.
        Returns:
            None.
        Raises:
            ValueError: there is no such file, or a parameter has another shape and ``skip_mismatch`` is False.
            TypeError: ``path`` is not a str.

        >>> import tempfile
        >>> model = paddle.Model(paddle.nn.Linear(2, 1))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     model.save(folder + "/net")
        ...     model.load(folder + "/net")
        """
        import os

        check_type(path, str, "load", "path")
        path = path[:-len(".pdparams")] if path.endswith(".pdparams") else path
        own = self.network.state_dict()
        exported = not os.path.exists(path + ".pdparams") and any(os.path.exists(path + e) for e in (".json", ".pdmodel"))
        state = exported_state(path, own) if exported else load(path + ".pdparams")
        wrong = [f"{k}: {list(state[k].shape) if k in state else 'not in the file'} for {list(v.shape)}" for k, v in own.items()
                 if k not in state or list(state[k].shape) != list(v.shape)]
        if wrong and not skip_mismatch:
            raise ValueError(f"load(): {path}{'' if exported else '.pdparams'} does not fit the network: {'; '.join(wrong[:10])}")
        fitting = {k: v for k, v in state.items() if k in own and list(v.shape) == list(own[k].shape)}
        for key, value in fitting.items():
            own[key].set_value(value)
        if self._optimizer is not None and not reset_optimizer and os.path.exists(path + ".pdopt"):
            self._optimizer.set_state_dict(load(path + ".pdopt"))
        if self._scaler is not None and os.path.exists(path + ".pdscaler"):
            self._scaler.load_state_dict(load(path + ".pdscaler"))

    def parameters(self, *args, **kwargs):
        """Parameters of the network."""
        return self.network.parameters(*args, **kwargs)

    @eagerly
    def summary(self, input_size=None, dtype=None):
        """Print the table of paddle.summary for the network."""
        if input_size is None:
            if not self._inputs:
                raise ValueError("summary(): input_size must be given, or inputs to Model()")
            input_size = [tuple(1 if n in (None, -1) else n for n in spec.shape) for spec in self._inputs]
            input_size = input_size[0] if len(input_size) == 1 else input_size
        return summary(self.network, input_size, dtype)
