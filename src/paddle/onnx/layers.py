"""ONNX forms of products, convolutions, pooling, normalisation, padding and recurrent layers."""

import numpy as np

from .builder import converts
from .proto import DTYPES


@converts("matmul_v2", "matmul")
def _matmul(b, op):
    old = op.type == "matmul"
    tx, ty = (op["transpose_X"], op["transpose_Y"]) if old else (op["trans_x"], op["trans_y"])

    def side(slot, swap):
        n = len(op.shape(slot))
        return b.node("Transpose", [op.x(slot)], perm=[*range(n - 2), n - 1, n - 2]) if swap and n > 1 else op.x(slot)
    alpha = op.get("alpha", 1.0) if old else 1.0
    y = b.node("MatMul", [side("X", tx), side("Y", ty)], op.out() if alpha == 1 else None)
    if alpha != 1:
        b.node("Mul", [y, b.constant(alpha, op.dtype())], op.out())


@converts("mul")
def _mul(b, op):
    xn, yn, xs, ys = op["x_num_col_dims"], op["y_num_col_dims"], op.shape("X"), op.shape("Y")
    inner, out = int(np.prod(ys[:yn])), xs[:xn] + ys[yn:]
    if out.count(-1) > 1:
        op.unsupported("more than one unknown size in the result")
    product = b.node("MatMul", [b.node("Reshape", [op.x("X"), b.ints([-1, inner])]),
                                b.node("Reshape", [op.x("Y"), b.ints([inner, -1])])])
    b.node("Reshape", [product, b.ints(out)], op.out())


@converts("bmm", "mv")
def _product(b, op):
    b.node("MatMul", [op.x("X"), op.x("Y" if op.type == "bmm" else "Vec")], op.out())


@converts("dot")
def _dot(b, op):
    old = len(b.var(op.out()).shape) == len(op.shape())  # before 2.5 the last axis stays
    b.node("ReduceSum", [b.node("Mul", [op.x("X"), op.x("Y")]), b.ints([-1])], op.out(), keepdims=int(old))


@converts("addmm")
def _addmm(b, op):
    b.node("Gemm", [op.x("X"), op.x("Y"), op.x("Input")], op.out(), alpha=float(op["Alpha"]), beta=float(op["Beta"]))


@converts("einsum")
def _einsum(b, op):
    b.node("Einsum", op.xs("Operands"), op.out(), equation=op["equation"])


@converts("fc")
def _fc(b, op):
    at, shape, wide = op["in_num_col_dims"], op.shape("Input"), op.shape("W")
    if op["activation_type"] not in ("", "relu"):
        op.unsupported(f"activation_type {op['activation_type']}")
    out = shape[:at] + wide[1:]
    if out.count(-1) > 1:
        op.unsupported("more than one unknown size in the result")
    y = b.node("MatMul", [b.node("Reshape", [op.x("Input"), b.ints([-1, wide[0]])]), op.x("W")])
    if op.x("Bias"):
        y = b.node("Add", [y, b.node("Reshape", [op.x("Bias"), b.ints([-1])])])
    if op["activation_type"]:
        y = b.node("Relu", [y])
    b.node("Reshape", [y, b.ints(out)], op.out())


def _pads(op, n):
    """ONNX pads (all befores, then all afters) and auto_pad."""
    kind = op.get("padding_algorithm", "EXPLICIT")
    if kind == "SAME":
        return None, "SAME_UPPER"
    if kind == "VALID":
        return None, "VALID"
    p = [int(v) for v in op["paddings"]]
    pairs = list(zip(p, p)) if len(p) == n else list(zip(p[::2], p[1::2]))
    return [a for a, _ in pairs] + [c for _, c in pairs], None


@converts("conv2d", "depthwise_conv2d", "conv3d", "conv2d_transpose", "depthwise_conv2d_transpose", "conv3d_transpose")
def _conv(b, op):
    if op["data_format"] not in ("NCHW", "NCDHW", "AnyLayout"):
        op.unsupported(f"data_format {op['data_format']}")
    kernel = op.shape("Filter")[2:]
    pads, auto = _pads(op, len(kernel))
    attrs = {"strides": list(op["strides"]), "dilations": list(op["dilations"]), "group": op["groups"],
             "kernel_shape": kernel, "pads": pads, "auto_pad": auto}
    ins = [op.x("Input"), op.x("Filter"), *([op.x("Bias")] if op.x("Bias") else [])]
    if op.type.endswith("transpose"):
        attrs["output_padding"] = list(op.get("output_padding") or ()) or None
        attrs["output_shape"] = list(op.get("output_size") or ()) or None
        b.node("ConvTranspose", ins, op.out("Output"), **attrs)
    else:
        b.node("Conv", ins, op.out("Output"), **attrs)


@converts("pool2d", "pool3d")
def _pool(b, op):
    if op["data_format"] not in ("NCHW", "NCDHW"):
        op.unsupported(f"data_format {op['data_format']}")
    highest = op["pooling_type"] == "max"
    sizes = op.shape()[2:]
    if op["global_pooling"] or (op["adaptive"] and all(k == 1 for k in op["ksize"])):
        b.node("GlobalMaxPool" if highest else "GlobalAveragePool", [op.x()], op.out())
        return
    if op["adaptive"]:
        if -1 in sizes or any(s % k for s, k in zip(sizes, op["ksize"])):
            op.unsupported("adaptive pooling to sizes that do not divide the input's")
        kernel = [s // k for s, k in zip(sizes, op["ksize"])]
        b.node("MaxPool" if highest else "AveragePool", [op.x()], op.out(), kernel_shape=kernel, strides=kernel)
        return
    pads, auto = _pads(op, len(sizes))
    attrs = {"kernel_shape": list(op["ksize"]), "strides": list(op["strides"]), "pads": pads, "auto_pad": auto,
             "ceil_mode": int(op["ceil_mode"])}
    if not highest:
        attrs["count_include_pad"] = int(not op["exclusive"])
    b.node("MaxPool" if highest else "AveragePool", [op.x()], op.out(), **attrs)


@converts("max_pool2d_with_index")
def _pool_with_places(b, op):
    sizes = op.shape()[2:]
    if op["adaptive"] or op["global_pooling"] or -1 in sizes:
        op.unsupported("adaptive or global pooling, or unknown sizes")
    pads, _ = _pads(op, 2)
    places = b.fresh()
    b.node("MaxPool", [op.x()], [op.out(), places], kernel_shape=list(op["ksize"]), strides=list(op["strides"]), pads=pads)
    b.node("Cast", [b.node("Mod", [places, b.constant(sizes[0] * sizes[1], np.int64)])], op.out("Mask"), to=DTYPES["int32"])


@converts("affine_channel")
def _affine_channel(b, op):
    if op["data_layout"] == "NHWC":
        op.unsupported("data_layout NHWC")
    _affine(b, op.x(), op.x("Scale"), op.x("Bias"), [-1] + [1] * (len(op.shape()) - 2), op.out())


@converts("lrn")
def _lrn(b, op):
    if op["data_format"] == "NHWC":
        op.unsupported("data_format NHWC")
    b.node("LRN", [op.x()], op.out(), size=op["n"], alpha=op["alpha"] * op["n"], beta=float(op["beta"]), bias=float(op["k"]))


@converts("batch_norm")
def _batch_norm(b, op):
    if not (op["is_test"] or op["use_global_stats"]):
        op.unsupported("training mode; export the layer in eval() mode")
    if op["data_layout"] != "NCHW":
        op.unsupported(f"data_layout {op['data_layout']}")
    n = list(b.var(op.x("Mean")).shape)
    scale = op.x("Scale") or b.constant(np.ones(n), op.dtype())
    shift = op.x("Bias") or b.constant(np.zeros(n), op.dtype())
    b.node("BatchNormalization", [op.x(), scale, shift, op.x("Mean"), op.x("Variance")], op.out("Y"),
           epsilon=float(op["epsilon"]))


def _normalised(b, op, x, axes, eps):
    """(x - mean) / sqrt(variance + eps) over axes."""
    centred = b.node("Sub", [x, b.node("ReduceMean", [x], axes=axes, keepdims=1)])
    variance = b.node("ReduceMean", [b.node("Mul", [centred, centred])], axes=axes, keepdims=1)
    return b.node("Div", [centred, b.node("Sqrt", [b.node("Add", [variance, b.constant(eps, op.dtype())])])])


def _affine(b, y, scale, shift, shape, out):
    for kind, name in (("Mul", scale), ("Add", shift)):
        if name:
            y = b.node(kind, [y, b.node("Reshape", [name, b.ints(shape)])])
    b.node("Identity", [y], out)


@converts("layer_norm")
def _layer_norm(b, op):
    shape, first = op.shape(), op["begin_norm_axis"]
    inside = shape[first:]
    if -1 in inside:
        op.unsupported("the normalised sizes must be known")
    y = _normalised(b, op, op.x(), list(range(first, len(shape))), op["epsilon"])
    _affine(b, y, op.x("Scale"), op.x("Bias"), inside, op.out("Y"))


@converts("instance_norm")
def _instance_norm(b, op):
    n = len(op.shape())
    y = _normalised(b, op, op.x(), list(range(2, n)), op["epsilon"])
    _affine(b, y, op.x("Scale"), op.x("Bias"), [1, -1] + [1] * (n - 2), op.out("Y"))


@converts("group_norm")
def _group_norm(b, op):
    shape = op.shape()
    if op["data_layout"] != "NCHW" or -1 in shape[1:]:
        op.unsupported("unknown sizes, or channels last")
    grouped = b.node("Reshape", [op.x(), b.ints([0, op["groups"], -1])])
    y = b.node("Reshape", [_normalised(b, op, grouped, [2], op["epsilon"]), b.ints([0, *shape[1:]])])
    _affine(b, y, op.x("Scale"), op.x("Bias"), [1, -1] + [1] * (len(shape) - 2), op.out("Y"))


@converts("dropout")
def _dropout(b, op):
    if not op["is_test"]:
        op.unsupported("training mode; export the layer in eval() mode")
    if op["dropout_implementation"] == "upscale_in_train":
        b.node("Identity", [op.x()], op.out())
    else:
        b.node("Mul", [op.x(), b.constant(1 - op["dropout_prob"], op.dtype())], op.out())


@converts("pad3d")
def _pad(b, op):
    op.no_tensors("Paddings")
    mode = {"constant": "constant", "reflect": "reflect", "replicate": "edge", "edge": "edge"}.get(op["mode"])
    if mode is None or op["data_format"] not in ("NCHW", "NCDHW"):
        op.unsupported(f"mode {op['mode']}, data_format {op['data_format']}")
    p = [int(v) for v in op["paddings"]]
    before, after = [p[4], p[2], p[0]], [p[5], p[3], p[1]]  # last axis first
    b.node("Pad", [op.x(), b.ints([0, 0, *before, 0, 0, *after]), b.constant(op["value"], op.dtype())], op.out(), mode=mode)


@converts("pad2d", "pad")
def _older_pad(b, op):
    op.no_tensors("Paddings")
    p, mode = [int(v) for v in op["paddings"]], op.get("mode", "constant")
    if op.type == "pad2d":
        channels_last = op["data_format"] == "NHWC"
        p = [0, 0, *([] if channels_last else [0, 0]), *p, *([0, 0] if channels_last else [])]
    b.node("Pad", [op.x(), b.ints(p[::2] + p[1::2]), b.constant(op["pad_value"], op.dtype())], op.out(), mode=mode)


# ---------------------------------------------------------------- recurrent layers

_ORDER = {"LSTM": [0, 3, 1, 2], "GRU": [1, 0, 2], "RNN_TANH": [0], "RNN_RELU": [0]}  # ONNX's gates as numbers of Paddle's


@converts("rnn")
def _rnn(b, op):
    op.no_tensors("SequenceLength")
    if not op["is_test"] and op["dropout_prob"]:
        op.unsupported("dropout between layers; export the layer in eval() mode")
    mode, layers, hidden = op["mode"], op["num_layers"], op["hidden_size"]
    directions = 2 if op["is_bidirec"] else 1
    weights, n = op.xs("WeightList"), op["num_layers"] * directions
    matrices, vectors = weights[:2 * n], weights[2 * n:]
    order, states = _ORDER[mode], op.xs("PreState")

    def gates(name):
        if len(order) == 1:
            return name
        parts = [b.fresh() for _ in order]
        b.node("Split", [name, b.ints([hidden] * len(order))], parts, axis=0)
        return b.node("Concat", [parts[k] for k in order], axis=0)

    def lifted(names):
        return b.node("Concat", [b.node("Unsqueeze", [m, b.ints([0])]) for m in names], axis=0)
    x, finals = op.x("Input"), [[], []]
    for layer in range(layers):
        at = [layer * directions + d for d in range(directions)]
        w = lifted([gates(matrices[2 * k]) for k in at])
        r = lifted([gates(matrices[2 * k + 1]) for k in at])
        bias = lifted([b.node("Concat", [gates(vectors[2 * k]), gates(vectors[2 * k + 1])], axis=0) for k in at])
        starts = [b.node("Slice", [s, b.ints([at[0]]), b.ints([at[-1] + 1]), b.ints([0])]) for s in states]
        attrs = {"hidden_size": hidden, "direction": "bidirectional" if directions == 2 else "forward"}
        outs = [b.fresh() for _ in range(3 if mode == "LSTM" else 2)]
        if mode == "LSTM":
            b.node("LSTM", [x, w, r, bias, None, starts[0], starts[1]], outs, **attrs)
        elif mode == "GRU":
            b.node("GRU", [x, w, r, bias, None, starts[0]], outs, linear_before_reset=1, **attrs)
        else:
            b.node("RNN", [x, w, r, bias, None, starts[0]], outs,
                   activations=["Tanh" if mode == "RNN_TANH" else "Relu"] * directions, **attrs)
        flat = b.node("Transpose", [outs[0]], perm=[0, 2, 1, 3])  # [T, D, N, H] -> [T, N, D, H]
        x = b.node("Reshape", [flat, b.ints([0, 0, directions * hidden])])
        for kept, out in zip(finals, outs[1:]):
            kept.append(out)
    b.node("Identity", [x], op.out("Out"))
    for name, kept in zip(op.outs("State"), finals):
        b.node("Concat", kept, name, axis=0)

