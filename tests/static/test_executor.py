"""Executor: feeding, fetching, scopes, errors, the cache."""

import gc
import weakref

import numpy as np
import pytest

import paddle
from paddle import static
from paddle.static.executor import CACHE_SIZE


@pytest.fixture
def program():
    main = static.Program()
    with static.program_guard(main):
        x = static.data("x", [None, 2])
        static.data("y", [None], "int64")
        paddle.exp(x)
    return main


ONES = np.ones([3, 2], "float32")


def test_fetch_by_variable_name_or_nested(program):
    exe, out = static.Executor(), program.global_block().ops[-1].output("Out")[0]
    a, b, c = exe.run(program, {"x": ONES}, [[program.global_block().var(out), "x"], out])
    np.testing.assert_allclose(a, np.e * ONES, rtol=1e-6)
    np.testing.assert_array_equal(b, ONES)
    np.testing.assert_array_equal(a, c)
    assert exe.run(program, {"x": ONES}) == []
    tensor, = exe.run(program, {"x": ONES}, [out], return_numpy=False)
    assert isinstance(tensor, paddle.base.core.LoDTensor) and tensor.shape() == [3, 2] and tensor._dtype() == paddle.float32


@pytest.mark.parametrize("value", [ONES, paddle.to_tensor(ONES), [[1, 1], [1, 1]], [np.ones(2), np.ones(2)]])
def test_values_that_can_be_fed(program, value):
    out, = static.Executor().run(program, {"x": value}, ["x"])
    assert out.dtype == np.float32 and (out == 1).all()


@pytest.mark.parametrize("feed, error, match", [
    ({"x": np.ones([3, 3], "float32")}, ValueError, r"'x' has shape \[-1, 2\], the fed value \[3, 3\]"),
    ({"x": np.ones([3, 2, 1], "float32")}, ValueError, "shape"),
    ({"x": np.ones([3, 2], "float64")}, ValueError, "'x' is float32, the fed value float64"),
    ({"x": [[1], [1, 2]]}, ValueError, "x|inhomogeneous"),
    ({}, ValueError, "input 'x', which was not fed"),
    ([{"x": ONES}, {"y": ONES}], ValueError, "runs on one place"),
    ("x", TypeError, "feed must be a dict"),
])
def test_wrong_feeds(program, feed, error, match):
    out = program.global_block().ops[-1].output("Out")[0]
    with pytest.raises(error, match=match):
        static.Executor().run(program, feed, [out])


def test_unknown_names(program):
    exe = static.Executor()
    with pytest.raises(ValueError, match="no variable 'exq' to be fetched"):
        exe.run(program, {"x": ONES}, ["exq"])
    with pytest.warns(UserWarning, match="no variable 'z' to be fed"):
        exe.run(program, {"x": ONES, "z": ONES}, ["x"])
    with pytest.raises(TypeError, match="fetch_list must hold"):
        exe.run(program, {"x": ONES}, [3])


def test_inputs_that_are_not_needed_need_not_be_fed(program):
    with static.program_guard(program):
        paddle.cast(program.global_block().var("y"), "float32")
    out = program.global_block().ops[0].output("Out")[0]
    assert static.Executor().run(program, {"x": ONES}, [out])[0].shape == (3, 2)


def test_startup_initialises_and_persistables_stay():
    paddle.enable_static()
    counter = static.create_global_var([1], 0.0, "float32", persistable=True, name="counter")
    paddle.assign(counter + 1, counter)
    exe = static.Executor()
    with pytest.raises(RuntimeError, match="'counter' has no value.*startup"):
        exe.run(fetch_list=[counter])
    exe.run(static.default_startup_program())
    seen = [exe.run(fetch_list=[counter])[0].item() for _ in range(3)]
    assert seen == [1, 2, 3]
    other = static.Scope()
    exe.run(static.default_startup_program(), scope=other)
    assert exe.run(fetch_list=["counter"], scope=other)[0] == 1
    assert static.global_scope().find_var("counter").get_tensor().shape() == [1]
    assert np.array(static.global_scope().find_var("counter").get_tensor()) == 3
    exe.run(static.default_startup_program())
    assert exe.run(static.default_startup_program(), fetch_list=["counter"])[0] == 0


def test_fetched_parameters_are_copies():
    paddle.enable_static()
    layer = paddle.nn.Linear(2, 2)
    exe = static.Executor()
    exe.run(static.default_startup_program())
    w = exe.run(fetch_list=[layer.weight])[0]
    before = w.copy()
    w += 1
    np.testing.assert_array_equal(exe.run(fetch_list=[layer.weight])[0], before)


def test_a_random_seed_of_the_program_repeats():
    def run(seed):
        main = static.Program()
        main.random_seed = seed
        paddle.enable_static()
        with static.program_guard(main):
            r = paddle.nn.functional.dropout(paddle.ones([40]))
        return static.Executor().run(main, fetch_list=[r])[0]
    np.testing.assert_array_equal(run(7), run(7))
    assert (run(0) != run(0)).any()


def test_the_cache_is_bounded_and_follows_changes(program):
    exe = static.Executor()
    with static.program_guard(program):
        outs = [program.global_block().var("x") * k for k in range(CACHE_SIZE + 5)]
    for k, out in enumerate(outs):
        np.testing.assert_array_equal(exe.run(program, {"x": ONES}, [out])[0], ONES * k)
    assert len(exe._cache) == CACHE_SIZE
    with static.program_guard(program):
        paddle.assign(ONES * 7, outs[3])
    np.testing.assert_array_equal(exe.run(program, {"x": ONES}, [outs[3]])[0], ONES * 7)
    exe.close()
    with pytest.raises(RuntimeError, match="closed"):
        exe.run(program, {"x": ONES})


def test_intermediates_are_freed_while_a_plan_runs():
    seen = []

    def watch(x):
        gc.collect()
        seen.append([r() is not None for r in alive])
        return x
    alive = []

    def note(x):
        copy = x.copy()
        alive.append(weakref.ref(copy))
        return copy
    from paddle.static.ir.graph import Graph, Value
    from paddle.static.ir.nodes.op import Call
    from paddle.static.schedule.plan import Plan

    class Run(Call):
        type, single = "run", True

        def __init__(self, fn):
            self.fn = fn

        def prepare(self):
            return self.fn
    x = Value("x")
    graph = Graph([x])
    a, = graph.add(Run(note), [x], ["a"])
    b, = graph.add(Run(note), [a], ["b"])
    c, = graph.add(Run(watch), [b], ["c"])
    graph.outputs = [c]
    Plan(graph)([ONES])
    assert seen == [[False, True]]


def test_hooks_see_the_operators_of_a_running_program(program):
    from paddle.core.hooks import OpHook

    class Watch(OpHook):
        programs = True

        def __init__(self):
            self.seen = []

        def before(self, op, args):
            self.seen.append(op.name)
            return args
    with static.program_guard(program):
        y = paddle.sum(paddle.tanh(program.global_block().var("x")) * 2)
    exe = static.Executor()
    expected = exe.run(program, {"x": ONES}, [y])[0]
    with Watch() as watch:
        assert exe.run(program, {"x": ONES}, [y])[0] == expected
    assert watch.seen[-1] == "sum" and len(watch.seen) >= 2


def test_the_nan_finder_names_operator_and_line(program):
    with static.program_guard(program):
        y = paddle.log(program.global_block().var("x"))
    paddle.set_flags({"FLAGS_check_nan_inf": True})
    try:
        with pytest.raises(FloatingPointError, match=r"log\(\) gave (NaN|Inf)(.|\n)*operator log \(added at .*test_executor"
                                                     r".*\n    y = paddle\.log\(program"):
            static.Executor().run(program, {"x": -ONES}, [y])
    finally:
        paddle.set_flags({"FLAGS_check_nan_inf": False})


def test_use_prune_keeps_updates_and_operators_in_fetch_list_choose_them(static_mode):
    x = static.data("x", [None, 2])
    layer, exe, scope = paddle.nn.Linear(2, 2), static.Executor(), static.global_scope()
    out = layer(x)
    unused = static.nn.fc(static.data("other", [None, 3]), 1)  # needs what is not fed
    first = paddle.optimizer.SGD(0.1).minimize(paddle.mean(out))
    second = paddle.optimizer.SGD(0.1).minimize(paddle.mean(out) * 2.0)
    exe.run(static.default_startup_program())

    def moved(fetch_list, **options):
        before = scope.get(layer.weight.name).copy()
        assert len(exe.run(feed={"x": ONES}, fetch_list=fetch_list, **options)) == 1
        return (scope.get(layer.weight.name) - before) / -0.1 / ONES.mean() * 2  # in means, as in Paddle 2.6.2

    assert unused.shape[-1] == 1
    np.testing.assert_allclose(moved([out], use_prune=True), 3, rtol=1e-4)
    np.testing.assert_allclose(moved([out, first]), 1, rtol=1e-4)
    np.testing.assert_allclose(moved([out, second], use_prune=True), 2, rtol=1e-4)
    np.testing.assert_allclose(moved([out, first[0]]), 1, rtol=1e-4)
    with pytest.raises(TypeError, match="no operator by which"):
        exe.run(feed={"x": ONES}, fetch_list=[out, static.default_main_program().global_block().ops[:1]])
    with pytest.raises(RuntimeError, match="train_from_dataset"):
        exe.train_from_dataset()


def test_copies_of_programs_have_plans_of_their_own(program):
    import copy
    other = copy.deepcopy(program)
    with static.program_guard(other):
        paddle.assign(ONES * 3, other.global_block().ops[-1].block.var(other.global_block().ops[-1].output("Out")[0]))
    out, exe = program.global_block().ops[-1].output("Out")[0], static.Executor()
    assert exe.run(program, {"x": ONES}, [out])[0][0, 0] != 3
    assert exe.run(other, {"x": ONES}, [out])[0][0, 0] == 3


def test_operators_carry_the_device_of_their_guard_and_defaults(static_mode):
    main = static.Program()
    with static.program_guard(main):
        x = paddle.full([2, 2], 1.0)
        with static.device_guard("cpu"):
            y = paddle.matmul(x, x)
        z = y + 1
    assert [op.attr("op_device") for op in main.global_block().ops] == ["", "cpu", ""]
    assert y.op.type == "matmul_v2" and y.op.attr("trans_x") is False and z.op.idx == 2
    with pytest.raises(ValueError, match="cpu:1"), static.device_guard("cpu:1"):
        pass


def test_samples_of_unknown_batches_have_the_size_that_is_fed(static_mode):
    main = static.Program()
    with static.program_guard(main):
        low, high = static.data("low", [-1, 3]), static.data("high", [-1, 3])
        draws = [paddle.distribution.Uniform(low, high).sample([7]), paddle.distribution.Normal(low, high).sample([7])]
    found = static.Executor().run(main, {"low": np.zeros([2, 3], "float32"), "high": np.ones([2, 3], "float32")}, draws)
    assert [f.shape for f in found] == [(7, 2, 3)] * 2


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "int8", "uint8", "int16", "complex64"])
def test_constants_of_types_that_files_have_no_lists_for(static_mode, dtype):
    """2.6.2 records a wider constant and a cast; fetched bfloat16 comes as its bits."""
    main = static.Program()
    with static.program_guard(main):
        made = paddle.to_tensor([1, 2], dtype=dtype)
    found, = static.Executor().run(main, fetch_list=[made])
    if dtype == "bfloat16":
        assert found.dtype == np.uint16 and found.tolist() == [16256, 16384]
    else:
        assert found.dtype == dtype and found.tolist() == [1, 2]


@pytest.mark.parametrize("number, real, dtype", [(1 + 2j, "float32", "complex64"),
                                                 (np.array([1j, 2 - 1j]), "float64", "complex128")])
def test_complex_constants(static_mode, tmp_path, number, real, dtype):
    """Files hold them as their two parts."""
    main, exe = static.Program(), static.Executor()
    with static.program_guard(main):
        x = static.data("x", [2], real)
        y = x * (paddle.assign(number) if isinstance(number, np.ndarray) else number)
        static.save_inference_model(str(tmp_path / "model"), [x], [y], exe)
    program, names, outs = static.load_inference_model(str(tmp_path / "model"), exe)
    fed = np.array([2, 3], real)
    for found, in (exe.run(main, {"x": fed}, [y]), exe.run(program, {names[0]: fed}, outs)):
        assert found.dtype == dtype
        np.testing.assert_allclose(found, fed * number)


def test_one_hot_of_a_depth_that_a_program_computes(static_mode):
    main = static.Program()
    with static.program_guard(main):
        labels, depth = static.data("labels", [3], "int64"), static.data("depth", [1], "int32")
        made = paddle.nn.functional.one_hot(labels, depth)
    assert made.shape == (3, -1)
    found, = static.Executor().run(main, {"labels": np.array([0, 2, 1]), "depth": np.array([4], "int32")}, [made])
    np.testing.assert_array_equal(found, np.eye(4, dtype="float32")[[0, 2, 1]])


def test_bits_in_a_lod_tensor_are_bfloat16(static_mode):
    """They were added as integers: 0.25 and -0.5 are 0x3e80 and 0xbf00."""
    main = static.Program()
    with static.program_guard(main):
        x, y = static.data("x", [2], "bfloat16"), static.data("y", [2], "bfloat16")
        for var in (x, y):
            var.desc.set_need_check_feed(False)
        total = x + y
    given = paddle.base.core.LoDTensor()
    given.set(np.array([0x3e80, 0xbf00], "uint16"), paddle.CPUPlace())
    for as_numpy in (True, False):
        feed = {"x": given, "y": np.array([0xbf00, 0x3e80], "uint16")}
        found, = static.Executor().run(main, feed, [total], return_numpy=as_numpy)
        assert np.array(found).dtype == np.uint16 and np.array(found).tolist() == [0xbe80, 0xbe80]


def test_deform_conv2d_of_something_else_than_pictures(static_mode):
    with static.program_guard(static.Program()), pytest.raises(ValueError, match=r"deform_conv2d\(\): x must have 4 axes"):
        static.nn.deform_conv2d(static.data("x", [4]), static.data("o", [1, 18, 4, 4]), None, 3, 3)
