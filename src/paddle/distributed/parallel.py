"""DataParallel: a layer whose gradients are those of the batches of all ranks together."""

import contextlib

from ..core.addresses import lookup as _lookup
from ..nn.layer.layers import Layer
from .buckets import broadcast_tensors
from .compression import half_type
from .env import ParallelEnv
from .group import init_parallel_env, new_group, resolve
from .layout import check_same_layout, named_tensors
from .reducer import Reducer, sum_gradients


class DataParallel(Layer):
    """Wrap a layer so that backward leaves the mean of all ranks' gradients in its parameters.

    All ranks start with the parameters and buffers of rank 0; names, shapes and types must be the same everywhere. Gradients
    are reduced in fused buffers while backward goes on. In a world of one the wrapper passes everything through.

    Args:
        layers (Layer): the layer to train.
        strategy (ParallelStrategy or None): what ``prepare_context`` returned; accepted for programs of 2.0, and checked.
        comm_buffer_size (int): megabytes of a fused buffer.
        last_comm_buffer_size (int): megabytes of the buffer that is reduced last.
        find_unused_parameters (bool): set it when some parameters take no part in some losses.
        group (Group or None): ranks to train with, all by default.
        compression (str or None): "float16" or "bfloat16": wider gradients travel so, half the bytes, and are added up in
            float32.
    Shape:
        Those of the layer.
    Raises:
        TypeError: ``layers`` is not a Layer.

    >>> model = paddle.DataParallel(paddle.nn.Linear(4, 2))
    >>> model(paddle.ones([3, 4])).sum().backward()
    >>> sorted(model.state_dict())
    ['bias', 'weight']
    """

    def __init__(self, layers, strategy=None, comm_buffer_size=25, last_comm_buffer_size=1,
                 find_unused_parameters=False, group=None, *, compression=None):
        if not isinstance(layers, Layer):
            raise TypeError(f"DataParallel(): layers must be a paddle.nn.Layer, got {type(layers).__name__}")
        for name, size in (("comm_buffer_size", comm_buffer_size), ("last_comm_buffer_size", last_comm_buffer_size)):
            if not size > 0:
                raise ValueError(f"DataParallel(): {name} must be a positive number of megabytes, got {size!r}")
        if strategy is not None and not isinstance(strategy, ParallelStrategy):
            raise TypeError(f"DataParallel(): strategy must come from prepare_context, got {type(strategy).__name__}")
        super().__init__(layers.full_name() + "_data_parallel")
        self._half = half_type(compression, "DataParallel")
        self._layers = layers
        self._strategy = strategy
        self.find_unused_parameters = find_unused_parameters
        self.group = init_parallel_env() if group is None else resolve(group, "DataParallel")
        self._reducer = None
        if not self.group.is_member():
            raise ValueError(f"DataParallel(): this process is not among the ranks {self.group.ranks} of the group")
        if self.group.nranks < 2:
            return
        comm = self.group.comm
        check_same_layout(named_tensors(layers), comm, "DataParallel")
        broadcast_tensors([*layers.parameters(), *layers.buffers()], comm)
        self._prepare(comm_buffer_size, last_comm_buffer_size)

    def _prepare(self, bucket_mb, last_mb):
        params = [p for p in self._layers.parameters() if not p.stop_gradient]
        if not params:
            raise ValueError("DataParallel(): the layer has no trainable parameter")
        # A communicator of its own: whatever else the program reduces meanwhile does not get between the buckets.
        own = new_group(self.group.ranks) if self.group.id == 0 else self.group
        self._reducer = Reducer(params, own.comm, bucket_mb, last_mb, self.find_unused_parameters, self._half)

    @property
    def _saved_as(self):
        """What jit.save writes: the layer inside, with the inputs that it declares."""
        return self._layers

    def forward(self, *inputs, **kwargs):
        """Call the wrapped layer."""
        if self._reducer is not None and self._reducer.enabled and self.training:
            self._reducer.prepare()
        return self._layers(*inputs, **kwargs)

    @contextlib.contextmanager
    def no_sync(self):
        """Context in which backward only accumulates on this rank; the next backward outside reduces it all."""
        reducer = self._reducer
        if reducer is None:
            yield
            return
        before, reducer.enabled = reducer.enabled, False
        try:
            yield
        finally:
            reducer.enabled = before

    def scale_loss(self, loss):
        """The loss unchanged: backward already leaves means. Kept for programs of older generations."""
        return loss

    def apply_collective_grads(self):
        """Nothing: backward already has reduced. Kept for programs of older generations."""

    # Names in files are those of the wrapped layer, so that a checkpoint fits one process and many.
    def _state_dict_impl(self, destination, include_sublayers, prefix, use_hook, all_buffers):
        return self._layers._state_dict_impl(destination, include_sublayers, prefix, use_hook, all_buffers)


class ParallelStrategy:
    """Where this process stands in a parallel job: what ``prepare_context`` returns."""

    def __init__(self):
        self.nranks = 1
        self.local_rank = 0
        self.trainer_endpoints = []
        self.current_endpoint = ""


def prepare_context(strategy=None):
    """Join the other ranks. Returns the strategy for DataParallel, or None when there is only one rank."""
    env = ParallelEnv()
    if strategy is None:
        strategy = ParallelStrategy()
        strategy.nranks, strategy.local_rank = env.nranks, env.local_rank
        strategy.trainer_endpoints, strategy.current_endpoint = env.trainer_endpoints, env.current_endpoint
    elif not isinstance(strategy, ParallelStrategy):
        raise TypeError(f"prepare_context(): strategy must be a ParallelStrategy or None, got {type(strategy).__name__}")
    if strategy.nranks < 2:
        return None
    init_parallel_env()
    return strategy


class LegacyDataParallel(DataParallel):
    """DataParallel of fluid and of 2.0 alpha: the program scales the loss and reduces the gradients itself.

    ``scale_loss`` divides by the number of ranks, ``apply_collective_grads`` sums gradients over all ranks. Without a
    strategy (one rank, ``prepare_context`` returned None) neither does anything.
    """

    def __init__(self, layers, strategy=None):
        super().__init__(layers, strategy)
        self._by_hand = strategy is not None and strategy.nranks > 1

    def _prepare(self, bucket_mb, last_mb):
        """No reducer: nothing happens during backward."""

    def scale_loss(self, loss):
        """The loss divided by the number of ranks."""
        return loss / self.group.nranks if self._by_hand else loss

    def apply_collective_grads(self):
        """Replace every gradient by its sum over all ranks."""
        if self._by_hand:
            sum_gradients([p for p in self._layers.parameters() if not p.stop_gradient], self.group.comm)


def sync_params_buffers(model, comm_group=None, src_rank=0, is_model_parallel=False, fuse_params=True):
    """Give the ranks of a group one rank's parameters and buffers.

    Args:
        model: a Layer.
        comm_group: the ranks, all by default.
        src_rank: the rank (of all ranks) whose values are taken.
        is_model_parallel: leave parameters that are cut (``is_distributed``) as they are.
        fuse_params: accepted; tensors of a type travel together.
    """
    group = init_parallel_env() if comm_group is None else resolve(comm_group, "sync_params_buffers")
    if group.nranks < 2:
        return
    tensors = [t for t in [*model.parameters(), *model.buffers()] if not getattr(t, "no_sync", False)
               and not (is_model_parallel and getattr(t, "is_distributed", False))]
    broadcast_tensors(tensors, group.comm, group.get_group_rank(src_rank))


__getattr__ = _lookup(__name__)
