"""The workloads of workloads_paddle.py in PyTorch."""

import data
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

RNG = np.random.RandomState(0)


def tensor(*shape, grad=False):
    return torch.from_numpy(RNG.rand(*shape).astype("float32")).requires_grad_(grad)


class LeNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(1, 20, 5), nn.Conv2d(20, 50, 5)
        self.pool, self.fc = nn.MaxPool2d(2, 2), nn.Linear(800, 10)

    def forward(self, x):
        x = self.pool(F.relu(self.conv1(x)))
        x = self.pool(F.relu(self.conv2(x)))
        return self.fc(torch.flatten(x, 1))


class Block(nn.Module):
    def __init__(self, inside, out, stride):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(inside, out, 3, stride, 1, bias=False), nn.BatchNorm2d(out), nn.ReLU(),
                                  nn.Conv2d(out, out, 3, 1, 1, bias=False), nn.BatchNorm2d(out))
        self.short = nn.Sequential(nn.Conv2d(inside, out, 1, stride, bias=False), nn.BatchNorm2d(out)) \
            if stride != 1 or inside != out else nn.Identity()

    def forward(self, x):
        return F.relu(self.body(x) + self.short(x))


def resnet18():
    sizes = [(64, 64, 1), (64, 64, 1), (64, 128, 2), (128, 128, 1), (128, 256, 2), (256, 256, 1), (256, 512, 2), (512, 512, 1)]
    return nn.Sequential(nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(3, 2, 1),
                         *[Block(*s) for s in sizes], nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 10))


def training(net, x, loss):
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)

    def step():
        loss(net(x)).backward()
        optimizer.step()
        optimizer.zero_grad()
    return step


def classify(classes, batch):
    label = torch.from_numpy(RNG.randint(0, classes, (batch,)).astype("int64"))
    return lambda y: F.cross_entropy(y, label)


def with_threads(make):
    def workload(threads):
        torch.set_num_threads(threads)
        return make(), 1, "ms"
    return workload


def small_forward(threads):
    torch.set_num_threads(threads)
    x, y = tensor(2, 2), tensor(2, 2)

    def call():
        with torch.no_grad():
            for _ in range(100):
                x + y
    return call, 0.1, "us"


def small_train(threads):
    torch.set_num_threads(threads)
    x, w, b = tensor(4, 4), tensor(4, 4, grad=True), tensor(4, 4, grad=True)

    def call():
        y = x
        for _ in range(33):
            y = F.relu(y * w + b)
        y.sum().backward()
        w.grad = b.grad = None
    return call, 0.1, "us"


def inference(batch):
    def make():
        net, x = LeNet().eval(), tensor(batch, 1, 28, 28)

        def call():
            with torch.no_grad():
                net(x)
        return call
    return with_threads(make)


class LSTMNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm, self.fc = nn.LSTM(128, 128, batch_first=True), nn.Linear(128, 10)

    def forward(self, x):
        return self.fc(self.lstm(x)[0][:, -1])


class TransformerNet(nn.Module):
    def __init__(self):
        super().__init__()
        layer = nn.TransformerEncoderLayer(128, 4, 512, dropout=0.0, batch_first=True)
        self.body, self.fc = nn.TransformerEncoder(layer, 2), nn.Linear(128, 10)

    def forward(self, x):
        return self.fc(self.body(x).mean(1))


class Branching(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.middle, self.last = nn.Linear(128, 256), nn.Linear(256, 256), nn.Linear(256, 1)

    def forward(self, x):
        x = F.relu(self.first(x))
        if torch.rand(1) > 0.5:
            x = F.relu(self.middle(x))
        return self.last(x)


def mlp():
    net = Branching()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    inputs, targets = RNG.randn(1000, 128).astype("float32"), RNG.randn(1000, 1).astype("float32")

    def step():
        index = RNG.choice(1000, 64, replace=False)
        F.mse_loss(net(torch.from_numpy(inputs[index])), torch.from_numpy(targets[index])).backward()
        optimizer.step()
        optimizer.zero_grad()
    return step


def autoencoder():
    x, linear = tensor(256, 64), nn.Linear(64, 8, bias=False)
    optimizer = torch.optim.Adam(linear.parameters(), lr=0.01)

    def step():
        F.mse_loss(linear(x) @ linear.weight, x).backward()
        optimizer.step()
        optimizer.zero_grad()
    return step


def linear():
    net, images, loss = nn.Linear(784, 10), tensor(16, 1, 28, 28), classify(10, 16)
    optimizer = torch.optim.SGD(net.parameters(), lr=1e-3)

    def step():
        loss(net(torch.reshape(images * 2 - 1, [16, 784]))).backward()
        optimizer.step()
        optimizer.zero_grad()
    return step


def lenet_epoch(threads):
    torch.set_num_threads(threads)
    net = LeNet()
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)

    def step(images, labels):
        F.cross_entropy(net(torch.from_numpy(images)), torch.from_numpy(labels)).backward()
        optimizer.step()
        optimizer.zero_grad()
    return data.feeding(step)


def dataloader(threads):
    torch.set_num_threads(threads)
    return data.iterating(torch.utils.data.DataLoader(data.Pairs(), batch_size=64, shuffle=True, drop_last=True))


def matmul():
    a, b = tensor(1024, 1024), tensor(1024, 1024)
    return lambda: a @ b


def elementwise():
    x, y, z = (tensor(10_000_000) for _ in range(3))
    return lambda: F.relu(x * y + z)


WORKLOADS = {"small_forward": small_forward, "small_train": small_train,
             "lenet_step": with_threads(lambda: training(LeNet(), tensor(64, 1, 28, 28), classify(10, 64))),
             "lenet_infer_64": inference(64), "lenet_infer_1": inference(1),
             "resnet18_step": with_threads(lambda: training(resnet18(), tensor(16, 3, 64, 64), classify(10, 16))),
             "lstm_step": with_threads(lambda: training(LSTMNet(), tensor(32, 32, 128), classify(10, 32))),
             "transformer_step": with_threads(lambda: training(TransformerNet(), tensor(16, 64, 128), classify(10, 16))),
             "mlp_step": with_threads(mlp), "autoencoder_step": with_threads(autoencoder), "linear_step": with_threads(linear),
             "lenet_epoch": lenet_epoch, "dataloader": dataloader,
             "matmul_1024": with_threads(matmul), "big_elementwise": with_threads(elementwise)}
