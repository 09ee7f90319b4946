import json
import pathlib

import numpy as np
import pytest

import paddle
from paddle import io
from paddle.core.random import Generator

RECORDED = json.loads((pathlib.Path(__file__).parent / "data" / "samplers.json").read_text())  # by Paddle 2.6.2
DATA = list(range(13))


@pytest.mark.parametrize("name, sampler", [
    ("random", lambda: io.RandomSampler(DATA)),
    ("random_rep", lambda: io.RandomSampler(DATA, replacement=True, num_samples=20)),
    ("weighted", lambda: io.WeightedRandomSampler([.1, .5, .2, .2], 8)),
    ("weighted_norep", lambda: io.WeightedRandomSampler([1, 5, 2, 2.], 3, replacement=False)),
    ("batch", lambda: io.BatchSampler(DATA, shuffle=True, batch_size=4)),
    ("loader", lambda: io.DataLoader(DATA, shuffle=True, batch_size=4)),
])
def test_order_by_numpy_seed_is_paddles(name, sampler):
    np.random.seed(5)
    order = [item.numpy().tolist() if isinstance(item, paddle.Tensor) else item for item in sampler()]
    assert order == RECORDED[name]


@pytest.mark.parametrize("rank", range(3))
@pytest.mark.parametrize("shuffle", [False, True])
@pytest.mark.parametrize("drop_last", [False, True])
def test_distributed_is_paddles(rank, shuffle, drop_last):
    sampler = io.DistributedBatchSampler(DATA, 2, num_replicas=3, rank=rank, shuffle=shuffle, drop_last=drop_last)
    first, second = list(sampler), list(sampler)
    sampler.set_epoch(7)
    assert [first, second, list(sampler), len(sampler)] == RECORDED[f"dist_{rank}_{shuffle}_{drop_last}"]


def test_distributed_smaller_than_the_group():
    sampler = io.DistributedBatchSampler([0, 1], 4, num_replicas=3, rank=2)
    assert [list(sampler), len(sampler)] == RECORDED["dist_small"]
    parts = [list(io.DistributedBatchSampler([0], 2, num_replicas=4, rank=r)) for r in range(4)]
    assert parts == [[[0]]] * 4


def test_distributed_asks_the_environment(monkeypatch):
    if paddle.distributed.is_initialized():  # by another test of this process
        paddle.distributed.destroy_process_group()
    monkeypatch.setenv("PADDLE_TRAINER_ID", "1")
    monkeypatch.setenv("PADDLE_TRAINERS_NUM", "2")
    sampler = io.DistributedBatchSampler(DATA, 3)
    assert (sampler.nranks, sampler.local_rank) == (2, 1)
    assert io.DistributedBatchSampler(DATA, 3, num_replicas=1, rank=0).nranks == 1


def test_paddle_seed_does_not_decide_the_order():
    def order():
        return list(io.RandomSampler(DATA))

    np.random.seed(1)
    first = order()
    assert order() != first and sorted(first) == DATA
    np.random.seed(1)
    paddle.seed(11)
    assert order() == first


def test_a_generator_of_paddle_decides_when_it_is_given():
    first, again = (list(io.RandomSampler(DATA, generator=Generator(3))) for _ in range(2))
    assert first == again and sorted(first) == DATA


def test_subset_random():
    paddle.seed(1)
    order = list(io.SubsetRandomSampler([3, 5, 7, 11, 13]))
    assert sorted(order) == [3, 5, 7, 11, 13]
    assert list(io.SubsetRandomSampler([3, 5, 7, 11, 13])) != order
    paddle.seed(1)
    assert list(io.SubsetRandomSampler([3, 5, 7, 11, 13])) == order == [13, 3, 5, 11, 7]  # Paddle 2.6.2's


def test_sequence_and_lengths():
    assert list(io.SequenceSampler("abc")) == [0, 1, 2]
    assert len(io.SequenceSampler("abc")) == len(io.RandomSampler("abc")) == len(io.SubsetRandomSampler([1, 2, 3])) == 3
    assert len(io.RandomSampler("abc", True, 7)) == len(io.WeightedRandomSampler([1, 1], 7)) == 7


@pytest.mark.parametrize("size, batch_size, drop_last", [(10, 3, False), (10, 3, True), (9, 3, False), (0, 2, False)])
def test_batch_sampler_length(size, batch_size, drop_last):
    sampler = io.BatchSampler(range(size), batch_size=batch_size, drop_last=drop_last)
    batches = list(sampler)
    assert len(batches) == len(sampler)
    assert sum(batches, []) == list(range(size))[:size - size % batch_size if drop_last else size]


def test_random_sampler_generators():
    assert list(io.RandomSampler(DATA, generator=iter([5, 4, 3]))) == [5, 4, 3]
    assert list(io.RandomSampler("ab", generator=iter([5, 4, 3]))) == [5, 4]
    orders = [list(io.RandomSampler(DATA, generator=np.random.RandomState(2))) for _ in range(2)]
    assert orders[0] == orders[1]
    with pytest.raises(TypeError, match=r"RandomSampler\(\): generator"):
        io.RandomSampler(DATA, generator=5)


def test_weights_decide_how_often():
    np.random.seed(0)
    counts = np.bincount(list(io.WeightedRandomSampler([1, 0, 3], 4000)), minlength=3)
    assert counts[1] == 0 and 0.7 < counts[2] / 4000 < 0.8
    assert sorted(io.WeightedRandomSampler(np.array([1, 0, 3]), 2, replacement=False)) == [0, 2]


@pytest.mark.parametrize("make, message", [
    (lambda: io.RandomSampler(DATA, num_samples=3), "num_samples needs replacement=True"),
    (lambda: io.RandomSampler(DATA, True, 0), "num_samples must be a positive integer"),
    (lambda: io.RandomSampler(DATA, replacement=1), "replacement must be a bool"),
    (lambda: io.BatchSampler(), "either dataset or sampler, not neither"),
    (lambda: io.BatchSampler(DATA, sampler=DATA), "not both"),
    (lambda: io.BatchSampler(sampler=3), "sampler must be an iterable"),
    (lambda: io.BatchSampler(sampler=DATA, shuffle=True), "shuffle=True needs dataset"),
    (lambda: io.BatchSampler(DATA, batch_size=0), "batch_size must be a positive integer"),
    (lambda: io.BatchSampler(DATA, shuffle="yes"), "shuffle must be a bool"),
    (lambda: io.DistributedBatchSampler(DATA, 2, num_replicas=2, rank=2), "rank 2 is not one of"),
    (lambda: io.DistributedBatchSampler(DATA, 2, 2, 0).set_epoch(-1), "epoch must be"),
    (lambda: io.SubsetRandomSampler([]), "at least one"),
    (lambda: io.WeightedRandomSampler([1, -1], 2), "not negative"),
    (lambda: io.WeightedRandomSampler([0, 0], 2), "not all 0"),
    (lambda: io.WeightedRandomSampler([[1]], 2), "list of numbers"),
    (lambda: io.WeightedRandomSampler([1, 0], 2, replacement=False), "more than the 1 weights above 0"),
])
def test_wrong_arguments(make, message):
    with pytest.raises((ValueError, TypeError), match=message):
        make()
