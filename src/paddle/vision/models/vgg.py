"""VGG."""

from ... import nn
from .blocks import builder

_REPEATS = {11: (1, 1, 2, 2, 2), 13: (2, 2, 2, 2, 2), 16: (2, 2, 3, 3, 3), 19: (2, 2, 4, 4, 4)}  # convolutions of each stage
_CHANNELS = (64, 128, 256, 512, 512)


class VGG(nn.Layer):
    """Given convolutions, pooling to 7 x 7, three linear layers.

    >>> features = paddle.nn.Conv2D(3, 512, 3, stride=16)
    >>> paddle.vision.models.VGG(features, num_classes=4)(paddle.ones([1, 3, 64, 64])).shape
    [1, 4]
    """

    def __init__(self, features, num_classes=1000, with_pool=True):
        super().__init__()
        self.features, self.num_classes, self.with_pool = features, num_classes, with_pool
        if with_pool:
            self.avgpool = nn.AdaptiveAvgPool2D((7, 7))
        if num_classes > 0:
            self.classifier = nn.Sequential(nn.Linear(512 * 7 * 7, 4096), nn.ReLU(), nn.Dropout(), nn.Linear(4096, 4096),
                                            nn.ReLU(), nn.Dropout(), nn.Linear(4096, num_classes))

    def forward(self, x):
        x = self.features(x)
        if self.with_pool:
            x = self.avgpool(x)
        return self.classifier(x.flatten(1)) if self.num_classes > 0 else x


def make_layers(cfg, batch_norm=False):
    """The convolutions of a VGG: a number of channels for each, "M" for pooling that halves the image."""
    layers, inputs = [], 3
    for entry in cfg:
        if entry == "M":
            layers.append(nn.MaxPool2D(2, 2))
            continue
        layers.append(nn.Conv2D(inputs, entry, 3, padding=1))
        layers += [nn.BatchNorm2D(entry), nn.ReLU()] if batch_norm else [nn.ReLU()]
        inputs = entry
    return nn.Sequential(*layers)


def _vgg(depth, batch_norm, **kwargs):
    stages = [[channels] * repeats + ["M"] for channels, repeats in zip(_CHANNELS, _REPEATS[depth])]
    return VGG(make_layers(sum(stages, []), batch_norm), **kwargs)


@builder
def vgg11(batch_norm=False, **kwargs):
    """VGG with 11 layers.

    >>> len(paddle.vision.models.vgg11(num_classes=0).parameters())
    16
    """
    return _vgg(11, batch_norm, **kwargs)


@builder
def vgg13(batch_norm=False, **kwargs):
    """VGG with 13 layers.

    >>> len(paddle.vision.models.vgg13(num_classes=0).parameters())
    20
    """
    return _vgg(13, batch_norm, **kwargs)


@builder
def vgg16(batch_norm=False, **kwargs):
    """VGG with 16 layers.

    >>> len(paddle.vision.models.vgg16(num_classes=0).parameters())
    26
    """
    return _vgg(16, batch_norm, **kwargs)


@builder
def vgg19(batch_norm=False, **kwargs):
    """VGG with 19 layers.

    >>> len(paddle.vision.models.vgg19(num_classes=0).parameters())
    32
    """
    return _vgg(19, batch_norm, **kwargs)
