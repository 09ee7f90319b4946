"""From a new interpreter to the first prediction of LeNet: our predictor and ONNX Runtime, in turn, and what NumPy alone takes.

    python benchmarks/cold_start.py [--rounds 9]

BENCH_ONNX_PYTHON names an interpreter with onnxruntime. The quickest process of each kind counts, by the processor's time (which
other processes disturb less) and by the clock.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time

OURS = """
import numpy as np
from paddle import inference
predictor = inference.create_predictor(inference.Config({path!r} + ".pdmodel", {path!r} + ".pdiparams"))
given = predictor.get_input_handle(predictor.get_input_names()[0])
given.copy_from_cpu(np.ones((1, 1, 28, 28), "float32"))
predictor.run()
predictor.get_output_handle(predictor.get_output_names()[0]).copy_to_cpu()
"""
ONNX = """
import numpy as np
import onnxruntime
session = onnxruntime.InferenceSession({path!r} + ".onnx", providers=["CPUExecutionProvider"])
session.run(None, {{session.get_inputs()[0].name: np.ones((1, 1, 28, 28), "float32")}})
"""


def save(path):
    """LeNet's files for both."""
    import paddle
    from paddle.vision.models import LeNet
    net, spec = LeNet(), [paddle.static.InputSpec([1, 1, 28, 28], "float32", "x")]
    net.eval()
    paddle.jit.save(net, path, input_spec=spec)
    paddle.onnx.export(net, path, input_spec=spec)


def run(command):
    """(processor's, clock's) milliseconds of a process."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    clock, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1e3, clock * 1e3


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "lenet")
        save(path)
        commands = {"NumPy alone": [sys.executable, "-c", "import numpy"], "import paddle": [sys.executable, "-c", "import paddle"],
                    "ours": [sys.executable, "-c", OURS.format(path=path)]}
        if os.environ.get("BENCH_ONNX_PYTHON"):
            commands["ONNX Runtime"] = [os.environ["BENCH_ONNX_PYTHON"], "-c", ONNX.format(path=path)]
        best = {name: (float("inf"),) * 2 for name in commands}
        for _ in range(rounds):
            for name, command in commands.items():
                best[name] = tuple(map(min, best[name], run(command)))
    print("| | processor (ms) | clock (ms) |\n|---|---|---|")
    for name, times in best.items():
        print(f"| {name} | {times[0]:.0f} | {times[1]:.0f} |")


if __name__ == "__main__":
    main()
