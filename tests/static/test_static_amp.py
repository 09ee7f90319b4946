"""static.amp: with float16 a decorated optimizer trains in float32 on CPUs, with bfloat16 it casts as dynamic programs do."""

import ml_dtypes
import numpy as np
import pytest

import paddle
from paddle import static


def train(decorate):
    """Losses of three steps."""
    main, startup = static.Program(), static.Program()
    with static.program_guard(main, startup), paddle.utils.unique_name.guard():
        x, y = static.data("x", [4, 3]), static.data("y", [4, 1])
        with static.amp.fp16_guard():
            out = static.nn.fc(x, 1, weight_attr=paddle.ParamAttr(initializer=paddle.nn.initializer.Constant(0.1)))
        loss = ((out - y) ** 2).mean()
        optimizer = decorate(paddle.optimizer.Adam(0.1))
        optimizer.minimize(loss)
        exe = static.Executor()
        exe.run(startup)
        if hasattr(optimizer, "amp_init"):
            optimizer.amp_init(paddle.CPUPlace())
        rng = np.random.default_rng(0)
        feed = {"x": rng.normal(size=(4, 3)).astype("float32"), "y": rng.normal(size=(4, 1)).astype("float32")}
        losses = [exe.run(main, feed, [loss])[0].item() for _ in range(3)]
        scale = exe.run(main, feed, [optimizer.get_loss_scaling()])[0].item() if hasattr(optimizer, "get_loss_scaling") else 1.0
    return losses, scale


@pytest.fixture(autouse=True)
def static_mode():
    paddle.enable_static()
    yield
    paddle.disable_static()


@pytest.mark.parametrize("arguments", [{}, {"level": "O2", "use_dynamic_loss_scaling": True}, {"init_loss_scaling": 128.0}])
def test_training_goes_on_in_float32(arguments):
    decorated, scale = train(lambda optimizer: static.amp.decorate(optimizer, **arguments))
    assert (decorated, 1.0) == train(lambda optimizer: optimizer) and scale == 1.0 and decorated[2] < decorated[0]


def test_lists_and_errors():
    lists = static.amp.CustomOpLists(custom_white_list=["softmax"], custom_black_list=["conv2d"])
    assert "softmax" in lists.white_list and "softmax" not in lists.black_list and "conv2d" in lists.black_list
    with pytest.raises(ValueError, match="both custom lists"):
        static.amp.CustomOpLists(["matmul"], ["matmul"])
    with pytest.raises(TypeError, match="amp_lists"):
        static.amp.decorate(paddle.optimizer.SGD(), ["matmul"])
    with pytest.raises(TypeError, match="unexpected arguments"):
        static.amp.decorate(paddle.optimizer.SGD(), scale=1)
    with pytest.raises(ValueError, match="both custom lists"):
        static.amp.bf16.AutoMixedPrecisionListsBF16({"matmul_v2"}, {"matmul_v2"})


def test_the_name_of_1x():
    from paddle.fluid.contrib.mixed_precision import decorate
    assert decorate is static.amp.decorate


def short(values):
    return np.asarray(values, np.float32).astype(ml_dtypes.bfloat16).astype(np.float32)


def bf16_program(decorate):
    """(main program, loss, product) of one training step of mean((x @ w) ** 2), its parameter 0.3."""
    main, startup = static.Program(), static.Program()
    with static.program_guard(main, startup), paddle.utils.unique_name.guard():
        x = static.data("x", [4, 3])
        w = paddle.create_parameter([3, 2], "float32", default_initializer=paddle.nn.initializer.Constant(0.3))
        with static.amp.bf16.bf16_guard():
            product = paddle.matmul(x, w)
        loss = (product * product).mean()
        decorate(paddle.optimizer.SGD(0.5)).minimize(loss)
    exe = static.Executor()
    exe.run(startup)
    return main, loss, product, w


@pytest.mark.parametrize("decorate", [
    lambda optimizer: static.amp.decorate(optimizer, dtype="bfloat16"),
    lambda optimizer: static.amp.bf16.decorate_bf16(optimizer),
    lambda optimizer: static.amp.bf16.decorate_bf16(optimizer, use_pure_bf16=True)])
def test_bfloat16_trains_with_parameters_in_float32(decorate):
    main, loss, product, w = bf16_program(decorate)
    x = np.random.default_rng(0).normal(size=(4, 3)).astype("float32")
    got, bits = static.Executor().run(main, {"x": x}, [loss, product])
    weight = static.global_scope().find_var(w.name).get_tensor()
    expected = short(short(x) @ short(np.full((3, 2), 0.3)))
    assert product.dtype == paddle.bfloat16 and w.dtype == loss.dtype == paddle.float32
    np.testing.assert_array_equal(bits, expected.astype(ml_dtypes.bfloat16).view(np.uint16))
    np.testing.assert_allclose(got, (expected ** 2).mean(), rtol=1e-2)
    grad = short(short(x).T @ short(2 * expected / expected.size))
    np.testing.assert_allclose(np.asarray(weight), np.float32(0.3) - np.float32(0.5) * grad, rtol=1e-2)
    assert len(np.unique(np.asarray(weight).view(np.uint32) & 0xFFFF)) > 1  # not rounded to bfloat16


def test_what_stays_in_float32():
    for custom in ({"custom_fp32_list": {"matmul_v2"}}, {"custom_fp32_varnames": {"x"}}):
        lists = static.amp.bf16.AutoMixedPrecisionListsBF16(**custom)
        assert bf16_program(lambda o, lists=lists: static.amp.bf16.decorate_bf16(o, lists))[2].dtype == paddle.float32
    main, startup = static.Program(), static.Program()
    with static.program_guard(main, startup):
        w = paddle.create_parameter([3, 2], "float32", name="w")
        out = paddle.matmul(static.data("x", [4, 3]), w)
        names = static.amp.bf16.cast_model_to_bf16(main)
        assert names == set() and out.dtype == paddle.float32  # outside of the guard
        names = static.amp.bf16.cast_model_to_bf16(main, use_bf16_guard=False)
        assert names == {w.name} and out.dtype == paddle.bfloat16
    scope = paddle.base.core.Scope()
    static.Executor().run(startup, scope=scope)
    before = np.array(scope.find_var(w.name).get_tensor())
    static.amp.bf16.cast_parameters_to_bf16(paddle.CPUPlace(), main, scope, names)
    np.testing.assert_array_equal(np.asarray(scope.find_var(w.name).get_tensor()), short(before))
    np.testing.assert_array_equal(static.amp.bf16.convert_float_to_uint16([1.0, -2.5]), [0x3F80, 0xC020])


def test_types_of_the_operators_are_counted(capsys):
    main = bf16_program(static.amp.bf16.decorate_bf16)[0]
    static.amp.debugging.collect_operator_stats(main)
    rows = {line.split()[0]: [int(part) for part in line.split("|")[1:]] for line in capsys.readouterr().out.splitlines()
            if line.startswith("  ")}
    assert rows["matmul_v2"] == rows["matmul_v2_grad"] == [0, 1, 0, 0] and rows["sgd"] == [0, 0, 1, 0]


# values of real Paddle 2.6.2, where 2 steps of a kind change the scale:
# x, scale, good and bad steps before -> found, x, scale, good and bad steps after
STEPS = [(([2.0, 4.0], 4.0, 0, 0), (False, [0.5, 1.0], 4.0, 1, 0)), (([2.0, 4.0], 4.0, 1, 1), (False, [0.5, 1.0], 8.0, 0, 0)),
         (([2.0, np.nan], 4.0, 1, 0), (True, [0.0, 0.0], 4.0, 0, 1)), (([np.inf, 8.0], 1.5, 1, 1), (True, [0.0, 0.0], 1.0, 0, 0)),
         (([1.0, 0.0], 3e38, 1, 0), (False, [1 / 3e38, 0.0], 3e38, 0, 0))]


@pytest.mark.parametrize("given, expected", STEPS)
def test_loss_scaling_in_programs_and_dynamic_code(given, expected):
    arrays = [np.array(given[0], "float32"), np.float32([given[1]]), np.int32([given[2]]), np.int32([given[3]])]

    def step(x, scale, good, bad):
        _, found = static.amp.amp_nn.check_finite_and_unscale([x], scale)
        static.amp.amp_nn.update_loss_scaling([x], found, scale, good, bad, 2, 2, 2.0, 0.5)
        return [found, x, scale, good, bad]

    main = static.Program()
    with static.program_guard(main):
        variables = [static.data(f"v{k}", array.shape, array.dtype) for k, array in enumerate(arrays)]
        results = static.Executor().run(main, {v.name: a for v, a in zip(variables, arrays)}, step(*variables))
    paddle.disable_static()
    for got in (results, [t.numpy() for t in step(*map(paddle.to_tensor, arrays))]):
        for one, value in zip(got, expected):
            np.testing.assert_allclose(one.reshape(-1), np.reshape(value, -1), rtol=1e-6)


def test_operators_are_counted_by_type(static_mode):
    program = static.Program()
    with static.program_guard(program):
        x = static.data("x", [2, 3])
        y = paddle.nn.functional.relu(x.astype("float16") + 1) + 1
        paddle.nn.functional.relu(x), y.astype("int32")
    counts, = paddle.static.amp.debugging._get_op_stats_list(program)
    assert counts["relu"].convert_to_list() == [1, 0, 1, 0] and counts["cast"].convert_to_list() == [1, 0, 1, 0]
    counts["relu"].addto(counts["cast"]), counts["relu"].update(None)
    assert (counts["relu"].fp16_calls, counts["relu"].fp32_calls, counts["relu"].other_calls) == (2, 2, 1)
