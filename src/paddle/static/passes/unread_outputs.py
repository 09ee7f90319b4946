"""Gradients that are given a result they do not look at are given it no longer, so that it need not be kept."""

from ..calls import GradCall, OpCall

OTHERS_ONLY = ("batch_norm_train", "conv_relu_pool", "dropout", "group_norm", "instance_norm", "layer_norm")
ACTIVATED = ("conv_bias_act", "linear_act")  # only the gradient of their activation reads the result


def run(graph):
    """Take the first result away from gradient nodes whose rules read the other results only, or none."""
    for node in graph.nodes:
        call = node.call
        inner = call.inner if isinstance(call, GradCall) and isinstance(call.inner, OpCall) else None
        if inner is not None and (inner.type in OTHERS_ONLY or inner.type in ACTIVATED and not inner.values[-1]):
            node.ins[call.n_in] = None
