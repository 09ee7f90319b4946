"""Layer: parameters, buffers and sublayers under names, with hooks and a state that can be saved."""

import contextlib
import itertools
import re
import warnings
from collections import OrderedDict

import numpy as np

from ...core import dtype as dtypes
from ...core import place
from ...core import place as places
from ...core.addresses import lookup as _lookup
from ...core.autograd import HookHandle
from ...core.context import context, process
from ...core.errors import add_note, describe, own_method_errors, suggest
from ...core.folding import fold
from ...core.generation import by_rule
from ...core.hooks import phase
from ...core.op import Symbolic
from ...core.rooms import rooms
from ...core.tensor import Parameter, Tensor, wrap
from ...utils import naming, unique_name
from .. import lazy_init
from ..initializer import choose
from ..param_attr import ParamAttr
from .earlier import load_every
from .hooks import Hook, HookRemoveHelper, before_first_forward, hooked  # noqa: F401
from .html import to_html
from .modules import REGISTRIES, ModuleNames, is_free
from .sublayers import every_sublayer, named_sublayers_alone, sublayers_alone, walk


def snake_case(name):
    """``BatchNorm2D`` -> ``batch_norm2d``, ``LSTMCell`` -> ``lstm_cell``, ``MNIST`` -> ``mnist``."""
    name = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1_\2", name)
    return re.sub(r"([a-z])([A-Z])", r"\1_\2", name).lower()


def named_after(layer, x):
    """A ``with`` block in which what a program computes from x carries the layer's own name: layers that draw no number for it."""
    return naming.owner(None, layer._full_name) if isinstance(x, Symbolic) else contextlib.nullcontext()


def _set_mode(layer, training):
    """Training or evaluation mode for a layer and its sublayers; returns the layer."""
    if context.rules.evaluation_is_no_grad and context.guard is not None:
        context.guard.training = context.grad = training
    for each in layer.sublayers(include_self=True):
        each.training = training
    return layer


class Layer(ModuleNames):
    """Base of all layers and models: define sublayers and parameters in ``__init__``, the computation in ``forward``.

    Args:
        name_scope (str or None): prefix of the layer's unique name; the class name in snake case for None.
        dtype (str): type of its parameters.
    Shape:
        Those of its ``forward``.
    Raises:
        NotImplementedError: the layer is called and has no ``forward``.
        TypeError: something other than a Layer, a Parameter or a dict is registered or loaded.

    >>> class Net(paddle.nn.Layer):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.fc = paddle.nn.Linear(4, 2)
    ...     def forward(self, x):
    ...         return self.fc(x)
    >>> Net()(paddle.ones([3, 4])).shape
    [3, 2]
    """

    _tensors_are_buffers = True  # does a Tensor that is set as an attribute become a buffer, one that is not saved?
    _built = False  # has _build_once run, or does the layer need it no more?

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        own_method_errors(cls, {}) if cls.__module__.startswith("paddle.") else None  # a program's errors stay its own

    def __init__(self, name_scope=None, dtype="float32"):
        self.training = True
        self._full_name = unique_name.generate(snake_case(type(self).__name__) if name_scope is None else name_scope)
        self._dtype = dtypes.convert(dtype, type(self).__name__).name if dtype is not None else None
        self._parameters = OrderedDict()
        self._sub_layers = OrderedDict()
        self._buffers = OrderedDict()
        self._non_persistable_buffer_names_set = set()
        self._forward_pre_hooks = OrderedDict()
        self._forward_post_hooks = OrderedDict()
        self._state_dict_hooks = OrderedDict()
        self._casted_by_pure_fp16 = False
        if type(self)._build_once is not Layer._build_once:
            before_first_forward(self, "_build_once")

    # ---- calling ---------------------------------------------------------------------------------------------------
    def __call__(self, *inputs, **kwargs):
        if self._forward_pre_hooks or self._forward_post_hooks or process.listeners or context.trace is not None:
            return self._dygraph_call_func(*inputs, **kwargs)
        try:
            return self.forward(*inputs, **kwargs)
        except Exception as error:
            _note(self, error, inputs)
            fold(error)
            raise

    @phase("Forward")
    def _dygraph_call_func(self, *inputs, **kwargs):
        """The call where hooks, listeners or a trace want to know of it."""
        if self._forward_pre_hooks:
            for hook in list(self._forward_pre_hooks.values()):
                if type(hook) is Hook:
                    inputs, kwargs = hook.before(self, inputs, kwargs)
                    continue
                changed = hook(self, inputs)
                if changed is not None:
                    inputs = changed if isinstance(changed, tuple) else (changed,)
        forward = self.forward if context.trace is None else context.trace.translated(self.forward)
        try:
            outputs = forward(*inputs, **kwargs)
        except Exception as error:
            _note(self, fold(error), inputs)
            for hook in list(self._forward_post_hooks.values()):
                if type(hook) is Hook and hook.always:
                    hook.after(self, inputs, kwargs, None)
            raise
        if self._forward_post_hooks:
            for hook in list(self._forward_post_hooks.values()):
                changed = hook.after(self, inputs, kwargs, outputs) if type(hook) is Hook else hook(self, inputs, outputs)
                if changed is not None:
                    outputs = changed
        return outputs

    def _build_once(self, *args, **kwargs):
        """What a subclass makes before its first forward, which gets the same arguments: parameters as large as the inputs ask."""

    def forward(self, *inputs, **kwargs):
        """The computation; every subclass defines it."""
        raise NotImplementedError(f"{type(self).__name__} must define forward()")

    def register_forward_pre_hook(self, hook, *, prepend=False, with_kwargs=False):
        """Call ``hook(layer, inputs)`` before forward; what it returns replaces the inputs. Returns a handle.

        Args:
            prepend: call it before the existing hooks.
            with_kwargs: call ``hook(layer, inputs, keywords)``, which returns a pair of both or None.
        """
        return hooked(self._forward_pre_hooks, hook, prepend, with_kwargs=with_kwargs)

    def register_forward_post_hook(self, hook, *, prepend=False, with_kwargs=False, always_call=False):
        """Call ``hook(layer, inputs, outputs)`` after forward; what it returns replaces the outputs.

        Args:
            prepend: call it before the existing hooks.
            with_kwargs: call ``hook(layer, inputs, keywords, outputs)``.
            always_call: call it, with None for the outputs, after a forward that raised too.
        """
        return hooked(self._forward_post_hooks, hook, prepend, with_kwargs=with_kwargs, always_call=always_call)

    # ---- attributes ------------------------------------------------------------------------------------------------
    def __setattr__(self, name, value):
        if isinstance(value, Parameter) or (isinstance(value, Symbolic) and getattr(value, "is_parameter", False)):
            _register(self, name, value, "_parameters")
        elif isinstance(value, Layer):
            _register(self, name, value, "_sub_layers")
        else:
            state = self.__dict__
            for registry in REGISTRIES:
                known = state.get(registry)
                if known is not None and name in known:
                    if value is None or (registry == "_buffers" and isinstance(value, (Tensor, Symbolic))):
                        known[name] = value
                        return
                    if registry == "_buffers":
                        raise TypeError(f"{name} is a buffer: it takes a Tensor or None, got {describe(value)}")
                    raise TypeError(f"{name} is a {registry[1:-1].replace('_', '')}: it can't be set to {describe(value)}")
            own = getattr(type(self), name, None)
            if isinstance(value, Tensor) and self._tensors_are_buffers and not isinstance(own, property):
                _register(self, name, value, "_buffers")
                self._non_persistable_buffer_names_set.add(name)
                return
            if isinstance(value, (list, tuple)) and any(isinstance(v, Layer) for v in value):
                _warn_of_list(self, name, value)
            process.layer_changes += 1
            object.__setattr__(self, name, value)

    def __getattr__(self, name):
        state = self.__dict__
        known = state.get("_parameters")  # what forward() asks for
        if known and name in known:
            return known[name]
        for registry in REGISTRIES:
            known = state.get(registry)
            if known is not None and name in known:
                return known[name]
        if name == "_helper" and "_full_name" in state:  # what layers written against Paddle's insides make operators with
            from ...base.layer_helper import LayerHelper  # paddle.base is loaded for those that reach into it
            return LayerHelper(type(self).__name__, name=self._full_name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}"
                             f"{suggest(name, [k for k in dir(self) if not k.startswith('__')])}")

    def __delattr__(self, name):
        for registry in REGISTRIES:
            if name in self.__dict__.get(registry, ()):
                del self.__dict__[registry][name]
                self._non_persistable_buffer_names_set.discard(name)
                return
        object.__delattr__(self, name)

    def __dir__(self):
        # A layer being copied has no registries yet
        return sorted({*super().__dir__(), *(name for registry in REGISTRIES for name in self.__dict__.get(registry, ()))})

    # ---- building --------------------------------------------------------------------------------------------------
    def create_parameter(self, shape, attr=None, dtype=None, is_bias=False, default_initializer=None, device=None):
        """A new parameter of this layer's naming, not yet registered: assign it to an attribute. None if attr is False."""
        attr = ParamAttr.convert(attr)
        if attr is False:
            return None
        if device is not None:
            places.convert(device, "create_parameter")
        suffix = "b" if is_bias else "w"
        name = attr.name or unique_name.generate(f"{self._full_name}.{suffix}")
        init = choose(attr.initializer, default_initializer, is_bias)
        # "float32" is what nobody chose: then the default of set_default_dtype() holds.
        own = self._dtype if self._dtype != "float32" else None
        return make_parameter(shape, dtype or own or dtypes.get_default_dtype(), attr, init, name)

    def create_variable(self, name=None, persistable=None, dtype=None):
        """An empty tensor named after this layer (see create_tensor)."""
        return self.create_tensor(name, persistable, dtype)

    def create_tensor(self, name=None, persistable=None, dtype=None):
        """A tensor named after this layer, to be filled later."""
        t = wrap(np.zeros([0], dtypes.to_numpy(dtype or self._dtype or "float32")))
        t.name = ".".join([self._full_name, name]) if name else unique_name.generate(self._full_name + "._generated_var")
        t.meta().persistable = bool(persistable)
        return t

    def add_parameter(self, name, parameter):
        """Register a parameter (or None) under a name and return it."""
        if not isinstance(name, str):
            raise TypeError(f"add_parameter(): name must be a str, got {describe(name)}")
        if not name or "." in name:
            raise KeyError(f"add_parameter(): name must be non-empty and without dots, got {name!r}")
        if name not in self._parameters and not is_free(self, name):
            raise KeyError(f"add_parameter(): {name!r} is already an attribute of this layer")
        if parameter is not None and not isinstance(parameter, (Parameter, Symbolic)):
            raise TypeError(f"add_parameter(): parameter must be a Parameter or None, got {describe(parameter)}")
        self._parameters[name] = parameter
        return parameter

    def add_sublayer(self, name, sublayer):
        """Register a sublayer under a name and return it."""
        if not isinstance(sublayer, Layer) and sublayer is not None:
            raise TypeError(f"add_sublayer(): sublayer must be a Layer, got {describe(sublayer)}")
        self._sub_layers[str(name)] = sublayer
        return sublayer

    def register_buffer(self, name, tensor, persistable=True):
        """Register a tensor that is state but not trained, e.g. running statistics; saved unless not persistable."""
        if not isinstance(name, str) or not name or "." in name:
            raise KeyError(f"register_buffer(): name must be a non-empty str without dots, got {name!r}")
        if name not in self._buffers and not is_free(self, name):
            raise KeyError(f"register_buffer(): {name!r} is already an attribute of this layer")
        if tensor is not None and not isinstance(tensor, (Tensor, Symbolic)):
            raise TypeError(f"register_buffer(): tensor must be a Tensor or None, got {describe(tensor)}")
        self._buffers[name] = tensor
        temporary = self._non_persistable_buffer_names_set
        (temporary.discard if persistable else temporary.add)(name)

    # ---- walking ---------------------------------------------------------------------------------------------------
    @by_rule("sublayers_alone", named_sublayers_alone)
    def named_sublayers(self, prefix="", include_self=False, layers_set=None, remove_duplicate=True):
        """Pairs (structured name, layer), depth first, each layer once unless ``remove_duplicate`` is False."""
        if not remove_duplicate:
            every = every_sublayer(self, prefix)
            return every if include_self else itertools.islice(every, 1, None)
        return walk(self, prefix, include_self, set() if layers_set is None else layers_set)

    @by_rule("sublayers_alone", sublayers_alone)
    def sublayers(self, include_self=False):
        """All sublayers, depth first."""
        return [layer for _, layer in self.named_sublayers(include_self=include_self)]

    def named_children(self):
        """Pairs (name, layer) of the direct sublayers."""
        seen = set()
        for name, layer in self._sub_layers.items():
            if layer is not None and layer not in seen:
                seen.add(layer)
                yield name, layer

    def children(self):
        """The direct sublayers."""
        return (layer for _, layer in self.named_children())

    def named_parameters(self, prefix="", include_sublayers=True, remove_duplicate=True):
        """Pairs (structured name, parameter), each parameter once unless ``remove_duplicate`` is False."""
        return _named_members(self, "_parameters", prefix, include_sublayers, remove_duplicate)

    def parameters(self, include_sublayers=True):
        """All parameters, each once."""
        return [p for _, p in self.named_parameters(include_sublayers=include_sublayers)]

    def named_buffers(self, prefix="", include_sublayers=True, remove_duplicate=True):
        """Pairs (structured name, buffer), each buffer once unless ``remove_duplicate`` is False."""
        return _named_members(self, "_buffers", prefix, include_sublayers, remove_duplicate)

    def buffers(self, include_sublayers=True):
        """All buffers, each once."""
        return [b for _, b in self.named_buffers(include_sublayers=include_sublayers)]

    # ---- modes and types -------------------------------------------------------------------------------------------
    def train(self, mode=True):
        """Set this layer and its sublayers to training mode, or to evaluation mode for False."""
        return _set_mode(self, bool(mode))

    def eval(self):
        """Set this layer and its sublayers to evaluation mode."""
        return _set_mode(self, False)

    def apply(self, fn):
        """Call ``fn(layer)`` on every sublayer, then on this one; returns self."""
        for layer in self.children():
            layer.apply(fn)
        fn(self)
        return self

    def clear_gradients(self, set_to_zero=True):
        """Clear the gradients of all parameters."""
        for p in self.parameters():
            if p.trainable:
                p.clear_gradient(set_to_zero)

    def full_name(self):
        """The unique name of the layer, e.g. ``linear_0``."""
        return self._full_name

    def to(self, device=None, dtype=None, blocking=None, non_blocking=None):
        """Cast parameters and buffers to a floating dtype (and check the device's name); returns self.

        Args:
            device (str, Place or None): only the CPU is available; another name warns once, or raises with FLAGS_strict_device.
            dtype (str, dtype or None): floating type of parameters and buffers.
            blocking, non_blocking (bool or None): without meaning on a CPU.
        Returns:
            Layer: itself.
        Raises:
            TypeError: ``dtype`` is not a known type.

        >>> paddle.nn.Linear(2, 2).to(dtype="float64").weight.dtype
        paddle.float64
        """
        return self._to_impl(device, dtype, blocking)

    def _to_impl(self, device=None, dtype=None, blocking=None, include_sublayers=True, floating_only=True):
        """``to``, as packages that replace it call it; of this layer alone without ``include_sublayers``."""
        if device is not None:
            place.convert(device, "to")
        if dtype is not None:
            _cast(self, dtypes.convert(dtype, "to"), None, dtype, include_sublayers)
        return self

    def astype(self, dtype=None):
        """Cast floating-point parameters and buffers to a dtype; returns self."""
        return self if dtype is None else _cast(self, dtypes.convert(dtype, "astype"), None)

    def float(self, excluded_layers=None):
        """Cast floating-point parameters and buffers to float32, except in the excluded layer classes."""
        return _cast(self, dtypes.ALL["float32"], excluded_layers)

    def float16(self, excluded_layers=None):
        """Cast floating-point parameters and buffers to float16, except in the excluded layer classes."""
        return _cast(self, dtypes.ALL["float16"], excluded_layers)

    def bfloat16(self, excluded_layers=None):
        """Cast floating-point parameters and buffers to bfloat16, except in the excluded layer classes."""
        return _cast(self, dtypes.ALL["bfloat16"], excluded_layers)

    # ---- state -----------------------------------------------------------------------------------------------------
    def state_dict(self, destination=None, include_sublayers=True, structured_name_prefix="", use_hook=True):
        """Parameters and persistable buffers by structured name, own ones first, then those of the sublayers in order."""
        return self._state_dict_impl(destination, include_sublayers, structured_name_prefix, use_hook, False)

    def to_static_state_dict(self, destination=None, include_sublayers=True, structured_name_prefix="", use_hook=True,
                             keep_vars=True):
        """As state_dict, with the buffers that are not persistable too; detached from the tape unless ``keep_vars``."""
        state = self._state_dict_impl(destination, include_sublayers, structured_name_prefix, use_hook, True)
        return state if keep_vars else type(state)((name, value.detach()) for name, value in state.items())

    def _state_dict_impl(self, destination, include_sublayers, prefix, use_hook, all_buffers):
        state = OrderedDict() if destination is None else destination
        for name, p in self._parameters.items():
            if p is not None:
                state[prefix + name] = p
        for name, b in self._buffers.items():
            if b is not None and (all_buffers or name not in self._non_persistable_buffer_names_set):
                state[prefix + name] = b
        if include_sublayers:
            for name, layer in self._sub_layers.items():
                if layer is not None:
                    layer._state_dict_impl(state, True, f"{prefix}{name}.", use_hook, all_buffers)
        if use_hook:
            for hook in self._state_dict_hooks.values():
                changed = hook(state)
                if changed is not None:
                    state = changed
        return state

    def _obtain_parameters_buffers(self, destination=None, include_sublayers=True, structured_name_prefix=""):
        return self._state_dict_impl(destination, include_sublayers, structured_name_prefix, False, False)

    def register_state_dict_hook(self, hook):
        """Call ``hook(state)`` at the end of state_dict; what it returns replaces the state. Returns a handle."""
        return HookHandle(self._state_dict_hooks, hook)

    def set_state_dict(self, state_dict, use_structured_name=True, strict=False):
        """Load values by structured name (or by parameter name); returns (missing keys, unexpected keys).

        Values of another shape are not loaded: each is reported in a warning with both shapes and counts as missing.
        With `strict` a missing, unexpected or misshapen entry raises ValueError, and nothing is loaded.
        """
        own = self._state_dict_impl(None, True, "", False, False)  # a class may give another state_dict and undo that here
        by_key = own if use_structured_name else OrderedDict((t.name, t) for t in own.values())
        if not hasattr(state_dict, "keys"):
            raise TypeError(f"set_state_dict(): state_dict must be a dict of names and values, got {describe(state_dict)}")
        given = dict(state_dict)
        given.pop("StructuredToParameterName@@", None)
        unexpected, fitting, problems = [k for k in given if k not in by_key], {}, []
        for key, target in by_key.items():
            if key not in given:
                continue
            array = _state_array(given[key], key)
            if array.shape == tuple(target.shape):
                fitting[key] = array
            else:
                problems.append(f"{key}: expected shape {list(target.shape)}, found {list(array.shape)}")
        missing = [key for key in by_key if key not in fitting]
        caller = f"{type(self).__name__}.set_state_dict()"
        if strict and (missing or unexpected):
            absent = [f"{key}: missing" for key in missing if key not in given]
            raise ValueError(f"{caller}: " + "; ".join(problems + absent + [f"{key}: unexpected" for key in unexpected]))
        for key, array in fitting.items():
            load_value(by_key[key], array)
        if problems:
            warnings.warn(f"{caller}: not loaded: " + "; ".join(problems), stacklevel=2)
        return missing, unexpected

    set_dict = load_dict = by_rule("strict_loading", load_every)(set_state_dict)

    # ---- text ------------------------------------------------------------------------------------------------------
    def extra_repr(self):
        """The text that ``repr`` shows between the parentheses."""
        return ""

    def __repr__(self):
        lines = self.extra_repr().split("\n") if self.extra_repr() else []
        children = []
        for name, layer in self._sub_layers.items():
            children.append(f"({name}): " + repr(layer).replace("\n", "\n  "))
        head = type(self).__name__ + "("
        if not children:
            return head + ", ".join(lines) + ")"
        return head + ", ".join(lines) + "\n  " + "\n  ".join(children) + "\n)"

    def _repr_html_(self):
        return to_html(self)


# Helpers are functions, since a private method would hide what a program's own layers call by its name.
def _warn_of_list(layer, name, values):
    """Layers of a plain list are no sublayers: their parameters would be neither trained nor saved, without a word."""
    known = {id(child) for child in layer.sublayers()} if "_sub_layers" in layer.__dict__ else set()
    strange = [v for v in values if isinstance(v, Layer) and id(v) not in known]
    if strange:
        warnings.warn(f"{type(layer).__name__}.{name} is a plain {type(values).__name__}: parameters of the {len(strange)} layers "
                      "in it are not found by parameters() and state_dict(); use paddle.nn.LayerList", stacklevel=3)


def _note(layer, error, inputs):
    """Let a traceback end with the layers it came through, each with what it was given."""
    given = ", ".join([describe(x) for x in inputs])
    add_note(error, f"in layer {layer.full_name()}, {type(layer).__name__}({layer.extra_repr()}), given {given}")


def _register(layer, name, value, registry):
    """Enter a parameter, sublayer or buffer under a name, which then means nothing else."""
    state = layer.__dict__
    if "_parameters" not in state:
        raise ValueError(f"super({type(layer).__name__}, self).__init__() should be called first, before {name} is set")
    state.pop(name, None)
    for other in REGISTRIES:
        if other != registry:
            state[other].pop(name, None)
    state[registry][name] = value


def _named_members(layer, registry, prefix, include_sublayers, once=True):
    """Pairs (structured name, member) of a registry, each member once, or under every name."""
    seen = set()
    if not include_sublayers:
        layers = [(prefix, layer)]
    else:
        layers = layer.named_sublayers(prefix, include_self=True) if once else every_sublayer(layer, prefix)
    for path, owner in layers:
        for name, value in owner.__dict__[registry].items():
            if value is not None and not (once and id(value) in seen):
                seen.add(id(value))
                yield path + ("." if path else "") + name, value


def _cast(layer, dtype, excluded, given=None, deep=True):
    """Give floating parameters and buffers another type, except in the excluded layer classes; returns the layer. ``given`` is the
    type as the program named it, which the layer shows."""
    excluded = tuple(excluded) if isinstance(excluded, (list, tuple)) else (excluded,) if excluded else ()
    for part in layer.sublayers(include_self=True) if deep else [layer]:
        if isinstance(part, excluded):
            continue
        part._dtype = dtype if given is None else given
        for tensor in [*part._parameters.values(), *part._buffers.values()]:
            if tensor is not None and tensor.dtype.is_floating:  # of one that is cut over ranks, this rank's part
                tensor.replace(tensor._data.astype(dtype.dtype))
                tensor._grad = None
    return layer


def _state_array(value, key):
    if isinstance(value, Tensor):
        return value.whole()._data if value._placed else value._data
    if isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], str):  # (name, array) as older files hold it
        value = value[1]
    array = dtypes.of_bits(np.asarray(value))
    if array.dtype.kind not in "fiubcV":
        raise TypeError(f"set_state_dict(): the value of {key} must be a Tensor or array, got {describe(value)}")
    return array


def load_value(target, array):
    """Put an array of the right shape into a parameter or buffer, in the target's dtype."""
    if isinstance(target, Symbolic):
        target.set_value(array)
    elif target._placed:
        target.set_value(np.array(array, target._data.dtype))
    else:
        target.replace(np.array(array, target._data.dtype, order="C"))


def new_parameter(shape, dtype, name, attr, is_bias, default_initializer):
    """The parameter that ``paddle.create_parameter`` makes."""
    attr = ParamAttr.convert(attr)
    if attr is False:
        raise ValueError("create_parameter(): attr=False asks for no parameter")
    name = attr.name or name or unique_name.generate(unique_name.generate("create_parameter") + (".b" if is_bias else ".w"))
    return make_parameter(shape, dtype, attr, choose(attr.initializer, default_initializer, is_bias), name)


def make_parameter(shape, dtype, attr, initializer, name):
    """A Parameter (or, in static mode, a parameter of the current Program) filled by its initializer."""
    shape = [int(n) for n in shape]
    if any(n < 0 for n in shape):
        raise ValueError(f"create_parameter(): shape must not hold negative sizes, got {shape}")
    if context.static_mode:
        return rooms.static_parameter(shape, dtype, attr, initializer, name)
    p = Parameter(np.zeros(shape, dtypes.to_numpy(dtype, "create_parameter")), name, attr.trainable, attr.learning_rate,
                  attr.regularizer, attr.need_clip, attr.do_model_average)
    if not lazy_init.postpone(p, initializer):
        initializer(p)
    return p


__getattr__ = _lookup(__name__)
