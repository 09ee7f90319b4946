"""More of what 1.4 to 2.0 alpha did, version by version: gradients by call and by name, feeders, seeds, truth of comparisons."""

import math

import numpy as np
import pytest
from fluid.versions import exe, rules_of

import paddle
import paddle.fluid as fluid
from paddle.fluid.op import Operator

L = fluid.layers
D = fluid.dygraph
OLDER = ("1.4", "1.5", "1.6", "1.7", "1.8", "2.0-alpha")

pytestmark = pytest.mark.usefixtures("own_names")


@rules_of(*OLDER)
def test_a_fetched_loss_is_a_number_to_mathematics(version):
    loss = L.mean(L.data("x", [2]))
    found, = exe().run(feed={"x": np.full([3, 2], np.nan, "float32")}, fetch_list=[loss])
    assert math.isnan(found)


@rules_of("1.4", "1.5", "1.6", "1.7", "1.8")
def test_comparisons_of_static_variables_are_true(version):
    a, b = L.data("a", [1]), L.data("b", [1])
    assert a in [b] and (a == b)


@rules_of("2.0-alpha")
def test_labels_of_alpha_are_what_is_fed(version):
    logits, label = L.data("logits", [3]), L.data("label", [1], dtype="float32")
    loss = L.softmax_with_cross_entropy(logits, label)
    array = np.array([[1.0, 2, 3]], "float32")
    found, = exe().run(feed={"logits": array, "label": np.array([[2]])}, fetch_list=[loss])
    np.testing.assert_allclose(found, [[np.log(np.exp(array).sum()) - 3]], rtol=1e-6)


@rules_of("2.0-alpha")
def test_decays_of_alpha_give_tensors(version):
    with D.guard():
        rate = D.PiecewiseDecay([1], [0.5, 0.25], 0)()
        assert rate.shape == [1] and float(rate) == 0.5


@rules_of(*OLDER)
def test_the_seed_of_a_program_is_not_that_of_uniform_random(version):
    fluid.default_main_program().random_seed = fluid.default_startup_program().random_seed = 5
    two = [L.uniform_random([4, 8]) for _ in range(2)]
    fixed = [L.uniform_random([4, 8], seed=3) for _ in range(2)]
    a, b, c, d = exe().run(fetch_list=[*two, *fixed])
    assert (a != b).any() and (c == d).all()


@rules_of("1.8", "2.0-alpha")
def test_grad_leaves_out_what_it_is_told_to(version):
    grad = D.grad if version == "1.8" else paddle.imperative.grad
    with D.guard():
        x = D.to_variable(np.array([3.0], "float32"))
        x.stop_gradient = False
        half = x * x
        y = half * x
        strategy = D.BackwardStrategy()
        whole, = grad([y], [x], retain_graph=True, backward_strategy=strategy)
        part, = grad(outputs=[y], inputs=[x], no_grad_vars=[half], retain_graph=True)
        assert whole.numpy().tolist() == [27.0] and part.numpy().tolist() == [9.0]


@rules_of("1.7", "1.8", "2.0-alpha")
def test_cleared_gradients_of_sparse_tables(version):
    with D.guard():
        table = D.Embedding([5, 2], is_sparse=True)
        L.reduce_sum(table(D.to_variable(np.array([[3], [1]])))).backward()
        assert isinstance(table.weight.gradient(), tuple)
        table.clear_gradients()
        left = table.weight.gradient()
        assert left is None if version != "1.7" else not np.any(left[0] if isinstance(left, tuple) else left)


@rules_of(*OLDER)
def test_feeders_give_lod_tensors_at_every_level(version):
    flat, words = L.data("flat", [2]), L.data("words", [1], dtype="int64", lod_level=1)
    fed = fluid.DataFeeder([flat, words], fluid.CPUPlace()).feed([([1.0, 2], [4, 5]), ([3.0, 4], [6])])
    assert set(fed) == {"flat", "words"} and all(isinstance(value, fluid.LoDTensor) for value in fed.values())
    assert fed["flat"].shape() == [2, 2] and fed["words"].recursive_sequence_lengths() == [[2, 1]]
    assert np.array(fed["words"]).ravel().tolist() == [4, 5, 6]


@rules_of("1.7", "1.8", "2.0-alpha")
@pytest.mark.parametrize("chosen", [True, False])
def test_gradients_through_branches_have_names(version, chosen):
    x = L.data("x", [2])
    x.stop_gradient = False
    before = L.scale(x, 2.0)
    out = L.cond(L.fill_constant([1], "bool", chosen), lambda: L.scale(L.square(before), 3.0), lambda: L.scale(before, 5.0))
    fluid.backward.append_backward(L.reduce_sum(L.scale(out, 0.5)))
    values = np.array([[1.0, -2.0]], "float32")
    names = [out.name + "@GRAD", before.name + "@GRAD", "x@GRAD"]
    assert all(fluid.default_main_program().global_block().var(name).shape == (-1, 2) for name in names)
    of_out, of_before, of_x = exe().run(feed={"x": values}, fetch_list=names)
    expected = 6 * values if chosen else np.full([1, 2], 2.5)
    np.testing.assert_allclose(of_out, [[0.5, 0.5]])
    np.testing.assert_allclose(of_before, expected)
    np.testing.assert_allclose(of_x, 2 * expected)


@rules_of(*OLDER)
def test_gradients_through_loops_have_names(version):
    x = L.data("x", [2])
    x.stop_gradient = False
    i, end = L.fill_constant([1], "int64", 0), L.fill_constant([1], "int64", 3)
    i.stop_gradient = end.stop_gradient = True
    array = L.array_write(x, i)
    condition = L.less_than(i, end)
    loop = L.While(condition)
    with loop.block():
        value = L.scale(L.array_read(array, i), 2.0)
        L.increment(i, 1, in_place=True)
        L.array_write(value, i, array=array)
        L.less_than(i, end, cond=condition)
    loss = L.reduce_sum(L.array_read(array, end))
    fluid.backward.append_backward(loss)
    assert fluid.default_main_program().global_block().var("x@GRAD").shape == (-1, 2)
    found, = exe().run(feed={"x": np.ones([1, 2], "float32")}, fetch_list=["x@GRAD"])
    assert found.tolist() == [[8.0, 8.0]]


@rules_of("1.7", "1.8")
def test_rows_of_a_scope_run_through_single_operators(version):
    scope, values = fluid.core.Scope(), np.arange(10, dtype="float32").reshape(5, 2)
    rows = scope.var("X").get_selected_rows()
    rows.set_rows([0, 5, 5, 4, 19])
    rows.set_height(20)
    rows.get_tensor().set(values, fluid.CPUPlace())
    out = scope.var("Out").get_tensor()
    Operator("get_tensor_from_selected_rows", X="X", Out="Out").run(scope, fluid.CPUPlace())
    np.testing.assert_array_equal(np.array(out), values)


@rules_of("1.8")
def test_what_is_no_rows_has_no_tensor_of_rows(version):
    for given in (L.data("x", [3]), np.ones([2, 3], "float32")):
        with pytest.raises(TypeError, match=r"get_tensor_from_selected_rows\(\): x must be"):
            L.get_tensor_from_selected_rows(given)


def test_loaders_keep_their_order():
    keep = fluid.reader.keep_data_loader_order
    assert keep() is True and keep(False) is False and keep() is False and keep(True) is True
    with pytest.raises(TypeError, match="keep must be bool"):
        keep(1)


@rules_of("1.4", "1.5")
def test_readers_of_programs_are_batched_and_shuffled(version):
    reader = L.py_reader(8, [[-1, 2], [-1, 1]], ["float32", "int64"], lod_levels=[0, 1])
    assert L.shuffle(reader, 100) is reader and L.batch(reader, 3) is reader
    x, words = L.read_file(reader)
    pooled = L.sequence_pool(L.cast(words, "float32"), "sum")

    def samples():
        for k in range(1, 11):
            yield [(np.full([2], k, "float32"), list(range(k)))]
    reader.decorate_paddle_reader(samples)
    for _ in range(2):
        reader.start()
        seen = []
        with pytest.raises(fluid.core.EOFException):
            while True:
                a, b = exe().run(fetch_list=[x, pooled])
                assert a.shape == (3, 2) and b.ravel().tolist() == [sum(range(int(k))) for k in a[:, 0]]
                seen += a[:, 0].tolist()
        reader.reset()
        assert len(seen) == 9 == len(set(seen)) and set(seen) <= set(range(1, 11))  # one is left over
    for call in (lambda: L.batch(reader, 0), lambda: L.shuffle(reader, -1)):
        with pytest.raises(ValueError, match="must be positive"):
            call()


# ---- names and internals that tests of 1.x reach for -------------------------------------------------------------------------
@rules_of("1.4", "1.5", "1.6")
def test_a_dynamic_variable_is_its_own_inside(version):
    with D.guard():
        x = D.to_variable(np.array([2.0], "float32"))
        x.stop_gradient = False
        y = x * x
        y.backward()
        assert x._ivar._grad_value() is not None and np.asarray(x._grad_ivar().numpy()).tolist() == [4.0]
        assert D.to_variable(np.ones([1], "float32"))._grad_ivar() is None


@rules_of("1.7", "1.8", "2.0-alpha")
def test_the_gradient_variable_of_a_tensor(version):
    with D.guard():
        x = D.to_variable(np.array([2.0], "float32"))
        x.stop_gradient = False
        (x * x).backward()
        assert x._grad_ivar().numpy().tolist() == [4.0]


@rules_of("1.5", "1.8")
def test_the_tracer_knows_whether_it_trains(version):
    with D.guard():
        tracer = fluid.framework._dygraph_tracer()
        assert tracer._train_mode is True
        tracer.eval_mode()
        assert tracer._train_mode is False and not (layer := D.Linear(2, 2))(D.to_variable(np.ones([1, 2], "float32"))).grad_fn
        tracer.train_mode()
        tracer._clear_ops()
        assert tracer._train_mode is True and tracer.all_parameters() == [layer.weight, layer.bias]
    assert fluid.framework._dygraph_tracer() is None


@rules_of("2.0-alpha")
def test_complex_functions_of_alpha(version):
    with D.guard():
        a = D.to_variable(np.array([[1 + 2j, 3]], "complex64"))
        b = D.to_variable(np.array([[1j], [2]], "complex64"))
        np.testing.assert_allclose(paddle.incubate.complex.matmul(a, b).numpy(), [[(1 + 2j) * 1j + 6]])
        np.testing.assert_allclose(paddle.incubate.complex.elementwise_add(a, a).numpy(), [[2 + 4j, 6]])


@rules_of("1.4", "1.8")
def test_hashes_of_words(version):
    words = L.data("words", [2], dtype="int64", lod_level=1)
    hashed = L.hash(words, 100, num_hash=3)
    feed = fluid.create_lod_tensor(np.array([[1, 2], [3, 4], [1, 2]]), [[3]], fluid.CPUPlace())
    found, = exe().run(feed={"words": feed}, fetch_list=[hashed], return_numpy=False)
    values = np.array(found)
    assert values.shape == (3, 3, 1) and (values >= 0).all() and (values < 100).all()
    assert (values[0] == values[2]).all() and (values[0] != values[1]).any()


# keywords of the releases' own signatures that 2.x has no more, by tag: 1.4.1, 1.5.2, 1.6.3, 1.7.2 and 1.8.5
def _rows(name, values):
    return L.assign(np.asarray(values, name))


ROWS = np.arange(6, dtype="float32").reshape(2, 3)
KEYWORDS = {
    "less_than": (lambda x: L.less_than(x, x + 1.0, force_cpu=True), np.ones([2, 3], bool)),
    "less_than by place": (lambda x: L.less_than(x, x + 1.0, None, x < x), np.ones([2, 3], bool)),
    "gather_nd": (lambda x: L.gather_nd(input=x, index=_rows("int64", [[1, 2]])), ROWS[1:, 2]),
    "scatter_nd_add": (lambda x: L.scatter_nd_add(ref=x, index=_rows("int64", [[1], [1]]), updates=x),
                       ROWS + [[0, 0, 0], ROWS.sum(0)]),
    "sum": (lambda x: L.sum(x=[x, x]), 2 * ROWS),
    "tril": (lambda x: L.tril(input=x, diagonal=-1), np.tril(ROWS, -1)),
    "kron": (lambda x: L.kron(x, x, out=None), np.kron(ROWS, ROWS)),
    "trace": (lambda x: L.trace(x, offset=1, dim1=0, dim2=1), [np.trace(ROWS, 1)]),
    "arange": (lambda x: L.arange(0, 6, 2), np.array([0, 2, 4], "float32")),
    "interpolate": (lambda x: L.interpolate(L.reshape(x, [1, 1, 2, 3]), out_shape=[4, 6], resample="NEAREST", align_corners=False),
                    np.kron(ROWS, np.ones([2, 2]))[None, None]),
    "dice_loss": (lambda x: L.dice_loss(x / 5.0, _rows("int64", [[0], [2]]), name="loss"),
                  None),
}


@pytest.mark.parametrize("call, want", KEYWORDS.values(), ids=KEYWORDS)
@rules_of("1.6", "1.8")
def test_keywords_of_the_releases(version, call, want):
    with D.guard():
        dynamic = call(D.to_variable(ROWS)).numpy()
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        static, = fluid.Executor().run(fluid.default_main_program(), fetch_list=[call(L.assign(ROWS))])
    np.testing.assert_allclose(static, dynamic, rtol=1e-6)
    if want is not None:
        np.testing.assert_allclose(dynamic, want, rtol=1e-6)


@rules_of("1.4", "1.5")
def test_keywords_that_1_6_dropped(version):
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        image = L.data("image", [3, 4, 4])
        assert L.batch_norm(image, fuse_with_relu=False).shape == (-1, 3, 4, 4)
        with pytest.raises(NotImplementedError, match="fuse_with_relu=True"):
            L.batch_norm(image, fuse_with_relu=True)
        steps, words = L.data("steps", [5], lod_level=1), L.data("words", [1], dtype="int32", lod_level=1)
        for loss in (L.warpctc(steps, words, 0, False, False), L.warpctc(steps, words, use_cudnn=True)):
            assert loss.shape == (-1, 1)
        clip = fluid.clip.GradientClipByValue(0.5)
        attr = fluid.WeightNormParamAttr(None, "weight", None, 1.0, None, True, clip)
        L.fc(L.data("x", [3]), 2, param_attr=attr)
        made = fluid.default_main_program().global_block().all_parameters()
        assert [p.gradient_clip for p in made if p.name.startswith("weight")] == [clip, clip]


@rules_of("1.7", "1.8")
def test_losses_and_clips_by_place(version):
    assert fluid.dygraph_grad_clip.GradClipByGlobalNorm(2.0, "float32").max_global_norm == 2.0
    with D.guard():
        loss = D.nn.NLLLoss(None, "sum", 1)
        logs, labels = D.to_variable(-ROWS), D.to_variable(np.array([1, 2]))
        assert loss(logs, labels).numpy().tolist() == [5.0]


@rules_of("1.7", "1.8")
def test_a_decay_of_a_program_may_step_with_variables(version):
    class Halving(D.LearningRateDecay):
        def step(self):
            return self.create_lr_var(1.0) / (2.0 * (self.step_num + 1))

    with D.guard():
        weight = D.Linear(1, 1, bias_attr=False)
        decay = Halving()
        for optimizer in (fluid.optimizer.SGD, fluid.optimizer.Adam):
            decay.step_num, used = 0, []
            update = optimizer(decay, parameter_list=weight.parameters())
            for _ in range(3):
                before = weight.weight.numpy()
                L.reduce_sum(weight(D.to_variable(np.ones([1, 1], "float32")))).backward()
                update.minimize(L.reduce_sum(weight.weight))
                weight.clear_gradients()
                used.append(float((before - weight.weight.numpy()).reshape(())))
            np.testing.assert_allclose(used, [1 / 2, 1 / 4, 1 / 6], rtol=1e-4)  # Adam too: the gradient is always 1


@rules_of("1.7", "1.8")
def test_a_layer_of_a_program_makes_a_weight_per_input(version):
    class Sum(D.Layer):
        def build(self, inputs, attrs):
            return [self.create_parameter(attr=attr, shape=[x.shape[1], 2], dtype=self._helper.input_dtype(inputs))
                    for x, attr in self._helper.iter_inputs_and_params(inputs, attrs)]

    with D.guard():
        layer, inputs = Sum(), [D.to_variable(np.ones([1, n], "float32")) for n in (2, 3)]
        weights = layer.build(inputs, fluid.ParamAttr(initializer=fluid.initializer.Constant(2.0)))
        assert [w.shape for w in weights] == [[2, 2], [3, 2]] and len({w.name for w in weights}) == 2
        assert [w.name for w in layer.build(inputs, [fluid.ParamAttr("first"), fluid.ParamAttr("second")])] == ["first", "second"]
        with pytest.raises(ValueError, match="3 param_attr for 2 inputs"):
            layer.build(inputs, [None] * 3)
        with pytest.raises(ValueError, match="one dtype, got float32, int64"):
            layer._helper.input_dtype([inputs[0], D.to_variable(np.ones([1], "int64"))])
    from paddle.fluid.dygraph.layer_object_helper import LayerObjectHelper
    assert isinstance(layer._helper, LayerObjectHelper)
