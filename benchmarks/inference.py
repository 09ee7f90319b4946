"""LeNet inference from one saved model: our predictor, and (if given) real Paddle's and ONNX Runtime, in one run.

    python benchmarks/inference.py --paddle PYTHON_WITH_PADDLEPADDLE_2_6 --onnx PYTHON_WITH_ONNXRUNTIME

Every side runs in a process of its own and is asked in turn; a call copies the input in and the output out. Prints the best and
the median of all rounds in microseconds, and the largest difference of outputs.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

BATCHES = {1: 200, 64: 10}  # batch -> calls of one round


def images(batch):
    """The input."""
    return np.random.RandomState(0).rand(batch, 1, 28, 28).astype("float32")


def paddle_call(path, threads):
    """A function from array to array: a predictor of whichever package is named paddle."""
    from paddle import inference
    config = inference.Config(path + ".pdmodel", path + ".pdiparams")
    config.disable_glog_info()
    config.set_cpu_math_library_num_threads(threads)
    predictor = inference.create_predictor(config)
    given = predictor.get_input_handle(predictor.get_input_names()[0])
    found = predictor.get_output_handle(predictor.get_output_names()[0])

    def call(x):
        given.copy_from_cpu(x)
        predictor.run()
        return found.copy_to_cpu()
    return call


def onnx_call(path, threads):
    """The same by ONNX Runtime."""
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    session = onnxruntime.InferenceSession(path + ".onnx", options, providers=["CPUExecutionProvider"])
    name = session.get_inputs()[0].name
    return lambda x: session.run(None, {name: x})[0]


def serve(kind, path, threads):
    """Answer requests (batches) with microseconds per call and the first outputs."""
    call = {"paddle": paddle_call, "onnx": onnx_call}[kind](path, threads)
    inputs = {batch: images(batch) for batch in BATCHES}
    for x in inputs.values():
        for _ in range(20):
            call(x)
    for line in sys.stdin:
        batch = int(line)
        x, repeats = inputs[batch], BATCHES[batch]
        start = time.perf_counter()
        for _ in range(repeats):
            out = call(x)
        print("answer", json.dumps([(time.perf_counter() - start) / repeats * 1e6, out[0].tolist()]), flush=True)


class Side:
    """A process that serves."""

    def __init__(self, python, kind, path, threads):
        self.process = subprocess.Popen([python, __file__, "--serve", kind, "--model", path, "--threads", str(threads)],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                                        env={**os.environ, "OMP_NUM_THREADS": str(threads)})

    def __call__(self, batch):
        self.process.stdin.write(f"{batch}\n")
        self.process.stdin.flush()
        while True:
            line = self.process.stdout.readline()
            if line.startswith("answer "):
                return json.loads(line[7:])
            if not line:
                raise RuntimeError("the other interpreter ended")


def save(path):
    """Write LeNet as .pdmodel, .pdiparams and .onnx."""
    from jit import LeNet

    import paddle
    paddle.seed(1)
    net = LeNet()
    net.eval()
    spec = [paddle.static.InputSpec([None, 1, 28, 28], "float32", "x")]
    paddle.jit.save(net, path, input_spec=spec)
    paddle.onnx.export(net, path, input_spec=spec)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--paddle", help="a Python with paddlepaddle 2.6")
    parser.add_argument("--onnx", help="a Python with onnxruntime")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    parser.add_argument("--model", help=argparse.SUPPRESS)
    a = parser.parse_args()
    if a.serve:
        serve(a.serve, a.model, a.threads)
        return
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "lenet")
        save(path)
        sides = {"ours": Side(sys.executable, "paddle", path, a.threads)}
        if a.paddle:
            sides["Paddle 2.6"] = Side(a.paddle, "paddle", path, a.threads)
        if a.onnx:
            sides["ONNX Runtime"] = Side(a.onnx, "onnx", path, a.threads)
        print(f"{'LeNet inference, µs per call':32}" + "".join(f"{name:>22}" for name in sides))
        for batch in BATCHES:
            answers = [[side(batch) for side in sides.values()] for _ in range(a.rounds)]
            times = list(zip(*[[t for t, _ in row] for row in answers]))
            shown = [f"{min(t):.1f} ({statistics.median(t):.1f})" for t in times]
            print(f"{f'batch {batch}, best (median)':32}" + "".join(f"{text:>22}" for text in shown))
            outs = [np.asarray(out) for _, out in answers[0]]
            print(f"{'largest difference from ours':32}" + "".join(f"{np.abs(out - outs[0]).max():22.1e}" for out in outs))
        for side in sides.values():
            side.process.stdin.close()
            side.process.wait()


if __name__ == "__main__":
    main()
