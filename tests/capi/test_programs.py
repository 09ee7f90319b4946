"""The programs of examples/deploy compile against the headers and agree with Python."""

import pathlib
import shutil
import subprocess

import numpy as np
import pytest
from capi.library import PATH

import paddle
from paddle.static import InputSpec

EXAMPLES = pathlib.Path(__file__).parents[2] / "examples" / "deploy"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """What train.py writes, of an untrained LeNet and a few random pictures."""
    folder = tmp_path_factory.mktemp("deploy")
    paddle.seed(7)
    net = paddle.vision.models.LeNet()
    net.eval()
    paddle.jit.save(net, str(folder / "lenet"), input_spec=[InputSpec([None, 1, 28, 28], "float32", "image")])
    images = np.random.RandomState(0).uniform(-1, 1, (150, 1, 28, 28)).astype("float32")
    scores = net(paddle.to_tensor(images)).numpy()
    for name, array in (("images", images), ("scores", scores), ("labels", scores.argmax(1).astype("int64"))):
        array.tofile(folder / f"{name}.bin")
    return folder


@pytest.mark.parametrize("compiler, source, standard", [("cc", "mnist.c", "c11"), ("c++", "mnist.cc", "c++11")])
def test_example(folder, compiler, source, standard):
    if shutil.which(compiler) is None:
        pytest.skip(f"there is no {compiler}")
    program, libraries = folder / f"run-{compiler}", str(PATH.parent)
    subprocess.run([compiler, f"-std={standard}", "-Wall", "-Wextra", "-Werror", str(EXAMPLES / source),
                    f"-I{paddle.sysconfig.get_include()}", f"-L{libraries}", "-lpaddle_inference_c", f"-Wl,-rpath,{libraries}",
                    "-lm", "-o", str(program)], check=True, capture_output=True, text=True)
    done = subprocess.run([str(program), str(folder)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    words = done.stdout.replace(",", "").split()
    assert words[1] == "1.0000" and float(words[6]) <= 1e-5 * float(words[8]), done.stdout
    failed = subprocess.run([str(program), str(folder / "nowhere")], capture_output=True, text=True)
    assert failed.returncode == 1 and failed.stderr
