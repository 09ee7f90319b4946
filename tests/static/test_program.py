"""Programs: recording, shapes, printing, clones."""

import numpy as np
import pytest

import paddle
from paddle import static


def array(*shape):
    return np.random.RandomState(0).randn(*shape).astype("float32")


def test_ops_with_variables_are_recorded_in_dynamic_mode_too():
    main = static.Program()
    with static.program_guard(main):
        x = static.data("x", [None, 3])
        y = paddle.exp(x) + 1
    assert [op.type for op in main.global_block().ops] == ["exp", "scale"]
    assert y.shape == (-1, 3) and y.dtype == "float32"
    assert paddle.in_dynamic_mode()


def test_calls_without_tensors_follow_the_mode(static_mode):
    assert not paddle.in_dynamic_mode()
    x = paddle.full([2], 3.0)
    assert isinstance(x, static.Variable)
    out, = static.Executor().run(fetch_list=[x])
    np.testing.assert_array_equal(out, [3, 3])
    paddle.disable_static()
    assert isinstance(paddle.full([2], 3.0), paddle.Tensor)


@pytest.mark.parametrize("function, expected", [
    (lambda x: paddle.matmul(x, paddle.ones([3, 5])), (-1, 5)),
    (lambda x: paddle.sum(x, axis=0), (3,)),
    (lambda x: x.reshape([-1]), (-1,)),
    (lambda x: x.reshape([0, 3, 1]), (-1, 3, 1)),
    (lambda x: paddle.concat([x, x], axis=1), (-1, 6)),
    (lambda x: x.transpose([1, 0]), (3, -1)),
    (lambda x: x * paddle.ones([4, 3]), (4, 3)),
    (lambda x: x > 0, (-1, 3)),
    (lambda x: paddle.nn.functional.relu(x), (-1, 3)),
    (lambda x: x[:, 1], (-1,)),
    (lambda x: x[:, 1:], (-1, 2)),
    (lambda x: paddle.nonzero(x), (-1, 2)),
])
def test_inferred_shape(function, expected):
    main = static.Program()
    with static.program_guard(main):
        x = static.data("x", [None, 3])
        y = function(x)
    assert tuple(y.shape) == expected
    got, = static.Executor().run(main, {"x": np.ones([4, 3], "float32")}, [y])
    assert all(n in (-1, m) for n, m in zip(expected, got.shape)) and len(expected) == got.ndim
    assert got.dtype == y.dtype.dtype


def test_convolution_shapes_need_no_run():
    main = static.Program()
    with static.program_guard(main):
        x = static.data("x", [None, 3, None, 224])
        y = paddle.nn.functional.conv2d(x, paddle.ones([8, 3, 3, 3]), stride=2, padding=1)
        same = paddle.nn.functional.conv2d(x, paddle.ones([8, 3, 3, 3]), stride=2, padding="SAME")
        with pytest.raises(ValueError, match="channels"):
            paddle.nn.functional.conv2d(x, paddle.ones([8, 4, 3, 3]))
    assert y.shape == (-1, 8, -1, 112) and same.shape == (-1, 8, -1, 112)


def test_sizes_computed_from_known_sizes_are_known():
    main = static.Program()
    with static.program_guard(main):
        x = static.data("x", [2, 6])
        n = paddle.shape(x)
        y = x.reshape([n[1], n[0]])
    assert tuple(y.shape) == (6, 2)


def test_unknown_sizes_go_through_shape():
    main = static.Program()
    with static.program_guard(main):
        x = static.data("x", [None, 6])
        n = paddle.shape(x)[0]
        y = paddle.reshape(x, [n * 2, 3]) + paddle.ones([1])
    a = array(5, 6)
    got, = static.Executor().run(main, {"x": a}, [y])
    np.testing.assert_array_equal(got, a.reshape(10, 3) + 1)


def test_operators_and_methods_are_those_of_tensors():
    def compute(x):
        y = (2 - x) / (x * x + 1.5) ** 2 - (-x) @ x.transpose([1, 0]).matmul(x)
        return y.exp().clip(0, 2).sum(axis=-1, keepdim=True).astype("float64").squeeze(-1)
    a = array(3, 3) / 4
    main = static.Program()
    with static.program_guard(main):
        y = compute(static.data("x", [None, 3]))
    got, = static.Executor().run(main, {"x": a}, [y])
    expected = compute(paddle.to_tensor(a)).numpy()
    assert got.dtype == np.float64
    np.testing.assert_allclose(got, expected, rtol=1e-6)


def test_in_place_functions_leave_variables_as_they_are():
    main = static.Program()
    with static.program_guard(main):
        x = static.data("x", [2, 2])
        with pytest.warns(UserWarning, match="not changed in place"):
            y = x.exp_()
        with pytest.warns(UserWarning, match="not changed in place"):
            assert x.reshape_([4]).shape == (4,)
        z = x * 2
    a = array(2, 2)
    got_z, got_y = static.Executor().run(main, {"x": a}, [z, y])
    np.testing.assert_array_equal(got_z, a * 2)
    np.testing.assert_allclose(got_y, np.exp(a), rtol=1e-6)


def test_items_are_set_by_a_new_variable():
    main = static.Program()
    with static.program_guard(main):
        x = static.data("x", [2, 2])
        y = static.setitem(x, (0,), 5.0)
        z = x + 0
        x[1] = 7.0
    a = np.ones((2, 2), "float32")
    found = static.Executor().run(main, {"x": a}, [y, z, x])
    assert [f.tolist() for f in found] == [[[5, 5], [1, 1]], [[1, 1], [1, 1]], [[1, 1], [7, 7]]]


def test_loops_may_change_their_variables_in_place(static_mode):
    main = static.Program()
    with static.program_guard(main):
        i, n = paddle.full([1], 0, "int64"), paddle.full([1], 3, "int64")
        total = paddle.full([1], 0.0)

        def body(i, total):
            total = total + i.astype("float32")
            return paddle.increment(i), total
        found = static.nn.while_loop(lambda i, total: i < n, body, [i, total])
    last, = static.Executor().run(main, fetch_list=[found[1]])
    assert last.tolist() == [3.0]
    assert [f.tolist() for f in static.Executor().run(main, fetch_list=list(found))] == [[3], [3.0]]


@pytest.mark.parametrize("fed", [np.ones((5, 3), "float32"), np.ones(3, "float32"), np.ones((4, 3)), np.ones((4, 3), "int64")])
def test_feeds_are_checked_unless_told_not_to(fed):
    main = static.Program()
    with static.program_guard(main):
        x = static.data("x", [4, 3])
        y = x * 2
    with pytest.raises(ValueError, match="the fed value"):
        static.Executor().run(main, {"x": fed}, [y])
    x.desc.set_need_check_feed(False)
    found, = static.Executor().run(main, {"x": fed}, [y])
    assert found.dtype == fed.dtype and found.tolist() == (fed * 2).tolist()


def test_blocks_make_parameters_of_a_shape_and_a_type_without_a_name():
    """As fluid's Block: what comes first is the shape."""
    block = static.Program().global_block()
    p, q = block.create_parameter((2, 3), "float32"), block.create_parameter((4,), "int64", trainable=False)
    assert (p.shape, p.dtype, q.shape, q.trainable) == ((2, 3), paddle.float32, (4,), False)
    assert block.all_parameters() == [p, q] and block.var(p.name) is p and p.name != q.name


def test_blocks_make_parameters_with_an_initializer():
    main, startup = static.Program(), static.Program()
    with static.program_guard(main, startup):
        fill = paddle.nn.initializer.Constant(3.0)
        startup.global_block().create_parameter(name="w", shape=[2], dtype="float32", initializer=fill)
        w = main.global_block().create_parameter(name="w", shape=[2], dtype="float32")
        y = w * 2
    exe = static.Executor()
    exe.run(startup)
    assert exe.run(main, fetch_list=[y])[0].tolist() == [6.0, 6.0]


def test_fed_persistable_variables_are_in_the_scope():
    main = static.Program()
    with static.program_guard(main):
        x = static.data("x", [2])
        x.persistable = True
        y = x * 2
    static.Executor().run(main, {"x": np.ones(2, "float32")}, [y])
    assert np.array(static.global_scope().find_var("x").get_tensor()).tolist() == [1.0, 1.0]


def test_variables_have_no_value():
    main = static.Program()
    with static.program_guard(main):
        x = static.data("x", [1])
        for use in (bool, float, int, lambda v: v.numpy(), lambda v: v.tolist(), lambda v: v.backward()):
            with pytest.raises((TypeError, RuntimeError), match="static Variable"):
                use(x)
        assert x.item() is x  # the only one that goes on with the Variable, as in Paddle
        with pytest.raises(TypeError, match="item"):
            static.data("y", [1, 1]).item()


def test_tensors_are_captured_and_small_constants_copied():
    layer, table = paddle.nn.Linear(3, 2), paddle.to_tensor(array(3))
    main = static.Program()
    with static.program_guard(main):
        y = layer(static.data("x", [None, 3]) + table)
    assert sorted(main.captured) == sorted(p.name for p in layer.parameters())
    a, exe = array(4, 3), static.Executor()
    expected = layer(paddle.to_tensor(a) + table).numpy()
    np.testing.assert_allclose(exe.run(main, {"x": a}, [y])[0], expected, rtol=1e-6)
    layer.weight.set_value(np.zeros([3, 2], "float32"))  # read anew by every run
    np.testing.assert_allclose(exe.run(main, {"x": a}, [y])[0], np.broadcast_to(layer.bias.numpy(), [4, 2]))


def test_clone_for_test_drops_training():
    paddle.enable_static()
    x = static.data("x", [None, 4])
    hidden = paddle.nn.functional.dropout(paddle.nn.Linear(4, 4)(x), 0.5)
    loss = paddle.mean(hidden)
    paddle.optimizer.SGD(0.1).minimize(loss)
    main = static.default_main_program()
    test = main.clone(for_test=True)
    types = [op.type for op in test.global_block().ops]
    assert not any(t.endswith("_grad") or t == "sgd" for t in types) and "dropout" in types
    assert all(op.attr("is_test") for op in test.global_block().ops if op.type == "dropout")
    assert not any(v.name.endswith("@GRAD") for v in test.list_vars())
    exe = static.Executor()
    exe.run(static.default_startup_program())
    a = array(3, 4)
    one, two = (exe.run(test, {"x": a}, [hidden])[0] for _ in range(2))
    np.testing.assert_array_equal(one, two)
    assert len(main.clone().global_block().ops) == len(main.global_block().ops)


def test_printing_shows_variables_and_operators():
    main = static.Program()
    with static.program_guard(main):
        paddle.matmul(static.data("x", [None, 3]), paddle.ones([3, 2]), transpose_y=False)
    text = str(main)
    assert "var x : LOD_TENSOR.shape(-1, 3).dtype(float32).stop_gradient(True)" in text  # as 2.6.2 writes it
    assert "matmul_v2(" in text and "trans_y=False" in text and str(main.global_block().var("x").type) == "VarType.LOD_TENSOR"


def test_data_checks_its_arguments():
    with static.program_guard(static.Program()):
        static.data("x", [None, 3])
        assert static.data("x", [-1, 3]).shape == (-1, 3)
        with pytest.raises(ValueError, match="already has a variable 'x'"):
            static.data("x", [None, 4])
        with pytest.raises(TypeError, match=r"data\(\): shape"):
            static.data("z", "3")
        with pytest.raises(ValueError, match="already has a variable 'x'"):
            static.data("x", [None, 3], lod_level=1)


def test_an_op_error_names_the_line_that_added_it():
    main = static.Program()
    with static.program_guard(main):
        x, y = static.data("x", [None, 3]), static.data("y", [None, 3])
        z = x + y
    with pytest.raises(ValueError, match=r"elementwise_add \(added at .*test_program\.py:\d+\)"):
        static.Executor().run(main, {"x": array(2, 3), "y": array(4, 3)}, [z])
    with static.program_guard(main), pytest.raises(ValueError, match=r"matmul\(\): inner sizes differ"):
        paddle.matmul(x, static.data("z", [2, 3]))


def test_input_spec():
    spec = static.InputSpec([None, 784], "float32", "x")
    assert spec.shape == (-1, 784) and spec == static.InputSpec([-1, 784], "float32", "x")
    assert static.InputSpec([784]).batch(4).shape == (4, 784) and spec.unbatch().shape == (784,)
    assert static.InputSpec.from_tensor(paddle.ones([2, 3], "int64"), "n").dtype == "int64"
    assert static.InputSpec.from_numpy(np.ones([2], "float64")).dtype == "float64"


def test_an_attribute_given_as_none_has_its_default():
    program = static.Program()
    block = program.global_block()
    block.create_var(name="x", shape=[2, 2], dtype="float32")
    block.create_var(name="y", dtype="float32")
    block.append_op("tril_triu", {"X": ["x"]}, {"Out": ["y"]}, {"diagonal": None, "lower": True})
    found, = static.Executor().run(program, {"x": np.ones([2, 2], "float32")}, ["y"])
    assert found.tolist() == [[1, 0], [1, 1]]


def test_a_variable_of_the_startup_program_may_have_an_initializer():
    main, startup = static.Program(), static.Program()
    kind = {"name": "table", "shape": [2, 3], "dtype": "int32", "persistable": True}
    made = startup.global_block().create_var(initializer=paddle.nn.initializer.Constant(7), **kind)
    assert startup.global_block().var("table") is made and [op.type for op in startup.global_block().ops] == ["fill_constant"]
    main.global_block().create_var(**kind)
    exe = static.Executor()
    with static.scope_guard(static.Scope()):
        exe.run(startup)
        found, = exe.run(main, fetch_list=["table"])
    assert found.dtype == np.int32 and found.tolist() == [[7] * 3] * 2


def test_lengths_fed_to_a_program_of_appended_operators_pass_through_it():
    program = static.Program()
    block = program.global_block()
    for name in ("hypothesis", "reference"):
        block.create_var(name=name, shape=[-1, 1], dtype="int64", lod_level=1)
    for name, kind in (("distance", "float32"), ("count", "int64")):
        block.create_var(name=name, dtype=kind)
    block.append_op("edit_distance", {"Hyps": ["hypothesis"], "Refs": ["reference"]},
                    {"Out": ["distance"], "SequenceNum": ["count"]}, {"normalized": False})
    fed = {name: paddle.fluid.create_lod_tensor(np.arange(sum(lengths)).reshape(-1, 1), [lengths], paddle.CPUPlace())
           for name, lengths in (("hypothesis", [4, 5]), ("reference", [3, 5]))}
    for _ in range(2):
        distance, count = static.Executor().run(program, fed, ["distance", "count"])
        assert distance.tolist() == [[1], [2]] and count.tolist() == [2]


def test_axes_that_the_program_itself_sets_may_be_variables(static_mode):
    program = static.Program()
    with static.program_guard(program):
        x = static.data("x", [2, 3, 4])
        axes, one = paddle.assign(np.array([0, 1])), paddle.full([1], 1, "int64")
        outs = [paddle.sum(x, axes), paddle.max(x, one), paddle.mean(x, [one, 2]), paddle.eye(one + 2)]
        paddle.assign(axes[:1], one)
        outs.append(paddle.max(x, one))  # known when the program runs
    value = np.arange(24, dtype="float32").reshape(2, 3, 4)
    found = static.Executor().run(program, {"x": value}, outs)
    for out, wanted in zip(found, [value.sum((0, 1)), value.max(1), value.mean((1, 2)), np.eye(3), value.max(0)]):
        np.testing.assert_allclose(out, wanted)


def test_axes_that_are_known_when_the_program_runs_leave_shapes_open(static_mode):
    x, axis = static.data("x", [2, 3, 4]), static.data("axis", [1], "int64")
    outs = [paddle.concat([x, x], axis), *paddle.split(x, 3, axis), paddle.unsqueeze(x, axis)]
    assert [list(v.shape) for v in outs] == [[-1] * 3] * 4 + [[-1] * 4]
    found = static.Executor().run(feed={"x": np.zeros((2, 3, 4), np.float32), "axis": np.array([1])}, fetch_list=outs)
    assert [v.shape for v in found] == [(2, 6, 4), *[(2, 1, 4)] * 3, (2, 1, 3, 4)]


def test_reduce_operators_without_attributes_take_the_first_axis():
    main = paddle.static.Program()
    with paddle.static.program_guard(main):
        x = paddle.static.data("x", [2, 3])
        out = main.global_block().create_var(name="out", dtype="float32", shape=[3])
        main.global_block().append_op(type="reduce_sum", inputs={"X": [x]}, outputs={"Out": [out]})
        (found,) = paddle.static.Executor().run(main, feed={"x": np.arange(6, dtype="float32").reshape(2, 3)}, fetch_list=[out])
    assert found.tolist() == [3.0, 5.0, 7.0]  # as in 2.6.2


def test_roles_of_operators_that_a_program_adds_for_its_own_optimizer(static_mode):
    main, startup = static.Program(), static.Program()
    with static.program_guard(main, startup):
        x = static.data("x", [None, 2])
        w = static.create_parameter([2, 1], "float32", default_initializer=paddle.nn.initializer.Constant(1.0))
        loss = paddle.mean(paddle.matmul(x, w))
        with main._lr_schedule_guard():
            rate = paddle.full([1], 0.5)
        (param, grad), = static.append_backward(loss)
        with main._optimized_guard([param, grad]):
            paddle.assign(param - rate * grad, output=param)
        test = main.clone(for_test=True)
        other = startup.global_block()._clone_variable(w)
    assert (other.name, other.shape, other.persistable) == (w.name, w.shape, True)
    assert [op.type for op in test.global_block().ops] == [op.type for op in main.global_block().ops[:2]]
    exe = static.Executor()
    exe.run(startup)
    feed = {"x": np.ones([1, 2], "float32")}
    found = [float(exe.run(program, feed, [loss.name])[0]) for program in (main, test, main, test)]
    assert found == [2.0, 1.0, 1.0, 0.0]  # 2.6.2 gives the same


def test_a_tensor_that_is_created_can_be_fed():
    main = static.Program()
    paddle.enable_static()
    try:
        with static.program_guard(main):
            x = paddle.tensor.create_tensor("float32", name="given")
            doubled = x * 2
    finally:
        paddle.disable_static()
    assert x.name == "given" and main.global_block().var("given") is x
    found, = static.Executor().run(main, feed={"given": np.ones([2, 3], "float32")}, fetch_list=[doubled])
    assert found.tolist() == [[2.0] * 3] * 2


def test_lod_tensor_copies_rows_of_another():
    source, target = paddle.base.core.LoDTensor(), paddle.base.core.LoDTensor()
    source.set(np.arange(6.0).reshape(3, 2), paddle.CPUPlace())
    target._copy_from(source, paddle.CPUPlace(), 2)
    assert np.asarray(target).tolist() == [[0.0, 1.0], [2.0, 3.0]]
    source._array[0, 0] = 7
    assert np.asarray(target)[0, 0] == 0
    target._copy_from(source, paddle.CPUPlace())
    assert target.shape() == [3, 2]


def test_results_of_stopped_variables_are_stopped():
    with static.program_guard(static.Program()):
        x = static.data("x", [2, 3])
        y = static.data("y", [2, 3])
        y.stop_gradient = False
        hidden = static.nn.fc(x, 4)
        assert [v.stop_gradient for v in (x * 2, x + x, paddle.nn.functional.dropout(x, 0.5), x + y, hidden)] == [
            True, True, True, False, False]
        hidden.stop_gradient = True
        assert (hidden * 2).stop_gradient
        paddle.set_generation("2.4")
        assert not (hidden * 2).stop_gradient
