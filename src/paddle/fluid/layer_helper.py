"""fluid.layer_helper: what layers of 1.x make their parameters and operators with."""

import copy

import numpy as np

from ..core import dtype as dtypes
from ..core.attributes import from_file
from ..core.tensor import Parameter, Tensor, wrap
from ..static.program import lod
from ..static.program.program import default_main_program, default_startup_program
from ..static.program.registry import find
from ..utils import unique_name
from .dygraph.base import to_variable
from .layers.common import activate
from .layers.nn import elementwise_add, helper_parameter
from .param_attr import ParamAttr
from .state import era_mode, fluid_call, in_dygraph_mode

__all__ = ["LayerHelper", "LayerObjectHelper"]


class LayerHelper:
    """Parameters, temporary variables and operators of one layer (1.x; successor: paddle.nn.Layer, paddle.static.nn)."""

    def __init__(self, layer_type, **kwargs):
        self.kwargs, self.layer_type = kwargs, layer_type
        self.name = kwargs.get("name") or unique_name.generate(layer_type)

    main_program = property(lambda self: default_main_program())
    startup_program = property(lambda self: default_startup_program())
    param_attr = property(lambda self: self.kwargs.get("param_attr"))
    bias_attr = property(lambda self: self.kwargs.get("bias_attr"))

    def input(self, input_param_name="input"):
        """The one input that was given under that name."""
        given = self.kwargs[input_param_name]
        given = list(given) if isinstance(given, (list, tuple)) else [given]
        if len(given) != 1:
            raise ValueError(f"LayerHelper.input(): {self.layer_type} takes one {input_param_name}, got {len(given)}")
        return given[0]

    def input_dtype(self, input_param_name="input"):
        """The element type of that input, or of all that were given under the name."""
        return _one_dtype(self.multiple_input(input_param_name), self.layer_type)

    def multiple_input(self, input_param_name="input"):
        """All inputs that were given under that name."""
        return _listed(self.kwargs[input_param_name])

    def iter_inputs_and_params(self, input_param_name="input"):
        """The inputs, each with the attributes of the parameter that belongs to it."""
        return _with_attributes(self.multiple_input(input_param_name), self.param_attr, self.layer_type)

    def get_parameter(self, name):
        """The parameter of that name in the main program."""
        return self.main_program.global_block().var(name)

    def create_parameter(self, attr, shape, dtype=None, is_bias=False, default_initializer=None, stop_gradient=False):
        """A parameter named after the layer."""
        made = fluid_call(helper_parameter)(self.name, attr, list(shape), dtype or "float32", is_bias, default_initializer)
        if stop_gradient and made is not None:
            made.stop_gradient = True
        return made

    def create_variable_for_type_inference(self, dtype, stop_gradient=False):
        """A variable for an operator to write into."""
        if in_dygraph_mode():
            return wrap(np.zeros([0], dtypes.to_numpy(dtype, "create_variable_for_type_inference")))
        return default_main_program().current_block().new_var(name=unique_name.generate(self.name + ".tmp"), shape=(),
                                                                 dtype=dtypes.convert(dtype), stop_gradient=stop_gradient)

    def to_variable(self, x, name=None):
        """A tensor of an array (1.x; successor: paddle.to_tensor)."""
        return to_variable(x, name=name)

    def append_op(self, type, inputs=None, outputs=None, attrs=None, stop_gradient=None):
        """Add an operator to the static program; in a guard run it. Its results are in the given outputs. Attributes
        that are None have their defaults."""
        op = find(type)
        if op is None:
            raise NotImplementedError(f"LayerHelper.append_op(): there is no operator {type!r}")
        given = [_listed((inputs or {}).get(slot.name)) for slot in op.inputs]
        with era_mode():
            results = op(*(values if slot.is_list else values[0] if values else None for slot, values in zip(op.inputs, given)),
                         *from_file(op, {k: value for k, value in (attrs or {}).items() if value is not None}))
        made = (slot for slot in op.outputs if not slot.optional)
        for slot, result in zip(made, results if isinstance(results, tuple) else (results,)):
            for target, value in zip(_listed((outputs or {}).get(slot.name)), _listed(result)):
                _hand_over(value, target)
                if stop_gradient:
                    target.stop_gradient = True

    def append_bias_op(self, input_var, dim_start=1, dim_end=None):
        """input_var plus a new bias along its axes from ``dim_start`` to ``dim_end``; as it is where there is no bias."""
        bias = self.create_parameter(self.bias_attr, list(input_var.shape[dim_start:dim_end]), input_var.dtype, is_bias=True)
        return input_var if bias is None else elementwise_add(input_var, bias, axis=dim_start)

    def append_activation(self, input_var, act=None):
        """input_var through an activation, that of the layer unless another is named."""
        return activate(input_var, act or self.kwargs.get("act"))


class LayerObjectHelper(LayerHelper):
    """The same for a Layer of a guard, whose methods are given what a function's helper was made with."""

    def __init__(self, name):
        super().__init__(name, name=name)

    def iter_inputs_and_params(self, inputs_in, param_attr_in=None):
        """The inputs, each with the attributes of the parameter that belongs to it."""
        return _with_attributes(_listed(inputs_in), param_attr_in, self.layer_type)

    def input_dtype(self, inputs_in):
        """The element type of the inputs."""
        return _one_dtype(_listed(inputs_in), self.layer_type)


def _with_attributes(inputs, attributes, kind):
    """Pairs; attributes that stand for all inputs are each input's own, as parameters are named by them."""
    given = _listed(attributes)
    if len(given) != len(inputs):
        if len(given) > 1:
            raise ValueError(f"{kind}: {len(given)} param_attr for {len(inputs)} inputs")
        given = [copy.deepcopy(given[0]) if given else None for _ in inputs]
    return zip(inputs, [ParamAttr.convert(attr) for attr in given])


def _one_dtype(inputs, kind):
    found = {dtypes.convert(x.dtype) for x in inputs}
    if len(found) > 1:
        raise ValueError(f"{kind}: the inputs must have one dtype, got {', '.join(sorted(d.name for d in found))}")
    return found.pop() if found else None


def _hand_over(value, target):
    """Let a variable that waits for a result be that result."""
    if isinstance(target, Parameter):
        target.replace(value._data)
    elif isinstance(target, Tensor):
        target.become(value, "append_op", reshapes=True)
    else:
        block = value.block
        block.ops[-1]._rename_output(value.name, target.name)
        del block.vars[value.name]
        target.shape, target._dtype, target.stop_gradient = value.shape, value._dtype, value.stop_gradient
        lod.give(target, value.lod)


def _listed(value):
    return list(value) if isinstance(value, (list, tuple)) else [] if value is None else [value]
