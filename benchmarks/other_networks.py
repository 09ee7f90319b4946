"""Networks beside those of the tables, so that nothing is tuned to a few shapes: networks.py measures them as it does the others.

``shuffle``: ShuffleNetV2's units (split, depthwise, channels in another order); ``efficient``: inverted residuals with gates of
channels and hard swish; ``dense``: DenseNet's growing concatenations; ``decoder``: segmentation with bilinear upsampling and skips;
``vgg``: plain convolutions with pooling, and large linear layers. Trained only: ``gpt``, causal attention over a long text, and
``video``, convolutions over three axes.
"""


def unit(kit, i, o, k=3, s=1, g=1, act=None):
    """Convolution, batch norm and an activation."""
    return kit.sequence(kit.conv(i, o, k, s, k // 2, 1, g, bias=False), kit.norm(o), *([act()] if act else []))


def head(kit, parts, channels):
    return kit.sequence(*parts, kit.average(1), kit.flatten(), kit.linear(channels, 100))


def shuffle(kit):
    class Unit(kit.base):
        def __init__(self, i, o, s):
            super().__init__()
            self.stride, half = s, o // 2
            first = i if s == 2 else half
            self.right = kit.sequence(unit(kit, first, half, 1, act=kit.relu), unit(kit, half, half, 3, s, half),
                                      unit(kit, half, half, 1, act=kit.relu))
            self.left = kit.sequence(unit(kit, i, i, 3, 2, i), unit(kit, i, half, 1, act=kit.relu)) if s == 2 else kit.none()

        def forward(self, x):
            left, right = (x, x) if self.stride == 2 else kit.halves(x)
            y = kit.join([self.left(left), self.right(right)])
            n, c, h, w = y.shape
            return kit.reordered(y.reshape([n, 2, c // 2, h, w]), [0, 2, 1, 3, 4]).reshape([n, c, h, w])
    parts, i = [unit(kit, 3, 24, 3, 2, act=kit.relu), kit.pool(3, 2, 1)], 24
    for o, count in ((116, 4), (232, 8), (464, 4)):
        for n in range(count):
            parts.append(Unit(i, o, 2 if n == 0 else 1))
            i = o
    return head(kit, [*parts, unit(kit, i, 1024, 1, act=kit.relu)], 1024)


def efficient(kit):
    class Gate(kit.base):
        def __init__(self, c):
            super().__init__()
            self.pool, self.down, self.up = kit.average(1), kit.conv(c, c // 4, 1), kit.conv(c // 4, c, 1)

        def forward(self, x):
            return x * kit.functional.sigmoid(self.up(kit.functional.relu(self.down(self.pool(x)))))

    class Block(kit.base):
        def __init__(self, i, o, factor, k, s):
            super().__init__()
            wide, self.added = i * factor, s == 1 and i == o
            self.body = kit.sequence(unit(kit, i, wide, 1, act=kit.hard_swish), unit(kit, wide, wide, k, s, wide, kit.hard_swish),
                                     Gate(wide), unit(kit, wide, o, 1))

        def forward(self, x):
            return x + self.body(x) if self.added else self.body(x)
    parts, i = [unit(kit, 3, 32, 3, 2, act=kit.hard_swish)], 32
    for factor, o, count, s, k in ((1, 16, 1, 1, 3), (6, 24, 2, 2, 3), (6, 40, 2, 2, 5), (6, 80, 3, 2, 3), (6, 112, 3, 1, 5),
                                   (6, 192, 4, 2, 5)):
        for n in range(count):
            parts.append(Block(i, o, factor, k, s if n == 0 else 1))
            i = o
    return head(kit, [*parts, unit(kit, i, 1280, 1, act=kit.hard_swish)], 1280)


def dense(kit):
    class Layer(kit.base):
        def __init__(self, i, growth=32):
            super().__init__()
            self.body = kit.sequence(kit.norm(i), kit.relu(), kit.conv(i, 4 * growth, 1, bias=False), kit.norm(4 * growth),
                                     kit.relu(), kit.conv(4 * growth, growth, 3, 1, 1, bias=False))

        def forward(self, x):
            return kit.join([x, self.body(x)])
    parts, i = [unit(kit, 3, 64, 7, 2, act=kit.relu), kit.pool(3, 2, 1)], 64
    for number, count in enumerate((4, 6, 8)):
        for _ in range(count):
            parts.append(Layer(i))
            i += 32
        if number < 2:
            parts += [kit.norm(i), kit.relu(), kit.conv(i, i // 2, 1, bias=False), kit.pool(2, 2)]
            i //= 2
    return head(kit, [*parts, kit.norm(i), kit.relu()], i)


def decoder(kit):
    class Decoder(kit.base):
        def __init__(self):
            super().__init__()
            self.first, self.second = unit(kit, 3, 32, 3, 2, act=kit.relu), unit(kit, 32, 64, 3, 2, act=kit.relu)
            self.third, self.fourth = unit(kit, 64, 128, 3, 2, act=kit.relu), unit(kit, 128, 256, 3, 2, act=kit.relu)
            self.up3, self.up2 = unit(kit, 256 + 128, 128, act=kit.relu), unit(kit, 128 + 64, 64, act=kit.relu)
            self.up1, self.last = unit(kit, 64 + 32, 32, act=kit.relu), kit.conv(32, 21, 1)

        def forward(self, x):
            def twice(y):
                return kit.functional.interpolate(y, scale_factor=2, mode="bilinear", align_corners=False)
            a = self.first(x)
            b = self.second(a)
            c = self.third(b)
            y = self.up3(kit.join([twice(self.fourth(c)), c]))
            y = self.up2(kit.join([twice(y), b]))
            return twice(self.last(self.up1(kit.join([twice(y), a]))))
    return Decoder()


def vgg(kit):
    parts, i = [], 3
    for widths in ((64,), (128,), (256, 256), (512, 512), (512, 512)):
        for o in widths:
            parts += [kit.conv(i, o, 3, 1, 1), kit.relu()]
            i = o
        parts.append(kit.pool(2, 2))
    return kit.sequence(*parts, kit.average(1), kit.flatten(), kit.linear(i, 4096), kit.relu(), kit.linear(4096, 4096), kit.relu(),
                        kit.linear(4096, 100))


def gpt(kit, d=128, heads=4, layers=2, words=1000):
    class Block(kit.base):
        def __init__(self):
            super().__init__()
            self.first, self.second = kit.layer_norm(d), kit.layer_norm(d)
            self.all, self.out = kit.linear(d, 3 * d), kit.linear(d, d)
            self.wide, self.narrow = kit.linear(d, 4 * d), kit.linear(4 * d, d)

        def forward(self, x):
            n, length, _ = x.shape
            y = self.all(self.first(x)).reshape([n, length, 3, heads, d // heads])
            x = x + self.out(kit.attend(*(y[:, :, k] for k in range(3))).reshape([n, length, d]))
            return x + self.narrow(kit.functional.gelu(self.wide(self.second(x))))
    return kit.sequence(kit.embed(words, d), *(Block() for _ in range(layers)), kit.layer_norm(d), kit.linear(d, words))


def video(kit):
    parts = []
    for i, o in ((3, 16), (16, 32), (32, 64)):
        parts += [kit.conv3d(i, o, 3, padding=1), kit.norm3d(o), kit.relu(), kit.pool3d(2)]
    return kit.sequence(*parts, kit.flatten(), kit.linear(64 * 2 * 4 * 4, 10))


NETWORKS = {"vgg": vgg, "shuffle": shuffle, "efficient": efficient, "dense": dense, "decoder": decoder}
