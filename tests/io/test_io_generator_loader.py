import threading

import numpy as np
import pytest

import paddle
from paddle.io import DataLoader
from paddle.io.generator_loader import EOFException, GeneratorLoader, PyReader


def samples(size=7):
    def reader():
        for i in range(size):
            yield np.full(4, i, "float32"), i
    return reader


def sample_lists():
    for start in range(0, 6, 3):
        yield [(np.full(4, i, "float32"), i) for i in range(start, start + 3)]


def whole_batches():
    for i in range(3):
        yield np.full((2, 4), i, "float32"), np.array([[i], [i]])


@pytest.fixture(autouse=True)
def no_threads_left():
    before = threading.active_count()
    yield
    assert threading.active_count() == before


@pytest.fixture
def dynamic(monkeypatch):
    monkeypatch.setattr("paddle.io.reader.in_dynamic_mode", lambda: True)


FORMS = [{}, {"use_double_buffer": False}, {"use_multiprocess": True}, {"capacity": 1}]


@pytest.mark.parametrize("options", FORMS)
def test_samples(dynamic, options, no_leak):
    loader = DataLoader.from_generator(**options)
    loader.set_sample_generator(samples(), batch_size=3)
    for _ in range(2):
        assert [y.numpy().tolist() for _, y in loader()] == [[0, 1, 2], [3, 4, 5]]
    loader.set_sample_generator(samples(), batch_size=3, drop_last=False)
    batches = list(loader)
    assert [x.shape for x, _ in batches] == [[3, 4], [3, 4], [1, 4]]
    assert all(isinstance(field, paddle.Tensor) and field.stop_gradient for batch in batches for field in batch)


@pytest.mark.parametrize("options", FORMS)
def test_sample_lists_and_batches(dynamic, options, no_leak):
    loader = DataLoader.from_generator(**options)
    assert [y.numpy().tolist() for _, y in loader.set_sample_list_generator(sample_lists)] == [[0, 1, 2], [3, 4, 5]]
    loader.set_batch_generator(whole_batches)
    assert [y.numpy().tolist() for _, y in loader] == [[[0]] * 2, [[1]] * 2, [[2]] * 2]


def test_fields_that_are_lists_become_arrays(dynamic):
    loader = DataLoader.from_generator()
    loader.set_sample_list_generator(lambda: iter([[([1, 2, 3], 7), ([4, 5, 6], 8)]]))
    words, label = next(iter(loader))
    assert words.numpy().tolist() == [[1, 2, 3], [4, 5, 6]] and label.numpy().tolist() == [7, 8]
    loader.set_batch_generator(lambda: iter([([[1, 2], [3, 4]], [5, 6])]))
    assert [field.numpy().tolist() for field in next(iter(loader))] == [[[1, 2], [3, 4]], [5, 6]]


def test_rows_of_a_sample_that_is_an_array_are_its_fields(dynamic):
    loader = DataLoader.from_generator(capacity=2, return_list=True)
    loader.set_sample_list_generator(lambda: iter([[np.array([[1, 2], [3, 4], [5, 6]])] * 2]))
    left, middle, right = next(iter(loader))
    assert left.tolist() == [[1, 2]] * 2 and middle.tolist() == [[3, 4]] * 2 and right.tolist() == [[5, 6]] * 2


@pytest.mark.parametrize("options", FORMS)
def test_exceptions_of_the_generator(dynamic, options, no_leak):
    def broken():
        yield np.zeros(2)
        raise ValueError("broken generator")

    loader = iter(DataLoader.from_generator(**options).set_batch_generator(broken))
    next(loader)
    with pytest.raises(ValueError, match="broken generator"):
        next(loader)


@pytest.mark.parametrize("options", FORMS)
def test_broken_off(dynamic, options, no_leak):
    loader = DataLoader.from_generator(**options).set_sample_generator(samples(1000), batch_size=1)
    for batch in loader:
        assert batch[1].numpy().tolist() == [0]
        break
    assert next(iter(loader))[1].numpy().tolist() == [0]


def test_capacity_bounds_what_waits(dynamic):
    made, ready = [], threading.Semaphore(0)

    def reader():
        for i in range(10):
            made.append(i)
            ready.release()
            yield np.array([i])

    loader = iter(DataLoader.from_generator(capacity=2).set_batch_generator(reader))
    next(loader)
    for _ in range(4):  # one taken, two waiting, one in hand
        ready.acquire(timeout=10)
    assert len(made) == 4
    assert len(list(loader)) == 9


class Block:
    def __init__(self):
        self.program = type("Program", (), {"loaders": []})()


class Variable:
    block, lod = Block(), ()

    def __init__(self, name, shape, dtype):
        self.name, self.shape, self.dtype = name, shape, dtype


X = Variable("x", [-1, 2, 2], "float32")
Y = Variable("y", [-1, 1], "int64")


@pytest.fixture
def static(monkeypatch):
    monkeypatch.setattr("paddle.io.reader.in_dynamic_mode", lambda: False)


def test_static_feeds_have_the_variables_shape(static):
    loader = DataLoader.from_generator(feed_list=[X, Y], capacity=2).set_sample_generator(samples(), batch_size=3)
    feeds = list(loader)
    assert [sorted(feed) for feed, in feeds] == [["x", "y"]] * 2
    assert feeds[0][0]["x"].shape() == [3, 2, 2] and feeds[0][0]["y"].shape() == [3, 1]
    assert np.array(feeds[0][0]["y"]).dtype == "int64"


def test_static_lists_and_places(static):
    loader = DataLoader.from_generator([X, Y], 2, return_list=True)
    loader.set_batch_generator(whole_batches, places=["cpu", "cpu"])
    groups = list(loader)
    assert [[fields[1].numpy()[0, 0] for fields in group] for group in groups] == [[0, 1]]
    loader = DataLoader.from_generator([X, Y], 2, return_list=True, drop_last=False)
    loader.set_batch_generator(whole_batches, places=["cpu", "cpu"])
    assert [len(group) for group in loader] == [2, 1]


def test_started_loaders(static):
    loader = PyReader([X, Y], capacity=2, iterable=False)
    assert X.block.program.loaders[-1] is loader
    loader.decorate_sample_list_generator(sample_lists)
    for _ in range(2):
        loader.start()
        assert loader.next_feed()["y"].numpy().tolist() == [[0], [1], [2]]
        loader.next_feed()
        with pytest.raises(EOFException):
            loader.next_feed()
        loader.reset()
    loader.start()
    with pytest.raises(RuntimeError, match="started already"):
        loader.start()
    loader.reset()
    with pytest.raises(RuntimeError, match=r"call its start\(\)"):
        loader.next_feed()
    with pytest.raises(RuntimeError, match="start"):
        iter(loader)


def test_decorate_names(dynamic):
    assert len(list(PyReader(capacity=2).decorate_sample_generator(samples(), batch_size=2))) == 3
    assert len(list(PyReader(capacity=2).decorate_batch_generator(whole_batches))) == 3


def test_wrong_use(dynamic):
    with pytest.raises(ValueError, match="capacity must be a positive integer"):
        GeneratorLoader(capacity=0)
    with pytest.raises(RuntimeError, match="nothing to read"):
        iter(GeneratorLoader())
    with pytest.raises(TypeError, match="reader must be a function"):
        GeneratorLoader().set_batch_generator([1, 2])
    with pytest.raises(ValueError, match="batch_size"):
        GeneratorLoader().set_sample_generator(samples(), batch_size=0)
    with pytest.raises(RuntimeError, match="iterable=True"):
        GeneratorLoader().start()
    with pytest.raises(RuntimeError, match="iterable=True"):
        GeneratorLoader().reset()


def test_wrong_static_use(static):
    with pytest.raises(ValueError, match="needs feed_list"):
        GeneratorLoader(capacity=2)
    with pytest.raises(ValueError, match="use_multiprocess"):
        GeneratorLoader([X], capacity=2, use_multiprocess=True)
    with pytest.raises(ValueError, match="feed_list has 1 variables"):
        list(GeneratorLoader([X], capacity=2).set_sample_list_generator(sample_lists))


def test_a_program_takes_its_input_from_a_started_loader():
    paddle.enable_static()
    try:
        main = paddle.static.Program()
        with paddle.static.program_guard(main):
            x = paddle.static.data("x", [None, 2, 2], "float32")
            y = paddle.static.data("y", [None, 1], "int64")
            total = paddle.sum(x) + paddle.cast(paddle.sum(y), "float32")
            loader = DataLoader.from_generator([x, y], capacity=2, iterable=False)
            each = DataLoader.from_generator([x, y], capacity=2)
        executor = paddle.static.Executor()
        loader.set_sample_list_generator(sample_lists)
        for _ in range(2):
            loader.start()
            sums = []
            with pytest.raises(EOFException):
                while True:
                    sums.append(float(executor.run(main, fetch_list=[total])[0]))
            loader.reset()
            assert sums == [15.0, 60.0]
        test = main.clone(for_test=True)  # the inputs of a copy come from the same loader
        loader.start()
        assert [float(executor.run(program, fetch_list=[total])[0]) for program in (test, main)] == [15.0, 60.0]
        loader.reset()
        ones = np.ones([1, 2, 2], "float32")
        assert executor.run(test, {"x": ones}, [x])[0].tolist() == ones.tolist()  # fed what the result needs
        with pytest.raises(RuntimeError, match="has not been started"):
            executor.run(test, fetch_list=[total])
        feeds = list(each.set_sample_list_generator(sample_lists))
        assert [float(executor.run(main, feed=feed, fetch_list=[total])[0]) for feed in feeds] == [15.0, 60.0]
    finally:
        paddle.disable_static()
