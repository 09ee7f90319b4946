from collections import OrderedDict, namedtuple

import numpy as np
import pytest

import paddle
from paddle.core.tensor import wrap
from paddle.io import default_collate_fn, default_convert_fn


@pytest.mark.parametrize("dtype", ["float32", "int64", "uint8", "bool", "complex64"])
@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (0, 2)])
def test_arrays_are_stacked(dtype, shape):
    arrays = [np.full(shape, i, dtype) for i in range(4)]
    batch = default_collate_fn(arrays)
    assert batch.dtype == dtype
    np.testing.assert_array_equal(batch, np.stack(arrays))


def test_layouts_are_stacked_by_value():
    arrays = [np.arange(12.).reshape(3, 4).T * i for i in range(3)]
    np.testing.assert_array_equal(default_collate_fn(arrays), np.stack(arrays))


@pytest.mark.parametrize("numbers, dtype", [
    ([1, 2], "int64"), ([1.5, 2.5], "float64"), ([True, False], "bool"), ([1, 2.5], "float64"),
    ([np.float32(1), np.float32(2)], "float32"), ([np.int32(1), np.int32(2)], "int32"), ([np.True_, np.False_], "bool"),
])
def test_numbers(numbers, dtype):
    batch = default_collate_fn(numbers)
    assert batch.dtype == dtype and batch.tolist() == numbers


def test_nested_samples():
    Pair = namedtuple("Pair", "left right")
    samples = [(np.full(2, i), {"name": f"s{i}", "deep": [Pair(i, b"x"), (1.5,)]}) for i in range(3)]
    array, fields = default_collate_fn(samples)
    assert array.tolist() == [[0, 0], [1, 1], [2, 2]]
    assert fields["name"] == ["s0", "s1", "s2"]
    (left, right), (number,) = fields["deep"]
    assert left.tolist() == [0, 1, 2] and right == [b"x"] * 3 and number.tolist() == [1.5] * 3
    assert default_collate_fn([(), ()]) == []
    assert list(default_collate_fn([OrderedDict(b=1, a=2)])) == ["b", "a"]


def test_tensors_are_stacked():
    batch = default_collate_fn([wrap(np.ones(2, "float32")), wrap(np.zeros(2, "float32"))])
    assert isinstance(batch, paddle.Tensor) and batch.numpy().tolist() == [[1, 1], [0, 0]]


@pytest.mark.parametrize("samples, error, message", [
    ([np.ones((2, 3)), np.ones((1, 3)), np.ones((3, 3))], ValueError,
     r"one shape, got \[1, 3\] and \[2, 3\] and \[3, 3\]"),
    ([np.ones((2, 3)), np.ones((2, 4))], ValueError, r"\[2, 3\] and \[2, 4\]"),
    ([np.ones((2, 3)), np.ones(2)], ValueError, r"\[2\] and \[2, 3\]"),
    ([np.array(1), np.ones(2)], ValueError, r"\[\] and \[2\]"),
    ([np.ones(2), 3], TypeError, "ndarray and int"),
    ([np.array(1), 3, "a"], TypeError, "ndarray and int"),
    ([3, np.ones(2)], TypeError, "int and ndarray"),
    ([3, 2 ** 70], TypeError, "do not fit one dtype"),
    ([3, "a"], TypeError, "int and str"),
    ([(1, 2), (1,)], ValueError, "number of fields, got 1 and 2"),
    ([{"a": 1}, {"b": 1}], KeyError, "lacks the field 'a'"),
    ([None], TypeError, "got builtins.NoneType"),
    ([object()], TypeError, "collate_fn"),
])
def test_what_does_not_fit(samples, error, message):
    with pytest.raises(error, match=message):
        default_collate_fn(samples)


def test_pictures_are_refused_with_advice():
    Image = pytest.importorskip("PIL.Image")
    with pytest.raises(TypeError, match=r"PIL.Image.Image; .*ToTensor"):
        default_collate_fn([Image.new("L", (2, 2))])


def test_convert_shares_memory():
    array = np.ones((2, 3), "float32")
    tensor, number, text, inner = default_convert_fn((array, 5, "text", {"x": array}))
    assert np.shares_memory(tensor._data, array) and tensor.stop_gradient
    assert (number, text) == (5, "text")
    assert np.shares_memory(inner["x"]._data, array)


def test_convert_makes_arrays_contiguous():
    array = np.arange(6.).reshape(2, 3).T
    converted = default_convert_fn(array).numpy()
    assert converted.flags.c_contiguous
    np.testing.assert_array_equal(converted, array)


def test_convert_leaves_text_arrays():
    array = np.array(["a", "b"])
    assert default_convert_fn(array) is array
