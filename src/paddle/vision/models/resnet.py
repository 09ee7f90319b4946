"""ResNet, ResNeXt and wide ResNet."""

from ... import nn
from .blocks import builder

_DEPTHS = {18: (2, 2, 2, 2), 34: (3, 4, 6, 3), 50: (3, 4, 6, 3), 101: (3, 4, 23, 3), 152: (3, 8, 36, 3)}


class BasicBlock(nn.Layer):
    """Two 3x3 convolutions and a shortcut."""

    expansion = 1

    def __init__(self, inplanes, planes, stride=1, downsample=None, groups=1, base_width=64, dilation=1, norm_layer=None):
        super().__init__()
        norm = norm_layer or nn.BatchNorm2D
        if dilation > 1:
            raise NotImplementedError("BasicBlock(): dilation above 1 is not supported")
        self.conv1 = nn.Conv2D(inplanes, planes, 3, padding=1, stride=stride, bias_attr=False)
        self.bn1 = norm(planes)
        self.relu = nn.ReLU()
        self.conv2 = nn.Conv2D(planes, planes, 3, padding=1, bias_attr=False)
        self.bn2 = norm(planes)
        self.downsample, self.stride = downsample, stride

    def forward(self, x):
        shortcut = x if self.downsample is None else self.downsample(x)
        y = self.relu(self.bn1(self.conv1(x)))
        return self.relu(self.bn2(self.conv2(y)) + shortcut)


class BottleneckBlock(nn.Layer):
    """1x1, 3x3 and 1x1 convolutions and a shortcut."""

    expansion = 4

    def __init__(self, inplanes, planes, stride=1, downsample=None, groups=1, base_width=64, dilation=1, norm_layer=None):
        super().__init__()
        norm = norm_layer or nn.BatchNorm2D
        width = int(planes * (base_width / 64.0)) * groups
        self.conv1 = nn.Conv2D(inplanes, width, 1, bias_attr=False)
        self.bn1 = norm(width)
        self.conv2 = nn.Conv2D(width, width, 3, padding=dilation, stride=stride, groups=groups, dilation=dilation,
                               bias_attr=False)
        self.bn2 = norm(width)
        self.conv3 = nn.Conv2D(width, planes * self.expansion, 1, bias_attr=False)
        self.bn3 = norm(planes * self.expansion)
        self.relu = nn.ReLU()
        self.downsample, self.stride = downsample, stride

    def forward(self, x):
        shortcut = x if self.downsample is None else self.downsample(x)
        y = self.relu(self.bn1(self.conv1(x)))
        y = self.relu(self.bn2(self.conv2(y)))
        return self.relu(self.bn3(self.conv3(y)) + shortcut)


class ResNet(nn.Layer):
    """ResNet of a block class and a depth (18, 34, 50, 101, 152).

    Args:
        width: base width of a bottleneck's 3x3 convolution; groups: its groups (ResNeXt).
        num_classes: 0 leaves the linear layer out; with_pool=False the pooling before it.

    >>> from paddle.vision.models.resnet import BasicBlock
    >>> paddle.vision.models.ResNet(BasicBlock, 18, num_classes=10)(paddle.ones([1, 3, 32, 32])).shape
    [1, 10]
    """

    def __init__(self, block, depth=50, width=64, num_classes=1000, with_pool=True, groups=1):
        super().__init__()
        if depth not in _DEPTHS:
            raise ValueError(f"ResNet(): depth must be one of {list(_DEPTHS)}, got {depth}")
        self.groups, self.base_width, self.num_classes, self.with_pool = groups, width, num_classes, with_pool
        self._norm_layer, self.inplanes, self.dilation = nn.BatchNorm2D, 64, 1
        self.conv1 = nn.Conv2D(3, 64, 7, stride=2, padding=3, bias_attr=False)
        self.bn1 = nn.BatchNorm2D(64)
        self.relu = nn.ReLU()
        self.maxpool = nn.MaxPool2D(3, 2, 1)
        for i, (planes, count) in enumerate(zip((64, 128, 256, 512), _DEPTHS[depth])):
            setattr(self, f"layer{i + 1}", self._make_layer(block, planes, count, 1 if i == 0 else 2))
        if with_pool:
            self.avgpool = nn.AdaptiveAvgPool2D((1, 1))
        if num_classes > 0:
            self.fc = nn.Linear(512 * block.expansion, num_classes)

    def _make_layer(self, block, planes, blocks, stride=1, dilate=False):
        """One stage; networks derived from this one call it, with block classes of their own. ``dilate`` widens the windows of the
        stage after it rather than step."""
        dilation, downsample, norm = self.dilation, None, self._norm_layer
        if dilate:
            self.dilation, stride = self.dilation * stride, 1
        if stride != 1 or self.inplanes != planes * block.expansion:
            downsample = nn.Sequential(nn.Conv2D(self.inplanes, planes * block.expansion, 1, stride=stride, bias_attr=False),
                                       norm(planes * block.expansion))
        layers = [block(self.inplanes, planes, stride, downsample, self.groups, self.base_width, dilation, norm)]
        self.inplanes = planes * block.expansion
        layers += [block(self.inplanes, planes, groups=self.groups, base_width=self.base_width, norm_layer=norm)
                   for _ in range(1, blocks)]
        return nn.Sequential(*layers)

    def forward(self, x):
        x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        if self.with_pool:
            x = self.avgpool(x)
        return self.fc(x.flatten(1)) if self.num_classes > 0 else x


def _constructor(name, depth, doc, **fixed):
    def build(**kwargs):
        return ResNet(BasicBlock if depth < 50 else BottleneckBlock, depth, **{**fixed, **kwargs})
    build.__name__ = build.__qualname__ = name
    count = len(_DEPTHS[depth])
    build.__doc__ = (f"{doc}\n\n    >>> model = paddle.vision.models.{name}(num_classes=0)\n"
                     f"    >>> len([n for n, _ in model.named_children() if n.startswith('layer')])\n    {count}\n    ")
    return builder(build)


resnet18 = _constructor("resnet18", 18, "ResNet with 18 layers.")
resnet34 = _constructor("resnet34", 34, "ResNet with 34 layers.")
resnet50 = _constructor("resnet50", 50, "ResNet with 50 layers.")
resnet101 = _constructor("resnet101", 101, "ResNet with 101 layers.")
resnet152 = _constructor("resnet152", 152, "ResNet with 152 layers.")
resnext50_32x4d = _constructor("resnext50_32x4d", 50, "ResNeXt, 50 layers, 32 groups of 4 channels.", groups=32, width=4)
resnext50_64x4d = _constructor("resnext50_64x4d", 50, "ResNeXt, 50 layers, 64 groups of 4 channels.", groups=64, width=4)
resnext101_32x4d = _constructor("resnext101_32x4d", 101, "ResNeXt, 101 layers, 32 groups of 4 channels.", groups=32, width=4)
resnext101_64x4d = _constructor("resnext101_64x4d", 101, "ResNeXt, 101 layers, 64 groups of 4 channels.", groups=64, width=4)
resnext152_32x4d = _constructor("resnext152_32x4d", 152, "ResNeXt, 152 layers, 32 groups of 4 channels.", groups=32, width=4)
resnext152_64x4d = _constructor("resnext152_64x4d", 152, "ResNeXt, 152 layers, 64 groups of 4 channels.", groups=64, width=4)
wide_resnet50_2 = _constructor("wide_resnet50_2", 50, "ResNet with 50 layers, 3x3 convolutions twice as wide.", width=128)
wide_resnet101_2 = _constructor("wide_resnet101_2", 101, "ResNet with 101 layers, 3x3 convolutions twice as wide.", width=128)
