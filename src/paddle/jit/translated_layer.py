"""TranslatedLayer: a saved program as a Layer that can be called, fine-tuned and saved again."""

import copy
import os

import numpy as np

from ..core.errors import describe
from ..core.tensor import Parameter, Tensor, wrap
from ..nn.layer.layers import Layer
from ..serialization import params_info, properties
from ..serialization.params_info import ParamInfo
from ..static.feeds import feed_array
from ..static.inference_io import read_inference
from ..static.input import InputSpec
from ..static.model_files import of_prefix, split_ending
from ..static.program.program import default_main_program
from ..static.program.record import as_variable
from ..static.program.transform import clone, feed_fetch_names
from ..utils import unique_name
from .inline import inline
from .run import Runner
from .tracing import current

INFER_MODEL_SUFFIX, INFER_PARAMS_SUFFIX, INFER_PARAMS_INFO_SUFFIX = ".pdmodel", ".pdiparams", ".pdiparams.info"

def load(path, **configs):
    """Load what ``jit.save`` (or ``static.save_inference_model``) wrote, as a TranslatedLayer in evaluation mode.

    Args:
        path (str): file names without their endings (``.pdmodel`` or ``.json``), or the folder of an inference model.
        model_filename, params_filename (str or None): names of the files in a folder.
    Returns:
        TranslatedLayer, which is called as the layer was.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     paddle.jit.save(paddle.nn.Linear(2, 1), folder + '/net', [paddle.static.InputSpec([None, 2])])
    ...     net = paddle.jit.load(folder + '/net')
    >>> sorted(net.state_dict())
    ['param_0', 'param_1']
    """
    model, params = configs.pop("model_filename", None), configs.pop("params_filename", None)
    if configs:
        raise ValueError(f"load(): unknown configuration {next(iter(configs))!r}; known: model_filename, params_filename")
    prefix = os.fspath(path)
    if not os.path.isdir(prefix) and of_prefix(prefix) is None and model is None:
        raise ValueError(f"load(): there is no {prefix + '.pdmodel'!r}, and no {prefix + '.json'!r}")
    prefix = split_ending(prefix)[0] if of_prefix(prefix) == prefix else prefix
    layer = TranslatedLayer(_Loaded(*_read(prefix, model, params)))
    folder, base = os.path.split(prefix)
    for name in sorted(os.listdir(folder or ".")) if not os.path.isdir(prefix) else ():
        whole, ending = split_ending(name)
        method = whole[len(base) + 1:]
        if ending and whole.startswith(base + ".") and method.isidentifier() and method not in layer._others:
            layer._add_method(method, _Loaded(*_read(os.path.join(folder, whole), None, None)))
    if os.path.isfile(prefix + ".meta"):
        layer._add_properties(properties.read(prefix + ".meta"))
    return layer


def _read(prefix, model, params):
    program, arrays = read_inference(prefix, model, params)
    info = prefix + ".pdiparams.info"
    if (of_prefix(prefix) or "").endswith(".json"):  # such programs say themselves what is trained
        stored = [program.global_block().vars[n] for n in arrays]
        return program, arrays, {v.name: ParamInfo(None, v.stop_gradient, v.is_parameter or None) for v in stored}
    return program, arrays, params_info.read(info) if os.path.isfile(info) else {}


class _Loaded:
    """A program from files: its arrays, and what is known about them."""

    def __init__(self, program, arrays, infos):
        self.program, self.arrays, self.infos = program, arrays, infos
        self.feeds, self.fetches = feed_fetch_names(program)

    def trainable(self, name):
        """Is a persistable variable a parameter? True or False if it is (trained or frozen), None for a buffer."""
        var = self.program.global_block().vars[name]
        if name in self.infos:
            return self.infos[name].trainable
        if var.is_parameter or self.arrays[name].dtype.kind == "f" and not self._written(name):
            return True
        return None

    def specs(self, names):
        """InputSpecs of some of its variables."""
        block = self.program.global_block()
        return [InputSpec(block.var(name).shape, block.var(name).dtype, name) for name in names]

    def _written(self, name):
        return any(name in op.output_arg_names for block in self.program.blocks for op in block.ops)


class TranslatedLayer(Layer):
    """A Layer made of a saved program: ``paddle.jit.load`` returns it. It starts in evaluation mode.

    Its parameters are ``param_0``, ``param_1`` ..., its buffers ``buffer_0`` ..., in the order of their variables' names.
    """

    def __init__(self, loaded):
        super().__init__()
        self._loaded, self._tensors, self._others = loaded, {}, {}
        self._runners, self._properties = {}, {}
        self._adopt(loaded)
        self.eval()

    def _adopt(self, loaded):
        """Make tensors of a program's persistable variables."""
        for name in sorted(loaded.arrays):
            if name in self._tensors:
                continue
            array = np.array(loaded.arrays[name], order="C")
            trainable = loaded.trainable(name)
            if trainable is None:
                tensor = wrap(array)
                tensor.name, tensor.persistable = _next_name(name), True
                self.register_buffer(f"buffer_{len(self._buffers)}", tensor)
            else:
                tensor = Parameter(array, _next_name(name), trainable)
                self.add_parameter(f"param_{len(self._parameters)}", tensor)
            self._tensors[name] = tensor

    def _add_method(self, name, loaded):
        self._adopt(loaded)
        self._others[name] = loaded
        self.__dict__[name] = lambda *inputs: self._run(name, inputs)

    def _add_properties(self, values):
        self._properties = values
        for name, value in values.items():
            method = name.rpartition(".")[2]
            if method.isidentifier() and not hasattr(self, method):
                self.__dict__[method] = lambda value=value: value

    def function_of(self, method):
        """A saved method as a function of the layer and its inputs."""
        return lambda layer, *inputs: layer._run(method, inputs)

    def forward(self, *inputs):
        """Run the program; one output comes as it is, several as a list."""
        return self._run("forward", inputs)

    def _run(self, method, inputs):
        loaded = self._loaded if method == "forward" else self._others[method]
        if len(inputs) != len(loaded.feeds):
            raise ValueError(f"TranslatedLayer.{method}(): takes {len(loaded.feeds)} inputs ({', '.join(loaded.feeds)}), got "
                             f"{len(inputs)}")
        runner = self._runner(method, loaded)
        trace = current()
        if trace is not None:
            block = default_main_program().current_block()
            outputs = inline(runner.program, loaded.feeds, loaded.fetches, [as_variable(v, block) for v in inputs], trace)
        else:
            outputs = runner([self._checked(loaded, name, value) for name, value in zip(loaded.feeds, inputs)])
        return outputs[0] if len(outputs) == 1 else outputs

    def _checked(self, loaded, name, value):
        var = loaded.program.global_block().var(name)
        if not isinstance(value, (Tensor, np.ndarray)):
            raise TypeError(f"TranslatedLayer: the input {name!r} must be a Tensor or array, got {describe(value)}")
        if len(value.shape) == len(var.shape) and list(value.shape) != list(var.shape):
            var = copy.copy(var)  # it was traced with other sizes, and runs with these
            var.shape = (-1,) * len(value.shape)
        array = feed_array(var, value)
        return value if isinstance(value, Tensor) else wrap(array)

    def _runner(self, method, loaded):
        key = (method, self.training)
        if key not in self._runners:
            program = clone(loaded.program)
            set_mode(program, self.training)
            block = program.global_block()
            block.ops = [op for op in block.ops if op.type not in ("feed", "fetch")]
            for name in ("feed", "fetch"):
                block.vars.pop(name, None)
            program.captured = {n: t for n, t in self._tensors.items() if n in block.vars}
            self._runners[key] = Runner(program, loaded.feeds, loaded.fetches, f"TranslatedLayer.{method}")
        return self._runners[key]

    def _input_spec(self, method_name="forward"):
        loaded = self._loaded if method_name == "forward" else self._others[method_name]
        return loaded.specs(loaded.feeds)

    def _output_spec(self, method_name="forward"):
        loaded = self._loaded if method_name == "forward" else self._others[method_name]
        return loaded.specs(loaded.fetches)

    def program(self, method_name="forward"):
        """The Program of ``forward`` (or of another saved method)."""
        if method_name != "forward" and method_name not in self._others:
            raise ValueError(f"TranslatedLayer.program(): there is no method {method_name!r}; saved: "
                             f"{', '.join(['forward', *self._others])}")
        return (self._loaded if method_name == "forward" else self._others[method_name]).program


def _next_name(name):
    base, _, number = name.rpartition("_")
    made = unique_name.generate(base if base and number.isdigit() else name)
    while made == name:
        made = unique_name.generate(base)
    return made


def set_mode(program, training):
    """Put dropout and norms into training or evaluation mode."""
    for block in program.blocks:
        for op in block.ops:
            if "is_test" in op.attrs and op.type not in ("while", "conditional_block"):
                if training and op.type.endswith("batch_norm") and op.attrs["is_test"]:
                    op.attrs["use_global_stats"] = False
                op.attrs["is_test"] = not training
