import random
import threading
import time

import numpy as np
import pytest

from paddle import reader as reader_module
from paddle.reader import creator


def numbers(n, start=0):
    return lambda: iter(range(start, start + n))


def failing(n):
    def reader():
        yield from range(n)
        raise KeyError("broken sample")
    return reader


@pytest.fixture(autouse=True)
def no_thread_left():
    before = threading.active_count()
    yield
    deadline = time.monotonic() + 5
    while threading.active_count() > before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert threading.active_count() <= before


def test_batch():
    assert list(reader_module.batch(numbers(5), 2)()) == [[0, 1], [2, 3], [4]]
    assert list(reader_module.batch(numbers(5), 2, drop_last=True)()) == [[0, 1], [2, 3]]
    assert list(reader_module.batch(numbers(0), 2)()) == []
    assert list(reader_module.batch(numbers(4), np.int64(2))()) == [[0, 1], [2, 3]]
    assert list(reader_module.batch(numbers(5), 5 / 2, drop_last=True)()) == [[0, 1], [2, 3]]
    for size in (0, -1, 0.5):
        with pytest.raises(ValueError, match="batch_size must be positive"):
            reader_module.batch(numbers(5), size)
    with pytest.raises(TypeError, match="batch_size must be an int, got str"):
        reader_module.batch(numbers(5), "2")


def test_map_chain_compose_firstn():
    assert list(reader_module.map_readers(lambda a, b: a + b, numbers(3), numbers(3, 10))()) == [10, 12, 14]
    assert list(reader_module.chain(numbers(2), numbers(2, 7))()) == [0, 1, 7, 8]
    assert list(reader_module.compose(numbers(2), lambda: iter([(1, 2), (3, 4)]))()) == [(0, 1, 2), (1, 3, 4)]
    assert list(reader_module.firstn(numbers(100), 3)()) == [0, 1, 2]
    assert list(reader_module.firstn(numbers(2), 3)()) == [0, 1]


def test_compose_alignment():
    with pytest.raises(reader_module.ComposeNotAligned):
        list(reader_module.compose(numbers(2), numbers(3))())
    assert list(reader_module.compose(numbers(2), numbers(3), check_alignment=False)()) == [(0, 0), (1, 1)]
    assert list(reader_module.compose(lambda: iter([None]), numbers(1))()) == [(None, 0)]
    with pytest.raises(TypeError):
        reader_module.compose(numbers(2), check_aligment=False)


def test_shuffle():
    random.seed(3)
    first = list(reader_module.shuffle(numbers(10), 4)())
    random.seed(3)
    assert list(reader_module.shuffle(numbers(10), 4)()) == first != list(range(10))
    assert [sorted(first[i:i + 4]) for i in (0, 4, 8)] == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]
    assert list(reader_module.shuffle(numbers(3), 0)()) == [0, 1, 2]  # nothing waits: the order stays
    with pytest.raises(ValueError, match="buf_size"):
        reader_module.shuffle(numbers(3), -1)


def test_cache_reads_once():
    calls = []

    def reader():
        calls.append(1)
        yield from "ab"

    kept = reader_module.cache(reader)
    assert list(kept()) == list(kept()) == ["a", "b"]
    assert len(calls) == 1


def test_buffered():
    assert list(reader_module.buffered(numbers(100), 3)()) == list(range(100))
    assert list(reader_module.buffered(numbers(100), 0)()) == list(range(100))  # without a limit
    assert list(reader_module.buffered(lambda: iter([None, (), None]), 1)()) == [None, (), None]
    with pytest.raises(KeyError, match="broken sample"):
        list(reader_module.buffered(failing(3), 2)())


def test_buffered_abandoned():
    def endless():
        while True:
            yield 1

    samples = reader_module.buffered(endless, 2)()
    assert next(samples) == 1
    samples.close()  # no_thread_left checks that the worker has gone


@pytest.mark.parametrize("order", [False, True])
@pytest.mark.parametrize("workers", [1, 3])
def test_xmap(order, workers):
    def slow_first(x):
        time.sleep(0.02 if x == 0 else 0)
        return x * x

    got = list(reader_module.xmap_readers(slow_first, numbers(50), workers, 4, order)())
    assert (got if order else sorted(got)) == [x * x for x in range(50)]


def test_xmap_errors():
    def bad(x):
        raise ZeroDivisionError("in mapper")

    with pytest.raises(ZeroDivisionError, match="in mapper"):
        list(reader_module.xmap_readers(bad, numbers(5), 2, 2)())
    with pytest.raises(KeyError, match="broken sample"):
        list(reader_module.xmap_readers(lambda x: x, failing(3), 2, 2, order=True)())
    with pytest.raises(ValueError, match="process_num"):
        reader_module.xmap_readers(bad, numbers(5), 0, 2)
    samples = reader_module.xmap_readers(lambda x: x, numbers(1000), 2, 2)()
    next(samples)
    samples.close()


@pytest.mark.parametrize("use_pipe", [True, False])
def test_multiprocess(use_pipe):
    def arrays():
        for i in range(5):
            yield np.full((2, 2), i, np.float32), i

    samples = list(reader_module.multiprocess_reader([arrays, arrays], use_pipe=use_pipe, queue_size=4)())
    assert sorted(label for _, label in samples) == sorted([*range(5)] * 2)
    assert all((image == label).all() and image.dtype == np.float32 for image, label in samples)


@pytest.mark.parametrize("use_pipe", [True, False])
def test_multiprocess_errors(use_pipe):
    with pytest.raises(ValueError, match="broken sample"):
        list(reader_module.multiprocess_reader([failing(2)], use_pipe=use_pipe)())
    with pytest.raises(ValueError, match="gave None"):
        list(reader_module.multiprocess_reader([lambda: iter([None])], use_pipe=use_pipe)())
    with pytest.raises(TypeError, match="non-empty list"):
        reader_module.multiprocess_reader([], use_pipe=use_pipe)


def _dies():
    import os
    yield 1
    os._exit(3)


@pytest.mark.parametrize("use_pipe", [True, False])
def test_multiprocess_worker_killed(use_pipe):
    with pytest.raises(ValueError, match="ended without a word"):
        list(reader_module.multiprocess_reader([_dies], use_pipe=use_pipe)())


def test_multiprocess_abandoned():
    import multiprocessing

    samples = reader_module.multiprocess_reader([numbers(10**9)])()
    assert next(samples) == 0
    samples.close()
    assert multiprocessing.active_children() == []


def test_creators(tmp_path):
    assert [row.tolist() for row in creator.np_array([[1, 2], [3, 4]])()] == [[1, 2], [3, 4]]
    with pytest.raises(ValueError, match="np_array"):
        creator.np_array(3)
    path = tmp_path / "a.txt"
    path.write_text("one\ntwo\n\nlast", encoding="utf-8")
    assert list(creator.text_file(path)()) == ["one", "two", "", "last"]


def test_names_programs_use():
    import paddle

    assert paddle.batch is reader_module.batch
    for name in reader_module.decorator.__all__:
        assert getattr(paddle.reader, name) is getattr(paddle.reader.decorator, name)
        assert getattr(reader_module, name).__doc__
