"""fluid.layers: what fits nowhere else: activations of 1.x, units of recurrent networks, counters, sizes."""

import numpy as np

from ...core import dtype as dtypes
from ...core.context import context
from ...core.errors import describe
from ...core.op import BY_NAME, Symbolic
from ...core.tensor import Tensor
from ...nn import SpectralNorm
from ...nn import functional as F
from ...nn.functional import activation
from ...ops import metrics
from ...ops.manipulation import search
from ...ops.nn import context_window
from ...static import array as arrays
from ...static import debug, default_main_program
from ...tensor import functions as tensor
from ...utils import naming, unique_name
from ..state import fluid_call
from .common import activate, at_least_1d
from .nn import batch_norm, helper_parameter
from .tensor import create_global_var, gaussian_random, increment

__all__ = ["soft_relu", "brelu", "hard_sigmoid", "hard_swish", "leaky_relu", "elu", "relu6", "swish", "stanh", "maxout",
           "clip_by_norm", "multiplex", "bilinear_tensor_product", "row_conv", "rank", "size",
           "sampling_id", "add_position_encoding", "autoincreased_step_counter", "create_tensor",
           "fill_constant_batch_size_like", "uniform_random_batch_size_like",
           "gaussian_random_batch_size_like", "random_crop", "reverse", "triu", "diag", "eye",
           "tensor_array_to_tensor", "strided_slice", "mish", "has_inf", "mean_iou", "unique", "unique_with_counts", "load",
           "spectral_norm", "cumsum", "expand_as", "sign", "dot", "tree_conv", "fsp_matrix", "inplace_abn",
           "softshrink", "hard_shrink", "thresholded_relu"]


@fluid_call
def soft_relu(x, threshold=40.0, name=None):
    """log(1 + exp(x limited to [-threshold, threshold])) (1.x; successor: paddle.nn.functional.softplus)."""
    return F.softplus(tensor.clip(x, -float(threshold), float(threshold)))


@fluid_call
def brelu(x, t_min=0.0, t_max=24.0, name=None):
    """x limited to [t_min, t_max] (1.x; successor: paddle.clip)."""
    return tensor.clip(x, float(t_min), float(t_max))


@fluid_call
def hard_sigmoid(x, slope=0.2, offset=0.5, name=None):
    """slope * x + offset limited to [0, 1] (1.x; successor: paddle.nn.functional.hardsigmoid, whose slope is 1/6)."""
    return F.hardsigmoid(x, slope, offset)


@fluid_call
def hard_swish(x, threshold=6.0, scale=6.0, offset=3.0, name=None):
    """x * (x + offset limited to [0, threshold]) / scale (1.x; successor: paddle.nn.functional.hardswish)."""
    return x * tensor.clip(x + float(offset), 0.0, float(threshold)) / float(scale)


@fluid_call
def leaky_relu(x, alpha=0.02, name=None):
    """x, or alpha * x below 0 (1.x; successor: paddle.nn.functional.leaky_relu, whose slope is 0.01)."""
    return activation.leaky_relu(x, alpha)


@fluid_call
def elu(x, alpha=1.0, name=None):
    """x, or alpha * (exp(x) - 1) below 0 (1.x; successor: paddle.nn.functional.elu)."""
    return F.elu(x, alpha)


@fluid_call
def relu6(x, threshold=6.0, name=None):
    """x limited to [0, threshold] (1.x; successor: paddle.nn.functional.relu6)."""
    return tensor.clip(x, 0.0, float(threshold))


@fluid_call
def swish(x, beta=1.0, name=None):
    """x * sigmoid(beta * x) (1.x; successor: paddle.nn.functional.swish)."""
    return x * F.sigmoid(x * float(beta))


@fluid_call
def stanh(x, scale_a=0.67, scale_b=1.7159, name=None):
    """scale_b * tanh(scale_a * x) (1.x; successor: paddle.stanh)."""
    return tensor.tanh(x * float(scale_a)) * float(scale_b)


@fluid_call
def maxout(x, groups, name=None, axis=1):
    """Largest of each group of channels (1.x; successor: paddle.nn.functional.maxout)."""
    return F.maxout(x, groups, axis)


@fluid_call
def clip_by_norm(x, max_norm, name=None):
    """x scaled down to a norm of at most max_norm (1.x; successor: paddle.nn.ClipGradByNorm)."""
    norm = (x * x).sum().sqrt()
    return x * (float(max_norm) / tensor.maximum(norm, tensor.full_like(norm, float(max_norm))))


@fluid_call
def multiplex(inputs, index, name=None):
    """Row i of the input that index[i] names (1.x; successor: paddle.multiplex)."""
    return tensor.multiplex(inputs, index)


@fluid_call
def bilinear_tensor_product(x, y, size, act=None, name=None, param_attr=None, bias_attr=None):
    """x W_i y for each of ``size`` matrices of its own (1.x; successor: paddle.static.nn.bilinear_tensor_product)."""
    with naming.owner("bilinear_tensor_product", name) as kind:
        w = helper_parameter(kind, param_attr, [size, x.shape[1], y.shape[1]], x.dtype)
        b = helper_parameter(kind, bias_attr, [1, size], x.dtype, is_bias=True)
        return activate(F.bilinear(x, y, w, b), act)


@fluid_call
def row_conv(input, future_context_size, param_attr=None, act=None):
    """Each step plus weighted following steps, of [N, T, D] or of packed sequences (1.x; successor: paddle.static.nn.row_conv)."""
    with naming.owner("row_conv") as kind:
        w = helper_parameter(kind, param_attr, [future_context_size + 1, input.shape[-1]], input.dtype)
        return activate(context_window.row_conv(input, w), act)


@fluid_call
def rank(input):
    """Number of axes as an int32 tensor (1.x; successor: paddle.rank)."""
    return tensor.full([1], len(input.shape), "int32")


@fluid_call
def size(input):
    """Number of elements as an int64 tensor (1.x; successor: paddle.numel)."""
    return at_least_1d(tensor.numel(input))


@fluid_call
def sampling_id(x, min=0.0, max=1.0, seed=0, dtype="int64"):
    """A column drawn for each row by its probabilities (1.x; successor: paddle.multinomial)."""
    if (min, max, seed) != (0.0, 1.0, 0):
        raise NotImplementedError("sampling_id(): min, max and seed are not supported; use paddle.seed")
    return tensor.multinomial(x, 1).flatten().astype(dtype)


@fluid_call
def add_position_encoding(input, alpha, beta, name=None):
    """alpha * input + beta * sines and cosines of the position, [N, T, D] (1.x; successor: compose it)."""
    _, length, width = input.shape
    half = width // 2
    angles = np.arange(length)[:, None] / np.power(10000.0, np.arange(half) / (half - 1 if half > 1 else 1))[None, :]
    table = np.concatenate([np.sin(angles), np.cos(angles)], 1).astype("float32")
    return input * float(alpha) + tensor.assign(table) * float(beta)


@fluid_call
def autoincreased_step_counter(counter_name=None, begin=1, step=1):
    """A persistable int64 counter that grows with every run of a static program (1.x; successor:
    paddle.optimizer.lr.LRScheduler)."""
    name, block = counter_name or "@STEP_COUNTER@", default_main_program().global_block()
    if block.has_var(name):  # one counter, which counts once per run
        return block.var(name)
    counter = create_global_var([1], begin - step, "int64", True, name=name)
    increment(counter, float(step))
    counter.stop_gradient = True
    return counter


@fluid_call
def create_tensor(dtype, name=None, persistable=False):
    """A variable without a value yet (1.x; successor: paddle.create_tensor)."""
    if context.static_mode:
        return default_main_program().current_block().new_var(name=name or unique_name.generate("create_tensor"), shape=[],
                                                                 dtype=dtype, persistable=persistable)
    return Tensor(np.zeros([0]), dtype, name=name, persistable=persistable)


def _batch_shape(input, shape, input_dim_idx, output_dim_idx):
    """A shape with the batch size of input in it: a number, or a variable where only the running program knows it."""
    made, size = [int(n) for n in shape], input.shape[input_dim_idx]
    made[output_dim_idx] = size if size >= 0 else tensor.shape(input)[input_dim_idx]
    return made


@fluid_call
def fill_constant_batch_size_like(input, shape, dtype, value, input_dim_idx=0, output_dim_idx=0, force_cpu=False):
    """A constant whose batch size is that of input (1.x; successor: paddle.full)."""
    return BY_NAME["fill_constant_batch_size_like"](input, shape=[int(n) for n in shape], value=float(value),
                                                    dtype=dtypes.convert(dtype), input_dim_idx=input_dim_idx,
                                                    output_dim_idx=output_dim_idx)


@fluid_call
def uniform_random_batch_size_like(input, shape, dtype="float32", input_dim_idx=0, output_dim_idx=0, min=-1.0, max=1.0,
                                   seed=0):
    """Uniform random numbers with the batch size of input (1.x; successor: paddle.uniform)."""
    sizes = _batch_shape(input, shape, input_dim_idx, output_dim_idx)
    return tensor.uniform(sizes, dtype, min, max, seed)


@fluid_call
def gaussian_random_batch_size_like(input, shape, input_dim_idx=0, output_dim_idx=0, mean=0.0, std=1.0, seed=0,
                                    dtype="float32"):
    """Normal random numbers with the batch size of input (1.x; successor: paddle.normal)."""
    sizes = _batch_shape(input, shape, input_dim_idx, output_dim_idx)
    return gaussian_random(sizes, mean, std, seed, dtype)


@fluid_call
def random_crop(x, shape, seed=None):
    """A box of the last axes at a random place, the same for all rows (1.x; successor: paddle.vision.transforms.RandomCrop)."""
    lead = len(x.shape) - len(shape)
    rng = np.random.RandomState(seed) if seed is not None else np.random
    offsets = [0] * lead + [int(rng.randint(0, a - b + 1)) for a, b in zip(x.shape[lead:], shape)]
    return tensor.crop(x, [*x.shape[:lead], *shape], offsets)


@fluid_call
def reverse(x, axis):
    """x with axes turned round (1.x; successor: paddle.flip)."""
    return tensor.flip(x, axis)


@fluid_call
def triu(input, diagonal=0, name=None):
    """The upper triangle (1.x; successor: paddle.triu)."""
    return tensor.triu(input, diagonal)


@fluid_call
def diag(diagonal):
    """A matrix with a given diagonal (1.x; successor: paddle.diag)."""
    return tensor.diag(diagonal if hasattr(diagonal, "shape") and not isinstance(diagonal, np.ndarray) else tensor.assign(diagonal))


@fluid_call
def eye(num_rows, num_columns=None, batch_shape=None, dtype="float32", name=None):
    """The unit matrix, repeated for a batch (1.x; successor: paddle.eye)."""
    for value, what in ((num_rows, "num_rows"), (num_columns, "num_columns")):
        if value is not None and not isinstance(value, (int, np.integer)):
            raise TypeError(f"eye(): {what} must be an int, got {value!r}")
    if batch_shape is not None and not (isinstance(batch_shape, (list, tuple)) and all(int(n) > 0 for n in batch_shape)):
        raise TypeError(f"eye(): batch_shape must be a list of positive ints, got {batch_shape!r}")
    made = tensor.eye(num_rows, num_columns, dtype)
    return made if not batch_shape else tensor.expand(made, [*batch_shape, num_rows, num_columns or num_rows])


@fluid_call
def tensor_array_to_tensor(input, axis=1, name=None, use_stack=False):
    """An array or list of tensors joined, and their sizes along the axis (1.x; successor: paddle.concat, paddle.stack)."""
    if arrays.is_array(input):
        return arrays.tensor_array_to_tensor(input, axis, use_stack)
    if not isinstance(input, (list, tuple)) or not all(isinstance(part, (Symbolic, Tensor)) for part in input):
        raise TypeError(f"tensor_array_to_tensor(): input must be a tensor array or a list of Variables, got {describe(input)}")
    joined = tensor.stack(list(input), axis) if use_stack else tensor.concat(list(input), axis)
    return joined, tensor.assign(np.array([1 if use_stack else part.shape[axis] for part in input], "int32"))


@fluid_call
def strided_slice(input, axes, starts, ends, strides):
    """A part of the input with steps along some axes (1.x; successor: paddle.strided_slice)."""
    return tensor.strided_slice(input, axes, starts, ends, strides)


@fluid_call
def mish(x, threshold=20, name=None):
    """x * tanh(softplus(x)); above the threshold softplus(x) is x (1.x; successor: paddle.nn.functional.mish)."""
    return x * tensor.tanh(F.softplus(x, 1.0, float(threshold)))


@fluid_call
def has_inf(x):
    """Is any element infinite? (1.x; successor: paddle.isinf(x).any())"""
    return at_least_1d(tensor.isinf(x).any())


@fluid_call
def mean_iou(input, label, num_classes):
    """(mean intersection over union, wrong and correct pixels of each class) (1.x; successor: none, compose it)."""
    return metrics.mean_iou(input, label, num_classes=int(num_classes))


@fluid_call
def unique_with_counts(x, dtype="int32"):
    """(different values in the order in which they first occur, positions in them, counts) (1.x; successor: paddle.unique)."""
    kind = dtypes.convert(dtype, "unique_with_counts").name
    values, _, positions, counts = search.unique(x, False, True, True, None, kind, False)
    return values, positions, counts


@fluid_call
def unique(x, dtype="int32"):
    """(different values in the order in which they first occur, positions in them) (1.x; successor: paddle.unique)."""
    return unique_with_counts(x, dtype)[:2]


@fluid_call
def load(out, file_path, load_as_fp16=None):
    """Read one saved tensor into a variable whenever the program runs (1.x; successor: paddle.load)."""
    debug.load(out, file_path, load_as_fp16)


@fluid_call
def spectral_norm(weight, dim=0, power_iters=1, eps=1e-12, name=None):
    """A weight divided by its largest singular value (1.x; successor: paddle.static.nn.spectral_norm)."""
    return SpectralNorm(list(weight.shape), dim, power_iters, eps, dtype=weight.dtype.name)(weight)


@fluid_call
def softshrink(x, alpha=None, name=None):
    """x nearer to zero by alpha (0.5), 0 between (1.x; successor: paddle.nn.functional.softshrink)."""
    return F.softshrink(x, 0.5 if alpha is None else alpha)


@fluid_call
def hard_shrink(x, threshold=None, name=None):
    """x, but 0 where it is within the threshold (0.5) of zero (1.x; successor: paddle.nn.functional.hardshrink)."""
    return F.hardshrink(x, 0.5 if threshold is None else threshold)


@fluid_call
def thresholded_relu(x, threshold=None, name=None):
    """x where it is above the threshold (1.0), else 0 (1.x; successor: paddle.nn.functional.thresholded_relu)."""
    return F.thresholded_relu(x, 1.0 if threshold is None else threshold)


@fluid_call
def cumsum(x, axis=None, exclusive=None, reverse=None):
    """Running sums; ``exclusive`` leaves the element itself out, ``reverse`` runs backwards (1.x; successor: paddle.cumsum)."""
    axis = -1 if axis is None else axis
    turned = tensor.flip(x, [axis]) if reverse else x
    total = tensor.cumsum(turned, axis)
    total = total - turned if exclusive else total
    return tensor.flip(total, [axis]) if reverse else total


@fluid_call
def expand_as(x, target_tensor, name=None):
    """x repeated to the shape of another tensor (1.x; successor: paddle.expand_as, paddle.tile)."""
    return tensor.tile(x, [b // a for a, b in zip(x.shape, target_tensor.shape)])


@fluid_call
def sign(x):
    """-1, 0 or 1 (1.x; successor: paddle.sign)."""
    return tensor.sign(tensor.assign(x) if isinstance(x, np.ndarray) else x)


@fluid_call
def dot(x, y, name=None):
    """Inner product of rows (1.x; successor: paddle.dot)."""
    return tensor.dot(x, y)


@fluid_call
def tree_conv(nodes_vector, edge_set, output_size, num_filters=1, max_depth=2, act="tanh", param_attr=None, bias_attr=None,
              name=None):
    """Windows over trees given by edges (parent, child), nodes counted from 1: [N, nodes, output_size, num_filters]
    (1.x; successor: none, compose it or use paddle.geometric)."""
    with naming.owner("tree_conv", name) as kind:
        w = helper_parameter(kind, param_attr, [nodes_vector.shape[2], 3, output_size, num_filters], nodes_vector.dtype)
        b = helper_parameter(kind, bias_attr, [num_filters], nodes_vector.dtype, is_bias=True)
        out = context_window.tree_conv(nodes_vector, edge_set, w, max_depth)
        return activate(out if b is None else out + b, act)


@fluid_call
def fsp_matrix(x, y):
    """How the channels of two pictures go together: [N, C1, C2], means over all places (1.x; successor: paddle.matmul)."""
    places = float(x.shape[2] * x.shape[3])
    return tensor.matmul(x.flatten(2), y.flatten(2), transpose_y=True) / places


@fluid_call
def inplace_abn(input, act=None, is_test=False, momentum=0.9, epsilon=1e-5, param_attr=None, bias_attr=None, data_layout="NCHW",
                name=None, moving_mean_name=None, moving_variance_name=None, do_model_average_for_mean_and_var=True,
                use_global_stats=False, act_alpha=1.0):
    """Batch norm, then 'identity', 'elu' or 'leaky_relu' with slope ``act_alpha`` (1.x; successor: paddle.static.nn.batch_norm)."""
    if act not in (None, "identity", "elu", "leaky_relu"):
        raise ValueError(f"inplace_abn(): act must be 'identity', 'elu', 'leaky_relu' or None, got {act!r}")
    y = batch_norm(input, None, is_test, momentum, epsilon, param_attr, bias_attr, data_layout, True, name, moving_mean_name,
                   moving_variance_name, do_model_average_for_mean_and_var, use_global_stats)
    return y if act in (None, "identity") else getattr(F, act)(y, float(act_alpha))
