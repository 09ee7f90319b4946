"""fluid.layer_helper: what layers of 1.x make their parameters and operators with."""

from ..core import dtype as dtypes
from ..core import graph
from ..static.program import default_main_program, default_startup_program
from ..utils import unique_name
from .layers.common import activate
from .layers.nn import helper_parameter
from .state import fluid_call

__all__ = ["LayerHelper"]


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
        """The element type of that input."""
        return self.input(input_param_name).dtype

    def create_parameter(self, attr, shape, dtype=None, is_bias=False, default_initializer=None, stop_gradient=False):
        """A parameter named after the layer."""
        made = fluid_call(helper_parameter)(self.name, attr, list(shape), dtype or "float32", is_bias, default_initializer)
        if stop_gradient and made is not None:
            made.stop_gradient = True
        return made

    def create_variable_for_type_inference(self, dtype, stop_gradient=False):
        """A variable of a static program for an operator to write into."""
        return default_main_program().current_block().create_var(name=unique_name.generate(self.name + ".tmp"), shape=None,
                                                                 dtype=dtypes.convert(dtype), stop_gradient=stop_gradient)

    def append_op(self, type, inputs=None, outputs=None, attrs=None, stop_gradient=None):
        """Add an operator to the static program."""
        if not graph.static:
            raise NotImplementedError("LayerHelper.append_op(): operators by type can be added to static programs only; in a guard "
                                      f"call the function for {type!r}")
        return default_main_program().current_block().append_op(type, inputs, outputs, attrs)

    def append_activation(self, input_var):
        """input_var through the layer's ``act``."""
        return activate(input_var, self.kwargs.get("act"))
