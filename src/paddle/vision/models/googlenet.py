"""GoogLeNet."""

from ... import nn
from ...nn import functional as F
from ...tensor.joining import concat
from .blocks import builder, spread


class _Conv(nn.Layer):
    def __init__(self, inputs, outputs, kernel, stride=1):
        super().__init__()
        self._conv = nn.Conv2D(inputs, outputs, kernel, stride, (kernel - 1) // 2, bias_attr=False)

    def forward(self, x):
        return self._conv(x)


class _Inception(nn.Layer):
    """1x1, 3x3, 5x5 convolutions and pooling side by side."""

    def __init__(self, inputs, one, reduced3, three, reduced5, five, projected):
        super().__init__()
        self._conv1 = _Conv(inputs, one, 1)
        self._conv3r = _Conv(inputs, reduced3, 1)
        self._conv3 = _Conv(reduced3, three, 3)
        self._conv5r = _Conv(inputs, reduced5, 1)
        self._conv5 = _Conv(reduced5, five, 5)
        self._pool = nn.MaxPool2D(3, 1, 1)
        self._convprj = _Conv(inputs, projected, 1)

    def forward(self, x):
        return F.relu(concat([self._conv1(x), self._conv3(self._conv3r(x)), self._conv5(self._conv5r(x)),
                              self._convprj(self._pool(x))], axis=1))


class GoogLeNet(nn.Layer):
    """GoogLeNet for [N, 3, 224, 224]; forward returns the result and two more from earlier layers, to train with.

    >>> out, out1, out2 = paddle.vision.models.GoogLeNet(num_classes=10)(paddle.ones([1, 3, 224, 224]))
    >>> out.shape
    [1, 10]
    """

    def __init__(self, num_classes=1000, with_pool=True):
        super().__init__()
        self.num_classes, self.with_pool = num_classes, with_pool
        self._conv = _Conv(3, 64, 7, 2)
        self._pool = nn.MaxPool2D(3, 2)
        self._conv_1 = _Conv(64, 64, 1)
        self._conv_2 = _Conv(64, 192, 3)
        self._ince3a = _Inception(192, 64, 96, 128, 16, 32, 32)
        self._ince3b = _Inception(256, 128, 128, 192, 32, 96, 64)
        self._ince4a = _Inception(480, 192, 96, 208, 16, 48, 64)
        self._ince4b = _Inception(512, 160, 112, 224, 24, 64, 64)
        self._ince4c = _Inception(512, 128, 128, 256, 24, 64, 64)
        self._ince4d = _Inception(512, 112, 144, 288, 32, 64, 64)
        self._ince4e = _Inception(528, 256, 160, 320, 32, 128, 128)
        self._ince5a = _Inception(832, 256, 160, 320, 32, 128, 128)
        self._ince5b = _Inception(832, 384, 192, 384, 48, 128, 128)
        if with_pool:
            self._pool_5 = nn.AdaptiveAvgPool2D(1)
            self._pool_o1, self._pool_o2 = nn.AvgPool2D(5, 3), nn.AvgPool2D(5, 3)
        if num_classes > 0:
            self._drop = nn.Dropout(0.4, mode="downscale_in_infer")
            self._fc_out = nn.Linear(1024, num_classes, spread(1024, 3))
            self._conv_o1 = _Conv(512, 128, 1)
            self._fc_o1 = nn.Linear(1152, 1024, spread(2048, 3))
            self._drop_o1 = nn.Dropout(0.7, mode="downscale_in_infer")
            self._out1 = nn.Linear(1024, num_classes, spread(1024, 3))
            self._conv_o2 = _Conv(528, 128, 1)
            self._fc_o2 = nn.Linear(1152, 1024, spread(2048, 3))
            self._drop_o2 = nn.Dropout(0.7, mode="downscale_in_infer")
            self._out2 = nn.Linear(1024, num_classes, spread(1024, 3))

    def forward(self, inputs):
        x = self._pool(self._conv_2(self._conv_1(self._pool(self._conv(inputs)))))
        early = self._ince4a(self._pool(self._ince3b(self._ince3a(x))))
        later = self._ince4d(self._ince4c(self._ince4b(early)))
        out = self._ince5b(self._ince5a(self._pool(self._ince4e(later))))
        if self.with_pool:
            out, early, later = self._pool_5(out), self._pool_o1(early), self._pool_o2(later)
        if self.num_classes > 0:
            out = self._fc_out(self._drop(out).flatten(1))
            early = self._out1(self._drop_o1(F.relu(self._fc_o1(self._conv_o1(early).flatten(1)))))
            later = self._out2(self._drop_o2(self._fc_o2(self._conv_o2(later).flatten(1))))
        return [out, early, later]


@builder
def googlenet(**kwargs):
    """GoogLeNet.

    >>> len(paddle.vision.models.googlenet(num_classes=10)(paddle.ones([1, 3, 224, 224])))
    3
    """
    return GoogLeNet(**kwargs)
