"""Functions that may give views, and what one of them does: run by a real Paddle this prints the record that ``test_views.py``
compares with (``python tests/tensor/view_cases.py > tests/tensor/views_recorded.json``; the same from 2.6.2 and 3.3.1 but for what
``LATER`` says)."""

import json

import numpy as np

SHAPE = (2, 3, 4)
CASES = {  # name: (function of paddle and the tensor, shape, element type)
    "int": (lambda p, x: x[1], SHAPE, "float32"),
    "slice": (lambda p, x: x[:, 1:], SHAPE, "float32"),
    "step": (lambda p, x: x[:, :, ::2], SHAPE, "float32"),
    "backwards": (lambda p, x: x[:, ::-1], SHAPE, "float32"),
    "new axis": (lambda p, x: x[None], SHAPE, "float32"),
    "ellipsis": (lambda p, x: x[..., 0], SHAPE, "float32"),
    "all": (lambda p, x: x[:], SHAPE, "float32"),
    "element": (lambda p, x: x[1, 2, 3], SHAPE, "float32"),
    "0-d tensor": (lambda p, x: x[p.to_tensor(1)], SHAPE, "float32"),
    "list": (lambda p, x: x[[0, 1]], SHAPE, "float32"),
    "mask": (lambda p, x: x[x > 3], SHAPE, "float32"),
    "int and list": (lambda p, x: x[0, [1, 2]], SHAPE, "float32"),
    "index tensor": (lambda p, x: x[p.to_tensor([0])], SHAPE, "float32"),
    "iteration": (lambda p, x: next(iter(x)), SHAPE, "float32"),
    "slice function": (lambda p, x: p.slice(x, [1], [0], [2]), SHAPE, "float32"),
    "strided_slice": (lambda p, x: p.strided_slice(x, [1], [0], [3], [2]), SHAPE, "float32"),
    "crop": (lambda p, x: p.crop(x, [1, 2, 2]), SHAPE, "float32"),
    "reshape": (lambda p, x: x.reshape([6, 4]), SHAPE, "float32"),
    "reshape to itself": (lambda p, x: x.reshape([2, 3, 4]), SHAPE, "float32"),
    "reshape of a transposed one": (lambda p, x: x.transpose([2, 1, 0]).reshape([24]), SHAPE, "float32"),
    "reshape within axes": (lambda p, x: x.transpose([1, 0, 2]).reshape([3, 2, 2, 2]), SHAPE, "float32"),
    "view": (lambda p, x: x.view([4, 6]), SHAPE, "float32"),
    "view as ints": (lambda p, x: x.view("int32"), SHAPE, "float32"),
    "view as halves": (lambda p, x: x.view("float16"), SHAPE, "float32"),
    "view_as": (lambda p, x: x.view_as(p.zeros([24])), SHAPE, "float32"),
    "transpose": (lambda p, x: x.transpose([2, 0, 1]), SHAPE, "float32"),
    "transpose to itself": (lambda p, x: x.transpose([0, 1, 2]), SHAPE, "float32"),
    "T": (lambda p, x: x.T, SHAPE, "float32"),
    "t": (lambda p, x: x.t(), (2, 3), "float32"),
    "t of a vector": (lambda p, x: x.t(), (3,), "float32"),
    "moveaxis": (lambda p, x: p.moveaxis(x, 0, 2), SHAPE, "float32"),
    "squeeze": (lambda p, x: x.squeeze(0), (1, 3), "float32"),
    "squeeze of nothing": (lambda p, x: x.squeeze(), (2, 3), "float32"),
    "unsqueeze": (lambda p, x: x.unsqueeze(1), SHAPE, "float32"),
    "unsqueeze twice": (lambda p, x: p.unsqueeze(x, [0, 2]), SHAPE, "float32"),
    "flatten": (lambda p, x: x.flatten(1, 2), SHAPE, "float32"),
    "Flatten": (lambda p, x: p.nn.Flatten()(x), SHAPE, "float32"),
    "unflatten": (lambda p, x: p.unflatten(x, 2, [2, 2]), SHAPE, "float32"),
    "split": (lambda p, x: p.split(x, 3, 1)[1], SHAPE, "float32"),
    "chunk": (lambda p, x: p.chunk(x, 2, 2)[1], SHAPE, "float32"),
    "vsplit": (lambda p, x: p.vsplit(x, 2)[1], SHAPE, "float32"),
    "unbind": (lambda p, x: p.unbind(x, 1)[1], SHAPE, "float32"),
    "unstack": (lambda p, x: p.unstack(x, 1)[1], SHAPE, "float32"),
    "detach": (lambda p, x: x.detach(), SHAPE, "float32"),
    "clone": (lambda p, x: x.clone(), SHAPE, "float32"),
    "assign": (lambda p, x: p.assign(x), SHAPE, "float32"),
    "to_tensor": (lambda p, x: p.to_tensor(x), SHAPE, "float32"),
    "contiguous": (lambda p, x: x.contiguous(), SHAPE, "float32"),
    "contiguous of a transposed one": (lambda p, x: x.transpose([1, 0, 2]).contiguous(), SHAPE, "float32"),
    "as_strided": (lambda p, x: p.as_strided(x, [3, 2], [4, 2], 8), SHAPE, "float32"),
    "as_strided with overlap": (lambda p, x: p.as_strided(x, [3, 3], [1, 1]), SHAPE, "float32"),
    "expand": (lambda p, x: x.expand([5, 3]), (1, 3), "float32"),
    "expand to itself": (lambda p, x: x.expand([2, 3, 4]), SHAPE, "float32"),
    "broadcast_to": (lambda p, x: p.broadcast_to(x, [5, 3]), (1, 3), "float32"),
    "tile": (lambda p, x: x.tile([1, 1, 1]), SHAPE, "float32"),
    "diagonal": (lambda p, x: p.diagonal(x), SHAPE, "float32"),
    "diagonal of other axes": (lambda p, x: p.diagonal(x, 1, 1, 2), SHAPE, "float32"),
    "diag": (lambda p, x: p.diag(x), (3, 3), "float32"),
    "unfold": (lambda p, x: x.unfold(2, 2, 1), SHAPE, "float32"),
    "unfold of a middle axis": (lambda p, x: x.unfold(1, 2, 1), SHAPE, "float32"),
    "real": (lambda p, x: x.real(), (2, 3), "complex64"),
    "imag": (lambda p, x: x.imag(), (2, 3), "complex64"),
    "as_real": (lambda p, x: p.as_real(x), (2, 3), "complex64"),
    "as_complex": (lambda p, x: p.as_complex(x), (3, 2), "float32"),
    "atleast_2d": (lambda p, x: p.atleast_2d(x), (3,), "float32"),
    "cast to itself": (lambda p, x: p.cast(x, "float32"), SHAPE, "float32"),
    "astype to itself": (lambda p, x: x.astype("float32"), SHAPE, "float32"),
    "to itself": (lambda p, x: x.to("float32"), SHAPE, "float32"),
    "data": (lambda p, x: x.data, SHAPE, "float32"),
    "cpu": (lambda p, x: x.cpu(), SHAPE, "float32"),
    "flip": (lambda p, x: p.flip(x, 0), SHAPE, "float32"),
    "roll by nothing": (lambda p, x: p.roll(x, 0), SHAPE, "float32"),
    "index_select": (lambda p, x: p.index_select(x, p.to_tensor([0])), SHAPE, "float32"),
    "gather": (lambda p, x: p.gather(x, p.to_tensor([0])), SHAPE, "float32"),
    "dropout in evaluation": (lambda p, x: p.nn.functional.dropout(x, 0.5, training=False), SHAPE, "float32"),
    "concat of one": (lambda p, x: p.concat([x]), SHAPE, "float32"),
    "scale by one": (lambda p, x: p.scale(x, 1.0), SHAPE, "float32"),
    "relu of what is positive": (lambda p, x: p.nn.functional.relu(x), SHAPE, "float32"),
    "power of one": (lambda p, x: x ** 1, SHAPE, "float32"),
    "parts of parts": (lambda p, x: x[0:1][0][1:], SHAPE, "float32"),
    "squeeze and unsqueeze": (lambda p, x: x.squeeze(0).unsqueeze(-1), (1, 3), "float32"),
    "meshgrid": (lambda p, x: p.meshgrid(x, p.zeros([2]))[0], (3,), "float32"),
    "to an element": (lambda p, x: x.reshape([]), (1,), "float32"),
    "tril of all": (lambda p, x: p.tril(x, 10), (3, 3), "float32"),
}
# What 3.3.1 does otherwise, and what only it has
LATER = {"astype to itself": "same", "to itself": [False, [2, 3, 4], [12, 4, 1], True], "data": [True, [2, 3, 4], [12, 4, 1], True],
         "narrow": [True, [2, 2, 4], [12, 4, 1], False], "permute": [True, [4, 2, 3], [1, 12, 4], False],
         "mT": [True, [2, 4, 3], [12, 1, 4], False], "ravel": [True, [24], [1], True],
         "tensor_split": [False, [2, 3, 2], [6, 2, 1], True], "dsplit": [False, [2, 3, 2], [6, 2, 1], True]}
LATER_CASES = {
    "narrow": (lambda p, x: x.narrow(1, 0, 2), SHAPE, "float32"),
    "permute": (lambda p, x: x.permute(2, 0, 1), SHAPE, "float32"),
    "mT": (lambda p, x: x.mT, SHAPE, "float32"),
    "ravel": (lambda p, x: x.ravel(), SHAPE, "float32"),
    "tensor_split": (lambda p, x: p.tensor_split(x, 2, 2)[1], SHAPE, "float32"),
    "dsplit": (lambda p, x: p.dsplit(x, 2)[1], SHAPE, "float32"),
}


def source(paddle, shape, dtype):
    """A tensor whose elements, and whose imaginary parts, are all different from zero."""
    values = np.arange(1, 1 + int(np.prod(shape))).reshape(shape)
    return paddle.to_tensor((values + 1j * values if dtype == "complex64" else values).astype(dtype))


def ways_to_write(paddle, dtype):
    """Everything that changes a tensor in place, by name."""
    ways = {"fill_": lambda t: t.fill_(0), "zero_": lambda t: t.zero_(), "setitem": lambda t: t.__setitem__(Ellipsis, 0),
            "set_value": lambda t: t.set_value(np.zeros(t.shape, t.numpy().dtype))}
    if dtype == "float32":
        ways["add_"] = lambda t: t.add_(paddle.ones([]))
        ways["copy_"] = lambda t: t.copy_(paddle.zeros(t.shape), True)
    return ways


def observe(paddle, function, shape, dtype):
    """"same" for the tensor itself, else: does it share memory, its shape, its strides, is it contiguous?"""
    x = source(paddle, shape, dtype)
    y = function(paddle, x)
    if y is x:
        return "same"
    about = [list(y.shape), list(y.strides), bool(y.is_contiguous())]
    before = x.numpy().copy()
    y.fill_(0)
    forth = bool((x.numpy() != before).any())
    return [forth, *about]


if __name__ == "__main__":
    import paddle as real
    print("{" + ",\n".join(f"{json.dumps(name)}: {json.dumps(observe(real, *case))}" for name, case in CASES.items()) + "}")
