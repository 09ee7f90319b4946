"""``dist.to_static``: a model, its loss and its optimizer as one thing that is called with batches; and settings for it."""

import copy

from ...amp import GradScaler, auto_cast
from ...core.autograd import no_grad
from ...core.context import context
from ...core.errors import describe
from ...core.rules import V3
from ...nn import Layer
from .api import STAGES, ShardedStatesOptimizer, shard_optimizer, shard_scaler
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
        self.__dict__.update(copy.deepcopy(defaults), _given=set())
        for name, value in (given or {}).items():
            setattr(self, name, value)

    def __setattr__(self, name, value):
        self._given.add(name)
        self.__dict__[name] = value


class Strategy:
    """Settings of ``dist.to_static``, by default none.

    Args:
        config: {"sharding": {"enable", "stage", "degree"}, "gradient_merge": {"enable", "k_steps", "avg"}, "pipeline": {"enable",
            "accumulate_steps", "micro_batch_size", "schedule_mode"}, "amp": {"enable", "dtype", "level", ...}, "fused_passes":
            {...}}. What is fused, and in which order the micro batches of a pipeline run, does not change results.

    >>> import paddle.distributed as dist
    >>> strategy = dist.Strategy({"gradient_merge": {"enable": True, "k_steps": 2}})
    >>> strategy.gradient_merge.k_steps
    2
    """

    _DEFAULTS = {"sharding": {"enable": False, "stage": 1, "degree": 8},
                 "gradient_merge": {"enable": False, "k_steps": 1, "avg": True},
                 "pipeline": {"enable": False, "schedule_mode": "1F1B", "micro_batch_size": 1, "accumulate_steps": 1},
                 "amp": {"enable": False, "dtype": "float16", "level": "o1", "init_loss_scaling": 32768.0,
                         "incr_every_n_steps": 1000, "decr_every_n_nan_or_inf": 2, "incr_ratio": 2.0, "decr_ratio": 0.8,
                         "use_dynamic_loss_scaling": True, "custom_white_list": [], "custom_black_list": []},
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

    def __init__(self, layer, loader=None, loss=None, optimizer=None, strategy=None, metrics=None, input_spec=None):
        if not isinstance(layer, Layer):
            raise TypeError(f"to_static(): layer must be a paddle.nn.Layer, got {describe(layer)}")
        for name, value in (("metrics", metrics), ("input_spec", input_spec)):
            if value:
                raise NotImplementedError(f"to_static(): {name} is not supported; steps run eagerly, on the batches that come")
        strategy = Strategy() if strategy is None else strategy
        if not isinstance(strategy, Strategy):
            raise TypeError(f"to_static(): strategy must be a dist.Strategy, got {describe(strategy)}")
        merge, amp = strategy.gradient_merge, strategy.amp
        if optimizer is not None and strategy.sharding.enable:
            optimizer = _sharded(optimizer, strategy.sharding)
        self.network, self._loss, self._optimizer, self.dist_loader = layer, loss, optimizer, loader
        self._every, self._mean, self._calls = (merge.k_steps, merge.avg, 0) if merge.enable else (1, False, 0)
        self._pipeline = strategy.pipeline
        self._cast = {"enable": bool(amp.enable), "custom_white_list": amp.custom_white_list or None,
                      "custom_black_list": amp.custom_black_list or None, "level": amp.level.upper(), "dtype": amp.dtype}
        scaled = amp.enable and amp.dtype == "float16"
        self._scaler = shard_scaler(GradScaler(
            init_loss_scaling=amp.init_loss_scaling, incr_ratio=amp.incr_ratio, decr_ratio=amp.decr_ratio,
            incr_every_n_steps=amp.incr_every_n_steps, decr_every_n_nan_or_inf=amp.decr_every_n_nan_or_inf,
            use_dynamic_loss_scaling=amp.use_dynamic_loss_scaling)) if scaled else None
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
            with no_grad(), auto_cast(**self._cast):
                return self.network(*args)
        if self._mode == "eval":
            with no_grad():
                return self._loss_of(args)
        total, parts = None, self._micro_batches(args)
        for part in parts:
            loss = self._loss_of(part)
            share = 1.0 / len(parts) / (self._every if self._mean else 1)
            scaled = loss if share == 1.0 else loss * share
            (scaled if self._scaler is None else self._scaler.scale(scaled)).backward()
            total = loss.detach() if total is None else total + loss.detach()
        self._calls += 1
        if self._calls % self._every == 0:
            self._update()
        return total if len(parts) == 1 else total * (1.0 / len(parts))

    def _loss_of(self, batch):
        with auto_cast(**self._cast):
            outputs = self.network(*batch[:-1])
            return self._loss(outputs, batch[-1])

    def _update(self):
        if self._scaler is None:
            self._optimizer.step()
        else:
            self._scaler.step(self._optimizer)
            self._scaler.update()
        self._optimizer.clear_grad()

    def _micro_batches(self, args):
        """The parts that a pipeline's settings cut a batch into, along the first axis."""
        if not self._pipeline.enable:
            return [args]
        rows, steps = args[0].shape[0], self._pipeline.accumulate_steps
        if "micro_batch_size" in self._pipeline._given and "accumulate_steps" not in self._pipeline._given:
            steps = rows // self._pipeline.micro_batch_size
        if steps < 1 or rows % steps:
            raise ValueError(f"DistModel: a batch of {rows} rows can't be cut into {steps} micro batches")
        size = rows // steps
        return [tuple(a[k * size:(k + 1) * size] for a in args) for k in range(steps)]

    def _program(self, mode=None):
        """Not there: steps run eagerly."""
        raise NotImplementedError("DistModel: there is no program, steps run eagerly")

    dist_main_program = dist_startup_program = serial_main_program = serial_startup_program = _program

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


def _sharded(optimizer, settings):
    """The optimizer with states cut along "dp", or else along the first dimension of its parameters' mesh."""
    if isinstance(optimizer, ShardedStatesOptimizer):
        return optimizer
    if str(settings.stage) not in STAGES:
        raise ValueError(f"to_static(): strategy.sharding.stage must be 1, 2 or 3, got {settings.stage!r}")
    meshes = [p.process_mesh for p in optimizer._parameter_list if p._placed]
    dim = "dp" if meshes and "dp" in meshes[0].dim_names else 0
    size = 1 if not meshes else meshes[0].get_dim_size(dim) if dim else meshes[0].shape[0]
    if "degree" in settings._given and settings.degree != size:
        raise ValueError(f"to_static(): strategy.sharding.degree is {settings.degree}, but {size} ranks of the mesh share states")
    return shard_optimizer(optimizer, STAGES[str(settings.stage)](dim))


def to_static(layer, loader=None, loss=None, optimizer=None, strategy=None, input_spec=None):
    """The model, its loss and its optimizer as one ``DistModel``; with a loader, under the rules of 2.x, also the loader.

    Steps run eagerly: tensors that are cut over ranks pass through operators one by one.

    >>> import paddle.distributed as dist
    >>> model = paddle.nn.Linear(2, 1)
    >>> step = dist.to_static(model, loss=paddle.nn.MSELoss(), optimizer=paddle.optimizer.SGD(0.1, parameters=model.parameters()))
    >>> step(paddle.ones([4, 2]), paddle.zeros([4, 1])).shape
    []
    """
    model = DistModel(layer, loader, loss, optimizer, strategy, input_spec=input_spec)
    return model if loader is None or context.rules.number >= V3.number else (model, loader)
