"""Columns that complete a basis: a gradient through them exists where the choice of the basis makes no difference."""

import numpy as np
import pytest

import paddle


def tall(seed=0):
    return paddle.to_tensor(np.random.RandomState(seed).randn(5, 3), stop_gradient=False)


def completed_q(x):
    return paddle.linalg.qr(x, mode="complete")[0]


def full_u(x):
    return paddle.linalg.svd(x, full_matrices=True)[0]


def full_v(x):
    return paddle.linalg.svd(x.t(), full_matrices=True)[2].t()


@pytest.mark.parametrize("basis, function", [(completed_q, "qr"), (full_u, "svd"), (full_v, "svd")])
def test_what_depends_on_the_choice_has_no_gradient(basis, function):
    x = tall()
    with pytest.raises(ValueError, match=rf"{function}\(\).* reduced form"):
        basis(x)[:, 3:].sum().backward()


@pytest.mark.parametrize("basis", [completed_q, full_u, full_v])
def test_first_columns_have_the_gradient_of_the_reduced_form(basis):
    x = tall()
    whole, = paddle.grad((basis(x)[:, :3] ** 4).sum(), x)
    reduced, = paddle.grad(((paddle.linalg.qr(x)[0] if basis is completed_q else paddle.linalg.svd(x)[0]) ** 4).sum(), x)
    np.testing.assert_allclose(whole.numpy(), reduced.numpy(), 1e-9)


@pytest.mark.parametrize("basis", [completed_q, full_u, full_v])
def test_all_columns_together_are_constant(basis):
    """Q Q^T is the identity, whatever x is."""
    x = tall()
    q = basis(x)
    gradient, = paddle.grad((q @ q.t() * paddle.arange(25, dtype="float64").reshape([5, 5])).sum(), x)
    np.testing.assert_allclose(gradient.numpy(), 0, atol=1e-12)
