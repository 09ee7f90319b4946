"""AlexNet."""

from ... import nn
from ...nn import functional as F
from .blocks import builder, spread


class _ConvPool(nn.Layer):
    """Convolution, ReLU, 3x3 max pooling with stride 2."""

    def __init__(self, inputs, outputs, kernel, stride, padding):
        super().__init__()
        first = spread(inputs * kernel * kernel)
        self._conv = nn.Conv2D(inputs, outputs, kernel, stride, padding, weight_attr=first, bias_attr=first)
        self._pool = nn.MaxPool2D(3, 2)

    def forward(self, x):
        return self._pool(F.relu(self._conv(x)))


class AlexNet(nn.Layer):
    """AlexNet for [N, 3, 224, 224].

    >>> paddle.vision.models.AlexNet(num_classes=10)(paddle.ones([1, 3, 224, 224])).shape
    [1, 10]
    """

    def __init__(self, num_classes=1000):
        super().__init__()
        self.num_classes = num_classes
        self._conv1 = _ConvPool(3, 64, 11, 4, 2)
        self._conv2 = _ConvPool(64, 192, 5, 1, 2)
        self._conv3 = nn.Conv2D(192, 384, 3, padding=1, weight_attr=spread(192 * 9), bias_attr=spread(192 * 9))
        self._conv4 = nn.Conv2D(384, 256, 3, padding=1, weight_attr=spread(384 * 9), bias_attr=spread(384 * 9))
        self._conv5 = _ConvPool(256, 256, 3, 1, 1)
        if num_classes > 0:
            first = spread(256 * 6 * 6)
            self._drop1 = nn.Dropout(0.5, mode="downscale_in_infer")
            self._fc6 = nn.Linear(256 * 6 * 6, 4096, first, first)
            self._drop2 = nn.Dropout(0.5, mode="downscale_in_infer")
            self._fc7 = nn.Linear(4096, 4096, first, first)
            self._fc8 = nn.Linear(4096, num_classes, first, first)

    def forward(self, inputs):
        x = self._conv2(self._conv1(inputs))
        x = self._conv5(F.relu(self._conv4(F.relu(self._conv3(x)))))
        if self.num_classes > 0:
            x = F.relu(self._fc6(self._drop1(x.flatten(1))))
            x = self._fc8(F.relu(self._fc7(self._drop2(x))))
        return x


@builder
def alexnet(**kwargs):
    """AlexNet.

    >>> paddle.vision.models.alexnet(num_classes=10)(paddle.ones([1, 3, 224, 224])).shape
    [1, 10]
    """
    return AlexNet(**kwargs)
