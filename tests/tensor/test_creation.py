"""to_tensor's type rules, its copies, its refusals; seeds of random functions."""

import numpy as np
import pytest

import paddle


@pytest.mark.parametrize("data, dtype", [
    (True, "bool"), (3, "int64"), (1.5, "float32"), (1 + 2j, "complex64"), ([1, 2.5], "float32"), ([True, False], "bool"),
    ([[1, 2], [3, 4]], "int64"), ([], "float32"), (np.arange(3, dtype="uint8"), "uint8"), (np.ones(2), "float64"),
    (np.float64(1), "float64"), (np.ones(2, ">f4"), "float32"), ([np.float64(1.0)], "float32"), (range(3), "int64"),
    ((1, 2), "int64"), ([np.ones(2), np.ones(2)], "float32"), ([paddle.ones([2]), paddle.zeros([2])], "float32")])
def test_types(data, dtype):
    assert paddle.to_tensor(data).dtype == dtype


def test_default_type_rules_python_numbers():
    paddle.set_default_dtype("float64")
    try:
        assert paddle.to_tensor([1.5]).dtype == "float64" and paddle.to_tensor(1j).dtype == "complex128"
        assert paddle.zeros([1]).dtype == "float64" and paddle.to_tensor(np.ones(1, "float32")).dtype == "float32"
    finally:
        paddle.set_default_dtype("float32")


def test_data_is_copied():
    array = np.zeros(3, "float32")
    t = paddle.to_tensor(array)
    array[0] = 5
    again = paddle.to_tensor(t)
    t[1] = 7.0
    assert t.tolist() == [0, 7, 0] and again.tolist() == [0, 0, 0]


@pytest.mark.parametrize("data, error", [
    ("text", TypeError), (None, TypeError), ([[1, 2], [3]], ValueError), ({"a": 1}, TypeError), ([None], TypeError),
    (["a"], TypeError), ([2 ** 70], (TypeError, OverflowError)), (np.zeros(2, "uint32"), TypeError), (object(), TypeError)])
def test_refusals_name_the_function(data, error):
    with pytest.raises(error, match=r"to_tensor\(\)"):
        paddle.to_tensor(data)


def test_conversion_of_values():
    assert paddle.to_tensor([1.9, -1.9], dtype="int32").tolist() == [1, -1]
    assert paddle.to_tensor([0, 2], dtype="bool").tolist() == [False, True]
    assert paddle.to_tensor(np.zeros(2, "uint32"), dtype="int64").dtype == "int64"
    assert paddle.to_tensor(paddle.to_tensor([1 + 2j]), dtype="float32").tolist() == [1.0]


def test_shapes_given_as_tensors():
    for shape in ([2, 3], (2, 3), paddle.to_tensor([2, 3]), [paddle.to_tensor(2), 3], np.array([2, 3]), [np.int32(2), 3]):
        assert paddle.zeros(shape).shape == paddle.rand(shape).shape == paddle.full(shape, 1).shape == [2, 3]
    for shape in ("ab", 2.5, [2.5], None, [True, "a"]):
        with pytest.raises(TypeError, match="zeros"):
            paddle.zeros(shape)


def test_arange_counts_exactly():
    assert paddle.arange(0, 1, 0.1).shape == [10] and paddle.arange(5, 1, -2).tolist() == [5, 3]
    assert paddle.arange(2.0).dtype == "float32" == paddle.arange(paddle.to_tensor(2.0, dtype="float64")).dtype  # as in 2.6.2
    assert paddle.arange(3, 1).shape == [0]


def test_assign_into_an_output():
    out = paddle.zeros([2])
    assert paddle.assign(paddle.to_tensor([1.0, 2.0]), out) is out and out.tolist() == [1, 2]
    with pytest.raises(TypeError, match="output"):
        paddle.assign([1.0], 3)


def test_same_seed_same_values():
    def draw():
        paddle.seed(5)
        x = paddle.zeros([4])
        return [t.numpy().tolist() for t in (
            paddle.rand([3]), paddle.randn([3]), paddle.randint(0, 100, [3]), paddle.randperm(9), paddle.uniform([3]),
            paddle.normal(shape=[3]), paddle.bernoulli(paddle.full([9], 0.5)), paddle.poisson(paddle.full([9], 4.0)),
            paddle.multinomial(paddle.ones([9]), 4), x.uniform_(), x.normal_(), x.exponential_())]
    assert draw() == draw()
    assert paddle.uniform([3], seed=7).tolist() == paddle.uniform([3], seed=7).tolist() != paddle.uniform([3], seed=8).tolist()


def test_state_of_the_generator_continues_the_stream():
    from paddle.core.random import default_generator
    state = default_generator().get_state()
    first = paddle.rand([5]).tolist()
    default_generator().set_state(state)
    assert paddle.rand([5]).tolist() == first


def test_in_place_forms_that_change_shape_or_type():
    x = paddle.arange(6)
    assert x.reshape_([2, 3]) is x and x.shape == [2, 3]
    assert x.transpose_([1, 0]).shape == [3, 2] and x.unsqueeze_(0).shape == [1, 3, 2] and x.squeeze_().shape == [3, 2]
    assert x.flatten_().shape == [6] and x.cast_("float32").dtype == "float32"
    y = paddle.ones([2, 3])
    y.stop_gradient = False
    z = y * 2
    z.reshape_([3, 2])
    (z * z).sum().backward()
    assert y.grad.numpy().tolist() == [[8.0] * 3] * 2


@pytest.mark.parametrize("number, dtype", [(3.0, "float32"), (3, "int64"), (True, "bool"), (np.float32(2), "float32")])
def test_assigned_numbers_have_one_axis(number, dtype):
    """As in Paddle 2.6.2 and 3.3.1; an array without axes stays one."""
    found = paddle.assign(number)
    assert (found.shape, found.dtype.name, found.tolist()) == ([1], dtype, [number])
    target = paddle.zeros([2], dtype)
    assert paddle.assign(number, target) is target and target.shape == [1]
    assert paddle.assign(np.array(number)).shape == []
