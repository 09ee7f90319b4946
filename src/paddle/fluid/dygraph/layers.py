"""Layer as fluid 1.4 and 1.5 have it: built on first call, named by scopes, loaded by parameter name."""

from collections import OrderedDict

from ...core.addresses import lookup as _lookup
from ...core.context import context
from ...core.tensor import Tensor
from ...nn.layer import layers as modern
from ...nn.layer.earlier import load_every
from ...nn.layer.hooks import before_first_forward
from ...nn.layer.layers import load_value, snake_case
from ...nn.param_attr import ParamAttr
from ...tensor.argument_checks import check_call
from ...utils import unique_name
from .. import clip as clips
from .. import state
from ..layer_helper import LayerObjectHelper

__all__ = ["Layer"]


class Layer(modern.Layer):
    """Base of fluid's dygraph layers (1.x; successor: paddle.nn.Layer).

    With a ``name_scope`` the full name is ``<name_scope>/<Class>_<n>`` as in 1.4 and 1.5; without one it is the class name in
    snake case, as from 1.6 on. A class may define ``build_once(*inputs)`` (1.4) or ``_build_once(*inputs)`` (from 1.5), which
    runs before the first forward.

    >>> import paddle.fluid as fluid
    >>> with fluid.dygraph.guard():
    ...     fluid.dygraph.FC('net', 10).full_name()
    'net/FC_0'
    """

    _tensors_are_buffers = False  # in 1.x they were plain attributes

    _running_mode = staticmethod(state.era_mode)  # static outside guards; those made through paddle.nn follow the current mode

    _own_name = None  # that of a class whose parameters are not named after it

    _former = {}  # attributes that had another name up to 1.6: {that name: today's}

    def __init__(self, name_scope=None, dtype="float32"):
        super().__init__(name_scope, dtype)
        kind = type(self).__name__
        # the base class has drawn a name already: give the number back, so that counters run as they did
        drawn = snake_case(kind) if name_scope is None else name_scope
        unique_name.give_back(drawn)
        own = self._own_name or snake_case(kind)
        self._full_name = unique_name.generate(own if name_scope is None else f"{name_scope}/{kind}")
        self._scoped, self._loaded_later = name_scope is not None, {}
        if self._scoped:
            state.seems("1.5")
        if getattr(type(self), "build_once", None) is not None:
            state.seems("1.4")
            before_first_forward(self, "build_once")

    def __call__(self, *inputs, **kwargs):
        if context.guard is None and context.rules.checks == "1.8" and type(self).__module__.startswith(__package__):
            check_call("1.8", type(self).__name__, self.forward, inputs, kwargs)
        with self._running_mode():
            return super().__call__(*inputs, **kwargs)

    def create_parameter(self, *args, **kwargs):
        """A new parameter: ``(attr, shape, dtype, ...)`` as in 1.4 and 1.5, or ``(shape, attr=None, dtype=None, ...)``."""
        names = ["shape", "attr", "dtype", "is_bias", "default_initializer"]
        if args and not _is_shape(args[0]):
            names[:2] = ["attr", "shape"]
        given = dict(zip(names, args), **kwargs)
        attr = made_with = ParamAttr.convert(given.get("attr"))
        if attr is False:
            return None
        if attr.name is not None and self._scoped:
            attr = _named(attr, f"{self._full_name}.{attr.name}")
        with self._running_mode():
            p = super().create_parameter(given["shape"], attr, given.get("dtype"), given.get("is_bias", False),
                                         given.get("default_initializer"))
        state.register(clips.mark(p, made_with))
        if p.name in self._loaded_later:
            load_value(p, self._loaded_later[p.name])
        return p

    @property
    def _helper(self):
        """What layers of 1.4 and 1.5 add operators with (1.x; successor: the functions of paddle)."""
        return LayerObjectHelper(self._full_name)

    def create_variable(self, name=None, persistable=None, dtype=None, type=None):
        """A variable for an operator to write into (1.x; successor: paddle.nn.Layer.create_tensor)."""
        if state.in_dygraph_mode():
            return super().create_variable(name, persistable, dtype)
        made = self._helper.create_variable_for_type_inference(dtype or self._dtype)
        made.persistable = bool(persistable)
        return made

    def add_parameter(self, name, parameter):
        """Register a parameter under a name and return it (1.x; successor: paddle.nn.Layer.add_parameter)."""
        if name in self.__dict__ or hasattr(type(self), name):
            raise KeyError(f"add_parameter(): {name!r} is already an attribute of this layer")
        self._parameters[name] = parameter
        return parameter

    def __setattr__(self, name, value):
        super().__setattr__(self._former.get(name, name), value)

    def __getattr__(self, name):
        if name in self._former:
            return getattr(self, self._former[name])
        try:
            return super().__getattr__(name)
        except AttributeError:
            if name.startswith("__") or not context.rules.none_for_missing:
                raise
            return None

    def sublayers(self, include_sublayers=True, include_self=False):
        """The sublayers, with those below them or without (1.x; successor: paddle.nn.Layer.sublayers)."""
        return modern.sublayers_alone(self, include_sublayers, include_self)

    def named_sublayers(self, prefix="", include_sublayers=True, include_self=False, layers_set=None):
        """Pairs (structured name, layer) (1.x; successor: paddle.nn.Layer.named_sublayers)."""
        return modern.named_sublayers_alone(self, prefix, include_sublayers, include_self, layers_set)

    def state_dict(self, destination=None, include_sublayers=True, structured_name_prefix="", use_hook=True):
        """Parameters by parameter name as 1.5 kept them (its layers have a name_scope), else by structured name."""
        found = super().state_dict(destination, include_sublayers, structured_name_prefix, use_hook)
        return OrderedDict((t.name, t) for t in found.values()) if self._scoped and context.rules.names_in_state else found

    def load_dict(self, stat_dict, include_sublayers=True, use_structured_name=True):
        """Load values by parameter name; those of parameters that do not exist yet are kept for when they are built."""
        if not self._scoped:
            return self.set_state_dict(stat_dict, use_structured_name)
        arrays = {name: modern._state_array(value, name) for name, value in stat_dict.items()}
        by_name = {_name(key, stat_dict[key]): value for key, value in arrays.items()}
        for layer in self.sublayers(include_self=True) if include_sublayers else [self]:
            if isinstance(layer, Layer):
                layer.__dict__["_loaded_later"] = by_name
            for p in [*layer._parameters.values(), *layer._buffers.values()]:
                if p is not None and p.name in by_name:
                    load_value(p, by_name[p.name])
        return None

    def set_dict(self, stat_dict, include_sublayers=True, use_structured_name=True):
        """Load values by structured name (by parameter name for scoped layers); a missing one raises RuntimeError."""
        if self._scoped:
            return self.load_dict(stat_dict, include_sublayers)
        return load_every(self, stat_dict, include_sublayers, use_structured_name)

    def train(self):
        """Training mode, for this layer and (as 1.x had it) for the whole guard: gradients are recorded again."""
        state.set_training(True)
        return super().train()

    def eval(self):
        """Evaluation mode, for this layer and (as 1.x had it) for the whole guard: nothing is recorded for gradients."""
        state.set_training(False)
        return super().eval()


def _is_shape(value):
    return isinstance(value, (list, tuple)) and all(isinstance(n, int) or hasattr(n, "__index__") for n in value)


def _named(attr, name):
    return ParamAttr(name, attr.initializer, attr.learning_rate, attr.regularizer, attr.trainable, attr.do_model_average,
                     attr.need_clip)


def _name(key, value):
    """The parameter name of a loaded entry: that of a Tensor, else the key."""
    return value.name if isinstance(value, Tensor) else key


__getattr__ = _lookup(__name__)
