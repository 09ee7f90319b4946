"""fluid.layers: distributions of 1.x, and makers of tensors that came with 1.8."""

import numpy as np
import pytest

import paddle
import paddle.fluid as fluid
from paddle.fluid import layers

LOGITS, OTHER_LOGITS = np.array([[0.5, -1.0, 2.0], [0.0, 0.3, -0.2]], "float32"), np.array([[1.0, 1.0, 0.0]], "float32")


def run(fetch, feed=None):
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fluid.default_startup_program())
    return exe.run(feed=feed or {}, fetch_list=fetch)


def log_softmax(x):
    x = x.astype("float64")
    return x - np.log(np.exp(x).sum(-1, keepdims=True))


def test_normal(programs):
    loc, scale = layers.data("loc", [3]), layers.data("scale", [3])
    one, other = layers.Normal(loc, scale), layers.Normal(0.5, [1.0, 2.0, 3.0])
    feed = {"loc": np.array([[0.0, 1.0, 2.0]], "float32"), "scale": np.array([[1.0, 0.5, 2.0]], "float32")}
    drawn, entropy, density, divergence = run(
        [one.sample([4]), one.entropy(), one.log_prob(loc), one.kl_divergence(other)], feed)
    mean, deviation, wide = feed["loc"].astype("float64"), feed["scale"].astype("float64"), np.array([1.0, 2.0, 3.0])
    assert drawn.shape == (4, 1, 3)
    np.testing.assert_allclose(entropy, 0.5 + 0.5 * np.log(2 * np.pi) + np.log(deviation), rtol=1e-6)
    np.testing.assert_allclose(density, -0.5 * np.log(2 * np.pi) - np.log(deviation), rtol=1e-6)
    np.testing.assert_allclose(divergence, np.log(wide / deviation) + (deviation ** 2 + (mean - 0.5) ** 2) / (2 * wide ** 2) - 0.5,
                               rtol=1e-5)


def test_shapes_and_ranges_of_draws(programs):
    drawn = run([layers.Uniform(2.0, 3.0).sample([500]), layers.Uniform([0.0, 10.0], 20.0).sample([300]),
                 layers.Normal(5.0, 0.1).sample([400, 2]), layers.Normal([0.0], [1.0]).sample([2])])
    assert [d.shape for d in drawn] == [(500,), (300, 2), (400, 2), (2, 1)]
    assert 2.0 <= drawn[0].min() < 2.1 and 2.9 < drawn[0].max() < 3.0
    assert drawn[1][:, 0].min() < 2 and 10.0 <= drawn[1][:, 1].min() < 11
    assert abs(drawn[2].mean() - 5.0) < 0.02 and abs(drawn[2].std() - 0.1) < 0.02


def test_uniform(programs):
    value = layers.assign(np.array([0.8, 2.5], "float32"))
    entropy, density = run([layers.Uniform([0.0], [2.0]).entropy(), layers.Uniform([0.0], [2.0]).log_prob(value)])
    assert entropy.tolist() == [np.float32(np.log(2.0))] and density.tolist() == [-np.float32(np.log(2.0)), -np.inf]


def test_categorical_keeps_the_last_axis(programs):
    one, other = layers.Categorical(LOGITS), layers.Categorical(OTHER_LOGITS)
    entropy, divergence = run([one.entropy(), one.kl_divergence(other)])
    own, its = log_softmax(LOGITS), log_softmax(OTHER_LOGITS)
    np.testing.assert_allclose(entropy, -(np.exp(own) * own).sum(-1, keepdims=True), rtol=1e-6)
    np.testing.assert_allclose(divergence, (np.exp(own) * (own - its)).sum(-1, keepdims=True), rtol=1e-5)


def test_diagonal_normal_as_1_8_documents_it():
    with fluid.dygraph.guard():
        one = layers.MultivariateNormalDiag([0.3, 0.5], [[0.4, 0.0], [0.0, 0.5]])
        other = layers.MultivariateNormalDiag(np.array([0.2, 0.4], "float32"), np.array([[0.3, 0], [0, 0.4]], "float32"))
        np.testing.assert_allclose(one.entropy().numpy(), [2.033158], rtol=1e-6)
        np.testing.assert_allclose(other.entropy().numpy(), [1.7777451], rtol=1e-6)
        np.testing.assert_allclose(one.kl_divergence(other).numpy(), [0.06542051], rtol=1e-5)


def test_what_distributions_refuse(programs):
    x = layers.data("x", [2])
    for call in (lambda: layers.Normal(1, 1.0), lambda: layers.Categorical(1.0), lambda: layers.Uniform(0.0, 1.0).log_prob([1.0]),
                 lambda: layers.Normal(0.0, 1.0).sample(2), lambda: layers.Normal(0.0, 1.0).sample([2], 1.0),
                 lambda: layers.Normal(0.0, 1.0).kl_divergence(layers.Uniform(0.0, 1.0))):
        with pytest.raises(TypeError):
            call()
    with pytest.raises(ValueError, match="loc and scale"):
        layers.Normal(x, 1.0)
    with pytest.raises(ValueError, match="square"):
        layers.MultivariateNormalDiag([1.0], [1.0])


def test_full_randint_and_randperm(programs):
    size, out = layers.fill_constant([1], "int32", 3), layers.create_tensor("float32")
    layers.full([2], 1.5, out=out)
    sizes = layers.assign(np.array([2, 2], "int32"))
    found = run([layers.full([size, 2], 7, dtype="int64"), layers.full(sizes, True, dtype="bool"), out,
                 layers.randint(-5, 5, [size, 100], dtype="int32"), layers.randint(10), layers.randint(0, 9, [20], seed=3),
                 layers.randint(0, 9, [20], seed=3), layers.randperm(6, dtype="int32"), layers.randperm(50, seed=2),
                 layers.randperm(50, seed=2)])
    assert found[0].tolist() == [[7, 7]] * 3 and found[1].tolist() == [[True, True]] * 2 and found[2].tolist() == [1.5, 1.5]
    assert found[3].shape == (3, 100) and found[3].dtype == np.int32 and set(found[3].ravel()) == set(range(-5, 5))
    assert found[4].shape == (1,) and found[5].tolist() == found[6].tolist() and sorted(found[7]) == list(range(6))
    assert found[8].tolist() == found[9].tolist() != list(range(50)) and found[7].dtype == np.int32


@pytest.mark.parametrize("call", [
    lambda: layers.full(1, 1.0), lambda: layers.full([1], 1.0, dtype="int8"), lambda: layers.full([1], 1.0, out=3),
    lambda: layers.randint(5, shape=[2], dtype="float32"), lambda: layers.randint(5, 2), lambda: layers.randperm(0),
    lambda: layers.randperm(3, dtype="float32"), lambda: layers.randperm(3, device="tpu"),
    lambda: layers.randperm(3, stop_gradient=1)])
def test_what_makers_refuse(programs, call):
    with pytest.raises((TypeError, ValueError)):
        call()


def test_numbers_that_are_variables(programs):
    x = layers.data("x", [4])
    k = layers.data("k", [1], append_batch_size=False, dtype="int32")
    factor = layers.data("f", [1], append_batch_size=False, dtype="float64")
    x.stop_gradient = False
    values, positions = layers.topk(x, k=k)
    scaled = [layers.scale(x, factor, bias=1.0), layers.scale(x, factor, bias=1.0, bias_after_scale=False)]
    gradient, = fluid.gradients(layers.reduce_sum(scaled[1]), [x])
    feed = {"x": np.array([[3.0, 1.0, 4.0, 2.0]], "float32"), "k": np.array([2], "int32"), "f": np.array([2.0])}
    found = run([values, positions, *scaled, gradient], feed)
    assert [f.tolist() for f in found] == [[[4.0, 3.0]], [[2, 0]], [[7.0, 3.0, 9.0, 5.0]], [[8.0, 4.0, 10.0, 6.0]], [[2.0] * 4]]
    with pytest.raises(ValueError, match="one element"):
        paddle.scale(x, layers.assign(np.ones(2, "float32")))


def test_dropouts_of_traced_functions_take_the_seed_of_the_program():
    with fluid.dygraph.guard():
        before = fluid.default_main_program().random_seed
        fluid.default_main_program().random_seed = 7
        try:
            x = fluid.dygraph.to_variable(np.ones([64], "float32"))
            traced = fluid.dygraph.declarative(lambda v: layers.dropout(v, 0.5))
            assert traced(x).numpy().tolist() == layers.dropout(x, 0.5).numpy().tolist() == traced(x).numpy().tolist()
        finally:
            fluid.default_main_program().random_seed = before


def test_seeds_of_programs_made_later(programs, monkeypatch):
    from paddle.core.context import process
    monkeypatch.setattr(process, "program_seed", 0)
    program = fluid.Program()
    program.global_seed(5)  # as 2.6.2: later programs have it, those that exist do not
    assert (program.random_seed, fluid.Program().random_seed, program.clone().random_seed) == (5, 5, 5)
    assert fluid.default_main_program().random_seed == 0
    before = paddle.get_rng_state()
    try:
        paddle.manual_seed(102)
        first = paddle.randint(0, 1000, [4]).tolist()
        paddle.seed(102)
        assert paddle.randint(0, 1000, [4]).tolist() == first
    finally:
        paddle.set_rng_state(before)
    made = (fluid.Program(), fluid.default_main_program(), fluid.default_startup_program())
    assert [p.random_seed for p in made] == [102] * 3 and paddle.framework.manual_seed is paddle.manual_seed
