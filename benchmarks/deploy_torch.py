"""The workloads of deploy_paddle.py in PyTorch: torch.compile over the whole step, the network alone, and inference."""

import torch
import torch.nn.functional as F
from workloads_torch import RNG, LeNet, classify, tensor, training, with_threads


def compiled_step():
    net, images = LeNet(), tensor(64, 1, 28, 28)
    labels = torch.from_numpy(RNG.randint(0, 10, (64,)).astype("int64"))
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    loss = torch.compile(lambda: F.cross_entropy(net(images), labels))
    update = torch.compile(optimizer.step)

    def step():
        loss().backward()
        update()
        optimizer.zero_grad()
    return step


def compiled_network():
    return training(torch.compile(LeNet()), tensor(64, 1, 28, 28), classify(10, 64))


def compiled_infer(batch):
    def make():
        net, images = torch.compile(LeNet().eval()), tensor(batch, 1, 28, 28)

        def call():
            with torch.no_grad():
                net(images)
        return call
    return with_threads(make)


WORKLOADS = {"static_step": with_threads(compiled_step), "to_static_step": with_threads(compiled_network),
             **{f"{kind}_{batch}": compiled_infer(batch) for kind in ("static_infer", "predictor") for batch in (64, 1)}}
