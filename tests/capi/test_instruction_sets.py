"""Models give the same on every instruction set that the library may be told to use (PADDLE_NATIVE_ISA)."""

import os
import subprocess
import sys

import numpy as np
import pytest
from capi.library import PATH
from capi.test_blocks import Broadcast, Grouped, Net
from capi.test_models import Blocks, Residuals, export

import paddle
from paddle import nn
from paddle.static import InputSpec

HERE = os.path.dirname(__file__)
RUN = """
import sys
import numpy as np
sys.path.insert(0, sys.argv[1])
from capi.library import Failed, Model
found = {}
for name in sys.argv[3:]:
    files = [open(f"{sys.argv[2]}/{name}.{kind}", "rb").read() for kind in ("pdmodel", "pdiparams")]
    for optimize in (0, 1):
        try:
            model = Model(*files, optimize=bool(optimize))
        except Failed as refused:
            sys.exit(str(refused))
        for k, out in enumerate(model(np.load(f"{sys.argv[2]}/{name}.npy"))):
            found[f"{name}/{optimize}/{k}"] = out
np.savez(f"{sys.argv[2]}/found.npz", **found)
"""


class Volumes(nn.Layer):
    """Convolutions over three axes, transposed ones, and channels last."""

    def __init__(self):
        super().__init__()
        self.volume, self.back = nn.Conv3D(2, 4, 3, padding=1), nn.Conv2DTranspose(4, 3, 3, 2)
        self.last = nn.Conv2D(3, 5, 3, data_format="NHWC")

    def forward(self, x):
        y = self.back(nn.functional.relu(self.volume(x)).mean(2))
        return y, self.last(y.transpose([0, 2, 3, 1])), nn.functional.softmax(y.flatten(1) @ y.flatten(1).t())


MADE = {"net": (Net, (1, 3, 16, 12)), "broadcast": (Broadcast, (1, 3, 6, 6)), "grouped": (Grouped, (1, 3, 6, 6)),
        "blocks": (Blocks, (2, 3, 16, 16)), "residuals": (Residuals, (1, 3, 6, 6)), "volumes": (Volumes, (1, 2, 4, 7, 6))}


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """{name: the eager outputs}, with the files beside, in float32 and float64."""
    folder, wanted = tmp_path_factory.mktemp("models"), {}
    for type_ in ("float32", "float64"):
        for name, (make, shape) in MADE.items():
            paddle.seed(1)
            net, name = make().to(dtype=type_), f"{name}_{type_}"
            net.eval()
            x = np.random.RandomState(0).randn(*shape).astype(type_)
            for kind, data in zip(("pdmodel", "pdiparams"), export(net, folder, InputSpec(list(shape), type_))):
                (folder / f"{name}.{kind}").write_bytes(data)
            np.save(folder / f"{name}.npy", x)
            outs = net(paddle.to_tensor(x))
            wanted[name] = [out.numpy() for out in (outs if isinstance(outs, (list, tuple)) else [outs])]
    return folder, wanted


def run(models, isa):
    folder, wanted = models
    return subprocess.run([sys.executable, "-c", RUN, os.path.dirname(HERE), str(folder), *wanted], capture_output=True, text=True,
                          env={**os.environ, "PADDLE_NATIVE_ISA": isa, "PYTHONPATH": str(PATH.parents[2])})


@pytest.mark.parametrize("isa", ["base", "avx2", "avx512"])
def test_models(models, isa):
    folder, wanted = models
    done = run(models, isa)
    assert done.returncode == 0, done.stderr
    found = np.load(folder / "found.npz")
    assert len(found.files) == 2 * sum(map(len, wanted.values()))
    for place in found.files:
        name, _, k = place.split("/")
        tol = 1e-5 if name.endswith("32") else 1e-8  # attributes are written in single precision
        other = wanted[name][int(k)]
        assert found[place].dtype == other.dtype
        np.testing.assert_allclose(found[place], other, rtol=tol, atol=tol * np.abs(other).max(), err_msg=f"{place} on {isa}")


def test_unknown_name(models):
    done = run(models, "sse9")
    assert done.returncode == 1 and "PADDLE_NATIVE_ISA must be base, avx2 or avx512" in done.stderr
