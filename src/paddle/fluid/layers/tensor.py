"""fluid.layers: making and shaping tensors."""

import numbers

import numpy as np

from ... import static
from ...core import dtype as dtypes
from ...core.addresses import lookup as _lookup
from ...core.errors import describe
from ...core.op import Symbolic
from ...core.tensor import Tensor
from ...nn import initializer as inits
from ...nn.layer.layers import make_parameter
from ...nn.param_attr import ParamAttr
from ...ops.manipulation.reshape import flatten2
from ...ops.math import arithmetic
from ...static.program import lod
from ...static.program.record import assign_to
from ...tensor import convert
from ...tensor import functions as tensor
from ...tensor.random import gaussian
from ...utils import unique_name
from .. import clip as clips
from .. import state
from ..state import fluid_call
from .common import activate, at_least_1d, dim_arg, need_variables


@fluid_call
def data(name, shape, append_batch_size=True, dtype="float32", lod_level=0, type=None, stop_gradient=True):
    """An input of the program; -1 is put in front for the batch, and any negative size means an unknown one (1.x; successor:
    paddle.static.data)."""
    shape = [-1 if n is None or n < 0 else n for n in shape]
    if append_batch_size and -1 not in shape:
        shape = [-1, *shape]
    out = static.data(name, shape, dtype, lod_level)
    out.stop_gradient, out.need_check_feed = stop_gradient, False
    return out


def _sizes(shape):
    """A shape whose entries may be variables, known only when the program runs."""
    if not isinstance(shape, (list, tuple)):
        return shape
    return [n if isinstance(n, (Symbolic, Tensor)) else int(n) for n in shape]


@fluid_call
def fill_constant(shape, dtype, value, force_cpu=False, out=None, name=None):
    """A tensor full of one value (1.x; successor: paddle.full). It has a name from 2.0 on."""
    made = tensor.full(_sizes(shape), value, dtype, name)
    return _into(made, out)


@fluid_call
def zeros(shape, dtype, force_cpu=False, name=None):
    """Zeros (1.x; successor: paddle.zeros)."""
    return tensor.zeros(shape, dtype)


@fluid_call
def ones(shape, dtype, force_cpu=False):
    """Ones (1.x; successor: paddle.ones)."""
    return tensor.ones(shape, dtype)


@fluid_call
def zeros_like(x, out=None):
    """Zeros shaped like x (1.x; successor: paddle.zeros_like)."""
    return _into(tensor.zeros_like(x), out)


@fluid_call
def ones_like(x, out=None):
    """Ones shaped like x (1.x; successor: paddle.ones_like)."""
    return _into(tensor.ones_like(x), out)


def _into(made, out):
    if out is None:
        return made
    if isinstance(out, Tensor):
        out.replace(made._data)
        return out
    return assign_to(made, out)


@fluid_call
def assign(input, output=None):
    """A copy (1.x; successor: paddle.assign)."""
    return tensor.assign(input, output)


@fluid_call
def cast(x, dtype):
    """x in another dtype (1.x; successor: paddle.cast)."""
    return tensor.cast(x, dtype)


@fluid_call
def concat(input, axis=0, name=None):
    """Tensors joined along an axis (1.x; successor: paddle.concat)."""
    out = tensor.concat(input, axis)
    if axis in (0, -len(out.shape)) and isinstance(input, (list, tuple)) and all(isinstance(x, Symbolic) for x in input):
        if input[0].lod and len({len(x.lod) for x in input}) == 1:  # their sequences, one tensor's behind the other's
            lod.give(out, lod.joined(input))
    return out


@fluid_call
def split(input, num_or_sections, dim=-1, name=None):
    """A tensor split along an axis, the last by default (1.x; successor: paddle.split)."""
    return tensor.split(input, num_or_sections, dim)


@fluid_call
def stack(x, axis=0, name=None):
    """Tensors joined along a new axis (1.x; successor: paddle.stack)."""
    return tensor.stack(x if isinstance(x, (list, tuple)) else [x], axis)


@fluid_call
def unstack(x, axis=0, num=None):
    """A tensor split along an axis, which disappears (1.x; successor: paddle.unstack)."""
    return tensor.unstack(x, axis, num)


@fluid_call
def sums(input, out=None):
    """The sum of a list of tensors (1.x; successor: paddle.add_n)."""
    return _into(arithmetic.add_n(list(input) if isinstance(input, (list, tuple)) else [input]), out)


@fluid_call
def sum(x):
    """The sum of a list of tensors (1.x; successor: paddle.add_n)."""
    return sums(x)


@fluid_call
def reshape(x, shape, actual_shape=None, act=None, inplace=False, name=None):
    """x in another shape: 0 keeps a size, -1 takes what is left (1.x; successor: paddle.reshape)."""
    return activate(tensor.reshape(x, shape if actual_shape is None else actual_shape), act)


@fluid_call
def transpose(x, perm, name=None):
    """x with its axes in another order (1.x; successor: paddle.transpose)."""
    return tensor.transpose(x, perm)


@fluid_call
def flatten(x, axis=1, name=None):
    """x as a matrix: axes before and from ``axis`` on joined (1.x; successor: paddle.flatten)."""
    return flatten2(x, axis)


@fluid_call
def squeeze(input, axes, name=None):
    """input without the listed axes of size 1 (1.x; successor: paddle.squeeze)."""
    return tensor.squeeze(input, axes or None)


@fluid_call
def unsqueeze(input, axes, name=None):
    """input with new axes of size 1 (1.x; successor: paddle.unsqueeze)."""
    return tensor.unsqueeze(input, axes)


@fluid_call
def expand(x, expand_times, name=None):
    """x repeated a number of times along each axis (1.x; successor: paddle.tile)."""
    return tensor.tile(x, expand_times)


@fluid_call
def gather(input, index, overwrite=True):
    """Rows of input by index; gradients of a row that is read twice add up, whatever ``overwrite`` says (1.x; successor:
    paddle.gather)."""
    return tensor.gather(input, index.flatten() if len(index.shape) > 1 else index)


@fluid_call
def scatter(input, index, updates, name=None, overwrite=True):
    """input with rows replaced or added to (1.x; successor: paddle.scatter)."""
    return tensor.scatter(input, index, updates, overwrite)


@fluid_call
def slice(input, axes, starts, ends):
    """A part of input along the given axes (1.x; successor: paddle.slice)."""
    return tensor.slice(input, axes, starts, ends)


@fluid_call
def topk(input, k, name=None):
    """The k largest elements of the last axis and their indices (1.x; successor: paddle.topk)."""
    return tensor.topk(input, k if isinstance(k, (Symbolic, Tensor)) else int(k))


@fluid_call
def argmax(x, axis=0):
    """Index of the largest element along an axis (1.x; successor: paddle.argmax)."""
    return tensor.argmax(x, axis)


@fluid_call
def argmin(x, axis=0):
    """Index of the smallest element along an axis (1.x; successor: paddle.argmin)."""
    return tensor.argmin(x, axis)


@fluid_call
def argsort(input, axis=-1, descending=False, name=None):
    """Sorted values and their indices (1.x; successor: paddle.argsort, paddle.sort)."""
    return tensor.sort(input, axis, descending), tensor.argsort(input, axis, descending)


@fluid_call
def where(condition):
    """Positions where the condition holds (1.x; successor: paddle.nonzero)."""
    return tensor.nonzero(condition)


@fluid_call
def clip(x, min, max, name=None):
    """x limited to [min, max] (1.x; successor: paddle.clip)."""
    return tensor.clip(x, min, max)


@fluid_call
def scale(x, scale=1.0, bias=0.0, bias_after_scale=True, act=None, name=None):
    """scale * x + bias (1.x; successor: paddle.scale)."""
    return tensor.scale(x, scale, bias, bias_after_scale, act)


@fluid_call
def pow(x, factor=1.0, name=None):
    """x to a power (1.x; successor: paddle.pow)."""
    return tensor.pow(x, factor)


@fluid_call
def shape(input):
    """Sizes of input as an int32 tensor (1.x; successor: paddle.shape)."""
    return tensor.shape(input)


@fluid_call
def range(start, end, step, dtype, name=None):
    """Numbers from start to end (1.x; successor: paddle.arange)."""
    return tensor.arange(start, end, step, dtype)


@fluid_call
def linspace(start, stop, num, dtype="float32", name=None):
    """Evenly spaced numbers (1.x; successor: paddle.linspace)."""
    return tensor.linspace(start, stop, num, "float32" if dtype is None else dtype)


@fluid_call
def increment(x, value=1.0, in_place=True):
    """x plus a number (1.x; successor: paddle.increment)."""
    need_variables("increment", x=x)
    if not in_place:
        return tensor.scale(x, 1.0, value)
    if isinstance(x, Tensor):
        return tensor.increment(x, value)
    return _into(tensor.scale(x, 1.0, value), x)


@fluid_call
def uniform_random(shape, dtype="float32", min=-1.0, max=1.0, seed=0, name=None):
    """Uniform random numbers (1.x; successor: paddle.uniform)."""
    return tensor.uniform(shape, dtype, min, max, seed)


@fluid_call
def gaussian_random(shape, mean=0.0, std=1.0, seed=0, dtype="float32", name=None):
    """Normal random numbers (1.x; successor: paddle.normal)."""
    return gaussian(_sizes(shape), float(mean), float(std), seed, dtypes.convert(dtype).name)


def _check_shape(shape, function):
    """TypeError unless a shape is a list or tuple of integers."""
    if not isinstance(shape, (list, tuple)) or any(isinstance(n, float) or not isinstance(n, numbers.Integral) for n in shape):
        raise TypeError(f"{function}(): shape must be a list or tuple of integers, got {shape!r}")


@fluid_call
def create_parameter(shape, dtype, name=None, attr=None, is_bias=False, default_initializer=None):
    """A parameter (1.x; successor: paddle.create_parameter)."""
    _check_shape(shape, "create_parameter")
    if default_initializer is not None and not isinstance(default_initializer, inits.Initializer):
        raise TypeError(f"create_parameter(): default_initializer must be an initializer, got {describe(default_initializer)}")
    attr = ParamAttr.convert(attr)
    chosen = name or attr.name or unique_name.generate("create_parameter." + ("b" if is_bias else "w"))
    p = make_parameter(shape, dtype, attr, inits.choose(attr.initializer, default_initializer, is_bias), chosen)
    return state.register(clips.mark(p, attr))


@fluid_call
def create_global_var(shape, value, dtype, persistable=False, force_cpu=False, name=None):
    """A variable that keeps its value between runs (1.x; successor: paddle.static.create_global_var)."""
    _check_shape(shape, "create_global_var")
    if dtypes.convert(dtype, "create_global_var").is_complex:
        raise ValueError(f"create_global_var(): dtype must be a real type, got {dtype!r}")
    if isinstance(value, np.ndarray) and value.size == 1:
        value = value.item()
    if isinstance(value, str):
        value = float(value)
    if state.in_dygraph_mode():
        return tensor.full(shape, value, dtype)
    return static.create_global_var(shape, value, dtype, persistable, force_cpu, name)


@fluid_call
def reduce_prod(input, dim=None, keep_dim=False, name=None):
    """Product over axes (1.x; successor: paddle.prod)."""
    return at_least_1d(tensor.prod(input, dim_arg(dim, "reduce_prod"), keep_dim))


@fluid_call
def reduce_all(input, dim=None, keep_dim=False, name=None):
    """True where all are (1.x; successor: paddle.all)."""
    return at_least_1d(tensor.all(input, dim_arg(dim, "reduce_all"), keep_dim))


@fluid_call
def reduce_any(input, dim=None, keep_dim=False, name=None):
    """True where any is (1.x; successor: paddle.any)."""
    return at_least_1d(tensor.any(input, dim_arg(dim, "reduce_any"), keep_dim))


def _compare(name):
    def compare(x, y, cond=None, name=None):
        return _into(getattr(tensor, op)(x, y), cond)
    op = name
    compare.__name__ = name
    compare.__doc__ = f"{name} of two tensors, element by element (1.x; successor: paddle.{name})."
    return fluid_call(compare)


equal, not_equal, less_equal, greater_than, greater_equal = map(_compare, (
    "equal", "not_equal", "less_equal", "greater_than", "greater_equal"))


@fluid_call
def less_than(x, y, force_cpu=None, cond=None, name=None):
    """less_than of two tensors, element by element (1.x; successor: paddle.less_than). ``force_cpu``: for a program on a GPU."""
    if not isinstance(force_cpu, (bool, int, type(None))):
        raise TypeError(f"less_than(): force_cpu must be a bool or None, got {describe(force_cpu)}")
    return _into(tensor.less_than(x, y), cond)


def _logical(name):
    def logical(x, y, out=None, name=None):
        return _into(getattr(tensor, op)(x, y), out)
    op = name
    logical.__name__ = name
    logical.__doc__ = f"{name} of two bool tensors, element by element (1.x; successor: paddle.{name})."
    return fluid_call(logical)


logical_and, logical_or, logical_xor = map(_logical, ("logical_and", "logical_or", "logical_xor"))


@fluid_call
def logical_not(x, out=None, name=None):
    """The opposite of each element (1.x; successor: paddle.logical_not)."""
    return _into(tensor.logical_not(x), out)


@fluid_call
def has_nan(x):
    """Is any element not a number? (1.x; successor: paddle.isnan(x).any())"""
    return tensor.isnan(x).any()


@fluid_call
def isfinite(x):
    """Are all elements finite? (1.x; successor: paddle.isfinite(x).all())"""
    return tensor.isfinite(x).all().reshape([1])


def as_variable(x):
    """x as a Tensor or Variable."""
    return convert.as_tensor(x, "as_variable")


__getattr__ = _lookup(__name__)
