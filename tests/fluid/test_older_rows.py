"""Behaviour of 1.4 to 2.0 alpha that users see, version by version, where no other file has it."""

import numpy as np
import pytest
from fluid.versions import exe, rules_of

import paddle.fluid as fluid
from paddle.core import rules
from paddle.core.context import process

L = fluid.layers
D = fluid.dygraph


pytestmark = pytest.mark.usefixtures("own_names")


@rules_of("1.4", "1.5", "1.6", "1.7", "1.8")
def test_the_declared_type_of_a_label_binds_nobody(version):
    logits, label = L.data("logits", [3]), L.data("label", [1], dtype="float32")
    loss = L.softmax_with_cross_entropy(logits, label)
    array = np.array([[1.0, 2, 3], [3, 2, 1]], "float32")
    found = exe().run(feed={"logits": array, "label": np.array([[2], [1]])}, fetch_list=[loss])[0]
    expected = -np.log(np.exp(array) / np.exp(array).sum(1, keepdims=True))[[0, 1], [2, 1]]
    np.testing.assert_allclose(found.ravel(), expected, rtol=1e-6)


@rules_of("1.6", "1.7", "1.8")
def test_states_of_optimizers_are_variables_that_go_in_again(version):
    def made():
        net = D.Linear(2, 1)
        more = {} if version == "1.6" else {"parameter_list": net.parameters()}
        return net, fluid.optimizer.Adam(D.NaturalExpDecay(0.1, 10, 0.5), **more)

    with D.guard():
        net, adam = made()
        L.reduce_mean(net(D.to_variable(np.ones([1, 2], "float32")))).backward()
        adam.minimize(L.reduce_mean(net(D.to_variable(np.ones([1, 2], "float32")))))
        state = adam.state_dict()
        assert all(value.numpy() is not None and isinstance(value.name, str) for value in state.values())
        assert state["global_step"].numpy().dtype == np.int32
        arrays = {name: value.numpy() for name, value in state.items()}
        adam.set_dict(arrays)
        assert {name: value.numpy().tolist() for name, value in adam.state_dict().items()} == {
            name: value.tolist() for name, value in arrays.items()}


@rules_of("1.4", "1.8")
def test_an_unknown_batch_size_is_found_when_the_program_runs(version):
    x = L.data("x", [3])
    like = L.fill_constant_batch_size_like(x, [-1, 2], "float32", 7.0)
    noise = L.uniform_random_batch_size_like(x, [-1, 4])
    assert like.shape == (-1, 2) and noise.shape == (-1, 4)
    shapes = [v.shape for v in exe().run(feed={"x": np.ones([5, 3], "float32")}, fetch_list=[like, noise])]
    assert shapes == [(5, 2), (5, 4)]


@rules_of("1.4", "1.5", "1.8")
def test_lengths_travel_through_operators_that_keep_rows(version):
    x = L.data("x", [2], lod_level=1)
    y = L.dropout(L.elementwise_add(L.fc(L.expand(x, [1, 2]), 3), L.fc(x, 3)), 0.0)
    pooled = L.sequence_pool(L.reshape(L.relu(y), [-1, 3]), "sum")
    fed = fluid.create_lod_tensor(np.ones([5, 2], "float32"), [[2, 3]], fluid.CPUPlace())
    exe().run(fluid.default_startup_program())
    out, total = exe().run(feed={"x": fed}, fetch_list=[y, pooled], return_numpy=False)
    assert out.recursive_sequence_lengths() == [[2, 3]] and total.shape() == [2, 3]


@rules_of("1.4", "1.5", "1.6", "1.7", "1.8")
def test_gradients_of_intermediates_have_names(version):
    x = L.data("x", [2])
    hidden = L.fc(x, 3, bias_attr=False, param_attr=fluid.initializer.Constant(1.0))
    loss = L.mean(L.square(hidden))
    pairs = fluid.backward.append_backward(loss, parameter_list=[hidden.name])
    assert [p.name for p, _ in pairs] == [hidden.name] and pairs[0][1].name == hidden.name + "@GRAD"
    block = fluid.default_main_program().global_block()
    assert block.var(hidden.name + "@GRAD").shape == hidden.shape
    exe().run(fluid.default_startup_program())
    value, gradient = exe().run(feed={"x": np.ones([1, 2], "float32")}, fetch_list=[hidden, hidden.name + "@GRAD"])
    np.testing.assert_allclose(gradient, 2 * value / 3, rtol=1e-6)


@rules_of("1.7", "1.8", "2.0-alpha")
def test_gradients_of_sparse_tables_are_pairs_of_values_and_rows(version):
    """One pair for each id, an id that occurs twice twice."""
    with D.guard():
        table = D.Embedding([5, 2], is_sparse=True)
        L.reduce_sum(table(D.to_variable(np.array([[3], [1], [3]])))).backward()
        values, rows = table.weight.gradient()
        assert rows.tolist() == [3, 1, 3] and values.tolist() == [[1, 1]] * 3


@rules_of("1.6", "1.7", "1.8")
def test_shapes_may_hold_variables(version):
    x = fluid.data("x", [None, 6])
    rows = L.slice(L.shape(x), axes=[0], starts=[0], ends=[1])
    halves = L.reshape(x, [rows, 2, 3])
    full = L.fill_constant([rows, 4], "float32", 2.0)
    tiled = L.expand(L.reshape(x, [1, -1]), [rows, 1])
    shapes = [v.shape for v in exe().run(feed={"x": np.ones([3, 6], "float32")}, fetch_list=[halves, full, tiled])]
    assert shapes == [(3, 2, 3), (3, 4), (3, 18)]


@rules_of("1.4", "1.5", "1.8")
def test_a_number_as_index_keeps_the_axis_in_1_4_alone(version):
    w = L.data("w", [4, 3, 2], append_batch_size=False)
    parts, array = [w[1], w[-1], w[:, 2], w[0, 1, 1]], np.arange(24, dtype="float32").reshape(4, 3, 2)
    expected = [array[1], array[-1], array[:, 2], array[0, 1, 1].reshape(1)]
    if version == "1.4":
        expected = [array[1:2], array[-1:], array[:, 2:3], array[:1, 1:2, 1:2]]
    found = exe().run(feed={"w": array}, fetch_list=parts)
    assert [v.tolist() for v in found] == [v.tolist() for v in expected]
    assert [p.shape for p in parts] == [v.shape for v in expected]
    with fluid.dygraph.guard():  # 1.4's dynamic tensors are the same class, with the same method
        x = fluid.dygraph.to_variable(array)
        parts = [x[1], x[-1], x[:, 2], x[0, 1, 1]]
        assert [p.numpy().tolist() for p in parts] == [v.tolist() for v in expected]
        assert [list(p.shape) for p in x] == [list(expected[0].shape)] * 4
        x.stop_gradient = False
        L.reduce_sum(x[:, 2] * x[:, 2]).backward()
        assert x.gradient().tolist() == (2 * array * (np.arange(3) == 2)[:, None]).tolist()
        with pytest.raises(IndexError, match="4"):
            x[4]


@rules_of("1.5", "1.8", "2.6")
def test_flags_that_are_private(version):
    for name in ("FLAGS_free_idle_chunk", *(["FLAGS_use_mkldnn"] if version < "2" else [])):
        with pytest.raises(ValueError, match=name):
            fluid.set_flags({name: True})
        with pytest.raises(ValueError, match=name):
            fluid.get_flags(name)


@rules_of("1.5", "1.8")
def test_a_compiled_program_stays_in_its_scope(version):
    x = L.data("x", [2])
    mean = L.mean(L.fc(x, 1))
    compiled, feed = fluid.CompiledProgram(fluid.default_main_program()), {"x": np.ones([1, 2], "float32")}
    parallel = fluid.CompiledProgram(fluid.default_main_program()).with_data_parallel(share_vars_from=compiled)
    exe().run(fluid.default_startup_program())
    exe().run(compiled, feed, [mean])
    exe().run(compiled, feed, [mean])
    with pytest.raises(ValueError, match="another scope"):
        exe().run(compiled, feed, [mean], scope=fluid.Scope())
    with pytest.raises(ValueError, match="share_vars_from"):  # a program that is not data-parallel
        exe().run(parallel, feed, [mean])


@rules_of("1.4", "1.5", "1.8")
def test_a_layer_norm_without_parameters_lacks_their_former_names(version):
    with D.guard():
        norm = D.LayerNorm("norm", scale=False, shift=False) if version < "1.7" else D.LayerNorm([3], scale=False, shift=False)
        norm(D.to_variable(np.ones([2, 3], "float32")))
        assert hasattr(norm, "_scale_w") == hasattr(norm, "_bias_w") == (version == "1.4")  # where any attribute is None


@rules_of("1.4", "1.8", "2.6")
def test_the_order_of_a_startup_program(version):
    program = fluid.Program()
    program.random_seed = 123
    for name, kind, seed in (("a", "float32", 0), ("b", "float16", 456)):
        program.global_block().create_parameter(name=name, dtype=kind, shape=[2], initializer=fluid.initializer.Uniform(seed=seed))
    found = [(op.type, op.output_arg_names[0]) for op in program.global_block().ops]
    if version == "2.6":
        assert [found[0], found[-1]] == [("uniform_random", "a"), ("cast", "b")]
    else:
        assert found[1:] == [("cast", "b"), ("uniform_random", "a")]
    assert [op.attr("seed") for op in program.global_block().ops if op.type != "cast"] == (
        [123, 456] if version == "2.6" else [456, 123])


@rules_of("1.6", "1.7")
def test_a_mask_is_there_in_a_traced_layer(version):
    class Masked(D.Layer):
        def forward(self, pair, factor):
            x, mask = pair
            if mask:  # asks only whether there is one
                x = x + mask
            return x * factor

    with D.guard():
        pair = [D.to_variable(np.ones([2, 2], "float32")), D.to_variable(np.zeros([2, 2], "float32") - 3)]
        factor = D.to_variable(np.ones([1], "float32") * 5)
        out, traced = D.TracedLayer.trace(Masked("masked") if version == "1.6" else Masked(), [pair, factor])
        assert out.numpy().tolist() == traced([*pair, factor])[0].tolist() == [[-10, -10]] * 2
        assert not any(op.type == "conditional_block" for op in traced.program.global_block().ops)


@rules_of("1.4", "1.5", "1.8")
def test_the_targets_of_an_inference_model_are_scaled_by_one(version, tmp_path):
    x = L.data("x", [2])
    out = L.fc(x, 1)
    count = len(fluid.default_main_program().global_block().ops)
    exe().run(fluid.default_startup_program())
    expected = exe().run(feed={"x": np.ones([3, 2], "float32")}, fetch_list=[out])[0]
    names = fluid.io.save_inference_model(str(tmp_path), ["x"], [out], exe())
    assert names == ["save_infer_model/scale_0" + (".tmp_0" if version == "1.8" else "")]
    assert len(fluid.default_main_program().global_block().ops) == count
    program, feeds, (target,) = fluid.io.load_inference_model(str(tmp_path), exe())
    assert (feeds, target.name) == (["x"], names[0]) and "scale" in str(target)
    assert np.array_equal(exe().run(program, {"x": np.ones([3, 2], "float32")}, [target])[0], expected)


@rules_of("1.5", "1.8")
def test_private_flags_are_read_through_globals(version):
    flags = fluid.core.globals()
    assert "FLAGS_use_mkldnn" in flags and flags["FLAGS_use_mkldnn"] is False and flags.get("FLAGS_none", 3) == 3
    with pytest.raises(ValueError, match="private"):
        flags["FLAGS_use_mkldnn"] = True


@rules_of("1.4", "1.7", "1.8", "2.0-alpha")
def test_names_given_to_functions(version):
    x, y = L.data("x", [4]), L.data("y", [4])
    exact = version < "1.8"
    found = [(L.elementwise_add(x, y, name="sum"), exact), (L.scale(x, 2.0, name="double"), exact),
             (L.clip(x, 0.0, 1.0, name="cut"), True), (L.mean(x, name="average"), exact),
             (L.reshape(x, [-1], name="flat"), False), (L.softmax(x, name="share"), False), (L.reduce_sum(x, name="total"), False),
             (L.concat([x, y], 1, name="both"), False), (L.fc(x, 2, name="layer"), False)]
    for (var, whole), name in zip(found, "sum double cut average flat share total both layer".split()):
        assert var.name == name if whole else var.name.startswith(name + ".tmp_")
    feed = {"x": np.ones([1, 4], "float32"), "y": np.ones([1, 4], "float32")}
    exe().run(fluid.default_startup_program())
    assert exe().run(feed=feed, fetch_list=["cut", found[0][0].name])[1].tolist() == [[2] * 4]


@rules_of("1.5", "1.8")
def test_the_seed_of_the_main_program_seeds_dynamic_parameters(version):
    with D.guard():
        fluid.default_main_program().random_seed = 1
        first, second = (L.create_parameter([3, 2], "float32").numpy() for _ in range(2))
        assert np.array_equal(first, second)


@rules_of("1.5", "1.8")
def test_decay_is_added_to_gradients(version):
    x, own = L.data("x", [2]), fluid.ParamAttr("p", regularizer=fluid.regularizer.L1Decay(0.5))
    p = L.create_parameter([2, 2], "float32", attr=own)
    q = L.create_parameter([2, 2], "float32", attr=fluid.ParamAttr("q"))
    pairs = fluid.backward.append_backward(L.mean(L.mul(L.mul(x, p), q)))
    decayed = fluid.optimizer.append_regularization_ops(pairs, fluid.regularizer.L2Decay(0.25))
    exe().run(fluid.default_startup_program())
    found = exe().run(feed={"x": np.ones([1, 2], "float32")}, fetch_list=[v for pair in [*pairs, *decayed] for v in pair])
    values = {pair[0].name: (found[2 * k], found[2 * k + 1], found[2 * k + 5]) for k, pair in enumerate(pairs)}
    np.testing.assert_allclose(values["p"][2], values["p"][1] + 0.5 * np.sign(values["p"][0]), rtol=1e-6)
    np.testing.assert_allclose(values["q"][2], values["q"][1] + 0.25 * values["q"][0], rtol=1e-6)


def test_places_and_memory_of_old_tensors():
    place = fluid.core.Place()
    place.set_place(fluid.CPUPlace())
    tensor = fluid.core.Scope().var("t").get_tensor()
    tensor.set(np.ones([2], "float64"), place)
    assert tensor._mutable_data(place, fluid.core.VarDesc.VarType.FP32) and np.array(tensor).dtype == np.float32
    with D.guard():
        assert D.base._print_debug_msg([1, 2], is_test=True)[1] == 2


@rules_of("1.4", "1.8", "2.0-alpha")
def test_numbers_out_of_results_count_in_double_precision(version):
    third = exe().run(feed={"x": np.ones([1, 1], "float32")}, fetch_list=[L.scale(L.data("x", [1]), 1 / 3)])[0][0][0]
    assert isinstance(third, np.float32) and third.dtype == np.float32
    exact = float(np.float32(1 / 3))
    assert 1 / 3 - third == 1 / 3 - exact and third * 3 == exact * 3 and 2 ** third == 2 ** exact
    assert third != 1 / 3 and third == np.float32(1 / 3) and third < 0.33333335 and hash(third) == hash(np.float32(1 / 3))
    assert (third + np.float32(1)).dtype == np.float32 and (third * np.ones(2, "float32")).dtype == np.float32
    assert f"{third:.4f}" == "0.3333" and str(third) == "0.33333334"


@rules_of("1.5", "1.8")
def test_what_starts_from_another_parameter_comes_behind_it(version):
    out = L.fc(L.data("x", [3]), 2, param_attr=fluid.WeightNormParamAttr(dim=None), bias_attr=False)
    exe().run(fluid.default_startup_program())
    names = [p.name for p in fluid.default_main_program().global_block().all_parameters()]
    g, v = sorted((np.array(fluid.global_scope().find_var(n).get_tensor()) for n in names), key=np.size)
    np.testing.assert_allclose(g.ravel(), [np.sqrt((v * v).sum())], rtol=1e-6)
    assert exe().run(feed={"x": np.ones([1, 3], "float32")}, fetch_list=[out])[0].shape == (1, 2)


@rules_of("1.8", "2.0-alpha")
def test_a_translated_program_as_a_layer(version):
    from paddle.fluid.dygraph.dygraph_to_static.partial_program import partial_program_from

    class Net(D.Layer):
        def __init__(self):
            super().__init__()
            self.linear = D.Linear(3, 2)

        @D.declarative
        def forward(self, x):
            return L.mean(self.linear(x))

    with D.guard():
        net, x = Net(), D.to_variable(np.ones([2, 3], "float32"))
        out = net(x)
        _, (concrete, _) = D.ProgramTranslator().get_program_cache().last()
        layer = partial_program_from(concrete)
        again = layer([x])
        assert np.array_equal(again.numpy(), out.numpy()) and len(layer.parameters()) == 2
        again.backward()
        np.testing.assert_allclose(net.linear.weight.gradient(), np.full([3, 2], 0.5), rtol=1e-6)
        concrete.parameters = [*concrete.parameters[:1], "bias"]
        with pytest.raises(TypeError, match=r"parameters\[1\]"):
            partial_program_from(concrete)
        concrete.parameters = concrete.parameters[:1]
        with pytest.raises(ValueError, match="not among parameters"):
            partial_program_from(concrete)


@rules_of("1.5", "1.8")
def test_a_persistable_array_of_tensors_is_empty_at_first(version):
    array, x = L.create_array("float32"), L.data("x", [2])
    for k in range(3):
        L.array_write(L.scale(x, float(k)), L.fill_constant([1], "int64", k), array)
    out = L.tensor_array_to_tensor(array, axis=1)[0]
    array.persistable, scope = True, fluid.Scope()
    for _ in range(2):
        found = exe().run(feed={"x": np.ones([1, 2], "float32")}, fetch_list=[out], scope=scope)[0]
        assert found.tolist() == [[0, 0, 1, 1, 2, 2]]
        assert [np.array(t).tolist() for t in scope.find_var(array.name).get_lod_tensor_array()] == [[[k, k]] for k in range(3)]


def test_the_gradient_of_a_joined_array_by_description():
    block, scope = fluid.default_main_program().global_block(), fluid.Scope()
    kind = fluid.core.VarDesc.VarType.LOD_TENSOR_ARRAY
    array = block.create_var(name="array", type=kind, persistable=True)
    outs = {slot: block.create_var(name=slot, persistable=True) for slot in ("Out", "OutIndex")}
    block.create_var(name="Out@GRAD", dtype="float32", shape=[3], persistable=True)
    op = block.append_op("tensor_array_to_tensor", {"X": array}, outs, {"axis": 0})
    block.create_var(name="array@GRAD", type=kind, persistable=True)
    (grad,), of = fluid.core.get_grad_op_desc(op.desc, set(), [])
    block.desc.append_op().copy_from(grad)
    assert of == {"array@GRAD": "array", "Out@GRAD": "Out"}
    for rows in ([1.0, 2.0], [3.0]):
        scope.var("array").get_lod_tensor_array().append(fluid.LoDTensor(np.array(rows, "float32")))
    scope.var("Out@GRAD").get_tensor().set(np.array([4, 5, 6], "float32"), fluid.CPUPlace())
    out, sizes = exe().run(fetch_list=["Out", "OutIndex"], scope=scope)
    assert (out.tolist(), sizes.tolist()) == ([1, 2, 3], [2, 1])
    assert [np.array(t).tolist() for t in scope.var("array@GRAD").get_lod_tensor_array()] == [[4, 5], [6]]


@rules_of("1.5", "1.6", "1.7", "1.8")
def test_persistable_of_dynamic_tensors(version):
    with D.guard():
        x = D.to_variable(np.ones([1], "float32"))
        if version < "1.7":
            with pytest.warns(UserWarning, match="persistable"):
                x.persistable = True
        else:
            x.persistable = True
        assert x.persistable == (version >= "1.7") and L.create_parameter([1], "float32").persistable


@rules_of("1.7", "1.8", "2.0-alpha")
def test_names_of_what_to_variable_makes(version):
    with D.guard():
        assert D.to_variable(np.ones([1], "float32"), "x").name == "x"
        x = D.to_variable(np.ones([1], "complex64"), "x")
        assert x.name == ("x" if version == "1.7" else {"real": "x.real", "imag": "x.imag"})
        x.name = "y"
        assert x.name == ("y" if version == "1.7" else {"real": "y.real", "imag": "y.imag"})


@rules_of("1.7", "1.8")
def test_a_value_goes_to_and_comes_from_the_variable_that_a_mask_numbers(version):
    control = fluid.layers.control_flow
    x, mask = L.data("x", [2]), L.data("mask", [1], dtype="int32")
    x.stop_gradient = False
    outs = [fluid.default_main_program().current_block().create_var(dtype="float32") for _ in range(3)]
    control.select_output(x, outs, mask)
    y = control.select_input(outs, mask)
    fluid.backward.append_backward(L.mean(y))
    values = np.array([[1.5, -2.0]], "float32")
    for number in range(3):
        got, grad = exe().run(feed={"x": values, "mask": np.array([number], "int32")}, fetch_list=[y, x.name + "@GRAD"])
        np.testing.assert_array_equal(got, values)
        np.testing.assert_array_equal(grad, [[0.5, 0.5]])


def test_what_a_mask_may_choose_among():
    control, x = fluid.layers.control_flow, L.data("x", [2])
    mask, wrong = L.data("mask", [1], dtype="int32"), L.data("wrong", [1])
    for call in (lambda: control.select_input(1, mask), lambda: control.select_input([x], 1),
                 lambda: control.select_input([x], wrong), lambda: control.select_output(1, [x], mask),
                 lambda: control.select_output(x, [x], wrong)):
        with pytest.raises(TypeError, match=r"select_(in|out)put\(\): (inputs|input|mask) must be"):
            call()


@rules_of("1.5")
def test_two_optimizers_of_one_class_are_saved_apart(version, tmp_path):
    def made():
        return [fluid.optimizer.SGD(D.NoamDecay(512, 8000)), fluid.optimizer.SGD(D.NaturalExpDecay(0.1, 10, 0.5))]

    with D.guard():
        net, saved = D.Linear(2, 1), made()
        for _ in range(3):
            loss = L.reduce_mean(net(D.to_variable(np.ones([1, 2], "float32"))))
            loss.backward()
            for optimizer in saved:
                optimizer.minimize(loss)
        D.save_persistables(net.state_dict(), str(tmp_path), saved)
    with D.guard():
        _, states = D.load_persistables(str(tmp_path))
        loaded = made()
        for optimizer in loaded:
            optimizer.load(states)
        assert [vars(o._learning_rate) for o in loaded] == [vars(o._learning_rate) for o in saved]
        assert [o._learning_rate.step_num for o in loaded] == [4, 3]


@pytest.mark.parametrize("found, shape", [(rules.V1_7, [2, 3]), (None, [2, 1, 3])])
def test_what_the_source_has_told_is_not_overruled_by_a_call(monkeypatch, found, shape):
    class Net(fluid.Layer):
        def build_once(self, x):  # 1.4 called this; programs of 1.7 still define it
            self.built = True

        def forward(self, x):
            return x[:, 1]

    monkeypatch.setattr(process, "found", found)
    with fluid.dygraph.guard():
        assert Net("net" if found is None else None)(fluid.dygraph.to_variable(np.ones((2, 4, 3), "float32"))).shape == shape
