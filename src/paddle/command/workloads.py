"""Workloads of ``paddle bench``: run by the Python of the framework they measure, they need nothing but that framework.

    python workloads.py paddle|torch SECONDS NAME ...
"""

import json
import sys
import time

TITLES = {"add": "add of two small tensors", "backward": "three small ops, forward and backward", "matmul": "matmul 512 x 512",
          "conv": "convolution 32x16x32x32, 32 filters 3x3", "mlp": "training step, MLP 784-256-10, batch 64",
          "lenet": "training step, LeNet, batch 32", "lstm": "LSTM forward, 16 x 32 steps, width 64"}
NAMES = list(TITLES)


def paddle_workloads():
    """{name: function}, and the version, of this package or PaddlePaddle: the same program for both."""
    import paddle  # run by other Pythons too, whose paddle is another one or none
    nn, functional = paddle.nn, paddle.nn.functional
    small, other = paddle.rand([8]), paddle.rand([8])
    leaf = paddle.rand([8])
    leaf.stop_gradient = False
    square, images, filters = paddle.rand([512, 512]), paddle.rand([32, 16, 32, 32]), paddle.rand([32, 16, 3, 3])
    sequence, recurrent = paddle.rand([16, 32, 64]), nn.LSTM(64, 64)
    recurrent.eval()

    def forward(call):
        def run():
            with paddle.no_grad():
                call()
        return run

    def backward():
        (leaf * small + other).sum().backward()
        leaf.clear_grad()

    def training(net, x, classes=10):
        labels = paddle.randint(0, classes, [x.shape[0]])
        optimizer = paddle.optimizer.Adam(1e-3, parameters=net.parameters())

        def step():
            functional.cross_entropy(net(x), labels).backward()
            optimizer.step()
            optimizer.clear_grad()
        return step
    mlp = nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 10))
    lenet = nn.Sequential(nn.Conv2D(1, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2D(2), nn.Conv2D(6, 16, 5), nn.ReLU(),
                          nn.MaxPool2D(2), nn.Flatten(), nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(),
                          nn.Linear(84, 10))
    version = getattr(paddle.version, "dygraph_version", paddle.__version__)
    return version, {
        "add": forward(lambda: small + other), "backward": backward, "matmul": forward(lambda: paddle.matmul(square, square)),
        "conv": forward(lambda: functional.conv2d(images, filters, padding=1)), "mlp": training(mlp, paddle.rand([64, 784])),
        "lenet": training(lenet, paddle.rand([32, 1, 28, 28])), "lstm": forward(lambda: recurrent(sequence))}


def torch_workloads():
    """{name: function}, and the version, of PyTorch."""
    import torch
    from torch import nn
    functional = nn.functional
    small, other, leaf = torch.rand(8), torch.rand(8), torch.rand(8, requires_grad=True)
    square, images, filters = torch.rand(512, 512), torch.rand(32, 16, 32, 32), torch.rand(32, 16, 3, 3)
    sequence, recurrent = torch.rand(16, 32, 64), nn.LSTM(64, 64, batch_first=True).eval()

    def forward(call):
        def run():
            with torch.no_grad():
                call()
        return run

    def backward():
        (leaf * small + other).sum().backward()
        leaf.grad = None

    def training(net, x, classes=10):
        labels = torch.randint(0, classes, (x.shape[0],))
        optimizer = torch.optim.Adam(net.parameters(), 1e-3)

        def step():
            functional.cross_entropy(net(x), labels).backward()
            optimizer.step()
            optimizer.zero_grad()
        return step
    mlp = nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 10))
    lenet = nn.Sequential(nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(6, 16, 5), nn.ReLU(),
                          nn.MaxPool2d(2), nn.Flatten(), nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(),
                          nn.Linear(84, 10))
    return torch.__version__, {
        "add": forward(lambda: small + other), "backward": backward, "matmul": forward(lambda: torch.matmul(square, square)),
        "conv": forward(lambda: functional.conv2d(images, filters, padding=1)), "mlp": training(mlp, torch.rand(64, 784)),
        "lenet": training(lenet, torch.rand(32, 1, 28, 28)), "lstm": forward(lambda: recurrent(sequence))}


def fastest(call, seconds):
    """The least time of one call, from repetitions of about 5 ms within so many seconds after a short warm-up."""
    for _ in range(3):
        call()
    began = time.perf_counter()
    call()
    repeat = max(1, round(0.005 / max(time.perf_counter() - began, 1e-7)))
    best, end = float("inf"), time.perf_counter() + seconds
    while True:
        began = time.perf_counter()
        for _ in range(repeat):
            call()
        now = time.perf_counter()
        best = min(best, (now - began) / repeat)
        if now >= end:
            return best


def main(framework, seconds, *names):
    """Print {"version": text, "seconds": {name: number}} as JSON."""
    version, calls = {"paddle": paddle_workloads, "torch": torch_workloads}[framework]()
    print(json.dumps({"version": version, "seconds": {name: fastest(calls[name], float(seconds)) for name in names}}))


if __name__ == "__main__":
    main(*sys.argv[1:])
