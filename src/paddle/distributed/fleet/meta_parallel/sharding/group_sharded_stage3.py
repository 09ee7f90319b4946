"""Stage 3: parameters that lie in slices on the ranks."""

import functools
import weakref

import numpy as np

from .....core.addresses import lookup as _lookup
from .....core.autograd import no_grad
from .....core.context import context, process
from .....core.rows_tensor import whole_array
from .....core.tensor import ZERO, Tensor, wrap
from .....nn.layer.layers import Layer
from ....buckets import broadcast_tensors
from ....clip import clip_together
from ....comm import ReduceOp
from ....group import resolve
from ....layout import check_same_layout, named_tensors
from ....reducer import sum_gradients
from ...recompute import recompute

BY_NORM = ("lamb", "lars_momentum", "lars")  # optimizers whose update of an element depends on the whole parameter


class Slice:
    """A parameter of which this rank keeps one of equal slices of its elements, padded at the end."""

    def __init__(self, p, comm):
        self.p, self.comm, self.shape, self.size = p, comm, p._data.shape, p._data.size
        self.width = -(-self.size // comm.size)
        self.gradient, self.users = None, 0
        self.cut()

    def part_of(self, array):
        """This rank's slice of an array of the parameter's shape."""
        return self.rows(array)[self.comm.rank].copy()

    def rows(self, array):
        """The slices of all ranks, as rows."""
        flat = np.zeros(self.width * self.comm.size, array.dtype)
        flat[:self.size] = array.reshape(-1)
        return flat.reshape(self.comm.size, self.width)

    def whole_of(self, part):
        """The array whose slices the ranks have."""
        rows = np.empty((self.comm.size, self.width), part.dtype)
        self.comm.allgather(rows, np.ascontiguousarray(part)).wait()
        return rows.reshape(-1)[:self.size].reshape(self.shape)

    def cut(self):
        """Keep the slice alone."""
        self.p.replace(self.part_of(self.p._data))

    def is_cut(self):
        return self.p._data.shape == (self.width,) and (self.shape != (self.width,) or self.comm.size > 1)

    def enter(self):
        """Have the whole parameter until ``leave``; the slice waits."""
        if not self.users:
            self.waiting = self.p._data
            self._swap(self.whole_of(self.waiting))
        self.users += 1

    def leave(self):
        self.users -= 1
        if not self.users:
            self._swap(self.waiting)
            self.waiting = None

    def _swap(self, array):
        """Another form of the same values: no change that a tape would have to hear of."""
        version = self.p._version
        self.p.replace(array)
        self.p._version = version

    def take(self, array):
        """Add the mean over ranks of a whole gradient to the slice's."""
        mean = np.empty(self.width, array.dtype)
        self.comm.reduce_scatter(mean, self.rows(array * array.dtype.type(1.0 / self.comm.size)), ReduceOp.SUM).wait()
        self.gradient = mean if self.gradient is None else self.gradient + mean


class GroupShardedStage3(Layer):
    """A model whose large parameters lie in slices on the ranks; a layer has them whole only while it computes.

    A layer with sliced parameters computes forward twice, the second time in backward: the tape would otherwise keep the whole
    parameters from forward to backward. Code outside of the layer itself sees the slice; ``get_all_parameters`` makes all whole.

    Args:
        layer: the model.
        optimizer: its optimizer, whose updates go element by element; ``self.optimizer`` is the one to step with.
        group: ranks to share among, all by default.
        segment_size: parameters of fewer elements stay whole.
        exclude_layer: class names or ids of layers whose parameters stay whole.
    """

    def __init__(self, layer, optimizer, group=None, segment_size=2**20, exclude_layer=None):
        if optimizer.type in BY_NORM:
            raise NotImplementedError(f"group_sharded_parallel('p_g_os'): {type(optimizer).__name__} needs whole parameters; "
                                      "level 'os_g' is supported")
        super().__init__(layer.full_name() + "_group_sharded_stage3")
        self._layers, self._group = layer, resolve(group, "group_sharded_parallel")
        if self._group.nranks > 1:
            check_same_layout(named_tensors(layer), self._group.comm, "group_sharded_parallel")
            broadcast_tensors([*layer.parameters(), *layer.buffers()], self._group.comm)
        self._slices = {}
        for sub in layer.sublayers(include_self=True):
            self._cut_layer(sub, segment_size, exclude_layer or ())
        self.optimizer = SliceOptimizer(optimizer, self)
        _watch(self)

    def _cut_layer(self, layer, segment_size, excluded):
        """Cut the parameters of a layer, and let it have them whole while it computes."""
        if type(layer).__name__ in excluded or id(layer) in excluded or layer.buffers(include_sublayers=False):
            return
        params = [p for p in layer.parameters(include_sublayers=False) if not p.stop_gradient and p._data.size >= segment_size]
        if not params:
            return
        for p in params:
            if id(p) not in self._slices:
                self._slices[id(p)] = Slice(p, self._group.comm)
        layer.forward = functools.partial(_compute, [self._slices[id(p)] for p in params], layer.forward)

    def forward(self, *inputs, **kwargs):
        """Call the wrapped layer."""
        for s in self._slices.values():
            if not s.is_cut():
                s.cut()
            s.gradient = None if s.p._grad is None or s.p._grad is ZERO else whole_array(s.p._grad)
            s.p._grad = None
        return self._layers(*inputs, **kwargs)

    def on_leaf(self, leaf):
        """A whole gradient is complete: keep the mean's slice."""
        s = self._slices.get(id(leaf))
        if s is not None and leaf._grad is not None and leaf._grad is not ZERO:
            array, leaf._grad = whole_array(leaf._grad), None
            s.take(array)

    def on_end(self):
        """Backward has ended: the slices are the parameters' gradients."""
        for s in self._slices.values():
            if s.gradient is not None:
                s.p._grad, s.gradient = wrap(s.gradient), None

    def get_all_parameters(self, convert2cpu=False):
        """Make all parameters whole until the next forward pass, and return them; every rank calls it.

        There is one memory on a CPU, so ``convert2cpu`` has nothing to move.
        """
        for s in self._slices.values():
            if s.is_cut():
                s.p.replace(s.whole_of(s.p._data))
        return self._layers.parameters()

    def _state_dict_impl(self, destination, include_sublayers, prefix, use_hook, all_buffers):
        """The state with whole parameters; every rank calls it."""
        found = self._layers._state_dict_impl(destination, include_sublayers, prefix, use_hook, all_buffers)
        for name, value in list(found.items()):
            s = self._slices.get(id(value))
            if s is not None and s.is_cut():
                found[name] = wrap(s.whole_of(value._data))
                found[name].name = value.name
        return found

    def set_state_dict(self, state_dict, use_structured_name=True):
        """Load whole parameters; each rank keeps its slices."""
        self.get_all_parameters()
        missing = self._layers.set_state_dict(state_dict, use_structured_name)
        for s in self._slices.values():
            s.cut()
        return missing


def _compute(slices, forward, *args, **kwargs):
    """Call a layer's forward with its parameters whole, and again in backward."""
    def whole(*args, **kwargs):
        for s in slices:
            s.enter()
        try:
            return forward(*args, **kwargs)
        finally:
            for s in slices:
                s.leave()
    return recompute(whole, *args, **kwargs) if context.grad else whole(*args, **kwargs)


def _watch(stage):
    """Have the tape tell a model of gradients for as long as it lives."""
    reference = weakref.ref(stage)

    def on_leaf(leaf):
        if reference() is not None:
            reference().on_leaf(leaf)

    def on_end():
        if reference() is not None:
            reference().on_end()

    process.leaf_watchers.append(on_leaf)
    process.end_watchers.append(on_end)
    weakref.finalize(stage, process.leaf_watchers.remove, on_leaf)
    weakref.finalize(stage, process.end_watchers.remove, on_end)


class SliceOptimizer:
    """An optimizer of slices; parameters that stayed whole are updated alike on all ranks."""

    def __init__(self, optimizer, stage):
        self._inner, self._stage = optimizer, weakref.ref(stage)
        self._slices, self.group = stage._slices, stage._group

    def __getattr__(self, name):
        return getattr(self._inner, name)

    @no_grad()
    def step(self):
        """Update this rank's slices, and the whole parameters with the mean of all ranks' gradients."""
        for s in self._slices.values():
            if not s.is_cut():
                s.cut()
        whole = [p for p in self._inner._parameter_list if id(p) not in self._slices and not p.stop_gradient]
        if whole and self.group.nranks > 1:
            sum_gradients(whole, self.group.comm, scale=1.0 / self.group.nranks)
        for settings in self._inner._groups:
            pairs = self._inner._with_gradients(settings["params"])
            pairs = clip_together(settings["grad_clip"], pairs, self.group, is_cut=lambda p: id(p) in self._slices)
            if pairs:
                self._inner._apply(pairs, dict(settings, grad_clip=None))

    def minimize(self, loss, startup_program=None, parameters=None, no_grad_set=None):
        """Update the parameters with the gradients that ``loss.backward()`` left."""
        pairs = self._inner.backward(loss, startup_program, parameters, no_grad_set)
        self.step()
        return [], pairs

    def state_dict(self):
        """The states of whole parameters, put together from all ranks' slices; every rank calls it."""
        return self._converted(self._inner.state_dict(), lambda s, a: s.whole_of(a) if a.shape == (s.width,) else a)

    def set_state_dict(self, state_dict):
        """Load states of whole parameters; each rank keeps its slices."""
        self._inner.set_state_dict(self._converted(state_dict, lambda s, a: s.part_of(a) if a.shape == s.shape else a))

    set_dict = set_state_dict

    def _converted(self, states, convert):
        names = {s.p.name: s for s in self._slices.values()}
        found = {}
        for key, value in states.items():
            if isinstance(value, dict):
                found[key] = {k: self._one(names.get(k), v, convert) for k, v in value.items()}
            else:
                owner = max((n for n in names if str(key).startswith(n + "_")), key=len, default=None)
                found[key] = self._one(names.get(owner), value, convert)
        return found

    @staticmethod
    def _one(s, value, convert):
        if s is None or not isinstance(value, (Tensor, np.ndarray)):
            return value
        array = value._data if isinstance(value, Tensor) else value
        return wrap(convert(s, array))


__getattr__ = _lookup(__name__)
