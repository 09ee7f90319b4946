import copy
import gc
import multiprocessing
import os
import pickle
import random
import time

import numpy as np
import pytest

import paddle
from paddle import io
from paddle.core.random import default_generator
from paddle.core.tensor import wrap
from paddle.io.dataloader import transfer

pytestmark = pytest.mark.usefixtures("no_leak")


class Rows(io.Dataset):
    def __init__(self, size=23, width=1000):
        self.size, self.width = size, width

    def __getitem__(self, index):
        return np.full(self.width, index, "float32"), index

    def __len__(self):
        return self.size


class Who(Rows):
    """Samples are the process that made them."""

    def __getitem__(self, index):
        return os.getpid()


class Split(io.IterableDataset):
    """0 … size-1, every worker giving its share; workers have unequal numbers of samples."""

    def __init__(self, size):
        self.size = size

    def __iter__(self):
        info = io.get_worker_info()
        return iter(range(self.size) if info is None else range(info.id, self.size, info.num_workers))


def labels(batches):
    return [batch[1].numpy().tolist() for batch in batches]


@pytest.mark.parametrize("num_workers, options", [
    (1, {}), (2, {}), (3, {"prefetch_factor": 1, "use_buffer_reader": False}), (2, {"use_shared_memory": False}),
    (2, {"persistent_workers": True}), (2, {"prefetch_factor": 7, "timeout": 30}), (2, {"reader_buffer_size": 5}),
])
def test_same_batches_in_the_same_order(num_workers, options):
    loader = io.DataLoader(Rows(), batch_size=4, num_workers=num_workers, **options)
    for _ in range(2):
        count = 0
        for count, ((x, y), (ours, numbers)) in enumerate(zip(io.DataLoader(Rows(), batch_size=4), loader), 1):  # noqa: B007
            np.testing.assert_array_equal(x.numpy(), ours.numpy())
            assert y.numpy().tolist() == numbers.numpy().tolist()
            assert x.dtype == ours.dtype and ours.stop_gradient
        assert count == len(loader) == 6


def test_slow_workers_keep_the_order():
    class Slow(Rows):
        def __getitem__(self, index):
            time.sleep(0.03 if index % 3 == 0 else 0)
            return index

    batches = io.DataLoader(Slow(12), batch_size=1, num_workers=3)
    assert [int(batch.numpy()[0]) for batch in batches] == list(range(12))


def test_every_worker_works_and_none_is_the_parent():
    pids = {int(pid) for batch in io.DataLoader(Who(8), batch_size=1, num_workers=2) for pid in batch.numpy()}
    assert len(pids) == 2 and os.getpid() not in pids


def test_persistent_workers_are_kept():
    def pids(loader):
        return {int(pid) for batch in loader for pid in batch.numpy()}

    loader = io.DataLoader(Who(8), num_workers=2, persistent_workers=True)
    first = pids(loader)
    assert first == pids(loader)
    assert {child.pid for child in multiprocessing.active_children()} == first
    loader = io.DataLoader(Who(8), num_workers=2)
    assert pids(loader).isdisjoint(pids(loader))


def test_persistent_pass_broken_off_and_begun_again():
    loader = io.DataLoader(Rows(), batch_size=2, num_workers=2, persistent_workers=True)
    for stop in (1, 5, 2):
        for count, batch in enumerate(loader, 1):
            assert batch[1].numpy().tolist()[0] == 2 * (count - 1)
            if count == stop:
                break
    assert sum(labels(loader), []) == list(range(23))


def test_two_passes_at_once():
    for persistent in (False, True):
        loader = io.DataLoader(Rows(5), batch_size=2, num_workers=1, persistent_workers=persistent)
        assert [(labels([a]), labels(loader)) for a in loader][2] == ([[4]], [[0, 1], [2, 3], [4]])


def test_arrays_come_without_a_copy_and_memory_is_used_again():
    loader = iter(io.DataLoader(Rows(40), batch_size=1, num_workers=1, prefetch_factor=1))
    addresses = [next(loader)[0].data_ptr() for _ in range(40)]
    assert len(set(addresses)) <= 5
    x, _ = next(iter(io.DataLoader(Rows(), num_workers=1)))
    base = x._data
    while isinstance(base, np.ndarray) and base.base is not None:
        base = base.base.obj if isinstance(base.base, memoryview) else base.base
    assert type(base).__name__ == "mmap"
    assert x.data_ptr() % 64 == 0
    x._data[:] = -1  # and they may be written to
    x[0].fill_(5)
    assert x.numpy()[0].tolist() == [5] * x.shape[1]


def test_keeping_all_batches_keeps_their_values_and_few_files():
    batches = list(io.DataLoader(Rows(200), batch_size=2, num_workers=2))
    assert len(os.listdir("/proc/self/fd")) < 60
    for i, (x, y) in enumerate(batches):
        assert (x.numpy() == np.array([[2 * i], [2 * i + 1]])).all() and y.numpy().tolist() == [2 * i, 2 * i + 1]


def test_batches_outlive_their_workers():
    x, _ = next(iter(io.DataLoader(Rows(), batch_size=4, num_workers=1)))
    gc.collect()
    assert x.numpy()[:, 0].tolist() == [0, 1, 2, 3]


def test_sizes_may_grow_and_shrink():
    class Growing(Rows):
        def __getitem__(self, index):
            return np.full(1 + 5000 * (index % 4), index)

    for i, batch in enumerate(io.DataLoader(Growing(30), batch_size=1, num_workers=2)):
        assert batch.shape == [1, 1 + 5000 * (i % 4)] and (batch.numpy() == i).all()


def test_anything_picklable_travels():
    samples = [
        {"text": "a", "none": None, "big": 2 ** 80, "nested": [(np.ones(3), "b")], "set": {1, 2}},
        np.zeros((0, 3)), np.array(5), np.arange(6).reshape(2, 3).T, np.array(["a", "b"]), "just text",
        wrap(np.ones(2, "float32")), np.array([1, None, "x"], dtype=object), np.asfortranarray(np.ones((2, 3))),
    ]
    here = list(io.DataLoader(samples, batch_size=None))
    there = list(io.DataLoader(samples, batch_size=None, num_workers=2))

    def same(a, b):
        assert type(a) is type(b)
        if isinstance(a, (np.ndarray, paddle.Tensor)):
            np.testing.assert_array_equal(np.asarray(a), np.asarray(b))
        elif isinstance(a, dict):
            assert list(a) == list(b)
            same(list(a.values()), list(b.values()))
        elif isinstance(a, list):
            assert len(a) == len(b)
            for x, y in zip(a, b):
                same(x, y)
        else:
            assert a == b

    same(here, there)


def test_tensors_keep_stop_gradient():
    def collate(samples):
        tensor = wrap(np.stack([x for x, _ in samples]))
        tensor.stop_gradient = False
        return tensor

    assert next(iter(io.DataLoader(Rows(), num_workers=1, collate_fn=collate))).stop_gradient is False


def test_streams_are_split():
    for num_workers in (0, 1, 2, 3):
        loader = io.DataLoader(Split(20), batch_size=3, num_workers=num_workers)
        for _ in range(2):
            assert sorted(sum((batch.numpy().tolist() for batch in loader), [])) == list(range(20))
    batches = [batch.numpy().tolist() for batch in io.DataLoader(Split(10), batch_size=2, num_workers=2)]
    assert batches == [[0, 2], [1, 3], [4, 6], [5, 7], [8], [9]]
    batches = [batch.numpy().tolist() for batch in io.DataLoader(Split(7), batch_size=2, num_workers=2, drop_last=True)]
    assert batches == [[0, 2], [1, 3], [4, 6]]


def test_streams_of_unequal_length():
    class Uneven(Split):
        def __iter__(self):
            return iter([io.get_worker_info().id] * (1, 7, 0)[io.get_worker_info().id])

    batches = [int(batch.numpy()[0]) for batch in io.DataLoader(Uneven(0), num_workers=3, prefetch_factor=3)]
    assert batches == [0, 1, 1, 1, 1, 1, 1, 1]


def test_persistent_streams_begin_again():
    loader = io.DataLoader(Split(6), batch_size=2, num_workers=2, persistent_workers=True)
    assert [[b.numpy().tolist() for b in loader] for _ in range(2)] == [[[0, 2], [1, 3], [4], [5]]] * 2


def test_worker_info():
    class Info(Rows):
        def __getitem__(self, index):
            info = io.get_worker_info()
            return [info.id, info.num_workers, info.dataset.width, info.seed]

    assert io.get_worker_info() is None
    seeds = []
    for i, batch in enumerate(io.DataLoader(Info(4, width=77), num_workers=2)):
        assert [int(field.numpy()[0]) for field in batch[:3]] == [i % 2, 2, 77]
        seeds.append(int(batch[3].numpy()[0]))
    assert seeds[0] != seeds[1] and seeds[:2] == seeds[2:]


def test_worker_init_fn():
    class Told(Rows):
        def __getitem__(self, index):
            return self.told, index

    data = Told(4)

    def init(number):
        io.get_worker_info().dataset.told = 10 + number

    assert [int(told.numpy()[0]) for told, _ in io.DataLoader(data, num_workers=2, worker_init_fn=init)] == [10, 11] * 2
    assert not hasattr(data, "told")


class Dice(Rows):
    def __getitem__(self, index):
        return np.array([index, random.random(), np.random.rand(), default_generator().random() % 1000])


def epochs(num_workers, seed=7, **options):
    np.random.seed(seed)
    loader = io.DataLoader(Dice(), batch_size=4, shuffle=True, num_workers=num_workers, **options)
    return [np.concatenate([batch.numpy() for batch in loader]) for _ in range(2)]


def test_numpy_seed_gives_the_same_data_with_any_number_of_workers():
    reference = epochs(1)
    assert (reference[0] != reference[1]).any()
    for num_workers, options in ((3, {"prefetch_factor": 1}), (2, {"persistent_workers": True})):
        np.testing.assert_array_equal(epochs(num_workers, **options), reference)
    assert (epochs(2, seed=8)[0] != reference[0]).any()


def test_no_two_samples_draw_the_same():
    values = epochs(2)[0][:, 1:]
    assert len(np.unique(values[:, 0])) == len(np.unique(values[:, 1])) == 23


def test_streams_that_worker_init_fn_seeds_are_its_own():
    def init(number):
        np.random.seed(100 + number)

    np.random.seed(1)
    values = [batch.numpy()[0] for batch in io.DataLoader(Dice(4), num_workers=2, worker_init_fn=init)]
    mine = [np.random.RandomState(100 + i) for i in range(2)]
    assert [value[2] for value in values] == [mine[i % 2].rand() for i in range(4)]
    np.random.seed(1)
    assert [value[1] for value in values] == [b.numpy()[0, 1] for b in io.DataLoader(Dice(4), num_workers=1)]


def test_kernels_work_in_workers_after_use_in_the_parent():
    class Products(Rows):
        def __getitem__(self, index):
            a = wrap(np.full((200, 200), index, "float32"))
            return paddle.matmul(a, a)

    expected = paddle.matmul(*[wrap(np.full((200, 200), 2, "float32"))] * 2).numpy()
    batches = list(io.DataLoader(Products(3), num_workers=2))
    np.testing.assert_array_equal(batches[2].numpy()[0], expected)


def test_spawned_workers(monkeypatch):
    monkeypatch.setattr(multiprocessing, "get_start_method", lambda allow_none=False: "spawn")
    assert labels(io.DataLoader(SpawnRows(), batch_size=2, num_workers=1)) == [[0, 1], [2, 3], [4]]
    with pytest.raises(RuntimeError, match="started by 'spawn' here, .* pickled"):
        list(io.DataLoader(SpawnRows(), collate_fn=lambda samples: samples, num_workers=1))
    for child in multiprocessing.active_children():  # the one whose start failed half-way
        child.join()
    tracker = multiprocessing.resource_tracker._resource_tracker
    if tracker._fd is not None:
        tracker._stop()


class SpawnRows(Rows):
    def __init__(self):
        super().__init__(5, 10)


def test_a_loader_can_be_copied_and_pickled():
    loader = io.DataLoader(SpawnRows(), batch_size=2, num_workers=1, persistent_workers=True)
    list(loader)
    for twin in (copy.copy(loader), pickle.loads(pickle.dumps(loader))):
        assert labels(twin) == [[0, 1], [2, 3], [4]]


def test_slots_hold_what_was_written():
    ours, theirs = multiprocessing.Pipe()
    writer, reader = transfer.SlotWriter(True), transfer.SlotReader()
    rng = np.random.default_rng(0)
    held = []
    for number in range(60):
        batch = [rng.integers(0, 99, rng.integers(0, 3000), dtype="uint8") for _ in range(rng.integers(1, 4))]
        writer.send(theirs, (number,), batch)
        got, parcel = reader.receive(ours)
        assert got == number
        held.append((batch, reader.open(parcel)))
        if rng.random() < 0.7:
            held.pop(rng.integers(len(held)))
        for wrote, read in held:
            for a, b in zip(wrote, read):
                np.testing.assert_array_equal(a, b)
        writer.release(reader.take_returned())
    assert len(writer.maps) <= transfer.MAX_LENT + 2
    del held, read, wrote, a, b, parcel
    for memory in writer.maps.values():
        memory.close()
    ours.close()
    theirs.close()
