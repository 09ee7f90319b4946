import random

import numpy as np
import pytest

import paddle
from paddle import io
from paddle.core.random import default_generator

X = np.arange(40, dtype="float32").reshape(10, 4)
Y = np.arange(10)


class Pairs(io.Dataset):
    def __getitem__(self, index):
        return X[index], Y[index]

    def __len__(self):
        return len(X)


class Dice(io.Dataset):
    """Samples out of every stream that dataset code may use."""

    def __getitem__(self, index):
        return np.array([index, random.random(), np.random.rand(), default_generator().random() % 1000])

    def __len__(self):
        return 11


class Stream(io.IterableDataset):
    def __init__(self, size):
        self.size = size

    def __iter__(self):
        return iter(range(self.size))


def test_batches_are_lists_of_tensors():
    loader = io.DataLoader(Pairs(), batch_size=4)
    batches = list(loader)
    assert len(loader) == len(batches) == 3
    assert [type(batch) for batch in batches] == [list] * 3
    assert [(x.shape, y.shape) for x, y in batches] == [([4, 4], [4]), ([4, 4], [4]), ([2, 4], [2])]
    for tensor in batches[0]:
        assert isinstance(tensor, paddle.Tensor) and tensor.stop_gradient
    np.testing.assert_array_equal(np.concatenate([x.numpy() for x, _ in batches]), X)
    assert [y.numpy().tolist() for _, y in loader()] == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]


def test_drop_last():
    loader = io.DataLoader(Pairs(), batch_size=4, drop_last=True)
    assert len(loader) == len(list(loader)) == 2


def test_shuffle_gives_every_sample_once_in_new_order():
    loader = io.DataLoader(Pairs(), batch_size=3, shuffle=True)
    passes = [[int(i) for _, y in loader for i in y.numpy()] for _ in range(3)]
    assert all(sorted(order) == list(range(10)) for order in passes)
    assert len({tuple(order) for order in passes}) > 1


def test_single_samples():
    samples = list(io.DataLoader(Pairs(), batch_size=None))
    assert len(samples) == len(io.DataLoader(Pairs(), batch_size=None)) == 10
    assert samples[3][0].shape == [4] and samples[3][1] == 3
    order = [sample[1] for sample in io.DataLoader(Pairs(), batch_size=None, shuffle=True)]
    assert sorted(order) == list(range(10))


def test_batch_sampler_decides():
    loader = io.DataLoader(Pairs(), batch_sampler=[[5], [1, 2]])
    assert [y.numpy().tolist() for _, y in loader] == [[5], [1, 2]]
    assert len(loader) == 2
    for batches in (([5, 6], (1, 2)), np.array([[5, 6], [1, 2]])):  # any iterables of numbers
        for data in (Pairs(), io.TensorDataset([X, Y])):
            assert [y.numpy().tolist() for _, y in io.DataLoader(data, batch_sampler=batches)] == [[5, 6], [1, 2]]


def test_samples_with_other_names():
    class Grid(io.Dataset):
        def __getitem__(self, place):
            return place[0] * 10 + place[1]

    loader = io.DataLoader(Grid(), batch_sampler=[[(1, 2), (3, 4)]])
    assert [batch.numpy().tolist() for batch in loader] == [[12, 34]]


def test_collate_fn():
    def collate(samples):
        return np.stack([x for x, _ in samples]), "text", 5

    loader = io.DataLoader(Pairs(), batch_size=2, collate_fn=collate)
    tensor, text, number = next(iter(loader))
    assert tensor.shape == [2, 4] and (text, number) == ("text", 5)


def test_gathered_batches_are_the_same_as_collated_ones():
    class Rows(io.TensorDataset):
        def __getitem__(self, index):  # no longer a plain TensorDataset: samples are taken one by one
            return super().__getitem__(index)

    for fast, slow in zip(io.DataLoader(io.TensorDataset([X, Y]), batch_size=3),
                          io.DataLoader(Rows([X, Y]), batch_size=3)):
        for a, b in zip(fast, slow):
            assert a.numpy().tolist() == b.numpy().tolist() and a.dtype == b.dtype


def test_streams():
    assert [b.numpy().tolist() for b in io.DataLoader(Stream(5), batch_size=2)] == [[0, 1], [2, 3], [4]]
    assert [b.numpy().tolist() for b in io.DataLoader(Stream(5), batch_size=2, drop_last=True)] == [[0, 1], [2, 3]]
    assert list(io.DataLoader(Stream(3), batch_size=None)) == [0, 1, 2]
    with pytest.raises(TypeError, match="no number of batches"):
        len(io.DataLoader(Stream(3)))


def test_stop_iteration_in_a_dataset_is_an_error():
    class Broken(Pairs):
        def __getitem__(self, index):
            raise StopIteration

    with pytest.raises(RuntimeError):
        list(io.DataLoader(Broken()))


def test_errors_of_the_dataset_come_through():
    class Broken(Pairs):
        def __getitem__(self, index):
            raise KeyError("no such file")

    with pytest.raises(KeyError, match="no such file"):
        list(io.DataLoader(Broken()))


def test_seeds_decide_what_a_dataset_draws():
    def epochs(seed):
        paddle.seed(seed)
        np.random.seed(seed)
        random.seed(seed)
        loader = io.DataLoader(Dice(), batch_size=3, shuffle=True)
        return [np.concatenate([batch.numpy() for batch in loader]) for _ in range(2)]

    first, again, other = epochs(1), epochs(1), epochs(2)
    np.testing.assert_array_equal(first, again)
    assert (first[0] != first[1]).any() and (first[0] != other[0]).any()


def test_loading_draws_from_the_programs_streams():
    paddle.seed(1)
    np.random.seed(3)
    values = [float(batch.numpy()[0, 2]) for batch in io.DataLoader(Dice())]
    np.random.seed(3)
    assert values == [np.random.rand() for _ in range(11)]


@pytest.mark.parametrize("options, message", [
    ({"num_workers": -1}, "num_workers must be an integer of at least 0"),
    ({"num_workers": True}, "num_workers"),
    ({"prefetch_factor": 0}, "prefetch_factor must be an integer of at least 1"),
    ({"reader_buffer_size": 0}, "reader_buffer_size must be an integer of at least 1"),
    ({"timeout": -1}, "timeout must be seconds"),
    ({"timeout": float("nan")}, "timeout"),
    ({"batch_size": 0}, "batch_size must be an integer of at least 1"),
    ({"batch_size": 2.5}, "batch_size"),
    ({"collate_fn": 5}, "collate_fn must be callable"),
    ({"worker_init_fn": "f"}, "worker_init_fn must be callable"),
    ({"batch_sampler": [[1]], "batch_size": 2}, "excludes batch_size"),
    ({"batch_sampler": [[1]], "shuffle": True}, "excludes batch_size"),
    ({"places": ["cpu", "cpu"]}, "several places need the static graph"),
    ({"places": "moon"}, "place must be"),
])
def test_wrong_arguments(options, message):
    with pytest.raises((ValueError, TypeError), match=message):
        io.DataLoader(Pairs(), **options)


@pytest.mark.parametrize("options", [{"shuffle": True}, {"batch_sampler": [[1]]}])
def test_streams_have_no_order(options):
    with pytest.raises(ValueError, match="an IterableDataset has none"):
        io.DataLoader(Stream(3), **options)


class Variable:
    def __init__(self, name):
        self.name = name


def test_static_graph_forms(monkeypatch):
    monkeypatch.setattr("paddle.io.reader.in_dynamic_mode", lambda: False)
    feed_list = [Variable("x"), Variable("y")]
    loader = io.DataLoader(Pairs(), feed_list=feed_list, return_list=False, batch_size=4)
    feeds = list(loader)
    assert [[sorted(feed) for feed in place] for place in feeds] == [[["x", "y"]]] * 3
    assert feeds[2][0]["y"].numpy().tolist() == [8, 9]
    pairs = list(io.DataLoader(Pairs(), feed_list=feed_list, places=["cpu", "cpu"], return_list=False, batch_size=4))
    assert [[feed["y"].numpy().tolist() for feed in places] for places in pairs] == [[[0, 1, 2, 3], [4, 5, 6, 7]]]
    lists = list(io.DataLoader(Pairs(), feed_list=feed_list, batch_size=5))
    assert [len(fields) for fields in lists] == [2, 2]
    with pytest.raises(ValueError, match=r"feed_list has 1 variables \(x\), but a batch has 2 fields"):
        next(iter(io.DataLoader(Pairs(), feed_list=feed_list[:1], return_list=False)))
    with pytest.raises(ValueError, match="return_list=False needs feed_list"):
        io.DataLoader(Pairs(), return_list=False)


def test_names_are_for_the_static_graph(monkeypatch):
    monkeypatch.setattr("paddle.io.reader.in_dynamic_mode", lambda: True)
    with pytest.warns(UserWarning, match="here batches are lists"):
        loader = io.DataLoader(Pairs(), return_list=False)
    assert isinstance(next(iter(loader)), list)


def test_batches_by_the_method_next():
    batches = iter(paddle.io.DataLoader([np.float32(i) for i in range(4)], batch_size=2))
    assert [batches.next().tolist(), next(batches).tolist()] == [[0, 1], [2, 3]]
    with pytest.raises(StopIteration):
        batches.next()


def test_a_loader_keeps_what_it_was_given():  # programs ask whether a collate_fn was given; recorded from 2.6.2
    data = paddle.io.TensorDataset([paddle.arange(6)])
    loader = paddle.io.DataLoader(data, batch_sampler=paddle.io.BatchSampler(data, batch_size=3))
    assert loader.collate_fn is None and loader.batch_size is None and [b[0].tolist() for b in loader] == [[0, 1, 2], [3, 4, 5]]
    loader = paddle.io.DataLoader(data, batch_size=2, collate_fn=len)
    assert loader.collate_fn is len and loader.batch_size == 2
