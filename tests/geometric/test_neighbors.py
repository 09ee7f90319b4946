"""Sampling, which recordings can't compare: what is drawn, how often, and that a seed repeats it."""

import numpy as np
import pytest

import paddle
from paddle import geometric

ROW = paddle.to_tensor([1, 2, 3, 4, 0, 2])
COLPTR = paddle.to_tensor([0, 4, 6, 6, 6, 6])
NODES = paddle.to_tensor([1, 0, 2])


def test_a_sample_is_part_of_the_neighbors():
    for seed in range(20):
        paddle.seed(seed)
        found, count, ids = geometric.sample_neighbors(ROW, COLPTR, NODES, 2, paddle.arange(10, 16), True)
        assert count.tolist() == [2, 2, 0] and count.dtype == paddle.int32
        assert set(found.tolist()[:2]) == {0, 2} and set(found.tolist()[2:]) <= {1, 2, 3, 4}
        assert len(set(ids.tolist())) == 4
        np.testing.assert_array_equal(ROW.numpy()[ids.numpy() - 10], found.numpy())


def test_a_seed_repeats_the_sample():
    def draw():
        paddle.seed(7)
        return [geometric.sample_neighbors(ROW, COLPTR, NODES, 1)[0].tolist() for _ in range(5)]
    assert draw() == draw() and len({tuple(found) for found in draw()}) > 1


def test_all_neighbors_are_as_likely():
    paddle.seed(0)
    nodes = paddle.zeros([4000], "int64")
    found, _ = geometric.sample_neighbors(ROW, COLPTR, nodes, 1)
    assert np.abs(np.bincount(found.numpy(), minlength=5)[1:] / 4000 - 0.25).max() < 0.03


def test_weights_are_probabilities():
    paddle.seed(0)
    weight = paddle.to_tensor([1.0, 2.0, 0.0, 1.0, 1.0, 1.0])
    found, _ = geometric.weighted_sample_neighbors(ROW, COLPTR, weight, paddle.zeros([4000], "int64"), 1)
    share = np.bincount(found.numpy(), minlength=5)[1:] / 4000
    assert np.abs(share - [0.25, 0.5, 0, 0.25]).max() < 0.03 and share[2] == 0


def test_buffers_of_gpus_are_left_as_they_are():
    buffer = paddle.full([9], -1, "int32")
    plain, found = [geometric.reindex_graph(NODES, NODES[:0], paddle.zeros([3], "int32"), *buffers)
                    for buffers in ((), (buffer, buffer))]
    assert [part.tolist() for part in found] == [part.tolist() for part in plain]
    assert buffer.tolist() == [-1] * 9
    with pytest.raises(TypeError, match=r"sample_neighbors\(\): perm_buffer"):
        geometric.sample_neighbors(ROW, COLPTR, NODES, perm_buffer=3)
    with pytest.raises(ValueError, match="flag_buffer_hashtable"):
        paddle.incubate.graph_reindex(NODES, NODES[:0], paddle.zeros([3], "int32"), flag_buffer_hashtable=True)


def test_khop_stops_where_nothing_is_left():
    src, dst, nodes, first = paddle.incubate.graph_khop_sampler(ROW, COLPTR, paddle.to_tensor([4]), [2, 2, 2])
    assert (src.shape, dst.shape, nodes.tolist(), first.tolist()) == ([0, 1], [0, 1], [4], [0])


def test_gradients_reach_the_nodes():
    layer = paddle.nn.Linear(3, 2)
    x = paddle.rand([5, 3])
    hidden = geometric.send_u_recv(layer(x), ROW, paddle.to_tensor([0, 0, 0, 0, 1, 1]), "mean")
    hidden.sum().backward()
    expected = (x.numpy()[[1, 2, 3, 4]].mean(0) + x.numpy()[[0, 2]].mean(0))[:, None].repeat(2, 1)
    np.testing.assert_allclose(layer.weight.grad.numpy(), expected, rtol=1e-5)


def test_means_of_integers_are_integers():  # cut off, as 2.6.2 has them
    x = paddle.to_tensor([[-1, 2, 3], [1, -4, 5], [2, 6, -6]], dtype="int32")
    source, target = paddle.to_tensor([0, 1, 2, 0, 1]), paddle.to_tensor([1, 2, 1, 0, 1])
    found = geometric.send_u_recv(x, source, target, "mean")
    assert found.dtype == paddle.int32 and found.tolist() == [[-1, 2, 3], [0, 1, 0], [1, -4, 5]]
    assert geometric.segment_mean(x, paddle.to_tensor([0, 0, 1])).tolist() == [[0, -1, 4], [2, 6, -6]]
