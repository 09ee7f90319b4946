"""Programs for several places: one device does the work of all, parts of a batch are put together."""

import numpy as np
import pytest

import paddle.fluid as fluid

L = fluid.layers


@pytest.fixture(autouse=True)
def fresh_program():
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        yield


def test_parts_of_a_batch_are_put_together():
    x, words = L.data("x", [2]), L.data("words", [1], dtype="int64", lod_level=1)
    program = fluid.CompiledProgram(fluid.default_main_program()).with_data_parallel(places=[fluid.CPUPlace(), fluid.CPUPlace()])
    parts = [{"x": np.full([n, 2], n, "float32"), "words": fluid.create_lod_tensor(np.arange(n)[:, None], [[n]], fluid.CPUPlace())}
             for n in (1, 2)]
    got = fluid.Executor(fluid.CPUPlace()).run(program, feed=parts, fetch_list=[x, L.sequence_pool(words, "sum"), words],
                                               return_numpy=False)
    assert np.array(got[0]).tolist() == [[1, 1], [2, 2], [2, 2]] and np.array(got[1]).ravel().tolist() == [0, 1]
    assert got[2].recursive_sequence_lengths() == [[1, 2]]


def test_parts_with_other_names_are_refused():
    x = L.data("x", [2])
    with pytest.raises(ValueError, match="same names"):
        fluid.Executor(fluid.CPUPlace()).run(feed=[{"x": np.ones([1, 2], "float32")}, {}], fetch_list=[x])
