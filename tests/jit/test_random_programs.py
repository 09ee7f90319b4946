"""Random programs: eager, translated, and saved and loaded give the same values and gradients."""

import importlib.util

import numpy as np
import pytest

import paddle
from paddle.static import InputSpec

from . import generate

SEEDS, GROUP, QUICK = 200, 20, 80  # programs, those of one test, and those of the quick tests
POINTS = [([0.5, -0.3, 1.2], [0.2, 0.9, -0.4], 2), ([-0.8, -0.5, 0.1], [1.1, -1.3, 0.6], 3)]


def load(path, seeds):
    path.write_text(generate.module(seeds))
    spec = importlib.util.spec_from_file_location(f"random_programs_{seeds[0]}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run(function, point):
    """Values and gradients at a point."""
    x, y = [paddle.to_tensor(np.array(v, "float32"), stop_gradient=False) for v in point[:2]]
    outputs = function(x, y, paddle.to_tensor(point[2]))
    total = sum((o * w).sum() for o, w in zip(outputs, (1.0, 0.7, 0.3, 0.2, 0.1, 0.05)))
    total.backward()
    return [o.numpy() for o in outputs], [np.zeros(3) if t.grad is None else t.grad.numpy() for t in (x, y)]


@pytest.mark.parametrize("first", [*range(0, QUICK, GROUP), *(pytest.param(n, marks=pytest.mark.slow)
                                                              for n in range(QUICK, SEEDS, GROUP))])
def test_random_programs(tmp_path, first):
    seeds = range(first, first + GROUP)
    module = load(tmp_path / "programs.py", seeds)
    specs = [InputSpec([3], "float32", "x"), InputSpec([3], "float32", "y"), InputSpec([], "int64", "n")]
    for seed in seeds:
        eager = getattr(module, f"program_{seed}")
        static = paddle.jit.to_static(eager, full_graph=True)
        paddle.jit.save(eager, str(tmp_path / f"p{seed}"), specs)
        loaded = paddle.jit.load(str(tmp_path / f"p{seed}"))
        for point in POINTS:
            values, gradients = run(eager, point)
            for other in (static, loaded):
                got, slopes = run(other, point)
                for a, b in zip([*values, *gradients], [*got, *slopes]):
                    np.testing.assert_allclose(b, a, rtol=2e-5, atol=2e-6, err_msg=f"program_{seed} at {point}")
