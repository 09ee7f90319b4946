"""Networks for pictures of alpha's hapi: Models with a softmax at their end unless told otherwise."""

from ...core.docstrings import documented_like
from ...fluid import layers
from ...fluid.dygraph.containers import Sequential
from ...fluid.dygraph.layers import Layer
from ...fluid.dygraph.nn import BatchNorm, Conv2D, Linear, Pool2D
from ...nn.initializer import KaimingUniform, Uniform
from ...nn.param_attr import ParamAttr
from .model import Model

__all__ = ["LeNet", "ResNet", "resnet18", "resnet34", "resnet50", "resnet101", "resnet152", "VGG", "vgg11", "vgg13", "vgg16",
           "vgg19", "MobileNetV1", "mobilenet_v1", "MobileNetV2", "mobilenet_v2"]

cfgs = {"A": [64, "M", 128, "M", 256, 256, "M", 512, 512, "M", 512, 512, "M"],
        "B": [64, 64, "M", 128, 128, "M", 256, 256, "M", 512, 512, "M", 512, 512, "M"],
        "D": [64, 64, "M", 128, 128, "M", 256, 256, 256, "M", 512, 512, 512, "M", 512, 512, 512, "M"],
        "E": [64, 64, "M", 128, 128, "M", 256, 256, 256, 256, "M", 512, 512, 512, 512, "M", 512, 512, 512, 512, "M"]}  # of VGG
_BLOCKS = {18: [2, 2, 2, 2], 34: [3, 4, 6, 3], 50: [3, 4, 6, 3], 101: [3, 4, 23, 3], 152: [3, 8, 36, 3]}


def _untrained(pretrained, name):
    """Refuse trained weights."""
    if pretrained:
        raise NotImplementedError(f"{name}(pretrained=True): the weights of 2.0 alpha are not read; load your own with load()")


class LeNet(Model):
    """Two convolutions and three dense layers, without activations between them (2.0 alpha; successor: paddle.vision.models.LeNet,
    which has some).

    Args:
        num_classes (int): 0 leaves the dense layers out; there are 10 classes otherwise.
        classifier_activation (str or None): at the end.
    """

    def __init__(self, num_classes=10, classifier_activation="softmax"):
        super().__init__()
        self.num_classes = num_classes
        self.features = Sequential(Conv2D(1, 6, 3, 1, 1), Pool2D(2, "max", 2), Conv2D(6, 16, 5, 1, 0), Pool2D(2, "max", 2))
        if num_classes > 0:
            self.fc = Sequential(Linear(400, 120), Linear(120, 84), Linear(84, 10, act=classifier_activation))

    def forward(self, inputs):
        """[N, 10] for pictures [N, 1, 28, 28]."""
        x = self.features(inputs)
        return self.fc(layers.flatten(x, 1)) if self.num_classes > 0 else x


class _ConvBN(Layer):
    """A convolution without bias, and batch norm."""

    def __init__(self, inputs, outputs, size, stride=1, groups=1, act=None, draw=None):
        super().__init__()
        self._conv = Conv2D(inputs, outputs, size, stride, (size - 1) // 2, groups=groups, bias_attr=False,
                            param_attr=ParamAttr(initializer=draw))
        self._batch_norm = BatchNorm(outputs, act=act)

    def forward(self, x):
        """Of the same batch."""
        return self._batch_norm(self._conv(x))


class BasicBlock(Layer):
    """Two convolutions of size 3, the second with the stride and an activation (2.0 alpha; successor:
    paddle.vision.models.resnet.BasicBlock)."""

    expansion = 1

    def __init__(self, num_channels, num_filters, stride, shortcut=True):
        super().__init__()
        self.conv0 = _ConvBN(num_channels, num_filters, 3, act="relu")
        self.conv1 = _ConvBN(num_filters, num_filters, 3, stride, act="relu")
        self.short = None if shortcut else _ConvBN(num_channels, num_filters, 1, stride)

    def forward(self, x):
        """[N, num_filters, H / stride, W / stride]."""
        return layers.relu(self.conv1(self.conv0(x)) + (x if self.short is None else self.short(x)))


class BottleneckBlock(Layer):
    """Convolutions of sizes 1, 3 and 1 (2.0 alpha; successor: paddle.vision.models.resnet.BottleneckBlock)."""

    expansion = 4

    def __init__(self, num_channels, num_filters, stride, shortcut=True):
        super().__init__()
        self.conv0 = _ConvBN(num_channels, num_filters, 1, act="relu")
        self.conv1 = _ConvBN(num_filters, num_filters, 3, stride, act="relu")
        self.conv2 = _ConvBN(num_filters, num_filters * 4, 1)
        self.short = None if shortcut else _ConvBN(num_channels, num_filters * 4, 1, stride)

    def forward(self, x):
        """[N, 4 * num_filters, H / stride, W / stride]."""
        return layers.relu(self.conv2(self.conv1(self.conv0(x))) + (x if self.short is None else self.short(x)))


class ResNet(Model):
    """Residual network (2.0 alpha; successor: paddle.vision.models.ResNet).

    Args:
        Block (type): BasicBlock or BottleneckBlock.
        depth (int): 18, 34, 50, 101 or 152.
        num_classes (int): of the dense layer.
        with_pool (bool): average over all places before it.
        classifier_activation (str or None): at the end.
    """

    def __init__(self, Block, depth=50, num_classes=1000, with_pool=True, classifier_activation="softmax"):
        super().__init__()
        if depth not in _BLOCKS:
            raise ValueError(f"ResNet(): depth must be one of {sorted(_BLOCKS)}, got {depth}")
        self.num_classes, self.with_pool = num_classes, with_pool
        self.conv, self.pool = _ConvBN(3, 64, 7, 2, act="relu"), Pool2D(3, "max", 2, 1)
        self.layers, width = [], 64
        for k, count in enumerate(_BLOCKS[depth]):
            blocks, filters = [], 64 << k
            for b in range(count):
                blocks.append(Block(width, filters, 2 if b == 0 and k else 1, shortcut=b > 0))
                width = filters * Block.expansion
            self.layers.append(self.add_sublayer(f"layer_{k}", Sequential(*blocks)))
        if with_pool:
            self.global_pool = Pool2D(7, "avg", global_pooling=True)
        if num_classes > 0:
            self.fc_input_dim = width
            self.fc = Linear(width, num_classes, ParamAttr(initializer=Uniform(-width ** -0.5, width ** -0.5)),
                             act=classifier_activation)

    def forward(self, inputs):
        """[N, num_classes] for pictures [N, 3, H, W]."""
        x = self.pool(self.conv(inputs))
        for layer in self.layers:
            x = layer(x)
        x = self.global_pool(x) if self.with_pool else x
        return self.fc(layers.reshape(x, [-1, self.fc_input_dim])) if self.num_classes > 0 else x


def _residual(depth, block):
    def make(pretrained=False, **kwargs):
        _untrained(pretrained, f"resnet{depth}")
        return ResNet(block, depth, **kwargs)
    make.__name__ = make.__qualname__ = f"resnet{depth}"
    make.__doc__ = f"ResNet of {depth} layers (2.0 alpha; successor: paddle.vision.models.resnet{depth})."
    return make


resnet18, resnet34 = _residual(18, BasicBlock), _residual(34, BasicBlock)
resnet50, resnet101, resnet152 = (_residual(depth, BottleneckBlock) for depth in (50, 101, 152))


class _Classifier(Layer):
    """Three dense layers with dropout between them."""

    def __init__(self, num_classes, act):
        super().__init__()
        self.linear1, self.linear2, self.linear3 = Linear(25088, 4096), Linear(4096, 4096), Linear(4096, num_classes, act=act)

    def forward(self, x):
        """[N, num_classes]."""
        for layer in (self.linear1, self.linear2):
            x = layers.dropout(layers.relu(layer(x)), 0.5)
        return self.linear3(x)


class VGG(Model):
    """Convolutions of size 3 and three dense layers (2.0 alpha; successor: paddle.vision.models.VGG).

    Args:
        features (Layer): the convolutions.
        num_classes (int): of the last layer; 0 leaves the dense layers out.
        classifier_activation (str or None): at the end.
    """

    def __init__(self, features, num_classes=1000, classifier_activation="softmax"):
        super().__init__()
        self.features, self.num_classes = features, num_classes
        if num_classes > 0:
            self.classifier = Sequential(_Classifier(num_classes, classifier_activation))

    def forward(self, x):
        """[N, num_classes] for pictures [N, 3, 224, 224]."""
        x = self.features(x)
        return self.classifier(layers.flatten(x, 1)) if self.num_classes > 0 else x


def make_layers(cfg, batch_norm=False):
    """The convolutions of VGG: numbers of filters, and "M" for a pooling (2.0 alpha; successor: paddle.vision.models.vgg11 ...)."""
    parts, width = [], 3
    for size in cfg:
        if size == "M":
            parts.append(Pool2D(2, "max", 2))
            continue
        parts += [Conv2D(width, size, 3, padding=1), BatchNorm(size, act="relu")] if batch_norm else [
            Conv2D(width, size, 3, padding=1, act="relu")]
        width = size
    return Sequential(*parts)


def _vgg(depth, letter):
    def make(pretrained=False, batch_norm=False, **kwargs):
        _untrained(pretrained, f"vgg{depth}")
        return VGG(make_layers(cfgs[letter], batch_norm), 1000, **kwargs)
    make.__name__ = make.__qualname__ = f"vgg{depth}"
    make.__doc__ = f"VGG of {depth} layers (2.0 alpha; successor: paddle.vision.models.vgg{depth})."
    return make


vgg11, vgg13, vgg16, vgg19 = _vgg(11, "A"), _vgg(13, "B"), _vgg(16, "D"), _vgg(19, "E")


class MobileNetV1(Model):
    """Convolutions by channel and of size 1 in turn (2.0 alpha; successor: paddle.vision.models.MobileNetV1).

    Args:
        scale (float): factor of all widths.
        num_classes (int): of the last layer; 0 leaves it out.
        with_pool (bool): average over all places before it.
        classifier_activation (str or None): at the end.
    """

    _PLAN = [(64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), *[(512, 1)] * 5, (1024, 2), (1024, 1)]

    def __init__(self, scale=1.0, num_classes=1000, with_pool=True, classifier_activation="softmax"):
        super().__init__()
        self.scale, self.num_classes, self.with_pool, width = scale, num_classes, with_pool, int(32 * scale)
        parts = [_ConvBN(3, width, 3, 2, act="relu", draw=KaimingUniform())]
        for filters, stride in self._PLAN:
            parts.append(_ConvBN(width, width, 3, stride, width, "relu", KaimingUniform()))
            parts.append(_ConvBN(width, int(filters * scale), 1, act="relu", draw=KaimingUniform()))
            width = int(filters * scale)
        self.features, self._width = Sequential(*parts), width
        if with_pool:
            self.pool2d_avg = Pool2D(pool_type="avg", global_pooling=True)
        if num_classes > 0:
            self.out = Linear(width, num_classes, ParamAttr(initializer=KaimingUniform()), act=classifier_activation)

    def forward(self, inputs):
        """[N, num_classes] for pictures [N, 3, H, W]."""
        x = self.features(inputs)
        x = self.pool2d_avg(x) if self.with_pool else x
        return self.out(layers.reshape(x, [-1, self._width])) if self.num_classes > 0 else x


def mobilenet_v1(pretrained=False, scale=1.0, **kwargs):
    """MobileNetV1 (2.0 alpha; successor: paddle.vision.models.mobilenet_v1)."""
    _untrained(pretrained, "mobilenet_v1")
    return MobileNetV1(scale, **kwargs)


class _Inverted(Layer):
    """Wider, by channel, narrower again; added to its input where it repeats."""

    def __init__(self, inputs, outputs, stride, factor, added):
        super().__init__()
        wide, self._added = inputs * factor, added
        self._expand_conv, self._bottleneck_conv = _ConvBN(inputs, wide, 1), _ConvBN(wide, wide, 3, stride, wide)
        self._linear_conv = _ConvBN(wide, outputs, 1)

    def forward(self, x):
        """[N, outputs, H / stride, W / stride]."""
        y = self._linear_conv(layers.relu6(self._bottleneck_conv(layers.relu6(self._expand_conv(x)))))
        return x + y if self._added else y


@documented_like(MobileNetV1)
class MobileNetV2(Model):
    """Inverted residual blocks (2.0 alpha; successor: paddle.vision.models.MobileNetV2)."""

    _PLAN = [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)]

    def __init__(self, scale=1.0, num_classes=1000, with_pool=True, classifier_activation="softmax"):
        super().__init__()
        self.scale, self.num_classes, self.with_pool, width, parts = scale, num_classes, with_pool, int(32 * scale), []
        self._conv1 = _ConvBN(3, width, 3, 2)
        for factor, filters, count, stride in self._PLAN:
            for k in range(count):
                parts.append(_Inverted(width, int(filters * scale), 1 if k else stride, factor, k > 0))
                width = int(filters * scale)
        self._blocks, self._out_c = Sequential(*parts), int(1280 * scale) if scale > 1 else 1280
        self._conv9 = _ConvBN(width, self._out_c, 1)
        if with_pool:
            self._pool2d_avg = Pool2D(pool_type="avg", global_pooling=True)
        if num_classes > 0:
            self._fc = Linear(self._out_c, num_classes, act=classifier_activation)

    def forward(self, inputs):
        """[N, num_classes] for pictures [N, 3, H, W]."""
        x = layers.relu6(self._conv9(self._blocks(layers.relu6(self._conv1(inputs)))))
        x = self._pool2d_avg(x) if self.with_pool else x
        return self._fc(layers.reshape(x, [-1, self._out_c])) if self.num_classes > 0 else x


def mobilenet_v2(pretrained=False, scale=1.0, **kwargs):
    """MobileNetV2 (2.0 alpha; successor: paddle.vision.models.mobilenet_v2)."""
    _untrained(pretrained, "mobilenet_v2")
    return MobileNetV2(scale, **kwargs)
