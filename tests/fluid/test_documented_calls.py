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
