"""A small network on disk, with an input and its output."""

import os
import tempfile

import numpy as np

import paddle
from paddle import nn


def saved():
    """(prefix of the files, input, output, specification, network)."""
    net = nn.Sequential(nn.Conv2D(3, 8, 3, padding=1), nn.BatchNorm2D(8), nn.ReLU(), nn.AdaptiveAvgPool2D(1), nn.Flatten(),
                        nn.Linear(8, 4))
    net.eval()
    x = np.random.RandomState(0).randn(1, 3, 8, 8).astype("float32")
    prefix = os.path.join(tempfile.mkdtemp(), "m")
    spec = [paddle.static.InputSpec([None, 3, 8, 8], "float32", "x")]
    paddle.jit.save(net, prefix, input_spec=spec)
    return prefix, x, net(paddle.to_tensor(x)).numpy(), spec, net
