"""``dist.to_static``: a model, its loss and its optimizer as one thing that is called with batches; and settings for it."""

from ...core.autograd import no_grad
from ...core.context import context
from ...core.errors import describe
from ...core.rules import V3
from ...nn import Layer
from .process_mesh import ProcessMesh


class DistAttr:
    """The older way of saying how a tensor is cut: for each axis the name of a dimension of the mesh, or None.

    >>> import paddle.distributed as dist
    >>> mesh = dist.ProcessMesh([[0, 1], [2, 3]], dim_names=["x", "y"])
    >>> dist.DistAttr(mesh, ["x", None]).dims_mapping
    [0, -1]
    """

    def __init__(self, mesh, sharding_specs):
        if not isinstance(mesh, ProcessMesh):
            raise ValueError(f"DistAttr(): mesh must be a ProcessMesh, got {describe(mesh)}")
        if not isinstance(sharding_specs, list) or not all(s is None or s in mesh.dim_names for s in sharding_specs):
            raise ValueError(f"DistAttr(): sharding_specs must be a list of None and of {mesh.dim_names}, got "
                             f"{describe(sharding_specs)}")
        self.process_mesh, self.sharding_specs = mesh, list(sharding_specs)

    @property
    def dims_mapping(self):
        """For each axis the number of the mesh's dimension, -1 for none."""
        return [-1 if s is None else self.process_mesh.dim_names.index(s) for s in self.sharding_specs]


class _Settings:
    """Settings by name."""

    def __init__(self, who, defaults, given):
        unknown = sorted(set(given or ()) - set(defaults))
        if unknown:
            raise ValueError(f"Strategy(): {who} has no setting {', '.join(unknown)}; known: {', '.join(defaults)}")
        self.__dict__.update(defaults, **(given or {}))


class Strategy:
    """Settings of ``dist.to_static``, by default none.

    Args:
        config: {"sharding": {...}, "gradient_merge": {...}, "pipeline": {...}, "fused_passes": {...}}.

    >>> import paddle.distributed as dist
    >>> strategy = dist.Strategy({"gradient_merge": {"enable": True, "k_steps": 2}})
    >>> strategy.gradient_merge.k_steps
    2
    """

    _DEFAULTS = {"sharding": {"enable": False, "stage": 1, "degree": 8},
                 "gradient_merge": {"enable": False, "k_steps": 1, "avg": True},
                 "pipeline": {"enable": False, "schedule_mode": "1F1B", "micro_batch_size": 1, "accumulate_steps": 1},
                 "fused_passes": {"enable": False, "gemm_epilogue": False, "dropout_add": False}}

    def __init__(self, config=None):
        if config is not None and not isinstance(config, dict):
            raise ValueError(f"Strategy(): config must be a dict, got {describe(config)}")
        unknown = sorted(set(config or ()) - set(self._DEFAULTS))
        if unknown:
            raise ValueError(f"Strategy(): no settings {', '.join(unknown)}; known: {', '.join(self._DEFAULTS)}")
        for name, defaults in self._DEFAULTS.items():
            setattr(self, name, _Settings(name, defaults, (config or {}).get(name)))


class DistModel:
    """A model with its loss and optimizer; called with a batch it trains, evaluates or predicts. ``dist.to_static`` makes it.

    In mode "train" a call updates the parameters and gives the loss, in mode "eval" it gives the loss, in mode "predict" the
    outputs.
    """

    def __init__(self, layer, loader=None, loss=None, optimizer=None, strategy=None, metrics=None):
        if not isinstance(layer, Layer):
            raise TypeError(f"to_static(): layer must be a paddle.nn.Layer, got {describe(layer)}")
        if metrics:
            raise NotImplementedError("to_static(): metrics are not supported; compute them from the outputs")
        for name in ("sharding", "pipeline"):
            if strategy is not None and getattr(strategy, name).enable:
                raise NotImplementedError(f"to_static(): strategy.{name} is not supported; dist.shard_optimizer with "
                                          "ShardingStage1 to 3, and fleet's PipelineLayer are")
        merge = strategy.gradient_merge if strategy is not None and strategy.gradient_merge.enable else None
        self.network, self._loss, self._optimizer, self.dist_loader = layer, loss, optimizer, loader
        self._every, self._mean, self._calls = (merge.k_steps, merge.avg, 0) if merge else (1, False, 0)
        self._mode = "train" if loss is not None and optimizer is not None else "eval" if loss is not None else "predict"

    def train(self):
        """From now on calls train."""
        if self._loss is None or self._optimizer is None:
            raise RuntimeError("DistModel.train(): to_static was given no loss or no optimizer")
        self._mode = "train"
        self.network.train()

    def eval(self):
        """From now on calls give the loss."""
        if self._loss is None:
            raise RuntimeError("DistModel.eval(): to_static was given no loss")
        self._mode = "eval"
        self.network.eval()

    def predict(self):
        """From now on calls give the outputs."""
        self._mode = "predict"
        self.network.eval()

    def __call__(self, *args):
        """One batch: inputs, and the label last unless the mode is "predict"."""
        if self._mode == "predict":
            with no_grad():
                return self.network(*args)
        if self._mode == "eval":
            with no_grad():
                return self._loss(self.network(*args[:-1]), args[-1])
        loss = self._loss(self.network(*args[:-1]), args[-1])
        (loss * (1.0 / self._every) if self._mean else loss).backward()
        self._calls += 1
        if self._calls % self._every == 0:
            self._optimizer.step()
            self._optimizer.clear_grad()
        return loss.detach()

    def state_dict(self, mode="all"):
        """Tensors of the model ("param"), of the optimizer ("opt"), or of both."""
        if mode not in ("all", "param", "opt"):
            raise ValueError(f"DistModel.state_dict(): mode must be 'all', 'param' or 'opt', got {mode!r}")
        found = dict(self.network.state_dict()) if mode != "opt" else {}
        if mode != "param" and self._optimizer is not None:
            found.update({k: v for k, v in self._optimizer.state_dict().items() if k != "LR_Scheduler"})
        return found

    def set_state_dict(self, state_dict):
        """Load what ``state_dict`` gave."""
        own = self.network.state_dict()
        self.network.set_state_dict({k: v for k, v in state_dict.items() if k in own})
        rest = {k: v for k, v in state_dict.items() if k not in own}
        if rest and self._optimizer is not None:
            self._optimizer.set_state_dict(rest)


def to_static(layer, loader=None, loss=None, optimizer=None, strategy=None):
    """The model, its loss and its optimizer as one ``DistModel``; with a loader, under the rules of 2.x, also the loader.

    Steps run eagerly: tensors that are cut over ranks pass through operators one by one.

    >>> import paddle, paddle.distributed as dist
    >>> model = paddle.nn.Linear(2, 1)
    >>> step = dist.to_static(model, loss=paddle.nn.MSELoss(), optimizer=paddle.optimizer.SGD(0.1, parameters=model.parameters()))
    >>> step(paddle.ones([4, 2]), paddle.zeros([4, 1])).shape
    []
    """
    model = DistModel(layer, loader, loss, optimizer, strategy)
    return model if loader is None or context.rules.number >= V3.number else (model, loader)
