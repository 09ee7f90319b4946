"""paddle.complex: the function of 2.x, and the functions of 1.8's module as its attributes."""

import numpy as np

import paddle

A = np.array([[1 + 1j, 2], [3, 4j]], "complex64")


def test_functions_of_1_8():
    x, y = paddle.to_tensor(A), paddle.to_tensor(A[:, 0])
    module = paddle.complex
    np.testing.assert_allclose(module.elementwise_add(x, y, axis=0).numpy(), A + A[:, :1])
    np.testing.assert_allclose(module.elementwise_div(x, x).numpy(), np.ones([2, 2]))
    np.testing.assert_allclose(module.matmul(x, x, transpose_y=True, alpha=2.0).numpy(), 2 * A @ A.T)
    np.testing.assert_allclose(module.sum(x).numpy(), [A.sum()])
    np.testing.assert_allclose(module.sum(x, 1, True).numpy(), A.sum(1, keepdims=True))
    np.testing.assert_allclose(module.kron(x, x).numpy(), np.kron(A, A))
    np.testing.assert_allclose(module.trace(x, 1).numpy(), A[0, 1])
    assert module.reshape(x, [4]).shape == [4] and module.transpose(x, [1, 0]).numpy()[0, 1] == 3
    assert module(paddle.ones([1]), paddle.ones([1])).numpy() == 1 + 1j
