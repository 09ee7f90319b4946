"""Random indices of every kind: what is read and written, and the gradients of both, against NumPy.

Paddle places the axes of id arrays differently where ints stand beside them (tests/oracle has such cases); those are left out.
"""

import numpy as np
import pytest

import paddle


def random_slice(r, n):
    def bound():
        return None if r.rand() < 0.4 else int(r.randint(-n - 2, n + 3))
    return slice(bound(), bound(), [None, 1, 2, -1, -2, 3][r.randint(6)])


def random_ids(r, n, shape, repeated):
    return r.randint(-n, n, shape) if repeated else r.permutation(n)[:int(np.prod(shape))].reshape(shape)


def random_index(r, shape, repeated):
    """Ints, slices, None, Ellipsis, and up to two id arrays or one mask; ids occur again only if they may."""
    if r.randint(6) == 0:
        return r.rand(*shape[:r.randint(len(shape) + 1)]) < 0.5  # a mask over the first axes, or one bool
    items, arrays, ids_shape = [], 0, [(1,), (2,), (2, 1)][r.randint(3)]
    with_arrays = r.randint(2)
    for n in shape[:r.randint(len(shape) + 1)]:
        kind = r.randint(5)
        if r.randint(5) == 0:
            items.append(None)
        if kind == 0 and n and not with_arrays:
            items.append(int(r.randint(-n, n)))
        elif kind == 1 and n >= 2 and with_arrays and arrays < 2:
            items.append(random_ids(r, n, ids_shape, repeated))
            arrays += 1
        elif kind == 2 and with_arrays and not arrays:
            items.append(r.rand(n) < 0.6)
            arrays = 2
        else:
            items.append(random_slice(r, n))
    if r.randint(4) == 0:
        items.append(Ellipsis)
    return tuple(items)


def for_paddle(r, index):
    if isinstance(index, tuple):
        return tuple(for_paddle(r, i) for i in index)
    return [index, paddle.to_tensor(index)][r.randint(2)] if isinstance(index, np.ndarray) else index


def random_array(r):
    return r.randn(*r.randint(0 if r.randint(9) == 0 else 1, 5, r.randint(1, 5)))


def summed_to(values, shape):
    """Values added up over the axes that broadcasting from a shape had added or stretched."""
    values = values.sum(tuple(range(values.ndim - len(shape))))
    stretched = tuple(a for a, n in enumerate(shape) if n == 1 and values.shape[a] != 1)
    return values.sum(stretched, keepdims=True) if stretched else values


@pytest.mark.parametrize("seed", range(6))
def test_reading(seed):
    r = np.random.RandomState(seed)
    for _ in range(60):
        array = random_array(r)
        index = random_index(r, array.shape, repeated=True)
        wanted = array[index]
        weights = np.asarray(r.randn(*wanted.shape))
        x = paddle.to_tensor(array, stop_gradient=False)
        part = x[for_paddle(r, index)]
        assert tuple(part.shape) == wanted.shape, str(index)
        np.testing.assert_array_equal(part.numpy(), wanted, err_msg=str(index))
        (gradient,) = paddle.grad((part * paddle.to_tensor(weights)).sum(), x)
        expected = np.zeros_like(array)
        np.add.at(expected, index, weights)
        np.testing.assert_allclose(gradient.numpy(), expected, 1e-12, 1e-12, err_msg=str(index))


@pytest.mark.parametrize("seed", range(6))
def test_writing(seed):
    r = np.random.RandomState(100 + seed)
    for _ in range(60):
        array = random_array(r)
        index = random_index(r, array.shape, repeated=False)
        shape = list(array[index].shape)
        shape = [[], shape, shape[r.randint(len(shape) + 1):], [1 if r.randint(2) else n for n in shape]][r.randint(4)]
        value, weights, expected = np.asarray(r.randn(*shape)), r.randn(*array.shape), array.copy()
        expected[index] = value
        x, v = paddle.to_tensor(array, stop_gradient=False), paddle.to_tensor(value, stop_gradient=False)
        changed = x * 1
        changed[for_paddle(r, index)] = v
        np.testing.assert_array_equal(changed.numpy(), expected, err_msg=str(index))
        gx, gv = paddle.grad((changed * paddle.to_tensor(weights)).sum(), [x, v], allow_unused=True)
        kept = weights.copy()
        kept[index] = 0
        np.testing.assert_allclose(gx.numpy(), kept, 1e-12, 1e-12, err_msg=str(index))
        np.testing.assert_allclose(np.zeros(shape) if gv is None else gv.numpy(), summed_to(weights[index], shape), 1e-12, 1e-12,
                                   err_msg=str(index))


def test_an_index_of_false_writes_nothing():
    for index in (False, paddle.to_tensor(False), (False, 0)):
        x = paddle.ones([2, 3])
        x.stop_gradient = False
        changed = x * 1
        changed[index] = 9.0
        assert changed.tolist() == x.tolist()
