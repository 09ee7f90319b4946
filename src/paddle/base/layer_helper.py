"""paddle.base.layer_helper: what layers written against 2.x's insides make parameters, variables and operators with."""

from __future__ import annotations

from ..core import dtype as dtypes
from ..core.addresses import lookup as _lookup
from ..core.context import in_dynamic_mode
from ..core.errors import describe
from ..core.op import Symbolic
from ..core.tensor import Tensor
from ..nn import initializer as initializers
from ..nn.activations import activate
from ..nn.layer.layers import make_parameter
from ..nn.param_attr import ParamAttr
from ..static.at_once import empty
from ..static.program.program import default_main_program, default_startup_program
from ..static.program.record import initialize
from ..tensor.functions import to_tensor
from ..utils import unique_name

__all__ = ["LayerHelper", "LayerHelperBase"]


class LayerHelperBase:
    """Parameters and variables of a layer, named after it."""

    def __init__(self, name: str, layer_type: str):
        self._name, self._layer_type = name, layer_type

    name = property(lambda self: self._name)
    layer_type = property(lambda self: self._layer_type)
    main_program = property(lambda self: default_main_program())
    startup_program = property(lambda self: default_startup_program())
    get_default_dtype = staticmethod(dtypes.get_default_dtype)
    set_default_dtype = staticmethod(dtypes.set_default_dtype)

    def to_variable(self, value, name=None):
        """A Tensor from an array; a Tensor is returned as it is."""
        made = value if isinstance(value, Tensor) else to_tensor(value)
        if name is not None:
            made.name = name
        return made

    def create_parameter(self, attr, shape, dtype=None, is_bias=False, default_initializer=None, stop_gradient=False):
        """A parameter; None where ``attr`` is False."""
        attr = ParamAttr.convert(attr)
        if attr is False:
            return None
        name = attr.name or unique_name.generate(f"{self.name}.{'b' if is_bias else 'w'}")
        kind = dtypes.convert(dtype or dtypes.get_default_dtype(), "create_parameter")
        made = make_parameter(shape, kind, attr, initializers.choose(attr.initializer, default_initializer, is_bias), name)
        if stop_gradient:
            made.stop_gradient = True
        return made

    def create_variable_for_type_inference(self, dtype, stop_gradient=False, shape=None):
        """A variable for an operator to write into; a Tensor in dynamic mode."""
        return self.create_variable(name=unique_name.generate(self.name + ".tmp"), dtype=dtype, shape=shape,
                                    stop_gradient=stop_gradient)

    create_tmp_variable = create_variable_for_type_inference

    def create_variable(self, **kwargs):
        """A variable of the current block; a Tensor in dynamic mode."""
        return empty(**kwargs) if in_dynamic_mode() else self.main_program.current_block().new_var(**kwargs)

    def create_global_variable(self, persistable=False, **kwargs):
        """A variable of the main program's first block, without a gradient."""
        return self.main_program.global_block().new_var(persistable=persistable, stop_gradient=True, **kwargs)

    def create_or_get_global_variable(self, name, **kwargs):
        """(variable of that name in the main program's first block, was it made just now)."""
        block = self.main_program.global_block()
        if block.has_var(name):
            return block.var(name), False
        return self.create_global_variable(name=name, **kwargs), True

    def set_variable_initializer(self, var, initializer):
        """Let the startup program fill a variable; returns the variable."""
        if not isinstance(var, Symbolic):
            raise TypeError(f"set_variable_initializer(): var must be a Variable, got {describe(var)}")
        return initialize(initializer, var, self.startup_program.global_block())


class LayerHelper(LayerHelperBase):
    """Parameters, variables and operators of one layer; the keyword arguments are the layer's own."""

    def __init__(self, layer_type: str, **kwargs):
        self.kwargs = kwargs
        super().__init__(kwargs.get("name") or unique_name.generate(layer_type), layer_type)

    def append_op(self, *args, **kwargs):
        """Add an operator to the program; run it in dynamic mode."""
        return self.main_program.current_block().append_op(*args, **kwargs)

    def multiple_input(self, input_param_name="input"):
        """The inputs that were given under that name, as a list."""
        given = self.kwargs.get(input_param_name, [])
        return list(given) if isinstance(given, (list, tuple)) else [given]

    def input(self, input_param_name="input"):
        """The one input that was given under that name."""
        given = self.multiple_input(input_param_name)
        if len(given) != 1:
            raise ValueError(f"{self.layer_type}(): needs one {input_param_name}, got {len(given)}")
        return given[0]

    @property
    def param_attr(self):
        return ParamAttr.convert(self.kwargs.get("param_attr"))

    @property
    def bias_attr(self):
        return ParamAttr.convert(self.kwargs.get("bias_attr"))

    def multiple_param_attr(self, length: int) -> list:
        """One ParamAttr for each of so many parameters."""
        attr = self.kwargs.get("param_attr")
        attrs = list(attr) if isinstance(attr, (list, tuple)) else [attr] * length
        if len(attrs) != length:
            raise ValueError(f"{self.layer_type}(): needs {length} param_attr, got {len(attrs)}")
        return [ParamAttr.convert(a) for a in attrs]

    def iter_inputs_and_params(self, input_param_name="input"):
        """(input, ParamAttr) one after the other."""
        inputs = self.multiple_input(input_param_name)
        return zip(inputs, self.multiple_param_attr(len(inputs)))

    def input_dtype(self, input_param_name="input"):
        """The element type that the inputs have in common; ValueError where it differs."""
        kinds = {each.dtype for each in self.multiple_input(input_param_name)}
        if len(kinds) > 1:
            raise ValueError(f"{self.layer_type}(): the inputs are of different dtypes: {sorted(k.name for k in kinds)}")
        return kinds.pop() if kinds else None

    def get_parameter(self, name):
        """The parameter of that name."""
        found = self.main_program.global_block().var(name)
        if not found.is_parameter:
            raise ValueError(f"{self.layer_type}(): {name!r} is no parameter")
        return found

    def append_bias_op(self, input_var, dim_start=1, dim_end=None):
        """input_var plus a new bias along its axes from ``dim_start`` to ``dim_end``; as it is where there is no bias."""
        bias = self.create_parameter(self.bias_attr, list(input_var.shape[dim_start:dim_end]), input_var.dtype, is_bias=True)
        if bias is None:
            return input_var
        out = self.create_variable_for_type_inference(dtype=input_var.dtype)
        self.append_op(type="elementwise_add", inputs={"X": [input_var], "Y": [bias]}, outputs={"Out": [out]},
                       attrs={"axis": dim_start})
        return out

    def append_activation(self, input_var):
        """input_var through the layer's activation, if it has one."""
        act = self.kwargs.get("act")
        return activate(input_var, act["type"] if isinstance(act, dict) else act, self.layer_type)

    def is_instance(self, param_name, cls):
        """TypeError where an argument of the layer is not of this type."""
        given = self.kwargs.get(param_name)
        if not isinstance(given, cls):
            raise TypeError(f"{self.layer_type}(): {param_name} must be {cls.__name__}, got {describe(given)}")


__getattr__ = _lookup(__name__)
