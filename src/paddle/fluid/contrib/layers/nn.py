"""fluid.contrib.layers: functions that fuse two operators, parts of rows, and suppression that tells places."""

from ....core.addresses import lookup as _lookup
from ....core.errors import WrongKindError
from ....core.op import Symbolic
from ....core.tensor import Tensor
from ....nn import initializer as _inits
from ....ops.detection import suppression
from ....ops.legacy import clicks, index_tree, parts
from ....ops.sequence import matching
from ....static.program import lod
from ... import layers
from ...layers.tensors import index_sample
from ...state import fluid_call

__all__ = ["fused_elemwise_activation", "fused_embedding_seq_pool", "index_sample", "multiclass_nms2", "partial_concat",
           "partial_sum", "shuffle_batch", "batch_fc", "rank_attention", "tree_conv", "match_matrix_tensor", "var_conv_2d",
           "sequence_topk_avg_pooling", "tdm_child", "tdm_sampler"]
_BINARY = {"elementwise_add": layers.elementwise_add, "elementwise_mul": layers.elementwise_mul}
_UNARY = ("relu", "scale", "tanh", "sigmoid", "gelu")


@fluid_call
def fused_elemwise_activation(x, y, functor_list, axis=-1, scale=0.0, save_intermediate_out=True):
    """binary(x, unary(y)) for ``functor_list`` [binary, unary], unary(binary(x, y)) for [unary, binary] (1.x; successor: compose
    it)."""
    names = functor_list.split(",") if isinstance(functor_list, str) else list(functor_list)
    if len(names) != 2 or len(set(names) & set(_BINARY)) != 1 or len(set(names) & set(_UNARY)) != 1:
        raise ValueError(f"fused_elemwise_activation(): functor_list must be one of {sorted(_BINARY)} and one of {sorted(_UNARY)}, "
                         f"got {functor_list!r}")

    def unary(name, value):
        return layers.scale(value, scale) if name == "scale" else getattr(layers, name)(value)
    if names[0] in _BINARY:
        return _BINARY[names[0]](x, unary(names[1], y), axis=axis)
    return unary(names[0], _BINARY[names[1]](x, y, axis=axis))


@fluid_call
def fused_embedding_seq_pool(input, size, is_sparse=False, padding_idx=None, combiner="sum", param_attr=None, dtype="float32"):
    """The sum over each sequence of ids of their rows of a table (1.x; successor: paddle.nn.Embedding and a sum)."""
    if combiner != "sum":
        raise ValueError(f"fused_embedding_seq_pool(): combiner must be 'sum', got {combiner!r}")
    return layers.sequence_pool(layers.embedding(input, size, is_sparse, False, padding_idx, param_attr, dtype), "sum")


@fluid_call
def multiclass_nms2(bboxes, scores, score_threshold, nms_top_k, keep_top_k, nms_threshold=0.3, normalized=True, nms_eta=1.0,
                    background_label=0, return_index=False, name=None):
    """As fluid.layers.multiclass_nms, with the places of the kept boxes (1.x; successor: paddle.vision.ops.nms)."""
    out, index, *_ = suppression.multiclass_nms2(
        bboxes, scores, score_threshold=float(score_threshold), nms_top_k=int(nms_top_k), keep_top_k=int(keep_top_k),
        nms_threshold=float(nms_threshold), normalized=bool(normalized), nms_eta=float(nms_eta),
        background_label=int(background_label))
    return (out, index) if return_index else out


tree_conv = layers.tree_conv


@fluid_call
def shuffle_batch(x, seed=None):
    """The rows (of all axes but the last) in another order (1.x; successor: paddle.randperm and paddle.gather)."""
    given = seed if isinstance(seed, (Symbolic, Tensor)) else None
    return clicks.shuffle_batch(x, given, startup_seed=0 if seed is None or given is not None else int(seed))[0]


@fluid_call
def batch_fc(input, param_size, param_attr, bias_size, bias_attr, act=None):
    """A linear layer of its own for each slot of an input [slots, rows, width] (2.0 alpha; successor: paddle.bmm)."""
    if list(param_size)[0] != input.shape[0] or list(param_size)[1] != input.shape[2] or list(bias_size) != [
            input.shape[0], list(param_size)[2]]:
        raise ValueError(f"batch_fc(): input {list(input.shape)} does not fit param_size {list(param_size)} and bias_size "
                         f"{list(bias_size)}")
    weight = layers.create_parameter(list(param_size), input.dtype, attr=param_attr)
    bias = layers.create_parameter(list(bias_size), input.dtype, attr=bias_attr, is_bias=True)
    return layers.activate(layers.matmul(input, weight) + layers.unsqueeze(bias, [1]), act)


@fluid_call
def rank_attention(input, rank_offset, rank_param_shape, rank_param_attr, max_rank=3, max_size=0):
    """For each row, the sum over the rows it is ranked with of that row times the matrix of the two ranks. ``rank_offset`` has
    the row's own rank and then (rank, row) of each other one; ranks below 1 are absent; ``max_size`` is memory set aside on GPUs
    (1.8; successor: compose it)."""
    width, (height, out) = input.shape[1], list(rank_param_shape)
    if height != width * max_rank * max_rank or rank_offset.shape[1] != 2 * max_rank + 1:
        raise ValueError(f"rank_attention(): input {list(input.shape)} and rank_offset {list(rank_offset.shape)} do not fit "
                         f"rank_param_shape {list(rank_param_shape)} with max_rank {max_rank}")
    parameter = layers.reshape(layers.create_parameter([height, out], input.dtype, attr=rank_param_attr), [-1, width, out])
    own, total = layers.slice(rank_offset, [1], [0], [1]), 0.0
    for k in range(max_rank):
        rank, row = (layers.slice(rank_offset, [1], [2 * k + i], [2 * k + i + 1]) for i in (1, 2))
        absent = layers.cast(layers.elementwise_min(own, rank) < 1, "int32")
        one, place = 1 - absent, (own - 1) * max_rank + rank - 1
        rows = layers.gather(input, layers.reshape(row * one, [-1]))
        matrices = layers.gather(parameter, layers.reshape(place * one, [-1]))
        product = layers.squeeze(layers.matmul(layers.unsqueeze(rows, [1]), matrices), [1])
        total = product * layers.cast(one, input.dtype) + total
    return total


def _lengths(function, **variables):
    """Each of the variables must have sequence lengths."""
    for argument, variable in variables.items():
        lod.need(variable, function, argument)


@fluid_call
def match_matrix_tensor(x, y, channel_num, act=None, param_attr=None, dtype="float32", name=None):
    """(products of all rows of a sequence of x, a new weight by channel and all rows of that of y; x times the weight), numbers
    behind each other (1.x; successor: paddle.einsum)."""
    _lengths("match_matrix_tensor", x=x, y=y)
    weight = layers.create_parameter([x.shape[-1], int(channel_num), y.shape[-1]], dtype, attr=param_attr)
    out, product, *_ = matching.match_matrix_tensor(x, y, weight, dim_t=int(channel_num))
    return layers.activate(out, act), product


@fluid_call
def var_conv_2d(input, row, col, input_channel, output_channel, filter_size, stride=1, param_attr=None, act=None, dtype="float32",
                name=None):
    """Convolution of pictures whose heights and widths are the lengths of row and col (1.x; successor: paddle.nn.Conv2D)."""
    _lengths("var_conv_2d", input=input, row=row, col=col)
    (high, wide), (down, right) = (v if isinstance(v, (list, tuple)) else (v, v) for v in (filter_size, stride))
    weight = layers.create_parameter([int(output_channel), int(input_channel) * high * wide], dtype, attr=param_attr)
    out, *_ = matching.var_conv_2d(input, row, col, weight, input_channel=int(input_channel), output_channel=int(output_channel),
                                   stride_h=int(down), stride_w=int(right), kernel_h=int(high), kernel_w=int(wide))
    return layers.activate(out, act)


@fluid_call
def sequence_topk_avg_pooling(input, row, col, topks, channel_num):
    """Means of the greatest numbers in each row of pictures, by channel, for every number of them in topks (1.x; successor:
    paddle.topk and paddle.mean)."""
    _lengths("sequence_topk_avg_pooling", input=input, row=row, col=col)
    return matching.sequence_topk_avg_pooling(input, row, col, topks=[int(k) for k in topks], channel_num=int(channel_num))[0]


def _all(input):
    return list(input) if isinstance(input, (list, tuple)) else [input]


@fluid_call
def partial_concat(input, start_index=0, length=-1):
    """Some columns of all inputs side by side (1.x; successor: paddle.concat of slices)."""
    return parts.partial_concat(_all(input), int(start_index), int(length))


@fluid_call
def partial_sum(input, start_index=0, length=-1):
    """The sum of some columns of all inputs (1.x; successor: paddle.add_n of slices)."""
    return parts.partial_sum(_all(input), int(start_index), int(length))


def _tree(function, shape, dtype, attr):
    """A parameter of whole numbers that no gradient changes."""
    if str(getattr(dtype, "name", dtype)) not in ("int32", "int64"):
        raise WrongKindError(f"{function}(): a tree must be 'int32' or 'int64', got {dtype!r}")
    made = layers.create_parameter(shape, dtype, attr=attr, default_initializer=_inits.Constant(0))
    made.stop_gradient = True
    return made


@fluid_call
def tdm_child(x, node_nums, child_nums, param_attr=None, dtype="int32"):
    """(children of the nodes x, 1 for those that are items), by a tree whose rows are (item, level, parent, children ...), zeros
    for none (2.0 alpha; successor: paddle.incubate.layers.tdm_child)."""
    tree = _tree("tdm_child", [int(node_nums), 3 + int(child_nums)], dtype, param_attr)
    return index_tree.tdm_child(x, tree, child_nums=int(child_nums), dtype=dtype)


@fluid_call
def tdm_sampler(x, neg_samples_num_list, layer_node_num_list, leaf_node_num, tree_travel_attr=None, tree_layer_attr=None,
                output_positive=True, output_list=True, seed=0, tree_dtype="int32", dtype="int32"):
    """(nodes, labels, mask): of each level the node of the items x and others drawn beside it, labels 1 for the former, mask 0 for
    padding; with ``output_list`` a list of one [rows, nodes, 1] per level (2.0 alpha; successor:
    paddle.incubate.layers.tdm_sampler)."""
    drawn, nodes = [int(n) for n in neg_samples_num_list], [int(n) for n in layer_node_num_list]
    if len(drawn) != len(nodes) or any(n >= m for n, m in zip(drawn, nodes)) or not leaf_node_num < sum(nodes):
        raise ValueError(f"tdm_sampler(): layer_node_num_list must have, for each level, more nodes than are drawn, and together "
                         f"more than the {leaf_node_num} leaves, got {nodes} for neg_samples_num_list {drawn}")
    travel = _tree("tdm_sampler", [int(leaf_node_num), len(nodes)], tree_dtype, tree_travel_attr)
    layer = _tree("tdm_sampler", [sum(nodes), 1], tree_dtype, tree_layer_attr)
    found = index_tree.tdm_sampler(
        x, travel, layer, neg_samples_num_list=drawn, output_positive=bool(output_positive), seed=int(seed), dtype=dtype,
        layer_offset_lod=[sum(nodes[:k]) for k in range(len(nodes) + 1)])
    if not output_list:
        return found
    ends = [sum(drawn[:k]) + k * bool(output_positive) for k in range(len(drawn) + 1)]
    return tuple([layers.unsqueeze(layers.slice(part, [1], [start], [end]), [2]) for start, end in zip(ends, ends[1:])]
                 for part in found)


__getattr__ = _lookup(__name__)
