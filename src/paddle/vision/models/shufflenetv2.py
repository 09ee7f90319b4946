"""ShuffleNetV2."""

from ... import nn
from ...core.errors import check_choice
from ...nn import functional as F
from ...tensor.joining import concat
from ..ops import ConvNormActivation
from .blocks import builder

_CHANNELS = {0.25: (24, 24, 48, 96, 512), 0.33: (24, 32, 64, 128, 512), 0.5: (24, 48, 96, 192, 1024),
             1.0: (24, 116, 232, 464, 1024), 1.5: (24, 176, 352, 704, 1024), 2.0: (24, 224, 488, 976, 2048)}
_ACTIVATIONS = {"relu": nn.ReLU, "swish": nn.Swish}


class _Unit(nn.Layer):
    """Half of the channels pass, the other half is convolved; then they are shuffled."""

    def __init__(self, channels, activation):
        super().__init__()
        half = channels // 2
        self._conv_pw = ConvNormActivation(half, half, 1, activation_layer=activation)
        self._conv_dw = ConvNormActivation(half, half, 3, groups=half, activation_layer=None)
        self._conv_linear = ConvNormActivation(half, half, 1, activation_layer=activation)

    def forward(self, x):
        half = x.shape[1] // 2
        y = self._conv_linear(self._conv_dw(self._conv_pw(x[:, half:])))
        return F.channel_shuffle(concat([x[:, :half], y], axis=1), 2)


class _Downsampling(nn.Layer):
    """Two ways with stride 2 side by side, shuffled."""

    def __init__(self, inputs, channels, activation):
        super().__init__()
        half = channels // 2
        self._conv_dw_1 = ConvNormActivation(inputs, inputs, 3, 2, groups=inputs, activation_layer=None)
        self._conv_linear_1 = ConvNormActivation(inputs, half, 1, activation_layer=activation)
        self._conv_pw_2 = ConvNormActivation(inputs, half, 1, activation_layer=activation)
        self._conv_dw_2 = ConvNormActivation(half, half, 3, 2, groups=half, activation_layer=None)
        self._conv_linear_2 = ConvNormActivation(half, half, 1, activation_layer=activation)

    def forward(self, x):
        first = self._conv_linear_1(self._conv_dw_1(x))
        second = self._conv_linear_2(self._conv_dw_2(self._conv_pw_2(x)))
        return F.channel_shuffle(concat([first, second], axis=1), 2)


class ShuffleNetV2(nn.Layer):
    """ShuffleNetV2; ``scale`` is one of 0.25, 0.33, 0.5, 1.0, 1.5, 2.0, ``act`` 'relu' or 'swish'.

    >>> paddle.vision.models.ShuffleNetV2(scale=0.25, num_classes=10)(paddle.ones([1, 3, 32, 32])).shape
    [1, 10]
    """

    def __init__(self, scale=1.0, act="relu", num_classes=1000, with_pool=True):
        super().__init__()
        check_choice(scale, _CHANNELS, "ShuffleNetV2", "scale")
        check_choice(act, _ACTIVATIONS, "ShuffleNetV2", "act")
        self.scale, self.num_classes, self.with_pool = scale, num_classes, with_pool
        activation, channels = _ACTIVATIONS[act], _CHANNELS[scale]
        self._conv1 = ConvNormActivation(3, channels[0], 3, 2, activation_layer=activation)
        self._max_pool = nn.MaxPool2D(3, 2, 1)
        self._blocks = []
        for stage, count in enumerate((4, 8, 4)):
            for i in range(count):
                outputs = channels[stage + 1]
                block = _Unit(outputs, activation) if i else _Downsampling(channels[stage], outputs, activation)
                self._blocks.append(f"{stage + 2}_{i + 1}")
                self.add_sublayer(self._blocks[-1], block)
        self._last_conv = ConvNormActivation(channels[-2], channels[-1], 1, activation_layer=activation)
        if with_pool:
            self._pool2d_avg = nn.AdaptiveAvgPool2D(1)
        if num_classes > 0:
            self._fc = nn.Linear(channels[-1], num_classes)

    def forward(self, inputs):
        x = self._max_pool(self._conv1(inputs))
        for name in self._blocks:
            x = self._sub_layers[name](x)
        x = self._last_conv(x)
        if self.with_pool:
            x = self._pool2d_avg(x)
        return self._fc(x.flatten(1)) if self.num_classes > 0 else x


def _constructor(name, scale, act="relu"):
    def build(**kwargs):
        return ShuffleNetV2(scale=scale, act=act, **kwargs)
    build.__name__ = build.__qualname__ = name
    build.__doc__ = (f"ShuffleNetV2 with {scale} times the channels and {act}.\n\n"
                     f"    >>> paddle.vision.models.{name}(num_classes=10)(paddle.ones([1, 3, 32, 32])).shape\n    [1, 10]\n    ")
    return builder(build)


shufflenet_v2_x0_25 = _constructor("shufflenet_v2_x0_25", 0.25)
shufflenet_v2_x0_33 = _constructor("shufflenet_v2_x0_33", 0.33)
shufflenet_v2_x0_5 = _constructor("shufflenet_v2_x0_5", 0.5)
shufflenet_v2_x1_0 = _constructor("shufflenet_v2_x1_0", 1.0)
shufflenet_v2_x1_5 = _constructor("shufflenet_v2_x1_5", 1.5)
shufflenet_v2_x2_0 = _constructor("shufflenet_v2_x2_0", 2.0)
shufflenet_v2_swish = _constructor("shufflenet_v2_swish", 1.0, "swish")
