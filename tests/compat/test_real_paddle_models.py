"""Models that we build, train and save, run by real paddlepaddle 2.6: the same numbers by every way of loading them.

PADDLE_ORACLE_PYTHON names the interpreter of a virtual environment that has it; `make test-all` prepares one.
"""

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

import paddle
from paddle import nn, static
from paddle.nn import functional as F
from paddle.utils import unique_name

ORACLE = os.environ.get("PADDLE_ORACLE_PYTHON", "")
HERE = Path(__file__).resolve().parent

pytestmark = [
    pytest.mark.oracle,
    pytest.mark.skipif(not ORACLE, reason="PADDLE_ORACLE_PYTHON does not name a Python with paddlepaddle 2.6"),
]
RNG = np.random.RandomState(7)


def f32(*shape):
    return RNG.randn(*shape).astype("float32")


def mlp(x):
    return nn.Linear(16, 3)(F.relu(nn.Linear(8, 16)(x)))


def lenet(x):
    x = F.max_pool2d(F.relu(nn.Conv2D(1, 6, 5, padding=2)(x)), 2, 2)
    x = F.max_pool2d(F.relu(nn.Conv2D(6, 16, 5)(x)), 2, 2)
    return F.softmax(nn.Linear(84, 3)(F.relu(nn.Linear(400, 84)(paddle.flatten(x, 1)))))


def normed(x):
    x = F.relu6(nn.BatchNorm2D(8)(nn.Conv2D(3, 8, 3, stride=2, bias_attr=False)(x)))
    x = F.hardswish(nn.GroupNorm(2, 8)(nn.Conv2D(8, 8, 3, padding=1, groups=8)(x)))
    x = F.dropout(F.adaptive_avg_pool2d(x, 1), 0.3).flatten(1)
    return nn.Linear(8, 3)(nn.LayerNorm(8)(x))


def attention(x):
    heads, size = 2, 8
    q, k, v = (nn.Linear(size, size)(x).reshape([0, 0, heads, size // heads]).transpose([0, 2, 1, 3]) for _ in range(3))
    weights = F.softmax(paddle.matmul(q, k, transpose_y=True) / (size // heads) ** 0.5)
    y = paddle.matmul(weights, v).transpose([0, 2, 1, 3]).reshape([0, 0, size])
    y = nn.LayerNorm(size)(x + nn.Linear(size, size)(y))
    y = y + nn.Linear(16, size)(F.gelu(nn.Linear(size, 16)(y)))
    return nn.Linear(size, 3)(y.mean(axis=1))


def static_functions(x):
    x = static.nn.batch_norm(static.nn.conv2d(x, 4, 3, act="relu"))
    x = paddle.flatten(x, 1)  # real predictors fail on fc of 4-d inputs, also in their own models
    return static.nn.fc(x, 3, activation="tanh")


def words(ids):
    x = nn.Embedding(20, 6, padding_idx=0)(ids)
    return nn.Linear(6, 3)(paddle.concat([x.max(axis=1), x[:, -1]], axis=0).reshape([2, -1, 6]).sum(axis=0))


def branches(x):
    y = nn.Linear(8, 3)(x)
    y = static.nn.cond(paddle.mean(y) > 0, lambda: y * 2, lambda: paddle.exp(y))
    return static.nn.while_loop(lambda i, y: i < 3, lambda i, y: [i + 1, paddle.tanh(y) + 1],
                                [paddle.full([1], 0, "int64"), y])[1]


MODELS = {"mlp": (mlp, f32(4, 8)), "lenet": (lenet, f32(4, 1, 28, 28)), "normed": (normed, f32(4, 3, 9, 9)),
          "attention": (attention, f32(4, 5, 8)), "static_functions": (static_functions, f32(4, 2, 6, 6)),
          "words": (words, RNG.randint(0, 20, [4, 7])), "branches": (branches, f32(4, 8))}


def train_and_save(build, inputs, prefix):
    """Build a classifier, train it for a few steps, save it for inference; returns what it gives for the inputs."""
    paddle.enable_static()
    try:
        main, startup = static.Program(), static.Program()
        with static.program_guard(main, startup), unique_name.guard(), static.scope_guard(static.Scope()):
            x = static.data("x", [None, *inputs.shape[1:]], inputs.dtype.name)
            y = static.data("y", [None, 1], "int64")
            out = build(x)
            paddle.optimizer.Adam(0.01, weight_decay=1e-4).minimize(F.cross_entropy(out, y))
            exe = static.Executor()
            exe.run(startup)
            for _ in range(3):
                exe.run(main, {"x": inputs, "y": np.arange(4).reshape(4, 1) % 3})
            static.save_inference_model(str(prefix), [x], [out], exe, program=main)
            np.savez(f"{prefix}.npz", in_0=inputs)
            return exe.run(main.clone(for_test=True), {"x": inputs}, [out.name])
    finally:
        paddle.disable_static()


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    ours = {name: train_and_save(build, inputs, folder / name) for name, (build, inputs) in MODELS.items()}
    clean = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    run = subprocess.run([ORACLE, str(HERE / "run_models_with_paddle.py"), str(folder)], cwd=folder, env=clean,
                         capture_output=True, text=True)
    assert run.returncode == 0, run.stderr[-3000:]
    with np.load(folder / "seen.npz") as seen:
        return ours, dict(seen)


@pytest.mark.parametrize("way", ["jit", "executor", "predictor"])
@pytest.mark.parametrize("name", MODELS)
def test_real_paddle_gives_our_numbers(results, name, way):
    ours, seen = results
    assert f"{name}|{way}|error" not in seen, str(seen[f"{name}|{way}|error"])
    for k, array in enumerate(ours[name]):
        np.testing.assert_allclose(seen[f"{name}|{way}|{k}"], array, rtol=1e-4, atol=1e-5)
