"""Quantized predictors beside those of the same networks in float32: processor time of one call on one thread, a Markdown table.

    python benchmarks/quantized.py [--rounds 10] [--only resnet50,...]

Networks are those of networks.py with random weights; convolutions and linear layers are calibrated on two inputs (PTQ). The
instruction set is chosen with PADDLE_NATIVE_ISA. The quickest call of each counts; the two are asked in turn.
"""

import argparse
import os
import tempfile
import time

import networks
import numpy as np

import paddle
from paddle.quantization import PTQ, QuantConfig
from paddle.quantization.observers import AbsmaxObserver

IMAGE = networks.IMAGE
NETWORKS = {  # name: (network of a kit, an input)
    "resnet50": (networks.resnet50, lambda: networks.floats(*IMAGE)),
    "mobilenet": (networks.mobilenet, lambda: networks.floats(*IMAGE)),
    "bert": (lambda kit: networks.bert(kit, layers=4), lambda: networks.RNG.randint(0, 30000, [1, 128]).astype("int64")),
    "mlp_1": (networks.mlp, lambda: networks.floats(1, 784)),
    "mlp_128": (networks.mlp, lambda: networks.floats(128, 784)),
}


def save(name, folder):
    """The network as it is, and quantized; the two files' names."""
    paddle.seed(0)
    make, example = NETWORKS[name]
    net = make(networks.PaddleKit())
    if example().ndim == 4:
        net(paddle.to_tensor(networks.floats(2, 3, 64, 64)))  # statistics for the batch norms
    net.eval()
    config = QuantConfig(activation=None, weight=None)
    config.add_type_config([paddle.nn.Conv2D, paddle.nn.Linear], activation=AbsmaxObserver(), weight=AbsmaxObserver())
    task = PTQ(config)
    watched = task.quantize(net)
    for _ in range(2):
        watched(paddle.to_tensor(example()))
    paths = [os.path.join(folder, name + end) for end in ("", "-int8")]
    spec = [paddle.static.InputSpec(list(example().shape), str(example().dtype), "x")]
    for path, each in zip(paths, (net, task.convert(watched))):
        paddle.jit.save(each, path, input_spec=spec)
    return paths


def predictor(path):
    config = paddle.inference.Config(path + ".pdmodel", path + ".pdiparams")
    config.set_cpu_math_library_num_threads(1)
    made = paddle.inference.create_predictor(config)
    return lambda x: made.run([x])[0].numpy()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--only", default=",".join(NETWORKS))
    a = parser.parse_args()
    print("| network | float32 (ms) | int8 | int8 / float32 | largest difference of the results |\n|---|---|---|---|---|")
    for name in a.only.split(","):
        x = NETWORKS[name][1]()
        with tempfile.TemporaryDirectory() as folder:
            calls = [predictor(path) for path in save(name, folder)]
        results, best = [call(x) for call in calls], [np.inf, np.inf]
        for _ in range(a.rounds):
            for k, call in enumerate(calls):
                for _ in range(3):
                    start = time.process_time()
                    call(x)
                    best[k] = min(best[k], time.process_time() - start)
        apart = np.abs(results[0] - results[1]).max() / np.abs(results[0]).max()
        print(f"| {name} | {best[0] * 1e3:.3g} | {best[1] * 1e3:.3g} | {best[1] / best[0]:.2f} | {apart:.3f} |")


if __name__ == "__main__":
    main()
