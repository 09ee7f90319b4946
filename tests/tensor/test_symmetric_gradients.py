"""Gradients by matrices that are read as symmetric are symmetric. The values are real 2.6.2's; PyTorch has the same of eigh."""

import numpy as np
import pytest

import paddle

REAL = np.array([[0.6, 0.2, 0.9], [0.2, 0.4, 0.1], [0.9, 0.1, 0.7]])
COMPLEX = np.array([[0.6, 0.2 + 0.3j, 0.9], [0.2 - 0.3j, 0.4, 0.1j], [0.9, -0.1j, 0.7]])


@pytest.mark.parametrize("matrix, expected", [
    (REAL, [[0.9794, 0.88585, -0.19503], [0.88585, 1.15731, 0.20924], [-0.19503, 0.20924, 0.86329]]),
    (COMPLEX, [[1.18961, 0.33163 + 0.45479j, -0.305 + 0.00948j], [0.33163 - 0.45479j, 0.59568, 0.08531 + 0.2057j],
               [-0.305 - 0.00948j, 0.08531 - 0.2057j, 1.21472]])])
def test_eigh(matrix, expected):
    x = paddle.to_tensor(matrix, stop_gradient=False)
    values, vectors = paddle.linalg.eigh(x)
    (values.sum() + paddle.abs(vectors).sum()).backward()
    np.testing.assert_allclose(x.grad.numpy(), expected, atol=2e-5)


def test_pinv():
    x = paddle.to_tensor(REAL + np.eye(3), stop_gradient=False)
    (paddle.linalg.pinv(x, hermitian=True) * paddle.arange(9.0, dtype="float64").reshape([3, 3])).sum().backward()
    expected = [[1.39353, 0.8325, -0.35215], [0.8325, -1.90027, -2.70788], [-0.35215, -2.70788, -2.51257]]
    np.testing.assert_allclose(x.grad.numpy(), expected, atol=2e-5)
