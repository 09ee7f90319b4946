"""Which operators are computed with few bits, and in which of their slots."""

_BINARY = "elementwise_add elementwise_sub elementwise_mul elementwise_pow equal greater_equal greater_than less_equal " \
          "less_than not_equal logical_and"
_UNARY = "pool2d concat softmax argmax transpose gather mean reshape reshape2 transpose2 nearest_interp trilinear_interp squeeze " \
         "relu relu6 leaky_relu tanh swish dropout sigmoid hard_swish hard_sigmoid pad2d pad3d flatten flatten2 unsqueeze2 " \
         "flatten_contiguous_range split squeeze2 nearest_interp_v2 bilinear_interp bilinear_interp_v2 arg_max abs assign cast " \
         "clip crop cumsum expand_v2 fill_any_like gelu p_norm pow reduce_mean logical_not meshgrid tile reduce_sum square " \
         "softplus shuffle_channel reduce_max scale"
_PRODUCTS = {kind: [["X", "Y"], ["Out"]] for kind in ("mul", "matmul", "matmul_v2")}

# operators with weights: {type: [input slots, output slots]}
SUPPORT_WEIGHT_QUANTIZATION_OP_DICT = {
    **{kind: [["Input", "Filter"], ["Output"]] for kind in ("conv2d", "depthwise_conv2d", "conv2d_transpose")}, **_PRODUCTS}

# operators whose inputs are all computed
SUPPORT_ACT_QUANTIZATION_OP_DICT = {
    **_PRODUCTS, **{kind: [["X"], ["Out"]] for kind in _UNARY.split()}, **{kind: [["X", "Y"], ["Out"]] for kind in _BINARY.split()},
    **{kind: [["X"], ["Y"]] for kind in ("batch_norm", "layer_norm", "instance_norm", "stack")},
    **{kind: [["Input"], ["Out"]] for kind in ("slice", "strided_slice", "fill_constant_batch_size_like")},
    **{kind: [["Input", "Weight"], ["Hidden"]] for kind in ("gru", "lstm")},
    **{kind: [["W", "Ids"], ["Out"]] for kind in ("lookup_table", "lookup_table_v2")},
    "prelu": [["X", "Alpha"], ["Out"]], "box_coder": [["PriorBox"], ["OutputBox"]], "fill_constant": [[], ["Out"]],
    "norm": [["X"], ["Norm"]], "top_k_v2": [["X"], ["Out", "Indices"]], "roi_align": [["X", "ROIs"], ["Out"]],
    "where": [["Condition", "X", "Y"], ["Out"]], "grid_sampler": [["X", "Grid"], ["Output"]],
    "group_norm": [["X"], ["Y", "Mean", "Variance"]]}

SUPPORT_QUANTIZATION_OP_DICT = {**SUPPORT_WEIGHT_QUANTIZATION_OP_DICT, **SUPPORT_ACT_QUANTIZATION_OP_DICT}


class BaseQuantizer:
    """The operators that a device computes with few bits.

    Args:
        quantizable_op_type: types to choose from those of the device; all of them if empty.
        quant_bits: bits of weights and of what is computed.
    """

    _quant_min, _quant_max = -128, 127
    _computed = ("mul", "matmul", "matmul_v2")  # operators without weights that are meant if none are named

    def __init__(self, quantizable_op_type=(), quant_bits=8):
        self._quantizable_op_type, self._quant_bits = list(quantizable_op_type), quant_bits

    @property
    def weight_quant_operation_types(self):
        """Types of operators with weights that are rounded."""
        known = list(SUPPORT_WEIGHT_QUANTIZATION_OP_DICT)
        return [kind for kind in self._quantizable_op_type if kind in known] if self._quantizable_op_type else known

    @property
    def activation_quant_operation_types(self):
        """Types of operators without weights whose inputs are rounded."""
        if self._quantizable_op_type:
            return [kind for kind in self._quantizable_op_type if kind in SUPPORT_ACT_QUANTIZATION_OP_DICT]
        return list(self._computed)

    @property
    def observer_operation_types(self):
        """Types of operators whose results are measured."""
        return list(SUPPORT_ACT_QUANTIZATION_OP_DICT)


class TensorRTQuantizer(BaseQuantizer):
    """The operators that TensorRT computes with few bits."""

    activation_quant_operation_types = property(lambda self: (
        "pool2d elementwise_add elementwise_sub elementwise_mul elementwise_pow concat softmax argmax mean relu relu6 leaky_relu "
        "tanh swish softplus gelu hard_sigmoid hard_swish sigmoid layer_norm matmul_v2 split bilinear_interp nearest_interp "
        "trilinear_interp nearest_interp_v2 bilinear_interp bilinear_interp_v2 clip pow reduce_mean reduce_sum reduce_max").split())


class MKLDNNQuantizer(BaseQuantizer):
    """The operators that oneDNN computes with few bits."""

    activation_quant_operation_types = property(lambda self: (
        "pool2d elementwise_add elementwise_mul concat nearest_interp nearest_interp_v2 split").split())


class ARMCPUQuantizer(BaseQuantizer):
    """The operators that Paddle Lite computes with few bits on ARM processors."""

    _quant_min = -127
