"""SqueezeNet."""

from ... import nn
from ...core.errors import check_choice
from ...nn import functional as F
from ...tensor.joining import concat
from .blocks import builder

_FIRES = [(16, 64), (16, 64), (32, 128), (32, 128), (48, 192), (48, 192), (64, 256), (64, 256)]
_POOLED_AFTER = {"1.0": (3, 7), "1.1": (2, 4)}


class _Conv(nn.Layer):
    def __init__(self, inputs, outputs, kernel, padding=0):
        super().__init__()
        self._conv = nn.Conv2D(inputs, outputs, kernel, padding=padding)

    def forward(self, x):
        return F.relu(self._conv(x))


class _Fire(nn.Layer):
    """Squeeze to few channels, expand by 1x1 and 3x3 convolutions side by side."""

    def __init__(self, inputs, squeezed, expanded):
        super().__init__()
        self._conv = _Conv(inputs, squeezed, 1)
        self._conv_path1 = _Conv(squeezed, expanded, 1)
        self._conv_path2 = _Conv(squeezed, expanded, 3, padding=1)

    def forward(self, x):
        x = self._conv(x)
        return concat([self._conv_path1(x), self._conv_path2(x)], axis=1)


class SqueezeNet(nn.Layer):
    """SqueezeNet, version '1.0' or '1.1'.

    >>> paddle.vision.models.SqueezeNet("1.1", num_classes=10)(paddle.ones([1, 3, 64, 64])).shape
    [1, 10]
    """

    def __init__(self, version, num_classes=1000, with_pool=True):
        super().__init__()
        check_choice(version, _POOLED_AFTER, "SqueezeNet", "version")
        self.version, self.num_classes, self.with_pool = version, num_classes, with_pool
        first = 96 if version == "1.0" else 64
        if version == "1.0":
            self._conv = nn.Conv2D(3, first, 7, stride=2)
        else:
            self._conv = nn.Conv2D(3, first, 3, stride=2, padding=1)
        self._pool = nn.MaxPool2D(3, 2)
        inputs = first
        for i, (squeezed, expanded) in enumerate(_FIRES):
            setattr(self, f"_conv{i + 1}", _Fire(inputs, squeezed, expanded))
            inputs = 2 * expanded
        self._drop = nn.Dropout(0.5, mode="downscale_in_infer")
        self._conv9 = nn.Conv2D(512, num_classes, 1)
        self._avg_pool = nn.AdaptiveAvgPool2D(1)

    def forward(self, inputs):
        x = self._pool(F.relu(self._conv(inputs)))
        for i in range(1, 9):
            x = getattr(self, f"_conv{i}")(x)
            if i in _POOLED_AFTER[self.version]:
                x = self._pool(x)
        if self.num_classes > 0:
            x = self._conv9(self._drop(x))
        if self.with_pool:
            x = self._avg_pool(F.relu(x)).squeeze([2, 3])
        return x


@builder
def squeezenet1_0(**kwargs):
    """SqueezeNet 1.0.

    >>> paddle.vision.models.squeezenet1_0(num_classes=10)(paddle.ones([1, 3, 64, 64])).shape
    [1, 10]
    """
    return SqueezeNet("1.0", **kwargs)


@builder
def squeezenet1_1(**kwargs):
    """SqueezeNet 1.1.

    >>> paddle.vision.models.squeezenet1_1(num_classes=10)(paddle.ones([1, 3, 64, 64])).shape
    [1, 10]
    """
    return SqueezeNet("1.1", **kwargs)
