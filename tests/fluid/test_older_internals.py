"""Parts of 1.x that tools and tests reached for: descriptions of programs, nested scopes, losses inside branches, estimates."""

import numpy as np
import pytest

import paddle
import paddle.fluid as fluid

layers = fluid.layers


def test_a_program_description_from_scratch():
    program = fluid.core.ProgramDesc()
    block = program.block(0)
    for name in (b"x", b"y"):
        block.var(name).set_shape([10, 20] if name == b"x" else [20, 30])
    out = block.var(b"out")
    operator = block.append_op()
    operator.set_type("mul")
    operator.set_input("X", ["x"])
    operator.set_input("Y", ["y"])
    operator.set_output("Out", ["out"])
    operator.infer_shape(block)
    assert out.shape() == [10, 30] and out == block.find_var(b"out") and block.op_size() == 1
    inner = program.append_block(block)
    assert (program.num_blocks(), inner.id, inner.parent) == (2, 1, 0)


def test_the_description_of_a_program_is_its_view():
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()):
        layers.relu(layers.data("x", [3]))
    assert main.desc.block(0).op(0).type() == "relu" and main.desc == main.desc
    again = fluid.Program.parse_from_string(main.desc.serialize_to_string())
    assert [op.type for op in again.global_block().ops] == ["relu"]


@pytest.mark.parametrize("chosen", [1, 2])
def test_losses_inside_branches_are_trained(chosen):
    """A weight used in front of the branches; each branch trains it by a rate of its own."""
    x = np.array([[1.0, 2.0]], "float32")
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.scope_guard(fluid.Scope()):
        number = layers.data("n", [1], dtype="int32", append_batch_size=False)
        hidden = layers.fc(layers.data("x", [2]), 1, bias_attr=False,
                           param_attr=fluid.ParamAttr(name="w", initializer=fluid.initializer.Constant(0.5)))

        def branch(factor, rate):
            def body():
                loss = layers.mean(layers.square(hidden * factor))
                fluid.optimizer.SGD(rate).minimize(loss)
                return loss
            return body
        out = layers.case([(number == 1, branch(1.0, 0.1))], branch(2.0, 0.01))
        test = main.clone(for_test=True)
        exe = fluid.Executor(fluid.CPUPlace())
        exe.run(startup)
        feed = {"x": x, "n": np.array([chosen], "int32")}
        first, = exe.run(main, feed=feed, fetch_list=[out])
        w = np.array(fluid.global_scope().find_var("w").get_tensor()).reshape(-1)
        assert not any(name.startswith("learning_rate") for name in test.global_block().vars)
        after, = exe.run(test, feed=feed, fetch_list=[out.name])
    factor, rate = (1.0, 0.1) if chosen == 1 else (2.0, 0.01)
    start = np.array([0.5, 0.5])
    np.testing.assert_allclose(first, [(factor * 1.5) ** 2], rtol=1e-6)
    wanted = start - rate * 2 * factor ** 2 * 1.5 * x[0]
    np.testing.assert_allclose(w, wanted, rtol=1e-5)
    np.testing.assert_allclose(after, [(factor * (wanted @ x[0])) ** 2], rtol=1e-5)


@pytest.mark.parametrize("pairs, error", [([(1, lambda: 0)], TypeError), ([(1, 2, 3)], TypeError)])
def test_case_takes_conditions_that_are_tensors(pairs, error):
    with fluid.program_guard(fluid.Program()), pytest.raises(error, match="pred_fn_pairs"):
        layers.case(pairs, lambda: 0)


@pytest.mark.parametrize("fns, error", [([(1, 2, 3)], TypeError), ([(2, abs), (2, abs)], ValueError)])
def test_switch_case_takes_one_function_for_each_number(fns, error):
    with fluid.program_guard(fluid.Program()), pytest.raises(error, match="branch_fns"):
        layers.switch_case(layers.fill_constant([1], "int32", 1), fns, abs)


def test_scopes_find_what_is_around_them():
    scope = fluid.Scope()
    scope.var("a").set_int(3)
    inner = scope.new_scope()
    assert inner.find_var("a").get_int() == 3 and inner.find_var("a").is_int() and inner.has("a")
    inner.var("b").set_float(1.5)
    assert scope.find_var("b") is None and not inner.find_var("b").is_int()
    from paddle.fluid import default_scope_funcs as funcs
    found = []
    funcs.scoped_function(lambda: (funcs.var("inside").set_int(1), found.append(funcs.find_var("inside").get_int())))
    assert found == [1] and funcs.find_var("inside") is None
    with pytest.raises(RuntimeError, match="leave_local_scope"):
        funcs.leave_local_scope()


def test_programs_as_text_and_graph_and_their_sizes(tmp_path):
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup):
        loss = layers.mean(layers.fc(layers.data("x", [4]), 2, param_attr=fluid.ParamAttr(name="w"), bias_attr=False))
        fluid.optimizer.SGD(0.1).minimize(loss)
    short, whole = (fluid.debugger.pprint_program_codes(main, backward) for backward in (False, True))
    assert "mul" in short and "w@GRAD" in whole and "w@GRAD" not in short
    fluid.debugger.draw_block_graphviz(main.global_block(), ["w"], str(tmp_path / "g.dot"))
    text = (tmp_path / "g.dot").read_text()
    assert '"w" [shape=ellipse, label="w\\n[4, 2]", color=red]' in text and '"w" -> "op 0"' in text
    fluid.net_drawer.draw_graph(startup, main, str(tmp_path / "n.gv"), graph_attr={"rankdir": "LR"})
    text = (tmp_path / "n.gv").read_text()
    assert 'graph [rankdir="LR"]' in text and '"Feed" -> "mul_0" [label="X(x)"]' in text and '"mul_0" -> "mean_1"' in text
    assert ' (startup)" -> "mul_0" [label="Y(w)"]' in text
    with pytest.raises(TypeError, match="graph_attr, edge_attr, node_attr, got colour"):
        fluid.net_drawer.draw_graph(startup, main, colour="red")
    small, large = (fluid.contrib.memory_usage(main, size) for size in (1, 100000))
    assert small[2] == "B" and large[2] == "MB" and small[0] < small[1]
    operators, pairs = fluid.contrib.op_freq_statistic(main)
    assert dict(operators)["mul"] == 1 and dict(pairs)["mul->mean"] == 1
    with pytest.raises(ValueError, match="batch_size"):
        fluid.contrib.memory_usage(main, 0)


def test_complex_functions_of_1_8_are_a_module():
    import paddle.complex as cpx
    a, b = np.array([[1 + 2j, 3j]]), np.array([[2 - 1j], [1j]])
    with fluid.dygraph.guard():
        x, y = fluid.dygraph.to_variable(a), fluid.dygraph.to_variable(b)
        assert np.allclose(cpx.matmul(x, y).numpy(), a @ b) and np.allclose(cpx.kron(x, y).numpy(), np.kron(a, b))
        x.stop_gradient = True
        assert cpx.reshape(x, [2, 1], inplace=True).shape == [2, 1] and x.shape == [2, 1]
    assert paddle.complex(paddle.ones([1]), paddle.ones([1])).numpy().tolist() == [1 + 1j]


def test_lists_of_a_loop_are_joined_by_the_functions_of_1_x():
    def grown(x, n):
        a = []
        for i in range(n):
            a.append(x * (i + 1))
        return layers.concat(a, axis=0), layers.stack(a, axis=1)
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()):
        joined, stacked = fluid.dygraph.jit.dygraph_to_static_func(grown)(layers.data("x", [2], append_batch_size=False),
                                                                         layers.fill_constant([1], "int32", 3))
        found = fluid.Executor().run(main, feed={"x": np.ones(2, "float32")}, fetch_list=[joined, stacked])
    assert found[0].tolist() == [1, 1, 2, 2, 3, 3] and found[1].tolist() == [[1, 2, 3], [1, 2, 3]]


def test_operators_on_the_way_to_a_loss():
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()):
        x = layers.data("x", [3])
        layers.tanh(x)
        loss = layers.mean(layers.relu(x))
    backward, block = fluid.backward, main.global_block()
    assert "x@GRAD" in backward._get_stop_gradients_(main)[0]
    path = backward._find_op_path_(block, [loss], [], {"x"})
    assert "relu" in [op.type for op in path] and "tanh" not in [op.type for op in path]
    assert backward._find_no_grad_vars(block, path, [loss], set()) == set()
    with pytest.raises(TypeError, match="target_gradients"):
        fluid.gradients([loss], [x], target_gradients="x")


def test_updates_by_adamax_are_those_of_paddles_programs():
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.scope_guard(fluid.Scope()):
        attr = fluid.ParamAttr(name="w", learning_rate=0.5, initializer=fluid.initializer.Constant(1.0))
        loss = layers.mean(layers.fc(layers.data("x", [2]), 1, param_attr=attr, bias_attr=False))
        operators, _ = fluid.optimizer.Adamax(0.1).minimize(loss)
        assert [op.type for op in operators] == ["scale", "adamax", "scale"]
        exe = fluid.Executor(fluid.CPUPlace())
        exe.run(startup)
        for _ in range(3):
            power, w = exe.run(main, feed={"x": np.ones((1, 2), "float32")}, fetch_list=["w_beta1_pow_acc_0", "w"])
    np.testing.assert_allclose(power, [0.9 ** 4], rtol=1e-6)
    np.testing.assert_allclose(w.reshape(-1), [1 - 3 * 0.05] * 2, rtol=1e-5)  # a constant gradient: each step is the rate


def test_cells_refuse_whole_numbers():
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        x, whole = fluid.data("x", [None, 3]), fluid.data("whole", [None, 4], "int32")
        for call in (lambda: layers.GRUCell(4)(x, whole), lambda: layers.LSTMCell(4)(x, [fluid.data("h", [None, 4]), whole]),
                     lambda: layers.GRUCell(4, dtype="int32")):
            with pytest.raises(TypeError, match="Cell"):
                call()


def test_notes_on_variables_and_values_that_are_arrays():
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        variable = layers.create_global_var([1], np.array([2.5]), "float32")
        variable._set_info("name", "noted")
    assert variable._get_info("name") == "noted" and variable._get_info("other") is None


def test_the_step_of_a_decay_is_a_variable_of_the_state():
    with fluid.dygraph.guard():
        layer = fluid.dygraph.Linear(2, 1)
        decay = fluid.dygraph.ExponentialDecay(0.1, 10, 0.5)
        optimizer = fluid.optimizer.Adam(decay, parameter_list=layer.parameters())
        layers.mean(layer(fluid.dygraph.to_variable(np.ones((1, 2), "float32")))).backward()
        optimizer.minimize(layers.mean(layer(fluid.dygraph.to_variable(np.ones((1, 2), "float32")))))
        step = optimizer.state_dict()["global_step"]
    assert step.name == "global_step" and step.numpy().tolist() == [1] and optimizer._learning_rate is decay


def test_readers_of_1_8_can_be_reset():
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        reader = fluid.io.PyReader([layers.data("x", [2])], capacity=2, iterable=True)
        reader.decorate_batch_generator(lambda: ([np.full((1, 2), k, "float32")] for k in range(4)), places=fluid.CPUPlace())
        for _ in range(2):
            first = next(iter(reader()))
            assert np.array(first[0]["x"]).tolist() == [[0, 0]]
            reader._loader._reset()


def test_messages_of_program_files_under_the_path_of_fluid():
    import paddle.fluid.proto.framework_pb2 as messages
    from paddle.base.proto import framework_pb2
    from paddle.fluid.proto.framework_pb2 import OpDesc
    assert messages.OpDesc is OpDesc is framework_pb2.OpDesc and messages.AttrType is framework_pb2.AttrType


def test_there_is_the_second_engine_of_2_4_alone():
    framework = fluid.framework
    framework._enable_legacy_dygraph()
    assert framework._in_eager_without_dygraph_check() and not framework._in_legacy_dygraph()
    with framework._test_eager_guard(), fluid.dygraph.guard():
        assert (fluid.dygraph.to_variable(np.ones(2, "float32")) + 1).numpy().tolist() == [2, 2]
    framework._disable_legacy_dygraph()


def test_fluid_of_2_5_has_what_2_6_calls_base():
    import paddle.base
    assert fluid.libpaddle is paddle.base.libpaddle
    assert fluid.framework.extract_plain_list is paddle.base.framework.extract_plain_list
    with pytest.raises(AttributeError, match="paddle.fluid.framework"):
        fluid.framework.no_such_name  # noqa: B018
    assert not hasattr(fluid.transpiler, "no_such_name")  # base has no such module


def test_variables_of_blocks_inside_guards_are_tensors():
    block = fluid.default_main_program().global_block()
    block.create_var(name="of_the_program", dtype="float32", shape=[1])
    with fluid.dygraph.guard(), fluid.program_guard(fluid.Program(), fluid.Program()):
        out = fluid.default_main_program().global_block().create_var(dtype="float32")
        tracer = fluid.framework._dygraph_tracer()
        tracer.trace_op("relu", {"X": [fluid.dygraph.to_variable(np.array([-1., 2.], "float32"))]}, {"Out": [out]}, {})
        assert out.numpy().tolist() == [0, 2]
        assert tracer._get_kernel_signature("relu", {"X": [out]}, {}, {}) is not None
        with fluid.framework._static_guard():
            assert isinstance(fluid.default_main_program().global_block().create_var(dtype="float32"), paddle.static.Variable)


def test_attributes_that_do_not_count_for_training():
    from paddle.fluid.op import Operator
    assert "use_addto" in Operator.get_op_extra_attr_names("conv2d") and Operator.get_op_extra_attr_names("equal_all") == []
