"""`import paddle` stays quick because it stays small, says nothing, and needs NumPy only."""

import subprocess
import sys

import numpy as np
import pytest

import paddle

PROBE = "import sys; import numpy; before = set(sys.modules); import paddle; print(*set(sys.modules) - before)"
NOT_AT_IMPORT = {
    "paddle.fluid", "paddle.imperative", "paddle.static", "paddle.jit", "paddle.dataset", "paddle.vision",
    "paddle.hapi",
    "paddle.distributed", "paddle.onnx", "paddle.profiler", "paddle.distribution", "paddle.text", "paddle.reader",
    "PIL", "mpi4py", "onnx", "scipy", "ml_dtypes", "torch", "matplotlib", "cv2", "google.protobuf", "safetensors",
    "multiprocessing", "asyncio", "http", "urllib.request", "ssl", "unittest", "doctest", "tarfile", "zipfile",
}


def run(code, *options):
    done = subprocess.run([sys.executable, *options, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


def test_import_is_lazy():
    loaded = set(run(PROBE)[0].split())
    assert "paddle" in loaded
    assert not loaded & NOT_AT_IMPORT, f"import paddle loads {sorted(loaded & NOT_AT_IMPORT)}"
    assert len(loaded) < 70, f"import paddle loads {len(loaded)} modules besides NumPy's"


def test_importlib_util_comes_with_it():
    # files of an editable install load it too: without site-packages' own start, but with its paths
    run(f"import sys; sys.path[:0] = {sys.path!r}; assert 'importlib.util' not in sys.modules\n"
        "import importlib, paddle; importlib.util.find_spec('paddle')", "-S")


def test_functions_come_with_the_first_of_them():
    out, _ = run("import sys, paddle; first = 'paddle.tensor' in sys.modules; paddle.float32; paddle.no_grad()\n"
                 "print(first, 'paddle.tensor' in sys.modules, len(paddle.ones([2]).tolist()), 'add' in vars(paddle.Tensor))\n"
                 "print('add' in vars(paddle), 'add' in dir(paddle))")
    assert out.split() == ["False", "False", "2", "True", "True", "True"]


def test_star_takes_the_functions():
    assert run("from paddle import *\nprint(add(ones([1]), ones([1])).tolist())")[0] == "[2.0]\n"
    out = run("import random, paddle, paddle.nn, paddle.random\nfrom paddle import *\n"
              "print(int('7'), float('7'), list(range(2)), random.Random.__name__, Model.__name__, 'nn' in paddle.__all__)")[0]
    assert out == "7 7.0 [0, 1] Random Model False\n"
    out = run("import paddle\nprint({'add', 'Tensor', 'float32', 'save', 'no_grad', 'ParamAttr'} <= set(paddle.__all__))")[0]
    assert out == "True\n"


def test_what_was_set_before_stays():
    assert run("import paddle\npaddle.add = 7\npaddle.ones\nprint(paddle.add)")[0] == "7\n"


@pytest.mark.parametrize("room", ["base.framework", "static.op_desc", "static.input", "framework.io", "utils.dlpack", "io", "jit",
                                  "pir.core", "vision.transforms", "fluid"])
def test_other_rooms_have_tensors_with_methods(room):
    out, _ = run(f"import sys, paddle.{room}\nfrom paddle.core.tensor import Tensor\nprint(hasattr(Tensor, 'backward'))\n"
                 "if 'paddle.static' in sys.modules:\n"
                 "    from paddle.static.program.variable import Variable\n    print(hasattr(Variable, 'astype'))")
    assert set(out.split()) == {"True"}


def test_predictor_does_without_functions(tmp_path):
    net = paddle.nn.Sequential(paddle.nn.Conv2D(1, 2, 3), paddle.nn.ReLU(), paddle.nn.Flatten(), paddle.nn.Linear(72, 3))
    net.eval()
    paddle.jit.save(net, str(tmp_path / "net"), input_spec=[paddle.static.InputSpec([1, 1, 8, 8], "float32", "x")])
    out, _ = run(f"""
import sys
import numpy as np
from paddle import inference
predictor = inference.create_predictor(inference.Config({str(tmp_path / "net.pdmodel")!r}, {str(tmp_path / "net.pdiparams")!r}))
given = predictor.get_input_handle("x")
given.copy_from_cpu(np.ones((1, 1, 8, 8), "float32"))
predictor.run()
made = predictor.get_output_handle(predictor.get_output_names()[0]).copy_to_cpu()
print(*made.ravel().tolist())
print(len(sys.modules), "paddle.tensor" in sys.modules)
tensor, = predictor.run([np.ones((1, 1, 8, 8), "float32")])
print(*(tensor + tensor).flatten().tolist())
import paddle
program = paddle.static.Program()
with paddle.static.program_guard(program):
    pass
print(hasattr(paddle.static.Variable, "astype"))
""")
    first, counts, doubled, variable = out.splitlines()
    expected = net(paddle.ones([1, 1, 8, 8])).numpy().ravel()
    np.testing.assert_allclose(np.array(first.split(), float), expected, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(np.array(doubled.split(), float), 2 * expected, rtol=1e-5, atol=1e-6)
    assert counts.split()[1] == "False" and int(counts.split()[0]) < 400 and variable == "True"


def test_import_says_nothing():
    assert run("import paddle", "-W", "error") == ("", "")


def test_wrong_name_suggests():
    out, _ = run("import paddle\ntry: paddle.matmull\nexcept AttributeError as e: print(e)")
    assert "matmul" in out.split("matmull", 1)[1]
