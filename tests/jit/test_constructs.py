"""Every construct: eager = translated = saved and loaded, in values and gradients; the table in docs/jit.md says so."""

import pathlib

import numpy as np
import pytest

import paddle
from paddle.static import InputSpec

from .constructs import CASES

POINTS = ([1.0, 2.0, 3.0], [-1.0, -2.0, -3.0], [0.5, -0.25, 0.125])
DOCS = pathlib.Path(__file__).parents[2] / "docs" / "jit.md"


def flat(value):
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [leaf for item in value for leaf in flat(item)]
    return [value]


def run(function, point):
    x = paddle.to_tensor(np.array(point, "float32"), stop_gradient=False)
    leaves = flat(function(x))
    total = sum((leaf * leaf).sum() for leaf in leaves if isinstance(leaf, paddle.Tensor) and not leaf.stop_gradient)
    total.backward()
    return [np.asarray(leaf.numpy() if isinstance(leaf, paddle.Tensor) else leaf) for leaf in leaves], x.grad.numpy()


@pytest.mark.parametrize(("function", "options"), [pytest.param(f, o, id=f.__name__) for _, f, o in CASES])
def test_construct(function, options, tmp_path, capsys):
    static = paddle.jit.to_static(function, full_graph=True)
    paddle.jit.save(function, str(tmp_path / "f"), [InputSpec([3], "float32", "x")])
    loaded = paddle.jit.load(str(tmp_path / "f"))
    for point in POINTS:
        values, slope = run(function, point)
        for other in (static, loaded):
            got, other_slope = run(other, point)
            tensors = values if other is static else values[:len(got)]
            assert len(got) == len(tensors)
            for a, b in zip(tensors, got):
                np.testing.assert_allclose(b, a, rtol=1e-5, atol=1e-6)
            if other is static or len(got) == len(values):
                np.testing.assert_allclose(other_slope, slope, rtol=1e-5, atol=1e-6)
    assert bool(options.get("prints")) == bool(capsys.readouterr().out)


def table():
    """The rows of docs/jit.md."""
    return "\n".join(["| construct | eager = translated | = saved and loaded |", "|---|---|---|",
                      *[f"| {text} | yes | yes |" for text, _, _ in CASES]])


def test_table_in_docs():
    assert table() in DOCS.read_text(), "docs/jit.md: put this table in:\n" + table()
