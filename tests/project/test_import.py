"""`import paddle` stays quick because it stays small, says nothing, and needs NumPy only."""

import subprocess
import sys

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
    assert len(loaded) < 250, f"import paddle loads {len(loaded)} modules besides NumPy's"


def test_import_says_nothing():
    assert run("import paddle", "-W", "error") == ("", "")


def test_wrong_name_suggests():
    out, _ = run("import paddle\ntry: paddle.matmull\nexcept AttributeError as e: print(e)")
    assert "matmul" in out.split("matmull", 1)[1]
