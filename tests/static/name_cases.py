"""Small static programs whose variables' names are compared with those that Paddle 2.6.2 gave them."""

import paddle

F, static, nn = paddle.nn.functional, paddle.static, paddle.static.nn


def img():
    return static.data("img", [4, 3, 8, 8])


def vol():
    return static.data("vol", [4, 3, 4, 4, 4])


def vec(width=6):
    return static.data(f"vec{width}", [4, width])


def ids():
    return static.data("ids", [4, 2], "int64")


def lab():
    return static.data("lab", [4, 1], "int64")


def steps():
    return static.data("steps", [4, 5, 6])


def packed():
    return static.data("packed", [-1, 6], lod_level=1)


def weight(*shape):
    return static.create_parameter(list(shape), "float32")


# layers of paddle.static.nn, each twice where one takes the other's result
FUNCTIONS = {
    "fc": lambda: nn.fc(nn.fc(vec(), 3, activation="relu"), 4),
    "fc_many": lambda: nn.fc([vec(), vec(3)], 3),
    "fc_named": lambda: nn.fc(nn.fc(vec(), 3, name="one", activation="tanh"), 4, name="two", bias_attr=False),
    "conv2d": lambda: nn.conv2d(nn.conv2d(img(), 4, 3, act="relu"), 4, 3),
    "conv2d_named": lambda: nn.conv2d(img(), 4, 3, act="relu", name="c"),
    "conv2d_nobias": lambda: nn.conv2d(nn.conv2d(img(), 3, 3, bias_attr=False, groups=3), 3, 3, groups=3, use_cudnn=False),
    "conv3d": lambda: nn.conv3d(nn.conv3d(vol(), 4, 3, act="relu"), 4, 2),
    "conv2d_transpose": lambda: nn.conv2d_transpose(nn.conv2d_transpose(img(), 4, filter_size=3, act="relu"), 4, filter_size=3),
    "conv3d_transpose": lambda: nn.conv3d_transpose(nn.conv3d_transpose(vol(), 4, filter_size=3, act="relu"), 4, filter_size=3),
    "batch_norm": lambda: nn.batch_norm(nn.batch_norm(img(), act="relu")),
    "layer_norm": lambda: nn.layer_norm(nn.layer_norm(img(), act="relu")),
    "group_norm": lambda: nn.group_norm(nn.group_norm(static.data("four", [4, 4, 8, 8]), 2, act="relu"), 2),
    "instance_norm": lambda: nn.instance_norm(nn.instance_norm(img())),
    "data_norm": lambda: nn.data_norm(nn.data_norm(vec())),
    "spectral_norm": lambda: nn.spectral_norm(nn.spectral_norm(weight(4, 6))),
    "embedding": lambda: (nn.embedding(ids(), [5, 3]), nn.embedding(static.data("more", [4, 2], "int64"), [5, 3])),
    "prelu": lambda: nn.prelu(nn.prelu(img(), "all"), "channel"),
    "bilinear": lambda: nn.bilinear_tensor_product(vec(), vec(3), 5, act="relu"),
    "row_conv": lambda: nn.row_conv(nn.row_conv(steps(), 2, act="relu"), 2),
    "nce": lambda: (nn.nce(vec(), lab(), 10), nn.nce(vec(3), static.data("more", [4, 1], "int64"), 10)),
    "deform": lambda: nn.deform_conv2d(img(), static.data("offset", [4, 18, 6, 6]), static.data("mask", [4, 9, 6, 6]), 4, 3),
    "sequence_conv": lambda: nn.sequence_conv(nn.sequence_conv(packed(), 4, act="relu"), 4),
    "mixed": lambda: nn.fc(nn.batch_norm(nn.conv2d(nn.batch_norm(nn.conv2d(img(), 4, 3), act="relu"), 4, 3), act="relu"), 10,
        activation="softmax"),
}

# layers of paddle.nn: made, called, then another made and called
LAYERS = {
    "Linear": (lambda: paddle.nn.Linear(6, 4), lambda: [vec()]),
    "Conv1D": (lambda: paddle.nn.Conv1D(3, 4, 3), lambda: [static.data("row", [4, 3, 8])]),
    "Conv2D": (lambda: paddle.nn.Conv2D(3, 4, 3), lambda: [img()]),
    "Conv3D": (lambda: paddle.nn.Conv3D(3, 4, 3), lambda: [vol()]),
    "Conv2Ddepth": (lambda: paddle.nn.Conv2D(3, 3, 3, groups=3), lambda: [img()]),
    "Conv2Dpad": (lambda: paddle.nn.Conv2D(3, 3, 3, padding=1, padding_mode="reflect"), lambda: [img()]),
    "Conv1DT": (lambda: paddle.nn.Conv1DTranspose(3, 4, 3), lambda: [static.data("row", [4, 3, 8])]),
    "Conv2DT": (lambda: paddle.nn.Conv2DTranspose(3, 4, 3), lambda: [img()]),
    "Conv3DT": (lambda: paddle.nn.Conv3DTranspose(3, 4, 3), lambda: [vol()]),
    "BatchNorm": (lambda: paddle.nn.BatchNorm(3), lambda: [img()]),
    "BatchNorm1D": (lambda: paddle.nn.BatchNorm1D(6), lambda: [vec()]),
    "BatchNorm2D": (lambda: paddle.nn.BatchNorm2D(3), lambda: [img()]),
    "BatchNorm3D": (lambda: paddle.nn.BatchNorm3D(3), lambda: [vol()]),
    "LayerNorm": (lambda: paddle.nn.LayerNorm([6]), lambda: [vec()]),
    "GroupNorm": (lambda: paddle.nn.GroupNorm(3, 3), lambda: [img()]),
    "InstanceNorm2D": (lambda: paddle.nn.InstanceNorm2D(3), lambda: [img()]),
    "InstanceNorm1D": (lambda: paddle.nn.InstanceNorm1D(3), lambda: [static.data("row", [4, 3, 8])]),
    "SpectralNorm": (lambda: paddle.nn.SpectralNorm([4, 6]), lambda: [vec()]),
    "Embedding": (lambda: paddle.nn.Embedding(5, 3), lambda: [ids()]),
    "PReLU": (lambda: paddle.nn.PReLU(), lambda: [vec()]),
    "Bilinear": (lambda: paddle.nn.Bilinear(6, 3, 2), lambda: [vec(), vec(3)]),
    "LSTM": (lambda: paddle.nn.LSTM(6, 3), lambda: [steps()]),
    "GRU": (lambda: paddle.nn.GRU(6, 3), lambda: [steps()]),
    "SimpleRNN": (lambda: paddle.nn.SimpleRNN(6, 3), lambda: [steps()]),
    "LSTMCell": (lambda: paddle.nn.LSTMCell(6, 3), lambda: [vec()]),
    "GRUCell": (lambda: paddle.nn.GRUCell(6, 3), lambda: [vec()]),
    "SimpleRNNCell": (lambda: paddle.nn.SimpleRNNCell(6, 3), lambda: [vec()]),
    "MultiHeadAttention": (lambda: paddle.nn.MultiHeadAttention(6, 2), lambda: [steps()]),
    "TransformerEncoderLayer": (lambda: paddle.nn.TransformerEncoderLayer(6, 2, 8), lambda: [steps()]),
    "ReLU": (lambda: paddle.nn.ReLU(), lambda: [vec()]),
    "Dropout": (lambda: paddle.nn.Dropout(), lambda: [vec()]),
    "Softmax": (lambda: paddle.nn.Softmax(), lambda: [vec()]),
    "MaxPool2D": (lambda: paddle.nn.MaxPool2D(2), lambda: [img()]),
    "AvgPool2D": (lambda: paddle.nn.AvgPool2D(2), lambda: [img()]),
    "Flatten": (lambda: paddle.nn.Flatten(), lambda: [img()]),
    "HSigmoidLoss": (lambda: paddle.nn.HSigmoidLoss(6, 5), lambda: [vec(), lab()]),
    "Pad2D": (lambda: paddle.nn.Pad2D(1), lambda: [img()]),
    "Upsample": (lambda: paddle.nn.Upsample(scale_factor=2), lambda: [img()]),
    "CrossEntropyLoss": (lambda: paddle.nn.CrossEntropyLoss(), lambda: [vec(), lab()]),
    "DeformConv2D": (lambda: paddle.vision.ops.DeformConv2D(3, 4, 3), lambda: [img(), static.data("offset", [4, 18, 6, 6])]),
}

# functions of one variable
CALLS = {
    "relu": F.relu,
    "relu_named": lambda x: F.relu(x, name="act"),
    "plus": lambda x: x + x,
    "plus_scalar": lambda x: x + 1,
    "times": lambda x: x * 2,
    "rsub": lambda x: 1 - x,
    "neg": lambda x: -x,
    "div": lambda x: x / 2,
    "mean": paddle.mean,
    "mean_named": lambda x: paddle.mean(x, name="mm"),
    "sum": paddle.sum,
    "matmul": lambda x: paddle.matmul(x, x, transpose_y=True),
    "matmul_op": lambda x: x @ x.t(),
    "concat": lambda x: paddle.concat([x, x]),
    "reshape": lambda x: paddle.reshape(x, [6, 4]),
    "reshape_named": lambda x: paddle.reshape(x, [6, 4], name="r"),
    "transpose": lambda x: paddle.transpose(x, [1, 0]),
    "softmax": F.softmax,
    "softmax_named": lambda x: F.softmax(x, name="s"),
    "dropout": lambda x: F.dropout(x, 0.5),
    "slice0": lambda x: x[0],
    "slice1": lambda x: x[:, 1],
    "cast": lambda x: paddle.cast(x, "int32"),
    "astype": lambda x: x.astype("float64"),
    "split": lambda x: paddle.split(x, 2, 1),
    "add_named": lambda x: paddle.add(x, x, name="foo"),
    "add": lambda x: paddle.add(x, x),
    "gelu": F.gelu,
    "squeeze": paddle.squeeze,
    "unsqueeze": lambda x: paddle.unsqueeze(x, 0),
    "exp": paddle.exp,
    "exp_named": lambda x: paddle.exp(x, name="e"),
    "argmax": paddle.argmax,
    "topk": lambda x: paddle.topk(x, 2),
    "clip": lambda x: paddle.clip(x, 0, 1),
    "equal": lambda x: x == x,
    "flatten": paddle.flatten,
    "sqrt": paddle.sqrt,
    "tanh": F.tanh,
    "sigmoid": F.sigmoid,
    "scale": lambda x: paddle.scale(x, 2.),
    "max": paddle.max,
    "min": paddle.min,
    "prod": paddle.prod,
    "abs": paddle.abs,
    "stack": lambda x: paddle.stack([x, x]),
    "gather": lambda x: paddle.gather(x, paddle.argmax(x, 1)),
    "log": paddle.log,
    "square": paddle.square,
    "maximum": lambda x: paddle.maximum(x, x),
    "subtract": lambda x: paddle.subtract(x, x),
    "multiply_named": lambda x: paddle.multiply(x, x, name="m"),
    "isnan": paddle.isnan,
    "one_hot": lambda x: F.one_hot(ids(), 5),
    "nonzero": paddle.nonzero,
    "shape": paddle.shape,
    "log_softmax": F.log_softmax,
    "leaky": F.leaky_relu,
    "linear": lambda x: F.linear(x, weight(6, 2)),
    "tile": lambda x: paddle.tile(x, [2, 1]),
    "expand": lambda x: paddle.expand(x, [2, 4, 6]),
    "cumsum": paddle.cumsum,
    "full_like": lambda x: paddle.full_like(x, 1.),
    "assign": paddle.assign,
    "logical": lambda x: paddle.logical_not(x > x),
    "max_pool": lambda x: F.max_pool2d(img(), 2),
    "avg_pool": lambda x: F.avg_pool2d(img(), 2),
    "adaptive": lambda x: F.adaptive_avg_pool2d(img(), 2),
    "adaptive_named": lambda x: F.adaptive_avg_pool2d(img(), 2, name="gap"),
    "interp": lambda x: F.interpolate(img(), scale_factor=2),
    "pad": lambda x: F.pad(img(), [1, 1, 1, 1]),
    "max_pool_named": lambda x: F.max_pool2d(img(), 2, name="p"),
    "linear_named": lambda x: F.linear(x, weight(6, 2), weight(2), name="lin"),
    "concat_named": lambda x: paddle.concat([x, x], name="cc"),
    "dropout_named": lambda x: F.dropout(x, 0.5, name="dr"),
    "stack_named": lambda x: paddle.stack([x, x], name="st"),
    "argmax_named": lambda x: paddle.argmax(x, name="am"),
    "split_named": lambda x: paddle.split(x, 2, 1, name="sp"),
    "topk_named": lambda x: paddle.topk(x, 2, name="tk"),
    "cross_entropy": lambda x: F.cross_entropy(x, lab()),
    "softmax_ce": lambda x: F.softmax_with_cross_entropy(x, lab()),
    "square_error": lambda x: F.square_error_cost(x, x),
    "mse": lambda x: F.mse_loss(x, x),
    "ce_named": lambda x: F.cross_entropy(x, lab(), name="ce"),
}


def programs():
    """(name, function that builds a program and returns its results) of every case."""
    yield from FUNCTIONS.items()
    for name, (make, feed) in LAYERS.items():
        yield "layer " + name, lambda make=make, feed=feed: [make()(*feed()) for _ in range(2)]
    for name, call in CALLS.items():
        yield "call " + name, lambda call=call: call(vec())


def names_of(build):
    """Names of the results and of the persistable variables of a program of its own."""
    main = static.Program()
    with static.program_guard(main, static.Program()), paddle.utils.unique_name.guard():
        results = list(_flat(build()))
    return {"results": [v.name for v in results], "persistable": sorted(v.name for v in main.list_vars() if v.persistable)}


def _flat(value):
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from _flat(item)
    else:
        yield value
