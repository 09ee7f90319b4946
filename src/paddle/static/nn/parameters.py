"""Parameters of static.nn's functions: named as Paddle names them, in the main and startup programs."""

from ...core import dtype as dtypes
from ...core.errors import WrongKindError
from ...core.op import Symbolic
from ...nn.initializer import choose
from ...nn.layer.layers import make_parameter
from ...nn.param_attr import ParamAttr
from ...tensor.argument_checks import check_plain
from ...utils import naming, unique_name
from ..weight_norm import WeightNormParamAttr, normalized


class Parameters:
    """Makes the parameters of one call: ``fc_0.w_0``, ``fc_0.b_0`` ...; as a ``with`` block it names what is computed inside
    after the layer too: ``fc_0.tmp_0`` ..."""

    def __init__(self, kind, name=None, dtype="float32"):
        self.name, self.dtype = name or unique_name.generate(kind), dtypes.convert(dtype).name

    def __enter__(self):
        self._scope = naming.owner(None, self.name)
        self._scope.__enter__()
        return self

    def __exit__(self, *error):
        return self._scope.__exit__(*error)

    def __call__(self, attr, shape, is_bias=False, default=None):
        """A parameter, or None for attr False."""
        attr = ParamAttr.convert(attr)
        if attr is False:
            return None
        if isinstance(attr, WeightNormParamAttr):
            base = attr.name or unique_name.generate(f"{self.name}.w")

            def make(suffix, sizes, initializer):
                chosen = initializer or choose(attr.initializer, default, False)
                return make_parameter(sizes, self.dtype, attr, chosen, f"{base}_{suffix}")
            return normalized(attr, list(shape), make)
        made = attr.name or unique_name.generate(f"{self.name}.{'b' if is_bias else 'w'}")
        return make_parameter(shape, self.dtype, attr, choose(attr.initializer, default, is_bias), made)


def check_input(x, function, argument="input"):
    """Raise WrongKindError unless x is a static Variable, of a data type that the function takes."""
    if not isinstance(x, Symbolic):
        raise WrongKindError(f"{function}(): {argument} must be a static Variable (paddle.enable_static), got {type(x).__name__}")
    check_plain(x, function, argument)
