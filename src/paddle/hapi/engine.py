"""``fleet.auto.Engine``: a Model whose steps are those of ``dist.to_static``, over the ranks of a mesh."""

import itertools

from ..amp import auto_cast
from ..core.autograd import no_grad
from ..core.errors import describe
from ..distributed import ParallelEnv, ProcessMesh, Replicate, Shard, get_mesh, shard_layer, shard_tensor
from ..distributed.auto_parallel.model import DistModel
from ..distributed.auto_parallel.strategy import Strategy
from ..framework.random import seed
from ..io import DataLoader, Dataset, IterableDataset
from ..jit import save as save_for_inference
from ..nn import Layer
from .model import Model, _list, _tensors

__all__ = ["Engine"]
_MODES = ("train", "eval", "predict")


class _Step(DistModel):
    """A DistModel that keeps the outputs of its last batch, and whose loss takes several outputs and labels."""

    inputs, outputs = 1, ()

    def _loss_of(self, batch):
        with auto_cast(**self._cast):
            self.outputs = _list(self.network(*batch[:self.inputs]))
            return self._loss(*self.outputs, *batch[self.inputs:])


class _Batches(Model):
    """The loops of a Model around the steps of an Engine."""

    split, collate_fn, step, mesh, limit = None, None, None, None, None

    def _loader(self, data, batch_size, shuffle, drop_last, num_workers):
        if isinstance(data, (Dataset, IterableDataset)):  # every rank reads whole batches; they are cut when they are placed
            data = DataLoader(data, batch_size=batch_size, drop_last=drop_last, collate_fn=self.collate_fn)
        return data if self.limit is None else _First(data, self.limit)

    def _split(self, batch, labelled=True):
        batch = _list(batch)
        count = len(batch) if not labelled and self.split is None else self.split or max(len(batch) - 1, 1)
        parts = []
        for part in (batch[:count], batch[count:]):  # a part may be several tensors of its own
            parts.append([t for item in part for t in (item if isinstance(item, (list, tuple)) else [item])])
        return parts

    def _place(self, values):
        tensors = _tensors(values)
        if self.mesh is None:
            return tensors
        places = [Shard(0) if name == "dp" else Replicate() for name in self.mesh.dim_names]
        return [shard_tensor(t, self.mesh, places) for t in tensors]

    def _loss_step(self, mode, inputs, labels):
        self.step.inputs = len(inputs)
        getattr(self.step, mode)()
        loss = self.step(*self._place(inputs), *self._place(labels))
        with no_grad():
            metrics = self._measure(self.step.outputs, _tensors(labels))
        return self._results([loss], metrics)

    def train_batch(self, inputs, labels=None, update=True):
        return self._loss_step("train", inputs, labels)

    def _eval_batch(self, inputs, labels, left):
        return self._loss_step("eval", inputs, labels)

    def _predict_batch(self, inputs, left):
        self.step.predict()
        return [t.numpy() for t in _list(self.step(*self._place(inputs)))]


class _First:
    """The first batches of a loader."""

    def __init__(self, loader, count):
        self._loader, self._count = loader, count

    def __iter__(self):
        return itertools.islice(iter(self._loader), self._count)


class Engine:
    """A model with its loss, optimizer and metrics, trained over the ranks of a mesh; steps run eagerly.

    With several ranks, parameters lie as ``auto.shard_tensor`` noted it, others whole; batches are cut along the dimension "dp" of
    the mesh. It is the mesh of the noted parameters, else ``auto.get_mesh()``, else all ranks as "dp".

    Args:
        model: a Layer.
        loss: called with the outputs and the labels.
        optimizer, metrics: as in ``paddle.Model.prepare``.
        cluster: refused: nothing is planned by costs.
        strategy: an ``auto.Strategy``.

    >>> from paddle.distributed.fleet import auto
    >>> model = paddle.nn.Linear(2, 1)
    >>> engine = auto.Engine(model, paddle.nn.MSELoss(), paddle.optimizer.SGD(0.1, parameters=model.parameters()))
    >>> data = paddle.io.TensorDataset([paddle.ones([4, 2]), paddle.ones([4, 1])])
    >>> history = engine.fit(data, batch_size=2, epochs=2, verbose=0)
    >>> sorted(engine.evaluate(data, batch_size=4, verbose=0))
    ['loss']
    """

    def __init__(self, model=None, loss=None, optimizer=None, metrics=None, cluster=None, strategy=None):
        if not isinstance(model, Layer):
            raise TypeError(f"Engine(): model must be a paddle.nn.Layer, got {describe(model)}")
        if cluster is not None:
            raise NotImplementedError("Engine(): cluster is not supported; nothing is planned by what machines cost")
        strategy = Strategy() if strategy is None else strategy
        if not isinstance(strategy, Strategy):
            raise TypeError(f"Engine(): strategy must be an auto.Strategy, got {describe(strategy)}")
        if strategy.auto_mode != "semi" or strategy.qat.enable or strategy.tuning.enable:
            raise NotImplementedError("Engine(): auto_mode other than 'semi', qat and tuning are not supported")
        if strategy.seed is not None:
            seed(strategy.seed)
        self._batches = _Batches(model)
        self._batches.mesh = _placed_model(model, optimizer)
        self._batches.prepare(optimizer, loss, metrics)
        self._batches.step = _Step(model, None, loss, optimizer, strategy)
        self._strategy, self._specs, self._mode = strategy, None, "train"

    def fit(self, train_data, train_sample_split=None, batch_size=1, epochs=1, steps_per_epoch=None, log_freq=10, save_dir=None,
            save_freq=1, valid_data=None, valid_sample_split=None, valid_freq=1, valid_steps=None, collate_fn=None, callbacks=None,
            verbose=2):
        """Train; the History of losses and metrics.

        Args:
            train_sample_split: how many fields of a sample are inputs; all but the last for None.
            batch_size: samples of a step, of all ranks together.
            steps_per_epoch: batches of an epoch, all for None.
            valid_data, valid_freq: what to evaluate with, and after how many epochs.
        """
        self._with(train_sample_split, collate_fn, steps_per_epoch)
        if valid_data is not None and (valid_sample_split or train_sample_split) != train_sample_split or valid_steps is not None:
            raise NotImplementedError("Engine.fit(): valid_sample_split other than train_sample_split, and valid_steps, are not "
                                      "supported; call evaluate")
        return self._batches.fit(train_data, valid_data, batch_size, epochs, valid_freq, log_freq, save_dir, save_freq, verbose,
                                 drop_last=True, shuffle=False, callbacks=callbacks)

    def evaluate(self, valid_data, valid_sample_split=None, batch_size=1, steps=None, log_freq=10, collate_fn=None, callbacks=None,
                 verbose=2):
        """Loss (of the last batch) and metrics by name."""
        self._with(valid_sample_split, collate_fn, steps)
        return self._batches.evaluate(valid_data, batch_size, log_freq, verbose, callbacks=callbacks)

    def predict(self, test_data, test_sample_split=None, batch_size=1, steps=None, collate_fn=None, callbacks=None, verbose=2):
        """For every output of the model, the list of its batches."""
        self._with(test_sample_split, collate_fn, steps)
        return self._batches.predict(test_data, batch_size, verbose=verbose, callbacks=callbacks)

    def _with(self, split, collate_fn, limit):
        self._batches.split, self._batches.collate_fn, self._batches.limit = split, collate_fn, limit

    def dataloader(self, dataset, batch_size=1, shuffle=False, drop_last=True, collate_fn=None, num_workers=0, mode=None):
        """A DataLoader of whole batches; ``mode`` as in ``to_mode``."""
        if mode is not None:
            self.to_mode(mode)
        return DataLoader(dataset, batch_size=batch_size, shuffle=shuffle, drop_last=drop_last, collate_fn=collate_fn,
                          num_workers=num_workers)

    def prepare(self, inputs_spec=None, labels_spec=None, mode=None):
        """Note the InputSpecs, which tell inputs from labels and what ``save`` for inference writes."""
        self._specs = _list(inputs_spec) or None
        self._batches.split = len(self._specs) if self._specs else None
        if mode is not None:
            self.to_mode(mode)

    def to_mode(self, mode):
        """Which of "train", "eval" and "predict" ``run`` does."""
        if mode not in _MODES:
            raise ValueError(f"Engine.to_mode(): mode must be one of {_MODES}, got {mode!r}")
        self._mode = mode

    def run(self, data, mode=None):
        """One batch: {"loss": ..., metrics} for "train" and "eval", {"outputs": [...]} for "predict"."""
        if mode is not None:
            self.to_mode(mode)
        inputs, labels = self._batches._split(data, self._mode != "predict")
        if self._mode == "predict":
            return {"outputs": self._batches._predict_batch(inputs, None)}
        return self._batches._logs(self._batches._loss_step(self._mode, inputs, labels))

    def save(self, path, training=True):
        """Parameters and optimizer states, or with ``training=False`` a model for inference (``prepare`` has told its inputs)."""
        if not training:
            if self._specs is None:
                raise ValueError("Engine.save(): training=False needs the InputSpecs of inputs; call prepare(inputs_spec) first")
            return save_for_inference(self._batches.network, path, self._specs)
        return self._batches.save(path)

    def load(self, path, strict=True, load_optimizer=True):
        """What ``save`` wrote; ``strict=False`` leaves out what does not fit."""
        return self._batches.load(path, skip_mismatch=not strict, reset_optimizer=not load_optimizer)

    @property
    def optimizer(self):
        """The optimizer."""
        return self._batches._optimizer


def _placed_model(model, optimizer):
    """The mesh of a job of several ranks, after the parameters lie on it; None for one rank, where nothing need be placed."""
    if ParallelEnv().world_size == 1:
        return None
    notes = {id(p): p.shard_note for p in model.parameters() if getattr(p, "shard_note", None) is not None}
    mesh = next((mesh for mesh, _ in notes.values()), None) or get_mesh() or ProcessMesh(
        list(range(ParallelEnv().world_size)), dim_names=["dp"])
    before = dict(model.named_parameters())
    made = {key: shard_tensor(before[key], *notes[id(before[key])]) for key in before if id(before[key]) in notes}

    def put(name, layer, _):
        for key in layer._parameters:
            path = f"{name}.{key}" if name else key
            if path in made:
                layer._parameters[key] = made[path]

    shard_layer(model, mesh, put)
    if optimizer is not None:
        after = dict(model.named_parameters())
        new = {id(before[key]): after[key] for key in before}
        for group in optimizer._groups:
            group["params"] = [new.get(id(p), p) for p in group["params"]]
        optimizer._parameter_list = [p for group in optimizer._groups for p in group["params"]]
    return mesh
