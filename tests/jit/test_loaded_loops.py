"""Files whose loops write into what they are fed, as Paddle's translation of ``while`` over an argument makes them."""

import numpy as np
import pytest

import paddle

X = np.array([[1.0, 2.0, 3.0]], np.float32)
WANT = X * 8


def double_in_place(x, n):
    """x doubled n times by a loop that assigns to x itself."""
    i = paddle.zeros([1], "int64")
    going = paddle.less_than(i, n)
    loop = paddle.static.nn.control_flow.While(going)
    with loop.block():
        paddle.assign(x * 2, x)
        paddle.increment(i)
        paddle.assign(paddle.less_than(i, n), going)
    return x


@pytest.fixture
def prefix(tmp_path):
    """A saved model with such a loop."""
    paddle.enable_static()
    try:
        with paddle.static.program_guard(paddle.static.Program(), paddle.static.Program()):
            x, n = paddle.static.data("x", [None, 3]), paddle.static.data("n", [1], "int64")
            out = paddle.scale(double_in_place(x, n), 1.0)
            paddle.static.save_inference_model(str(tmp_path / "loop"), [x, n], [out], paddle.static.Executor())
    finally:
        paddle.disable_static()
    return str(tmp_path / "loop")


def call(layer):
    x = paddle.to_tensor(X)
    out = layer(x, paddle.to_tensor([3]))
    np.testing.assert_array_equal(x.numpy(), X)  # the caller's tensor stays as it is
    return out.numpy()


def test_the_loop_is_in_the_file(prefix):
    np.testing.assert_array_equal(call(paddle.jit.load(prefix)), WANT)


def test_a_loaded_loop_is_saved_again(prefix, tmp_path):
    for again in ("second", "third"):
        paddle.jit.save(paddle.jit.load(prefix), str(tmp_path / again))
        prefix = str(tmp_path / again)
        np.testing.assert_array_equal(call(paddle.jit.load(prefix)), WANT)


def test_what_goes_in_and_comes_out(prefix):
    loaded = paddle.jit.load(prefix)
    assert [(spec.name, list(spec.shape), spec.dtype) for spec in loaded._input_spec()] == [
        ("x", [-1, 3], paddle.float32), ("n", [1], paddle.int64)]
    (spec,) = loaded._output_spec()
    assert (list(spec.shape), spec.dtype) == ([-1, 3], paddle.float32)


def test_a_loaded_loop_leaves_its_callers_variable(prefix):
    loaded = paddle.jit.load(prefix)
    function = paddle.jit.to_static(lambda x, n: loaded(x, n) + x)
    np.testing.assert_array_equal(function(paddle.to_tensor(X), paddle.to_tensor([3])).numpy(), WANT + X)


def test_a_fed_result_still_stands_for_what_computes_it():
    paddle.enable_static()
    try:
        main = paddle.static.Program()
        with paddle.static.program_guard(main):
            x = paddle.static.data("x", [None, 3])
            middle = paddle.exp(x)
            out = paddle.tanh(middle)
        pruned = paddle.static.normalize_program(main, [middle], [out])
    finally:
        paddle.disable_static()
    assert [op.type for op in pruned.global_block().ops] == ["feed", "tanh", "fetch"]


class OfOneRow(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.a, self.b = paddle.nn.Linear(4, 3), paddle.nn.Linear(3, 3)

    def forward(self, x):
        y = self.a(x)
        if paddle.shape(x)[0] == 1:
            return self.b(y)
        return y + self.b(y)


def test_a_model_of_one_row_inside_another_function(tmp_path):
    """Sizes that its file declares are those of the call that it was saved from; a trace of five rows must not count on them."""
    net = OfOneRow()
    static = paddle.jit.to_static(net)
    static(paddle.ones([1, 4]))
    paddle.jit.save(static, str(tmp_path / "net"))
    loaded = paddle.jit.load(str(tmp_path / "net"))
    loaded.train()

    @paddle.jit.to_static
    def around(x):
        y = loaded(x)
        return y * y, paddle.full([y.shape[0]], 2.0)

    x = paddle.to_tensor(np.arange(20, dtype="float32").reshape(5, 4) / 10)
    y = net.a(x)
    (wanted := (y + net.b(y)) ** 2).mean().backward()
    found, ones = around(x)
    found.mean().backward()
    assert ones.shape == [5]
    np.testing.assert_allclose(found, wanted, rtol=1e-6)
    for shape in ([4, 3], [3, 3]):
        ours, theirs = [next(p.grad.numpy() for p in layer.parameters() if p.shape == shape) for layer in (loaded, net)]
        np.testing.assert_allclose(ours, theirs, rtol=1e-5)
