"""MobileNetV1."""

from ... import nn
from ..ops import ConvNormActivation
from .blocks import builder

# name, inputs, outputs, stride
_STAGES = [("conv2_1", 32, 64, 1), ("conv2_2", 64, 128, 2), ("conv3_1", 128, 128, 1), ("conv3_2", 128, 256, 2),
           ("conv4_1", 256, 256, 1), ("conv4_2", 256, 512, 2), *[(f"conv5_{i}", 512, 512, 1) for i in range(1, 6)],
           ("conv5_6", 512, 1024, 2), ("conv6", 1024, 1024, 1)]


class _Separable(nn.Layer):
    """A convolution of each channel by itself, then one across channels."""

    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self._depthwise_conv = ConvNormActivation(inputs, inputs, 3, stride, groups=inputs)
        self._pointwise_conv = ConvNormActivation(inputs, outputs, 1)

    def forward(self, x):
        return self._pointwise_conv(self._depthwise_conv(x))


class MobileNetV1(nn.Layer):
    """MobileNetV1; ``scale`` multiplies all channels.

    >>> paddle.vision.models.MobileNetV1(scale=0.25, num_classes=10)(paddle.ones([1, 3, 32, 32])).shape
    [1, 10]
    """

    def __init__(self, scale=1.0, num_classes=1000, with_pool=True):
        super().__init__()
        self.scale, self.num_classes, self.with_pool = scale, num_classes, with_pool
        self.conv1 = ConvNormActivation(3, int(32 * scale), 3, 2)
        self.dwsl = []
        for name, inputs, outputs, stride in _STAGES:
            self.dwsl.append(self.add_sublayer(name, _Separable(int(inputs * scale), int(outputs * scale), stride)))
        if with_pool:
            self.pool2d_avg = nn.AdaptiveAvgPool2D(1)
        if num_classes > 0:
            self.fc = nn.Linear(int(1024 * scale), num_classes)

    def forward(self, x):
        x = self.conv1(x)
        for layer in self.dwsl:
            x = layer(x)
        if self.with_pool:
            x = self.pool2d_avg(x)
        return self.fc(x.flatten(1)) if self.num_classes > 0 else x


@builder
def mobilenet_v1(scale=1.0, **kwargs):
    """MobileNetV1.

    >>> paddle.vision.models.mobilenet_v1(scale=0.25, num_classes=10)(paddle.ones([1, 3, 32, 32])).shape
    [1, 10]
    """
    return MobileNetV1(scale=scale, **kwargs)
