"""x[...] against NumPy on random indices, writing in place, aliasing, gradients, errors."""

import numpy as np
import pytest

import paddle


def random_slice(r, n):
    ends = [None, *range(-n - 1, n + 2)]
    return slice(ends[r.randint(len(ends))], ends[r.randint(len(ends))], [None, 1, 2, -1, -2][r.randint(5)])


def random_ids(r, n, shape):
    return r.randint(-n, n, shape)


def random_index(r, shape):
    """An index of mixed kinds; no ints beside id arrays, where Paddle and NumPy place the axes differently."""
    items, ids_shape, kind = [], [(3,), (2, 2), (2, 1)][r.randint(3)], r.randint(3)
    for n in shape[:r.randint(len(shape) + 1)]:
        what = r.randint(4)
        if r.randint(6) == 0:
            items.append(None)
        if what == 0 and kind == 0:
            items.append(int(r.randint(-n, n)))
        elif what == 1 and kind == 1:
            items.append(random_ids(r, n, ids_shape))
        elif what == 1 and kind == 2 and not any(isinstance(i, np.ndarray) for i in items):
            items.append(r.randint(0, 2, n).astype(bool))
        else:
            items.append(random_slice(r, n))
    if r.randint(4) == 0:
        items.append(Ellipsis)
    return tuple(items)


def for_paddle(r, index):
    """The same index with arrays as arrays, lists or Tensors."""
    return tuple([i, i.tolist(), paddle.to_tensor(i)][r.randint(3)] if isinstance(i, np.ndarray) else i for i in index)


@pytest.mark.parametrize("seed", range(8))
def test_reading_and_writing_as_numpy_does(seed):
    r = np.random.RandomState(seed)
    for _ in range(60):
        array = r.uniform(size=(3, 4, 2)[:r.randint(1, 4)])
        index = random_index(r, array.shape)
        wanted = array[index]
        x = paddle.to_tensor(array)
        np.testing.assert_array_equal(x[for_paddle(r, index)].numpy(), wanted, err_msg=str(index))
        value = r.uniform(size=wanted.shape) if r.randint(2) else float(r.uniform())
        changed = array.copy()
        if any(isinstance(i, np.ndarray) and i.dtype != bool for i in index):
            value = 0.5  # repeated ids: which value wins is nobody's promise
        changed[index] = value
        plain = paddle.to_tensor(array)
        plain[for_paddle(r, index)] = paddle.to_tensor(value, "float64") if r.randint(2) else value
        np.testing.assert_array_equal(plain.numpy(), changed, err_msg=str(index))
        leaf = paddle.to_tensor(array, stop_gradient=False)
        recorded = leaf * 1
        recorded[for_paddle(r, index)] = value
        np.testing.assert_array_equal(recorded.numpy(), changed, err_msg=str(index))
        recorded.sum().backward()
        kept = np.ones_like(array)
        kept[index] = 0
        np.testing.assert_array_equal(leaf.grad.numpy(), kept, err_msg=str(index))


def test_writing_keeps_the_memory():
    x = paddle.zeros([100, 10])
    before = x._data
    address = before.__array_interface__["data"][0]
    del before
    for i in range(100):
        x[i, 3] = float(i)
        x[i] = x[i] + 1.0
        x[[i], [2]] = 5.0
    assert x.data_ptr() == address
    assert x[7].tolist() == [1, 1, 5, 8, 1, 1, 1, 1, 1, 1]


def test_views_see_what_is_written_and_arrays_do_not():
    x = paddle.zeros([3])
    array, view, same = x.numpy(), x[1:], x.detach()
    x[1] = 7.0
    assert x.tolist() == [0, 7, 0] == same.tolist() and view.tolist() == [7, 0] and array.tolist() == [0, 0, 0]
    x[0:2] = x[1:3]
    assert x.tolist() == [7, 0, 0]


def test_a_leaf_that_wants_gradients_cannot_be_written():
    x = paddle.zeros([3])
    x.stop_gradient = False
    with pytest.raises(RuntimeError, match="leaf"):
        x[0] = 1.0
    with paddle.no_grad():
        x[0] = 1.0
    assert x.tolist() == [1, 0, 0] and x.inplace_version == 1


def test_writing_spoils_what_backward_saved():
    x = paddle.ones([3])
    x.stop_gradient = False
    y = x * 1
    z = (y * y).sum()
    y[0] = 5.0
    with pytest.raises(RuntimeError, match="in place"):
        z.backward()


def test_gradient_of_the_value():
    x, v = paddle.zeros([2, 3]), paddle.ones([3])
    v.stop_gradient = False
    x[:, ::-1] = v * paddle.to_tensor([1.0, 2.0, 3.0])
    (x * paddle.to_tensor([[1.0, 10.0, 100.0], [2.0, 20.0, 200.0]])).sum().backward()
    assert v.grad.tolist() == [300.0, 60.0, 9.0]


def test_integer_tensors_take_what_fits():
    k = paddle.zeros([3], "int32")
    k[0], k[1:] = 2.9, paddle.to_tensor([-1.5, 7.0])
    assert k.tolist() == [2, -1, 7] and k.dtype == "int32"


@pytest.mark.parametrize("index, text", [
    (3, "3"), (-4, "-4"), ((0, 5), "5"), ((0, 0, 0), "too many"), ([3], "3"), (np.array([-4]), "-4"), ((..., ...), "llipsis"),
    ([True, False], "mask"), ("a", "index"), (1.5, "index"), ([1.5], "integers"), (paddle.to_tensor([5]), "5")])
def test_bad_indices_raise_with_index_and_size(index, text):
    x = paddle.zeros([3, 2])
    for call in (lambda: x[index], lambda: x.__setitem__(index, 1.0)):
        with pytest.raises(IndexError, match=text):
            call()


def test_bad_values_raise():
    x = paddle.zeros([3, 2])
    for index, value in ((0, [1.0, 2.0, 3.0]), (slice(None), paddle.ones([2, 2])), ([0, 1], paddle.ones([3, 2]))):
        with pytest.raises(ValueError, match="does not fit"):
            x[index] = value
    with pytest.raises(ValueError, match="step"):
        x[paddle.to_tensor(0)::0]
    with pytest.raises(TypeError, match="bounds"):
        x["a":]


def test_zero_d_and_scalars():
    s = paddle.to_tensor(3.0)
    assert s[...].item() == s[()].item() == 3.0 and s[None].shape == [1]
    s[...] = 4.0
    assert s.item() == 4.0
    x = paddle.arange(6).reshape([2, 3])
    assert x[paddle.to_tensor(1), np.int64(2)].item() == 5 and x[True].shape == [1, 2, 3] and x[False].shape == [0, 2, 3]
    assert x[paddle.to_tensor(0):paddle.to_tensor(1)].shape == [1, 3]
