"""Element types of results where NumPy's own differ from Paddle's (outcomes of 2.6.2)."""

import numpy as np
import pytest

import paddle


@pytest.mark.parametrize("kind", ["uint8", "int8", "int16"])
def test_small_integers_add_up_in_their_own_type(kind):
    total = paddle.to_tensor([3, 4], dtype=kind).sum()
    assert total.dtype == kind and int(total) == 7


def test_int32_and_bool_add_up_in_int64():
    for kind in ("int32", "bool"):
        assert paddle.to_tensor([1, 1], dtype=kind).sum().dtype == "int64"


def test_float16_adds_up_in_float32():
    many = paddle.full([4000], 1.0, "float16")
    assert many.sum().dtype == "float16" and float(many.sum()) == 4000


def test_quotients_of_integers_are_exact_and_truncate():
    x = paddle.to_tensor([7, -7, 2 ** 62 + 1])
    assert paddle.divide(x, paddle.to_tensor([2, 2, 1])).tolist() == [3, -3, 2 ** 62 + 1]
    assert (2 / paddle.to_tensor([True, False])).tolist() == [2.0, float("inf")]
    assert paddle.divide(paddle.to_tensor([True, False]), paddle.to_tensor([True, True])).dtype == "bool"


def test_one_element_does_not_vary():
    assert float(paddle.var(paddle.ones([1]))) == 0 == float(paddle.std(paddle.to_tensor(2.0)))
    assert np.isnan(float(paddle.var(paddle.ones([0]))))


def test_medians_of_integers_are_integers():
    assert paddle.nanmedian(paddle.to_tensor([1, 4])).tolist() == 2 and paddle.nanmedian(paddle.to_tensor([1])).dtype == "int64"


def test_unsigned_numbers_wrap():
    assert paddle.neg(paddle.to_tensor([1, 0], dtype="uint8")).tolist() == [255, 0]


def test_histogram_of_one_value():
    assert int(paddle.histogram(paddle.to_tensor([2.5]), bins=100).argmax()) == 50


def test_ldexp_leaves_float16():
    assert paddle.ldexp(paddle.ones([1], "float16"), paddle.to_tensor([20])).tolist() == [2.0 ** 20]


@pytest.mark.parametrize("name, dtype", [("int", "int64"), ("float", "float64"), (int, "int64"), (float, "float64"),
                                         ("intc", "int32"), ("single", "float32"), ("long", "int64"), (complex, "complex128")])
def test_types_are_read_as_numpy_reads_them(name, dtype):
    assert paddle.zeros([1], dtype=name).dtype == dtype and paddle.ones([1]).astype(name).dtype == dtype


def test_finfo_of_complex_types_tells_of_the_parts():
    assert [paddle.finfo(kind).dtype for kind in ("complex64", "complex128", "float16")] == ["float32", "float64", "float16"]
    assert paddle.finfo("float16").resolution == 0.001 and paddle.finfo("float64").resolution == 1e-15


@pytest.mark.parametrize("generation", ["1.8", "2.0", "2.4", "2.6", "3"])
def test_a_tensor_is_true_if_its_element_is_positive(generation):
    """What real 2.6.2 gives, and 3.3.1 for the real numbers: negative numbers and NaN are false, complex ones go by their real part
    first."""
    false, true = (-1.0, 0.0, -3, False, float("nan"), -1 + 2j, 0j), (2.0, 7, True, 1 - 2j, 1j)
    paddle.set_generation(generation)
    try:
        assert [bool(paddle.to_tensor(value)) for value in false + true] == [False] * len(false) + [True] * len(true)
        assert not paddle.to_tensor([[-2.0]], "bfloat16") and paddle.to_tensor([2.0], "float16")
        with pytest.raises((ValueError, AssertionError), match="truth value"):
            bool(paddle.to_tensor([1.0, 2.0]))
    finally:
        paddle.set_generation("2.6")
