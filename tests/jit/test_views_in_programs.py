"""Programs have no views: a function that writes into one where it shows runs eagerly, or is refused if it must be translated."""

import numpy as np
import pytest

import paddle


def row_written(x):
    y = x * 1
    row = y[0]
    row.add_(paddle.ones([3]))
    return y


def source_written(x):
    y = x * 1
    turned = y.t()
    y[0] = 7.0
    return turned + 0


def input_written(x):
    x[1].scale_(2.0)
    return x * 1


def stored_views(x):
    y = x * 1
    parts = [y.reshape([3, 2]), y.flatten()]
    y.scale_(2.0)
    return parts


@pytest.mark.parametrize("function", [row_written, source_written, input_written, stored_views])
def test_what_is_written_through_views_is_as_eager(function):
    values = np.arange(6, dtype="float32").reshape(2, 3)
    given, again = paddle.to_tensor(values), paddle.to_tensor(values)
    wanted = function(given)
    with pytest.warns(UserWarning, match="shares memory"):
        found = paddle.jit.to_static(function)(again)
    for a, b in zip(wanted if isinstance(wanted, list) else [wanted], found if isinstance(found, list) else [found]):
        assert a.tolist() == b.tolist()
    assert given.tolist() == again.tolist()
    with pytest.raises(Exception, match="shares memory"):
        paddle.jit.to_static(function, full_graph=True)(again)


@paddle.jit.to_static(full_graph=True)
def running_sums(x):
    x = x * 1
    for k in range(1, 3):
        x[:, k] = x[:, k] + x[:, k - 1]
    flat = x.flatten()
    flat.scale_(2.0)
    return flat


def test_what_shows_nowhere_is_translated():
    assert running_sums(paddle.to_tensor([[1.0, 2.0, 3.0]])).tolist() == [2.0, 6.0, 12.0]
