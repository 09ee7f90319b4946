"""Sparse tensors against the dense functions, with gradients; texts and corner cases as recorded from Paddle 2.6.2."""

import numpy as np
import pytest

import paddle
from paddle import sparse
from paddle.autograd import gradcheck

F = paddle.nn.functional
RNG = np.random.RandomState(0)


def filled(*shape, share=0.4, seed=0):
    """An array of which about this share is not zero."""
    rng = np.random.RandomState(seed)
    return np.where(rng.rand(*shape) < share, rng.randn(*shape), 0.0)


def dense(x):
    return (x.to_dense() if not isinstance(x, paddle.Tensor) else x).numpy()


def same(ours, theirs):
    np.testing.assert_allclose(dense(ours), theirs, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("form", ["to_sparse_coo", "to_sparse_csr"])
@pytest.mark.parametrize("shape", [(3, 4), (2, 3, 4), (3, 0)])
def test_there_and_back(form, shape):
    array = filled(*shape)
    x = getattr(paddle.to_tensor(array), form)()
    assert x.nnz() == np.count_nonzero(array) and x.shape == list(shape)
    same(x, array)
    same(x.to_sparse_coo().to_sparse_csr(), array)
    same(x.to_sparse_csr().to_sparse_coo(), array)


def test_text_is_paddles():
    assert repr(sparse.sparse_coo_tensor([[0, 1, 2], [1, 2, 0]], [1.0, 2.0, 3.0], [3, 3])) == (
        "Tensor(shape=[3, 3], dtype=paddle.float32, place=Place(cpu), stop_gradient=True, \n"
        "       indices=[[0, 1, 2],\n                [1, 2, 0]], \n       values=[1., 2., 3.])")
    assert repr(sparse.sparse_csr_tensor([0, 2, 3], [1, 3, 2], [1.0, 2.0, 3.0], [2, 4])) == (
        "Tensor(shape=[2, 4], dtype=paddle.float32, place=Place(cpu), stop_gradient=True, \n"
        "       crows=[0, 2, 3], \n       cols=[1, 3, 2], \n       values=[1., 2., 3.])")


@pytest.mark.parametrize("name", ["sin", "tan", "asin", "atan", "sinh", "tanh", "asinh", "atanh", "square", "abs", "neg",
                                  "deg2rad", "rad2deg", "expm1", "isnan", "sqrt", "log1p"])
def test_functions_of_values(name):
    array = np.abs(filled(3, 4)) % 0.9
    ours = getattr(sparse, name)(paddle.to_tensor(array).to_sparse_csr())
    assert ours.is_sparse_csr()
    np.testing.assert_allclose(dense(ours), getattr(paddle, name)(paddle.to_tensor(array)).numpy())


@pytest.mark.parametrize("name", ["add", "subtract", "multiply"])
@pytest.mark.parametrize("form", ["to_sparse_coo", "to_sparse_csr"])
def test_two_patterns_meet(name, form):
    a, b = filled(3, 4), filled(3, 4, seed=1)
    x, y = getattr(paddle.to_tensor(a), form)(), getattr(paddle.to_tensor(b), form)()
    ours = getattr(sparse, name)(x, y)
    same(ours, getattr(np, name)(a, b))
    assert ours.nnz() == np.count_nonzero((a != 0) | (b != 0))


def test_division_is_everywhere():
    a, b = filled(2, 3), filled(2, 3, seed=1)
    ours = paddle.to_tensor(a).to_sparse_coo() / paddle.to_tensor(b).to_sparse_coo()
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(dense(ours), a / b)
    same(paddle.to_tensor(a).to_sparse_coo() / 2.0, a / 2)


@pytest.mark.parametrize("shape", [((3, 4), (4, 2)), ((2, 3, 4), (2, 4, 2))])
@pytest.mark.parametrize("form", ["to_sparse_coo", "to_sparse_csr"])
def test_products(shape, form):
    a, b = filled(*shape[0]), filled(*shape[1], share=0.6, seed=1)
    x = getattr(paddle.to_tensor(a), form)()
    same(x @ paddle.to_tensor(b), a @ b)
    both = sparse.matmul(x, getattr(paddle.to_tensor(b), form)())
    assert both.is_sparse()
    same(both, a @ b)
    mask = getattr(paddle.to_tensor(filled(*(a @ b).shape, seed=2)), form)()
    same(sparse.masked_matmul(paddle.to_tensor(a), paddle.to_tensor(b), mask), np.where(dense(mask) != 0, a @ b, 0))


def test_vectors_and_sums_of_products():
    a, v, c = filled(3, 4), RNG.randn(4), RNG.randn(3, 2)
    x = paddle.to_tensor(a).to_sparse_csr()
    same(sparse.mv(x, paddle.to_tensor(v)), a @ v)
    b = RNG.randn(4, 2)
    same(sparse.addmm(paddle.to_tensor(c), x, paddle.to_tensor(b), 0.5, 2.0), 0.5 * c + 2 * a @ b)


def test_shapes():
    a = filled(2, 3, 4)
    x = paddle.to_tensor(a).to_sparse_coo()
    same(sparse.transpose(x, [2, 0, 1]), a.transpose(2, 0, 1))
    same(sparse.reshape(x, [4, -1]), a.reshape(4, 6))
    same(sparse.slice(x, [0, 2], [1, -3], [2, 3]), a[1:2, :, -3:3])
    same(sparse.sum(x, [0, 2]), a.sum((0, 2)))
    same(sparse.sum(x, 1, keepdim=True), a.sum(1, keepdims=True))
    same(sparse.sum(x), a.sum().reshape(1))
    same(sparse.transpose(paddle.to_tensor(a).to_sparse_csr(), [0, 2, 1]), a.transpose(0, 2, 1))
    assert sparse.cast(x, "int32", "float32").indices().dtype == paddle.int32
    twice = sparse.sparse_coo_tensor([[1, 0, 1], [2, 0, 2]], [1.0, 2.0, 3.0], [2, 3])
    assert sparse.coalesce(twice).values().tolist() == [2.0, 4.0]
    same(twice, [[2, 0, 0], [0, 0, 4]])


@pytest.mark.parametrize("function", [
    lambda v: sparse.matmul(coo(v), paddle.to_tensor(MATRIX)),
    lambda v: sparse.matmul(coo(v), coo(v * 2)).to_dense(),
    lambda v: sparse.sum(sparse.multiply(coo(v), coo(v)), 0).to_dense(),
    lambda v: sparse.nn.functional.softmax(coo(v).to_sparse_csr()).to_dense(),
    lambda v: sparse.coalesce(sparse.sparse_coo_tensor([[0, 1, 0, 2], [1, 1, 1, 0]], v, [3, 3])).to_dense(),
    lambda v: sparse.divide(sparse.sin(coo(v)), 3.0).values(),
])
def test_gradients_of_both_orders(function):
    values = paddle.to_tensor(RNG.rand(4) + 0.5, stop_gradient=False)
    assert gradcheck(function, [values])


MATRIX = RNG.randn(3, 2)


def coo(values):
    return sparse.sparse_coo_tensor([[0, 0, 1, 2], [0, 2, 1, 0]], values, [3, 3])


def test_the_gradient_is_sparse():
    x = sparse.sparse_coo_tensor([[0, 1, 2], [1, 2, 0]], [1.0, -2.0, 3.0], [3, 3], stop_gradient=False)
    sparse.nn.functional.relu(x).to_dense().sum().backward()
    assert x.grad.is_sparse_coo() and x.grad.values().tolist() == [1.0, 0.0, 1.0]


@pytest.mark.parametrize("dims", [2, 3])
@pytest.mark.parametrize("stride, padding, dilation", [(1, 0, 1), (2, 1, 1), (1, 2, 2)])
def test_convolutions(dims, stride, padding, dilation):
    name, layout = f"conv{dims}d", "NDHWC"[3 - dims:] if dims == 3 else "NHWC"
    sites = filled(2, *[5] * dims, share=0.3)
    a = np.where(sites[..., None] != 0, RNG.randn(*sites.shape, 3), 0)
    weight, bias = RNG.randn(*[3] * dims, 3, 4), RNG.randn(4)
    x = paddle.to_tensor(a).to_sparse_coo(dims + 1)
    turned = paddle.to_tensor(np.moveaxis(weight, (-1, -2), (0, 1)).copy())
    ours = getattr(sparse.nn.functional, name)(x, paddle.to_tensor(weight), None, stride, padding, dilation)
    theirs = getattr(F, name)(paddle.to_tensor(a), turned, None, stride, padding, dilation, data_format=layout)
    same(ours, theirs.numpy())
    if stride == 1 and dilation == 1:
        subm = getattr(sparse.nn.functional, "subm_" + name)(x, paddle.to_tensor(weight), paddle.to_tensor(bias))
        theirs = getattr(F, name)(paddle.to_tensor(a), turned, paddle.to_tensor(bias), 1, 1, data_format=layout).numpy()
        same(subm, np.where(sites[..., None] != 0, theirs, 0))


def test_pooling_and_layers():
    a = np.abs(filled(1, 4, 4, 4, 1, share=0.5)) * np.ones(2)
    x = paddle.to_tensor(a.astype("float32")).to_sparse_coo(4)
    theirs = F.max_pool3d(paddle.to_tensor(a.astype("float32")), 2, 2, data_format="NDHWC").numpy()
    np.testing.assert_array_equal(dense(sparse.nn.MaxPool3D(2, 2)(x)), theirs)
    net = paddle.nn.Sequential(sparse.nn.SubmConv3D(2, 4, 3), sparse.nn.BatchNorm(4), sparse.nn.ReLU(), sparse.nn.Conv3D(4, 3, 2))
    optimizer = paddle.optimizer.Adam(0.05, parameters=net.parameters())
    losses = []
    for _ in range(15):
        loss = ((net(x).to_dense() - 1) ** 2).mean()
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        losses.append(float(loss))
    assert losses[-1] < 0.7 * losses[0]


def test_attention_is_dense_attention_with_a_mask():
    q, k, v = (paddle.to_tensor(RNG.randn(1, 2, 4, 8)) for _ in range(3))
    mask = np.tril(np.ones((4, 4)))
    ours = sparse.nn.functional.attention(q, k, v, paddle.to_tensor(np.stack([mask] * 2)).to_sparse_csr())
    scores = q.numpy() @ k.numpy().swapaxes(-1, -2) / 8 ** 0.5 + np.where(mask, 0, -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    same(ours, weights / weights.sum(-1, keepdims=True) @ v.numpy())


@pytest.mark.parametrize("call, error, text", [
    (lambda: sparse.sparse_coo_tensor([[0, 3]], [1.0, 2.0], [3]), IndexError, "index 3 of axis 0 is out of range for size 3"),
    (lambda: sparse.sparse_coo_tensor([[0, -1]], [1.0, 2.0], [3]), IndexError, "negative"),
    (lambda: sparse.sparse_coo_tensor([[0, 1]], [1.0], [3]), ValueError, "2 rows"),
    (lambda: sparse.sparse_csr_tensor([0, 2], [0, 5], [1.0, 2.0], [1, 3]), IndexError, "column 5"),
    (lambda: sparse.sparse_csr_tensor([0, 3], [0, 1], [1.0, 2.0], [1, 3]), ValueError, "crows"),
    (lambda: sparse.add(paddle.ones([2]), paddle.ones([2])), TypeError, r"add\(\): x must be a sparse tensor"),
    (lambda: sparse.matmul(coo(paddle.ones([4])), paddle.ones([2, 2])), ValueError, "sizes do not fit"),
    (lambda: sparse.transpose(coo(paddle.ones([4])), [0, 0]), ValueError, "perm"),
    (lambda: sparse.sum(coo(paddle.ones([4])), 5), ValueError, "axis"),
])
def test_bad_input(call, error, text):
    with pytest.raises(error, match=text):
        call()


def _partly_dense():
    return paddle.sparse.sparse_coo_tensor([[0, 0, 1], [0, 2, 2]], [[1., 2.], [3., 5.], [4., 0.5]], [2, 3, 2], stop_gradient=False)


@pytest.mark.parametrize("axis, values", [
    (0, [[1, 1], [0.26894, 0.98901], [0.73106, 0.01099]]), (1, [[0.1192, 0.04743], [0.8808, 0.95257], [1, 1]]),
    (2, [[0.26894, 0.73106], [0.1192, 0.8808], [0.97069, 0.02931]])])
def test_softmax_along_any_axis_as_recorded_from_paddle(axis, values):
    np.testing.assert_allclose(paddle.sparse.nn.functional.softmax(_partly_dense(), axis).values(), values, atol=1e-5)


def test_sums_over_dense_axes_and_a_vector_for_the_dense_axis():
    x = _partly_dense()
    assert paddle.sparse.sum(x, -1).values().tolist() == [3, 8, 4.5]
    assert paddle.sparse.sum(x, 1).to_dense().tolist() == [[4, 7], [4, 0.5]]
    assert paddle.sparse.add(x, paddle.to_tensor([10., 20.])).values().tolist() == [[11, 22], [13, 25], [14, 20.5]]


def test_backward_of_a_sparse_tensor_starts_with_ones_or_with_what_is_given():
    x = _partly_dense()
    paddle.sparse.square(x).backward()
    assert x.grad.values().tolist() == [[2, 4], [6, 10], [8, 1]]
    x.clear_grad(False)
    assert x.grad is None and x.is_leaf
    paddle.sparse.square(x).backward(paddle.full([2, 3, 2], 10.))
    assert x.grad.values().tolist() == [[20, 40], [60, 100], [80, 10]]
    with pytest.raises(ValueError, match="grad_tensor must have the shape"):
        paddle.sparse.square(x).backward(paddle.ones([2]))


def test_copying_into_a_sparse_tensor():
    x, y = _partly_dense(), paddle.sparse.sparse_coo_tensor([[0], [1]], [[7., 8.]], [2, 3, 2])
    assert x.copy_(y, True).values().tolist() == [[7, 8]] and x.indices().tolist() == [[0], [1]]
    with pytest.raises(TypeError, match="copy_"):
        x.copy_(paddle.ones([2, 3, 2]), True)


@pytest.mark.parametrize("make", [
    lambda values: sparse.sparse_coo_tensor(paddle.to_tensor([[0, 1], [1, 2]]), values, [3, 4], stop_gradient=False),
    lambda values: sparse.sparse_csr_tensor([0, 1, 2, 2], [1, 2], values, [3, 4], stop_gradient=False)])
def test_values_given_as_a_tensor_receive_gradients_when_asked(make):
    values = paddle.to_tensor([1.0, 2.0])
    x = make(values)
    x.retain_grads()
    factor = np.arange(12, dtype="float32").reshape(3, 4)
    (x.to_dense() * paddle.to_tensor(factor)).sum().backward()
    assert not values.stop_gradient
    np.testing.assert_array_equal(x.grad.values().numpy(), factor[[0, 1], [1, 2]])
    np.testing.assert_array_equal(values.grad.numpy(), factor[[0, 1], [1, 2]])


def test_compressed_rows_of_a_tensor_keep_their_gradient():
    dense = paddle.to_tensor([[0.0, 3.0], [2.0, 0.0]], stop_gradient=False)
    x = dense.to_sparse_csr()
    sparse.multiply(x, x).backward()
    np.testing.assert_array_equal(x.grad.to_dense().numpy(), [[0, 6], [4, 0]])
    np.testing.assert_array_equal(dense.grad.numpy(), [[0, 6], [4, 0]])


@pytest.mark.parametrize("kind", ["to_sparse_coo", "to_sparse_csr"])
def test_quotients_of_integers_are_floats(kind):  # as in Paddle 2.6.2
    x, y = np.array([[7, -3], [2, 9]]), np.array([[2, 2], [4, -5]])
    a, b = (getattr(paddle.to_tensor(v), kind)() for v in (x, y))
    out = sparse.divide(a, b)
    assert out.dtype == paddle.float32
    np.testing.assert_allclose(out.to_dense().numpy(), x / y, rtol=1e-6)
    np.testing.assert_allclose(sparse.divide(a, 2).to_dense().numpy(), x / 2, rtol=1e-6)


def test_layers_refuse_other_orders_of_axes_when_they_are_made():
    for layer, order in ((sparse.nn.Conv2D, "NCHW"), (sparse.nn.SubmConv2D, "NCHW"), (sparse.nn.SubmConv3D, "NCDHW")):
        with pytest.raises(ValueError, match="data_format"):
            layer(1, 1, 3, data_format=order)


def test_tensors_of_the_core():  # of 2.6: values in any form of as many elements
    core = paddle.base.core.eager
    x = core.sparse_coo_tensor(paddle.to_tensor([[0, 1], [2, 0]]), paddle.to_tensor([5.0, 6.0]), [2, 3, 1], False)
    assert x.to_dense().tolist() == [[[0.0], [0.0], [5.0]], [[6.0], [0.0], [0.0]]] and not x.stop_gradient
    y = core.sparse_csr_tensor(paddle.to_tensor([0, 1, 1]), paddle.to_tensor([1]), paddle.to_tensor([5.0]), [2, 2], True)
    assert y.to_dense().tolist() == [[0.0, 5.0], [0.0, 0.0]] and y.stop_gradient


def test_false_means_that_values_keep_their_type():  # as in Paddle 2.6.2
    assert sparse.sparse_coo_tensor([[0]], [1.0], [2], False).dtype is paddle.float32


def test_principal_components_are_those_of_a_sparse_matrix():
    for x, text in ((paddle.ones([2, 2]), "must be a sparse tensor"), (paddle.ones([2, 2, 2]).to_sparse_coo(), "must be a matrix")):
        with pytest.raises(ValueError, match=text):
            sparse.pca_lowrank(x)


@pytest.mark.parametrize("kind", ["float16", "bfloat16"])
def test_many_short_values_are_added_in_float32(kind):
    x = sparse.sparse_coo_tensor([[0] * 3000, list(range(3000))], paddle.full([3000], 0.5).astype(kind), [2, 3000])
    assert sparse.sum(x, 1).values().astype("float32").tolist() == [1500.0 if kind == "float16" else 1504.0]
