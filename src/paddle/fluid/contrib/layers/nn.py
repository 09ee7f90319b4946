"""fluid.contrib.layers: functions that fuse two operators, parts of rows, and suppression that tells places."""

from ....ops.detection import suppression
from ....ops.legacy import parts
from ... import layers
from ...state import fluid_call

__all__ = ["fused_elemwise_activation", "fused_embedding_seq_pool", "multiclass_nms2", "partial_concat", "partial_sum"]
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
