"""Every operator with a rule, on tensors cut in every way: ``python semi_ops.py`` compares values and gradients with those of
whole tensors."""

import itertools
import warnings

import numpy as np

import paddle
import paddle.distributed as dist
from paddle.nn import functional as F

IDS = paddle.to_tensor([[0, 4, 2, 2], [1, 3, 0, 4], [4, 4, 1, 0]])
CALLS = {  # name -> (function, shapes of its operands)
    "add": (lambda x, y: x + y, [3, 4], [3, 4]), "add row": (lambda x, y: x + y, [3, 4], [4]),
    "subtract column": (lambda x, y: x - y, [3, 4], [3, 1]), "multiply": (lambda x, y: x * y, [3, 4], [4]),
    "divide": (lambda x, y: x / (y * y + 1), [3, 4], [3, 4]), "scale": (lambda x: x * 3 + 1, [3, 4]),
    "maximum": (lambda x, y: paddle.maximum(x, y), [5, 2], [5, 2]),
    "where": (lambda x, y: paddle.where(x > y, x, y), [3, 4], [3, 4]),
    "unary": (lambda x: F.gelu(x.tanh().exp()), [3, 4]), "clip": (lambda x: x.clip(-0.5, 0.5), [3, 4]),
    "cast": (lambda x: x.astype("float32").astype("float64"), [3, 4]), "add_n": (lambda x, y: paddle.add_n([x, y]), [3, 4], [3, 4]),
    "matmul": (lambda x, y: x @ y, [3, 4], [4, 5]), "batched": (lambda x, y: x @ y, [2, 3, 4], [2, 4, 5]),
    "broadcast": (lambda x, y: x @ y, [2, 3, 4], [4, 5]),
    "transposed": (lambda x, y: paddle.matmul(x, y, True, True), [4, 3], [5, 4]),
    "vector": (lambda x, y: x @ y, [3, 4], [4]), "linear": (lambda x, y, b: F.linear(x, y, b), [3, 4], [4, 5], [5]),
    "dot": (lambda x, y: paddle.dot(x, y), [3, 4], [3, 4]),
    "sum": (lambda x: x.sum(), [3, 4]), "sum axis": (lambda x: x.sum(1, keepdim=True), [3, 4]),
    "mean": (lambda x: x.mean(), [3, 5]), "mean axis": (lambda x: x.mean(0), [5, 4]), "max": (lambda x: x.max(1), [3, 4]),
    "logsumexp": (lambda x: x.logsumexp(0), [3, 4]), "argmax": (lambda x: x.argmax(1), [3, 4]),
    "norm": (lambda x: paddle.linalg.norm(x), [3, 4]),
    "softmax": (lambda x: F.softmax(x, 1), [3, 4]), "log_softmax": (lambda x: F.log_softmax(x, 0), [3, 4]),
    "cumsum": (lambda x: x.cumsum(1), [3, 4]), "sort": (lambda x: x.sort(0), [3, 4]), "topk": (lambda x: x.topk(2, 1)[0], [3, 4]),
    "flip": (lambda x: x.flip([1]), [3, 4]),
    "layer_norm": (lambda x, w, b: F.layer_norm(x, [4], w, b), [3, 2, 4], [4], [4]),
    "attention": (lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True), *[[2, 3, 2, 4]] * 3),
    "cross_entropy": (lambda x: F.cross_entropy(x, IDS), [3, 4, 5]),
    "soft labels": (lambda x, y: F.cross_entropy(x, F.softmax(y), soft_label=True), [3, 5], [3, 5]),
    "embedding": (lambda w: F.embedding(IDS, w), [5, 4]), "padding": (lambda w: F.embedding(IDS, w, padding_idx=2), [5, 4]),
    "one_hot": (lambda x: F.one_hot(x.argmax(1), 4) * 1.0, [3, 4]),
    "mse": (lambda x, y: F.mse_loss(x, y), [3, 4], [3, 4]),
    "reshape": (lambda x: x.reshape([2, 2, 6]), [4, 6]), "merge": (lambda x: x.reshape([-1, 3]), [2, 4, 3]),
    "split axis": (lambda x: x.reshape([0, 2, 2]), [3, 4]), "odd": (lambda x: x.reshape([3, 2]), [2, 3]),
    "flatten": (lambda x: x.flatten(1), [2, 3, 4]), "squeeze": (lambda x: x.squeeze(1), [3, 1, 4]),
    "unsqueeze": (lambda x: x.unsqueeze([0, 2]), [3, 4]), "transpose": (lambda x: x.transpose([2, 0, 1]), [2, 3, 4]),
    "concat": (lambda x, y: paddle.concat([x, y], 1), [3, 4], [3, 2]),
    "stack": (lambda x, y: paddle.stack([x, y], 1), [3, 4], [3, 4]),
    "split": (lambda x: x.split([1, 3], 1)[1], [3, 4]), "unbind": (lambda x: x.unbind(0)[1], [3, 4]),
    "index": (lambda x: x[:, 1:3], [3, 4]), "row": (lambda x: x[1], [3, 4]), "new axis": (lambda x: x[..., None, :], [3, 4]),
    "slice": (lambda x: paddle.slice(x, [1], [1], [3]), [3, 4]), "expand": (lambda x: x.expand([2, 3, 4]), [3, 1]),
    "dropout": (lambda x: (paddle.seed(5), F.dropout(x, 0.5))[1], [5, 4]), "zeros": (lambda x: paddle.zeros_like(x) + x, [3, 4]),
    "in place": (lambda x: (x * 1).add_(paddle.ones([3, 4])), [3, 4]),
}
UNKNOWN = {"gather": (lambda x: paddle.gather(x, paddle.to_tensor([2, 0])), [3, 4])}  # no rule: whole, with a warning


def values(shapes):
    return [np.random.RandomState(k).standard_normal(shape) for k, shape in enumerate(shapes)]


def placements(shape, mesh):
    """All ways of placing a tensor along the one dimension of the mesh."""
    return [dist.Replicate(), dist.Partial(), *[dist.Shard(k) for k, n in enumerate(shape) if n > 1]]


def result(function, tensors):
    """(value, gradients) of a call."""
    out = function(*tensors)
    weight = paddle.to_tensor(np.cos(np.arange(out.size)).reshape(out.shape)) if out.shape else 1.0
    if not out.stop_gradient:
        (out * weight).sum().backward()
    return [out.numpy(), *[t.grad.numpy() for t in tensors if t.grad is not None]]


def check(name, function, shapes, mesh):
    arrays = values(shapes)
    plain = result(function, [paddle.to_tensor(a, stop_gradient=False) for a in arrays])
    count = 0
    for places in itertools.product(*[placements(shape, mesh) for shape in shapes]):
        tensors = [dist.shard_tensor(a, mesh, [p], stop_gradient=False) for a, p in zip(arrays, places)]
        found = result(function, tensors)
        assert len(found) == len(plain), (name, places)
        for k, (a, b) in enumerate(zip(found, plain)):
            np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12, err_msg=f"{name} {places} result {k}")
        count += 1
    return count


def check_moves(mesh):
    """A tensor of odd sizes, moved from every placement to every other, keeps its values; its gradient comes back."""
    array = np.arange(30.0).reshape(5, 6)
    singles = placements(array.shape, mesh)
    pairs = list(itertools.product(singles, repeat=mesh.ndim))
    for old, new in itertools.product(pairs, repeat=2):
        t = dist.shard_tensor(array, mesh, list(old), stop_gradient=False)
        moved = dist.reshard(t, mesh, list(new))
        assert moved.placements == list(new) and moved.shape == [5, 6]
        (moved * moved).sum().backward()
        np.testing.assert_array_equal(moved.numpy(), array, err_msg=f"{old} -> {new}")
        np.testing.assert_array_equal(t.grad.numpy(), 2 * array, err_msg=f"{old} -> {new}")


def check_hooks(mesh):
    """Hooks see gradients of whole tensors, and what they give is taken as such."""
    shapes, weight = [], np.arange(10.0).reshape(5, 2)
    x = dist.shard_tensor(np.ones([5, 2]), mesh, [dist.Shard(0)], stop_gradient=False)
    y = x * 2
    for t in (x, y):
        t.register_hook(lambda g: (shapes.append(g.shape), g * paddle.to_tensor(weight))[1])
    y.sum().backward()
    assert shapes == [[5, 2], [5, 2]]
    np.testing.assert_array_equal(x.grad.numpy(), 2 * weight**2)


if __name__ == "__main__":
    dist.init_parallel_env()
    paddle.set_default_dtype("float64")
    size = dist.get_world_size()
    line = dist.ProcessMesh(list(range(size)), dim_names=["x"])
    warnings.simplefilter("error")
    total = sum(check(name, function, shapes, line) for name, (function, *shapes) in CALLS.items())
    for name, (function, *shapes) in UNKNOWN.items():
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            check(name, function, shapes, line)
        assert any(name in str(w.message) for w in told), name
    check_moves(line)
    check_hooks(line)
    if size == 4:
        check_moves(dist.ProcessMesh([[0, 1], [2, 3]], dim_names=["x", "y"]))
    print("checked", total, "calls", flush=True)
