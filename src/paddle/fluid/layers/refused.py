"""fluid.layers: names that exist in 1.x and are refused here, with the reason and what to use instead."""

_DETECTION = "this part of object detection is not here; paddle.vision.ops has what 2.x kept of it"

REASONS = {
    **dict.fromkeys(("density_prior_box", "multi_box_head", "bipartite_match", "target_assign", "detection_output",
                     "ssd_loss", "rpn_target_assign", "retinanet_target_assign", "sigmoid_focal_loss", "anchor_generator",
                     "roi_perspective_transform", "generate_proposal_labels", "generate_proposals", "generate_mask_labels",
                     "polygon_box_transform", "box_clip",
                     "multiclass_nms", "locality_aware_nms", "matrix_nms", "retinanet_detection_output",
                     "distribute_fpn_proposals", "box_decoder_and_assign", "collect_fpn_proposals",
                     "prroi_pool", "deformable_roi_pooling"), _DETECTION),
    **dict.fromkeys(("continuous_value_model", "filter_by_instag", "hash", "similarity_focus",
                     "get_tensor_from_selected_rows",
                     "merge_selected_rows"),
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
