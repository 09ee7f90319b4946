"""paddle.compat of Paddle 3; values recorded from Paddle 3.3.1."""

import paddle

C = paddle.compat
X = paddle.to_tensor([[1.0, 3.0], [4.0, 2.0]])


def listed(result):
    return [part.tolist() for part in result]


def test_values_recorded_from_paddle_3():
    assert listed(C.max(X, 1)) == [[3.0, 4.0], [1, 0]] and float(C.max(X)) == 4.0
    assert listed(C.min(X, dim=0, keepdim=True)) == [[[1.0, 2.0]], [[0, 1]]]
    assert float(C.median(X)) == 2.0 and listed(C.median(X, 1)) == [[1.0, 2.0], [0, 1]]
    assert listed(C.nanmedian(paddle.to_tensor([[1.0, float("nan")], [4.0, 2.0]]), 1)) == [[1.0, 2.0], [0, 1]]
    assert listed(C.unique(paddle.to_tensor([3, 1, 3]), return_inverse=True, return_counts=True)) == [[1, 3], [1, 0, 1], [1, 2]]
    assert C.equal(X, X) is True and C.equal(X, X + 1) is False
    assert round(float(C.slogdet(X).logabsdet), 6) == 2.302585
    assert listed(C.sort(paddle.to_tensor([3, 1, 2]), descending=True)) == [[3, 2, 1], [0, 2, 1]]
    assert listed(C.split(paddle.arange(5), 2)) == [[0, 1], [2, 3], [4]]
    assert listed(C.split(paddle.arange(5), [2, 3])) == [[0, 1], [2, 3, 4]]
    assert C.max(X, X + 1).tolist() == (X + 1).tolist() and isinstance(C.seed(), int)
