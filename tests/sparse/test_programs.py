"""Sparse tensors in static programs: every function gives what it gives in dynamic code, with its gradients."""

import numpy as np
import pytest

import paddle
from paddle import sparse

F = sparse.nn.functional
INDICES = np.array([[0, 1, 1, 2], [1, 2, 0, 0]], "int32")
FEEDS = {
    "indices": INDICES, "values": np.array([1.0, -2.0, 3.0, 0.5], "float32"),
    "dense": np.arange(9, dtype="float32").reshape(3, 3) / 5 - 0.7,
    "holed": np.array([[0, 2, 0], [1, 0, 0], [0, -3, 4]], "float32"),
    "sites": np.array([[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 1, 2], [1, 3, 2, 3]], "int32"),
    "rows": np.array([[1.0], [2.0], [3.0], [4.0]], "float32"),
    "weight": np.random.RandomState(0).randn(1, 3, 3, 1, 2).astype("float32"),
}
FLOATS = [name for name, array in FEEDS.items() if array.dtype == np.float32]


class Made:
    """What the functions below start with, of Tensors or of Variables."""

    def __init__(self, given):
        for name in FLOATS:
            given[name].stop_gradient = False
        self.__dict__.update(given)
        self.x = sparse.sparse_coo_tensor(self.indices, self.values, [3, 3])
        self.y = self.holed.to_sparse_coo(2)
        self.volume = sparse.sparse_coo_tensor(self.sites, self.rows, [1, 1, 3, 4, 1])


def parts(result):
    """The dense tensors of a result."""
    found = []
    for t in result if isinstance(result, list) else [result]:
        if isinstance(t, sparse.SparseTensor):
            found += [t.to_dense(), t.values(), *([t.indices()] if t.is_sparse_coo() else [t.crows(), t.cols()])]
        else:
            found.append(t)
    return found


def loss_of(outs):
    return paddle.add_n([(t * t).sum() for t in outs if t.dtype.name == "float32" and not t.stop_gradient])


def sizes(name):
    """Numbers of values are unknown, all else is said."""
    shape = list(FEEDS[name].shape)
    return {"indices": [2, -1], "sites": [4, -1], "values": [-1], "rows": [-1, 1]}.get(name, shape)


FUNCTIONS = {
    "create": lambda m: m.x, "coalesce": lambda m: sparse.transpose(m.x, [1, 0]).coalesce(),
    "dense to coo": lambda m: [m.y, m.holed.to_sparse_coo(1)], "dense to csr": lambda m: m.holed.to_sparse_csr(),
    "coo to csr": lambda m: [m.x.to_sparse_csr(), m.x.to_sparse_csr().to_sparse_coo()],
    **{name: lambda m, name=name: getattr(sparse, name)(m.x) for name in ["sin", "tanh", "square", "abs", "neg", "expm1"]},
    "isnan": lambda m: sparse.isnan(m.x).values(), "pow": lambda m: sparse.pow(m.x, 2), "cast": lambda m: sparse.cast(m.x, "int64"),
    **{name: lambda m, name=name: getattr(F, name)(m.x) for name in ["relu", "relu6", "leaky_relu", "softmax"]},
    "softmax of rows": lambda m: F.softmax(m.x.to_sparse_csr()), "softmax of columns": lambda m: F.softmax(m.x, 0),
    **{name: lambda m, name=name: getattr(sparse, name)(m.x, m.y) for name in ["add", "subtract", "multiply"]},
    "add rows": lambda m: sparse.add(m.x.to_sparse_csr(), m.y.to_sparse_csr()), "add dense": lambda m: sparse.add(m.x, m.dense),
    "divide": lambda m: sparse.divide(m.x, m.y).values().isnan(), "numbers": lambda m: [m.x * 2.0, m.x / 4.0, -m.x, m.x @ m.dense],
    "matmul": lambda m: [sparse.matmul(m.x, m.dense), sparse.matmul(m.x, m.y), m.x.to_sparse_csr() @ m.y.to_sparse_csr()],
    "masked_matmul": lambda m: sparse.masked_matmul(m.dense, m.holed, m.x), "mask_as": lambda m: sparse.mask_as(m.dense, m.x),
    "mv": lambda m: sparse.mv(m.x, m.dense[0]), "addmm": lambda m: sparse.addmm(m.dense, m.x, m.holed, 2.0, 3.0),
    "transpose": lambda m: sparse.transpose(m.x.to_sparse_csr(), [1, 0]), "reshape": lambda m: sparse.reshape(m.x, [1, -1, 3]),
    "sum": lambda m: [sparse.sum(m.x, axis, keepdim=keep) for axis in (None, 0, -1) for keep in (False, True)],
    "slice": lambda m: sparse.slice(m.x, [0, 1], [1, -2], [3, 3]),
    "conv3d": lambda m: F.conv3d(m.volume, m.weight, m.dense[0, :2], stride=2, padding=[0, 1, 1]),
    "subm_conv3d": lambda m: F.relu(F.subm_conv3d(m.volume, m.weight)), "max_pool3d": lambda m: F.max_pool3d(m.volume, [1, 2, 2]),
    "attention": lambda m: F.attention(*[t.reshape([1, 1, 3, 3]) for t in (m.dense, m.holed, m.dense)],
                                       sparse.reshape(m.x, [1, 3, 3]).to_sparse_csr(), m.dense[:1], m.holed),
}


@pytest.fixture
def static():
    paddle.enable_static()
    with paddle.static.program_guard(paddle.static.Program(), paddle.static.Program()):
        yield paddle.static
    paddle.disable_static()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_programs_give_what_dynamic_code_gives(name):
    made = Made({k: paddle.to_tensor(array) for k, array in FEEDS.items()})
    wanted = parts(FUNCTIONS[name](made))
    trained = any(not t.stop_gradient and t.dtype.name == "float32" for t in wanted)
    grads = paddle.grad(loss_of(wanted), [getattr(made, k) for k in FLOATS], allow_unused=True) if trained else []
    paddle.enable_static()
    try:
        with paddle.static.program_guard(paddle.static.Program()):
            made = Made({k: paddle.static.data(k, sizes(k), array.dtype.name) for k, array in FEEDS.items()})
            outs = parts(FUNCTIONS[name](made))
            found = paddle.static.gradients(loss_of(outs), [getattr(made, k) for k in FLOATS]) if trained else []
            assert [g is None for g in found] == [g is None for g in grads]
            fetches = [*outs, *[g for g in found if g is not None]]
            for _ in range(3):  # step by step, noted, as a routine
                got = paddle.static.Executor().run(feed=FEEDS, fetch_list=fetches)
    finally:
        paddle.disable_static()
    for ours, theirs, variable in zip(got, [*wanted, *[g for g in grads if g is not None]], fetches):
        np.testing.assert_allclose(ours, theirs.numpy(), rtol=1e-5, atol=1e-6)
        assert ours.dtype == theirs.numpy().dtype and variable.dtype is theirs.dtype
        assert len(variable.shape) == ours.ndim and all(n in (-1, m) for n, m in zip(variable.shape, ours.shape))


def test_a_network_trains_on_a_batch_of_unknown_size(static):
    sites, rows = static.data("sites", [4, -1], "int32"), static.data("rows", [-1, 1], "float32")
    x = sparse.sparse_coo_tensor(sites, rows, [None, 1, 3, 4, 1])
    y = sparse.nn.ReLU()(sparse.nn.BatchNorm(2)(sparse.nn.SubmConv3D(1, 2, 3)(x)))
    assert y.shape == [-1, 1, 3, 4, 2] and y.values().shape == (-1, 2) and y.indices().dtype is paddle.int32
    loss = (y.values() - 1.0).square().mean()
    paddle.optimizer.SGD(0.1).minimize(loss)
    exe = static.Executor()
    exe.run(static.default_startup_program())
    feed = {k: FEEDS[k] for k in ("sites", "rows")}
    losses = [float(exe.run(feed=feed, fetch_list=[loss])[0]) for _ in range(20)]
    assert losses[-1] < losses[0]
    two = {"sites": np.concatenate([feed["sites"], feed["sites"] + [[1], [0], [0], [0]]], 1).astype("int32"),
           "rows": np.concatenate([feed["rows"]] * 2)}
    assert exe.run(feed=two, fetch_list=[y.values()])[0].shape == (8, 2)


def test_convolution_as_recorded_from_paddle(static):  # values of 2.6.2
    sites, rows = static.data("sites", [4, 4], "int32"), static.data("rows", [4, 1], "float32")
    weight, bias = static.data("weight", [1, 3, 3, 1, 1], "float32"), static.data("bias", [1], "float32")
    out = F.relu(F.conv3d(sparse.sparse_coo_tensor(sites, rows, [1, 1, 3, 4, 1]), weight, bias))
    feed = {"sites": FEEDS["sites"], "rows": FEEDS["rows"], "weight": np.ones([1, 3, 3, 1, 1], "float32"),
            "bias": np.ones(1, "float32")}
    dense, indices, values = static.Executor().run(feed=feed, fetch_list=[out.to_dense(), out.indices(), out.values()])
    assert dense.tolist() == [[[[[5.0], [11.0]]]]] and values.tolist() == [[5.0], [11.0]]
    assert indices.dtype == np.int32 and indices.tolist() == [[0, 0], [0, 0], [0, 0], [0, 1]]


def test_a_feed_may_have_the_form_that_the_shape_says(static):  # declared [n, 1], fed [n]: as in Paddle 2.6.2
    indices, values = static.data("indices", [2, 5], "int32"), static.data("values", [5, 1], "float32")
    out = F.softmax(sparse.sparse_coo_tensor(indices, values, [2, 5])).to_dense()
    feed = {"indices": [[0, 0, 0, 1, 1], [0, 3, 4, 1, 3]], "values": np.array([11, 14, 15, 22, 24], "float32")}
    got = static.Executor().run(feed=feed, fetch_list=[out])[0]
    np.testing.assert_allclose(got, [[0.01321289, 0, 0, 0.26538792, 0.72139925], [0, 0.11920292, 0, 0.880797, 0]], rtol=1e-5)


@pytest.mark.parametrize("feed, error, text", [
    ({"indices": INDICES + 1}, ValueError, "index 3 of axis 0 is out of range for size 3"),
    ({"indices": INDICES - 1}, IndexError, "must not be negative"),
    ({"values": FEEDS["values"][:2]}, ValueError, "must have 4 rows")])
def test_a_run_says_what_is_wrong_with_positions(static, feed, error, text):
    x = sparse.sparse_coo_tensor(static.data("indices", [2, -1], "int32"), static.data("values", [-1], "float32"), [3, 3])
    with pytest.raises(error, match=text):
        static.Executor().run(feed={"indices": INDICES, "values": FEEDS["values"], **feed}, fetch_list=[x.values(), x.indices()])


def test_what_a_program_does_not_know(static):
    indices, values = static.data("indices", [2, -1], "int32"), static.data("values", [-1], "float32")
    x = sparse.sparse_coo_tensor(indices, values, [None, 3])
    for call, error, text in [
            (lambda: sparse.sparse_coo_tensor(indices, values), ValueError, "shape is needed in programs"),
            (lambda: sparse.sparse_coo_tensor(indices, values, [3, -1]), ValueError, "only the first may have an unknown size"),
            (x.to_dense, ValueError, r"must be known while the program is built, got \[-1, 3\]"),
            (x.nnz, RuntimeError, "known in a run only"), (x.backward, RuntimeError, "static Variable"),
            (lambda: static.Executor().run(fetch_list=[x]), TypeError, r"fetch its to_dense\(\)"),
            (lambda: static.data("d", [2, -1], "float32").to_sparse_coo(2), ValueError, "only the first size")]:
        with pytest.raises(error, match=text):
            call()


def test_translated_functions_compute_with_sparse_tensors():
    @paddle.jit.to_static(full_graph=True)
    def product(x, d):
        return sparse.matmul(F.relu(x.to_sparse_coo(2)), d)

    x = paddle.to_tensor([[1.0, 0.0, -2.0], [0.0, 3.0, 0.0]], stop_gradient=False)
    out = product(x, paddle.ones([3, 2]))
    out.sum().backward()
    assert out.tolist() == [[1.0, 1.0], [3.0, 3.0]] and x.grad.tolist() == [[2.0, 0.0, 0.0], [0.0, 2.0, 0.0]]
    assert product(x * 2, paddle.ones([3, 2])).tolist() == [[2.0, 2.0], [6.0, 6.0]]


def test_translated_functions_take_and_return_sparse_tensors():
    @paddle.jit.to_static(full_graph=True)
    def both(x, d):
        return {"product": sparse.matmul(x, d), "turned": [sparse.transpose(x, [1, 0])]}

    for n in (1, 2, 3):  # one program for any number of values
        x = sparse.sparse_coo_tensor([list(range(n)), [0] * n], np.arange(n) + 2.0, [3, 2], stop_gradient=False)
        got = both(x, paddle.full([2, 2], 3.0, "float64"))
        np.testing.assert_allclose(got["product"].numpy(), x.to_dense().numpy() @ np.full([2, 2], 3.0))
        np.testing.assert_allclose(got["turned"][0].to_dense().numpy(), x.to_dense().numpy().T)
        got["product"].sum().backward()
        assert x.grad.values().tolist() == [6.0] * n
    assert len(both.program_cache) == 1
    rows = sparse.sparse_csr_tensor([0, 1, 2, 2], [1, 0], [1.0, 2.0], [3, 2])
    assert both(rows, paddle.ones([2, 1], "float32"))["turned"][0].is_sparse_csr() and len(both.program_cache) == 2


def test_branches_and_loops_of_translated_functions_carry_sparse_tensors():
    @paddle.jit.to_static(full_graph=True)
    def function(x, n):
        s = total = x.to_sparse_coo(2)
        for _ in range(n):
            total = sparse.add(total, s)
        if x.sum() > 0:
            total = sparse.neg(total)
        return total

    x = np.array([[1.0, 0.0], [0.0, 3.0]])
    for sign, turns in ((1, 3), (-1, 2)):
        got = function(paddle.to_tensor(sign * x), paddle.to_tensor(turns))
        np.testing.assert_allclose(got.to_dense().numpy(), -(turns + 1) * x)


@pytest.mark.parametrize("kind", ["int32", "int64"])
def test_indices_keep_their_type(kind):  # as in Paddle 2.6.2
    x = sparse.sparse_coo_tensor(paddle.to_tensor(INDICES, kind), paddle.to_tensor(FEEDS["values"]), [3, 3])
    for y in (x, x.coalesce(), x + x, sparse.sum(x, 0), sparse.slice(x, [0], [0], [2]), x.to_sparse_csr().to_sparse_coo()):
        assert y.indices().dtype.name == kind
    assert x.to_sparse_csr().crows().dtype.name == kind
