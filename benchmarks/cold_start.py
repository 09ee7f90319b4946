"""From the start of a process to the first prediction of LeNet: a C program with our library, our predictor in Python, ONNX
Runtime and real Paddle, in turn, and what NumPy alone takes.

    python benchmarks/cold_start.py [--rounds 9]

BENCH_ONNX_PYTHON and BENCH_PADDLE_PYTHON name interpreters with onnxruntime and real Paddle; the C program is compiled with cc.
The quickest process of each kind counts, by the processor's time (which
other processes disturb less) and by the clock.
"""

import argparse
import os
import resource
import shutil
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
LIBRARY = """
#include <stdio.h>
#include "pd_inference_api.h"
int main(int count, char **paths) {
    static float image[784], scores[10];
    PD_Config *config = PD_ConfigCreate();
    PD_ConfigSetModel(config, paths[1], paths[count - 1]);
    PD_Predictor *predictor = PD_PredictorCreate(config);
    if (!predictor) return puts(PD_GetLastError());
    PD_Tensor *given = PD_PredictorGetInputHandle(predictor, PD_PredictorGetInputNames(predictor)->data[0]);
    for (int i = 0; i < 784; i++) image[i] = 1;
    PD_TensorReshape(given, 4, (int32_t[]){1, 1, 28, 28});
    PD_TensorCopyFromCpuFloat(given, image);
    if (!PD_PredictorRun(predictor)) return puts(PD_GetLastError());
    PD_TensorCopyToCpuFloat(PD_PredictorGetOutputHandle(predictor, PD_PredictorGetOutputNames(predictor)->data[0]), scores);
    return scores[0] != scores[0];
}
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


def compiled(folder):
    """The C program, or None where there is no compiler or no library."""
    import paddle
    source, made, libraries = os.path.join(folder, "start.c"), os.path.join(folder, "start"), paddle.sysconfig.get_lib()
    with open(source, "w", encoding="utf-8") as file:
        file.write(LIBRARY)
    compiler = shutil.which("cc")
    if compiler is None or not os.path.exists(os.path.join(libraries, "libdygraph.so")):
        return None
    subprocess.run([compiler, "-O1", source, f"-I{paddle.sysconfig.get_include()}", f"-L{libraries}", "-ldygraph",
                    f"-Wl,-rpath,{libraries}", "-o", made], check=True)
    return made


def run(command):
    """(processor's, clock's) milliseconds of a process."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
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
        program = compiled(folder)
        if program is not None:
            commands = {"C program": [program, path + ".pdmodel", path + ".pdiparams"], **commands}
        if os.environ.get("BENCH_PADDLE_PYTHON"):
            commands["Paddle"] = [os.environ["BENCH_PADDLE_PYTHON"], "-c", OURS.format(path=path)]
        if os.environ.get("BENCH_ONNX_PYTHON"):
            commands["ONNX Runtime"] = [os.environ["BENCH_ONNX_PYTHON"], "-c", ONNX.format(path=path)]
        best = {name: (float("inf"),) * 2 for name in commands}
        for _ in range(rounds):
            for name, command in commands.items():
                best[name] = tuple(map(min, best[name], run(command)))
    print("| | processor (ms) | clock (ms) |\n|---|---|---|")
    for name, times in best.items():
        print(f"| {name} | {times[0]:.1f} | {times[1]:.1f} |")


if __name__ == "__main__":
    main()
