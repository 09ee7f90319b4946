"""Axes and sizes that are fed: known only when the program runs. Expected are the values that known axes give."""

import numpy as np
import pytest

import paddle
from paddle import static

X = np.random.RandomState(0).uniform(0.5, 2.0, (2, 3, 4)).astype(np.float32)
CALLS = {  # name: (function of x and axis, shape of the result as the program tells it)
    "sum": (lambda x, a: paddle.sum(x, a), [-1, -1]), "listed": (lambda x, a: paddle.sum(x, [a]), [-1, -1]),
    "keepdim": (lambda x, a: paddle.sum(x, a, keepdim=True), [-1, -1, -1]), "mean": (lambda x, a: paddle.mean(x, a), [-1, -1]),
    "max": (lambda x, a: paddle.max(x, a), [-1, -1]), "prod": (lambda x, a: paddle.prod(x, a), [-1, -1]),
    "logsumexp": (lambda x, a: paddle.logsumexp(x, a), [-1, -1]), "std": (lambda x, a: paddle.std(x, a), [-1, -1]),
    "softmax": (lambda x, a: paddle.nn.functional.softmax(x, a), [2, 3, 4]),
    "log_softmax": (lambda x, a: paddle.nn.functional.log_softmax(x, a), [2, 3, 4]),
    "cumsum": (lambda x, a: paddle.cumsum(x, a), [2, 3, 4]),
}


def built(call, count=1):
    main = static.Program()
    with static.program_guard(main):
        x, axis = static.data("x", [2, 3, 4]), static.data("axis", [count], "int64")
        x.stop_gradient = False
        out = call(x, axis)
        gradient, = static.gradients(out * out, x)
    return main, out, gradient


@pytest.mark.parametrize("name", CALLS)
def test_values_and_gradients(name, static_mode):
    call, shape = CALLS[name]
    main, out, gradient = built(call)
    assert ("Vars[axis]" if name == "listed" else "Var[axis]") in str(main)
    assert list(out.shape) == shape and list(gradient.shape) == [2, 3, 4]
    again = static.Program.parse_from_string(main.desc.serialize_to_string())
    for axis in (0, 1, -1, 1):
        paddle.disable_static()
        x = paddle.to_tensor(X, stop_gradient=False)
        expected = call(x, axis)
        (expected * expected).sum().backward()
        paddle.enable_static()
        for program in (main, again):
            found = static.Executor().run(program, feed={"x": X, "axis": np.array([axis])}, fetch_list=[out.name, gradient.name])
            assert np.allclose(found[0], expected.numpy(), rtol=1e-5) and np.allclose(found[1], x.grad.numpy(), rtol=1e-4)


def test_several_axes(static_mode):
    main, out, gradient = built(lambda x, a: paddle.sum(x, a), 2)
    assert list(out.shape) == [-1]
    found = static.Executor().run(main, feed={"x": X, "axis": np.array([0, 2])}, fetch_list=[out, gradient])
    assert np.allclose(found[0], X.sum((0, 2)), rtol=1e-5)
    assert np.allclose(found[1], np.broadcast_to(2 * X.sum((0, 2))[:, None], X.shape), rtol=1e-5)


def test_other_attributes(static_mode):
    x, one, size = static.data("x", [2, 3, 4]), static.data("one", [1], "int64"), static.data("size", [1], "int32")
    outs = [paddle.squeeze(paddle.unsqueeze(x, 1), one), paddle.argmax(x, one),
            paddle.bincount(paddle.cast(paddle.flatten(x), "int64"), minlength=size), paddle.eye(size, 4),
            paddle.multinomial(x[0], one)]
    assert [list(v.shape) for v in outs] == [[2, 3, 4], [-1, -1], [-1], [-1, 4], [3, -1]]
    found = static.Executor().run(feed={"x": X, "one": np.array([1]), "size": np.array([9], np.int32)}, fetch_list=outs)
    assert np.array_equal(found[0], X) and np.array_equal(found[1], X.argmax(1))
    assert np.array_equal(found[2], np.bincount(X.astype(int).ravel(), minlength=9))
    assert np.array_equal(found[3], np.eye(9, 4)) and found[4].shape == (3, 1)


PICTURE = np.random.RandomState(1).uniform(-1, 1, (2, 3, 7, 6)).astype(np.float32)
KERNEL = np.random.RandomState(2).uniform(-1, 1, (3, 4, 3, 3)).astype(np.float32)
F = paddle.nn.functional
SIZES = {  # name: (function of x and two sizes, sizes, shape of the result as the program tells it)
    "adaptive_avg_pool2d": (lambda x, a, b: F.adaptive_avg_pool2d(x, [a, b]), (3, 2), [-1, 3, -1, -1]),
    "a size is kept": (lambda x, a, b: F.adaptive_avg_pool2d(x, [a, None]), (3, 2), [-1, 3, -1, -1]),
    "conv2d_transpose": (lambda x, a, b: F.conv2d_transpose(x, paddle.to_tensor(KERNEL), stride=2, output_size=[a, 13]), (16, 0),
                         [-1, 4, -1, -1]),
    "max_unpool2d": (lambda x, a, b: F.max_unpool2d(*F.max_pool2d(x, 2, 2, return_mask=True), 2, 2, output_size=[2, 3, a, b]),
                     (7, 6), [-1, 3, -1, -1]),
    "max_unpool2d, sizes of a batch": (
        lambda x, a, b: F.max_unpool2d(*F.max_pool2d(x, 2, 2, return_mask=True), 2, 2, output_size=[x.shape[0], 3, a, b]), (7, 6),
        [-1, 3, -1, -1]),
    "unflatten": (lambda x, a, b: paddle.unflatten(x, 3, [a, b]), (2, 3), [-1, 3, 7, -1, -1]),
}


@pytest.mark.parametrize("name", SIZES)
def test_sizes(name, static_mode):
    call, given, shape = SIZES[name]
    main = static.Program()
    with static.program_guard(main):
        x, a, b = static.data("x", [-1, 3, 7, 6]), static.data("a", [1], "int32"), static.data("b", [1], "int32")
        x.stop_gradient = False
        out = call(x, a, b)
        gradient, = static.gradients(out * out, x)
    assert list(out.shape) == shape
    feed = {"x": PICTURE, "a": np.array(given[:1], np.int32), "b": np.array(given[1:], np.int32)}
    found = static.Executor().run(main, feed=feed, fetch_list=[out, gradient])
    paddle.disable_static()
    x = paddle.to_tensor(PICTURE, stop_gradient=False)
    expected = call(x, *given)
    (expected * expected).sum().backward()
    paddle.enable_static()
    assert np.allclose(found[0], expected.numpy(), atol=1e-5) and np.allclose(found[1], x.grad.numpy(), atol=1e-4)


def test_one_variable_of_several_sizes(static_mode):
    x, size = static.data("x", [-1, 3, -1, -1]), static.data("size", [2], "int32")
    outs = [F.adaptive_avg_pool2d(x, size), F.adaptive_avg_pool2d(x, [None, 2]), paddle.unflatten(x, 2, size)]
    x1 = {"x": PICTURE, "size": np.array([7, 1], np.int32)}
    found = static.Executor().run(feed=x1, fetch_list=outs)
    assert np.allclose(found[0], PICTURE.mean(3, keepdims=True), atol=1e-6)
    assert np.allclose(found[1], PICTURE.reshape(2, 3, 7, 2, 3).mean(4), atol=1e-6) and found[2].shape == (2, 3, 7, 1, 6)


@pytest.mark.parametrize("axis", [None, [0]])
@pytest.mark.parametrize("mode", ["upscale_in_train", "downscale_in_infer"])
def test_a_share_that_is_fed(axis, mode, static_mode):
    ones, results = np.ones([40, 5], np.float32), []
    for p in (0.25, static.data("p", [1])):
        paddle.seed(7)
        with static.program_guard(static.Program()):
            p = p if isinstance(p, float) else static.data("p", [1])
            x = static.data("x", [40, 5])
            x.stop_gradient = False
            out = F.dropout(x, p, axis, mode=mode)
            given = {"x": ones} if isinstance(p, float) else {"x": ones, "p": np.array([0.25], np.float32)}
            results.append(static.Executor().run(feed=given, fetch_list=[out, *static.gradients(out, x)]))
    for wanted, found in zip(*results):
        assert np.allclose(wanted, found) and 0 < (found == 0).mean() < 1
    paddle.disable_static()
    assert F.dropout(paddle.ones([4]), paddle.to_tensor([1.0])).tolist() == [0.0] * 4
    paddle.enable_static()


def test_what_can_not_wait_says_so(static_mode):
    x, axis = static.data("x", [2, 3, 4]), static.data("axis", [-1], "int64")
    with pytest.raises(TypeError, match=r"sum\(\): axis must be Variables of a known number of integers"):
        paddle.sum(x, axis)
    with pytest.raises(TypeError, match=r"gumbel_softmax\(\): axis must be known while the program is built"):
        paddle.nn.functional.gumbel_softmax(x, axis=static.data("one", [1], "int64"))


@pytest.mark.parametrize("kind, slot, attrs, expected, slope", [
    ("scale", "ScaleTensor", {"bias": 1.0}, lambda x, s: s * x + 1, lambda x, s: s + 0 * x),
    ("scale", "ScaleTensor", {"bias": 1.0, "bias_after_scale": False}, lambda x, s: s * (x + 1), lambda x, s: s + 0 * x),
    ("pow", "FactorTensor", {}, lambda x, s: x ** s, lambda x, s: s * x ** (s - 1))])
def test_numbers_that_variables_give(kind, slot, attrs, expected, slope, static_mode):
    main = static.Program()
    with static.program_guard(main):
        x, s = static.data("x", [2]), static.data("s", [1])
        x.stop_gradient = False
        out = main.global_block().create_var(name="out", dtype="float32", shape=[2])
        main.global_block().append_op(type=kind, inputs={"X": x, slot: s}, outputs={"Out": out}, attrs=attrs)
        gradient, = static.gradients(out, x)
    again, values = static.Program.parse_from_string(main.desc.serialize_to_string()), np.float32([1, 2])
    for program in (main, again):
        for number in (2.5, 3.0, 2.5):
            found = static.Executor().run(program, {"x": values, "s": np.float32([number])}, [out.name, gradient.name])
            np.testing.assert_allclose(found, [expected(values, number), slope(values, number)], rtol=1e-6)


def test_the_momentum_of_batch_norm_may_be_a_variable(static_mode):
    main, startup = static.Program(), static.Program()
    with static.program_guard(main, startup):
        x, momentum = static.data("x", [4, 3]), static.data("m", [1])
        static.nn.batch_norm(x)
        norm = next(op for op in main.global_block().ops if op.type == "batch_norm")
        norm.desc.set_input("MomentumTensor", [momentum.name])
    executor, values = static.Executor(), np.random.default_rng(0).normal(size=[4, 3]).astype("float32")
    executor.run(startup)
    wanted = np.zeros(3)
    for number in (0.5, 0.75):
        mean, = executor.run(main, {"x": values, "m": np.float32([number])}, [norm.output("MeanOut")[0]])
        wanted = number * wanted + (1 - number) * values.astype("float64").mean(0)
        np.testing.assert_allclose(mean, wanted, rtol=1e-5, atol=1e-7)


SAVED = {  # functions of a picture whose sizes come from its own
    "max_unpool1d": lambda x: F.max_unpool1d(*F.max_pool1d(x[:, :, 0], 2, return_mask=True), 2, output_size=x[:, :, 0].shape),
    "max_unpool2d": lambda x: F.max_unpool2d(*F.max_pool2d(x, 2, return_mask=True), 2, output_size=x.shape),
    "a Variable": lambda x: F.max_unpool2d(*F.max_pool2d(x, 2, return_mask=True), 2, output_size=paddle.shape(x)[2:]),
    "conv2d_transpose": lambda x: F.conv2d_transpose(
        x, paddle.to_tensor(KERNEL), stride=2, output_size=[n * 2 + 1 for n in x.shape[2:]]),
    "adaptive_avg_pool2d": lambda x: F.adaptive_avg_pool2d(x, [x.shape[2] // 2, 3]),
}


@pytest.mark.parametrize("name", SAVED)
@pytest.mark.parametrize("sizes", [[None, 3, 7, 6], [None, 3, None, None]], ids=["batch", "all"])
def test_sizes_from_a_shape_are_saved(name, sizes, tmp_path):
    if name == "max_unpool1d":
        sizes = [None, 3, 7, 6]
    layer = paddle.nn.Layer()
    layer.forward = paddle.jit.to_static(SAVED[name], input_spec=[static.InputSpec(sizes, "float32")])
    paddle.jit.save(layer, str(tmp_path / "net"))
    found = paddle.jit.load(str(tmp_path / "net"))(paddle.to_tensor(PICTURE))
    assert np.allclose(found.numpy(), SAVED[name](paddle.to_tensor(PICTURE)).numpy(), atol=1e-5)
