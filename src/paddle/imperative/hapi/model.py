"""alpha's Model: a Layer that is fitted, evaluated and asked by itself. paddle.Model does the work."""

import contextlib
import functools

from ... import hapi
from ...core.place import CPUPlace, CUDAPlace
from ...core.rules import ALPHA
from ...fluid import io
from ...fluid.dygraph.checkpoint import save_dygraph
from ...fluid.dygraph.layers import Layer
from ...fluid.executor import Executor
from ...fluid.framework import is_compiled_with_cuda
from ...fluid.state import guard, in_dygraph_mode
from ...hapi.model import prepare_distributed_context, to_list
from ...hapi.static_mode import adopt, make_eager
from ...static import InputSpec, Program, Scope, data, program_guard, scope_guard
from .loss import Loss

__all__ = ["Model", "Input", "set_device", "prepare_distributed_context"]


def set_device(device):
    """The place of 'cpu' or 'gpu' (2.0 alpha; successor: paddle.set_device)."""
    if not isinstance(device, str) or device.lower() not in ("cpu", "gpu"):
        raise ValueError(f"set_device(): device must be 'cpu' or 'gpu', got {device!r}")
    return CUDAPlace(0) if device.lower() == "gpu" and is_compiled_with_cuda() else CPUPlace()


class Input(InputSpec):
    """What a Model is fed (2.0 alpha; successor: paddle.static.InputSpec)."""

    def __init__(self, shape=None, dtype=None, name=None):
        super().__init__([None if size == -1 else size for size in shape], dtype, name)


class _Runner(hapi.Model):
    """paddle.Model over losses that take lists, and optimizers that minimize."""

    def _losses(self, outputs, labels):
        return self._loss(outputs, labels)

    def _update(self, loss):
        self._optimizer.minimize(loss)
        self.network.clear_gradients()


def _imperatively(method):
    """The method inside a guard; programs in static mode get one for the call."""
    @functools.wraps(method)
    def run(*args, **kwargs):
        with contextlib.nullcontext() if in_dygraph_mode() else guard(None, ALPHA):
            return method(*args, **kwargs)
    return run


class Model(Layer):
    """A network with its training loop: derive from it and define ``forward`` (2.0 alpha; successor: paddle.Model).

    Called with a network it is paddle.Model, as from 2.0 beta on.
    """

    def __new__(cls, *args, **kwargs):
        if cls is Model and (args or kwargs):
            return hapi.Model(*args, **kwargs)
        return super().__new__(cls)

    def __init__(self):
        super().__init__()
        object.__setattr__(self, "_runner", None)  # no sublayer

    def _ready(self):
        """What does the work; made when the network is complete."""
        if self._runner is None:
            make_eager(self)
            object.__setattr__(self, "_runner", _Runner(self))
        return self._runner

    def prepare(self, optimizer=None, loss_function=None, metrics=None, inputs=None, labels=None, device=None):
        """Set optimizer, a ``Loss``, metrics, and what inputs and labels are; inputs are needed in static mode."""
        if loss_function is not None and not isinstance(loss_function, Loss):
            raise TypeError(f"prepare(): loss_function must be a Loss of paddle.incubate.hapi, got {type(loss_function).__name__}")
        if inputs is None and not in_dygraph_mode():
            raise TypeError("prepare(): inputs must be a list, a dict or an Input in static mode, got None")
        place = set_device(device) if isinstance(device, str) else device
        if place is not None and not isinstance(place, (CPUPlace, CUDAPlace)):
            raise ValueError(f"prepare(): device must be 'cpu', 'gpu', a place or None, got {device!r}")
        self._prepare(optimizer, loss_function, metrics, inputs, labels)

    @_imperatively
    def _prepare(self, optimizer, loss_function, metrics, inputs, labels):
        runner = self._ready()
        runner._inputs = to_list(list(inputs.values()) if isinstance(inputs, dict) else inputs) or []
        runner._labels = to_list(labels) or []
        adopt(optimizer, self)
        runner.prepare(optimizer, loss_function, metrics)

    @_imperatively
    def train_batch(self, inputs, labels=None):
        """Train with one batch: [losses], or ([losses], [metrics])."""
        return self._ready().train_batch(inputs, labels)

    @_imperatively
    def eval_batch(self, inputs, labels=None):
        """Evaluate one batch: [losses], or ([losses], [metrics])."""
        return self._ready().eval_batch(inputs, labels)

    @_imperatively
    def test_batch(self, inputs):
        """The outputs for one batch, as arrays."""
        return self._ready().predict_batch(inputs)

    @_imperatively
    def fit(self, train_data=None, eval_data=None, batch_size=1, epochs=1, eval_freq=1, log_freq=10, save_dir=None, save_freq=1,
            verbose=2, drop_last=False, shuffle=True, num_workers=0, callbacks=None):
        """Train with a Dataset or batches, as paddle.Model.fit does."""
        return self._ready().fit(train_data, eval_data, batch_size, epochs, eval_freq, log_freq, save_dir, save_freq, verbose,
                                 drop_last, shuffle, num_workers, callbacks)

    @_imperatively
    def evaluate(self, eval_data, batch_size=1, log_freq=10, verbose=2, num_workers=0, callbacks=None):
        """Loss of the last batch and metrics of all, by name."""
        return self._ready().evaluate(eval_data, batch_size, log_freq, verbose, num_workers, callbacks)

    @_imperatively
    def predict(self, test_data, batch_size=1, num_workers=0, stack_outputs=False, callbacks=None):
        """For every output the list of its batches, or with ``stack_outputs`` one array."""
        return self._ready().predict(test_data, batch_size, num_workers, stack_outputs, callbacks=callbacks)

    @_imperatively
    def save(self, path):
        """Write ``path.pdparams``, and ``path.pdopt`` if the optimizer has something to keep."""
        runner = self._ready()
        save_dygraph(self.state_dict(), path)
        state = runner._optimizer.state_dict() if runner._optimizer is not None else None
        if state:
            save_dygraph(state, path)

    @_imperatively
    def load(self, path, skip_mismatch=False, reset_optimizer=False):
        """Read what ``save`` wrote; the name may carry its ending."""
        for ending in (".pdparams", ".pdopt", ".pdmodel"):
            path = path.removesuffix(ending)
        self._ready().load(path, skip_mismatch, reset_optimizer)

    def save_inference_model(self, save_dir, model_filename=None, params_filename=None, model_only=False):
        """Write a program for inference to a folder, for the inputs that ``prepare`` declared; returns the names of its outputs."""
        inputs = self._ready()._inputs
        if not inputs:
            raise RuntimeError("Model.save_inference_model(): call prepare() with inputs first")
        program, scope = Program(), Scope()
        with program_guard(program, Program()), scope_guard(scope):
            fed = [data(spec.name, spec.shape, spec.dtype) for spec in inputs]
            self.eval()
            outputs = to_list(self.forward(*fed))
            return io.save_inference_model(save_dir, [v.name for v in fed], outputs, Executor(CPUPlace()), program, model_filename,
                                           params_filename, program_only=model_only)
