"""MobileNetV3, small and large."""

import functools

from ... import nn
from ..ops import ConvNormActivation
from .blocks import builder, divisible

_norm = functools.partial(nn.BatchNorm2D, epsilon=0.001, momentum=0.99)
R, H = nn.ReLU, nn.Hardswish
# kernel, expanded channels, channels, squeeze and excitation?, activation, stride
_SMALL = [(3, 16, 16, True, R, 2), (3, 72, 24, False, R, 2), (3, 88, 24, False, R, 1), (5, 96, 40, True, H, 2),
          (5, 240, 40, True, H, 1), (5, 240, 40, True, H, 1), (5, 120, 48, True, H, 1), (5, 144, 48, True, H, 1),
          (5, 288, 96, True, H, 2), (5, 576, 96, True, H, 1), (5, 576, 96, True, H, 1)]
_LARGE = [(3, 16, 16, False, R, 1), (3, 64, 24, False, R, 2), (3, 72, 24, False, R, 1), (5, 72, 40, True, R, 2),
          (5, 120, 40, True, R, 1), (5, 120, 40, True, R, 1), (3, 240, 80, False, H, 2), (3, 200, 80, False, H, 1),
          (3, 184, 80, False, H, 1), (3, 184, 80, False, H, 1), (3, 480, 112, True, H, 1), (3, 672, 112, True, H, 1),
          (5, 672, 160, True, H, 2), (5, 960, 160, True, H, 1), (5, 960, 160, True, H, 1)]


class _SqueezeExcitation(nn.Layer):
    """Every channel scaled by what all channels' means say."""

    def __init__(self, channels, squeezed):
        super().__init__()
        self.avgpool = nn.AdaptiveAvgPool2D(1)
        self.fc1, self.fc2 = nn.Conv2D(channels, squeezed, 1), nn.Conv2D(squeezed, channels, 1)
        self.activation, self.scale_activation = nn.ReLU(), nn.Hardsigmoid()

    def forward(self, x):
        return x * self.scale_activation(self.fc2(self.activation(self.fc1(self.avgpool(x)))))


class _Block(nn.Layer):
    """Expand, convolve each channel by itself, squeeze and excite, project."""

    def __init__(self, inputs, expanded, outputs, kernel, stride, squeeze, activation):
        super().__init__()
        self.shortcut, self.use_se, self.expand = stride == 1 and inputs == outputs, squeeze, inputs != expanded
        if self.expand:
            self.expand_conv = ConvNormActivation(inputs, expanded, 1, activation_layer=activation, norm_layer=_norm)
        self.bottleneck_conv = ConvNormActivation(expanded, expanded, kernel, stride, groups=expanded, norm_layer=_norm,
                                                  activation_layer=activation)
        if squeeze:
            self.mid_se = _SqueezeExcitation(expanded, divisible(expanded // 4))
        self.linear_conv = ConvNormActivation(expanded, outputs, 1, activation_layer=None, norm_layer=_norm)

    def forward(self, x):
        y = self.bottleneck_conv(self.expand_conv(x) if self.expand else x)
        y = self.linear_conv(self.mid_se(y) if self.use_se else y)
        return x + y if self.shortcut else y


class _MobileNetV3(nn.Layer):
    def __init__(self, stages, last_channel, scale, num_classes, with_pool):
        super().__init__()
        self.scale, self.num_classes, self.with_pool = scale, num_classes, with_pool
        inputs = divisible(16 * scale)
        self.conv = ConvNormActivation(3, inputs, 3, 2, activation_layer=nn.Hardswish, norm_layer=_norm)
        blocks = []
        for kernel, expanded, channels, squeeze, activation, stride in stages:
            outputs = divisible(channels * scale)
            blocks.append(_Block(inputs, divisible(expanded * scale), outputs, kernel, stride, squeeze, activation))
            inputs = outputs
        self.blocks = nn.Sequential(*blocks)
        self.lastconv = ConvNormActivation(inputs, inputs * 6, 1, activation_layer=nn.Hardswish, norm_layer=_norm)
        if with_pool:
            self.avgpool = nn.AdaptiveAvgPool2D(1)
        if num_classes > 0:
            self.classifier = nn.Sequential(nn.Linear(inputs * 6, last_channel), nn.Hardswish(), nn.Dropout(0.2),
                                            nn.Linear(last_channel, num_classes))

    def forward(self, x):
        x = self.lastconv(self.blocks(self.conv(x)))
        if self.with_pool:
            x = self.avgpool(x)
        return self.classifier(x.flatten(1)) if self.num_classes > 0 else x


class MobileNetV3Small(_MobileNetV3):
    """MobileNetV3, small; ``scale`` multiplies all channels.

    >>> paddle.vision.models.MobileNetV3Small(num_classes=10)(paddle.ones([1, 3, 32, 32])).shape
    [1, 10]
    """

    def __init__(self, scale=1.0, num_classes=1000, with_pool=True):
        super().__init__(_SMALL, divisible(1024 * scale), scale, num_classes, with_pool)


class MobileNetV3Large(_MobileNetV3):
    """MobileNetV3, large; ``scale`` multiplies all channels.

    >>> paddle.vision.models.MobileNetV3Large(num_classes=10)(paddle.ones([1, 3, 32, 32])).shape
    [1, 10]
    """

    def __init__(self, scale=1.0, num_classes=1000, with_pool=True):
        super().__init__(_LARGE, divisible(1280 * scale), scale, num_classes, with_pool)


@builder
def mobilenet_v3_small(scale=1.0, **kwargs):
    """MobileNetV3, small.

    >>> paddle.vision.models.mobilenet_v3_small(num_classes=10)(paddle.ones([1, 3, 32, 32])).shape
    [1, 10]
    """
    return MobileNetV3Small(scale=scale, **kwargs)


@builder
def mobilenet_v3_large(scale=1.0, **kwargs):
    """MobileNetV3, large.

    >>> paddle.vision.models.mobilenet_v3_large(num_classes=10)(paddle.ones([1, 3, 32, 32])).shape
    [1, 10]
    """
    return MobileNetV3Large(scale=scale, **kwargs)
