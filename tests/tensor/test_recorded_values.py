"""Values and gradients in corners, as Paddle 2.6.2 gave them."""

import numpy as np
import pytest

import paddle
from paddle.nn import functional as F

NAN = float("nan")


def grads_of(function, *arrays):
    """The result of a function of tensors, and the gradients of its sum."""
    tensors = [paddle.to_tensor(a, stop_gradient=False) for a in arrays]
    out = function(*tensors)
    out.backward(paddle.ones_like(out))
    return out.numpy(), [t.grad.numpy() for t in tensors]


@pytest.mark.parametrize("align_corners", [True, False])
def test_interpolation_of_bytes(align_corners):
    x = paddle.to_tensor(np.array([[[[10, 200], [30, 40]]]], "uint8"))
    y = F.interpolate(x, size=[3, 3], mode="bilinear", align_corners=align_corners)
    assert y.dtype == paddle.uint8 and y.numpy().ravel().tolist() == [10, 105, 200, 20, 70, 120, 30, 35, 40]


def test_interpolation_of_bytes_stays_in_range():
    x = paddle.to_tensor(np.array([[[[0, 255], [255, 0]]]], "uint8"))
    exact = F.interpolate(x.astype("float64"), size=[5, 5], mode="bicubic").numpy()
    assert exact.max() > 255 and exact.min() < 0
    np.testing.assert_array_equal(F.interpolate(x, size=[5, 5], mode="bicubic").numpy(), np.clip(np.trunc(exact + 1e-9), 0, 255))


COMPLEX = [1 + 2j, -3 - 0.5j, 25 + 1j]


@pytest.mark.parametrize(("name", "values", "gradients"), [
    ("sigmoid", [1.0214 + 0.4034j, 0.0424 - 0.0219j, 1], [0.1409 + 0.4207j, 0.041 + 0.02j, 0]),
    ("silu", [0.2145 + 2.4463j, -0.138 + 0.0445j, 25 + 1j], [2.0037 - 0.2645j, -0.0908 - 0.0177j, 1]),
    ("softplus", [0.9063 + 1.6238j, 0.043 - 0.0229j, 25 + 1j], [1.0214 - 0.4034j, 0.0424 + 0.0219j, 1]),
    ("log_sigmoid", [0.0937 + 0.3762j, -3.043 - 0.4771j, 0], [-0.0214 + 0.4034j, 0.9576 - 0.0219j, 0]),
    ("tanh", [1.1667 - 0.2435j, -0.9973 - 0.0042j, 1], [-0.302 - 0.5681j, 0.0054 + 0.0083j, 0]),
])
@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_complex_activations(name, values, gradients, dtype):
    out, (grad,) = grads_of(getattr(F, name), np.array(COMPLEX, dtype))
    assert out.dtype == dtype
    np.testing.assert_allclose(out, values, atol=1e-4)
    np.testing.assert_allclose(grad, gradients, atol=1e-4)


def test_complex_mish_is_made_of_softplus_and_tanh():
    x = np.array(COMPLEX)
    out, (grad,) = grads_of(F.mish, x)
    np.testing.assert_allclose(out, x * np.tanh(np.log1p(np.exp(x))), rtol=1e-6)
    h = 1e-6
    slope = ((x + h) * np.tanh(np.log1p(np.exp(x + h))) - (x - h) * np.tanh(np.log1p(np.exp(x - h)))) / (2 * h)
    np.testing.assert_allclose(grad, slope.conj(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", ["relu", "relu6", "leaky_relu", "elu", "celu", "selu", "hardshrink", "softshrink", "hardtanh",
                                  "thresholded_relu", "hardsigmoid"])
def test_functions_that_compare_refuse_complex_numbers(name):
    with pytest.raises(TypeError, match=rf"{name}\(\): x must be real"):
        getattr(F, name)(paddle.to_tensor(np.array(COMPLEX)))


@pytest.mark.parametrize(("function", "last"), [(paddle.fmin, (0, 1)), (paddle.fmax, (1, 0))])
def test_gradients_of_fmin_and_fmax_go_to_the_number(function, last):
    _, (x, y) = grads_of(function, np.array([1, NAN, NAN, 2, 3.0]), np.array([NAN, 1, NAN, 2, 1.0]))
    assert x.tolist() == [1, 0, 1, 1, last[0]] and y.tolist() == [0, 1, 0, 0, last[1]]


def test_nanmedian_of_nothing_has_no_gradient():
    rows = np.array([[NAN, NAN, NAN], [1, NAN, 2], [3, 1, 2.0]])
    _, (grad,) = grads_of(lambda x: paddle.nanmedian(x, axis=1), rows)
    assert grad.tolist() == [[0, 0, 0], [0.5, 0, 0.5], [0, 0, 1]]


def test_angle_at_zero_has_no_gradient():
    _, (grad,) = grads_of(paddle.angle, np.array([0j, 1 + 1j, -2 + 0j]))
    np.testing.assert_allclose(grad, [0, -0.5 + 0.5j, -0.5j])


@pytest.mark.parametrize(("driver", "rank", "values"), [(None, 2, 0), ("gels", None, 0), ("gelsd", 2, 2)])
def test_lstsq_has_residuals(driver, rank, values):
    rng = np.random.RandomState(0)
    x, y = rng.rand(4, 2), rng.rand(4, 3)
    _, residuals, ranks, singular = paddle.linalg.lstsq(paddle.to_tensor(x), paddle.to_tensor(y), driver=driver)
    np.testing.assert_allclose(residuals.numpy(), [0.3519, 0.1993, 0.3964], atol=1e-4)
    assert (int(ranks) if ranks.size else None) == rank and singular.size == values


def test_lstsq_of_less_than_full_rank_has_residuals():
    found = paddle.linalg.lstsq(paddle.ones([3, 2]), paddle.to_tensor([[1.0], [2.0], [3.0]]))
    np.testing.assert_allclose(found[1].numpy(), [2.0], rtol=1e-5)
    assert int(found[2]) == 1


def test_view_takes_sizes_one_by_one_as_in_3():
    assert paddle.arange(4).view(2, 2).tolist() == [[0, 1], [2, 3]]


@pytest.mark.parametrize(("x", "y", "dtype"), [
    (1.0, 2.0, "float64"), (1, 2, "int64"), (paddle.to_tensor([1.0, 2.0]), 0.0, "float64"),
    (0.0, paddle.to_tensor([1.0, 2.0]), "float64"), (paddle.to_tensor([1, 2]), 0, "int64")])
def test_where_takes_floats_for_float64(x, y, dtype):
    assert paddle.where(paddle.to_tensor([True, False]), x, y).dtype.name == dtype


def test_bce_counts_logarithms_as_minus_100_at_the_least():
    x, label = np.array([0, 1, 0.3, 1e-30], "float32"), paddle.to_tensor([1.0, 0, 1, 1])
    out, (grad,) = grads_of(lambda p: F.binary_cross_entropy(p, label, reduction="none"), x)
    np.testing.assert_allclose(out, [100, 100, 1.2039728, 69.07755], rtol=1e-6)
    np.testing.assert_allclose(grad, [-1e12, 1e12, -3.3333333, -1e12], rtol=1e-6)


@pytest.mark.parametrize("label", [[0.0, 1.0], [[0.0], [1.0]], [[0.7], [1.2]]])
def test_class_numbers_may_be_floats(label):
    loss = F.cross_entropy(paddle.to_tensor([[1.0, 2.0], [3.0, 1.0]]), paddle.to_tensor(label))
    assert float(loss) == pytest.approx(1.7200949)


def test_unknown_sizes_broadcast():
    assert paddle.broadcast_shape([-1, 1, 3], [1, 3, 3]) == [-1, 3, 3]
    assert paddle.broadcast_shape([-1, 1, 3], [2, 3, 1]) == [2, 3, 3]
    assert paddle.broadcast_shape([0, 2], [1, 2]) == [0, 2]
    with pytest.raises(ValueError, match="do not broadcast"):
        paddle.broadcast_shape([2, 3], [3, 3])


def test_flags_of_paddle_are_known():
    paddle.set_flags({"FLAGS_enable_pir_in_executor": True})
    assert paddle.get_flags("FLAGS_enable_pir_in_executor") == {"FLAGS_enable_pir_in_executor": True}
    paddle.set_flags({"FLAGS_enable_pir_in_executor": False, "FLAGS_set_to_1d": True})
    try:
        assert paddle.to_tensor(3.0).numpy().shape == (1,) and paddle.ones([2]).numpy().shape == (2,)
    finally:
        paddle.set_flags({"FLAGS_set_to_1d": False})
    assert paddle.to_tensor(3.0).numpy().shape == ()
    with pytest.raises(ValueError, match="unknown flag"):
        paddle.set_flags({"FLAGS_nonsense": 1})


def test_documented_errors():
    one = paddle.ones([2])
    with pytest.raises(ValueError, match="must not be negative"):
        F.gaussian_nll_loss(one, one, paddle.to_tensor([-1.0, 1.0]))
    for pool in (F.max_pool2d, F.avg_pool2d):
        with pytest.raises(ValueError, match="ceil_mode must be False"):
            pool(paddle.ones([1, 1, 4, 4]), 2, padding="valid", ceil_mode=True)


def test_sparse_axes_by_name():
    x = paddle.to_tensor([[0.0, 1.0], [2.0, 0.0]])
    assert x.to_sparse_coo(sparse_dim=2).nnz() == 2 and x.to_sparse_coo(sparse_dim=1).values().shape == [2, 2]
