"""TracedLayer and ``declarative``: tracing as older generations spell it."""

import os

from ..core.errors import check_type, describe
from ..nn.layer.layers import Layer
from ..static.inference_io import write_inference, write_inference_folder
from ..static.schedule.function import Runner
from ..static.strategy import BuildStrategy, ExecutionStrategy
from .arguments import as_tensor
from .save_load import _inference_program
from .static_function import StaticFunction


class TracedLayer:
    """A layer traced with example inputs; made by ``TracedLayer.trace``, never directly."""

    as_folder = False  # older generations save a folder

    def __init__(self, concrete):
        self._concrete = concrete
        program = _inference_program(concrete, {})
        self._saved, self.program = program, concrete.program
        self._runner = self._make_runner()

    def _make_runner(self, skip=()):
        inputs, outputs = [[v.name for v in variables] for variables in (self._concrete.inputs, self._concrete.outputs)]
        return Runner(self.program, inputs, outputs, "TracedLayer", skip)

    @classmethod
    def trace(cls, layer, inputs):
        """(what the layer returns for the inputs, the TracedLayer)."""
        check_type(layer, Layer, "TracedLayer.trace", "layer")
        inputs = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
        outputs = layer(*inputs)
        forward = layer.forward
        function = forward.dygraph_function if isinstance(forward, StaticFunction) else getattr(forward, "__func__", forward)
        static = StaticFunction(function, full_graph=True, instance=layer)
        return outputs, cls(static.get_concrete_program(*inputs)[0])

    def __call__(self, inputs):
        """Run the program; returns a list of Tensors (older generations: see numpy())."""
        inputs = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
        if len(inputs) != len(self._concrete.inputs):
            raise ValueError(f"TracedLayer: takes {len(self._concrete.inputs)} inputs, got {len(inputs)}")
        return self._runner([as_tensor(v) for v in inputs])

    def _switch(self, is_test=True):
        """Let dropout and batch normalization of the program work as in evaluation, or as in training again."""
        for block in self.program.blocks:
            for op in block.ops:
                if "is_test" in op.attrs:
                    op.attrs["is_test"] = bool(is_test)
        self.program.touch()
        self._runner = self._make_runner()

    def set_strategy(self, build_strategy=None, exec_strategy=None):
        """Choose the passes that the program goes through (an ExecutionStrategy says nothing to one CPU)."""
        for value, kind, argument in ((build_strategy, BuildStrategy, "build_strategy"),
                                      (exec_strategy, ExecutionStrategy, "exec_strategy")):
            if value is not None:
                check_type(value, kind, "TracedLayer.set_strategy", argument)
        if build_strategy is not None:
            self._runner = self._make_runner(build_strategy.skipped())

    def save_inference_model(self, path, feed=None, fetch=None, **kwargs):
        """Write the program and its parameters.

        Args:
            path: prefix of ``.pdmodel`` and ``.pdiparams``, or (older generations) a folder.
            feed, fetch: numbers of the inputs and outputs to keep; all for None.
        """
        kwargs.pop("clip_extra", None)
        if kwargs:
            raise TypeError(f"TracedLayer.save_inference_model(): unknown argument {next(iter(kwargs))!r}")
        write(self._concrete, os.fspath(path), feed, fetch, self.as_folder)


class FolderTracedLayer(TracedLayer):
    """TracedLayer of the generations that save a folder with ``__model__`` and one file per parameter, and return arrays."""

    as_folder = True

    def __call__(self, inputs):
        """Run the program; returns a list of arrays."""
        return [t.numpy() for t in super().__call__(inputs)]

    def save_inference_model(self, dirname, feed=None, fetch=None):
        """Write the program and its parameters into a folder; ``feed``, ``fetch``: numbers of what to keep, all for None."""
        super().save_inference_model(dirname, feed, fetch)


def write(concrete, path, feed, fetch, as_folder):
    """Write a traced program, with some of its inputs and outputs."""
    names = [v.name for v in concrete.inputs]
    configs = {}
    if feed is not None:
        configs["input_names_after_prune"] = [names[k] for k in _numbers(feed, len(names), "feed")]
    if fetch is not None:
        configs["output_spec"] = _numbers(fetch, len(concrete.places), "fetch")
    program = _inference_program(concrete, configs)
    if as_folder:
        write_inference_folder(program, path)
    else:
        write_inference(program, path + ".pdmodel", path + ".pdiparams")


def _numbers(values, n, argument):
    if not isinstance(values, (list, tuple, range)) or not all(isinstance(k, int) and 0 <= k < n for k in values):
        raise ValueError(f"save_inference_model(): {argument} must be a list of numbers below {n}, got {describe(values)}")
    return list(values)
