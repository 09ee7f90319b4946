"""Exports quantized models with real Paddle 2.6.2, and what they compute: data/.

Run with the Python of an environment that has it: python record_quantized.py
"""

import pathlib
import traceback

import numpy as np

import paddle
from paddle import nn
from paddle.quantization import PTQ, QAT, QuantConfig
from paddle.quantization.observers import AbsmaxObserver
from paddle.quantization.quanters import FakeQuanterWithAbsMaxObserver

traceback.extract_stack = lambda *_, **__: []  # operators note who made them: paths of the machine at hand
FOLDER = pathlib.Path(__file__).parent / "data"


def network():
    return nn.Sequential(nn.Conv2D(1, 2, 3, padding=1), nn.ReLU(), nn.Flatten(), nn.Linear(32, 3))


def main():
    paddle.seed(0)
    x = np.random.RandomState(0).randn(2, 1, 4, 4).astype("float32")
    given, fake = paddle.to_tensor(x), FakeQuanterWithAbsMaxObserver()
    net = network()
    net.eval()
    calibration = PTQ(QuantConfig(AbsmaxObserver(), AbsmaxObserver()))
    calibrated = calibration.quantize(net)
    calibrated(given)
    trained = QAT(QuantConfig(fake, fake)).quantize(network())
    trained(given)
    trained.eval()
    found = {"x": x}
    for name, model in (("calibrated", calibration.convert(calibrated)), ("trained", trained)):
        paddle.jit.save(model, str(FOLDER / name), [paddle.static.InputSpec([None, 1, 4, 4], "float32")])
        found[name] = model(given).numpy()
    np.savez_compressed(FOLDER / "outputs.npz", **found)


if __name__ == "__main__":
    main()
