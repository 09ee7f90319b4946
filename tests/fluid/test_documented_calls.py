"""Calls that the documentation of 1.4 to 2.0 alpha shows, where Paddle's own sources say what they give."""

import numpy as np
import pytest
from fluid.test_versions import of, run

import paddle
import paddle.fluid as fluid
from paddle.fluid import layers

pytestmark = pytest.mark.usefixtures("programs")
RNG = np.random.RandomState(0)


@of("1.8", "2.0-alpha")
def test_a_fed_value_may_lack_the_last_dimensions(version):
    x = fluid.data("x", [None, 4, 3])
    assert run([x * 2], {"x": np.ones([2, 4], "float32")})[0].shape == (2, 4)
    for shape in ([2, 3], [2, 4, 3, 1], []):
        with pytest.raises(ValueError, match="has shape"):
            run([x * 2], {"x": np.ones(shape, "float32")})


@of("1.8", "2.4")
def test_sequences_have_any_number_of_rows(version):
    x = fluid.data("x", [1, 2], "float32", lod_level=1)
    place = fluid.CPUPlace()
    assert run([layers.sequence_pool(x, "sum")],
               {"x": fluid.create_lod_tensor(np.ones([3, 2], "float32"), [[2, 1]], place)})[0].tolist() == [[2, 2], [1, 1]]
    with pytest.raises(ValueError, match="has shape"):
        run([layers.sequence_pool(x, "sum")], {"x": fluid.create_lod_tensor(np.ones([3, 1], "float32"), [[2, 1]], place)})


def test_a_tensor_without_a_shape_takes_that_of_what_is_written():
    scale = layers.create_tensor("float32")
    layers.assign(np.array([[0.4, 0], [0, 0.5]], "float32"), scale)
    assert scale.shape == (2, 2)
    entropy = layers.MultivariateNormalDiag(layers.assign(np.array([0.3, 0.5], "float32")), scale).entropy()
    assert float(run([entropy])[0]) == pytest.approx(0.5 * np.log((2 * np.pi * np.e) ** 2 * 0.2), rel=1e-5)


def test_topk_by_a_fed_number():
    x, k = fluid.data("x", [None, 5]), fluid.data("k", [None, 1], "int32")
    values, _ = layers.topk(x, k=k)
    assert values.shape == (-1, -1)
    data = RNG.rand(3, 5).astype("float32")
    np.testing.assert_array_equal(run([values], {"x": data, "k": np.array([[2]], "int32")})[0], -np.sort(-data)[:, :2])


@of("1.5", "1.8")
def test_sign_of_an_array(version):
    assert run([layers.sign(np.array([3.0, 0.0, -2.0], "float32"))])[0].tolist() == [1, 0, -1]


@of("1.5", "1.8")
def test_data_without_lod_level_may_be_sequences(version):
    x = layers.data("x", [2])
    summed = layers.sequence_pool(x, "sum")
    rows = np.arange(6, dtype="float32").reshape(3, 2)
    fed = {"x": fluid.create_lod_tensor(rows, [[2, 1]], fluid.CPUPlace())}
    assert run([summed], fed)[0].tolist() == [[2, 4], [4, 5]]
    with pytest.raises(ValueError, match="sequence lengths"):
        run([summed], {"x": rows})


def test_sentences_of_arrays_that_nothing_was_written_into():
    ids, scores = layers.beam_search_decode(layers.create_array("int64"), layers.create_array("float32"), 5, 0)
    assert ids.lod_level == scores.lod_level == 2
    with pytest.raises(ValueError, match="empty"):
        run([ids], return_numpy=False)


@of("1.8")
def test_loaders_of_datasets_give_batches_by_name(version):
    x = fluid.data("x", [None, 2])
    data = [(np.full([2], n, "float32"),) for n in range(4)]
    batches = list(paddle.io.DataLoader(data, feed_list=[x], places=fluid.cpu_places(1), batch_size=2)())
    assert [float(run([layers.mean(x)], batch)[0]) for batch in batches] == [0.5, 2.5]
    with fluid.dygraph.guard():
        batch, = next(iter(paddle.io.DataLoader(data, batch_size=2)))
        assert batch.shape == [2, 2]


def test_pooling_of_sizes_that_only_running_tells():
    x = fluid.data("x", [-1, 3, -1, -1])
    data = RNG.rand(2, 3, 4, 5).astype("float32")
    mean, largest = (layers.pool2d(x, pool_type=kind, global_pooling=True) for kind in ("avg", "max"))
    assert mean.shape == (-1, 3, 1, 1)
    found = run([mean, largest], {"x": data})
    np.testing.assert_allclose(found[0], data.mean((2, 3), keepdims=True), rtol=1e-6)
    np.testing.assert_array_equal(found[1], data.max((2, 3), keepdims=True))
    declared = layers.data("picture", [3, 8, 8])  # what is fed may have another size
    np.testing.assert_allclose(run([layers.pool2d(declared, pool_type="avg", global_pooling=True)], {"picture": data})[0], found[0])
    volume = fluid.data("volume", [-1, 3, 2, -1, -1])
    pooled = layers.pool3d(volume, pool_type="avg", global_pooling=True)
    np.testing.assert_allclose(run([pooled], {"volume": data[:, :, None].repeat(2, 2)})[0][:, :, 0], found[0], rtol=1e-6)


@of("1.5", "1.8", "2.4")
def test_unique_values_come_in_the_order_of_their_first_positions(version):
    x = layers.assign(np.array([2, 3, 3, 1, 5, 3], "int32"))
    found = run([*layers.unique(x), *layers.unique_with_counts(x)])
    assert [part.tolist() for part in found] == [[2, 3, 1, 5], [0, 1, 1, 2, 3, 1], [2, 3, 1, 5], [0, 1, 1, 2, 3, 1], [1, 3, 1, 1]]
    assert found[1].dtype == "int32"


@of("1.8", "2.4")
def test_a_learning_rate_set_by_a_tensor(version):
    with fluid.dygraph.guard():
        rate = layers.create_global_var([1], 0.75, "float32")
        adam = fluid.optimizer.Adam(0.1, parameter_list=fluid.dygraph.Linear(2, 2).parameters())
        adam.set_lr(rate)
        assert rate.numpy().tolist() == [0.75] and adam.current_step_lr() == 0.75


def test_functions_converted_while_a_program_is_built():
    from paddle.jit.dy2static import convert_call

    def towards_zero(x):
        if paddle.mean(x) < 0:
            return x + 1
        return x - 1
    paddle.enable_static()
    try:
        x = fluid.data("x", [None])
        y = convert_call(towards_zero)(x)
        assert [run([y], {"x": np.full([2], v, "float32")})[0].tolist() for v in (3, -3)] == [[2, 2], [-2, -2]]
    finally:
        paddle.disable_static()
    assert convert_call(towards_zero) is towards_zero


def test_sums_of_click_through_models_over_batches():
    predicted, label = fluid.data("predicted", [None, 1]), fluid.data("label", [None, 1])
    bundle = fluid.contrib.layers.ctr_metric_bundle(predicted, label)
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fluid.default_startup_program())
    p, y = RNG.rand(6, 1).astype("float32"), np.array([[0], [1], [1], [0], [1], [0]], "float32")
    for part in (slice(0, 4), slice(4, 6)):
        found = exe.run(feed={"predicted": p[part], "label": y[part]}, fetch_list=list(bundle))
    wanted = [((p - y) ** 2).sum(), np.abs(p - y).sum(), p.sum(), (1 / (1 + np.exp(-p))).sum(), 3, 6]
    np.testing.assert_allclose([float(v) for v in found], wanted, rtol=1e-5)
    with pytest.raises(ValueError, match="label must have the shape"):
        fluid.contrib.layers.ctr_metric_bundle(predicted, layers.reshape(label, [-1]))


def test_an_optimizer_for_all_parameters_of_a_program():
    x = fluid.data("x", [None, 3])
    loss = layers.mean(layers.fc(x, 2, param_attr=fluid.ParamAttr("weight")))
    paddle.enable_static()
    try:
        _, pairs = fluid.backward.gradients_with_optimizer(loss.block.program, paddle.optimizer.SGD(0.5))
    finally:
        paddle.disable_static()
    assert {tuple(parameter.shape) for parameter, _ in pairs} == {(3, 2), (2,)}
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fluid.default_startup_program())
    before = np.array(fluid.global_scope().find_var("weight").get_tensor())
    after, = exe.run(feed={"x": np.ones([1, 3], "float32")}, fetch_list=["weight"])
    np.testing.assert_allclose(after, before - 0.25, atol=1e-6)


@of("2.0-alpha")
def test_random_integers_with_a_seed_of_their_own(version):
    with fluid.dygraph.guard():
        for draw in (lambda seed: paddle.randperm(20, dtype="int32", seed=seed),
                     lambda seed: paddle.randint(0, 99, [20], seed=seed)):
            first, again, other = (draw(seed).numpy().tolist() for seed in (3, 3, 4))
            assert first == again != other
        assert sorted(paddle.randperm(5, dtype="int32", seed=1).numpy()) == [0, 1, 2, 3, 4]


@of("1.8")
def test_a_program_that_does_not_train_may_leave_places_without_a_batch(version, monkeypatch):
    monkeypatch.setenv("CPU_NUM", "2")
    x = fluid.data("x", [None])
    squares, found = x * x, {}
    for drop_last in (True, False):
        loader = fluid.io.DataLoader.from_generator(feed_list=[x], capacity=8, drop_last=drop_last)
        loader.set_batch_generator(lambda: iter([(np.full([1], n, "float32"),) for n in (1, 2, 3)]), fluid.cpu_places())
        program = fluid.CompiledProgram(fluid.default_main_program()).with_data_parallel()
        exe = fluid.Executor(fluid.CPUPlace())
        found[drop_last] = [float(v) for batch in loader() for v in exe.run(program, feed=batch, fetch_list=[squares])[0]]
    assert found == {True: [1, 4], False: [1, 4, 9]}
    with pytest.raises(ValueError, match="list of 2 dicts"):
        exe.run(program, feed=[], fetch_list=[squares])


@of("1.8", "2.0", "2.4")
def test_arrays_of_one_element_convert_to_numbers(version):
    fetched = run([layers.mean(fluid.data("x", [None, 2]))], {"x": np.ones([3, 2], "float32")})[0]
    assert fetched.shape == (1,) and float(fetched) == 1 and f"{fetched[0]:.1f}" == "1.0" and "%.1f" % fetched == "1.0"  # noqa: UP031
    with fluid.dygraph.guard():
        value = layers.mean(fluid.dygraph.to_variable(np.ones([2], "float32"))).numpy()
        assert value.shape == (1,) and "%d %.2f" % (value, value) == "1 1.00"  # noqa: UP031


@of("2.0", "2.4")
def test_single_elements_of_programs_have_an_axis_to_index(version):
    paddle.enable_static()
    try:
        x = fluid.data("x", [None, 2])
        score = paddle.static.accuracy(x, fluid.data("label", [None, 1], "int64"))
        found = run([score[0], paddle.mean(x)[0]], {"x": np.eye(2, dtype="float32"), "label": np.array([[0], [0]])})
        assert [(part.shape, float(part)) for part in found] == [((1,), 0.5), ((1,), 0.5)]
    finally:
        paddle.disable_static()
