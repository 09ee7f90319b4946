"""fluid.layers: names that exist in 1.x and are refused here, with the reason and what to use instead."""

_LOD = "it works on nested lengths (LoD), which are not supported; pad the sequences and use masks"
_DETECTION = "functions of object detection are not part of this package"
_DECODE = "beam search is not part of this package"

REASONS = {
    **dict.fromkeys(("sequence_conv", "sequence_softmax", "sequence_pool", "sequence_concat", "sequence_first_step",
                     "sequence_last_step", "sequence_slice", "sequence_expand", "sequence_expand_as", "sequence_pad",
                     "sequence_unpad", "sequence_reshape", "sequence_scatter", "sequence_enumerate", "sequence_reverse",
                     "lod_reset", "lod_append", "im2sequence", "reorder_lod_tensor_by_rank", "dynamic_lstmp", "edit_distance",
                     "linear_chain_crf", "crf_decoding", "chunk_eval", "ctc_greedy_decoder", "warpctc"), _LOD),
    "dynamic_lstm": _LOD + " with paddle.nn.LSTM", "dynamic_gru": _LOD + " with paddle.nn.GRU",
    "DynamicRNN": _LOD + " with paddle.nn.RNN",
    "StaticRNN": "recurrence over recorded blocks is not supported; use paddle.nn.RNN or paddle.static.nn.while_loop",
    "lstm": "use paddle.nn.LSTM", "rnn": "use paddle.nn.RNN", "birnn": "use paddle.nn.BiRNN",
    **dict.fromkeys(("prior_box", "density_prior_box", "multi_box_head", "bipartite_match", "target_assign", "detection_output",
                     "ssd_loss", "rpn_target_assign", "retinanet_target_assign", "sigmoid_focal_loss", "anchor_generator",
                     "roi_perspective_transform", "generate_proposal_labels", "generate_proposals", "generate_mask_labels",
                     "iou_similarity", "box_coder", "polygon_box_transform", "yolov3_loss", "yolo_box", "box_clip",
                     "multiclass_nms", "locality_aware_nms", "matrix_nms", "retinanet_detection_output",
                     "distribute_fpn_proposals", "box_decoder_and_assign", "collect_fpn_proposals", "roi_pool", "roi_align",
                     "psroi_pool", "prroi_pool", "deformable_roi_pooling", "deformable_conv"), _DETECTION),
    **dict.fromkeys(("beam_search", "beam_search_decode", "BeamSearchDecoder", "dynamic_decode", "gather_tree"), _DECODE),
    "nce": "noise-contrastive estimation is not supported; use a full softmax (paddle.nn.functional.cross_entropy)",
    "sampled_softmax_with_cross_entropy": "sampling classes is not supported; use softmax_with_cross_entropy",
    **dict.fromkeys(("data_norm", "continuous_value_model", "filter_by_instag", "hash", "similarity_focus", "fsp_matrix",
                     "py_reader", "create_py_reader_by_data", "double_buffer", "read_file", "get_tensor_from_selected_rows",
                     "merge_selected_rows", "inplace_abn", "tree_conv"),
                    "it belongs to parameter servers or older data pipelines, which are not supported"),
}


def find(name):
    """A function of that name that explains why it is refused, or None."""
    reason = REASONS.get(name)
    if reason is None:
        return None

    def refused(*args, **kwargs):
        raise NotImplementedError(f"fluid.layers.{name}(): {reason}")
    refused.__name__, refused.__doc__ = name, f"Refused (1.x; successor: see the reason): {reason}."
    return refused
