"""InceptionV3."""

from ... import nn
from ...tensor.joining import concat
from ..ops import ConvNormActivation
from .blocks import builder, spread


def _conv(inputs, outputs, kernel, stride=1, padding=0):
    return ConvNormActivation(inputs, outputs, kernel, stride, padding)


class _Stem(nn.Layer):
    def __init__(self):
        super().__init__()
        self.conv_1a_3x3 = _conv(3, 32, 3, 2)
        self.conv_2a_3x3 = _conv(32, 32, 3)
        self.conv_2b_3x3 = _conv(32, 64, 3, padding=1)
        self.max_pool = nn.MaxPool2D(3, 2)
        self.conv_3b_1x1 = _conv(64, 80, 1)
        self.conv_4a_3x3 = _conv(80, 192, 3)

    def forward(self, x):
        x = self.max_pool(self.conv_2b_3x3(self.conv_2a_3x3(self.conv_1a_3x3(x))))
        return self.max_pool(self.conv_4a_3x3(self.conv_3b_1x1(x)))


def _same_pool():
    return nn.AvgPool2D(3, 1, 1, exclusive=False)


class _A(nn.Layer):
    def __init__(self, inputs, pooled):
        super().__init__()
        self.branch1x1 = _conv(inputs, 64, 1)
        self.branch5x5_1 = _conv(inputs, 48, 1)
        self.branch5x5_2 = _conv(48, 64, 5, padding=2)
        self.branch3x3dbl_1 = _conv(inputs, 64, 1)
        self.branch3x3dbl_2 = _conv(64, 96, 3, padding=1)
        self.branch3x3dbl_3 = _conv(96, 96, 3, padding=1)
        self.branch_pool = _same_pool()
        self.branch_pool_conv = _conv(inputs, pooled, 1)

    def forward(self, x):
        double = self.branch3x3dbl_3(self.branch3x3dbl_2(self.branch3x3dbl_1(x)))
        return concat([self.branch1x1(x), self.branch5x5_2(self.branch5x5_1(x)), double,
                       self.branch_pool_conv(self.branch_pool(x))], axis=1)


class _B(nn.Layer):
    def __init__(self, inputs):
        super().__init__()
        self.branch3x3 = _conv(inputs, 384, 3, 2)
        self.branch3x3dbl_1 = _conv(inputs, 64, 1)
        self.branch3x3dbl_2 = _conv(64, 96, 3, padding=1)
        self.branch3x3dbl_3 = _conv(96, 96, 3, 2)
        self.branch_pool = nn.MaxPool2D(3, 2)

    def forward(self, x):
        double = self.branch3x3dbl_3(self.branch3x3dbl_2(self.branch3x3dbl_1(x)))
        return concat([self.branch3x3(x), double, self.branch_pool(x)], axis=1)


class _C(nn.Layer):
    def __init__(self, inputs, width):
        super().__init__()
        wide, high = {"kernel": (1, 7), "padding": (0, 3)}, {"kernel": (7, 1), "padding": (3, 0)}
        self.branch1x1 = _conv(inputs, 192, 1)
        self.branch7x7_1 = _conv(inputs, width, 1)
        self.branch7x7_2 = _conv(width, width, **wide)
        self.branch7x7_3 = _conv(width, 192, **high)
        self.branch7x7dbl_1 = _conv(inputs, width, 1)
        self.branch7x7dbl_2 = _conv(width, width, **high)
        self.branch7x7dbl_3 = _conv(width, width, **wide)
        self.branch7x7dbl_4 = _conv(width, width, **high)
        self.branch7x7dbl_5 = _conv(width, 192, **wide)
        self.branch_pool = _same_pool()
        self.branch_pool_conv = _conv(inputs, 192, 1)

    def forward(self, x):
        seven = self.branch7x7_3(self.branch7x7_2(self.branch7x7_1(x)))
        double = self.branch7x7dbl_3(self.branch7x7dbl_2(self.branch7x7dbl_1(x)))
        double = self.branch7x7dbl_5(self.branch7x7dbl_4(double))
        return concat([self.branch1x1(x), seven, double, self.branch_pool_conv(self.branch_pool(x))], axis=1)


class _D(nn.Layer):
    def __init__(self, inputs):
        super().__init__()
        self.branch3x3_1 = _conv(inputs, 192, 1)
        self.branch3x3_2 = _conv(192, 320, 3, 2)
        self.branch7x7x3_1 = _conv(inputs, 192, 1)
        self.branch7x7x3_2 = _conv(192, 192, (1, 7), padding=(0, 3))
        self.branch7x7x3_3 = _conv(192, 192, (7, 1), padding=(3, 0))
        self.branch7x7x3_4 = _conv(192, 192, 3, 2)
        self.branch_pool = nn.MaxPool2D(3, 2)

    def forward(self, x):
        seven = self.branch7x7x3_4(self.branch7x7x3_3(self.branch7x7x3_2(self.branch7x7x3_1(x))))
        return concat([self.branch3x3_2(self.branch3x3_1(x)), seven, self.branch_pool(x)], axis=1)


class _E(nn.Layer):
    def __init__(self, inputs):
        super().__init__()
        self.branch1x1 = _conv(inputs, 320, 1)
        self.branch3x3_1 = _conv(inputs, 384, 1)
        self.branch3x3_2a = _conv(384, 384, (1, 3), padding=(0, 1))
        self.branch3x3_2b = _conv(384, 384, (3, 1), padding=(1, 0))
        self.branch3x3dbl_1 = _conv(inputs, 448, 1)
        self.branch3x3dbl_2 = _conv(448, 384, 3, padding=1)
        self.branch3x3dbl_3a = _conv(384, 384, (1, 3), padding=(0, 1))
        self.branch3x3dbl_3b = _conv(384, 384, (3, 1), padding=(1, 0))
        self.branch_pool = _same_pool()
        self.branch_pool_conv = _conv(inputs, 192, 1)

    def forward(self, x):
        three = self.branch3x3_1(x)
        double = self.branch3x3dbl_2(self.branch3x3dbl_1(x))
        return concat([self.branch1x1(x), self.branch3x3_2a(three), self.branch3x3_2b(three), self.branch3x3dbl_3a(double),
                       self.branch3x3dbl_3b(double), self.branch_pool_conv(self.branch_pool(x))], axis=1)


class InceptionV3(nn.Layer):
    """InceptionV3 for [N, 3, 299, 299].

    >>> paddle.vision.models.InceptionV3(num_classes=10)(paddle.ones([1, 3, 75, 75])).shape
    [1, 10]
    """

    def __init__(self, num_classes=1000, with_pool=True):
        super().__init__()
        self.num_classes, self.with_pool = num_classes, with_pool
        self.inception_stem = _Stem()
        blocks = [_A(192, 32), _A(256, 64), _A(288, 64), _B(288), _C(768, 128), _C(768, 160), _C(768, 160), _C(768, 192),
                  _D(768), _E(1280), _E(2048)]
        self.inception_block_list = nn.LayerList(blocks)
        if with_pool:
            self.avg_pool = nn.AdaptiveAvgPool2D(1)
        if num_classes > 0:
            self.dropout = nn.Dropout(0.2, mode="downscale_in_infer")
            self.fc = nn.Linear(2048, num_classes, spread(2048))

    def forward(self, x):
        x = self.inception_stem(x)
        for block in self.inception_block_list:
            x = block(x)
        if self.with_pool:
            x = self.avg_pool(x)
        return self.fc(self.dropout(x.reshape([-1, 2048]))) if self.num_classes > 0 else x


@builder
def inception_v3(**kwargs):
    """InceptionV3.

    >>> paddle.vision.models.inception_v3(num_classes=10)(paddle.ones([1, 3, 75, 75])).shape
    [1, 10]
    """
    return InceptionV3(**kwargs)
