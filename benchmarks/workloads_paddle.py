"""The workloads on the 2.x API: the same text runs on our package and on the original.

Each entry of WORKLOADS takes a number of threads and returns (call, operations per call, unit).
"""

import data
import numpy as np

import paddle
import paddle.nn as nn
import paddle.nn.functional as F

RNG = np.random.RandomState(0)


def tensor(*shape, grad=False):
    return paddle.to_tensor(RNG.rand(*shape).astype("float32"), stop_gradient=not grad)


class LeNet(nn.Layer):
    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2D(1, 20, 5), nn.Conv2D(20, 50, 5)
        self.pool, self.fc = nn.MaxPool2D(2, 2), nn.Linear(800, 10)

    def forward(self, x):
        x = self.pool(F.relu(self.conv1(x)))
        x = self.pool(F.relu(self.conv2(x)))
        return self.fc(paddle.flatten(x, 1))


class ResNet18(nn.Layer):
    def __init__(self):
        super().__init__()

        def block(inside, out, stride):
            layers = [nn.Conv2D(inside, out, 3, stride, 1, bias_attr=False), nn.BatchNorm2D(out), nn.ReLU(),
                      nn.Conv2D(out, out, 3, 1, 1, bias_attr=False), nn.BatchNorm2D(out)]
            short = nn.Sequential(nn.Conv2D(inside, out, 1, stride, bias_attr=False), nn.BatchNorm2D(out)) \
                if stride != 1 or inside != out else nn.Identity()
            return nn.LayerList([nn.Sequential(*layers), short])
        self.stem = nn.Sequential(nn.Conv2D(3, 64, 7, 2, 3, bias_attr=False), nn.BatchNorm2D(64), nn.ReLU(),
                                  nn.MaxPool2D(3, 2, 1))
        sizes = [(64, 64, 1), (64, 64, 1), (64, 128, 2), (128, 128, 1), (128, 256, 2), (256, 256, 1), (256, 512, 2),
                 (512, 512, 1)]
        self.blocks = nn.LayerList([block(*s) for s in sizes])
        self.fc = nn.Linear(512, 10)

    def forward(self, x):
        x = self.stem(x)
        for body, short in self.blocks:
            x = F.relu(body(x) + short(x))
        return self.fc(paddle.flatten(F.adaptive_avg_pool2d(x, 1), 1))


def training(net, x, loss):
    optimizer = paddle.optimizer.Adam(1e-3, parameters=net.parameters())

    def step():
        loss(net(x)).backward()
        optimizer.step()
        optimizer.clear_grad()
    return step


def classify(classes, batch):
    label = paddle.to_tensor(RNG.randint(0, classes, (batch,)).astype("int64"))
    return lambda y: F.cross_entropy(y, label)


def small_forward(threads):
    x, y = tensor(2, 2), tensor(2, 2)

    def call():
        with paddle.no_grad():
            for _ in range(100):
                x + y
    return call, 0.1, "us"


def small_train(threads):
    x, w, b = tensor(4, 4), tensor(4, 4, grad=True), tensor(4, 4, grad=True)

    def call():
        y = x
        for _ in range(33):
            y = F.relu(y * w + b)
        y.sum().backward()
        w.clear_gradient()
        b.clear_gradient()
    return call, 0.1, "us"


def lenet_step(threads):
    return training(LeNet(), tensor(64, 1, 28, 28), classify(10, 64)), 1, "ms"


def lenet_infer(batch):
    def workload(threads):
        net, x = LeNet(), tensor(batch, 1, 28, 28)
        net.eval()

        def call():
            with paddle.no_grad():
                net(x)
        return call, 1, "ms"
    return workload


def resnet18_step(threads):
    return training(ResNet18(), tensor(16, 3, 64, 64), classify(10, 16)), 1, "ms"


def lstm_step(threads):
    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.lstm, self.fc = nn.LSTM(128, 128), nn.Linear(128, 10)

        def forward(self, x):
            return self.fc(self.lstm(x)[0][:, -1])
    return training(Net(), tensor(32, 32, 128), classify(10, 32)), 1, "ms"


def transformer_step(threads):
    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.body = nn.TransformerEncoder(nn.TransformerEncoderLayer(128, 4, 512, dropout=0.0), 2)
            self.fc = nn.Linear(128, 10)

        def forward(self, x):
            return self.fc(self.body(x).mean(1))
    return training(Net(), tensor(16, 64, 128), classify(10, 16)), 1, "ms"


def mlp_step(threads):
    """Seed 004's network with a branch that depends on the data of the step, fed from arrays."""
    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.first, self.middle, self.last = nn.Linear(128, 256), nn.Linear(256, 256), nn.Linear(256, 1)

        def forward(self, x):
            x = F.relu(self.first(x))
            if paddle.rand([1]) > 0.5:
                x = F.relu(self.middle(x))
            return self.last(x)
    net = Net()
    optimizer = paddle.optimizer.SGD(0.01, parameters=net.parameters())
    inputs, targets = RNG.randn(1000, 128).astype("float32"), RNG.randn(1000, 1).astype("float32")

    def step():
        index = RNG.choice(1000, 64, replace=False)
        F.mse_loss(net(paddle.to_tensor(inputs[index])), paddle.to_tensor(targets[index])).backward()
        optimizer.step()
        optimizer.clear_grad()
    return step, 1, "ms"


def autoencoder_step(threads):
    """Seed 004's autoencoder, one weight used twice."""
    x, linear = tensor(256, 64), nn.Linear(64, 8, bias_attr=False)
    optimizer = paddle.optimizer.Adam(0.01, parameters=linear.parameters())

    def step():
        F.mse_loss(paddle.matmul(linear(x), linear.weight, transpose_y=True), x).backward()
        optimizer.step()
        optimizer.clear_grad()
    return step, 1, "ms"


def linear_step(threads):
    """Seed 002's one-layer network."""
    net, images, loss = nn.Linear(784, 10), tensor(16, 1, 28, 28), classify(10, 16)
    optimizer = paddle.optimizer.SGD(1e-3, parameters=net.parameters())

    def step():
        loss(net(paddle.reshape(images * 2 - 1, [16, 784]))).backward()
        optimizer.step()
        optimizer.clear_grad()
    return step, 1, "ms"


def lenet_epoch(threads):
    net = LeNet()
    optimizer = paddle.optimizer.Adam(1e-3, parameters=net.parameters())

    def step(images, labels):
        F.cross_entropy(net(paddle.to_tensor(images)), paddle.to_tensor(labels)).backward()
        optimizer.step()
        optimizer.clear_grad()
    return data.feeding(step)


def dataloader(threads):
    class Pairs(data.Pairs, paddle.io.Dataset):
        pass
    return data.iterating(paddle.io.DataLoader(Pairs(), batch_size=64, shuffle=True, drop_last=True))


def matmul_1024(threads):
    a, b = tensor(1024, 1024), tensor(1024, 1024)
    return lambda: paddle.matmul(a, b), 1, "ms"


def big_elementwise(threads):
    x, y, z = (tensor(10_000_000) for _ in range(3))
    return lambda: F.relu(x * y + z), 1, "ms"


WORKLOADS = {"small_forward": small_forward, "small_train": small_train, "lenet_step": lenet_step, "lenet_epoch": lenet_epoch,
             "lenet_infer_64": lenet_infer(64), "lenet_infer_1": lenet_infer(1), "mlp_step": mlp_step,
             "autoencoder_step": autoencoder_step, "linear_step": linear_step, "resnet18_step": resnet18_step,
             "lstm_step": lstm_step, "transformer_step": transformer_step, "matmul_1024": matmul_1024,
             "big_elementwise": big_elementwise, "dataloader": dataloader}
