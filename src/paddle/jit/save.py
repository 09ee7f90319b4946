"""jit.save: layers and functions as ``.pdmodel`` + ``.pdiparams`` + ``.pdiparams.info``, or ``.json`` + ``.pdiparams``."""

import os
import types

from ..core.errors import describe
from ..core.op import Symbolic
from ..core.tensor import Parameter, Tensor
from ..nn.layer.layers import Layer
from ..serialization import params_info, properties
from ..serialization.params_info import ParamInfo
from ..static.inference_io import check_format, persistable_names, write_inference
from ..static.input import InputSpec
from ..static.program.record import capture
from ..static.program.transform import add_feed_fetch, clone, prune
from ..utils import unique_name
from .static_function import StaticFunction
from .translated_layer import TranslatedLayer, set_mode

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
        output_spec (list or None): which outputs to save (Variables of the traced program, or names).
        with_hook (bool): of no effect: the layer's forward hooks are always part of the program.
        combine_params (bool): one parameter file for all methods.
        clip_extra (bool): of no effect: attributes are always written whole.
        skip_forward (bool): save only the other methods.
        input_names_after_prune (list): the inputs that the saved program keeps.
        format (str): 'pdmodel' for files that Paddle 2 reads (the default), 'json' for files that Paddle 3 reads.
    Returns:
        None.

    >>> import tempfile
    >>> net = paddle.nn.Linear(2, 1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     paddle.jit.save(net, folder + '/net', [paddle.static.InputSpec([None, 2])])
    ...     paddle.jit.load(folder + '/net')(paddle.ones([3, 2])).shape
    [3, 1]
    """
    for name in configs:
        if name not in _CONFIGS:
            raise ValueError(f"save(): unknown configuration {name!r}; known: {', '.join(_CONFIGS)}")
    kind = check_format(configs.get("format"), "save")
    prefix = os.fspath(path)
    if not os.path.basename(prefix):
        raise ValueError(f"save(): path must be folder/prefix, got {path!r}: the prefix is missing")
    if input_spec is not None and not isinstance(input_spec, (list, tuple)):
        raise TypeError(f"save(): input_spec must be a list, got {describe(input_spec)}")
    functions = _functions(layer, input_spec, configs)
    names = _structured_names(layer)
    made = []
    for method, static in functions:
        concrete = _concrete(static, layer, method, input_spec)
        made.append((method, _inference_program(concrete, configs if method == "forward" else {})))
    if configs.get("combine_params", False):
        _share(made)
    for method, program in made:
        name = prefix if method == "forward" else f"{prefix}.{method}"
        write_inference(program, f"{name}.{kind}", name + ".pdiparams")
        stored = persistable_names(program)
        if stored and kind == "pdmodel":  # a .json program says itself what is trained
            params_info.write(name + ".pdiparams.info", {n: _info(program.captured[n], names) for n in stored})
    values = _properties(layer)
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


def _concrete(static, layer, method, input_spec):
    """The traced program of one function."""
    static = _whole(static)
    if isinstance(layer, Layer) and method == "forward" and (layer._forward_pre_hooks or layer._forward_post_hooks):
        hooked = StaticFunction(Layer.__call__, full_graph=True, instance=layer)
        hooked._own.latest = static._own.latest
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
    if static._own.latest is not None:
        return static.trace_again()
    if not static.signature.names:
        return static.get_concrete_program()[0]
    raise ValueError(f"save(): {method} was neither called nor decorated with an input_spec: give input_spec=[InputSpec(...)]")


def _whole(static):
    """The same function, with errors in place of falling back; traces are kept apart from those of calls."""
    made = StaticFunction(static.dygraph_function, static.input_spec, True, static.build_strategy, static.backend,
                          static.instance)
    made._own.latest = static._own.latest
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
