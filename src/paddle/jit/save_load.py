"""jit.save and jit.load: layers and functions as ``.pdmodel`` + ``.pdiparams`` + ``.pdiparams.info`` or ``.json`` + ``.pdiparams``.

What is loaded is a TranslatedLayer, which can be called, fine-tuned and saved again.
"""

import copy
import os
import types

import numpy as np

from ..core.errors import describe
from ..core.op import Symbolic
from ..core.tensor import Parameter, Tensor, wrap
from ..nn.layer.layers import Layer
from ..serialization import params_info, properties
from ..serialization.atomic import together
from ..serialization.params_info import ParamInfo
from ..static.feeds import feed_array
from ..static.inference_io import check_format, persistable_names, read_inference, write_inference
from ..static.input import InputSpec
from ..static.model_files import of_prefix, split_ending
from ..static.program.program import default_main_program
from ..static.program.record import as_variable, capture
from ..static.program.transform import add_feed_fetch, clone, feed_fetch_names, prune
from ..static.schedule.function import Runner
from ..utils import unique_name
from .inline import inline
from .save_hooks import _save_pre_hooks
from .static_function import StaticFunction
from .tracing import current

INFER_MODEL_SUFFIX, INFER_PARAMS_SUFFIX, INFER_PARAMS_INFO_SUFFIX = ".pdmodel", ".pdiparams", ".pdiparams.info"
_CONFIGS = ("output_spec", "with_hook", "combine_params", "clip_extra", "skip_forward", "input_names_after_prune",
            "format")


def save(layer, path, input_spec=None, **configs):
    """Write a Layer or function as a program with its parameters; ``jit.load`` and Paddle Inference read it.

    Args:
        layer (Layer or function): what is written. Its methods decorated with ``to_static`` are saved beside ``forward``, in
            files ``path.<method>.pdmodel``; what those return that were decorated with ``property=True``, in ``path.meta``.
        path (str): file names without their endings; folders are made.
        input_spec (list or None): InputSpecs, tensors or plain values of the arguments; may be left out if ``forward`` was
            decorated with some, or called before.
        output_spec (list or None): which outputs to save: Variables of the traced program, names, numbers, or Tensors that a
            call returned with gradients.
        with_hook (bool): of no effect: the layer's forward hooks are always part of the program.
        combine_params (bool): one parameter file for all methods.
        clip_extra (bool): of no effect: attributes are always written whole.
        skip_forward (bool): save only the other methods.
        input_names_after_prune (list): the inputs that the saved program keeps.
        format (str): 'pdmodel' for files that Paddle 2 reads (the default), 'json' for files that Paddle 3 reads.
    Returns:
        None.
    Raises:
        TypeError: ``layer`` is neither a Layer nor a function.
        ValueError: there is no ``input_spec`` and no call to take one from, or the path has no file name.

    >>> import tempfile
    >>> net = paddle.nn.Linear(2, 1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     paddle.jit.save(net, folder + '/net', [paddle.static.InputSpec([None, 2])])
    ...     paddle.jit.load(folder + '/net')(paddle.ones([3, 2])).shape
    [3, 1]
    """
    for hook in list(_save_pre_hooks):
        hook(layer, input_spec, configs)
    for name in configs:
        if name not in _CONFIGS:
            raise ValueError(f"save(): unknown configuration {name!r}; known: {', '.join(_CONFIGS)}")
    kind = check_format(configs.get("format"), "save")
    prefix = os.fspath(path)
    if not os.path.basename(prefix):
        raise ValueError(f"save(): path must be folder/prefix, got {path!r}: the prefix is missing")
    if input_spec is not None and not isinstance(input_spec, (list, tuple)):
        raise TypeError(f"save(): input_spec must be a list, got {describe(input_spec)}")
    layer = getattr(layer, "_saved_as", layer)  # of a DataParallel the layer inside
    functions = _functions(layer, input_spec, configs)
    names = _structured_names(layer)
    made = []
    for method, static in functions:
        spec, kept = _against_declared(static, input_spec)
        concrete = _concrete(static, layer, method, spec)
        chosen = {**configs, **kept, "output_spec": _returned(static, configs.get("output_spec"))}
        made.append((method, _inference_program(concrete, chosen if method == "forward" else kept)))
    if configs.get("combine_params", False):
        _share(made)
    values = _properties(layer)
    with together():
        if not made:  # the folder is there all the same
            os.makedirs(os.path.dirname(prefix) or ".", exist_ok=True)
        for method, program in made:
            name = prefix if method == "forward" else f"{prefix}.{method}"
            write_inference(program, f"{name}.{kind}", name + ".pdiparams")
            stored = persistable_names(program)
            if stored and kind == "pdmodel":  # a .json program says itself what is trained
                params_info.write(name + ".pdiparams.info", {n: _info(program.captured[n], names) for n in stored})
        if values:
            properties.write(prefix + ".meta", values)


def _functions(layer, input_spec, configs):
    """Pairs (method, StaticFunction) of what is saved."""
    if isinstance(layer, StaticFunction):
        return [("forward", layer)]
    if isinstance(layer, Layer):
        found = []
        if not configs.get("skip_forward", False):
            forward = layer.forward
            found.append(("forward", forward if isinstance(forward, StaticFunction) else
                          StaticFunction(getattr(forward, "__func__", forward), full_graph=True, instance=layer)))
        for name, value in _translated_methods(layer):
            if not value.is_property:
                if input_spec is not None:
                    raise ValueError(f"save(): the layer has the translated method {name!r} too, so input_spec must be None; "
                                     "give it to each to_static")
                found.append((name, value))
        return found
    if isinstance(layer, types.MethodType):
        return [("forward", StaticFunction(layer.__func__, full_graph=True, instance=layer.__self__))]
    if callable(layer):
        return [("forward", StaticFunction(layer, full_graph=True))]
    raise TypeError(f"save(): layer must be a Layer or function, got {describe(layer)}")


def _translated_methods(layer):
    """Pairs (name, StaticFunction) of a layer's translated methods, but forward."""
    if isinstance(layer, TranslatedLayer):
        return [(name, StaticFunction(layer.function_of(name), full_graph=True, instance=layer)) for name in layer._others]
    found = []
    for name in sorted({*dir(type(layer)), *layer.__dict__} - {"forward"}):
        value = getattr(type(layer), name, None) if name not in layer.__dict__ else layer.__dict__[name]
        if isinstance(value, StaticFunction):
            found.append((name, getattr(layer, name)))
    return found


def _properties(layer):
    """Name -> value of a layer's methods that were translated as properties."""
    if isinstance(layer, TranslatedLayer):
        return layer._properties
    if not isinstance(layer, Layer):
        return {}
    return {f"{type(layer).__name__}.{name}": value() for name, value in _translated_methods(layer) if value.is_property}


def _against_declared(static, input_spec):
    """(input_spec to trace with, configuration that leaves out inputs): of a function that declares its inputs some may be saved.

    Raises ValueError if the given specs are as many as the declared ones and do not fit them.
    """
    declared = static.input_spec
    if input_spec is None or declared is None:
        return input_spec, {}
    if len(input_spec) < len(declared) and all(isinstance(s, Symbolic) or isinstance(s, InputSpec) and s.name and s in declared
                                               for s in input_spec):
        return None, {"input_names_after_prune": [s.name for s in input_spec]}
    if len(input_spec) == len(declared):
        for given, wanted in zip(input_spec, declared):
            if isinstance(given, InputSpec) and isinstance(wanted, InputSpec) and not _fits(given, wanted):
                raise ValueError(f"save(): input_spec has {given!r}, but to_static declares {wanted!r}")
    return input_spec, {}


def _fits(given, wanted):
    """Are two InputSpecs of one type, with sizes that may be the same?"""
    return given.dtype == wanted.dtype and len(given.shape) == len(wanted.shape) and all(
        a == b or a in (-1, None) or b in (-1, None) for a, b in zip(given.shape, wanted.shape))


def _concrete(static, layer, method, input_spec):
    """The traced program of one function."""
    static = _whole(static)
    if isinstance(layer, Layer) and method == "forward" and (layer._forward_pre_hooks or layer._forward_post_hooks):
        hooked = _whole(StaticFunction(Layer.__call__, instance=layer))
        hooked._own.entries.used = static._own.entries.used
        spec = input_spec if input_spec is not None else static.input_spec
        if spec is not None:
            return hooked.get_concrete_program(*static.signature.spec_args(spec))[0]
        static = hooked
    if input_spec is not None:
        return static.get_concrete_program(*static.signature.spec_args(input_spec))[0]
    if isinstance(layer, TranslatedLayer):
        return static.get_concrete_program(*layer._input_spec(method))[0]
    if static.input_spec is not None:
        return static.get_concrete_program(*static.signature.spec_args())[0]
    if static._own.entries.used is not None:
        return static.trace_again()
    if not static.signature.names:
        return static.get_concrete_program()[0]
    raise ValueError(f"save(): {method} was neither called nor decorated with an input_spec: give input_spec=[InputSpec(...)]")


def _whole(static):
    """The same function, with errors in place of falling back; traces are kept apart from those of calls."""
    made = StaticFunction(static.dygraph_function, static.input_spec, True, static.build_strategy, static.backend,
                          static.instance)
    made.simplifies = False
    made._own.entries.used = static._own.entries.used
    return made


def _inference_program(concrete, configs):
    """A program with feed and fetch operators from a traced one."""
    program = clone(concrete.program)
    program.captured = dict(concrete.program.captured)
    block = program.global_block()
    outputs = []
    for kind, k in concrete.places:
        if kind in ("output", "list", "argument"):
            outputs.append(concrete.outputs[k[1] if kind == "argument" else k].name)
        elif kind == "input":
            outputs.append(_copied(block, concrete.inputs[k].name))
        elif isinstance(concrete.constants[k], Tensor):
            outputs.append(_copied(block, capture(concrete.constants[k], program).name))
    if not outputs:
        raise ValueError("save(): the function returns no tensor")
    feeds, fetches = [v.name for v in concrete.inputs], _chosen(outputs, configs.get("output_spec"))
    kept = configs.get("input_names_after_prune")
    if kept is not None:
        unknown = [n for n in kept if n not in feeds]
        if unknown:
            raise ValueError(f"save(): input_names_after_prune has {unknown[0]!r}, which is not an input: {', '.join(feeds)}")
        feeds = [n for n in feeds if n in kept]
    written = [n for op in block.ops if op.type == "assign" for n in op.output("Out")
               if n in block.vars and block.vars[n].persistable]
    made = prune(program, feeds, [*fetches, *written])
    made.captured = program.captured
    for var in [v for v in made.global_block().vars.values() if v.is_data and v.name not in feeds]:
        del made.global_block().vars[var.name]
    set_mode(made, False)  # whoever runs the file as it is wants no dropout; a loaded layer has modes of its own
    add_feed_fetch(made, feeds, fetches)
    return made


def _copied(block, name):
    var = block._var_recursive(name)
    out = block.new_var(name=unique_name.generate("output_of_" + name), shape=var.shape, dtype=var.dtype)
    block.append_op("assign", {"X": name}, {"Out": out})
    return out.name


def _returned(static, output_spec):
    """``output_spec`` with the Tensors that calls of the function returned as their numbers among what it returns."""
    def number(item):
        for entry in [e for entries in static.program_cache.values() for e in entries] if isinstance(item, Tensor) else ():
            k = entry.output_number(item)
            if k is not None:
                constants = entry.concrete.constants
                places = [p for p in entry.concrete.places if p[0] != "constant" or isinstance(constants[p[1]], Tensor)]
                return places.index(("output", k))
        return item
    return [number(item) for item in output_spec] if isinstance(output_spec, (list, tuple)) else number(output_spec)


def _chosen(outputs, output_spec):
    if output_spec is None:
        return outputs
    chosen = []
    for item in output_spec if isinstance(output_spec, (list, tuple)) else [output_spec]:
        name = item if isinstance(item, str) else item.name if isinstance(item, (Symbolic, Tensor, InputSpec)) else None
        if isinstance(item, int) and not isinstance(item, bool) and 0 <= item < len(outputs):
            name = outputs[item]
        if name not in outputs:
            raise ValueError(f"save(): output_spec has {describe(item)}, which is not one of the outputs {', '.join(outputs)}")
        chosen.append(name)
    return chosen


def _share(made):
    """Let all programs have the persistable variables of all of them, so that one parameter file serves them."""
    everything = {n: p.captured[n] for _, p in made for n in persistable_names(p)}
    for _, program in made:
        for name, tensor in everything.items():
            if name not in program.global_block().vars:
                capture(tensor, program)
            program.captured[name] = tensor


def _structured_names(layer):
    owner = layer.instance if isinstance(layer, StaticFunction) else getattr(layer, "__self__", layer)
    if not isinstance(owner, Layer):
        return {}
    return {id(t): name for name, t in owner.to_static_state_dict(use_hook=False).items()}


def _info(tensor, names):
    return ParamInfo(names.get(id(tensor), tensor.name), bool(tensor.stop_gradient),
                     not tensor.stop_gradient if isinstance(tensor, Parameter) else None)


# ---- loading -------------------------------------------------------------------------------------------------------------
def load(path, **configs):
    """Load what ``jit.save`` (or ``static.save_inference_model``) wrote, as a TranslatedLayer in evaluation mode.

    Args:
        path (str): file names without their endings (``.pdmodel`` or ``.json``), or the folder of an inference model.
        model_filename, params_filename (str or None): names of the files in a folder.
    Returns:
        TranslatedLayer, which is called as the layer was.
    Raises:
        ValueError: there is no such model.

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
