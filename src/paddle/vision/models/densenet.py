"""DenseNet."""

from ... import nn
from ...core.errors import check_choice
from ...nn import functional as F
from ...tensor.joining import concat
from .blocks import builder, spread

# layers -> first channels, growth, layers of each block
_SHAPES = {121: (64, 32, (6, 12, 24, 16)), 161: (96, 48, (6, 12, 36, 24)), 169: (64, 32, (6, 12, 32, 32)),
           201: (64, 32, (6, 12, 48, 32)), 264: (64, 32, (6, 12, 64, 48))}


class _ConvNorm(nn.Layer):
    """Convolution, norm, ReLU."""

    def __init__(self, inputs, outputs, kernel, stride, padding):
        super().__init__()
        self._conv = nn.Conv2D(inputs, outputs, kernel, stride, padding, bias_attr=False)
        self._batch_norm = nn.BatchNorm2D(outputs)

    def forward(self, x):
        return F.relu(self._batch_norm(self._conv(x)))


class _NormConv(nn.Layer):
    """Norm, ReLU, convolution."""

    def __init__(self, inputs, outputs, kernel, padding=0):
        super().__init__()
        self._batch_norm = nn.BatchNorm2D(inputs)
        self._conv = nn.Conv2D(inputs, outputs, kernel, padding=padding, bias_attr=False)

    def forward(self, x):
        return self._conv(F.relu(self._batch_norm(x)))


class _DenseLayer(nn.Layer):
    """What goes in, and ``growth`` new channels computed from it."""

    def __init__(self, inputs, growth, bn_size, dropout):
        super().__init__()
        self.dropout = dropout
        self.bn_ac_func1 = _NormConv(inputs, bn_size * growth, 1)
        self.bn_ac_func2 = _NormConv(bn_size * growth, growth, 3, padding=1)
        if dropout:
            self.dropout_func = nn.Dropout(dropout, mode="downscale_in_infer")

    def forward(self, x):
        y = self.bn_ac_func2(self.bn_ac_func1(x))
        return concat([x, self.dropout_func(y) if self.dropout else y], axis=1)


class _DenseBlock(nn.Layer):
    def __init__(self, number, count, inputs, growth, bn_size, dropout):
        super().__init__()
        for i in range(count):
            self.add_sublayer(f"conv{number}_{i + 1}", _DenseLayer(inputs + i * growth, growth, bn_size, dropout))

    def forward(self, x):
        for layer in self.children():
            x = layer(x)
        return x


class _Transition(nn.Layer):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.conv_ac_func = _NormConv(inputs, outputs, 1)
        self.pool2d_avg = nn.AvgPool2D(2, 2)

    def forward(self, x):
        return self.pool2d_avg(self.conv_ac_func(x))


class DenseNet(nn.Layer):
    """DenseNet with 121, 161, 169, 201 or 264 layers.

    >>> paddle.vision.models.DenseNet(121, num_classes=10)(paddle.ones([1, 3, 32, 32])).shape
    [1, 10]
    """

    def __init__(self, layers=121, bn_size=4, dropout=0.0, num_classes=1000, with_pool=True):
        super().__init__()
        check_choice(layers, _SHAPES, "DenseNet", "layers")
        self.num_classes, self.with_pool = num_classes, with_pool
        channels, growth, counts = _SHAPES[layers]
        self.conv1_func = _ConvNorm(3, channels, 7, 2, 3)
        self.pool2d_max = nn.MaxPool2D(3, 2, 1)
        self._stages = []
        for i, count in enumerate(counts):
            name = f"db_conv_{i + 2}"
            self._stages.append(name)
            self.add_sublayer(name, _DenseBlock(i + 2, count, channels, growth, bn_size, dropout))
            channels += count * growth
            if i < len(counts) - 1:
                name = f"tr_conv{i + 2}_blk"
                self._stages.append(name)
                self.add_sublayer(name, _Transition(channels, channels // 2))
                channels //= 2
        self.batch_norm = nn.BatchNorm2D(channels)
        if with_pool:
            self.pool2d_avg = nn.AdaptiveAvgPool2D(1)
        if num_classes > 0:
            self.out = nn.Linear(channels, num_classes, spread(channels))

    def forward(self, x):
        x = self.pool2d_max(self.conv1_func(x))
        for name in self._stages:
            x = self._sub_layers[name](x)
        x = F.relu(self.batch_norm(x))
        if self.with_pool:
            x = self.pool2d_avg(x)
        return self.out(x.flatten(1)) if self.num_classes > 0 else x


def _constructor(layers):
    def build(**kwargs):
        return DenseNet(layers=layers, **kwargs)
    name = build.__name__ = build.__qualname__ = f"densenet{layers}"
    build.__doc__ = (f"DenseNet with {layers} layers.\n\n"
                     f"    >>> model = paddle.vision.models.{name}(num_classes=0, with_pool=False)\n"
                     f"    >>> model.num_classes\n    0\n    ")
    return builder(build)


densenet121, densenet161, densenet169, densenet201, densenet264 = (_constructor(n) for n in (121, 161, 169, 201, 264))
