"""From training to ONNX: fit a small network, export it, and compare with onnxruntime where that is installed."""

import argparse
import os
import tempfile

import numpy as np

import paddle
from paddle import nn
from paddle.static import InputSpec


def trained(steps):
    """A network that learned to tell points inside the unit circle from those outside."""
    paddle.seed(0)
    net = nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 1), nn.Sigmoid())
    optimizer = paddle.optimizer.Adam(0.01, parameters=net.parameters())
    for step in range(steps):
        x = paddle.uniform([256, 2], min=-1.5, max=1.5)
        inside = (x.square().sum(-1, keepdim=True) < 1).astype("float32")
        loss = nn.functional.binary_cross_entropy(net(x), inside)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        if step % 25 == 0:
            print(f"step {step:4}  loss {float(loss):.4f}")
    return net


def main(steps=300):
    """Train and export; returns (size of the file in bytes, largest difference to onnxruntime or None)."""
    net = trained(steps)
    net.eval()
    path = os.path.join(tempfile.mkdtemp(), "circle")
    paddle.onnx.export(net, path, input_spec=[InputSpec([None, 2], "float32", "x")])
    size = os.path.getsize(path + ".onnx")
    print(f"{path}.onnx: {size} bytes; try `paddle show` on it")
    try:
        import onnxruntime
    except ImportError:
        print("onnxruntime is not installed: nothing to compare with")
        return size, None
    x = np.random.RandomState(0).uniform(-1.5, 1.5, (100, 2)).astype("float32")
    session = onnxruntime.InferenceSession(path + ".onnx", providers=["CPUExecutionProvider"])
    result = session.run(None, {session.get_inputs()[0].name: x})[0]
    difference = float(np.abs(result - net(paddle.to_tensor(x)).numpy()).max())
    print(f"largest difference to onnxruntime: {difference:.1e}")
    return size, difference


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=300)
    main(parser.parse_args().steps)
