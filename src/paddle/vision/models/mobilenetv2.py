"""MobileNetV2."""

from ... import nn
from ..ops import ConvNormActivation
from .blocks import builder, divisible

# expansion, channels, blocks, stride of the first one
_STAGES = [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)]


class _InvertedResidual(nn.Layer):
    """Expand, convolve each channel by itself, project; with a shortcut where the shape stays."""

    def __init__(self, inputs, outputs, stride, expansion):
        super().__init__()
        hidden = int(round(inputs * expansion))
        self.shortcut = stride == 1 and inputs == outputs
        layers = [] if expansion == 1 else [ConvNormActivation(inputs, hidden, 1, activation_layer=nn.ReLU6)]
        self.conv = nn.Sequential(*layers, ConvNormActivation(hidden, hidden, 3, stride, groups=hidden, activation_layer=nn.ReLU6),
                                  nn.Conv2D(hidden, outputs, 1, bias_attr=False), nn.BatchNorm2D(outputs))

    def forward(self, x):
        return x + self.conv(x) if self.shortcut else self.conv(x)


class MobileNetV2(nn.Layer):
    """MobileNetV2; ``scale`` multiplies all channels.

    >>> paddle.vision.models.MobileNetV2(scale=0.25, num_classes=10)(paddle.ones([1, 3, 32, 32])).shape
    [1, 10]
    """

    def __init__(self, scale=1.0, num_classes=1000, with_pool=True):
        super().__init__()
        self.num_classes, self.with_pool = num_classes, with_pool
        inputs, last = divisible(32 * scale), divisible(1280 * max(1.0, scale))
        features = [ConvNormActivation(3, inputs, 3, 2, activation_layer=nn.ReLU6)]
        for expansion, channels, blocks, stride in _STAGES:
            outputs = divisible(channels * scale)
            for i in range(blocks):
                features.append(_InvertedResidual(inputs, outputs, stride if i == 0 else 1, expansion))
                inputs = outputs
        self.features = nn.Sequential(*features, ConvNormActivation(inputs, last, 1, activation_layer=nn.ReLU6))
        if with_pool:
            self.pool2d_avg = nn.AdaptiveAvgPool2D(1)
        if num_classes > 0:
            self.classifier = nn.Sequential(nn.Dropout(0.2), nn.Linear(last, num_classes))

    def forward(self, x):
        x = self.features(x)
        if self.with_pool:
            x = self.pool2d_avg(x)
        return self.classifier(x.flatten(1)) if self.num_classes > 0 else x


@builder
def mobilenet_v2(scale=1.0, **kwargs):
    """MobileNetV2.

    >>> paddle.vision.models.mobilenet_v2(scale=0.25, num_classes=10)(paddle.ones([1, 3, 32, 32])).shape
    [1, 10]
    """
    return MobileNetV2(scale=scale, **kwargs)
