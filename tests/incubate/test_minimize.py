"""BFGS and L-BFGS find minima of functions; paddle.incubate.autotune checks what it is given."""

import numpy as np
import pytest

import paddle
from paddle.incubate import autotune
from paddle.incubate.optimizer.functional import minimize_bfgs, minimize_lbfgs


def rosenbrock(x):
    return (1 - x[0]) ** 2 + 100 * (x[1] - x[0] ** 2) ** 2


@pytest.mark.parametrize("minimize", [minimize_bfgs, minimize_lbfgs])
def test_minimum_of_a_curved_valley(minimize):
    done, calls, x, value, slope, *_ = minimize(rosenbrock, paddle.to_tensor([-1.2, 1.0]), max_iters=100, dtype="float64")
    assert bool(done) and 20 < int(calls) < 200
    np.testing.assert_allclose(x.numpy(), [1, 1], atol=1e-6)
    assert float(value) < 1e-12 and float(slope.abs().max()) < 1e-5


def test_bfgs_estimates_the_inverse_hessian():
    matrix = paddle.to_tensor([[2.0, 0.5], [0.5, 1.0]], dtype="float64")
    *_, inverse = minimize_bfgs(lambda x: 0.5 * (x @ matrix @ x), paddle.to_tensor([3.0, -2.0]), dtype="float64")
    np.testing.assert_allclose(inverse.numpy(), np.linalg.inv(matrix.numpy()), atol=1e-2)


@pytest.mark.parametrize("minimize", [minimize_bfgs, minimize_lbfgs])
def test_bad_arguments(minimize):
    with pytest.raises(ValueError, match="vector"):
        minimize(rosenbrock, paddle.ones([2, 2]))
    with pytest.raises(ValueError, match="positive definite"):
        minimize(rosenbrock, paddle.ones([2]), initial_inverse_hessian_estimate=-paddle.eye(2))
    with pytest.raises(ValueError, match="dtype"):
        minimize(rosenbrock, paddle.ones([2]), dtype="float16")


def test_autotune_checks_its_parts(tmp_path):
    autotune.set_config()
    (tmp_path / "tuning.json").write_text('{"layout": {"enable": false}}')
    autotune.set_config(str(tmp_path / "tuning.json"))
    with pytest.raises(ValueError, match="no part 'kernels'.*kernel"):
        autotune.set_config({"kernels": {}})
    with pytest.raises(TypeError, match="enable"):
        autotune.set_config({"kernel": {"enable": 1}})


@pytest.mark.parametrize("minimize", [minimize_bfgs, minimize_lbfgs])
def test_in_a_program(minimize):
    def curve(x):
        return ((x - 1.5) ** 2 * paddle.to_tensor([1.0, 3.0])).sum() + (x ** 4).sum() * 0.1

    start = np.array([3.0, -2.0], np.float32)
    expected = minimize(curve, paddle.to_tensor(start))
    paddle.enable_static()
    try:
        with paddle.static.program_guard(paddle.static.Program()):
            outs = minimize(curve, paddle.static.data("x", [2]))
            assert [list(v.shape) for v in outs] == [list(e.shape) for e in expected]
            found = paddle.static.Executor().run(feed={"x": start}, fetch_list=list(outs))
    finally:
        paddle.disable_static()
    for a, b in zip(found, expected):
        assert a.dtype == b.numpy().dtype and np.array_equal(a, b.numpy())
