"""Layers, optimizers and schedules whose attributes are compared with those that Paddle 2.6.2 keeps."""

import paddle

nn, lr = paddle.nn, paddle.optimizer.lr


def _parameters():
    return nn.Linear(2, 2).parameters()


LAYERS = [
    lambda: nn.Linear(3, 4, name="one"), lambda: nn.Bilinear(2, 3, 4), lambda: nn.Embedding(5, 3, padding_idx=1),
    lambda: nn.Conv1D(4, 6, 3, stride=2), lambda: nn.Conv2D(4, 6, 3, padding=1), lambda: nn.Conv3D(2, 3, 3),
    lambda: nn.Conv2D(4, 6, 3, padding=1, padding_mode="reflect"), lambda: nn.Conv1DTranspose(4, 6, 3),
    lambda: nn.Conv2DTranspose(4, 6, 3, output_padding=1, stride=2), lambda: nn.Conv3DTranspose(2, 3, 3),
    lambda: nn.BatchNorm(4, act="relu"), lambda: nn.BatchNorm1D(4), lambda: nn.BatchNorm2D(4), lambda: nn.BatchNorm3D(4),
    lambda: nn.LayerNorm([3, 4]), lambda: nn.GroupNorm(2, 4), lambda: nn.InstanceNorm1D(4), lambda: nn.InstanceNorm2D(4),
    lambda: nn.InstanceNorm3D(4), lambda: nn.LocalResponseNorm(3), lambda: nn.SpectralNorm([2, 3]),
    lambda: nn.Dropout(0.3), lambda: nn.Dropout(0.3, axis=[0, 1], mode="downscale_in_infer", name="d"), lambda: nn.Dropout2D(0.3),
    lambda: nn.Dropout3D(0.3), lambda: nn.AlphaDropout(0.3), lambda: nn.Flatten(1, 2), lambda: nn.Unflatten(1, [2, 2]),
    lambda: nn.Identity(), lambda: nn.CosineSimilarity(0), lambda: nn.PairwiseDistance(3.0), lambda: nn.Fold([4, 4], 2),
    lambda: nn.Unfold([2, 2]), lambda: nn.Pad1D(1), lambda: nn.Pad2D([1, 2, 3, 4], mode="reflect"), lambda: nn.Pad3D(1, value=2.0),
    lambda: nn.ZeroPad2D(1), lambda: nn.Upsample(scale_factor=2), lambda: nn.UpsamplingBilinear2D([4, 4]),
    lambda: nn.UpsamplingNearest2D([4, 4]), lambda: nn.PixelShuffle(2), lambda: nn.PixelUnshuffle(2), lambda: nn.ChannelShuffle(2),
    lambda: nn.MaxPool1D(2), lambda: nn.MaxPool2D(2, stride=1, padding=1, ceil_mode=True), lambda: nn.MaxPool3D(2),
    lambda: nn.AvgPool1D(2), lambda: nn.AvgPool2D(2, exclusive=False, divisor_override=3), lambda: nn.AvgPool3D(2),
    lambda: nn.AdaptiveAvgPool1D(2), lambda: nn.AdaptiveAvgPool2D([2, None]), lambda: nn.AdaptiveAvgPool3D(2),
    lambda: nn.AdaptiveMaxPool1D(2), lambda: nn.AdaptiveMaxPool2D(2, return_mask=True), lambda: nn.AdaptiveMaxPool3D(2),
    lambda: nn.MaxUnPool1D(2), lambda: nn.MaxUnPool2D(2), lambda: nn.MaxUnPool3D(2),
    lambda: nn.ReLU(), lambda: nn.ReLU(name="r"), lambda: nn.Softmax(0), lambda: nn.ReLU6(), lambda: nn.LeakyReLU(0.2),
    lambda: nn.ELU(0.5), lambda: nn.CELU(0.5), lambda: nn.GELU(True), lambda: nn.Sigmoid(), lambda: nn.Tanh(), lambda: nn.Silu(),
    lambda: nn.Swish(), lambda: nn.Mish(), lambda: nn.Hardswish(), lambda: nn.Hardtanh(-2.0, 2.0), lambda: nn.Hardsigmoid(),
    lambda: nn.Hardshrink(0.4), lambda: nn.Softshrink(0.4), lambda: nn.Softplus(2.0, 10.0), lambda: nn.Softsign(),
    lambda: nn.Tanhshrink(), lambda: nn.LogSigmoid(), lambda: nn.LogSoftmax(0), lambda: nn.ThresholdedReLU(0.5),
    lambda: nn.SELU(), lambda: nn.PReLU(3), lambda: nn.RReLU(0.1, 0.2), lambda: nn.Maxout(2), lambda: nn.GLU(0),
    lambda: nn.Softmax2D(),
    lambda: nn.CrossEntropyLoss(ignore_index=1), lambda: nn.MSELoss("sum"), lambda: nn.L1Loss("sum"),
    lambda: nn.SmoothL1Loss("sum", 2.0), lambda: nn.BCELoss(reduction="sum"), lambda: nn.BCEWithLogitsLoss(reduction="sum"),
    lambda: nn.NLLLoss(reduction="sum"), lambda: nn.KLDivLoss("sum"), lambda: nn.MarginRankingLoss(0.1, "sum"),
    lambda: nn.CTCLoss(1, "sum"), lambda: nn.RNNTLoss(1), lambda: nn.HSigmoidLoss(3, 4), lambda: nn.PoissonNLLLoss(False),
    lambda: nn.GaussianNLLLoss(True), lambda: nn.CosineEmbeddingLoss(0.1), lambda: nn.HingeEmbeddingLoss(2.0),
    lambda: nn.TripletMarginLoss(2.0), lambda: nn.TripletMarginWithDistanceLoss(margin=2.0), lambda: nn.SoftMarginLoss("sum"),
    lambda: nn.MultiLabelSoftMarginLoss(reduction="sum"), lambda: nn.MultiMarginLoss(2, 2.0),
    lambda: nn.SimpleRNNCell(3, 4), lambda: nn.LSTMCell(3, 4), lambda: nn.GRUCell(3, 4), lambda: nn.RNN(nn.GRUCell(3, 4)),
    lambda: nn.BiRNN(nn.GRUCell(3, 4), nn.GRUCell(3, 4)), lambda: nn.LSTM(3, 4, 2, direction="bidirect"), lambda: nn.GRU(3, 4),
    lambda: nn.SimpleRNN(3, 4), lambda: nn.MultiHeadAttention(4, 2), lambda: nn.TransformerEncoderLayer(4, 2, 8),
    lambda: nn.TransformerDecoderLayer(4, 2, 8), lambda: nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 8), 2),
    lambda: nn.TransformerDecoder(nn.TransformerDecoderLayer(4, 2, 8), 2), lambda: nn.Transformer(4, 2, 1, 1, 8),
]
OPTIMIZERS = [
    lambda: paddle.optimizer.SGD(0.1, parameters=_parameters()),
    lambda: paddle.optimizer.Momentum(0.1, parameters=_parameters(), use_nesterov=True),
    lambda: paddle.optimizer.Adam(0.1, parameters=_parameters(), weight_decay=0.1),
    lambda: paddle.optimizer.AdamW(0.1, parameters=_parameters()), lambda: paddle.optimizer.Adamax(0.1, parameters=_parameters()),
    lambda: paddle.optimizer.Adagrad(0.1, parameters=_parameters()),
    lambda: paddle.optimizer.Adadelta(0.1, parameters=_parameters()),
    lambda: paddle.optimizer.RMSProp(0.1, parameters=_parameters(), centered=True),
    lambda: paddle.optimizer.Lamb(0.1, parameters=_parameters()), lambda: paddle.optimizer.LBFGS(0.1, parameters=_parameters()),
]
SCHEDULES = [
    lambda: lr.NoamDecay(8, 4), lambda: lr.PiecewiseDecay([2, 4], [0.3, 0.2, 0.1]), lambda: lr.NaturalExpDecay(0.1, 0.5),
    lambda: lr.InverseTimeDecay(0.1, 0.5), lambda: lr.PolynomialDecay(0.1, 10), lambda: lr.LinearWarmup(0.1, 5, 0.0, 0.1),
    lambda: lr.ExponentialDecay(0.1, 0.5), lambda: lr.MultiStepDecay(0.1, [2, 4]), lambda: lr.StepDecay(0.1, 3),
    lambda: lr.LambdaDecay(0.1, lambda n: 0.5 ** n), lambda: lr.ReduceOnPlateau(0.1), lambda: lr.CosineAnnealingDecay(0.1, 5),
    lambda: lr.MultiplicativeDecay(0.1, lambda n: 0.5), lambda: lr.OneCycleLR(0.1, 10), lambda: lr.CyclicLR(0.1, 0.2, 3),
    lambda: lr.LinearLR(0.1, 5), lambda: lr.CosineAnnealingWarmRestarts(0.1, 5),
]


def _named(makers, kind):
    """Cases by the class that they make, numbered where there are several of one."""
    seen = {}
    for make in makers:
        name = next(n for n in make.__code__.co_names if n not in ("nn", "lr", "paddle", "optimizer", "_parameters"))
        seen[name] = seen.get(name, 0) + 1
        yield f"{kind} {name}" + (f" {seen[name]}" if seen[name] > 1 else ""), make


CASES = {**dict(_named(LAYERS, "layer")), **dict(_named(OPTIMIZERS, "optimizer")), **dict(_named(SCHEDULES, "schedule"))}


def attributes(made):
    """Attributes of an object, those of its base left out, with values where these are plain."""
    base = set(vars(nn.Layer())) if isinstance(made, nn.Layer) else set()
    return {name: plain(value) for name, value in sorted(vars(made).items()) if name not in base}


def plain(value):
    """A value that JSON has, lists and tuples as lists; the kind of any other."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    return "an object"
