"""Programs on several places: each runs its share of a batch, gradients are averaged, fetched values stand one behind the other."""

import gc
import weakref

import numpy as np
import pytest

import paddle
import paddle.fluid as fluid

L = fluid.layers
TWO = [fluid.CPUPlace(), fluid.CPUPlace()]


@pytest.fixture(autouse=True)
def fresh_program():
    with fluid.program_guard(fluid.Program(), fluid.Program()), fluid.scope_guard(fluid.Scope()), fluid.unique_name.guard():
        yield


def on_places(count, loss=None, **how):
    return fluid.CompiledProgram(fluid.default_main_program()).with_data_parallel(
        loss_name=None if loss is None else loss.name, places=[fluid.CPUPlace()] * count, **how)


def exe():
    return fluid.Executor(fluid.CPUPlace())


def regression(batch_norm=False):
    x, y = L.data("x", [3]), L.data("y", [1])
    hidden = L.fc(x, 4, act="tanh", param_attr=fluid.initializer.Uniform(seed=3))
    if batch_norm:
        hidden = L.batch_norm(hidden, moving_mean_name="mean")
    return L.mean(L.square_error_cost(L.fc(hidden, 1, param_attr=fluid.initializer.Uniform(seed=4)), y))


def batches(rows, steps=3):
    rng = np.random.RandomState(0)
    return [{"x": rng.randn(rows, 3).astype("float32"), "y": rng.randn(rows, 1).astype("float32")} for _ in range(steps)]


def trained(places, optimizer, rows=6):
    """(losses, parameters) of three steps on so many places, each time from the same start."""
    with fluid.program_guard(fluid.Program(), fluid.Program()), fluid.scope_guard(fluid.Scope()), fluid.unique_name.guard():
        loss = regression()
        optimizer(L.exponential_decay(0.1, 1, 0.5), regularization=fluid.regularizer.L2Decay(0.1),
                  grad_clip=fluid.clip.GradientClipByGlobalNorm(1.0)).minimize(loss)
        exe().run(fluid.default_startup_program())
        program = fluid.default_main_program() if places == 1 else on_places(places, loss)
        losses = [exe().run(program, feed, [loss])[0] for feed in batches(rows)]
        names = [p.name for p in fluid.default_main_program().all_parameters()] + ["@LR_DECAY_COUNTER@"]
        return losses, [np.array(fluid.global_scope().find_var(n).get_tensor()) for n in names]


@pytest.mark.parametrize("optimizer", [fluid.optimizer.SGD, fluid.optimizer.Adam])
def test_training_on_places_is_training_on_the_whole_batch(optimizer):
    alone, expected = trained(1, optimizer)
    for places in (2, 3):
        losses, found = trained(places, optimizer)
        for one, several in zip(alone, losses):
            assert several.shape == (places,)
            np.testing.assert_allclose(several.mean(), one, rtol=1e-5)
        for a, b in zip(found, expected):
            np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-6)


def test_gradients_of_several_places_are_their_mean_or_their_sum():
    loss = regression()
    (w, g), *_ = fluid.backward.append_backward(loss)
    fluid.optimizer.SGD(0.0).apply_gradients([(w, g)])
    exe().run(fluid.default_startup_program())
    feed = batches(4, 1)[0]
    whole, = exe().run(feed=feed, fetch_list=[g])
    mean = exe().run(on_places(2, loss), feed, [g.name], return_merged=False)[0]
    strategy = fluid.BuildStrategy()
    strategy.gradient_scale_strategy = fluid.BuildStrategy.GradientScaleStrategy.One
    total = exe().run(on_places(2, loss, build_strategy=strategy), feed, [g.name], return_merged=False)[0]
    assert len(mean) == len(total) == 2
    for one, two in zip(mean, total):
        np.testing.assert_allclose(one, whole, rtol=1e-5, atol=1e-7)
        np.testing.assert_allclose(two, whole * 2, rtol=1e-5, atol=1e-7)


def test_the_loss_of_each_place_has_the_gradient_of_its_share():
    loss = regression()
    fluid.optimizer.SGD(0.1).minimize(loss)
    exe().run(fluid.default_startup_program())
    assert exe().run(on_places(2, loss), batches(4, 1)[0], [loss.name + "@GRAD"])[0].tolist() == [0.5, 0.5]


def test_statistics_belong_to_places_and_the_scope_has_those_of_the_first():
    loss = regression(batch_norm=True)
    test = fluid.default_main_program().clone(for_test=True)
    fluid.optimizer.SGD(0.0).minimize(loss)
    exe().run(fluid.default_startup_program())
    feed = batches(4, 1)[0]
    train = on_places(2, loss)
    statistics = exe().run(train, feed, ["mean"], return_merged=False)[0]
    stored = np.array(fluid.global_scope().find_var("mean").get_tensor())
    np.testing.assert_array_equal(statistics[0], stored)
    assert not np.allclose(statistics[0], statistics[1])
    again = exe().run(train, feed, ["mean"], return_merged=False)[0]
    np.testing.assert_allclose(again[1], statistics[1] * 1.9, rtol=1e-4)  # its own went on: momentum 0.9
    sharing = fluid.CompiledProgram(test).with_data_parallel(places=TWO, share_vars_from=train)
    seen = exe().run(sharing, feed, ["mean"], return_merged=False)[0]
    np.testing.assert_array_equal(seen[1], again[1])
    alone = fluid.CompiledProgram(test).with_data_parallel(places=TWO)
    seen = exe().run(alone, feed, ["mean"], return_merged=False)[0]
    np.testing.assert_array_equal(seen[1], again[0])


def test_a_list_has_a_feed_for_each_place():
    x, words = L.data("x", [2]), L.data("words", [1], dtype="int64", lod_level=1)
    parts = [{"x": np.full([n, 2], n, "float32"), "words": fluid.create_lod_tensor(np.arange(n)[:, None], [[n]], fluid.CPUPlace())}
             for n in (1, 2)]
    got = exe().run(on_places(2), feed=parts, fetch_list=[x, L.sequence_pool(words, "sum"), words], return_numpy=False)
    assert np.array(got[0]).tolist() == [[1, 1], [2, 2], [2, 2]] and np.array(got[1]).ravel().tolist() == [0, 1]
    assert got[2].recursive_sequence_lengths() == [[1, 2]]


def test_sequences_are_divided_by_whole_ones():
    words = L.data("words", [1], dtype="int64", lod_level=1)
    sums = L.sequence_pool(words, "sum")
    fed = fluid.create_lod_tensor(np.arange(6)[:, None], [[1, 3, 2]], fluid.CPUPlace())
    each = exe().run(on_places(2), {"words": fed}, [words, sums], return_numpy=False, return_merged=False)
    assert [t.recursive_sequence_lengths() for t in each[0]] == [[[1]], [[3, 2]]]
    assert [np.array(t).ravel().tolist() for t in each[1]] == [[0], [6, 9]]


def test_what_is_left_over_goes_to_the_last_place():
    x = L.data("x", [1])
    shapes = exe().run(on_places(3), {"x": np.zeros([8, 1], "float32")}, [x], return_merged=False)[0]
    assert [s.shape for s in shapes] == [(2, 1), (2, 1), (4, 1)]


def test_every_place_takes_a_batch_of_a_loader():
    x = L.data("x", [1])
    y = L.scale(x, 2.0)
    loader = fluid.io.DataLoader.from_generator([x], capacity=2, iterable=True)
    loader.set_batch_generator(lambda: iter([[np.full([1, 1], k, "float32")] for k in range(5)]), places=TWO)
    program = on_places(2)
    assert [exe().run(program, feed, [y])[0].ravel().tolist() for feed in loader()] == [[0, 2], [4, 6]]
    started = fluid.io.DataLoader.from_generator([x], capacity=2, iterable=False)
    started.set_batch_generator(lambda: iter([[np.full([1, 1], k, "float32")] for k in range(4)]))
    started.start()
    program = on_places(2)
    assert [exe().run(program, fetch_list=[y])[0].ravel().tolist() for _ in range(2)] == [[0, 2], [4, 6]]
    with pytest.raises(fluid.core.EOFException):
        exe().run(program, fetch_list=[y])


def test_cpu_num_says_how_many_places(monkeypatch):
    monkeypatch.setenv("CPU_NUM", "2")
    assert len(fluid.cpu_places()) == len(paddle.static.cpu_places()) == 2 and len(fluid.cpu_places(3)) == 3
    x = L.data("x", [1])
    feed = {"x": np.ones([4, 1], "float32")}
    parallel = fluid.ParallelExecutor(use_cuda=False)
    assert parallel.device_count == 2 and parallel.run([L.mean(x).name], feed)[0].tolist() == [1, 1]
    feeder = fluid.DataFeeder([x], fluid.CPUPlace())
    samples = [[(np.full([1], k, "float32"),)] for k in range(5)]
    reader = feeder.decorate_reader(lambda: iter(samples), multi_devices=True)
    assert [[int(np.array(f["x"]).item()) for f in feeds] for feeds in reader()] == [[0, 1], [2, 3]]
    with pytest.raises(ValueError, match="1 batches left"):
        list(feeder.decorate_reader(lambda: iter(samples), multi_devices=True, drop_last=False)())
    with pytest.raises(ValueError, match="2 places need as many batches, got 5"):
        list(feeder.feed_parallel(samples))
    monkeypatch.setenv("CPU_NUM", "many")
    with pytest.raises(ValueError, match="CPU_NUM must be a positive number, got 'many'"):
        fluid.cpu_places()


def test_places_rest_where_a_program_that_does_not_train_has_too_few_samples():
    x, y = L.data("x", [2]), L.data("y", [1])
    feed = {"x": np.ones([2, 2], "float32"), "y": np.ones([2, 1], "float32")}
    assert [v.shape for v in exe().run(on_places(3), feed, [x], return_merged=False)[0]] == [(1, 2), (1, 2)]
    assert exe().run(on_places(3), [feed], [y])[0].shape == (2, 1)
    x.persistable = True  # divided only where it has a row for each place
    feed["x"] = np.ones([1, 2], "float32")
    assert [v.shape for v in exe().run(on_places(2), feed, [L.scale(x), y], return_merged=False)[0]] == [(1, 2), (1, 2)]


def test_fed_values_that_do_not_fit_the_places_are_refused():
    x = L.data("x", [2])
    loss = L.mean(L.fc(x, 1))
    fluid.optimizer.SGD(0.1).minimize(loss)
    exe().run(fluid.default_startup_program())
    feed = {"x": np.ones([1, 2], "float32")}
    with pytest.raises(ValueError, match="'x' has 1 sample for 2 places"):
        exe().run(on_places(2, loss), feed, [x])
    with pytest.raises(ValueError, match="runs on 2 places.*list of 2 dicts"):
        exe().run(on_places(2, loss), [feed], [x])
    with pytest.raises(ValueError, match="runs on one place, feed is a list for 2"):
        exe().run(feed=[feed, feed], fetch_list=[x])
    with pytest.raises(TypeError, match="feed must be a dict"):
        exe().run(on_places(2), 3, [x])


def test_values_of_several_shapes_are_given_one_by_one():
    x = fluid.data("x", [None, None])
    parts = [{"x": np.zeros([1, n], "float32")} for n in (1, 2)]
    with pytest.raises(ValueError, match="return_merged=False"):
        exe().run(on_places(2), parts, [x])
    assert [v.shape for v in exe().run(on_places(2), parts, [x], return_merged=False)[0]] == [(1, 1), (1, 2)]


def test_a_scope_that_is_used_no_more_goes_with_what_its_places_had():
    loss = regression(batch_norm=True)
    program, scope = on_places(2), fluid.Scope()
    with fluid.scope_guard(scope):
        exe().run(fluid.default_startup_program())
        exe().run(program, batches(4, 1)[0], [loss])
    gone = weakref.ref(scope)
    del scope
    gc.collect()
    assert gone() is None


@pytest.mark.parametrize("drop_last, rows", [(False, [8, 8, 4]), (True, [8, 8])])
def test_last_batches_of_a_loader(drop_last, rows):
    """Five batches for two places: the last one is alone, and runs if the loader says so."""
    x = fluid.data("x", [None, 1])
    loader = fluid.io.DataLoader.from_generator([x], capacity=4, iterable=False, drop_last=drop_last)
    loader.set_batch_generator(lambda: ([np.full((4, 1), k, "float32")] for k in range(5)))
    doubled, compiled, run = x * 2, on_places(2), exe()
    assert compiled._is_data_parallel and len(compiled._places) == 2
    for _ in range(2):
        loader.start()
        got = []
        with pytest.raises(fluid.core.EOFException):
            while True:
                got.append(run.run(compiled, fetch_list=[doubled])[0])
        loader.reset()
        assert [len(one) for one in got] == rows
        np.testing.assert_array_equal(np.concatenate(got)[:, 0], np.repeat(2.0 * np.arange(5), 4)[:sum(rows)])
