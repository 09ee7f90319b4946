"""Functions and methods that Paddle 3 added; the values were recorded from Paddle 3.3.1."""

import numpy as np
import pytest

import paddle

X = [[1.0, 2.0], [3.0, 4.0]]
Y = [5.0, 6.0]
ROWS = [[0.0, 0.0], [3.0, 4.0], [0.0, 1.0]]
FACTOR = [[2.0, 0.0], [1.0, 1.0]]
RECORDED = [
    (lambda x, y: paddle.permute(x, 1, 0), [[1, 3], [2, 4]]),
    (lambda x, y: x.repeat(2, 1), [*X, *X]),
    (lambda x, y: paddle.narrow(x, 1, 0, 1), [[1], [3]]),
    (lambda x, y: paddle.range(1, 5, 2), [1, 3, 5]),
    (lambda x, y: paddle.scatter_reduce(paddle.zeros([3]), 0, paddle.to_tensor([0, 0, 2]), paddle.to_tensor([1., 2., 3.]), "mean"),
     [1, 0, 1.5]),
    (lambda x, y: paddle.scatter_reduce(paddle.zeros([3]), 0, paddle.to_tensor([0, 0, 2]), paddle.to_tensor([1., 2., 3.]), "amax",
                                        include_self=False), [2, 0, 3]),
    (lambda x, y: paddle.scatter_add(paddle.zeros([3]), 0, paddle.to_tensor([0, 0, 2]), paddle.to_tensor([1., 2., 3.])), [3, 0, 3]),
    (lambda x, y: paddle.take_along_dim(x, paddle.to_tensor([[0], [1]]), 1), [[1], [4]]),
    (lambda x, y: paddle.vecdot(x, y), [17, 39]),
    (lambda x, y: paddle.msort(paddle.to_tensor([[3., 1.], [2., 5.]])), [[2, 1], [3, 5]]),
    (lambda x, y: paddle.sinc(paddle.to_tensor([0., .5, 2.5])), [1, 0.63661975, 0.12732394]),
    (lambda x, y: paddle.signbit(paddle.to_tensor([-0., 1., -2.])), [True, False, True]),
    (lambda x, y: paddle.copysign(y, paddle.to_tensor([-1., -0.])), [-5, -6]),
    (lambda x, y: paddle.isin(y, paddle.to_tensor([5., 7.]), invert=True), [False, True]),
    (lambda x, y: paddle.gammainc(y, paddle.to_tensor([1., 2.])), [0.00365984, 0.01656359]),
    (lambda x, y: paddle.gammaincc(y, paddle.to_tensor([1., 2.])), [0.99634016, 0.98343641]),
    (lambda x, y: paddle.reduce_as(x, y), [4, 6]),
    (lambda x, y: paddle.histogram_bin_edges(y, bins=4), [5, 5.25, 5.5, 5.75, 6]),
    (lambda x, y: paddle.histogramdd(x, bins=[2, 2])[0], [[1, 0], [0, 1]]),
    (lambda x, y: paddle.baddbmm(paddle.ones([1, 2, 2]), x[None], x[None], beta=2., alpha=.5), [[[5.5, 7.], [9.5, 13.]]]),
    (lambda x, y: paddle.bitwise_right_shift(paddle.to_tensor([1, 2, -8], "int32"), paddle.to_tensor([1, 1, 1], "int32"), False),
     [0, 1, 2147483644]),
    (lambda x, y: paddle.to_tensor([1, 2, -8]) >> 1, [0, 1, -4]),
    (lambda x, y: paddle.to_tensor([1, 2, -8]) << 1, [2, 4, -16]),
    (lambda x, y: paddle.pdist(paddle.to_tensor(ROWS)), [5, 1, 4.2426405]),
    (lambda x, y: paddle.linalg.svdvals(x), [5.46498585, 0.36596608]),
    (lambda x, y: paddle.linalg.matrix_exp(x), [[51.96895620, 74.73656457], [112.10484685, 164.07380305]]),
    (lambda x, y: paddle.linalg.vector_norm(x, 1, 0), [4, 6]),
    (lambda x, y: paddle.linalg.vector_norm(x), 5.47722578),
    (lambda x, y: paddle.linalg.matrix_norm(x, "nuc"), 5.83095169),
    (lambda x, y: paddle.linalg.cholesky_inverse(paddle.to_tensor(FACTOR)), [[0.5, -0.5], [-0.5, 1.0]]),
    (lambda x, y: x.new_full([2], 3), [3, 3]),
    (lambda x, y: x.new_ones(1, 2), [[1, 1]]),
    (lambda x, y: x.mT, [[1, 3], [2, 4]]),
    (lambda x, y: y.softmax(0), [0.26894143, 0.73105860]),
    (lambda x, y: paddle.FloatTensor([1, 2]), [1, 2]),
    (lambda x, y: y.resize_([1]), [5]),
    (lambda x, y: y.set_(x), X),
]


@pytest.mark.parametrize("number", range(len(RECORDED)))
def test_value_recorded_from_paddle_3(number):
    function, wanted = RECORDED[number]
    out = function(paddle.to_tensor(X), paddle.to_tensor(Y))
    np.testing.assert_allclose(out.numpy(), np.array(wanted), rtol=1e-5)
    assert list(out.shape) == list(np.shape(wanted))


def test_solvers_solve():
    a, b = np.array([[3.0, 1, 2], [1, 4, 0], [0, 2, 5]]), np.array([[1.0], [2.0], [3.0]])
    packed, pivots = paddle.linalg.lu(paddle.to_tensor(a))
    for trans, matrix in (("N", a), ("T", a.T)):
        found = paddle.linalg.lu_solve(paddle.to_tensor(b), packed, pivots, trans)
        np.testing.assert_allclose(matrix @ found.numpy(), b, atol=1e-12)
    h, tau = np.array([[1.0, 2], [0.5, 3], [0.25, -1]]), np.array([0.3, 0.7])
    v = [np.array([1, 0.5, 0.25]), np.array([0, 1, -1.0])]
    q = (np.eye(3) - 0.3 * np.outer(v[0], v[0])) @ (np.eye(3) - 0.7 * np.outer(v[1], v[1]))
    for left, transpose in ((True, False), (True, True), (False, False)):
        turned = q.T if transpose else q
        wanted = turned @ a if left else a @ turned
        got = paddle.linalg.ormqr(paddle.to_tensor(h), paddle.to_tensor(tau), paddle.to_tensor(a), left, transpose)
        np.testing.assert_allclose(got.numpy(), wanted, atol=1e-12)
    u, s, w = paddle.linalg.svd_lowrank(paddle.to_tensor(a), 3)
    np.testing.assert_allclose((u * s).numpy() @ w.numpy().T, a, atol=1e-10)


def test_gradients_pass():
    x = paddle.to_tensor([0.0, 0.5], stop_gradient=False)
    paddle.sinc(x).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), [0.0, (0.5 * np.pi * np.cos(np.pi / 2) - 1) / (np.pi * 0.25)], rtol=1e-5)
    x = paddle.to_tensor(X, dtype="float64", stop_gradient=False)
    paddle.linalg.matrix_exp(x).sum().backward()
    step, numeric = 1e-6, np.zeros((2, 2))
    for k in np.ndindex(2, 2):
        ends = []
        for sign in (1, -1):
            moved = np.array(X)
            moved[k] += sign * step
            ends.append(float(paddle.linalg.matrix_exp(paddle.to_tensor(moved)).sum()))
        numeric[k] = (ends[0] - ends[1]) / (2 * step)
    np.testing.assert_allclose(x.grad.numpy(), numeric, rtol=1e-6)


def test_size_is_a_list_that_equals_tuples():
    size = paddle.Size([2, 3])
    assert size == (2, 3) and size == [2, 3] and not size != (2, 3) and isinstance(size, list)
    assert repr(size) == str(size) == "paddle.Size([2, 3])" and repr(size[1:]) == "paddle.Size([3])"
    assert repr(size + (4,)) == "paddle.Size([2, 3, 4])" and repr((1,) + size) == "paddle.Size([1, 2, 3])" and size.numel() == 6


def test_conversions_and_questions():
    x = paddle.to_tensor([1.5, 2.0])
    assert x.int().tolist() == [1, 2] and x.long().dtype == "int64" and x.double().dtype == "float64" and x.bool().dtype == "bool"
    assert (x.device, x.is_cuda, x.get_device(), x.stride(), x.dense_dim(), x.requires_grad) == ("cpu", False, -1, [1], 1, False)
    assert x.requires_grad_() is x and x.requires_grad and not x.stop_gradient
    with pytest.raises(RuntimeError, match="requires gradients"):
        x.apply_(lambda v: v)
    with pytest.raises(TypeError, match="coalesced"):
        x.is_coalesced()
    assert paddle.LongTensor(2, 3).shape == [2, 3] and (paddle.double, paddle.e, paddle.newaxis) == (paddle.float64, np.e, None)
    array = np.zeros(2)
    shared = paddle.from_numpy(array)
    array[0] = 5
    assert shared.tolist() == [5.0, 0.0]
    with pytest.raises(RuntimeError, match="pin_memory"):
        paddle.as_tensor([1], pin_memory=True)


def test_static_variables_have_them_too():
    paddle.enable_static()
    try:
        main = paddle.static.Program()
        with paddle.static.program_guard(main):
            x = paddle.static.data("x", [2, 2])
            outs = [x.permute(1, 0), x.mT, x.mul(x), x.float(), paddle.linalg.matrix_exp(x), paddle.isin(x, x), x.softmax(1)]
        got = paddle.static.Executor().run(main, feed={"x": np.array(X, "float32")}, fetch_list=outs)
    finally:
        paddle.disable_static()
    np.testing.assert_allclose(got[0], np.array(X).T)
    np.testing.assert_allclose(got[2], np.array(X) ** 2)
    np.testing.assert_allclose(got[4], [[51.96895620, 74.73656457], [112.10484685, 164.07380305]], rtol=1e-4)
    assert got[5].all()


def test_layers_answer_to_the_names_of_modules():
    net = paddle.nn.Sequential(paddle.nn.Linear(2, 2), paddle.nn.ReLU())
    assert [name for name, _ in net.named_modules()] == ["", "0", "1"] and len(list(net.modules())) == 3
    assert net.get_submodule("0") is net[0] and net.get_parameter("0.weight") is net[0].weight
    net.set_submodule("1", paddle.nn.Tanh())
    assert isinstance(net[1], paddle.nn.Tanh)
    missing, unexpected = net.load_state_dict({"0.weight": np.ones([2, 2], "float32"), "q": 1}, strict=False)
    assert (missing, unexpected) == (["0.bias"], ["q"]) and net[0].weight.tolist() == [[1, 1], [1, 1]]
    with pytest.raises(RuntimeError, match="0.bias"):
        net.load_state_dict({"0.weight": np.ones([2, 2], "float32")})
    assert net.requires_grad_(False)[0].weight.stop_gradient and net.double()[0].weight.dtype == "float64"
    assert net.train(False).training is False
    order = []
    net.register_forward_hook(lambda *_: order.append(1))
    net.register_forward_hook(lambda *_: order.append(2), prepend=True)
    net(paddle.ones([1, 2], "float64"))
    assert order == [2, 1]


def test_a_sublayer_may_have_the_name_of_a_new_method():
    class Net(paddle.nn.Layer):
        def __init__(self):
            super().__init__()
            self.modules = paddle.nn.LayerList([paddle.nn.Linear(2, 2)])
            self.add_sublayer("half", paddle.nn.ReLU())
            self.add_parameter("type", paddle.create_parameter([2], "float32"))

    net = Net()
    assert isinstance(net.modules, paddle.nn.LayerList) and isinstance(net.half, paddle.nn.ReLU) and net.type.shape == [2]
    assert set(net.state_dict()) == {"modules.0.weight", "modules.0.bias", "type"}
