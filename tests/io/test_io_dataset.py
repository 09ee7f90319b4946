import numpy as np
import pytest

import paddle
from paddle import io


class Numbers(io.Dataset):
    def __init__(self, size):
        self.size = size

    def __getitem__(self, index):
        return index

    def __len__(self):
        return self.size


class Stream(io.IterableDataset):
    def __init__(self, *items):
        self.items = items

    def __iter__(self):
        return iter(self.items)


def test_base_classes_name_what_is_missing():
    class Mine(io.Dataset):
        pass

    class Flow(io.IterableDataset):
        pass

    with pytest.raises(NotImplementedError, match="Mine must define __getitem__"):
        Mine()[0]
    with pytest.raises(NotImplementedError, match="Mine must define __len__"):
        len(Mine())
    with pytest.raises(NotImplementedError, match="Flow must define __iter__"):
        iter(Flow())
    with pytest.raises(RuntimeError, match="samples have no numbers"):
        Flow()[0]
    with pytest.raises(TypeError, match="__len__"):
        len(Flow())


def test_tensor_dataset_of_arrays():
    x, y = np.arange(12.).reshape(4, 3), np.arange(4)
    data = io.TensorDataset([x, y])
    assert len(data) == 4
    row, label = data[2]
    assert row.tolist() == [6, 7, 8] and label == 2


def test_tensor_dataset_of_tensors():
    x = np.arange(12, dtype="float32").reshape(4, 3)
    row, = io.TensorDataset([paddle.to_tensor(x)])[1]
    assert isinstance(row, paddle.Tensor) and row.tolist() == [3, 4, 5]
    loader = io.DataLoader(io.TensorDataset([paddle.to_tensor(x)]), batch_size=3)
    assert [batch[0].numpy().tolist() for batch in loader] == [x[:3].tolist(), x[3:].tolist()]


@pytest.mark.parametrize("tensors", [[np.ones(2), np.ones(3)], [np.float32(3)]])
def test_tensor_dataset_sizes(tensors):
    with pytest.raises(ValueError, match=r"TensorDataset\(\): tensors must have the same size of dimension 0"):
        io.TensorDataset(tensors)


def test_compose():
    data = io.ComposeDataset([Numbers(3), [(7, 8), [9, 10], (11, 12)]])
    assert len(data) == 3 and data[1] == (1, 9, 10)
    with pytest.raises(ValueError, match=r"one length, got lengths \[3, 2\]"):
        io.ComposeDataset([Numbers(3), Numbers(2)])
    with pytest.raises(TypeError, match="IterableDataset"):
        io.ComposeDataset([Stream(1)])


def test_chain():
    chained = io.ChainDataset([Stream(1, 2), Stream(), Stream(3)])
    assert list(chained) == list(chained) == [1, 2, 3]
    with pytest.raises(TypeError, match=r"datasets\[1\] must be an IterableDataset, got Numbers"):
        io.ChainDataset([Stream(1), Numbers(2)])
    with pytest.raises(ValueError, match="at least one"):
        io.ChainDataset([])


def test_concat():
    data = io.ConcatDataset([[1, 2], [], [3], [4, 5]])
    assert [data[i] for i in range(-5, 5)] == [1, 2, 3, 4, 5] * 2
    assert data.cumulative_sizes == [2, 2, 3, 5]
    for index in (5, -6):
        with pytest.raises(IndexError, match=f"index {index} is out of range for 5"):
            data[index]
    with pytest.raises(TypeError, match="ChainDataset"):
        io.ConcatDataset([Stream(1)])


def test_random_split_is_a_partition():
    parts = io.random_split(Numbers(10), [7, 0, 3])
    assert [len(part) for part in parts] == [7, 0, 3]
    assert sorted(part[i] for part in parts for i in range(len(part))) == list(range(10))


def test_random_split_fractions():
    assert [len(part) for part in io.random_split(Numbers(10), [0.25, 0.25, 0.5])] == [3, 2, 5]


def test_random_split_follows_seed_and_generator():
    def split(**options):
        return [part.indices for part in io.random_split(Numbers(20), [15, 5], **options)]

    paddle.seed(3)
    first = split()
    assert split() != first
    paddle.seed(3)
    assert split() == first
    assert split(generator=np.random.default_rng(1)) == split(generator=np.random.default_rng(1))


@pytest.mark.parametrize("lengths", [[3, 3], [11], [-1, 11], [1.5, 8.5]])
def test_random_split_wrong_lengths(lengths):
    with pytest.raises(ValueError, match=r"random_split\(\): lengths"):
        io.random_split(Numbers(10), lengths)
