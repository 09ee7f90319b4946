"""Names that only 2.0 alpha had in the modules of 2.x, found on lookup."""

import importlib

from ..core.addresses import find as _find_address
from ..core.context import context

_LAYERS = "paddle.fluid.layers"
NAMES = {
    "paddle": {
        **dict.fromkeys(("elementwise_add", "elementwise_sub", "elementwise_mul", "elementwise_div", "elementwise_max",
                         "elementwise_min", "elementwise_mod", "elementwise_pow", "elementwise_floordiv", "reduce_sum",
                         "reduce_mean", "reduce_max", "reduce_min", "reduce_prod", "reduce_all", "reduce_any", "fill_constant",
                         "create_global_var", "sums", "has_nan", "crop_tensor", "gaussian_random",
                         "uniform_random"), _LAYERS),
        **dict.fromkeys(("clamp", "mul", "elementwise_equal", "elementwise_sum", "addcmul"), "paddle.imperative.functions"),
    },
    "paddle.nn": {
        **dict.fromkeys(("Pool2D", "BilinearTensorProduct", "PRelu", "GRUUnit", "NCE", "TreeConv", "InstanceNorm",
                         "SequenceConv", "FC", "HSigmoid"), "paddle.fluid.dygraph"),
        "data": "paddle.imperative.functions", "RowConv": "paddle.imperative.layers",
    },
    "paddle.io": dict.fromkeys(("save_inference_model", "load_inference_model"), "paddle.fluid.io"),
    "paddle.nn.functional": {
        **dict.fromkeys(("row_conv", "hsigmoid", "diag_embed"), "paddle.imperative.functions"), **dict.fromkeys((
        "pool2d", "pool3d", "pad2d", "pad_constant_like", "adaptive_pool2d", "adaptive_pool3d",
        "sigmoid_cross_entropy_with_logits", "smooth_l1", "lrn", "image_resize", "resize_bilinear",
        "resize_nearest", "resize_trilinear",
        "hard_sigmoid", "hard_swish", "tanh_shrink", "hard_shrink", "soft_relu", "brelu", "l2_normalize",
        "fc", "bpr_loss", "center_loss", "huber_loss", "iou_similarity", "rank_loss", "teacher_student_sigmoid_loss"), _LAYERS)},
    "paddle.optimizer": {
        **dict.fromkeys(("SGDOptimizer", "MomentumOptimizer", "AdagradOptimizer", "AdamOptimizer", "AdamaxOptimizer",
                         "AdadeltaOptimizer", "RMSPropOptimizer", "LambOptimizer", "DecayedAdagrad", "DecayedAdagradOptimizer",
                         "Ftrl", "FtrlOptimizer", "LarsMomentum", "LarsMomentumOptimizer", "ExponentialMovingAverage",
                         "ModelAverage", "LookaheadOptimizer", "RecomputeOptimizer", "PipelineOptimizer", "Dpsgd",
                         "DpsgdOptimizer", "DGCMomentumOptimizer"), "paddle.fluid.optimizer"),
        **dict.fromkeys(("NoamDecay", "PiecewiseDecay", "NaturalExpDecay", "ExponentialDecay", "InverseTimeDecay",
                         "PolynomialDecay", "CosineDecay"), "paddle.fluid.dygraph"),
    },
}


def find(module, name, known=()):
    """What 2.0 alpha called ``module.name``; AttributeError with the nearest names if that generation had no such name."""
    if name == "mul" and module == "paddle" and context.rules.mul_of_elements:
        return importlib.import_module(module).multiply
    home = NAMES[module].get(name)
    if home is not None:
        found = importlib.import_module(home)
        if hasattr(found, name):
            return getattr(found, name)
    return _find_address(module, name, [*known, *NAMES[module]])
