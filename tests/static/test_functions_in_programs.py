"""Functions in programs as Paddle 2.6.2 has them: filling in place, arrays joined, what they refuse."""

import numpy as np
import pytest

import paddle
from paddle import static


def test_exponential_in_place(static_mode):
    """The numbers of Paddle 2.6.2; the variable itself changes, and what it was computed from does not count."""
    x = static.data("x", [3], "float64")
    x.stop_gradient = False
    y = x * 2
    assert y.exponential_(0.5) is y
    slope, = static.gradients([y * 3], [x])
    paddle.seed(3)
    drawn, zeros = static.Executor().run(feed={"x": np.ones(3)}, fetch_list=[y, slope])
    np.testing.assert_allclose(drawn, [0.72175738, 2.10284245, 0.65535434], rtol=1e-7)
    assert not zeros.any()


@pytest.mark.parametrize("join, shape, expected", [
    (lambda a: paddle.stack(a, axis=1), (2, -1, 3), lambda x: np.stack([x, 2 * x], 1)),
    (lambda a: paddle.concat(a, axis=1), (2, -1), lambda x: np.concatenate([x, 2 * x], 1))])
def test_an_array_is_joined(join, shape, expected, static_mode):
    x = static.data("x", [2, 3])
    array = paddle.tensor.create_array("float32")
    at = paddle.zeros([1], "int64")
    paddle.tensor.array_write(x, at, array)
    paddle.tensor.array_write(x * 2, at + 1, array)
    out = join(array)
    assert tuple(out.shape) == shape
    value = np.arange(6, dtype="float32").reshape(2, 3)
    found, = static.Executor().run(feed={"x": value}, fetch_list=[out])
    np.testing.assert_array_equal(found, expected(value))


def test_one_tensor_is_no_list(static_mode):
    with pytest.raises(TypeError, match="list or tuple"):
        paddle.stack(static.data("x", [2, 3]))


@pytest.mark.parametrize("call, text", [
    (lambda: paddle.linspace(0, 10, 1.33, "int32"), "num must be an int"),
    (lambda: paddle.linspace(static.data("start", [1], "float64"), 10, 1, "float32"), "start of float64 does not fit"),
    (lambda: paddle.broadcast_tensors([static.data("a", [1]), static.data("b", [2], "float64")]), "one element type"),
    (lambda: static.nn.embedding(static.data("ids", [4], "int64"), (10, 4), dtype="int64"), "dtype must be of one of the types"),
    (lambda: static.nn.embedding(static.data("ids", [4]), (10, 4)), "input must be of one of the types"),
    (lambda: static.nn.group_norm(static.data("x", [2, 4, 3], "int32"), 2), "input must be of one of the types"),
    (lambda: static.auc(static.data("x", [2, 2], "int64"), static.data("y", [2], "int64")), "input must be of one of the types"),
    (lambda: static.auc(static.data("x", [2, 2]), static.data("y", [2])), "label must be of one of the types"),
    (lambda: paddle.tril_indices(4, -1, 2), "must not be negative")])
def test_element_types_are_checked(call, text, static_mode):
    with pytest.raises(ValueError if "fit" in text else TypeError, match=text):
        call()


def test_triangles_of_a_square():
    np.testing.assert_array_equal(paddle.tril_indices(4, None, 2).numpy(), np.tril_indices(4, 2))


def test_gradients_of_what_only_gradients_read_are_not_asked_for(static_mode):
    """layer_norm_grad has the gradient of Y alone, not those of the mean and the variance."""
    out = paddle.nn.functional.layer_norm(static.data("x", [2, 3]), [3])
    (grad,), _ = paddle.base.core.get_grad_op_desc(out.op.desc, set(), [])
    assert grad.input("Y@GRAD") == [out.name + "@GRAD"] and not grad.input("Mean@GRAD") and not grad.input("Variance@GRAD")


@pytest.mark.parametrize("error, arguments", [
    (ValueError, {"bins": -1, "min": 1, "max": 5}), (ValueError, {"bins": 1, "min": 5, "max": 1}),
    (TypeError, {"bins": 1, "min": -np.inf, "max": 5})])
def test_a_histogram_that_nobody_reads_is_checked(error, arguments, static_mode):
    with pytest.raises(error, match="histogram"):
        paddle.histogram(paddle.full([3, 4], 3.0), **arguments)


@pytest.mark.parametrize("function", [
    lambda x: np.float64(2) * x, lambda x: np.float32(2) + x, lambda x: np.sqrt(2.0) / x, lambda x: np.int64(3) - x,
    lambda x: np.float64(2) ** x, lambda x: np.float64(3) < x, lambda x: np.float64(2) == x, lambda x: np.float64(7) // x,
    lambda x: np.ones([2, 3], "float32") * x, lambda x: np.ones([3, 2], "float32") @ x, lambda x: np.log(x), lambda x: np.tanh(x)])
def test_numpy_numbers_arrays_and_functions_before_variables(function, static_mode):
    """Types are those of the tensor, as in dynamic mode."""
    value = np.arange(1, 7, dtype="float32").reshape(2, 3)
    x = static.data("x", [2, 3])
    found, = static.Executor().run(feed={"x": value}, fetch_list=[function(x)])
    expected = np.asarray(function(value))
    assert found.dtype == (expected.dtype if expected.dtype == bool else np.float32)
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_numpy_functions_that_variables_lack_say_so(static_mode):
    x = static.data("x", [2, 3])
    for call in (lambda: np.hypot(x, x), lambda: np.cbrt(x), lambda: np.add.reduce(x), lambda: np.divmod(2.0, x)):
        with pytest.raises(TypeError, match="x is a static Variable"):
            call()


@pytest.mark.parametrize("function, axes", [(paddle.atleast_1d, 1), (paddle.atleast_2d, 2), (paddle.atleast_3d, 3)])
def test_numbers_and_arrays_with_more_axes_are_variables(function, axes, static_mode):
    x = static.data("x", [2])
    found = static.Executor().run(feed={"x": np.float32([1, 2])}, fetch_list=function(x, 3, np.ones(2, "float32"), 0.5))
    assert [v.ndim for v in found] == [axes] * 4
    assert [v.dtype.name for v in found] == ["float32", "int64", "float32", "float32"]
    with pytest.raises(TypeError, match=r"atleast_\dd\(\)"):
        function(None)


def test_a_tensor_full_of_a_number_that_the_run_knows(static_mode):
    x, n = static.data("x", [-1, 2]), static.data("n", [], "int64")
    made = [paddle.full_like(x, n), paddle.full_like(x, n, dtype="int32"), paddle.full_like(x, x.sum())]
    found = static.Executor().run(feed={"x": np.ones([3, 2], "float32"), "n": np.int64(7)}, fetch_list=made)
    assert [(v.dtype.name, v.tolist()) for v in found] == [
        ("float32", [[7.0, 7.0]] * 3), ("int32", [[7, 7]] * 3), ("float32", [[6.0, 6.0]] * 3)]


@pytest.mark.parametrize("function", [paddle.nn.functional.softmax, paddle.nn.functional.log_softmax])
def test_integers_in_the_type_asked_for(function, static_mode):
    value = np.array([[1, 2, 0]])
    found, = static.Executor().run(feed={"x": value}, fetch_list=[function(static.data("x", [1, 3], "int64"), dtype="float64")])
    shares = np.exp(value - np.log(np.exp(value).sum()))
    np.testing.assert_allclose(found, shares if function is paddle.nn.functional.softmax else np.log(shares), rtol=1e-12)


def test_the_type_of_running_sums_is_that_asked_for(static_mode):
    x = static.data("x", [3], "int64")
    found, = static.Executor().run(feed={"x": np.array([1, 2, 3])}, fetch_list=[paddle.logcumsumexp(x, dtype="float64")])
    np.testing.assert_allclose(found, [1.0, 2.313261687518223, 3.4076059644443806], rtol=1e-12)
    with pytest.raises(TypeError, match=r"logcumsumexp\(\)"):
        paddle.logcumsumexp(x)
